/* What depends on what among the nodes of a circuit, and the quotient of it by groups while a planner makes them: whether
 * a further group would leave a cycle is found by looking at what stands between its nodes only.
 *
 * Besides data, a node without results (one that only writes) comes before later readers of what it reads. */
#ifndef MET_PLAN_LOWER_FLOW_H
#define MET_PLAN_LOWER_FLOW_H

#include "derive/derivation.h"

/* Nodes are topologically ordered by number. Neighbours are ascending, each once. */
typedef struct met_flow {
    uint32_t node_count;
    const uint32_t *pred_begin, *preds; /* node n's: preds[pred_begin[n]] … preds[pred_begin[n + 1] - 1] */
    const uint32_t *succ_begin, *succs;
} met_flow;

typedef struct met_flow_pair {
    uint32_t from, to; /* from < to */
} met_flow_pair;

/* In the arena; pairs may repeat. */
const met_flow *met_flow_of_pairs(met_arena *arena, uint32_t node_count, size_t pair_count, const met_flow_pair *pairs);
const met_flow *met_flow_new(met_arena *arena, const met_derivation *facts);

/* Whether no way between two of the nodes (ascending) leaves them. `marks`: by node, all false before and after. */
bool met_flow_is_convex(const met_flow *flow, uint32_t count, const met_node_id *nodes, bool *marks);

/* Groups so far; a node that is in none stands for itself. */
typedef struct met_quotient met_quotient;

met_quotient *met_quotient_new(met_arena *arena, const met_flow *flow);
/* Makes the nodes (ascending, each by itself so far) one group; false, and nothing is changed, if that leaves a cycle. */
bool met_quotient_merge(met_quotient *quotient, uint32_t count, const met_node_id *nodes);

/* Groups 0 … group_count - 1 of group_of (by node) in an order in which they can run, ties by lowest node: ret_order has
 * their numbers. False if there is none. */
bool met_flow_order(const met_flow *flow, uint32_t group_count, const uint32_t *group_of, uint32_t *ret_order);

#endif
