#include "number/function.h"

#include <math.h>

#include "number/exp2.h"

const float met_tanhp_small[MET_TANHP_DEGREE + 1] = {
    -0x1.55554ap-2f, 0x1.110ceep-3f, -0x1.b91e7ep-5f, 0x1.58e518p-6f, -0x1.9921a2p-8f,
};

const float met_erfp_small[MET_ERFP_DEGREE + 1] = {
    0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f, -0x1.b7f71ap-6f, 0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f,
};

const float met_erfp_large[MET_ERFP_DEGREE + 1] = {
    0x1.0252e8p-11f, 0x1.a0448cp+0f, 0x1.d75f3ep-1f, 0x1.30a49ap-3f, -0x1.0217fep-5f, 0x1.16b1eap-8f, -0x1.19f26cp-12f,
};

static float poly(const float *coefficients, int degree, float x)
{
    float p = coefficients[degree];
    for (int i = degree - 1; i >= 0; i--) {
        p = fmaf(p, x, coefficients[i]);
    }
    return p;
}

/* 0 where n is NaN, as its f is and so the result. */
static int integer(float n)
{
    return n == n ? (int)n : 0;
}

/* e^y for a y whose y·log2(e) is an int. */
static float exponential(float y)
{
    float n = rintf(y * MET_LOG2E_HIGH);
    float f = fmaf(y, MET_LOG2E_HIGH, -n);
    f = fmaf(y, MET_LOG2E_LOW, f);
    return met_ldexpf(met_exp2_poly(f), integer(n));
}

float met_expp(float x)
{
    float y = x > MET_EXPP_HIGH ? MET_EXPP_HIGH : x;
    y = x < MET_EXPP_LOW ? 0.0f : y;
    return x < MET_EXPP_LOW ? 0.0f : exponential(y);
}

float met_tanhp(float x)
{
    float a = fabsf(x);
    float t = a * a;
    float small = fmaf(a * t, poly(met_tanhp_small, MET_TANHP_DEGREE, t), a);
    float b = a > MET_TANHP_HIGH ? MET_TANHP_HIGH : a;
    float large = 1.0f - 2.0f / (exponential(b + b) + 1.0f);
    return copysignf(a < MET_TANHP_SPLIT ? small : large, x);
}

float met_erfp(float x)
{
    float a = fabsf(x);
    float small = fmaf(poly(met_erfp_small, MET_ERFP_DEGREE, a * a), a, a);
    float b = a > MET_ERFP_HIGH ? MET_ERFP_HIGH : a;
    float u = poly(met_erfp_large, MET_ERFP_DEGREE, b);
    float n = rintf(-u);
    float large = 1.0f - met_ldexpf(met_exp2_poly(-u - n), integer(n));
    return copysignf(a < MET_ERFP_SPLIT ? small : large, x);
}
