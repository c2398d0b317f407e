/* Intervals hold every result, and exact ends where there are any; numbers as texts are rounded as MPFR does. */
#include "straight_run.h"

#include <float.h>
#include <stdio.h>

#include "budget/straight_op.h"
#include "support/random.h"

/* Doubles of all sizes, small integers and powers of two among them. */
static double any_double(random_source *r)
{
    double mantissa = (double)(random_next(r) >> 11) * 0x1p-53 - 0.5;
    switch (random_below(r, 6)) {
    case 0: return (double)random_below(r, 20) - 10;
    case 1: return ldexp(random_below(r, 2) ? 1 : -1, (int)random_below(r, 40) - 20);
    case 2: return ldexp(mantissa, (int)random_below(r, 2090) - 1066);
    default: return ldexp(mantissa, (int)random_below(r, 8));
    }
}

static met_interval any_interval(random_source *r)
{
    double a = any_double(r), b = random_below(r, 4) ? any_double(r) : a;
    return (met_interval){ fmin(a, b), fmax(a, b) };
}

static double inside(random_source *r, met_interval x)
{
    double part = (double)(random_next(r) >> 11) * 0x1p-53, at = x.lo + part * (x.hi - x.lo);
    switch (random_below(r, 4)) {
    case 0: return x.lo;
    case 1: return x.hi;
    default: return isfinite(at) ? fmin(fmax(at, x.lo), x.hi) : x.lo;
    }
}

static void check_holds(const met_straight_op *op, const double *at, met_interval value)
{
    const run_function *function = run_function_of(op->name, op->arity);
    mpfr_t args[MET_STRAIGHT_ARITY], exact;
    mpfr_init2(exact, RUN_BITS);
    for (unsigned k = 0; k < MET_STRAIGHT_ARITY; k++) {
        mpfr_init2(args[k], RUN_BITS);
        mpfr_set_d(args[k], k < op->arity ? at[k] : 0, MPFR_RNDN);
    }
    if (function)
        function->exact(exact, args[0], MPFR_RNDN);
    else
        run_exact_binary(exact, op, args);
    if (!mpfr_nan_p(exact) && (mpfr_cmp_d(exact, value.lo) < 0 || mpfr_cmp_d(exact, value.hi) > 0))
        fail_msg("%s(%.17g, %.17g, %.17g) is outside of [%.17g, %.17g]", op->name, at[0], at[1], at[2], value.lo, value.hi);
    for (unsigned k = 0; k < MET_STRAIGHT_ARITY; k++)
        mpfr_clear(args[k]);
    mpfr_clear(exact);
}

static void values_are_held(void **state)
{
    (void)state;
    random_source r = { 7 };
    for (unsigned code = MET_STRAIGHT_CAST; code < met_straight_op_count; code++) {
        const met_straight_op *op = &met_straight_ops[code];
        for (int n = 0; n < 400; n++) {
            met_interval args[MET_STRAIGHT_ARITY] = { { 0, 0 } };
            double at[MET_STRAIGHT_ARITY] = { 0 };
            for (unsigned k = 0; k < op->arity; k++)
                args[k] = any_interval(&r);
            met_interval value = op->value(args);
            assert_true(value.lo <= value.hi);
            for (int s = 0; s < 4; s++) {
                for (unsigned k = 0; k < op->arity; k++)
                    at[k] = inside(&r, args[k]);
                if (code == MET_STRAIGHT_DIV && at[1] == 0)
                    continue;
                check_holds(op, at, value);
            }
        }
    }
}

