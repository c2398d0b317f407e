/* The groups from which the exact planner chooses: all matches of all rules that apply, regions that derivation accepts, and
 * single nodes. */
#ifndef MET_PLAN_EXACT_GATHER_H
#define MET_PLAN_EXACT_GATHER_H

#include "plan/exact_cover.h"
#include "plan/lower_parts.h"

/* How large a derived region may be, and how many sets are looked at from one lowest node. */
#define MET_REGION_NODES 12
#define MET_REGION_SETS 2048

typedef struct met_gathering {
    met_lower_task *task;
    met_map *known;         /* candidates by their nodes (and rule, if formats depend on it) */
    MET_VEC(met_candidate) all;
    double *single;         /* by node: the least price of it alone, INFINITY without one */
    bool *contested;        /* by edge: some candidates store it otherwise than the circuit says */
    MET_VEC(met_format) formats;
} met_gathering;

/* Adds a candidate, or keeps the cheaper one of two that are the same nodes and formats. */
void met_gathering_add(met_gathering *g, const met_candidate *candidate);
/* Regions whose lowest node is `seed`: connected and convex, grown node by node, with at most one node that reads weights
 * unless those that do share what they read. */
void met_gathering_grow(met_gathering *g, uint32_t seed);

/* In the session's arena. */
met_gathering *met_gathering_new(met_lower_task *task);
/* As a problem for the solver, without those that cost more than their nodes do one by one; ret_candidates[i] is number i's. */
met_cover_problem met_gathering_problem(met_gathering *g, const met_candidate **ret_candidates);

#endif
