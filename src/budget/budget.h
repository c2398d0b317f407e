/* Budgets: how far a result may be from the exact one, or two results from each other, and why. Per node an error of its own,
 * ε, from its record and formats (budget/term.h); per edge into a node an amplification L, a bound or a labelled estimate; and
 * their composition along the graph: L·d + ε in series, the maximum of what stands side by side, sums at joins. Owns the terms
 * and the walk; must not know who measured, nor print.
 *
 * All quantities are absolute, in the unit of the value, as real numbers in double rounded up where they are bounds; what is
 * relative is relative to a tensor's root mean square. Sources of the formulas: Higham, "Accuracy and Stability of Numerical
 * Algorithms" (2002), chapters 3 and 4; the n-way node's: docs/numerics.md. */
#ifndef MET_BUDGET_BUDGET_H
#define MET_BUDGET_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* What kind of statement a number is. A composition is as weak as its weakest term. */
typedef enum met_budget_kind {
    MET_BUDGET_BOUND,    /* proven */
    MET_BUDGET_CONDITIONAL, /* proven if a stated condition holds, which does in double */
    MET_BUDGET_PROBABLE, /* holds with a stated probability under a stated assumption */
    MET_BUDGET_ESTIMATE  /* from a measurement */
} met_budget_kind;

typedef struct met_budget_in {
    size_t from;   /* a node before this one; SIZE_MAX: none, it is off to begin with */
    double L;
    met_budget_kind kind;
    double off;    /* by this */
} met_budget_in;

typedef struct met_budget_node {
    const char *name;
    bool tuple;      /* every element depends on one input alone: the maximum of what they bring instead of the sum */
    size_t in_count;
    const met_budget_in *ins;
    double eps;
    met_budget_kind kind; /* of eps */
} met_budget_node;

typedef struct met_budget_distance {
    double d;
    met_budget_kind kind; /* the weakest of the path */
} met_budget_distance;

/* Distances by node, given in topological order; every product and sum is rounded up. In the arena. */
const met_budget_distance *met_budget_walk(met_arena *arena, size_t count, const met_budget_node *nodes);

#endif
