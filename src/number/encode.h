/* Encodings: doubles to the bits of any dtype and back, with one rounding, whatever the dtype.
 *
 * Values are held as doubles, into which every dtype fits exactly; bits are the low bits of a uint64_t. The formats are
 * those of IEEE 754-2019, OCP OFP8 1.0 and OCP Microscaling 1.0 (type/dtype.def). Nothing here reads or sets the
 * floating-point environment: arithmetic assumes that it rounds to nearest even and keeps subnormals, as C starts. */
#ifndef MET_NUMBER_ENCODE_H
#define MET_NUMBER_ENCODE_H

#include "type/format.h"

typedef enum met_rounding {
    MET_RNE, /* to nearest, ties to the even code */
    MET_RZ,  /* toward zero */
    MET_RD,  /* down */
    MET_RU   /* up */
} met_rounding;

/* What becomes of a magnitude that rounds beyond the largest finite one. */
typedef enum met_overflow {
    MET_OVERFLOW_INF, /* infinity; NaN where there is no infinity; the largest value where there is no NaN either */
    MET_OVERFLOW_SATURATE
} met_overflow;

/* Rounds to the dtype. Infinities overflow. Under MET_OVERFLOW_INF the directed modes stop at the largest finite value
 * where IEEE 754 does. A NaN becomes the positive quiet NaN; the largest value in a dtype without NaN; 0 in an integer.
 * Integers always saturate. ue8m0 has no sign and no zero: negative values become NaN, those below 2^-127 become it. */
uint64_t met_encode(met_dtype dtype, double value, met_rounding mode, met_overflow overflow);

/* A magnitude in pieces: significand · 2^exponent, and a little more (less than one unit of the significand) if
 * `sticky`. What exact sums and quotients hand to the one rounding. A sticky significand is at least 2^54, unless the
 * rest lies below half the least subnormal of the dtype. */
typedef struct met_wide {
    bool negative;
    bool sticky;
    uint64_t significand;
    int exponent;
} met_wide;

uint64_t met_encode_wide(met_dtype dtype, met_wide value, met_rounding mode, met_overflow overflow);

/* Bits above those of the dtype are ignored. */
double met_decode(met_dtype dtype, uint64_t bits);

typedef struct met_limits {
    double max; /* largest finite */
    double min_normal;
    double min_subnormal;
    double epsilon;       /* gap above 1 */
    double unit_roundoff; /* half of it */
} met_limits;

/* ue8m0 and the integers have no subnormals: their least positive value stands in both places. */
met_limits met_dtype_limits(met_dtype dtype);
/* Distinct finite values, +0 and -0 counted once. */
uint64_t met_dtype_count(met_dtype dtype);
/* Gap between the values around `value`: 2^(exponent − mantissa bits), never below the least subnormal; NaN for a
 * value that is not finite. */
double met_ulp(met_dtype dtype, double value);
/* Steps from one value to the next between two patterns, through zero; both zeros are one value. UINT64_MAX if either is
 * NaN. Infinity is one step beyond the largest value. */
uint64_t met_distance(met_dtype dtype, uint64_t a, uint64_t b);
/* The largest n up to which counting by ones is exact: 2^p with p significand bits; the largest value of an integer. */
uint64_t met_countable(met_dtype dtype);

double met_round_narrow(met_dtype dtype, double value);

/* The value of the dtype nearest to a double. Overflow gives infinity in dtypes that have it and saturates in the others.
 * This is what a cast does, and an edge with a format. */
static inline double met_round(met_dtype dtype, double value)
{
    if (dtype == MET_F32) {
        return (double)(float)value;
    }
    return dtype == MET_F64 ? value : met_round_narrow(dtype, value);
}

/* Given the double nearest to a real number and the sign of what is missing from it (real − nearest), the double "rounded
 * to odd": exact if nothing is missing, else the neighbour with odd significand. Rounding that once more, to fewer than
 * 52 bits, is rounding the real number (Boldo and Melquiond, "When double rounding is odd"). Infinities and NaN, and
 * zeros, stay. */
double met_to_odd(double nearest, double missing);
/* a + b, a · b + c and a / b rounded to odd. The product must be exact in double: operands of 26 bits or fewer. */
double met_odd_add(double a, double b);
double met_odd_fma(double a, double b, double c);
double met_odd_divide(double a, double b);

/* Which subnormals an f32 operation replaces by a zero of the same sign. A result counts as subnormal
 * by its size after rounding to 24 bits, before the exponent is limited (x86). */
typedef enum met_flush { MET_FLUSH_NONE = 0, MET_FLUSH_INPUT = 1, MET_FLUSH_OUTPUT = 2, MET_FLUSH_BOTH = 3 } met_flush;

float met_flush_add(float a, float b, met_flush flush);
float met_flush_mul(float a, float b, met_flush flush);
float met_flush_fma(float a, float b, float c, met_flush flush);

/* Bit patterns of the two native formats. */
uint64_t met_bits_f64(double value);
double met_value_f64(uint64_t bits);
uint32_t met_bits_f32(float value);
float met_value_f32(uint32_t bits);

#endif
