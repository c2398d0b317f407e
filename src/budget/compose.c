/* From the terms of one side or two to distances. */
#include <math.h>

#include "budget/circuit.h"
#include "budget/term.h"

/* The L of one side, relative to root mean squares where estimates are composed; says of which kind it is. */
static double amplification(const met_budget *budget, const met_budget_group *group, size_t k, size_t result,
                            met_budget_terms terms, met_budget_kind *kind)
{
    const met_budget_read *read = &group->reads[k];
    const met_budget_result *to = &budget->results[result];
    const met_amplification *found = read->estimates ? &read->estimates[result - group->first] : NULL;
    if (terms == MET_TERMS_ESTIMATE && found && found->directions > found->rejected) {
        *kind = MET_BUDGET_ESTIMATE;
        return found->max;
    }
    if (terms == MET_TERMS_BOUND)
        return to->L[k];
    double from = read->rms;
    return to->L[k] == 0 || from == 0 ? 0 : to->rms > 0 ? to->L[k] * from / to->rms : (double)INFINITY;
}

static double own_error(const met_budget_result *result, met_budget_terms terms)
{
    if (terms == MET_TERMS_BOUND)
        return result->eps;
    return result->eps_q99 == 0 ? 0 : result->rms > 0 ? result->eps_q99 / result->rms : (double)INFINITY;
}

double met_budget_off_by(size_t side_count, const met_budget *const *sides, size_t group, size_t read, met_budget_kind *ret_kind)
{
    double off = 0;
    *ret_kind = MET_BUDGET_BOUND;
    for (size_t s = 0; s < side_count; s++) {
        const met_budget_source *source = sides[s]->groups[group].reads[read].off;
        if (!source || source->error == 0)
            continue;
        off = off > 0 ? met_budget_up(off + source->error) : source->error;
        *ret_kind = source->kind > *ret_kind ? source->kind : *ret_kind;
    }
    return off;
}

static met_budget_node node_of(met_arena *arena, size_t side_count, const met_budget *const *sides, size_t g, size_t result,
                               met_budget_terms terms)
{
    const met_budget_group *group = &sides[0]->groups[g];
    met_budget_in *ins = MET_NEW_ARRAY(arena, met_budget_in, group->read_count);
    met_budget_node node = { .name = sides[0]->results[result].name, .ins = ins, .tuple = true };
    for (size_t s = 0; s < side_count; s++)
        node.tuple = node.tuple && sides[s]->results[result].apart;
    node.kind = terms == MET_TERMS_ESTIMATE ? MET_BUDGET_ESTIMATE : sides[0]->lambda > 0 ? MET_BUDGET_PROBABLE : MET_BUDGET_BOUND;
    for (size_t s = 0; s < side_count; s++)
        node.kind = sides[s]->groups[g].assumed ? MET_BUDGET_ESTIMATE : node.kind;
    bool conditional = false; /* even where nothing is off: what was chosen may be another thing */
    for (size_t s = 0; s < side_count; s++)
        conditional = conditional || sides[s]->groups[g].condition;
    for (size_t s = 0; s < side_count; s++)
        node.eps = s == 0 ? own_error(&sides[s]->results[result], terms)
                          : met_budget_up(node.eps + own_error(&sides[s]->results[result], terms));
    node.kind = node.eps > 0 ? node.kind : MET_BUDGET_BOUND;
    node.kind = conditional && node.kind == MET_BUDGET_BOUND ? MET_BUDGET_CONDITIONAL : node.kind;
    for (size_t k = 0; k < group->read_count; k++) {
        met_budget_in in = { .from = group->reads[k].from };
        in.off = met_budget_off_by(side_count, sides, g, k, &in.kind);
        if ((in.from == SIZE_MAX && in.off == 0) || !met_budget_depends(sides[0], group, k, result))
            continue;
        if (terms == MET_TERMS_ESTIMATE && in.off > 0)
            in.off = group->reads[k].rms > 0 ? in.off / group->reads[k].rms : (double)INFINITY;
        for (size_t s = 0; s < side_count; s++)
            in.L = fmax(in.L, amplification(sides[s], &sides[s]->groups[g], k, result, terms, &in.kind));
        ins[node.in_count++] = in;
    }
    return node;
}

const met_budget_distance *met_budget_compose(met_arena *arena, size_t side_count, const met_budget *const *sides,
                                              met_budget_terms terms)
{
    const met_budget *first = sides[0];
    met_budget_node *nodes = MET_NEW_ARRAY(arena, met_budget_node, first->result_count);
    for (size_t g = 0; g < first->group_count; g++)
        for (size_t k = 0; k < first->groups[g].result_count; k++)
            nodes[first->groups[g].first + k] = node_of(arena, side_count, sides, g, first->groups[g].first + k, terms);
    return met_budget_walk(arena, first->result_count, nodes);
}
