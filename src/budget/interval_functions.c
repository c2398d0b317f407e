/* Elementary functions of intervals, by those of the C library. */
#include "budget/interval.h"

#include <float.h>
#include <math.h>

/* Moves a value of the C library's by more than four units in its last place. */
static double outwards(double value, double direction)
{
    if (isinf(value))
        return value * direction > 0 ? value : copysign(DBL_MAX, value);
    return value + direction * (fabs(value) * 0x1p-50 + 0x1p-1070);
}

met_interval met_interval_rising(double (*function)(double), met_interval x, double lowest, double highest)
{
    double lo = function(x.lo), hi = function(x.hi);
    return (met_interval){ isnan(lo) ? lowest : fmax(lowest, outwards(lo, -1)), isnan(hi) ? highest : fmin(highest, outwards(hi, 1)) };
}

met_interval met_interval_log(met_interval x)
{
    if (x.hi <= 0)
        return met_interval_whole();
    return met_interval_rising(log, (met_interval){ fmax(x.lo, 0), x.hi }, -INFINITY, INFINITY);
}

met_interval met_interval_exp(met_interval x)
{
    return met_interval_rising(exp, x, 0, INFINITY);
}

met_interval met_interval_pow(met_interval x, met_interval y)
{
    if (x.lo < 0 || x.hi <= 0)
        return met_interval_whole();
    return met_interval_exp(met_interval_mul(y, met_interval_log(x)));
}

/* Whether a point offset + k·period may be in x. `offset` and `period` are multiples of π/2 rounded to double, and ends up to
 * a million: the guard of 1e-9 is far beyond what that rounding moves, and only makes the answer yes more often. */
static bool may_hold(met_interval x, double offset, double period)
{
    double first = ceil((x.lo - offset) / period - 1e-9);
    return first <= (x.hi - offset) / period + 1e-9;
}

static met_interval wave(double (*function)(double), met_interval x, double highest_at)
{
    const double pi = 3.14159265358979323846;
    if (!(met_interval_magnitude(x) <= 1e6) || x.hi - x.lo > 6.2)
        return (met_interval){ -1, 1 };
    double a = function(x.lo), b = function(x.hi);
    double lo = may_hold(x, highest_at + pi, 2 * pi) ? -1 : fmax(-1, outwards(fmin(a, b), -1));
    double hi = may_hold(x, highest_at, 2 * pi) ? 1 : fmin(1, outwards(fmax(a, b), 1));
    return (met_interval){ lo, hi };
}

met_interval met_interval_sin(met_interval x)
{
    return wave(sin, x, 1.57079632679489661923);
}

met_interval met_interval_cos(met_interval x)
{
    return wave(cos, x, 0);
}

met_interval met_interval_tan(met_interval x)
{
    if (!(met_interval_magnitude(x) <= 1e6) || may_hold(x, 1.57079632679489661923, 3.14159265358979323846))
        return met_interval_whole();
    return met_interval_rising(tan, x, -INFINITY, INFINITY);
}
