/* Exact sums: a fixed-point accumulator wide enough for every double, so that a sum of any number of values, however
 * they cancel, is rounded once. The yardstick for every other tree, and the adder of matrix-unit nodes. */
#ifndef MET_NUMBER_EXACT_H
#define MET_NUMBER_EXACT_H

#include "number/encode.h"

/* Digits of 32 bits, the lowest worth 2^-1074, held in 64: carries wait until they are needed. */
#define MET_EXACT_DIGITS 70

typedef struct met_exact {
    int64_t digit[MET_EXACT_DIGITS];
    uint32_t pending;      /* additions since the carries were last taken */
    bool infinite[2];      /* +∞, −∞ among the terms */
    bool nan;
    bool all_negative_zero;
    bool any;
} met_exact;

void met_exact_clear(met_exact *sum);
void met_exact_add(met_exact *sum, double value);
/* The sum in a dtype. Rules of IEEE 754 chains for special values: infinities of both signs or a NaN give NaN; a sum that
 * is exactly zero is +0 in every mode, or −0 if every term was −0. */
double met_exact_round(const met_exact *sum, met_dtype dtype, met_rounding mode);

/* The correctly rounded f32 sum of f32 values; +0 if there are none. */
float met_exact_sum_f32(uint64_t count, const float *values);

/* Adds in order in the given accumulator dtype, rounding once (to nearest even, see met_round) after every addition, from
 * the first term on, which is rounded too. +0 if there are none. */
double met_narrow_sum(met_dtype dtype, uint64_t count, const double *values);

#endif
