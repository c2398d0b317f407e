/* The fast paths of number/encode.h: rounding to nearest, rounding to odd, and f32 operations that flush. */
#include "number/encode.h"

#include <float.h>
#include <math.h>

/* What rounding a double to a narrow dtype in double arithmetic takes. */
typedef struct narrow {
    int drop;          /* mantissa bits of the double that go */
    double min_normal;
    double anchor;     /* 1.5 · 2^52 subnormal gaps: adding it rounds to a multiple of the gap */
    double max;
    bool infinity;
} narrow;

#define GAP_ANCHOR(exponent, mantissa) (1.5 * 0x1p52 * (exponent) / (double)(1 << (mantissa)))

static const narrow narrow_table[MET_DTYPE_COUNT] = {
    [MET_BF16] = {45, 0x1p-126, GAP_ANCHOR(0x1p-126, 7), 0x1.fep127, true},
    [MET_F16] = {42, 0x1p-14, GAP_ANCHOR(0x1p-14, 10), 65504, true},
    [MET_E5M2] = {50, 0x1p-14, GAP_ANCHOR(0x1p-14, 2), 57344, true},
    [MET_E4M3] = {49, 0x1p-6, GAP_ANCHOR(0x1p-6, 3), 448, false},
    [MET_E3M2] = {50, 0x1p-2, GAP_ANCHOR(0x1p-2, 2), 28, false},
    [MET_E2M3] = {49, 1, GAP_ANCHOR(1.0, 3), 7.5, false},
    [MET_E2M1] = {51, 1, GAP_ANCHOR(1.0, 1), 6, false},
};

double met_round_narrow(met_dtype dtype, double value)
{
    const narrow *to = &narrow_table[dtype];
    double magnitude = fabs(value);
    if (to->drop == 0 || magnitude != magnitude) {
        return met_decode(dtype, met_encode(dtype, value, MET_RNE, met_dtype_table[dtype].class == MET_DTYPE_IEEE
                                                                       ? MET_OVERFLOW_INF
                                                                       : MET_OVERFLOW_SATURATE));
    }
    if (magnitude < to->min_normal) {
        magnitude = (magnitude + to->anchor) - to->anchor;
    } else {
        uint64_t bits = met_bits_f64(magnitude);
        uint64_t unit = (uint64_t)1 << to->drop;
        bits += unit / 2 - 1 + (bits >> to->drop & 1);
        magnitude = met_value_f64(bits & ~(unit - 1));
        if (!(magnitude <= to->max)) {
            magnitude = to->infinity ? (double)INFINITY : to->max;
        }
    }
    return copysign(magnitude, value);
}

double met_to_odd(double nearest, double missing)
{
    uint64_t bits = met_bits_f64(nearest);
    if (missing == 0 || !isfinite(nearest) || nearest == 0 || missing != missing) {
        return nearest;
    }
    if ((missing > 0) != (nearest > 0)) {
        bits--; /* the real number lies nearer to zero: cut down to the double below it */
    }
    return met_value_f64(bits | 1);
}

double met_odd_add(double a, double b)
{
    double sum = a + b;
    double b_part = sum - a;
    return met_to_odd(sum, (a - (sum - b_part)) + (b - b_part));
}

double met_odd_fma(double a, double b, double c)
{
    return met_odd_add(a * b, c);
}

double met_odd_divide(double a, double b)
{
    double quotient = a / b;
    double rest = -fma(quotient, b, -a);
    return met_to_odd(quotient, b < 0 ? -rest : rest);
}

static float flushed(float value)
{
    return fabsf(value) < FLT_MIN ? copysignf(0.0f, value) : value;
}

static float flush_input(float value, met_flush flush)
{
    return flush & MET_FLUSH_INPUT ? flushed(value) : value;
}

/* `odd` is the result rounded to odd: a result is tiny if it is once rounded with an exponent that has no end, as x86
 * tells; just below the least normal number, that is not yet the case of one that rounds up to it in steps of 2^-149. */
static float flush_output(float value, double odd, met_flush flush)
{
    bool tiny = fabs(odd) < 0x1p-125 && fabsf((float)(odd * 0x1p64)) < 0x1p-62f;
    return flush & MET_FLUSH_OUTPUT && tiny ? copysignf(0.0f, value) : value;
}

float met_flush_add(float a, float b, met_flush flush)
{
    float sum = flush_input(a, flush) + flush_input(b, flush);
    return flush_output(sum, (double)sum, flush); /* a tiny sum is exact */
}

float met_flush_mul(float a, float b, met_flush flush)
{
    float x = flush_input(a, flush), y = flush_input(b, flush);
    return flush_output(x * y, (double)x * (double)y, flush);
}

float met_flush_fma(float a, float b, float c, met_flush flush)
{
    float x = flush_input(a, flush), y = flush_input(b, flush), z = flush_input(c, flush);
    return flush_output(fmaf(x, y, z), met_odd_fma((double)x, (double)y, (double)z), flush);
}
