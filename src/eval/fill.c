/* Fills: inputs made of nothing but their number and position. `normal` uses + - * / and square root only, so that it
 * gives the same bits wherever IEEE 754 holds. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "met/eval.h"

/* The output function of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64-bit words that mixes well. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define TRIES 32

/* Word number `counter` of the generator with this key. */
static uint64_t word(uint64_t key, uint64_t counter)
{
    return mix(key + GOLDEN * (counter + 1));
}

/* Uniform in [-1, 1), a multiple of 2^-52. */
static double symmetric(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

/* Natural logarithm of a number in (0, 1): s = m·2^e with m in [√½, √2), log m = 2·artanh((m − 1)/(m + 1)) by its
 * series. The ratio is below 0.172, so twelve terms reach the last bit or two, which is all a fill needs. */
static double logarithm(double s)
{
    int exponent;
    double m = frexp(s, &exponent);
    if (m < 0.70710678118654757) {
        m *= 2;
        exponent--;
    }
    double z = (m - 1) / (m + 1), power = z * z, sum = 0;
    for (int k = 12; k >= 0; k--)
        sum = sum * power + 1.0 / (2 * k + 1);
    return 2 * z * sum + exponent * 0.69314718055994531;
}

/* Marsaglia's polar method: a point of the unit disc gives a normal number. Each position has its own candidates; that
 * none of 32 lies in the disc does not happen (probability 3e-22). */
static double normal(uint64_t key, uint64_t i)
{
    for (uint64_t t = 0; t < TRIES; t++) {
        double u = symmetric(word(key, 2 * (i * TRIES + t)));
        double v = symmetric(word(key, 2 * (i * TRIES + t) + 1));
        double s = u * u + v * v;
        if (s > 0 && s < 1)
            return u * sqrt(-2 * logarithm(s) / s);
    }
    return 0;
}

static double element(const char *fill, uint64_t key, size_t array, size_t i)
{
    switch (fill[0]) {
    case 'w':
        return 0.5 * sin(0.7 * (double)i + 1.3 * (double)array + 0.1);
    case 'n':
        return normal(key, i);
    case 'i':
        return (double)i;
    default:
        return fill[0] == 'o' ? 1 : 0;
    }
}

static double integer(const char *fill, uint64_t key, uint64_t range, size_t i)
{
    switch (fill[0]) {
    case 'w':
    case 'i':
        return (double)(i % range);
    case 'n':
        return (double)(word(key, i) % range);
    default:
        return fill[0] == 'o' && range > 1 ? 1 : 0;
    }
}

bool met_fill(const char *fill, uint64_t seed, size_t array, uint64_t range, size_t count, double *values)
{
    static const char *const fills[] = { "wave", "normal", "zeros", "ones", "iota" };
    bool known = false;
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
        known = known || strcmp(fill, fills[k]) == 0;
    if (!known)
        return false;
    uint64_t key = mix(mix(seed + GOLDEN) + GOLDEN * (array + 1));
    for (size_t i = 0; i < count; i++)
        values[i] = range > 0 ? integer(fill, key, range, i) : element(fill, key, array, i);
    return true;
}
