/* The running error of a formula: its value as a run computes it, and bounds beside it that every function carries on. Owns
 * how each function of formulas rounds and how steep it is; must not know arrays.
 *
 * A number stands for a set of arguments: all reals within `error` of `value`. The error of f(a, b) is at most
 * Σ sup|∂f|·error + what f's own rounding adds, the suprema over the boxes (mean value theorem); where f jumps within a box,
 * the whole jump. What cannot be small over the reals, as a sum of squares or an exponential, has a floor besides: it keeps
 * the boxes of divisors away from 0. Channels are carried along the same way, linearly: channel 0 has the roundings of a group of nodes alone,
 * the others how far the value moves for a unit change of what the group reads. */
#ifndef MET_BUDGET_FORMULA_H
#define MET_BUDGET_FORMULA_H

#include "ir/scalar.h"

#define MET_BUDGET_CHANNELS 12

typedef struct met_running {
    double value;
    double error;
    bool open;          /* there may be none: a root of what may be negative, a division by what may be 0 */
    bool floored;       /* the real value is at least `floor`, which says more than value − error */
    double floor;
    double channel[MET_BUDGET_CHANNELS];
    bool empty; /* a fold of no terms */
    const double *element; /* of an array, that it is; NULL: of none */
} met_running;

typedef struct met_formula_inputs {
    bool wide;          /* arithmetic in f64, else in f32 */
    uint32_t channels;  /* in use */
    const met_running *inputs;
    const double *indices;
    double (*size)(void *context, const met_dim *size);
    void *context;
    /* Improves what is known of the quotient of two inputs, for those that are not independent; NULL. */
    void (*quotient)(const void *asked, uint32_t over, uint32_t under, met_running *quotient);
    const void *asked;
} met_formula_inputs;

/* The least that the real value may be. */
double met_running_least(const met_running *x);
/* The least that its square may be. */
double met_running_least_square(const met_running *x);
/* The real value, if there is one, is at most `most`, of either sign. */
void met_running_cap(met_running *x, double most);
/* Sets the floor if it says something. */
void met_running_raise(met_running *x, double floor);

/* Whether a formula says how often something holds: comparisons, and choices among integers by them. */
bool met_formula_counts(const met_scalar *e);

met_running met_formula_run(const met_formula_inputs *in, const met_scalar *e);

/* What one function adds to the error of its result `value`: half a gap of a rounded one, the stated ulps of others
 * (docs/numerics.md; of the C library's functions what docs/budget.md says); 0 of an exact one. */
double met_function_rounding(met_scalar_fn fn, bool wide, double value);

#endif
