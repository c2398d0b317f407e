/* Polynomial functions: their errors on a dense sample (tests/slow/function_all.c takes every float), special values, and
 * where settling puts them. */
#include "circuits.h"

#include <fenv.h>

#include "eval/settled.h"
#include "number/encode.h"
#include "number/function.h"

static const struct {
    const char *name;
    float (*fn)(float);
    double (*exact)(double);
    double ulps;
    float low, high; /* outside, the special values say all */
} functions[] = {
    { "expp", met_expp, exp, MET_EXPP_ULPS, -105, 90 },
    { "tanhp", met_tanhp, tanh, MET_TANHP_ULPS, -11, 11 },
    { "erfp", met_erfp, erf, MET_ERFP_ULPS, -5, 5 },
};

static double error_of(float got, double exact)
{
    double value = isinf(got) ? 0x1p128 : (double)got;
    exact = exact > 0x1p128 ? 0x1p128 : exact;
    return value == exact ? 0 : fabs(value - exact) / met_ulp(MET_F32, exact);
}

static void errors(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        double worst = 0;
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 2503) {
            float x = met_value_f32((uint32_t)bits);
            if (!(x >= functions[k].low && x <= functions[k].high))
                continue;
            double error = error_of(functions[k].fn(x), functions[k].exact((double)x));
            worst = error > worst ? error : worst;
        }
        if (!(worst <= functions[k].ulps && worst > functions[k].ulps - 0.25))
            fail_msg("%s: %g ulps, stated are %g", functions[k].name, worst, functions[k].ulps);
    }
}

static void special_values(void **state)
{
    (void)state;
    static const float up[] = { 0x1p7f, 1e30f, INFINITY };
    for (int i = 0; i < 3; i++) {
        assert_true(isinf(met_expp(up[i])) && met_expp(-up[i]) == 0);
        assert_true(met_tanhp(up[i]) == 1 && met_tanhp(-up[i]) == -1);
        assert_true(met_erfp(up[i]) == 1 && met_erfp(-up[i]) == -1);
    }
    assert_true(isnan(met_expp(NAN)) && isnan(met_tanhp(NAN)) && isnan(met_erfp(NAN)));
    assert_true(met_expp(0) == 1 && met_expp(-0.0f) == 1);
    assert_true(met_bits_f32(met_tanhp(-0.0f)) == 0x80000000U && met_bits_f32(met_erfp(-0.0f)) == 0x80000000U);
    assert_true(met_expp(-103.0f) == 0x1p-149f && met_expp(88.72f) < (float)INFINITY && isinf(met_expp(88.73f)));
    assert_true(met_tanhp(0x1p-149f) == 0x1p-149f);
}

/* What is far too small for a float is a zero without a flag: only a result that lost bits on the way says so. */
static void underflow(void **state)
{
    (void)state;
    static const struct {
        float x;
        bool raises;
    } cases[] = { { -105, false }, { -INFINITY, false }, { -1e30f, false }, { -90, true }, { -80, false }, { 0, false } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        volatile float x = cases[i].x;
        feclearexcept(FE_ALL_EXCEPT);
        volatile float y = met_expp(x);
        (void)y;
        assert_true((fetestexcept(FE_UNDERFLOW) != 0) == cases[i].raises);
    }
}

static void settled_formulas(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    static const struct {
        const char *op;
        float (*fn)(float);
    } ops[] = { { "exp", met_expp }, { "tanh", met_tanhp }, { "erf", met_erfp } };
    double x[100];
    assert_true(met_fill("normal", 5, 0, 0, 100, x));
    for (int i = 0; i < 100; i++)
        x[i] = (double)(float)(2 * x[i]);
    for (size_t k = 0; k < 3; k++) {
        const met_circuit *circuit = circuit_of(session, ops[k].op, "");
        met_eval_options options = { .dtype = "f32" };
        for (int i = 0; i < 100; i++) {
            const met_eval_result *r = run_flat(circuit, &options, 1, (const double *[]){ &x[i] });
            assert_true(r->arrays[0].tensor->values[0] == (double)ops[k].fn((float)x[i]));
        }
    }
    /* sigmoid, and what is made of it; the points that keep the C library */
    const met_circuit *silu = circuit_of(session, "x: n\nsilu(x)", "n=100");
    met_eval_options options = { .dtype = "f32" };
    const double *got = run_flat(silu, &options, 1, (const double *[]){ x })->arrays[0].tensor->values;
    for (int i = 0; i < 100; i++)
        assert_true(got[i] == (double)((float)x[i] * (1.0f / (1.0f + met_expp(-(float)x[i])))));
    const met_circuit *e = circuit_of(session, "x: n\nmap['n -> n'](x, { exp(a)*2 })", "n=100");
    options.numerics = "float";
    got = run_flat(e, &options, 1, (const double *[]){ x })->arrays[0].tensor->values;
    for (int i = 0; i < 100; i++)
        assert_true(got[i] == (double)(2.0f * (float)exp(x[i])));
    met_eval_options wide = { .numerics = "pow2" };
    got = run_flat(e, &wide, 1, (const double *[]){ x })->arrays[0].tensor->values;
    for (int i = 0; i < 100; i++)
        assert_true(got[i] == 2 * exp(x[i]));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors),
        cmocka_unit_test(special_values),
        cmocka_unit_test(underflow),
        cmocka_unit_test(settled_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
