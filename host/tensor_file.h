/* Tensors in `.npy` files (met/npy.h says which). */
#ifndef MET_HOST_TENSOR_FILE_H
#define MET_HOST_TENSOR_FILE_H

#include "met/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL with a diagnostic that names the path. "-" is standard input. */
met_tensor *met_tensor_load(met_session *session, const char *path);
/* False with a diagnostic; then nothing was written. "-" is standard output. */
bool met_tensor_save(met_session *session, const char *path, const met_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
