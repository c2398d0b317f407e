#include "budget/straight_op.h"

#include <math.h>

typedef met_interval interval;

static const interval one = { 1, 1 }, two = { 2, 2 };

static interval over(interval x, interval y)
{
    return met_interval_div(x, y);
}

/* A real constant between two neighbouring doubles. */
static interval about(double nearest)
{
    return (interval){ met_next_down(nearest), met_next_up(nearest) };
}

/* --- Values --- */

static interval same(const interval *a) { return a[0]; }
static interval neg(const interval *a) { return met_interval_neg(a[0]); }
static interval add(const interval *a) { return met_interval_add(a[0], a[1]); }
static interval sub(const interval *a) { return met_interval_sub(a[0], a[1]); }
static interval mul(const interval *a) { return met_interval_mul(a[0], a[1]); }
static interval quotient(const interval *a) { return over(a[0], a[1]); }
static interval root(const interval *a) { return met_interval_sqrt(a[0]); }
static interval magnitude(const interval *a) { return met_interval_abs(a[0]); }
static interval fused(const interval *a) { return met_interval_add(met_interval_mul(a[0], a[1]), a[2]); }
static interval lesser(const interval *a) { return (interval){ fmin(a[0].lo, a[1].lo), fmin(a[0].hi, a[1].hi) }; }
static interval greater(const interval *a) { return (interval){ fmax(a[0].lo, a[1].lo), fmax(a[0].hi, a[1].hi) }; }
static interval hypotenuse(const interval *a)
{
    return met_interval_sqrt(met_interval_add(met_interval_square(a[0]), met_interval_square(a[1])));
}
static interval exponential(const interval *a) { return met_interval_exp(a[0]); }
static interval exponential2(const interval *a) { return met_interval_rising(exp2, a[0], 0, INFINITY); }
static interval exponential1(const interval *a) { return met_interval_rising(expm1, a[0], -1, INFINITY); }
static interval logarithm(const interval *a) { return met_interval_log(a[0]); }
static interval logarithm2(const interval *a) { return over(met_interval_log(a[0]), about(0.69314718055994530942)); }
static interval logarithm10(const interval *a) { return over(met_interval_log(a[0]), about(2.30258509299404568402)); }
static interval logarithm1(const interval *a)
{
    return a[0].hi <= -1 ? met_interval_whole() : met_interval_rising(log1p, (interval){ fmax(a[0].lo, -1), a[0].hi }, -INFINITY, INFINITY);
}
static interval sine(const interval *a) { return met_interval_sin(a[0]); }
static interval cosine(const interval *a) { return met_interval_cos(a[0]); }
static interval tangent(const interval *a) { return met_interval_tan(a[0]); }
static interval arcsine(const interval *a)
{
    return met_interval_rising(asin, (interval){ fmax(a[0].lo, -1), fmin(a[0].hi, 1) }, -1.5707963267948968, 1.5707963267948968);
}
static interval arccosine(const interval *a) { return met_interval_sub(about(1.57079632679489661923), arcsine(a)); }
static interval arctangent(const interval *a) { return met_interval_rising(atan, a[0], -1.5707963267948968, 1.5707963267948968); }
static interval cube_root(const interval *a) { return met_interval_rising(cbrt, a[0], -INFINITY, INFINITY); }
static interval hyperbolic_sine(const interval *a) { return met_interval_rising(sinh, a[0], -INFINITY, INFINITY); }
static interval hyperbolic_cosine(const interval *a)
{
    return met_interval_rising(cosh, met_interval_abs(a[0]), 1, INFINITY);
}
static interval hyperbolic_tangent(const interval *a) { return met_interval_rising(tanh, a[0], -1, 1); }

/* The exponent if it is a small natural number. */
static bool natural(interval y, unsigned *ret_n)
{
    *ret_n = y.lo == y.hi && y.lo >= 0 && y.lo <= 64 && y.lo == floor(y.lo) ? (unsigned)y.lo : 0;
    return y.lo == y.hi && (double)*ret_n == y.lo;
}

static interval power(const interval *a)
{
    unsigned n;
    return natural(a[1], &n) ? met_interval_power(a[0], n) : met_interval_pow(a[0], a[1]);
}

/* --- Slopes --- */

