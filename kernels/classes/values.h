/* Single values: what every class does one value at a time, in the bits that its lanes have.
 *
 * Needs gcc or clang, IEEE 754 floats that round to nearest even, and -ffp-contract=off. Any NaN may come out as any
 * other; value_canonical makes the one that is stored. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Functions of a text that is its own translation unit; not every text uses all of them. */
#define KERNEL_FN static inline __attribute__((unused))
#define KERNEL_INLINE static inline __attribute__((unused, always_inline))
#define KERNEL_CALL static __attribute__((unused, noinline))

KERNEL_FN uint32_t value_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

KERNEL_FN float value_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

KERNEL_FN float value_canonical(float x)
{
    return x != x ? value_of_bits(0x7fc00000) : x;
}

/* IEEE 754-2019 maximum and minimum: a NaN wins, +0 lies above -0. */
KERNEL_FN float value_max(float a, float b)
{
    return a > b ? a : a < b ? b : a == b ? (signbit(a) ? b : a) : NAN;
}

KERNEL_FN float value_min(float a, float b)
{
    return a < b ? a : a > b ? b : a == b ? (signbit(a) ? a : b) : NAN;
}

/* 2^n, n in [-126, 127]. */
KERNEL_FN float value_power(int32_t n)
{
    return value_of_bits((uint32_t)(n + 127) << 23);
}

/* The next of three steps on the way to 2^e. Steps down stop at 2^-102, which is 2^-126 and 24 bits to spare: what a step
 * rounds is so small that the following ones make it zero anyway. */
KERNEL_FN int32_t value_step(int32_t e)
{
    return e > 127 ? 127 : e < -126 ? -102 : 0;
}

/* x · 2^n for an integer n of any size, rounded once; 2^-inf is 0 and 2^inf is inf. By multiplications, which raise
 * underflow. */
KERNEL_FN float value_scale(float x, float n)
{
    if (n != n || n - n != 0)
        return x * (n > 0 ? INFINITY : n < 0 ? 0.0f : n);
    int32_t e = (int32_t)(n > 400 ? 400 : n < -400 ? -400 : floorf(n));
    int32_t first = value_step(e), second = value_step(e - first), last = e - first - second;
    last = last > 127 ? 127 : last < -126 ? -126 : last;
    return x * value_power(first) * value_power(second) * value_power(last);
}

/* Coefficients of the declared functions, lowest first. */
static const float value_exp2_terms[] __attribute__((unused)) = {
    1.0f, 0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6ada6p-5f, 0x1.3b21c6p-7f, 0x1.5fc006p-10f, 0x1.4bc7f6p-13f,
};
static const float value_tanh_small[] __attribute__((unused)) = {
    -0x1.55554ap-2f, 0x1.110ceep-3f, -0x1.b91e7ep-5f, 0x1.58e518p-6f, -0x1.9921a2p-8f,
};
static const float value_erf_small[] __attribute__((unused)) = {
    0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f, -0x1.b7f71ap-6f, 0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f,
};
static const float value_erf_large[] __attribute__((unused)) = {
    0x1.0252e8p-11f, 0x1.a0448cp+0f, 0x1.d75f3ep-1f, 0x1.30a49ap-3f, -0x1.0217fep-5f, 0x1.16b1eap-8f, -0x1.19f26cp-12f,
};

/* log2(e), and what the float lacks. */
#define VALUE_LOG2E_HIGH 0x1.715476p+0f
#define VALUE_LOG2E_LOW 0x1.4ae0cp-26f

KERNEL_FN float value_poly(const float *coefficients, int degree, float x)
{
    float p = coefficients[degree];
    for (int i = degree - 1; i >= 0; i--)
        p = fmaf(p, x, coefficients[i]);
    return p;
}

/* 2^f for f in [-1/2, 1/2], error below 0.795 ulp. */
KERNEL_FN float value_exp2p(float f)
{
    return value_poly(value_exp2_terms, 6, f);
}

