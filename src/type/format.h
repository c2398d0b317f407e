/* Formats: how the values of an array are stored. A format is a dtype plus the granularity of its scales, and for block
 * formats the dtype of the scales: `f32`, `bf16`, `i8/g32`, `fp8/tensor`, `fp8/token`, `fp8/g128`, `fp8/block128x128`,
 * `nvfp4/g16`, `mxfp4/g32`, `mxfp8/g32`. This header knows names and sizes; src/number knows the bits. */
#ifndef MET_TYPE_FORMAT_H
#define MET_TYPE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

typedef enum met_dtype {
#define MET_DTYPE(name, spelling, class, exponent, mantissa, bits) MET_##name,
#include "type/dtype.def"
#undef MET_DTYPE
    MET_DTYPE_COUNT
} met_dtype;

typedef enum met_dtype_class {
    MET_DTYPE_IEEE,
    MET_DTYPE_FINITE_NAN,
    MET_DTYPE_FINITE,
    MET_DTYPE_POWER,
    MET_DTYPE_INTEGER
} met_dtype_class;

typedef struct met_dtype_info {
    const char *spelling;
    met_dtype_class class;
    int exponent_bits;
    int mantissa_bits; /* without the hidden bit */
    int bits;
} met_dtype_info;

extern const met_dtype_info met_dtype_table[MET_DTYPE_COUNT];

typedef enum met_granularity {
    MET_SCALE_NONE,   /* plain values */
    MET_SCALE_TENSOR, /* one scale */
    MET_SCALE_TOKEN,  /* one a row (all but the last axis) */
    MET_SCALE_GROUP,  /* one per `columns` values along the last axis */
    MET_SCALE_BLOCK   /* one per `rows` x `columns` block of the last two axes */
} met_granularity;

typedef struct met_format {
    uint8_t dtype;       /* met_dtype of the elements */
    uint8_t granularity; /* met_granularity */
    uint8_t scale;       /* met_dtype of the scales: F32, UE8M0 (mx formats) or E4M3 (nvfp4, which has a second f32 scale) */
    uint8_t family;      /* index into the table of format families that gave the name; 0 for plain formats */
    uint16_t rows;
    uint16_t columns;
} met_format;

/* A weight and an activation of one format may keep a different number of second scales (nvfp4). */
typedef enum met_use { MET_USE_ACTIVATION, MET_USE_WEIGHT } met_use;

met_format met_format_of(met_dtype dtype); /* plain */
bool met_format_equal(met_format a, met_format b);
bool met_format_is_plain(met_format format);
bool met_format_is_float(met_format format); /* plain and not an integer */
/* Reads a whole spelling; false if there is no such format (unknown dtype, a granularity the family does not take,
 * a group of 0 or beyond 65535). */
bool met_format_parse(met_str text, met_format *ret_format);
void met_format_print(met_text *out, met_format format);
/* All dtype and format family spellings, for diagnostics: "f64, f32, …, fp8/tensor, fp8/gN, …". */
const char *met_format_spellings(void);

/* nvfp4 keeps f32 scales above the scales of its groups: one a row (activations) or one in all (weights). */
bool met_format_has_second_scale(met_format format);

/* How the scales cut a rows × width array: tiles of rows × columns values, `down` rows of `across` of them, ragged ones
 * at the bottom and the right counted whole. A plain format is one tile. False if a group does not divide the width. */
typedef struct met_tiles {
    uint64_t rows;
    uint64_t columns;
    uint64_t down;
    uint64_t across;
} met_tiles;

bool met_format_tiles(met_format format, uint64_t rows, uint64_t width, met_tiles *ret_tiles);

/* Stored bytes of a rows × width array, scales included (rules: docs/formats/number-formats.md). False if a group does
 * not divide the width, or on overflow. rows or width of 0 give 0 bytes. */
bool met_format_bytes(met_format format, met_use use, uint64_t rows, uint64_t width, uint64_t *ret_bytes);

#endif
