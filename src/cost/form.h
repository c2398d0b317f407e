/* Closed forms: how the least traffic of a problem falls with the capacity M, slices being thin and tiles free. It is
 *
 *     moved once + number · Π base^exponent / M^beta
 *
 * to leading order in M. The exponent comes from a linear program: with tiles M^y, the smallest product of tiles that
 * divides an array's traffic is to be as large as the residents allow. Where the dual of that program has one solution,
 * it is also the solution of the dual geometric program, whose value is the number (R. J. Duffin, E. L. Peterson,
 * C. Zener, Geometric Programming, 1967). Bases are expressions in the sizes of the problem's loops: symbol l is the size
 * of loop l and those like it. The order of the streams is the problem's. */
#ifndef MET_COST_FORM_H
#define MET_COST_FORM_H

#include "cost/problem.h"
#include "cost/ratio.h"

typedef struct met_cost_power {
    const met_dim *base;
    met_ratio exponent;
} met_cost_power;

typedef struct met_cost_form {
    met_ratio beta;       /* 0: nothing depends on M */
    bool closed;          /* otherwise only beta is known */
    const met_dim *once;  /* in 1/unit, as traffic is */
    double number;
    uint32_t power_count;
    const met_cost_power *powers;
    uint64_t unit;
} met_cost_form;

/* False if exponents or expressions do not fit. */
bool met_cost_form_of(met_arena *arena, const met_cost_problem *problem, met_cost_form *ret_form);

/* Its value where all sizes are known and the form is closed; traffic and capacity in 1/unit. */
double met_cost_form_value(const met_cost_form *form, const met_cost_problem *problem, double capacity);

/* `2*q*d + 4*q*x*d^2/M`, by the names of the loops, for M and traffic in whole units. */
void met_cost_form_print(met_text *out, met_arena *arena, const met_cost_form *form, const met_cost_problem *problem);

/* beta of one contraction whatever its schedule: sigma - 1, where sigma is the fractional edge cover, the least sum of
 * weights on the arrays (the result included) that gives every loop 1 or more. False if a loop is in no array. */
bool met_cost_edge_cover(met_arena *arena, uint32_t loop_count, uint32_t array_count, const met_loops *arrays,
                         met_ratio *ret_sigma);

#endif
