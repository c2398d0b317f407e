/* Branch and bound over the boxes of a straight-line program: the largest bound that any box has, the boxes halved where they
 * are worst until what a point reaches is near or the work is done. */
#ifndef MET_BUDGET_STRAIGHT_SEARCH_H
#define MET_BUDGET_STRAIGHT_SEARCH_H

#include "budget/straight_eval.h"

/* Boxes are halved until the bound is within this of what a point reaches. */
#define MET_STRAIGHT_NEAR 0.01

typedef enum met_straight_quantity { MET_STRAIGHT_ABSOLUTE, MET_STRAIGHT_RELATIVE } met_straight_quantity;

typedef struct met_straight_found {
    bool empty;           /* the conditions hold nowhere */
    bool defined;         /* in all boxes: no root of what may be negative */
    double bound;         /* holds everywhere; INFINITY if none was found */
    double reached;       /* the same derivation has this at a point: no search of it gives less */
    met_interval result;  /* holds all exact results */
    const met_interval *worst;          /* box of the bound */
    const met_straight_values *values;  /* and how it came about, by node */
    uint64_t boxes;       /* looked at */
} met_straight_found;

/* `range` is the box, by argument, with finite ends; `work` is in nodes of boxes. In the arena. */
met_straight_found met_straight_search(met_arena *arena, const met_straight_program *program, const met_straight_model *model,
                                       const met_interval *range, met_straight_quantity quantity, uint64_t work);

/* The first node that has no bound, else the result's. */
size_t met_straight_unbounded(const met_straight_program *program, const met_straight_values *values);

#endif