/* Slopes hold the difference quotients: f(b) - f(a) lies within slope·(b - a) for the slope over what lies between. */
static void slopes_are_held(void **state)
{
    (void)state;
    random_source r = { 8 };
    mpfr_t value[2], args[2][MET_STRAIGHT_ARITY];
    for (int s = 0; s < 2; s++) {
        mpfr_init2(value[s], RUN_BITS);
        for (unsigned k = 0; k < MET_STRAIGHT_ARITY; k++)
            mpfr_init2(args[s][k], RUN_BITS);
    }
    for (unsigned code = MET_STRAIGHT_CAST; code < met_straight_op_count; code++) {
        const met_straight_op *op = &met_straight_ops[code];
        const run_function *function = run_function_of(op->name, op->arity);
        for (int n = 0; n < 300; n++) {
            met_interval box[MET_STRAIGHT_ARITY], slopes[MET_STRAIGHT_ARITY], reach = { 0, 0 };
            for (unsigned k = 0; k < op->arity; k++) {
                double a = ldexp((double)(random_next(&r) >> 11), -51) - 2, b = a + ldexp((double)(random_next(&r) >> 11), -54);
                box[k] = (met_interval){ a, b };
                mpfr_set_d(args[0][k], a, MPFR_RNDN);
                mpfr_set_d(args[1][k], b, MPFR_RNDN);
            }
            op->slopes(box, op->value(box), slopes);
            for (unsigned k = 0; k < op->arity; k++)
                reach = met_interval_add(reach, met_interval_mul(slopes[k], met_interval_sub(met_interval_point(box[k].hi), met_interval_point(box[k].lo))));
            for (int s = 0; s < 2; s++) {
                if (function)
                    function->exact(value[s], args[s][0], MPFR_RNDN);
                else
                    run_exact_binary(value[s], op, args[s]);
            }
            mpfr_sub(value[0], value[1], value[0], MPFR_RNDN);
            if (mpfr_number_p(value[0]) && (mpfr_cmp_d(value[0], reach.lo) < 0 || mpfr_cmp_d(value[0], reach.hi) > 0))
                fail_msg("%s: a slope from [%.17g, %.17g] is not held", op->name, box[0].lo, box[0].hi);
        }
    }
    for (int s = 0; s < 2; s++) {
        mpfr_clear(value[s]);
        for (unsigned k = 0; k < MET_STRAIGHT_ARITY; k++)
            mpfr_clear(args[s][k]);
    }
}

static void expect(met_interval got, double lo, double hi)
{
    if (got.lo != lo || got.hi != hi)
        fail_msg("got [%.17g, %.17g], want [%.17g, %.17g]", got.lo, got.hi, lo, hi);
}

static void exact_ends_stay(void **state)
{
    (void)state;
    expect(met_interval_add((met_interval){ 1, 2 }, (met_interval){ 0.5, 4 }), 1.5, 6);
    expect(met_interval_sub((met_interval){ 1, 2 }, (met_interval){ 0.5, 4 }), -3, 1.5);
    expect(met_interval_mul((met_interval){ -3, 2 }, (met_interval){ -1, 5 }), -15, 10);
    expect(met_interval_div((met_interval){ 1, 3 }, (met_interval){ -4, -2 }), -1.5, -0.25);
    expect(met_interval_sqrt((met_interval){ -1, 9 }), 0, 3);
    expect(met_interval_power((met_interval){ -2, 3 }, 3), -8, 27);
    expect(met_interval_power((met_interval){ -2, 1 }, 2), 0, 4);
    expect(met_interval_square((met_interval){ -2, -1 }), 1, 4);
    expect(met_interval_sin((met_interval){ 1, 2 }), met_interval_sin((met_interval){ 1, 1 }).lo, 1);
    expect(met_interval_cos((met_interval){ -1, 4 }), -1, 1);
    expect(met_interval_add(met_interval_whole(), met_interval_whole()), -INFINITY, INFINITY);
    expect(met_interval_div((met_interval){ 1, 1 }, (met_interval){ -1, 1 }), -INFINITY, INFINITY);
    /* and others move by one neighbour at most */
    met_interval third = met_interval_div((met_interval){ 1, 1 }, (met_interval){ 3, 3 });
    assert_true(third.lo < third.hi && met_next_up(third.lo) == third.hi);
    met_interval sum = met_interval_add((met_interval){ 1, 1 }, (met_interval){ 0x1p-80, 0x1p-80 });
    expect(sum, 1, met_next_up(1));
    expect(met_interval_mul((met_interval){ DBL_MAX, DBL_MAX }, (met_interval){ 2, 2 }), DBL_MAX, INFINITY);
}

/* --- Numbers as texts --- */

