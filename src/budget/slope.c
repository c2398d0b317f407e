#include "budget/slope.h"

#include <math.h>

#define INF ((double)INFINITY)
/* Above what the C library says of a function whose error is a few ulps. */
#define ABOVE (1 + 0x1p-40)

static double magnitude(met_interval x)
{
    return fmax(fabs(x.low), fabs(x.high));
}

/* The least |x| of the box. */
static double mignitude(met_interval x)
{
    return x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
}

static met_slopes steps(double a, double b, double c)
{
    return (met_slopes){ .at = { a * ABOVE, b * ABOVE, c * ABOVE } };
}

/* --- By function --- */

static met_slopes sum(const met_interval box[3])
{
    (void)box;
    return (met_slopes){ .at = { 1, 1, 1 } };
}

/* |a′b′ − ab| ≤ |b′|·|a′ − a| + |a|·|b′ − b| */
static met_slopes product(const met_interval box[3])
{
    return steps(magnitude(box[1]), fabs(box[0].at), 1);
}

/* a′/b′ − a/b = ((a′ − a) − a/b·(b′ − b))/b′ */
static met_slopes quotient(const met_interval box[3])
{
    double least = mignitude(box[1]);
    if (least == 0)
        return steps(INF, INF, 0);
    return steps(1 / least, fabs(box[0].at / box[1].at) / least, 0);
}

/* a^b: b·a^(b−1) and a^b·ln a, both largest in a corner where a > 0. */
static met_slopes power(const met_interval box[3])
{
    met_interval a = box[0], b = box[1];
    double e = b.at;
    if (b.low == b.high && e == rint(e) && e >= 1)
        return steps(e * pow(magnitude(a), e - 1), 0, 0);
    if (!(a.low > 0))
        return b.low == b.high && e == 0 ? steps(0, 0, 0) : steps(INF, INF, 0);
    double by_a = 0, by_b = 0, logarithm = fmax(fabs(log(a.low)), fabs(log(a.high)));
    for (int corner = 0; corner < 4; corner++) {
        double x = corner & 1 ? a.high : a.low, y = corner & 2 ? b.high : b.low;
        by_a = fmax(by_a, pow(x, y - 1));
        by_b = fmax(by_b, pow(x, y));
    }
    return steps(by_a * magnitude(b), by_b * logarithm, 0);
}

static met_slopes exponential(const met_interval box[3])
{
    return steps(exp(box[0].high), 0, 0);
}

static met_slopes binary_exponential(const met_interval box[3])
{
    return steps(exp2(box[0].high) * 0.69314718055994531, 0, 0);
}

/* The polynomial stands for 2^f within half a unit of 0 and nowhere else. */
static met_slopes half_exponential(const met_interval box[3])
{
    return fabs(box[0].at) <= 0.5 ? binary_exponential(box) : (met_slopes){ .jump = true, .width = INF };
}

static met_slopes logarithm(const met_interval box[3])
{
    return steps(box[0].low > 0 ? 1 / box[0].low : INF, 0, 0);
}

static met_slopes binary_logarithm(const met_interval box[3])
{
    return steps(box[0].low > 0 ? 1.4426950408889634 / box[0].low : INF, 0, 0);
}

/* √a′ − √a = (a′ − a)/(√a′ + √a) */
static met_slopes root(const met_interval box[3])
{
    double least = sqrt(fmax(box[0].low, 0)) + sqrt(fmax(box[0].at, 0));
    return steps(box[0].low >= 0 && least > 0 ? 1 / least : INF, 0, 0);
}

static met_slopes inverse_root(const met_interval box[3])
{
    double low = sqrt(fmax(box[0].low, 0)), at = sqrt(fmax(box[0].at, 0));
    return steps(low > 0 ? 1 / (low * at * (low + at)) : INF, 0, 0);
}

static met_slopes inverse(const met_interval box[3])
{
    double least = mignitude(box[0]);
    return steps(least > 0 ? 1 / (least * least) : INF, 0, 0);
}

/* 1 − tanh², 2/√π·e^−x² and s·(1 − s) are largest nearest to 0. */
static met_slopes hyperbolic(const met_interval box[3])
{
    double t = tanh(mignitude(box[0]));
    return steps((1 - t) * (1 + t) + 0x1p-50, 0, 0);
}

static met_slopes error_function(const met_interval box[3])
{
    double m = mignitude(box[0]);
    return steps(1.1283791670955126 * exp(-m * m), 0, 0);
}

static met_slopes logistic(const met_interval box[3])
{
    double e = exp(-mignitude(box[0]));
    return steps(e / ((1 + e) * (1 + e)), 0, 0);
}

static met_slopes largest(const met_interval box[3])
{
    met_slopes s = sum(box);
    s.larger = true;
    return s;
}

static met_slopes stair(double low, double high)
{
    return (met_slopes){ .jump = low != high, .width = high - low };
}

static met_slopes floored(const met_interval box[3])
{
    return stair(floor(box[0].low), floor(box[0].high));
}

static met_slopes rounded(const met_interval box[3])
{
    return stair(rint(box[0].low), rint(box[0].high));
}

/* The exponent is an integer: a change of it is a jump. */
static met_slopes scaled(const met_interval box[3])
{
    if (box[1].low != box[1].high)
        return (met_slopes){ .jump = true, .width = INF };
    return steps(exp2(box[1].at), 0, 0);
}

/* A comparison, or what is made of such: decided unless the boxes meet. */
static met_slopes comparison(const met_interval box[3])
{
    bool apart = box[0].high < box[1].low || box[0].low > box[1].high;
    return (met_slopes){ .jump = !apart, .width = 1 };
}

static met_slopes logic(const met_interval box[3])
{
    (void)box;
    return (met_slopes){ .jump = true, .width = 1 };
}

typedef met_slopes (*slope_fn)(const met_interval box[3]);

met_slopes met_slopes_of(met_scalar_fn fn, const met_interval box[3])
{
    static const slope_fn table[MET_FN_COUNT] = {
        [MET_FN_add] = sum,          [MET_FN_sub] = sum,         [MET_FN_mul] = product,   [MET_FN_div] = quotient,
        [MET_FN_pow] = power,        [MET_FN_lt] = comparison,   [MET_FN_le] = comparison, [MET_FN_gt] = comparison,
        [MET_FN_ge] = comparison,    [MET_FN_eq] = comparison,   [MET_FN_ne] = comparison, [MET_FN_and] = logic,
        [MET_FN_or] = logic,         [MET_FN_neg] = sum,         [MET_FN_not] = logic,     [MET_FN_abs] = sum,
        [MET_FN_exp] = exponential,  [MET_FN_exp2] = binary_exponential,
        [MET_FN_exp2p] = half_exponential, [MET_FN_expp] = exponential,
        [MET_FN_log] = logarithm,    [MET_FN_log2] = binary_logarithm, [MET_FN_sqrt] = root,
        [MET_FN_rsqrt] = inverse_root, [MET_FN_recip] = inverse, [MET_FN_sin] = sum,       [MET_FN_cos] = sum,
        [MET_FN_tanh] = hyperbolic,  [MET_FN_tanhp] = hyperbolic, [MET_FN_erf] = error_function,
        [MET_FN_erfp] = error_function, [MET_FN_sigmoid] = logistic, [MET_FN_floor] = floored, [MET_FN_rint] = rounded,
        [MET_FN_max] = largest,      [MET_FN_min] = largest,     [MET_FN_ldexp] = scaled,  [MET_FN_fma] = product,
    };
    return table[fn](box);
}
