/* Exact fractions, for exponents. Results that do not fit are marked and stay so. */
#ifndef MET_COST_RATIO_H
#define MET_COST_RATIO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct met_ratio {
    int64_t over, under; /* lowest terms, under > 0; under = 0: does not fit */
} met_ratio;

met_ratio met_ratio_of(int64_t over, int64_t under);
met_ratio met_ratio_add(met_ratio a, met_ratio b);
met_ratio met_ratio_sub(met_ratio a, met_ratio b);
met_ratio met_ratio_mul(met_ratio a, met_ratio b);
/* b is not 0. */
met_ratio met_ratio_div(met_ratio a, met_ratio b);
/* <0, 0, >0 as a - b; both fit. */
int met_ratio_compare(met_ratio a, met_ratio b);
bool met_ratio_fits(met_ratio a);
int met_ratio_sign(met_ratio a);
double met_ratio_number(met_ratio a);

#endif
