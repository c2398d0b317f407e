#include "budget/budget.h"

#include <assert.h>

#include "budget/term.h"

static met_budget_kind weaker(met_budget_kind a, met_budget_kind b)
{
    return a > b ? a : b;
}

static met_budget_distance distance_of(const met_budget_node *node, const met_budget_distance *before)
{
    met_budget_distance result = { 0, node->kind };
    for (size_t k = 0; k < node->in_count; k++) {
        const met_budget_in *in = &node->ins[k];
        bool given = in->from == SIZE_MAX;
        double d = met_budget_up(met_budget_amplified(in->L, given ? in->off : before[in->from].d));
        if (node->tuple)
            result.d = d > result.d ? d : result.d;
        else if (d > 0)
            result.d = result.d > 0 ? met_budget_up(result.d + d) : d;
        if (d > 0) /* what is off by nothing is so whatever else is estimated */
            result.kind = weaker(result.kind, given ? in->kind : weaker(in->kind, before[in->from].kind));
    }
    if (node->eps > 0)
        result.d = result.d > 0 ? met_budget_up(result.d + node->eps) : node->eps;
    return result;
}

const met_budget_distance *met_budget_walk(met_arena *arena, size_t count, const met_budget_node *nodes)
{
    met_budget_distance *distances = MET_NEW_ARRAY(arena, met_budget_distance, count);
    for (size_t n = 0; n < count; n++) {
        for (size_t k = 0; k < nodes[n].in_count; k++)
            assert(nodes[n].ins[k].from < n || nodes[n].ins[k].from == SIZE_MAX);
        distances[n] = distance_of(&nodes[n], distances);
    }
    return distances;
}
