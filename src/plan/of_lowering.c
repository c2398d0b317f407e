#include "plan/of_lowering.h"

#include <assert.h>

#include "base/diag.h"
#include "plan/planner.h"
#include "plan/region.h"

/* A rule that names one kernel, once, for several nodes says that they are one. */
static bool is_promised(const met_lowering_group *group)
{
    return group->source == MET_GROUP_RULE && group->node_count > 1 && group->kernels.count == 1 &&
           group->repeat == MET_REPEAT_ONCE;
}

static bool refuse(const met_settled *settled, const met_lowering_group *group, const met_refusal *refusal)
{
    const met_circuit *circuit = settled->circuit;
    met_span span = refusal->node.id == MET_NONE ? (met_span){ 0, 0, 0 } : circuit->nodes[refusal->node.id].span;
    met_diag *diag = met_diag_add(circuit->session, MET_DIAG_run, span, "the rule `%s` says that this is one kernel: %s",
                                  group->rule->id, refusal->reason);
    met_point usual = met_point_of(settled->point.dtype);
    if (refusal->help)
        met_diag_help(diag, "%s", refusal->help);
    else if (!met_point_equal(&usual, &settled->point))
        met_diag_help(diag, "the numerics point is not the default one; the interpreter follows any, as none@interpreter");
    return false;
}

static bool add_group(const met_derivation *facts, const met_settled *settled, const met_plan_options *options,
                      const met_lowering_group *group, met_kernel_list *list)
{
    met_arena *scratch = met_arena_new();
    met_node_id *nodes = MET_NEW_ARRAY(scratch, met_node_id, met_settled_nodes(settled, group->node_count, group->nodes, NULL));
    uint32_t count = met_settled_nodes(settled, group->node_count, group->nodes, nodes);
    met_refusal refusal = { .node = { MET_NONE } };
    met_arena *arena = facts->circuit->arena;
    bool good = true;
    if (count > 0 && is_promised(group)) {
        const met_kernel *kernel = met_region_kernel(facts, options, arena, count, nodes, &refusal);
        good = kernel ? (MET_PUSH(arena, &list->at, kernel), true) : refuse(settled, group, &refusal);
    } else if (count > 0) {
        good = met_region_kernels(facts, options, arena, count, nodes, list, &refusal) ||
               met_plan_report(facts->circuit, &refusal);
    }
    met_arena_free(scratch);
    return good;
}

const met_plan *met_plan_of_lowering(const met_lowering *lowering, const met_settled *settled, const met_plan_options *options)
{
    assert(settled->written == lowering->circuit);
    const met_derivation *facts = met_derivation_new(settled->circuit);
    met_kernel_list list = { { 0 } };
    for (uint32_t g = 0; g < lowering->group_count; g++)
        if (!add_group(facts, settled, options, &lowering->groups[g], &list))
            return NULL;
    return met_plan_of_groups(facts, &settled->point, MET_PLANNER_LOWERED, (uint32_t)list.at.count, list.at.at);
}
