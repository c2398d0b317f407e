#include "plan/plan.h"

#include "base/diag.h"
#include "base/text.h"
#include "plan/planner.h"

bool met_planner_find(met_str name, met_planner *ret_planner)
{
    for (int p = MET_PLANNER_NONE; p <= MET_PLANNER_WHOLE; p++) {
        if (met_str_is(name, met_planner_name((met_planner)p))) {
            *ret_planner = (met_planner)p;
            return true;
        }
    }
    return false;
}

const char *met_planner_name(met_planner planner)
{
    static const char *const names[] = { "none", "fused", "whole", "lowered" };
    return names[planner];
}

/* An edge stands in memory unless it is made and read within one group and nothing else wants it. */
static const bool *stored_edges(const met_derivation *facts, uint32_t group_count, const met_kernel *const *groups)
{
    const met_circuit *circuit = facts->circuit;
    bool *stored = MET_NEW_ARRAY(circuit->arena, bool, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        stored[e] = circuit->edges[e].producer.id == MET_NONE;
    for (uint32_t g = 0; g < group_count; g++)
        for (uint32_t v = 0; v < groups[g]->value_count; v++)
            if (groups[g]->values[v].is_output)
                stored[groups[g]->values[v].edge.id] = true;
    return stored;
}

met_plan *met_plan_of_groups(const met_derivation *facts, const met_point *point, met_planner planner,
                                   uint32_t group_count, const met_kernel *const *groups)
{
    met_plan *plan = MET_NEW(facts->circuit->arena, met_plan);
    *plan = (met_plan){ .circuit = facts->circuit, .point = *point, .planner = planner, .group_count = group_count,
                        .groups = groups, .stored = stored_edges(facts, group_count, groups) };
    return plan;
}

bool met_plan_report(const met_circuit *circuit, const met_refusal *refusal)
{
    met_span span = refusal->node.id == MET_NONE ? (met_span){ 0, 0, 0 } : circuit->nodes[refusal->node.id].span;
    met_diag *diag = met_diag_add(circuit->session, MET_DIAG_run, span, "this cannot be one kernel: %s", refusal->reason);
    if (refusal->help)
        met_diag_help(diag, "%s", refusal->help);
    return false;
}

/* Every node by itself. */
static const met_plan *plan_none(const met_derivation *facts, const met_point *point)
{
    const met_circuit *circuit = facts->circuit;
    const met_kernel **groups = MET_NEW_ARRAY(circuit->arena, const met_kernel *, circuit->node_count);
    met_node_id *nodes = MET_NEW_ARRAY(circuit->arena, met_node_id, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        met_refusal refusal;
        nodes[n].id = n;
        groups[n] = met_derivation_kernel(facts, circuit->arena, 1, &nodes[n], NULL, &refusal);
        if (!groups[n]) {
            met_plan_report(circuit, &refusal);
            return NULL;
        }
    }
    return met_plan_of_groups(facts, point, MET_PLANNER_NONE, circuit->node_count, groups);
}

static bool sizes_known(const met_circuit *circuit)
{
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        if (circuit->symbols[s].value)
            continue;
        met_diag *diag = met_diag_add(circuit->session, MET_DIAG_unbound, (met_span){ 0, 0, 0 },
                                      "the size `%s` has no value, and whether fusing pays depends on sizes",
                                      met_sym_text(circuit->session, circuit->symbols[s].name));
        met_diag_help(diag, "bind every size, or use the planner `none`");
        return false;
    }
    return true;
}

const met_plan *met_plan_make(const met_circuit *settled, const met_point *point, met_planner planner,
                              const met_plan_options *options)
{
    static const met_plan_options usual = { .capacity_bytes = 1 << 20 };
    if (planner == MET_PLANNER_NONE)
        return plan_none(met_derivation_new(settled), point);
    if (!sizes_known(settled))
        return NULL;
    return met_plan_fused(met_derivation_new(settled), point, planner, options ? options : &usual);
}
