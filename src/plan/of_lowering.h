/* From a lowering to kernels: the groups of a circuit as written become groups of its settled circuit, and those become
 * kernels that a class can be written for. A group that is not one kernel there becomes several, in order (a single op whose
 * definition takes more than one); for groups that a rule promised to be one kernel that is an error. */
#ifndef MET_PLAN_OF_LOWERING_H
#define MET_PLAN_OF_LOWERING_H

#include "ir/settle_trace.h"
#include "plan/lowering.h"
#include "plan/plan.h"

/* The settled circuit of `settled` must come from the lowering's circuit. NULL with diagnostics. */
const met_plan *met_plan_of_lowering(const met_lowering *lowering, const met_settled *settled, const met_plan_options *options);

/* What answers questions about groups of the written circuit for met_lower: it knows the settled circuit and remembers, by
 * shape, what it found out. */
typedef struct met_region_judge met_region_judge;

/* In the circuit's arena. `options` say what one kernel may be: what the realization can make, and the capacity that its
 * smallest tiles must fit (0: any). */
met_region_judge *met_region_judge_new(const met_settled *settled, const met_plan_options *options);

/* For met_lower_options.region; the context is a judge. */
bool met_region_is_kernel(void *judge, uint32_t count, const met_node_id *nodes);

/* For met_lower_options.record; the context is a judge. Text of the arithmetic of a group, a line a primitive and then one an
 * accumulator that its kernels rescale; equal for groups that do the same arithmetic, whatever their ids and sizes are. NULL:
 * undeclared, since a part of it has no meaning of its own (a box). docs/plan.md says what is in it. */
const char *met_settled_record(void *judge, uint32_t count, const met_node_id *nodes);

#endif
