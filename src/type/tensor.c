#include "type/tensor.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"

bool met_shape_count(size_t rank, const uint64_t *shape, uint64_t *ret_count)
{
    uint64_t count = 1;
    bool overflow = false;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] == 0) {
            *ret_count = 0;
            return true;
        }
        overflow = overflow || count > UINT64_MAX / shape[i];
        count *= shape[i];
    }
    *ret_count = count;
    return !overflow;
}

met_tensor *met_tensor_new(met_session *session, const char *format, size_t rank, const uint64_t *shape)
{
    const met_span nowhere = { 0, 0, 0 };
    if (rank > MET_RANK_LIMIT) {
        met_diag_add(session, MET_DIAG_input_too_large, nowhere, "an array of %zu axes: more than %d", rank,
                     MET_RANK_LIMIT);
        return NULL;
    }
    uint64_t count;
    if (!met_shape_count(rank, shape, &count) || count > MET_TENSOR_LIMIT) {
        met_diag_add(session, MET_DIAG_input_too_large, nowhere, "an array of more than %zu elements",
                     MET_TENSOR_LIMIT);
        return NULL;
    }
    met_tensor *tensor = MET_NEW(session->arena, met_tensor);
    tensor->format = met_arena_text(session->arena, format, strlen(format));
    tensor->rank = rank;
    tensor->shape = met_arena_copy(session->arena, shape, rank, sizeof *shape);
    tensor->count = (size_t)count;
    tensor->values = MET_NEW_ARRAY(session->arena, double, tensor->count);
    return tensor;
}

double met_tensor_sum(const met_tensor *tensor)
{
    double sum = 0;
    for (size_t i = 0; i < tensor->count; i++)
        sum += tensor->values[i];
    return sum;
}

double met_tensor_norm(const met_tensor *tensor)
{
    double sum = 0;
    for (size_t i = 0; i < tensor->count; i++)
        sum += tensor->values[i] * tensor->values[i];
    return sqrt(sum);
}