/* Upper ends: a limit stays one, and what is finite but beyond the largest number is above the least one, and below infinity. */
static void limits_stay(void **state)
{
    (void)state;
    const struct {
        double got, want;
    } cases[] = {
        { met_add_up(-INFINITY, 1), -INFINITY },      { met_add_up(-DBL_MAX, -DBL_MAX), -DBL_MAX },
        { met_add_up(DBL_MAX, DBL_MAX), INFINITY },   { met_mul_up(-INFINITY, 5), -INFINITY },
        { met_mul_up(5, -INFINITY), -INFINITY },      { met_mul_up(-DBL_MAX, 2), -DBL_MAX },
        { met_mul_up(DBL_MAX, 2), INFINITY },         { met_div_up(-INFINITY, 2), -INFINITY },
        { met_div_up(-DBL_MAX, 0.5), -DBL_MAX },      { met_div_up(1, -INFINITY), 0 },
        { met_div_up(1, INFINITY), 0x1p-1074 },       { met_sqrt_up(0), 0 },
        { met_sqrt_up(INFINITY), INFINITY },          { met_sqrt_up(4), 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!(cases[i].got == cases[i].want))
            fail_msg("case %zu: %a, not %a", i, cases[i].got, cases[i].want);
}

static void check_number(const char *text, const met_straight_format *format)
{
    met_exact exact;
    mpfr_t number, rounded;
    if (met_exact_read(met_str_of(text), format->bits, format->least, &exact) != MET_EXACT_DONE)
        fail_msg("`%s` is not read", text);
    char part[600];
    const char *slash = strchr(text, '/');
    mpfr_init2(number, 4000);
    mpfr_init2(rounded, 4000);
    snprintf(part, sizeof part, "%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
    mpfr_set_str(number, part, 10, MPFR_RNDN);
    if (slash) {
        mpfr_set_str(rounded, slash + 1, 10, MPFR_RNDN);
        mpfr_div(number, number, rounded, MPFR_RNDN);
    }
    double want = format->bits == 24 ? (double)mpfr_get_flt(number, MPFR_RNDN) : mpfr_get_d(number, MPFR_RNDN);
    if (exact.rounded != want)
        fail_msg("`%s` reads %.17g, not %.17g", text, exact.rounded, want);
    mpfr_set_d(rounded, exact.rounded, MPFR_RNDN);
    mpfr_sub(rounded, rounded, number, MPFR_RNDN);
    if (mpfr_cmp_d(rounded, exact.slip.lo) < 0 || mpfr_cmp_d(rounded, exact.slip.hi) > 0)
        fail_msg("`%s`: what rounding lost is outside of [%.17g, %.17g]", text, exact.slip.lo, exact.slip.hi);
    if (exact.slip.hi - exact.slip.lo > fabs(exact.slip.hi) * 0x1p-45 + 0x1p-1070)
        fail_msg("`%s`: [%.17g, %.17g] is wide", text, exact.slip.lo, exact.slip.hi);
    assert_true(mpfr_cmp_d(number, exact.real.lo) >= 0 && mpfr_cmp_d(number, exact.real.hi) <= 0);
    mpfr_clear(number);
    mpfr_clear(rounded);
}

static void numbers_are_rounded(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0", "-0", "1", "-1", "0.1", "-0.1", "1e-5", "1.5E+3", ".5", "3969/625", "-1/3", "2/3", "1/1024", "1e22", "1e23", "123456789012345678",
        "9007199254740993", "9007199254740995", "0.50000000000000011102230246251565404236316680908203125", "16777217", "33554435",
        "4.9e-324", "2.4e-324", "2.5e-324", "1e-310", "2.2250738585072011e-308", "7e-46", "8e-46", "1e-40", "3.4e38", "1.7976931348623157e308",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000001", "1e-400",
        "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_number(texts[i], &met_straight_formats[0]);
        if (strtod(texts[i], NULL) < 3e38)
            check_number(texts[i], &met_straight_formats[1]);
    }
    random_source r = { 9 };
    for (int n = 0; n < 2000; n++) {
        char text[64];
        snprintf(text, sizeof text, n % 3 ? "%llue%d" : "%llu/%d", (unsigned long long)(random_next(&r) >> random_below(&r, 60)),
                 n % 3 ? (int)random_below(&r, 60) - 40 : (int)random_below(&r, 100000) + 1);
        check_number(text, &met_straight_formats[n & 1]);
    }
}

static void what_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "-", ".", "1e", "1/", "1/0", "1/-2", "1.5/2", "0x10", "1e5x", "--1", "1/2/3", "e5" };
    met_exact exact;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (met_exact_read(met_str_of(texts[i]), 53, -1074, &exact) != MET_EXACT_NO_NUMBER)
            fail_msg("`%s` is read as a number", texts[i]);
    char digits[600];
    memset(digits, '7', sizeof digits);
    assert_int_equal(met_exact_read((met_str){ digits, MET_EXACT_DIGITS }, 53, -1074, &exact), MET_EXACT_DONE);
    assert_int_equal(met_exact_read((met_str){ digits, MET_EXACT_DIGITS + 1 }, 53, -1074, &exact), MET_EXACT_TOO_LONG);
    assert_int_equal(met_exact_read(met_str_of("1e99999999999999999999"), 53, -1074, &exact), MET_EXACT_TOO_LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_held),     cmocka_unit_test(slopes_are_held),   cmocka_unit_test(exact_ends_stay),
        cmocka_unit_test(numbers_are_rounded), cmocka_unit_test(what_is_no_number), cmocka_unit_test(limits_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
