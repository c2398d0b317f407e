/* Measures the error of met_exp2_poly over every float in [−1/2, 1/2], about 15 seconds. Prints the largest error and
 * where it is; fails if it is above what the header states.
 *
 * The exact value is taken to be the C library's exp2 in double, whose error of an ulp or so is 2^-28 ulps of a float. Below
 * 2^-26 the polynomial gives 1 and the error is below 2^-26.5 / 2^-24 of an ulp, so these floats are passed by. */
#include <math.h>
#include <stdio.h>

#include "number/encode.h"
#include "number/exp2.h"

static double error_at(float f)
{
    double exact = exp2((double)f);
    double ulp = f < 0 ? 0x1p-24 : 0x1p-23;
    return fabs((double)met_exp2_poly(f) - exact) / ulp;
}

int main(void)
{
    double worst = 0;
    float where = 0;
    for (uint32_t bits = met_bits_f32(0x1p-26f); bits <= met_bits_f32(0.5f); bits++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            float f = (float)sign * met_value_f32(bits);
            double error = error_at(f);
            if (error > worst) {
                worst = error;
                where = f;
            }
        }
    }
    printf("largest error: %.6f ulps, at %a\n", worst, (double)where);
    return worst > MET_EXP2_ULPS;
}
