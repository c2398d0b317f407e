/* Formats with scales: quantising and dequantising, one group or a whole array. The rules are in
 * docs/formats/number-formats.md.
 *
 * A value decodes to code · scale, which is exact in double. A group that holds an infinity or a NaN has a NaN for its
 * scale and zeros for codes: all of it decodes to NaN, and nothing outside of it changes. */
#ifndef MET_NUMBER_BLOCK_H
#define MET_NUMBER_BLOCK_H

#include "number/encode.h"

/* The scale of a group whose largest magnitude is `amax`, as bits of the dtype `scale`: amax / (largest element · above),
 * one rounding of the exact quotient, saturating: up to a power of two for ue8m0, to nearest even for others. `above` is
 * the second scale that the group's scale stands under, or 1. An amax that is not finite gives NaN, an `above` of 0 gives
 * the least scale. */
uint64_t met_scale_of(met_dtype element, met_dtype scale, double amax, double above);

/* Code of x under a scale: x / scale, one rounding of the exact quotient to nearest even, saturating. 0 if the scale is
 * zero or not finite. */
uint64_t met_code_of(met_dtype element, double x, double scale);

/* Quantises one group. `codes` and `back` (code · scale) may be NULL. Returns the scale's bits. */
uint64_t met_group_quantize(met_dtype element, met_dtype scale, uint64_t count, const double *x, uint8_t *codes,
                            double *back);

/* The parts of a stored array in a format with scales; any may be NULL where a caller does not want it. */
typedef struct met_quantized {
    uint8_t *codes;    /* one a value, row-major (not packed) */
    uint32_t *scales;  /* bits; tile by tile, row-major (met_format_tiles) */
    float *seconds;    /* nvfp4: one a row (activations) or one in all (weights) */
    /* For those who fold codes, value by value, row-major; met_dequantize does not read them. */
    double *scale_of;  /* the scale that it stands under … */
    double *second_of; /* … and the one above that; 1 where there is none */
} met_quantized;

/* Quantises a rows × width array. Plain formats round each value (met_round) and have no parts. `parts` and `back` may be
 * NULL; back may be x. False if a group does not divide the width. */
bool met_quantize(met_format format, met_use use, uint64_t rows, uint64_t width, const double *x,
                  const met_quantized *parts, double *back);
/* The values of the parts of a format with scales. False as above, or for a plain format. */
bool met_dequantize(met_format format, met_use use, uint64_t rows, uint64_t width, const met_quantized *parts,
                    double *back);

#endif
