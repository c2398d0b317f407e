#include "number/block.h"

#include <math.h>

static double largest_element(met_dtype element)
{
    return met_dtype_limits(element).max;
}

uint64_t met_scale_of(met_dtype element, met_dtype scale, double amax, double above)
{
    met_rounding mode = scale == MET_UE8M0 ? MET_RU : MET_RNE;
    if (!isfinite(amax)) {
        return met_encode(scale, (double)NAN, mode, MET_OVERFLOW_SATURATE);
    }
    /* Both factors have few bits, so their product is exact, and odd rounding makes the one below the only one. */
    double divisor = largest_element(element) * above;
    return met_encode(scale, divisor == 0 ? 0 : met_odd_divide(amax, divisor), mode, MET_OVERFLOW_SATURATE);
}

uint64_t met_code_of(met_dtype element, double x, double scale)
{
    double quotient = scale == 0 || !isfinite(scale) ? 0 : met_odd_divide(x, scale);
    return met_encode(element, quotient, MET_RNE, MET_OVERFLOW_SATURATE);
}

/* A rectangle of a row-major array. */
typedef struct rectangle {
    uint64_t first; /* index of its first value */
    uint64_t rows;
    uint64_t columns;
    uint64_t stride;
} rectangle;

/* Largest magnitude; NaN if any value is not finite, unless those are to be left out. */
static double amax_of(rectangle at, const double *x, bool finite_only)
{
    double amax = 0;
    for (uint64_t r = 0; r < at.rows; r++) {
        for (uint64_t c = 0; c < at.columns; c++) {
            double magnitude = fabs(x[at.first + r * at.stride + c]);
            if (isfinite(magnitude)) {
                amax = magnitude > amax ? magnitude : amax;
            } else if (!finite_only) {
                return (double)NAN;
            }
        }
    }
    return amax;
}

static void quantize_tile(met_dtype element, double scale, rectangle at, const double *x, uint8_t *codes, double *back)
{
    for (uint64_t r = 0; r < at.rows; r++) {
        for (uint64_t c = 0; c < at.columns; c++) {
            uint64_t i = at.first + r * at.stride + c;
            uint64_t code = met_code_of(element, x[i], scale);
            if (codes) {
                codes[i] = (uint8_t)code;
            }
            if (back) {
                back[i] = met_decode(element, code) * scale;
            }
        }
    }
}

uint64_t met_group_quantize(met_dtype element, met_dtype scale, uint64_t count, const double *x, uint8_t *codes,
                            double *back)
{
    rectangle all = {0, 1, count, count};
    uint64_t bits = met_scale_of(element, scale, amax_of(all, x, false), 1);
    quantize_tile(element, met_decode(scale, bits), all, x, codes, back);
    return bits;
}

static rectangle tile_at(const met_tiles *tiles, uint64_t rows, uint64_t width, uint64_t down, uint64_t across)
{
    uint64_t row = down * tiles->rows, column = across * tiles->columns;
    return (rectangle){.first = row * width + column,
                       .rows = rows - row < tiles->rows ? rows - row : tiles->rows,
                       .columns = width - column < tiles->columns ? width - column : tiles->columns,
                       .stride = width};
}

/* The second scale over a row or a whole array. */
static double second_scale(met_format format, rectangle at, const double *x)
{
    double largest_scale = met_dtype_limits((met_dtype)format.scale).max;
    return met_decode(MET_F32, met_scale_of((met_dtype)format.dtype, MET_F32, amax_of(at, x, true), largest_scale));
}

static void keep_scales(const met_quantized *parts, rectangle at, double scale, double second)
{
    for (uint64_t r = 0; r < at.rows; r++) {
        for (uint64_t c = 0; c < at.columns; c++) {
            if (parts->scale_of) {
                parts->scale_of[at.first + r * at.stride + c] = scale;
            }
            if (parts->second_of) {
                parts->second_of[at.first + r * at.stride + c] = second;
            }
        }
    }
}

static void quantize_tiles(met_format format, met_use use, uint64_t rows, uint64_t width, const met_tiles *tiles,
                           const double *x, const met_quantized *parts, double *back)
{
    met_dtype element = (met_dtype)format.dtype, scale = (met_dtype)format.scale;
    bool has_second = met_format_has_second_scale(format);
    double second = 1;
    for (uint64_t down = 0; down < tiles->down; down++) {
        bool new_second = has_second && (down == 0 || use == MET_USE_ACTIVATION);
        if (new_second) {
            uint64_t span = use == MET_USE_ACTIVATION ? 1 : rows;
            second = second_scale(format, (rectangle){down * width, span, width, width}, x);
            if (parts && parts->seconds) {
                parts->seconds[down] = (float)second;
            }
        }
        for (uint64_t across = 0; across < tiles->across; across++) {
            rectangle at = tile_at(tiles, rows, width, down, across);
            uint64_t bits = met_scale_of(element, scale, amax_of(at, x, false), second);
            if (parts && parts->scales) {
                parts->scales[down * tiles->across + across] = (uint32_t)bits;
            }
            if (parts) {
                keep_scales(parts, at, met_decode(scale, bits), second);
            }
            quantize_tile(element, met_decode(scale, bits) * second, at, x, parts ? parts->codes : NULL, back);
        }
    }
}

bool met_quantize(met_format format, met_use use, uint64_t rows, uint64_t width, const double *x,
                  const met_quantized *parts, double *back)
{
    met_tiles tiles;
    if (!met_format_tiles(format, rows, width, &tiles)) {
        return false;
    }
    if (!met_format_is_plain(format)) {
        quantize_tiles(format, use, rows, width, &tiles, x, parts, back);
    } else if (back) {
        for (uint64_t i = 0; i < rows * width; i++) {
            back[i] = met_round((met_dtype)format.dtype, x[i]);
        }
    }
    return true;
}

bool met_dequantize(met_format format, met_use use, uint64_t rows, uint64_t width, const met_quantized *parts,
                    double *back)
{
    met_tiles tiles;
    if (met_format_is_plain(format) || !met_format_tiles(format, rows, width, &tiles)) {
        return false;
    }
    bool has_second = met_format_has_second_scale(format);
    for (uint64_t i = 0; i < rows * width; i++) {
        uint64_t row = i / width, column = i % width;
        uint64_t tile = row / tiles.rows * tiles.across + column / tiles.columns;
        double second = has_second ? (double)parts->seconds[use == MET_USE_ACTIVATION ? row : 0] : 1;
        double scale = met_decode((met_dtype)format.scale, parts->scales[tile]) * second;
        back[i] = met_decode((met_dtype)format.dtype, parts->codes[i]) * scale;
    }
    return true;
}
