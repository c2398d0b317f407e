#include "type/format.h"

#include <string.h>

#define NO_SECOND 0
#define SECOND 1
#define MASK(granularity) (1u << (granularity))
#define ANY_SCALE (MASK(MET_SCALE_TENSOR) | MASK(MET_SCALE_TOKEN) | MASK(MET_SCALE_GROUP) | MASK(MET_SCALE_BLOCK))

typedef struct family {
    const char *spelling; /* before the slash; NULL: the spelling of the dtype */
    met_dtype dtype;
    met_dtype scale;
    unsigned granularities; /* mask of what may follow the slash */
    uint16_t group;         /* the one group it takes, or 0 for any */
    int second;             /* further f32 scales: one a row (activations) or one in all (weights) */
} family;

static const family families[] = {
    {NULL, MET_F32, MET_F32, MASK(MET_SCALE_NONE), 0, NO_SECOND},
    {"i8", MET_I8, MET_F32, ANY_SCALE, 0, NO_SECOND},
    {"fp8", MET_E4M3, MET_F32, ANY_SCALE, 0, NO_SECOND},
    {"nvfp4", MET_E2M1, MET_E4M3, MASK(MET_SCALE_GROUP), 16, SECOND},
    {"mxfp4", MET_E2M1, MET_UE8M0, MASK(MET_SCALE_GROUP), 32, NO_SECOND},
    {"mxfp8", MET_E4M3, MET_UE8M0, MASK(MET_SCALE_GROUP), 32, NO_SECOND},
};

#define FAMILY_COUNT (sizeof families / sizeof families[0])

const char *met_format_spellings(void)
{
    return "f64, f32, bf16, f16, e5m2, e4m3, e3m2, e2m3, e2m1, ue8m0, i32, i8, "
           "i8/tensor, i8/token, i8/gN, i8/blockRxC, fp8/tensor, fp8/token, fp8/gN, fp8/blockRxC, "
           "nvfp4/g16, mxfp4/g32, mxfp8/g32";
}

met_format met_format_of(met_dtype dtype)
{
    return (met_format){.dtype = (uint8_t)dtype, .granularity = MET_SCALE_NONE, .scale = MET_F32};
}

bool met_format_equal(met_format a, met_format b)
{
    return a.dtype == b.dtype && a.granularity == b.granularity && a.scale == b.scale && a.family == b.family &&
           a.rows == b.rows && a.columns == b.columns;
}

bool met_format_is_plain(met_format format)
{
    return format.granularity == MET_SCALE_NONE;
}

bool met_format_is_float(met_format format)
{
    return met_format_is_plain(format) && met_dtype_table[format.dtype].class != MET_DTYPE_INTEGER;
}

bool met_format_has_second_scale(met_format format)
{
    return families[format.family].second == SECOND;
}

/* Takes `word` off the front of the text. */
static bool take_word(met_str *text, const char *word)
{
    size_t length = strlen(word);
    if (text->length < length || memcmp(text->at, word, length) != 0) {
        return false;
    }
    text->at += length;
    text->length -= length;
    return true;
}

/* Takes a number in [1, 65535] without leading zeros off the front of the text. */
static bool take_size(met_str *text, uint16_t *ret_size)
{
    uint32_t size = 0;
    size_t used = 0;
    while (used < text->length && text->at[used] >= '0' && text->at[used] <= '9') {
        size = size * 10 + (uint32_t)(text->at[used++] - '0');
        if (size == 0 || size > UINT16_MAX) {
            return false;
        }
    }
    if (used == 0) {
        return false;
    }
    text->at += used;
    text->length -= used;
    *ret_size = (uint16_t)size;
    return true;
}

static bool take_granularity(met_str *text, met_format *format)
{
    if (take_word(text, "tensor")) {
        format->granularity = MET_SCALE_TENSOR;
    } else if (take_word(text, "token")) {
        format->granularity = MET_SCALE_TOKEN;
    } else if (take_word(text, "g")) {
        format->granularity = MET_SCALE_GROUP;
        return take_size(text, &format->columns);
    } else if (take_word(text, "block")) {
        format->granularity = MET_SCALE_BLOCK;
        return take_size(text, &format->rows) && take_word(text, "x") && take_size(text, &format->columns);
    } else {
        return false;
    }
    return true;
}

