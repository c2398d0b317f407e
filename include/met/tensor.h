/* Arrays of numbers, for inputs and results. Elements are held as doubles: every format met knows fits exactly. */
#ifndef MET_TENSOR_H
#define MET_TENSOR_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MET_RANK_LIMIT 32

typedef struct met_tensor {
    const char *format; /* spelling, such as "f32" */
    size_t rank;        /* up to MET_RANK_LIMIT */
    const uint64_t *shape;
    size_t count; /* product of the shape */
    double *values; /* row-major */
} met_tensor;

/* A zero tensor that lives as long as the session, or NULL with a diagnostic if the shape is too large for memory
 * (MET_TENSOR_LIMIT elements) or the rank too high. Copies format and shape. */
#define MET_TENSOR_LIMIT ((size_t)1 << 28)
met_tensor *met_tensor_new(met_session *session, const char *format, size_t rank, const uint64_t *shape);

/* Of the values in their order, added up in double: what is told of an array that is too long to be shown. */
double met_tensor_sum(const met_tensor *tensor);
double met_tensor_norm(const met_tensor *tensor); /* Euclidean */

#ifdef __cplusplus
}
#endif
#endif
