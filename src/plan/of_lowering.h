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

/* For met_lower_options.region: the context is one of these. */
typedef struct met_region_judge {
    const met_settled *settled;
    const met_derivation *facts; /* of the settled circuit */
    met_plan_options options;    /* accepts: what the realization can make */
} met_region_judge;
bool met_region_is_kernel(void *judge, uint32_t count, const met_node_id *nodes);

/* For met_lower_options.record: the context is the settled circuit's trace. */
const char *met_settled_record(void *settled, uint32_t count, const met_node_id *nodes);

#endif
