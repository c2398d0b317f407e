/* Numbers that look random, from numbers that do not: the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). */
#ifndef MET_NUMBER_MIX_H
#define MET_NUMBER_MIX_H

#include <stdint.h>

static inline uint64_t met_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The next number of a sequence. */
static inline uint64_t met_mix_next(uint64_t *state)
{
    return met_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif
