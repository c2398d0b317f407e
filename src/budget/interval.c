#include "budget/interval.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Below this, the error of a product may itself be rounded: then ends always move. */
static const double tiny = 0x1p-960;

met_interval met_interval_whole(void)
{
    return (met_interval){ -INFINITY, INFINITY };
}

met_interval met_interval_point(double x)
{
    return (met_interval){ x, x };
}

double met_next_up(double x)
{
    uint64_t bits;
    if (x == 0)
        return 0x1p-1074;
    if (x == INFINITY || isnan(x))
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? 1 : (uint64_t)-1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double met_next_down(double x)
{
    return -met_next_up(-x);
}

/* An exact result whose nearest double is `near` and lies on the side of `error`'s sign of it. */
static double up(double near, double error)
{
    if (near == -INFINITY)
        return -DBL_MAX;
    return error > 0 ? met_next_up(near) : near;
}

double met_add_up(double x, double y)
{
    double sum = x + y;
    if (isnan(sum))
        return INFINITY;
    if (isinf(sum))
        return isinf(x) || isinf(y) ? sum : up(sum, 0);
    double other = sum - x;
    return up(sum, (x - (sum - other)) + (y - other));
}

static double add_down(double x, double y)
{
    return -met_add_up(-x, -y);
}

double met_mul_up(double x, double y)
{
    double product = x * y;
    if (x == 0 || y == 0)
        return 0; /* infinities are limits that are not reached */
    if (isinf(product))
        return isinf(x) || isinf(y) ? product : up(product, 0);
    if (fabs(product) < tiny)
        return met_next_up(product);
    return up(product, fma(x, y, -product));
}

static double mul_down(double x, double y)
{
    return -met_mul_up(-x, y);
}

/* y is not 0. */
double met_div_up(double x, double y)
{
    double quotient = x / y;
    if (x == 0)
        return 0;
    if (isnan(quotient))
        return INFINITY;
    if (isinf(y))
        return quotient < 0 || (x < 0) != (y < 0) ? 0 : 0x1p-1074;
    if (isinf(quotient))
        return isinf(x) ? quotient : up(quotient, 0);
    if (fabs(quotient) < tiny || fabs(x) < tiny)
        return met_next_up(quotient);
    double rest = -fma(quotient, y, -x);
    return up(quotient, y > 0 ? rest : -rest);
}

static double div_down(double x, double y)
{
    return -met_div_up(-x, y);
}

double met_sqrt_up(double x)
{
    double root = sqrt(x);
    if (x == 0 || isinf(root))
        return root;
    return x < tiny ? met_next_up(root) : up(root, -fma(root, root, -x));
}

static double sqrt_down(double x)
{
    double root = sqrt(x);
    if (x == 0)
        return 0;
    if (isinf(root))
        return DBL_MAX;
    return x < tiny || fma(root, root, -x) > 0 ? met_next_down(root) : root;
}

double met_interval_magnitude(met_interval x)
{
    return fmax(fabs(x.lo), fabs(x.hi));
}

double met_interval_mignitude(met_interval x)
{
    return met_interval_has(x, 0) ? 0 : fmin(fabs(x.lo), fabs(x.hi));
}

bool met_interval_has(met_interval x, double point)
{
    return x.lo <= point && point <= x.hi;
}

met_interval met_interval_hull(met_interval x, met_interval y)
{
    return (met_interval){ fmin(x.lo, y.lo), fmax(x.hi, y.hi) };
}

met_interval met_interval_meet(met_interval x, met_interval y)
{
    met_interval both = { fmax(x.lo, y.lo), fmin(x.hi, y.hi) };
    return both.lo <= both.hi ? both : x;
}

met_interval met_interval_neg(met_interval x)
{
    return (met_interval){ -x.hi, -x.lo };
}

met_interval met_interval_abs(met_interval x)
{
    return (met_interval){ met_interval_mignitude(x), met_interval_magnitude(x) };
}

met_interval met_interval_add(met_interval x, met_interval y)
{
    return (met_interval){ add_down(x.lo, y.lo), met_add_up(x.hi, y.hi) };
}

met_interval met_interval_sub(met_interval x, met_interval y)
{
    return met_interval_add(x, met_interval_neg(y));
}

met_interval met_interval_mul(met_interval x, met_interval y)
{
    if (x.lo >= 0 && y.lo >= 0)
        return (met_interval){ mul_down(x.lo, y.lo), met_mul_up(x.hi, y.hi) };
    double lo = fmin(fmin(mul_down(x.lo, y.lo), mul_down(x.lo, y.hi)), fmin(mul_down(x.hi, y.lo), mul_down(x.hi, y.hi)));
    double hi = fmax(fmax(met_mul_up(x.lo, y.lo), met_mul_up(x.lo, y.hi)), fmax(met_mul_up(x.hi, y.lo), met_mul_up(x.hi, y.hi)));
    return (met_interval){ lo, hi };
}

met_interval met_interval_div(met_interval x, met_interval y)
{
    if (met_interval_has(y, 0))
        return met_interval_whole();
    double lo = fmin(fmin(div_down(x.lo, y.lo), div_down(x.lo, y.hi)), fmin(div_down(x.hi, y.lo), div_down(x.hi, y.hi)));
    double hi = fmax(fmax(met_div_up(x.lo, y.lo), met_div_up(x.lo, y.hi)), fmax(met_div_up(x.hi, y.lo), met_div_up(x.hi, y.hi)));
    return (met_interval){ lo, hi };
}

met_interval met_interval_square(met_interval x)
{
    met_interval a = met_interval_abs(x);
    return (met_interval){ fmax(0, mul_down(a.lo, a.lo)), met_mul_up(a.hi, a.hi) };
}

met_interval met_interval_sqrt(met_interval x)
{
    if (x.hi < 0)
        return met_interval_whole();
    return (met_interval){ x.lo > 0 ? sqrt_down(x.lo) : 0, met_sqrt_up(x.hi) };
}

/* x >= 0 */
static double power_up(double x, unsigned n)
{
    double product = 1;
    while (n-- > 0)
        product = met_mul_up(product, x);
    return product;
}

static double power_down(double x, unsigned n)
{
    double product = 1;
    while (n-- > 0)
        product = mul_down(product, x);
    return product;
}

met_interval met_interval_power(met_interval x, unsigned n)
{
    if (n % 2 == 0)
        x = met_interval_abs(x);
    return (met_interval){ x.lo >= 0 ? power_down(x.lo, n) : -power_up(-x.lo, n), x.hi >= 0 ? power_up(x.hi, n) : -power_down(-x.hi, n) };
}
