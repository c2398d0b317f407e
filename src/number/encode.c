#include "number/encode.h"

#include <math.h>
#include <string.h>

uint64_t met_bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double met_value_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t met_bits_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float met_value_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The codes of a dtype. A magnitude code counts the values from zero up, so the next value is the next code. */
typedef struct code_space {
    int mantissa;
    int least;         /* exponent of the least normal value; its lowest mantissa bit is worth 2^(least − mantissa) */
    uint64_t sign;     /* the sign bit, or 0 */
    uint64_t max;      /* magnitude code of the largest finite value */
    uint64_t infinity; /* 0: none */
    uint64_t nan;      /* 0: none */
} code_space;

static uint64_t low_bits(int count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static int least_exponent(const met_dtype_info *info)
{
    return 1 - (int)low_bits(info->exponent_bits - 1);
}

static code_space space_of(met_dtype dtype)
{
    const met_dtype_info *info = &met_dtype_table[dtype];
    uint64_t all = low_bits(info->exponent_bits + info->mantissa_bits);
    code_space space = {.mantissa = info->mantissa_bits,
                        .sign = (uint64_t)1 << (info->bits - 1),
                        .max = all};
    switch (info->class) {
    case MET_DTYPE_IEEE:
        space.least = least_exponent(info);
        space.infinity = all & ~low_bits(info->mantissa_bits);
        space.nan = space.infinity | (uint64_t)1 << (info->mantissa_bits - 1);
        space.max = space.infinity - 1;
        break;
    case MET_DTYPE_FINITE_NAN:
        space.least = least_exponent(info);
        space.nan = all;
        space.max = all - 1;
        break;
    case MET_DTYPE_FINITE:
        space.least = least_exponent(info);
        break;
    case MET_DTYPE_POWER:
        space.least = -127; /* code 0, which is no zero */
        space.sign = 0;
        space.nan = all;
        space.max = all - 1;
        break;
    case MET_DTYPE_INTEGER:
        space.least = info->mantissa_bits; /* the unit is 2^0 */
        break;
    }
    return space;
}

static int top_bit(uint64_t word)
{
    int top = -1;
    while (word) {
        word >>= 1;
        top++;
    }
    return top;
}

static bool rounds_up(met_rounding mode, bool negative, bool odd, bool half, bool rest)
{
    switch (mode) {
    case MET_RNE:
        return half && (rest || odd);
    case MET_RD:
        return negative && (half || rest);
    case MET_RU:
        return !negative && (half || rest);
    case MET_RZ:
        break;
    }
    return false;
}

/* Where overflow gives NaN, it has the sign of what overflowed. */
static uint64_t with_sign(const code_space *space, uint64_t code, bool negative)
{
    return negative ? code | space->sign : code;
}

/* significand · 2^exponent in units of 2^unit, rounded. The caller makes sure that the result fits. */
static uint64_t round_to_unit(met_wide value, int unit, met_rounding mode, uint64_t base)
{
    int shift = unit - value.exponent;
    uint64_t kept = value.significand;
    bool half = false, rest = value.sticky;
    if (shift <= 0) {
        kept <<= -shift;
    } else if (shift > 64) {
        rest = rest || kept != 0;
        kept = 0;
    } else {
        half = (kept >> (shift - 1)) & 1;
        rest = rest || (kept & low_bits(shift - 1)) != 0;
        kept = shift == 64 ? 0 : kept >> shift;
    }
    return kept + rounds_up(mode, value.negative, ((base + kept) & 1) != 0, half, rest);
}

/* Magnitude code of a nonzero value, unbounded above: space->max + 1 stands for everything that overflows. */
static uint64_t magnitude_code(const code_space *space, met_wide value, met_rounding mode)
{
    int exponent = value.exponent + top_bit(value.significand);
    int highest = space->least + (int)(space->max >> space->mantissa);
    if (exponent > highest + 1) {
        return space->max + 1;
    }
    int above = exponent > space->least ? exponent - space->least : 0;
    uint64_t base = (uint64_t)above << space->mantissa;
    uint64_t code = base + round_to_unit(value, space->least + above - space->mantissa, mode, base);
    return code > space->max ? space->max + 1 : code;
}

static uint64_t overflow_code(const code_space *space, bool negative, met_rounding mode, met_overflow overflow)
{
    bool inward = mode == MET_RZ || mode == (negative ? MET_RU : MET_RD);
    if (overflow == MET_OVERFLOW_SATURATE || inward) {
        return space->max;
    }
    return space->infinity ? space->infinity : space->nan ? space->nan : space->max;
}

static uint64_t encode_integer(met_dtype dtype, const code_space *space, met_wide value, met_rounding mode)
{
    uint64_t code = 0;
    if (value.significand) {
        int exponent = value.exponent + top_bit(value.significand);
        code = exponent > space->mantissa ? space->max + 1 : round_to_unit(value, 0, mode, 0);
    }
    if (code > space->max) {
        code = value.negative ? space->max + 1 : space->max;
    }
    return (value.negative ? 0 - code : code) & low_bits(met_dtype_table[dtype].bits);
}

/* The code of 2^e is e + 127, which is 1 more than the bits above the significand, whose top bit stands for the 1. */
static uint64_t encode_power(const code_space *space, met_wide value, met_rounding mode, met_overflow overflow)
{
    int exponent = value.significand ? value.exponent + top_bit(value.significand) : -128;
    if (value.negative && value.significand) {
        return space->nan;
    }
    if (exponent < -127) {
        return 0;
    }
    if (exponent > 127) {
        return overflow_code(space, false, mode, overflow);
    }
    uint64_t base = (uint64_t)(exponent + 127) - 1;
    uint64_t code = base + round_to_unit(value, exponent, mode, base);
    return code > space->max ? overflow_code(space, false, mode, overflow) : code;
}

uint64_t met_encode_wide(met_dtype dtype, met_wide value, met_rounding mode, met_overflow overflow)
{
    code_space space = space_of(dtype);
    met_dtype_class class = met_dtype_table[dtype].class;
    if (class == MET_DTYPE_INTEGER) {
        return encode_integer(dtype, &space, value, mode);
    }
    if (class == MET_DTYPE_POWER) {
        return encode_power(&space, value, mode, overflow);
    }
    uint64_t code = value.significand ? magnitude_code(&space, value, mode) : 0;
    if (code > space.max) {
        code = overflow_code(&space, value.negative, mode, overflow);
    }
    return with_sign(&space, code, value.negative);
}

static uint64_t encode_nan(met_dtype dtype, const code_space *space)
{
    if (met_dtype_table[dtype].class == MET_DTYPE_INTEGER) {
        return 0;
    }
    return space->nan ? space->nan : space->max;
}

static uint64_t encode_infinity(met_dtype dtype, const code_space *space, bool negative, met_overflow overflow)
{
    if (met_dtype_table[dtype].class == MET_DTYPE_INTEGER) {
        return negative ? space->max + 1 : space->max;
    }
    if (negative && met_dtype_table[dtype].class == MET_DTYPE_POWER) {
        return space->nan;
    }
    uint64_t code = overflow_code(space, negative, negative ? MET_RD : MET_RU, overflow);
    return with_sign(space, code, negative);
}

uint64_t met_encode(met_dtype dtype, double value, met_rounding mode, met_overflow overflow)
{
    code_space space = space_of(dtype);
    if (isnan(value)) {
        return encode_nan(dtype, &space);
    }
    if (isinf(value)) {
        return encode_infinity(dtype, &space, signbit(value), overflow);
    }
    uint64_t bits = met_bits_f64(value);
    int biased = (int)(bits >> 52 & 0x7ff);
    met_wide wide = {.negative = bits >> 63 != 0,
                     .significand = (bits & low_bits(52)) | (biased ? (uint64_t)1 << 52 : 0),
                     .exponent = (biased ? biased : 1) - 1075};
    return met_encode_wide(dtype, wide, mode, overflow);
}

double met_decode(met_dtype dtype, uint64_t bits)
{
    code_space space = space_of(dtype);
    const met_dtype_info *info = &met_dtype_table[dtype];
    bits &= low_bits(info->bits);
    if (info->class == MET_DTYPE_INTEGER) {
        return bits & space.sign ? -(double)(low_bits(info->bits) - bits + 1) : (double)bits;
    }
    uint64_t code = bits & ~space.sign;
    double value;
    if (info->class == MET_DTYPE_POWER) {
        value = code == space.nan ? (double)NAN : ldexp(1.0, (int)code - 127);
    } else if (code > space.max) {
        value = code == space.infinity ? (double)INFINITY : (double)NAN;
    } else {
        int biased = (int)(code >> space.mantissa);
        uint64_t hidden = biased ? (uint64_t)1 << space.mantissa : 0;
        value = ldexp((double)((code & low_bits(space.mantissa)) | hidden),
                      space.least - space.mantissa + (biased ? biased - 1 : 0));
    }
    return bits & space.sign ? -value : value;
}

met_limits met_dtype_limits(met_dtype dtype)
{
    code_space space = space_of(dtype);
    met_dtype_class class = met_dtype_table[dtype].class;
    met_limits limits = {.max = met_decode(dtype, space.max)};
    if (class == MET_DTYPE_INTEGER) {
        limits.min_normal = limits.min_subnormal = limits.epsilon = 1;
    } else if (class == MET_DTYPE_POWER) {
        limits.min_normal = limits.min_subnormal = met_decode(dtype, 0);
        limits.epsilon = 1;
    } else {
        limits.min_normal = ldexp(1.0, space.least);
        limits.min_subnormal = ldexp(1.0, space.least - space.mantissa);
        limits.epsilon = ldexp(1.0, -space.mantissa);
    }
    limits.unit_roundoff = limits.epsilon / 2;
    return limits;
}

uint64_t met_dtype_count(met_dtype dtype)
{
    code_space space = space_of(dtype);
    switch (met_dtype_table[dtype].class) {
    case MET_DTYPE_POWER:
        return space.max + 1;
    case MET_DTYPE_INTEGER:
        return 2 * (space.max + 1);
    default:
        return 2 * space.max + 1;
    }
}

double met_ulp(met_dtype dtype, double value)
{
    code_space space = space_of(dtype);
    if (!isfinite(value)) {
        return (double)NAN;
    }
    if (met_dtype_table[dtype].class == MET_DTYPE_INTEGER) {
        return 1;
    }
    int exponent = value == 0 ? space.least : ilogb(value);
    return ldexp(1.0, (exponent < space.least ? space.least : exponent) - space.mantissa);
}

uint64_t met_distance(met_dtype dtype, uint64_t a, uint64_t b)
{
    code_space space = space_of(dtype);
    double value_a = met_decode(dtype, a), value_b = met_decode(dtype, b);
    if (isnan(value_a) || isnan(value_b)) {
        return UINT64_MAX;
    }
    if (met_dtype_table[dtype].class == MET_DTYPE_INTEGER) {
        return (uint64_t)fabs(value_a - value_b);
    }
    uint64_t all = low_bits(met_dtype_table[dtype].bits);
    uint64_t code_a = a & all & ~space.sign, code_b = b & all & ~space.sign;
    if ((a & space.sign) != (b & space.sign)) {
        return code_a + code_b;
    }
    return code_a > code_b ? code_a - code_b : code_b - code_a;
}

uint64_t met_countable(met_dtype dtype)
{
    code_space space = space_of(dtype);
    if (met_dtype_table[dtype].class == MET_DTYPE_INTEGER) {
        return space.max;
    }
    return (uint64_t)1 << (space.mantissa + 1);
}
