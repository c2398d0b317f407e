/* The real optimum: the least traffic with tiles that are any real numbers, slices at their granules. A geometric program
 * in the free tiles, solved to full double precision. */
#ifndef MET_COST_RELAX_H
#define MET_COST_RELAX_H

#include "cost/problem.h"

typedef struct met_cost_relaxed {
    double traffic; /* in 1/unit */
    double tile[MET_KERNEL_LOOPS]; /* of every loop */
    bool clamped;   /* a free tile stands at 1 or at its loop's size */
} met_cost_relaxed;

/* With `clamp`, 1 <= tile <= size. The order of the streams is the problem's. False if nothing fits, or if
 * tiles overlap: that is no geometric program. */
bool met_cost_relax(const met_cost_problem *problem, double capacity, bool clamp, met_cost_relaxed *ret_relaxed);

#endif
