/* How steep the functions of formulas are: bounds on the partial derivatives over boxes of arguments, by calculus alone. */
#ifndef MET_BUDGET_SLOPE_H
#define MET_BUDGET_SLOPE_H

#include "ir/scalar.h"

typedef struct met_interval {
    double low, high;
    double at; /* where the function is computed */
} met_interval;

typedef struct met_slopes {
    double at[3];   /* by argument: at least the largest |∂f| over the box, rounded up; infinite where there is none */
    bool larger;    /* the change is at most the larger one of the two arguments' changes, not their sum (max, min) */
    bool jump;      /* it may jump within the box: no slope; it changes by `width` at most */
    double width;
} met_slopes;

/* Not of select, which is a choice. */
met_slopes met_slopes_of(met_scalar_fn fn, const met_interval box[3]);

#endif
