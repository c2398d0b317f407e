/* Measures the errors of number/function.h over every float, some minutes. Prints the largest and where they are; fails if
 * one is above what the header states, or if a special value is not what it should be.
 *
 * The exact values are taken to be those of the C library in double, whose errors of an ulp or so are 2^-28 ulps of a
 * float. Build and run: cmake --build --preset release --target slow. */
#include <math.h>
#include <stdio.h>

#include "number/encode.h"
#include "number/function.h"

static const struct {
    const char *name;
    float (*fn)(float);
    double (*exact)(double);
    double ulps;
} functions[] = {
    {"expp", met_expp, exp, MET_EXPP_ULPS},
    {"tanhp", met_tanhp, tanh, MET_TANHP_ULPS},
    {"erfp", met_erfp, erf, MET_ERFP_ULPS},
};

/* In ulps of the exact value. Infinity counts as 2^128, so it must be right only where rounding would give it. */
static double error_of(double got, double exact)
{
    if (isnan(got) || isnan(exact)) {
        return isnan(got) && isnan(exact) ? 0 : (double)INFINITY;
    }
    got = isinf(got) ? copysign(0x1p128, got) : got;
    exact = fabs(exact) > 0x1p128 ? copysign(0x1p128, exact) : exact;
    return got == exact ? 0 : fabs(got - exact) / met_ulp(MET_F32, exact);
}

int main(void)
{
    int status = 0;
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        double worst = 0;
        float where = 0;
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) {
            float x = met_value_f32((uint32_t)bits);
            double error = error_of((double)functions[k].fn(x), functions[k].exact((double)x));
            if (error > worst) {
                worst = error;
                where = x;
            }
        }
        printf("%s: largest error %.6f ulps, at %a\n", functions[k].name, worst, (double)where);
        status |= worst > functions[k].ulps;
    }
    return status;
}
