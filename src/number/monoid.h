/* The monoids a fold may use, and one step of each.
 *
 * Sums and products round, so their tree is part of the meaning. Maximum, minimum and "or" are exact: any tree gives the
 * same bits. Maximum and minimum are those of IEEE 754-2019 (a NaN wins and becomes the canonical NaN; −0 < +0). "Or" is
 * 1 if either operand is not zero (a NaN is not), else 0. */
#ifndef MET_NUMBER_MONOID_H
#define MET_NUMBER_MONOID_H

#include <math.h>
#include <stdbool.h>

typedef enum met_monoid {
    MET_MONOID_NONE, /* a map */
    MET_MONOID_ADD,
    MET_MONOID_MUL,
    MET_MONOID_MAX,
    MET_MONOID_MIN,
    MET_MONOID_OR
} met_monoid;

/* The value of a fold over nothing: 0, 1, −∞, +∞, 0. */
double met_monoid_unit(met_monoid monoid);
bool met_monoid_is_exact(met_monoid monoid);

/* One step in f64. */
static inline double met_monoid_step(met_monoid monoid, double a, double b)
{
    switch (monoid) {
    case MET_MONOID_ADD:
        return a + b;
    case MET_MONOID_MUL:
        return a * b;
    case MET_MONOID_MAX:
        return a > b ? a : a < b ? b : a == b ? (signbit(a) ? b : a) : (double)NAN;
    case MET_MONOID_MIN:
        return a < b ? a : a > b ? b : a == b ? (signbit(a) ? a : b) : (double)NAN;
    case MET_MONOID_OR:
        return a != 0 || b != 0 ? 1 : 0;
    case MET_MONOID_NONE:
        break;
    }
    return b;
}

#endif
