/* What planners share. */
#ifndef MET_PLAN_PLANNER_H
#define MET_PLAN_PLANNER_H

#include "derive/derivation.h"
#include "plan/plan.h"

/* A plan of kernels that cover the circuit, in topological order. */
met_plan *met_plan_of_groups(const met_derivation *facts, const met_point *point, met_planner planner,
                                   uint32_t group_count, const met_kernel *const *groups);
/* The planners `fused` and `whole`; options are given. */
const met_plan *met_plan_fused(const met_derivation *facts, const met_point *point, met_planner planner,
                               const met_plan_options *options);
/* Puts a refusal into the session as a diagnostic; false. */
bool met_plan_report(const met_circuit *circuit, const met_refusal *refusal);

#endif
