/* Exact covers of least cost: which candidates together contain every node once, so that their quotient has no cycle. It
 * knows nothing of rules, regions or prices.
 *
 * Solved by dynamic programming over the order of nodes. A state is the first node that is not covered yet, which later ones
 * are and by which groups, and which of the groups that still reach beyond the first node can be got to from which: so
 * much tells what may follow, cycles included. Groups are local, so there are few states at every node, and work grows with
 * the number of nodes. A state is left out, and nothing is lost, if what was spent on the way to it and the prices of the nodes
 * that it leaves (met_cover_bound) come to more than a cover that is known. Where states are too many the most promising ones
 * are kept: work and memory are limited, and result.proven says whether that mattered.
 *
 * Costs are compared as whole multiples of a power of two, a part in 2^42 of what all can cost: sums are exact in any order,
 * and costs that differ by the rounding of prices alone are the same, so that ties are ties. Of covers that cost the same that
 * of fewest groups is best, then that whose groups, by their first nodes, are lexicographically least as lists of nodes. */
#ifndef MET_PLAN_EXACT_COVER_H
#define MET_PLAN_EXACT_COVER_H

#include "plan/lower_flow.h"

#define MET_COVER_BITS 42

/* What candidates may agree or disagree about: the format in which an edge is stored. */
typedef struct met_cover_fact {
    uint32_t edge;
    uint32_t format; /* any number that tells formats apart; of demands, MET_COVER_ANY_PLAIN too */
    bool plain;      /* of what is made: the format has no scales */
    uint32_t last;   /* the last node that makes or reads it */
} met_cover_fact;
#define MET_COVER_ANY_PLAIN UINT32_MAX

typedef struct met_cover_candidate {
    uint32_t count;
    const met_node_id *nodes; /* ascending */
    double cost;              /* not negative */
    uint32_t make_count, demand_count;
    const met_cover_fact *makes;   /* of edges that others demand something of */
    const met_cover_fact *demands; /* of edges that others make */
} met_cover_candidate;

typedef struct met_cover_problem {
    const met_flow *flow;
    uint32_t candidate_count;
    const met_cover_candidate *candidates; /* in any order; of equal ones the first counts */
    uint32_t state_limit; /* states at one node; 0: as many as are good for circuits of models */
    double known_cost;    /* of a cover that is known, so that dearer ones are not looked for; 0: none */
} met_cover_problem;

typedef struct met_cover_result {
    uint32_t count;
    const uint32_t *chosen; /* candidates, by their first nodes */
    double cost;            /* sum over them, in that order */
    double bound;           /* no cover costs less; if proven, that is the cost but for a unit a node */
    bool proven;            /* no limit was hit: if nothing was found, nothing costs less than what was known */
} met_cover_result;

/* False if there is no such cover; or, where a limit was hit, if none was found (then ret_result->proven is false). */
bool met_cover_solve(met_arena *arena, const met_cover_problem *problem, met_cover_result *ret_result);

/* A lower bound by duality: prices of nodes such that no candidate costs less than its nodes. */
double met_cover_bound(const met_cover_problem *problem);

#endif
