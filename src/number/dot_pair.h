/* One lane of the x86 bf16 dot product (VDPBF16PS): acc + hi·hi′ + lo·lo′ as two fused steps, the odd element of the pair
 * first. Each rounds to nearest even whatever the control register says; subnormal operands and results, the one between
 * the steps included, become zeros of their sign.
 *
 * Source: the Intel SDM's description of the instruction, and measurement on hardware. */
#ifndef MET_NUMBER_DOT_PAIR_H
#define MET_NUMBER_DOT_PAIR_H

#include "number/encode.h"

/* a and b are bf16 values: element 0 is the low one. */
static inline float met_dot_pair(float acc, const float a[2], const float b[2])
{
    float high = met_flush_fma(a[1], b[1], acc, MET_FLUSH_BOTH);
    return met_flush_fma(a[0], b[0], high, MET_FLUSH_BOTH);
}

#endif