static bool parse_scaled(met_str text, uint8_t index, met_format *ret_format)
{
    const family *from = &families[index];
    met_format format = {.dtype = (uint8_t)from->dtype, .scale = (uint8_t)from->scale, .family = index};
    if (!take_word(&text, from->spelling) || !take_word(&text, "/") || !take_granularity(&text, &format) ||
        text.length != 0) {
        return false;
    }
    if (!(from->granularities & MASK(format.granularity)) || (from->group && format.columns != from->group)) {
        return false;
    }
    *ret_format = format;
    return true;
}

bool met_format_parse(met_str text, met_format *ret_format)
{
    for (int dtype = 0; dtype < MET_DTYPE_COUNT; dtype++) {
        if (met_str_is(text, met_dtype_table[dtype].spelling)) {
            *ret_format = met_format_of((met_dtype)dtype);
            return true;
        }
    }
    for (uint8_t i = 1; i < FAMILY_COUNT; i++) {
        if (parse_scaled(text, i, ret_format)) {
            return true;
        }
    }
    return false;
}

void met_format_print(met_text *out, met_format format)
{
    switch ((met_granularity)format.granularity) {
    case MET_SCALE_NONE:
        met_text_put(out, met_dtype_table[format.dtype].spelling);
        break;
    case MET_SCALE_TENSOR:
        met_text_format(out, "%s/tensor", families[format.family].spelling);
        break;
    case MET_SCALE_TOKEN:
        met_text_format(out, "%s/token", families[format.family].spelling);
        break;
    case MET_SCALE_GROUP:
        met_text_format(out, "%s/g%u", families[format.family].spelling, (unsigned)format.columns);
        break;
    case MET_SCALE_BLOCK:
        met_text_format(out, "%s/block%ux%u", families[format.family].spelling, (unsigned)format.rows,
                        (unsigned)format.columns);
        break;
    }
}

bool met_format_tiles(met_format format, uint64_t rows, uint64_t width, met_tiles *ret_tiles)
{
    met_tiles tiles = {.rows = rows, .columns = width};
    if (format.granularity == MET_SCALE_TOKEN || format.granularity == MET_SCALE_GROUP) {
        tiles.rows = 1;
    } else if (format.granularity == MET_SCALE_BLOCK) {
        tiles.rows = format.rows;
    }
    if (format.granularity == MET_SCALE_GROUP || format.granularity == MET_SCALE_BLOCK) {
        tiles.columns = format.columns;
    }
    if (format.granularity == MET_SCALE_GROUP && width % format.columns != 0) {
        return false;
    }
    if (rows > 0 && width > 0) {
        tiles.down = (rows - 1) / tiles.rows + 1;
        tiles.across = (width - 1) / tiles.columns + 1;
    }
    *ret_tiles = tiles;
    return true;
}

static bool multiply(uint64_t a, uint64_t b, uint64_t *ret_product)
{
    if (b != 0 && a > UINT64_MAX / b) {
        return false;
    }
    *ret_product = a * b;
    return true;
}

static bool add(uint64_t a, uint64_t b, uint64_t *ret_sum)
{
    *ret_sum = a + b;
    return *ret_sum >= a;
}

/* Bytes of `count` values of a dtype packed without gaps. Eight values fill a whole number of bytes. */
static bool packed_bytes(uint64_t count, met_dtype dtype, uint64_t *ret_bytes)
{
    uint64_t bits = (uint64_t)met_dtype_table[dtype].bits;
    return multiply(count / 8, bits, ret_bytes) && add(*ret_bytes, (count % 8 * bits + 7) / 8, ret_bytes);
}

bool met_format_bytes(met_format format, met_use use, uint64_t rows, uint64_t width, uint64_t *ret_bytes)
{
    met_tiles tiles;
    uint64_t count, bytes, scales;
    if (!met_format_tiles(format, rows, width, &tiles) || !multiply(rows, width, &count) ||
        !packed_bytes(count, (met_dtype)format.dtype, &bytes)) {
        return false;
    }
    if (format.granularity != MET_SCALE_NONE && count > 0) {
        if (!multiply(tiles.down, tiles.across, &scales) ||
            !packed_bytes(scales, (met_dtype)format.scale, &scales) || !add(bytes, scales, &bytes)) {
            return false;
        }
        uint64_t seconds = met_format_has_second_scale(format) ? (use == MET_USE_WEIGHT ? 1 : rows) : 0;
        if (!packed_bytes(seconds, MET_F32, &scales) || !add(bytes, scales, &bytes)) {
            return false;
        }
    }
    *ret_bytes = bytes;
    return true;
}
