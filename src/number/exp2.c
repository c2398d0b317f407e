#include "number/exp2.h"

#include <math.h>

#include "number/encode.h"

const float met_exp2_coefficients[MET_EXP2_DEGREE] = {
    0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6ada6p-5f, 0x1.3b21c6p-7f, 0x1.5fc006p-10f, 0x1.4bc7f6p-13f,
};

float met_exp2_poly(float f)
{
    float p = met_exp2_coefficients[MET_EXP2_DEGREE - 1];
    for (int i = MET_EXP2_DEGREE - 2; i >= 0; i--) {
        p = fmaf(p, f, met_exp2_coefficients[i]);
    }
    return fmaf(p, f, 1.0f);
}

/* 2^n, n in [−126, 127]. */
static float power(int n)
{
    return met_value_f32((uint32_t)(n + 127) << 23);
}

/* Steps down stop at 2^-102, which is 2^-126 and 24 bits to spare: a step that loses bits has taken the value so far
 * below the least subnormal's half that the next ones give zero whatever was lost. */
float met_ldexpf(float x, int n)
{
    for (int step = 0; step < 2 && n > 127; step++) {
        x *= power(127);
        n -= 127;
    }
    for (int step = 0; step < 2 && n < -126; step++) {
        x *= power(-102);
        n += 102;
    }
    return x * power(n > 127 ? 127 : n < -126 ? -126 : n);
}
