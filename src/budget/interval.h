/* Intervals of real numbers with ends in double: every operation returns an interval that holds all results, its ends rounded
 * outwards, and exact where the result is. Owns the arithmetic; knows no programs.
 *
 * Sums, products, quotients and roots are told from their rounding by error-free transformations (Dekker 1971, Knuth TAOCP 2,
 * 4.2.2; fused products), so no rounding mode is ever set. Elementary functions are the C library's, taken to be within four
 * units in the last place, which glibc, musl and the BSDs are known to keep for those used here. */
#ifndef MET_BUDGET_INTERVAL_H
#define MET_BUDGET_INTERVAL_H

#include <stdbool.h>

/* lo <= hi; infinite ends stand for "no limit". Never holds a NaN: what has no value gives the whole line. */
typedef struct met_interval {
    double lo, hi;
} met_interval;

met_interval met_interval_whole(void);
met_interval met_interval_point(double x);
/* Largest and least absolute value in it. */
double met_interval_magnitude(met_interval x);
double met_interval_mignitude(met_interval x);
bool met_interval_has(met_interval x, double point);
met_interval met_interval_hull(met_interval x, met_interval y);
/* What both hold; x if they have nothing in common, which rounding never brings about. */
met_interval met_interval_meet(met_interval x, met_interval y);

/* Neighbours among doubles. */
double met_next_up(double x);
double met_next_down(double x);
/* Sums and products rounded to one side. */
double met_add_up(double x, double y);
double met_mul_up(double x, double y);
double met_div_up(double x, double y);
double met_sqrt_up(double x);

met_interval met_interval_neg(met_interval x);
met_interval met_interval_abs(met_interval x);
met_interval met_interval_add(met_interval x, met_interval y);
met_interval met_interval_sub(met_interval x, met_interval y);
met_interval met_interval_mul(met_interval x, met_interval y);
met_interval met_interval_div(met_interval x, met_interval y);
met_interval met_interval_square(met_interval x);
/* Of what is not negative in x. */
met_interval met_interval_sqrt(met_interval x);
/* x to a natural power, up to a thousand. */
met_interval met_interval_power(met_interval x, unsigned n);

/* A function of the C library that rises throughout; `lowest` and `highest` are the ends of its values. */
met_interval met_interval_rising(double (*function)(double), met_interval x, double lowest, double highest);
/* Of what is positive in x. */
met_interval met_interval_log(met_interval x);
met_interval met_interval_exp(met_interval x);
/* x^y = exp(y log x); the whole line if x may be negative. */
met_interval met_interval_pow(met_interval x, met_interval y);
met_interval met_interval_sin(met_interval x);
met_interval met_interval_cos(met_interval x);
/* The whole line if a pole may be in x. */
met_interval met_interval_tan(met_interval x);

#endif
