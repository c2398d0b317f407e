/* Integer accumulation. Wrapping sums are associative, so any tree gives the same bits; saturating ones are not. */
#ifndef MET_NUMBER_INTEGER_H
#define MET_NUMBER_INTEGER_H

#include <stdint.h>

/* Modulo 2^32, in two's complement. */
static inline int32_t met_wrap_add(int32_t a, int32_t b)
{
    int32_t sum;
    (void)__builtin_add_overflow(a, b, &sum);
    return sum;
}

static inline int32_t met_saturate_add(int32_t a, int32_t b)
{
    int64_t sum = (int64_t)a + b;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

#endif
