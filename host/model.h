/* Models: finding and reading architectures under kernels/circuits, with the sizes of a config.json. */
#ifndef MET_HOST_MODEL_H
#define MET_HOST_MODEL_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_model_request {
    const char *name;    /* of an architecture, or the path of its file */
    const char *kernels; /* folder that has circuits/; NULL: $MET_KERNELS, the source tree, then the installed one */
    const char *config;  /* path of a config.json, or NULL: sizes stay free */
    const char *mode;    /* NULL: prefill */
    const char *layers;  /* number of layers instead of the configured one, as text; or NULL */
} met_model_request;

/* NULL with diagnostics. */
met_circuit *met_model_load(met_session *session, const met_model_request *request);
bool met_model_exists(const char *kernels, const char *name);

#ifdef __cplusplus
}
#endif
#endif