static void slope_one(const interval *a, interval v, interval *d) { (void)a, (void)v, d[0] = one; }
static void slope_neg(const interval *a, interval v, interval *d) { (void)a, (void)v, d[0] = met_interval_neg(one); }
static void slope_add(const interval *a, interval v, interval *d) { (void)a, (void)v, d[0] = d[1] = one; }
static void slope_sub(const interval *a, interval v, interval *d) { (void)a, (void)v, d[0] = one, d[1] = met_interval_neg(one); }
static void slope_mul(const interval *a, interval v, interval *d) { (void)v, d[0] = a[1], d[1] = a[0]; }
static void slope_div(const interval *a, interval v, interval *d)
{
    d[0] = over(one, a[1]);
    d[1] = met_interval_neg(over(v, a[1]));
}
static void slope_sqrt(const interval *a, interval v, interval *d)
{
    d[0] = a[0].lo > 0 ? over(one, met_interval_mul(two, v)) : (interval){ 0, INFINITY };
}
static void slope_abs(const interval *a, interval v, interval *d)
{
    (void)v;
    d[0] = (interval){ a[0].lo >= 0 ? 1 : -1, a[0].hi <= 0 ? -1 : 1 };
}
static void slope_fma(const interval *a, interval v, interval *d) { slope_mul(a, v, d), d[2] = one; }
static void slope_choice(const interval *a, interval v, interval *d) { (void)a, (void)v, d[0] = d[1] = (interval){ 0, 1 }; }
static void slope_hypot(const interval *a, interval v, interval *d)
{
    /* x / √(x² + y²) is within [-1, 1] wherever it is */
    for (int i = 0; i < 2; i++)
        d[i] = met_interval_meet((interval){ -1, 1 }, over(a[i], v));
}
static void slope_exp(const interval *a, interval v, interval *d) { (void)a, d[0] = v; }
static void slope_exp2(const interval *a, interval v, interval *d) { (void)a, d[0] = met_interval_mul(v, about(0.69314718055994530942)); }
static void slope_expm1(const interval *a, interval v, interval *d) { (void)v, d[0] = met_interval_exp(a[0]); }
static void slope_log(const interval *a, interval v, interval *d)
{
    (void)v;
    d[0] = a[0].lo > 0 ? over(one, a[0]) : met_interval_whole();
}
static void slope_log2(const interval *a, interval v, interval *d) { slope_log(a, v, d), d[0] = over(d[0], about(0.69314718055994530942)); }
static void slope_log10(const interval *a, interval v, interval *d) { slope_log(a, v, d), d[0] = over(d[0], about(2.30258509299404568402)); }
static void slope_log1p(const interval *a, interval v, interval *d)
{
    interval x = met_interval_add(a[0], one);
    slope_log(&x, v, d);
}
static void slope_sin(const interval *a, interval v, interval *d) { (void)v, d[0] = met_interval_cos(a[0]); }
static void slope_cos(const interval *a, interval v, interval *d) { (void)v, d[0] = met_interval_neg(met_interval_sin(a[0])); }
static void slope_tan(const interval *a, interval v, interval *d)
{
    (void)a;
    d[0] = isinf(v.lo) || isinf(v.hi) ? met_interval_whole() : met_interval_add(one, met_interval_square(v));
}
static void slope_atan(const interval *a, interval v, interval *d)
{
    (void)v;
    d[0] = over(one, met_interval_add(one, met_interval_square(a[0])));
}
static void slope_asin(const interval *a, interval v, interval *d)
{
    (void)v;
    interval below = met_interval_sub(one, met_interval_square(a[0]));
    d[0] = below.lo > 0 ? over(one, met_interval_sqrt(below)) : met_interval_whole();
}
static void slope_acos(const interval *a, interval v, interval *d) { slope_asin(a, v, d), d[0] = met_interval_neg(d[0]); }
static void slope_cbrt(const interval *a, interval v, interval *d)
{
    (void)a;
    d[0] = over(one, met_interval_mul((interval){ 3, 3 }, met_interval_square(v)));
}
static void slope_sinh(const interval *a, interval v, interval *d) { (void)v, d[0] = hyperbolic_cosine(a); }
static void slope_cosh(const interval *a, interval v, interval *d) { (void)v, d[0] = hyperbolic_sine(a); }
static void slope_tanh(const interval *a, interval v, interval *d) { (void)a, d[0] = met_interval_sub(one, met_interval_square(v)); }

