/* The values of one tensor of a checkpoint. */
#include <math.h>
#include <string.h>

#include "host/safetensors_parts.h"

/* Beyond this, doubles skip integers. */
static const uint64_t exact_integers = (uint64_t)1 << 53;

static uint64_t bits_at(const char *at, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++)
        bits |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return bits;
}

/* Signed, and unsigned of `bytes` bytes. False where a double cannot have it. */
static bool integer_of(const met_stored_dtype *dtype, uint64_t bits, double *ret)
{
    uint64_t sign = (uint64_t)1 << (8 * dtype->bytes - 1);
    bool negative = dtype->kind == 'i' && (bits & sign) != 0;
    uint64_t magnitude = negative ? sign - (bits & (sign - 1)) : bits;
    *ret = negative ? -(double)magnitude : (double)magnitude;
    return magnitude <= exact_integers;
}

static bool value_of(const met_stored_dtype *dtype, uint64_t bits, double *ret)
{
    if (dtype->kind == 'f') {
        *ret = met_decode(dtype->dtype, bits);
        return true;
    }
    if (dtype->kind == 'b' && bits > 1)
        return false;
    return integer_of(dtype, bits, ret);
}

static const char *format_of(const met_tensor *tensor)
{
    for (size_t i = 0; i < tensor->count; i++)
        if (!(tensor->values[i] >= -0x1p31 && tensor->values[i] < 0x1p31))
            return "f64";
    return "i32";
}

met_tensor *met_safetensors_decode(met_session *session, const met_stored_tensor *stored, const char *bytes)
{
    const met_stored_dtype *dtype = met_stored_dtype_find(met_str_of(stored->dtype));
    met_tensor *tensor = met_tensor_new(session, dtype->format ? dtype->format : "f64", stored->rank, stored->shape);
    if (!tensor)
        return NULL;
    for (size_t i = 0; i < tensor->count; i++) {
        if (value_of(dtype, bits_at(bytes + i * dtype->bytes, dtype->bytes), &tensor->values[i]))
            continue;
        met_safetensors_fail(session, stored->path, "element %zu of `%.100s` is %s", i, stored->name,
                             dtype->kind == 'b' ? "neither true nor false" : "beyond 2^53, where doubles skip integers");
        return NULL;
    }
    if (!dtype->format)
        tensor->format = format_of(tensor);
    return tensor;
}
