/* What the functions of the lane algebra give, one value at a time: by src/number and the C library. Arguments that a
 * function does not have are ignored. */
#ifndef MET_TEST_LANES_REFERENCE_H
#define MET_TEST_LANES_REFERENCE_H

#include <math.h>

#include "number/exp2.h"
#include "number/function.h"
#include "number/monoid.h"

static float ref_add(float a, float b, float c) { (void)c; return a + b; }
static float ref_sub(float a, float b, float c) { (void)c; return a - b; }
static float ref_mul(float a, float b, float c) { (void)c; return a * b; }
static float ref_div(float a, float b, float c) { (void)c; return a / b; }
static float ref_fma(float a, float b, float c) { return fmaf(a, b, c); }
static float ref_sqrt(float a, float b, float c) { (void)b, (void)c; return sqrtf(a); }
static float ref_neg(float a, float b, float c) { (void)b, (void)c; return -a; }
static float ref_abs(float a, float b, float c) { (void)b, (void)c; return fabsf(a); }
static float ref_rint(float a, float b, float c) { (void)b, (void)c; return rintf(a); }
static float ref_floor(float a, float b, float c) { (void)b, (void)c; return floorf(a); }
static float ref_exp2p(float a, float b, float c) { (void)b, (void)c; return met_exp2_poly(a); }
static float ref_expp(float a, float b, float c) { (void)b, (void)c; return met_expp(a); }
static float ref_tanhp(float a, float b, float c) { (void)b, (void)c; return met_tanhp(a); }
static float ref_erfp(float a, float b, float c) { (void)b, (void)c; return met_erfp(a); }
static float ref_copysign(float a, float b, float c) { (void)c; return copysignf(a, b); }
static float ref_lt(float a, float b, float c) { (void)c; return a < b; }
static float ref_le(float a, float b, float c) { (void)c; return a <= b; }
static float ref_eq(float a, float b, float c) { (void)c; return a == b; }
static float ref_ne(float a, float b, float c) { (void)c; return a != b; }
static float ref_and_not(float a, float b, float c) { return a < b && !(a < c); }
static float ref_or(float a, float b, float c) { return a < b || a < c; }
static float ref_select(float a, float b, float c) { return a < b ? b : c; }
static float ref_call1(float a, float b, float c) { (void)b, (void)c; return (float)exp2((double)a); }
static float ref_call2(float a, float b, float c) { (void)c; return (float)fmin((double)a, (double)b); }

static float ref_max(float a, float b, float c)
{
    (void)c;
    return (float)met_monoid_step(MET_MONOID_MAX, (double)a, (double)b);
}

static float ref_min(float a, float b, float c)
{
    (void)c;
    return (float)met_monoid_step(MET_MONOID_MIN, (double)a, (double)b);
}

/* In double: exact unless far below the subnormals of f32. Powers that are no integers are rounded down. */
static float ref_scale(float a, float b, float c)
{
    (void)c;
    if (!isfinite(b))
        return b > 0 ? a * INFINITY : b < 0 ? a * 0 : b;
    return (float)ldexp((double)a, b > 900 ? 900 : b < -900 ? -900 : (int)floorf(b));
}

static const struct {
    const char *name;
    float (*reference)(float a, float b, float c);
} each[] = {
    { "call_add", ref_add },       { "call_sub", ref_sub },         { "call_mul", ref_mul },
    { "call_div", ref_div },       { "call_fma", ref_fma },         { "call_sqrt", ref_sqrt },
    { "call_neg", ref_neg },       { "call_abs", ref_abs },         { "call_rint", ref_rint },
    { "call_floor", ref_floor },   { "call_max", ref_max },         { "call_min", ref_min },
    { "call_exp2p", ref_exp2p },   { "call_scale", ref_scale },     { "call_lt", ref_lt },
    { "call_le", ref_le },         { "call_eq", ref_eq },           { "call_ne", ref_ne },
    { "call_and_not", ref_and_not }, { "call_or", ref_or },         { "call_select", ref_select },
    { "call_expp", ref_expp },     { "call_tanhp", ref_tanhp },     { "call_erfp", ref_erfp },
    { "call_copysign", ref_copysign }, { "call_value_expp", ref_expp }, { "call_value_tanhp", ref_tanhp },
    { "call_value_erfp", ref_erfp },
    { "call_call1", ref_call1 },   { "call_call2", ref_call2 },     { "call_value_max", ref_max },
    { "call_value_min", ref_min }, { "call_value_exp2p", ref_exp2p }, { "call_value_scale", ref_scale },
};

#endif
