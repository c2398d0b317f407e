#include "number/matrix_unit.h"

#include <math.h>

#include "number/exact.h"

enum { LOWEST = -4096 /* below the exponent of any product */ };

bool met_matrix_unit_valid(const met_matrix_unit *unit)
{
    return unit->width > 0 && unit->width <= MET_MATRIX_WIDTH && unit->fraction <= 60 && unit->final <= MET_RU &&
           unit->keep <= 23 && (unit->keep == 0 || unit->final == MET_RZ);
}

static bool counts(double value)
{
    return isfinite(value) && value != 0;
}

/* Toward zero to a multiple of 2^-bits. */
static double cut(double value, int bits)
{
    return counts(value) ? ldexp(trunc(ldexp(value, bits)), -bits) : value;
}

static float rounded(const met_matrix_unit *unit, const met_exact *sum)
{
    double value = met_exact_round(sum, MET_F32, (met_rounding)unit->final);
    return (float)(unit->keep && counts(value) ? cut(value, unit->keep - ilogb(value)) : value);
}

float met_matrix_node(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc)
{
    met_exact sum;
    int largest = counts((double)acc) ? ilogb((double)acc) : LOWEST;
    met_exact_clear(&sum);
    for (uint64_t i = 0; i < count; i++) {
        int exponent = counts(a[i] * b[i]) ? ilogb(a[i]) + ilogb(b[i]) : LOWEST;
        largest = exponent > largest ? exponent : largest;
    }
    met_exact_add(&sum, cut((double)acc, unit->fraction - largest));
    for (uint64_t i = 0; i < count; i++) {
        met_exact_add(&sum, cut(a[i] * b[i], unit->fraction - largest));
    }
    return rounded(unit, &sum);
}

float met_matrix_dot(const met_matrix_unit *unit, uint64_t n, const double *a, const double *b, float c)
{
    float acc = unit->late ? 0 : c;
    for (uint64_t i = 0; i < n; i += unit->width) {
        acc = met_matrix_node(unit, n - i < unit->width ? n - i : unit->width, a + i, b + i, acc);
    }
    return unit->late ? acc + c : acc;
}
