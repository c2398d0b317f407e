#include "number/operands.h"

#include <math.h>

static const struct {
    const char *word;
    met_dtype dtype;
    uint8_t bits;
} formats[] = {
    {"f64", MET_F64, 0}, {"f32", MET_F32, 0},   {"tf32", MET_F32, 11}, {"bf16", MET_BF16, 0},
    {"f16", MET_F16, 0}, {"e5m2", MET_E5M2, 0}, {"e4m3", MET_E4M3, 0},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

bool met_operands_find(met_str word, met_operands *ret_operands)
{
    for (int i = 0; i < FORMATS; i++) {
        if (met_str_is(word, formats[i].word)) {
            ret_operands->dtype = formats[i].dtype;
            ret_operands->bits = formats[i].bits;
            return true;
        }
    }
    return false;
}

const char *met_operands_word(met_operands operands)
{
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].dtype == operands.dtype && formats[i].bits == operands.bits) {
            return formats[i].word;
        }
    }
    return met_dtype_table[operands.dtype].spelling;
}

met_operand_limits met_operands_limits(met_operands operands)
{
    met_limits of = met_dtype_limits(operands.dtype);
    int own = met_dtype_table[operands.dtype].mantissa_bits + 1, bits = operands.bits ? operands.bits : own;
    return (met_operand_limits){bits, ilogb(of.min_subnormal) + own - bits, ilogb(of.min_normal), ilogb(of.max)};
}

double met_operands_round(met_operands operands, double value)
{
    met_operand_limits of = met_operands_limits(operands);
    if (!operands.bits || value == 0 || !isfinite(value)) {
        return met_round(operands.dtype, value);
    }
    int exponent = ilogb(value) > of.normal ? ilogb(value) : of.normal, last = exponent - of.bits + 1;
    return met_round(operands.dtype, ldexp(nearbyint(ldexp(value, -last)), last)); /* halves to even: the default mode */
}

double met_operands_largest(met_operands operands)
{
    double largest = met_dtype_limits(operands.dtype).max;
    return operands.bits ? ldexp(2 - ldexp(1, 1 - operands.bits), ilogb(largest)) : largest;
}
