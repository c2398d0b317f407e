/* Plans: which groups of a settled circuit's nodes become one kernel each, and which edges are stored between them.
 * Planners differ in how they choose; one checker holds for all of them. */
#ifndef MET_PLAN_PLAN_H
#define MET_PLAN_PLAN_H

#include "derive/kernel.h"
#include "ir/point.h"

typedef enum met_planner {
    MET_PLANNER_NONE,  /* every node by itself: the reference */
    MET_PLANNER_FUSED, /* every region that derivation accepts and the cost favours */
    MET_PLANNER_WHOLE, /* the same, whatever it costs: to look at large kernels and to hold their bytes to the others' */
    MET_PLANNER_LOWERED /* what a lowering says (plan/of_lowering.h); no planner that can be asked for here */
} met_planner;

bool met_planner_find(met_str name, met_planner *ret_planner);
const char *met_planner_name(met_planner planner); /* none, fused, whole, lowered */

/* Why two groups, of which the second reads what the first makes, are not one. */
typedef struct met_plan_note {
    uint32_t from, to;
    const char *reason;
} met_plan_note;

typedef struct met_plan {
    const met_circuit *circuit; /* settled */
    met_point point;
    met_planner planner;
    uint32_t group_count;
    const met_kernel *const *groups; /* in topological order; together they cover every node once */
    const bool *stored;              /* by edge: it stands in memory between groups */
    uint32_t note_count;             /* of planners that choose; by `to`, then `from` */
    const met_plan_note *notes;
} met_plan;

typedef struct met_plan_options {
    uint64_t capacity_bytes; /* of the level that fused tiles must fit: L2 of the class */
    /* Whether the realization can make this kernel; NULL: all. */
    bool (*accepts)(void *context, const met_kernel *kernel);
    void *context;
} met_plan_options;

/* NULL with a diagnostic. The sizes of the circuit must be bound for FUSED and WHOLE. */
const met_plan *met_plan_make(const met_circuit *settled, const met_point *point, met_planner planner,
                              const met_plan_options *options);

/* NULL if the plan covers every node once, its regions are convex, its groups in order and its edges classed; otherwise
 * what is wrong. */
const char *met_plan_check(const met_plan *plan);

#endif
