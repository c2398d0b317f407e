/* What is folded: n products of two numbers of a format, or n numbers. */
#ifndef MET_NUMBER_OPERANDS_H
#define MET_NUMBER_OPERANDS_H

#include "base/str.h"
#include "number/encode.h"

typedef struct met_operands {
    met_dtype dtype; /* f64, f32, bf16, f16, e5m2 or e4m3 */
    bool sum;
    uint8_t bits; /* of a significand, if fewer than the dtype has: 11 of tf32, which is kept in f32. 0: as many */
} met_operands;

/* Of a format: bits of a significand, exponents of the least number, of the least normal one, and of the largest. */
typedef struct met_operand_limits {
    int bits, lowest, normal, highest;
} met_operand_limits;

/* By word: "f64", "f32", "tf32", "bf16", "f16", "e5m2", "e4m3". `sum` is left alone. */
bool met_operands_find(met_str word, met_operands *ret_operands);
const char *met_operands_word(met_operands operands);
met_operand_limits met_operands_limits(met_operands operands);
/* To nearest even. Beyond the largest: as met_round, infinity or NaN. */
double met_operands_round(met_operands operands, double value);
double met_operands_largest(met_operands operands);

#endif
