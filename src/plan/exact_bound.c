/* Lower bounds by duality: prices of nodes. */
#include "plan/exact_parts.h"

#include <math.h>

/* Candidates by the nodes that they contain. */
static uint32_t *containing(met_arena *arena, const met_cover_problem *problem, uint32_t **ret_begin)
{
    uint32_t nodes = problem->flow->node_count;
    uint32_t *begin = MET_NEW_ARRAY(arena, uint32_t, (size_t)nodes + 1), *filled = MET_NEW_ARRAY(arena, uint32_t, nodes);
    for (uint32_t c = 0; c < problem->candidate_count; c++)
        for (uint32_t i = 0; i < problem->candidates[c].count; i++)
            begin[problem->candidates[c].nodes[i].id + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        begin[n + 1] += begin[n];
    uint32_t *list = MET_NEW_ARRAY(arena, uint32_t, begin[nodes]);
    for (uint32_t c = 0; c < problem->candidate_count; c++)
        for (uint32_t i = 0; i < problem->candidates[c].count; i++) {
            uint32_t node = problem->candidates[c].nodes[i].id;
            list[begin[node] + filled[node]++] = c;
        }
    *ret_begin = begin;
    return list;
}

/* Every node gets the least of what candidates pay for each of their nodes; then, one after another, as much more as the
 * candidates that contain it have left. */
double met_cover_prices(const met_cover_problem *problem, double *ret_prices)
{
    met_arena *scratch = met_arena_new();
    uint32_t nodes = problem->flow->node_count, *begin, *list = containing(scratch, problem, &begin);
    double *left = MET_NEW_ARRAY(scratch, double, problem->candidate_count), bound = 0;
    for (uint32_t c = 0; c < problem->candidate_count; c++)
        left[c] = problem->candidates[c].cost;
    for (int round = 0; round < 2; round++)
        for (uint32_t n = 0; n < nodes; n++) {
            double price = INFINITY;
            for (uint32_t i = begin[n]; i < begin[n + 1]; i++)
                price = fmin(price, round == 0 ? problem->candidates[list[i]].cost / problem->candidates[list[i]].count : left[list[i]]);
            price = price > 0 && price < INFINITY ? price : 0;
            for (uint32_t i = begin[n]; i < begin[n + 1]; i++)
                left[list[i]] -= price;
            ret_prices[n] += price;
            bound += price;
        }
    met_arena_free(scratch);
    /* sums of so many rounded terms are off by less than this */
    return bound * (1 - 4 * (double)(nodes + 1) * 0x1p-52);
}

double met_cover_bound(const met_cover_problem *problem)
{
    met_arena *scratch = met_arena_new();
    double bound = met_cover_prices(problem, MET_NEW_ARRAY(scratch, double, problem->flow->node_count));
    met_arena_free(scratch);
    return bound;
}
