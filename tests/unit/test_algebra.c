/* The scalar algebra: what separates into how many terms, what is refused, and the factors by which accumulators move.
 * Inputs a to d are streams, m and n (inputs 12, 13) statistics, n positive, s (18) static. */
#include "cases.h"

#include "derive/algebra.h"
#include "ir/formula.h"

enum { INPUTS = 26 };

static met_arena *arena;
static met_algebra_input inputs[INPUTS];

static int setup(void **state)
{
    (void)state;
    arena = met_arena_new();
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = (met_algebra_input){ i < 12 ? MET_VALUE_STREAM : i < 18 ? MET_VALUE_STATISTIC : MET_VALUE_STATIC, i == 13 };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    met_arena_free(arena);
    return 0;
}

static const met_scalar *read(const char *text)
{
    return met_formula_read(arena, text, 0, NULL);
}

static const char *print(const met_scalar *scalar)
{
    met_text out = met_text_new(arena);
    met_scalar_names names = { 0 };
    met_scalar_print(&out, scalar, &names);
    return met_text_done(&out);
}

static void test_ranks(void **state)
{
    static const struct {
        const char *e;
        uint32_t rank; /* 0: refused */
    } cases[] = {
        { "a", 1 }, { "a*b/n", 1 }, { "exp(a - m)*b/n", 1 }, { "exp(a - m)^2*b/n^2", 1 }, { "(a - m)*(a - m)", 3 },
        { "(a - m)*n*b", 2 }, { "(a - m)^3", 4 }, { "(a - m)^4*b", 5 }, { "a*log(a/n)", 2 }, { "sqrt(a/n)*b", 1 },
        { "exp(a - m)/n*(a - m - log(n))", 2 }, { "abs(a*m)", 1 }, { "max(a/n, 0)*b", 1 }, { "max(a*n + b*n, 0)", 1 },
        { "max(a + m, b + m)", 2 }, { "a + b - m", 2 }, { "(a + b)*s + m*s", 2 }, { "(a*s + b)*m", 1 },
        { "1/((a + 1)*(m + 2))", 1 }, { "sqrt((a + 1)*(m*m + 2))", 1 }, { "2^(a - m)", 1 }, { "ldexp(a, b - m)*c", 1 },
        { "exp2(a - m)", 1 }, { "exp(log(a) - log(m))*b", 1 }, { "a^m", 0 }, { "(a/n)^3", 1 }, { "select(a < b, c*m, d)", 2 },
        { "abs(a - m)", 0 }, { "max(a - m, 0)*b", 0 }, { "tanh(a/n)", 0 }, { "exp(a/n)", 0 }, { "1/(a + m)", 0 },
        { "sigmoid(a - m)", 0 }, { "select(a < m, b, c)", 0 }, { "max(a, m)", 0 }, { "log(a + m)", 0 }, { "rint(a*n)", 0 },
        { "a - a", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_separation separation;
        bool separates = met_separate(arena, read(cases[i].e), INPUTS, inputs, &separation);
        if (separation.rank != cases[i].rank)
            fail_msg("%s: rank %u, not %u (%s)", cases[i].e, separation.rank, cases[i].rank, separation.reason ? separation.reason : "separates");
        if (!separates)
            assert_non_null(separation.reason);
    }
}

/* c·φ, added up, is e: at a few points. */
static double value_of(const met_scalar *e, const double *at)
{
    if (e->kind == MET_SCALAR_NUMBER)
        return e->number;
    if (e->kind == MET_SCALAR_INPUT)
        return at[e->input];
    double of[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            of[i] = value_of(e->arguments[i], at);
    return met_scalar_fn_apply(e->fn, of[0], of[1], of[2]);
}

static void test_values(void **state)
{
    static const char *const texts[] = {
        "exp(a - m)^2*b/n^2", "(a - m)^3*b", "a*log(a/n)", "exp(a - m)/n*(a - m - log(n))", "max(a*n - b*n, 0)",
        "max(a + m, b + m)*c", "1/((a + 1)*(m + 2))", "sqrt((a + 1)*(m*m + 2))/s", "2^(a - m)", "min(a*n, b*n)", "abs(a*m - b*m)",
        "ldexp(a, 3 - 2)*m", "select(a < b, c*m, d)", "-(a - m)*(b - n)", "exp(log(a) - log(m))*b", "fma(a, m, b)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const met_scalar *e = read(texts[i]);
        met_separation separation;
        assert_true(met_separate(arena, e, INPUTS, inputs, &separation));
        for (int point = 0; point < 8; point++) {
            double at[INPUTS], sum = 0, size = 1;
            for (int k = 0; k < INPUTS; k++)
                at[k] = 0.25 + (double)((37 * k + 11 * point * (k + 3)) % 29) / 8;
            for (uint32_t k = 0; k < separation.rank; k++) {
                double term = value_of(separation.terms[k].c, at) * value_of(separation.terms[k].phi, at);
                sum += term;
                size += fabs(term);
            }
            /* some tens of roundings, each at most the size of the terms */
            if (!(fabs(sum - value_of(e, at)) <= 1e-13 * size))
                fail_msg("%s: %g, not %g", texts[i], sum, value_of(e, at));
        }
    }
}

static void test_rebase(void **state)
{
    static const struct {
        const char *e, *delta;
        bool exact;
    } cases[] = {
        { "exp(a - m)*b", "exp(a - b)", false },         { "exp(a - m)/n", "exp(a - b)", false },
        { "ldexp(a, b - m)", "ldexp(1, a - b)", true },  { "exp(m - a)", "exp(b - a)", false },
        { "exp(2*a - 2*m)", "exp((a - b)*2)", false },   { "a*b", NULL, false },
        { "exp(a - m)*m", NULL, false },                 { "exp(a - 2*m) + b", NULL, false },
        { "exp2(a - m)*c", "exp2(a - b)", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool exact = false;
        const met_scalar *delta = met_rebase(arena, read(cases[i].e), INPUTS, inputs, 12, &exact);
        if (!cases[i].delta) {
            assert_null(delta);
            continue;
        }
        assert_non_null(delta);
        assert_string_equal(print(delta), cases[i].delta);
        assert_int_equal(exact, cases[i].exact);
    }
}

static void test_factors(void **state)
{
    static const struct {
        const char *e, *factor;
    } cases[] = {
        { "b*tanh(a/n)", "tanh(a/n)" }, { "abs(a - m)*b", "abs(a - m)" }, { "b/(a + m)", "recip(a + m)" }, { "exp(2*a/n)", "exp(2*a/n)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_separation separation;
        assert_false(met_separate(arena, read(cases[i].e), INPUTS, inputs, &separation));
        met_text out = met_text_new(arena);
        met_scalar_names names = { 0 };
        met_scalar_print(&out, separation.blocking, &names);
        /* input 13 prints as n, 12 as m */
        assert_string_equal(met_text_done(&out), cases[i].factor);
    }
}

/* Nothing takes longer than its limits allow. */
static void test_hostile(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(a + b*m + c*n + d*m*n + 1)^8*(a - b*m)^8*(c + m)^8", "a^(10^9)*m*m", "((((a*m)^999)^999)^999)^999",
    };
    met_separation separation;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(met_separate(arena, read(texts[i]), INPUTS, inputs, &separation));
        assert_non_null(separation.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),   cmocka_unit_test(test_values),  cmocka_unit_test(test_rebase),
        cmocka_unit_test(test_factors), cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
