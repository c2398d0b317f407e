/* Checkpoints in the safetensors format (docs/formats/safetensors.md): what tensors a file has, and single ones as arrays. Headers
 * are read and checked as a whole; values are read when they are asked for. Mistakes are diagnostics `checkpoint`. */
#ifndef MET_HOST_SAFETENSORS_H
#define MET_HOST_SAFETENSORS_H

#include "met/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longer headers are refused. */
#define MET_SAFETENSORS_HEADER ((uint64_t)32 << 20)

typedef struct met_safetensors met_safetensors;

typedef struct met_stored_tensor {
    const char *name;
    const char *dtype; /* as the file spells it: "BF16" */
    size_t rank;
    const uint64_t *shape;
    uint64_t count;       /* product of the shape */
    const char *path;     /* of its file */
    uint64_t begin, end;  /* its bytes in that file */
    const char *bytes;    /* all of that file, if it is in memory; else NULL */
} met_stored_tensor;

/* A file, an index of several (*.json, such as model.safetensors.index.json), or a folder that has one of these under its usual
 * name. NULL with diagnostics. */
const met_safetensors *met_safetensors_open(met_session *session, const char *path);
/* A file that is in memory and stays there. */
const met_safetensors *met_safetensors_parse(met_session *session, const char *name, const char *bytes, size_t length);

/* In the order of names. */
const met_stored_tensor *met_safetensors_list(const met_safetensors *checkpoint, size_t *ret_count);
/* NULL if there is none. */
const met_stored_tensor *met_safetensors_find(const met_safetensors *checkpoint, const char *name);

/* Its values, in a format that has them all: f64, f32, f16, bf16, e4m3, e5m2, i8, i32, or f64 for integers beyond 32 bits, of
 * which those beyond 2^53 are refused. NULL with diagnostics. */
met_tensor *met_safetensors_load(met_session *session, const met_stored_tensor *stored);

#ifdef __cplusplus
}
#endif
#endif