static void slope_pow(const interval *a, interval v, interval *d)
{
    unsigned n;
    if (natural(a[1], &n)) {
        d[0] = n == 0 ? (interval){ 0, 0 } : met_interval_mul(a[1], met_interval_power(a[0], n - 1));
    } else {
        interval less = met_interval_sub(a[1], one);
        d[0] = a[0].lo > 0 ? met_interval_mul(a[1], met_interval_pow(a[0], less)) : met_interval_whole();
    }
    d[1] = a[0].lo > 0 ? met_interval_mul(v, met_interval_log(a[0])) : met_interval_whole();
}

/* The first rows stand in the order of met_straight_code. */
const met_straight_op met_straight_ops[] = {
    { "", 0, MET_ROUNDING_EXACT, NULL, NULL },
    { "", 0, MET_ROUNDING_EXACT, NULL, NULL },
    { "cast", 1, MET_ROUNDING_CORRECT, same, slope_one },
    { "-", 1, MET_ROUNDING_EXACT, neg, slope_neg },
    { "+", 2, MET_ROUNDING_SUM, add, slope_add },
    { "-", 2, MET_ROUNDING_SUM, sub, slope_sub },
    { "*", 2, MET_ROUNDING_CORRECT, mul, slope_mul },
    { "/", 2, MET_ROUNDING_CORRECT, quotient, slope_div },
    { "sqrt", 1, MET_ROUNDING_CORRECT, root, slope_sqrt },
    { "pow", 2, MET_ROUNDING_LIBRARY, power, slope_pow },
    { "fma", 3, MET_ROUNDING_CORRECT, fused, slope_fma },
    { "fabs", 1, MET_ROUNDING_EXACT, magnitude, slope_abs },
    { "fmin", 2, MET_ROUNDING_EXACT, lesser, slope_choice },
    { "fmax", 2, MET_ROUNDING_EXACT, greater, slope_choice },
    { "hypot", 2, MET_ROUNDING_LIBRARY, hypotenuse, slope_hypot },
    { "exp", 1, MET_ROUNDING_LIBRARY, exponential, slope_exp },
    { "exp2", 1, MET_ROUNDING_LIBRARY, exponential2, slope_exp2 },
    { "expm1", 1, MET_ROUNDING_LIBRARY, exponential1, slope_expm1 },
    { "log", 1, MET_ROUNDING_LIBRARY, logarithm, slope_log },
    { "log2", 1, MET_ROUNDING_LIBRARY, logarithm2, slope_log2 },
    { "log10", 1, MET_ROUNDING_LIBRARY, logarithm10, slope_log10 },
    { "log1p", 1, MET_ROUNDING_LIBRARY, logarithm1, slope_log1p },
    { "sin", 1, MET_ROUNDING_LIBRARY, sine, slope_sin },
    { "cos", 1, MET_ROUNDING_LIBRARY, cosine, slope_cos },
    { "tan", 1, MET_ROUNDING_LIBRARY, tangent, slope_tan },
    { "asin", 1, MET_ROUNDING_LIBRARY, arcsine, slope_asin },
    { "acos", 1, MET_ROUNDING_LIBRARY, arccosine, slope_acos },
    { "atan", 1, MET_ROUNDING_LIBRARY, arctangent, slope_atan },
    { "cbrt", 1, MET_ROUNDING_LIBRARY, cube_root, slope_cbrt },
    { "sinh", 1, MET_ROUNDING_LIBRARY, hyperbolic_sine, slope_sinh },
    { "cosh", 1, MET_ROUNDING_LIBRARY, hyperbolic_cosine, slope_cosh },
    { "tanh", 1, MET_ROUNDING_LIBRARY, hyperbolic_tangent, slope_tanh },
};
const unsigned met_straight_op_count = sizeof met_straight_ops / sizeof *met_straight_ops;

unsigned met_straight_op_find(met_str name, size_t arity, bool *ret_known)
{
    unsigned found = 0;
    *ret_known = false;
    for (unsigned i = MET_STRAIGHT_CAST; i < met_straight_op_count; i++) {
        if (!met_str_is(name, met_straight_ops[i].name))
            continue;
        *ret_known = true;
        if (met_straight_ops[i].arity == arity)
            found = i;
    }
    return found;
}