/* e^y where y·log2(e) is in the range of int. */
KERNEL_FN float value_exponential(float y)
{
    float n = rintf(y * VALUE_LOG2E_HIGH);
    float f = fmaf(y, VALUE_LOG2E_LOW, fmaf(y, VALUE_LOG2E_HIGH, -n));
    return value_scale(value_exp2p(f), n);
}

/* e^x, error below 1.02 ulp. */
KERNEL_FN float value_expp(float x)
{
    float y = x > 89.0f ? 89.0f : x;
    return x < -104.0f ? 0.0f : value_exponential(y < -104.0f ? 0.0f : y);
}

/* tanh x, error below 1.59 ulp. */
KERNEL_FN float value_tanhp(float x)
{
    float a = fabsf(x), t = a * a, small = fmaf(a * t, value_poly(value_tanh_small, 4, t), a);
    float b = a > 10.0f ? 10.0f : a, large = 1.0f - 2.0f / (value_exponential(b + b) + 1.0f);
    return copysignf(a < 0.55f ? small : large, x);
}

/* erf x, error below 1.12 ulp. */
KERNEL_FN float value_erfp(float x)
{
    float a = fabsf(x), small = fmaf(value_poly(value_erf_small, 6, a * a), a, a);
    float u = -value_poly(value_erf_large, 6, a > 4.0f ? 4.0f : a), n = rintf(u);
    float large = 1.0f - value_scale(value_exp2p(u - n), n);
    return copysignf(a < 1.0f ? small : large, x);
}

KERNEL_FN float value_of_bf16(uint16_t h)
{
    return value_of_bits((uint32_t)h << 16);
}

KERNEL_FN uint16_t value_to_bf16(float x)
{
    uint32_t bits = value_bits(x);
    return x != x ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

KERNEL_FN float value_of_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fff;
    if (magnitude >= 0x7c00)
        return value_of_bits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    float x = magnitude < 0x400 ? (float)magnitude * 0x1p-24f : value_of_bits((magnitude << 13) + (112u << 23));
    return sign ? -x : x;
}

/* Below 2^-14, adding 1/2 rounds to the multiples of 2^-24 that f16 has there. */
KERNEL_FN uint16_t value_to_f16(float x)
{
    uint32_t bits = value_bits(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (x != x)
        return 0x7e00;
    if (magnitude >= 0x477ff000) /* 65520, which rounds to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000)
        return (uint16_t)(sign | (value_bits(value_of_bits(magnitude) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

/* To the nearest integer, ties to even; saturates; 0 for a NaN. */
KERNEL_FN int32_t value_to_i32(float x)
{
    return x >= 0x1p31f ? INT32_MAX : x >= -0x1p31f ? (int32_t)rintf(x) : x != x ? 0 : INT32_MIN;
}

KERNEL_FN float value_flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

/* fma whose subnormal operands and results become zero. Tiny is what is below 2^-126 when rounded to 24 bits; a little
 * below, fmaf, which has fewer bits there, may round up to it: only scaled by 2^64 one can tell. */
KERNEL_FN float value_flush_fma(float a, float b, float c)
{
    a = value_flush(a), b = value_flush(b), c = value_flush(c);
    float r = fmaf(a, b, c);
    if (fabsf(r) == 0x1p-126f && fabsf(fmaf(a * 0x1p64f, b, c * 0x1p64f)) < 0x1p-62f)
        return copysignf(0.0f, r);
    return value_flush(r);
}

/* One step of the bf16 dot product: the odd elements first. */
KERNEL_FN float value_dot_pair(float acc, uint32_t a, uint32_t b)
{
    acc = value_flush_fma(value_of_bits(a & 0xffff0000), value_of_bits(b & 0xffff0000), acc);
    return value_flush_fma(value_of_bits(a << 16), value_of_bits(b << 16), acc);
}
