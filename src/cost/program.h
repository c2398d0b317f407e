/* Linear programs over exact fractions: maximize c·x where A·x <= b, x >= 0, and b >= 0, so that x = 0 is a start. */
#ifndef MET_COST_PROGRAM_H
#define MET_COST_PROGRAM_H

#include "base/arena.h"
#include "cost/ratio.h"

typedef struct met_lp {
    uint32_t row_count, column_count;
    met_ratio *rows;  /* row_count × column_count: A */
    met_ratio *right; /* b, row_count */
    met_ratio *gain;  /* c, column_count */
} met_lp;

typedef struct met_lp_optimum {
    met_ratio value;
    met_ratio *x;    /* column_count */
    met_ratio *dual; /* row_count: what one more of b is worth */
    bool dual_unique;
} met_lp_optimum;

/* All coefficients 0. */
met_lp met_lp_new(met_arena *arena, uint32_t rows, uint32_t columns);
/* False if it is unbounded, or if a fraction on the way does not fit. The simplex method with Bland's rule, which cannot
 * cycle (R. G. Bland, 1977). */
bool met_lp_maximize(met_arena *arena, const met_lp *lp, met_lp_optimum *ret_optimum);

#endif
