#include "met/npy.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "export/npy_header.h"
#include "number/encode.h"
#include "type/tensor.h"

/* Beyond this, doubles skip integers. */
static const uint64_t exact_integers = (uint64_t)1 << 53;

static uint64_t bits_at(const unsigned char *at, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[big_endian ? size - 1 - i : i] << (8 * i);
    return bits;
}

static double float_of(uint64_t bits, size_t size)
{
    if (size == 8) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (size == 4) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        return (double)f;
    }
    return met_decode(MET_F16, bits);
}

/* The magnitude of a signed integer, without leaving unsigned arithmetic. */
static uint64_t magnitude_of(uint64_t bits, size_t size, bool *ret_negative)
{
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    *ret_negative = (bits & sign) != 0;
    return *ret_negative ? sign - (bits & (sign - 1)) : bits;
}

/* What is wrong with an element, or NULL. */
static const char *value_of(const met_npy_header *header, const unsigned char *at, double *ret_value)
{
    uint64_t bits = bits_at(at, header->size, header->big_endian);
    bool negative = false;
    switch (header->kind) {
    case 'f':
        *ret_value = float_of(bits, header->size);
        return NULL;
    case 'i':
        bits = magnitude_of(bits, header->size, &negative);
        *ret_value = negative ? -(double)bits : (double)bits;
        return bits > exact_integers ? "the integer is beyond 2^53, where doubles skip some" : NULL;
    case 'b':
        *ret_value = (double)bits;
        return bits > 1 ? "a truth value is neither 0 nor 1" : NULL;
    default:
        *ret_value = (double)bits;
        return NULL;
    }
}

/* The row-major position of the i-th element of the file: one step of a counter whose first digit runs fastest. */
typedef struct fortran {
    uint64_t digits[MET_RANK_LIMIT];
    size_t position;
} fortran;

static void fortran_step(fortran *f, const met_npy_header *header, const uint64_t *strides)
{
    for (size_t i = 0; i < header->rank; i++) {
        f->position += (size_t)strides[i];
        if (++f->digits[i] < header->shape[i])
            return;
        f->position -= (size_t)(strides[i] * header->shape[i]);
        f->digits[i] = 0;
    }
}

static bool read_values(met_session *session, const char *name, const met_npy_header *header,
                        const unsigned char *bytes, met_tensor *tensor)
{
    uint64_t strides[MET_RANK_LIMIT];
    uint64_t stride = 1;
    for (size_t i = header->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= header->shape[i];
    }
    fortran f = { { 0 }, 0 };
    for (size_t i = 0; i < tensor->count; i++) {
        size_t offset = header->data + i * header->size;
        size_t position = header->fortran ? f.position : i;
        const char *wrong = value_of(header, bytes + offset, &tensor->values[position]);
        if (wrong) {
            met_npy_error(session, name, offset, "%s", wrong);
            return false;
        }
        if (header->fortran)
            fortran_step(&f, header, strides);
    }
    return true;
}

static bool fits_i32(double value)
{
    return value >= -2147483648.0 && value <= 2147483647.0 && value == floor(value);
}

static const char *format_of(const met_npy_header *header, const met_tensor *tensor)
{
    if (header->kind == 'f')
        return header->size == 8 ? "f64" : header->size == 4 ? "f32" : "f16";
    if (header->kind == 'i' && header->size == 1)
        return "i8";
    for (size_t i = 0; i < tensor->count; i++)
        if (!fits_i32(tensor->values[i]))
            return "f64";
    return "i32";
}

met_tensor *met_npy_read(met_session *session, const char *name, const char *bytes, size_t length)
{
    met_npy_header header;
    if (!met_npy_read_header(session, name, (met_str){ bytes, length }, &header))
        return NULL;
    met_tensor *tensor = met_tensor_new(session, "", header.rank, header.shape);
    if (!tensor || !read_values(session, name, &header, (const unsigned char *)bytes, tensor))
        return NULL;
    tensor->format = format_of(&header, tensor);
    return tensor;
}

typedef enum element { F8, F4, F2, I4 } element;

static bool is_exact(element e, double value)
{
    if (e == I4)
        return fits_i32(value);
    if (e == F8 || isnan(value) || isinf(value))
        return true;
    if (fabs(value) > 3.4028234663852886e38) /* the largest f32: converting beyond it is undefined */
        return false;
    return (double)(float)value == value && (e == F4 || met_round(MET_F16, value) == value);
}

static element element_of(const met_tensor *tensor)
{
    element e = F4;
    if (strcmp(tensor->format, "f64") == 0)
        e = F8;
    else if (strcmp(tensor->format, "f16") == 0)
        e = F2;
    else if (strcmp(tensor->format, "i32") == 0)
        e = I4;
    for (size_t i = 0; i < tensor->count; i++)
        if (!is_exact(e, tensor->values[i]))
            return F8;
    return e;
}

static uint64_t bits_of(element e, double value)
{
    if (e == F2)
        return met_encode(MET_F16, value, MET_RNE, MET_OVERFLOW_INF);
    if (e == I4)
        return (uint32_t)(int32_t)value;
    uint64_t bits = 0;
    if (e == F8) {
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    float f = (float)value;
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    return low;
}

static void put_header(met_text *out, const met_tensor *tensor, const char *descr)
{
    enum { PREFIX = 10, ALIGNMENT = 64 };
    met_text dict = met_text_new(out->arena);
    met_text_format(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < tensor->rank; i++)
        met_text_format(&dict, i ? ", %llu" : "%llu", (unsigned long long)tensor->shape[i]);
    met_text_put(&dict, tensor->rank == 1 ? ",), }" : "), }");
    while ((PREFIX + dict.length + 1) % ALIGNMENT != 0)
        met_text_char(&dict, ' ');
    met_text_char(&dict, '\n');
    met_text_bytes(out, "\x93NUMPY\x01\x00", 8);
    met_text_char(out, (char)(dict.length & 0xFF));
    met_text_char(out, (char)(dict.length >> 8));
    met_text_bytes(out, dict.at, dict.length);
}

const char *met_npy_write(met_session *session, const met_tensor *tensor, size_t *ret_length)
{
    static const char *const descr[] = { "<f8", "<f4", "<f2", "<i4" };
    static const size_t sizes[] = { 8, 4, 2, 4 };
    element e = element_of(tensor);
    met_text header = met_text_new(session->arena);
    put_header(&header, tensor, descr[e]);
    size_t length = header.length + tensor->count * sizes[e];
    unsigned char *bytes = met_arena_alloc(session->arena, length + 1, 1);
    memcpy(bytes, header.at, header.length);
    unsigned char *at = bytes + header.length;
    for (size_t i = 0; i < tensor->count; i++) {
        uint64_t bits = bits_of(e, tensor->values[i]);
        for (size_t b = 0; b < sizes[e]; b++)
            *at++ = (unsigned char)(bits >> (8 * b));
    }
    *ret_length = length;
    return (const char *)bytes;
}
