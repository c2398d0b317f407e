/* Between the parts of the reader of checkpoints. */
#ifndef MET_HOST_SAFETENSORS_PARTS_H
#define MET_HOST_SAFETENSORS_PARTS_H

#include "base/map.h"
#include "base/session.h"
#include "base/vec.h"
#include "host/safetensors.h"
#include "number/encode.h"

struct met_safetensors {
    met_session *session;
    MET_VEC(met_stored_tensor) tensors;
    met_map *by_name; /* positions */
};

/* How a type of the format stands for numbers. */
typedef struct met_stored_dtype {
    const char *name;
    uint32_t bytes;
    char kind;          /* f: met_decode of `dtype`; i, u: integers; b: 0 or 1 */
    met_dtype dtype;
    const char *format; /* of the array; NULL: by the values */
} met_stored_dtype;

/* NULL if there is no such type here. */
const met_stored_dtype *met_stored_dtype_find(met_str name);

/* A diagnostic `checkpoint` about a file as a whole. Always false. */
bool met_safetensors_fail(met_session *session, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds what the header of a file says, whose values begin at `data` and end at `size`. `bytes` as in met_stored_tensor. False
 * with diagnostics. */
bool met_safetensors_header(met_safetensors *checkpoint, const char *path, const char *header, size_t length, uint64_t data,
                            uint64_t size, const char *bytes);

/* The array of these bytes of it. NULL with diagnostics. */
met_tensor *met_safetensors_decode(met_session *session, const met_stored_tensor *stored, const char *bytes);

#endif
