/* Where patterns fit: a pattern is a small circuit, and a match gives every element of it a node, or none to one that is
 * optional. Elements are placed in their order; each must fit its node in op, role, block and formats, and
 *
 *   the first                any node that is free
 *   one that `reads` k       a node that reads a result of element k's node (if k is absent, of what k would have read)
 *   a `sibling`              a node in the same block as the first one's
 *   any other                a node that reads a result of any node placed so far
 *
 * The block that counts for siblings is the outermost one around the first element's node that lies within the innermost
 * repeated block (a layer) around it; where nothing is repeated, within the outermost block, so that a model of one layer
 * is planned as one of many; where there is no such block, the innermost one. */
#ifndef MET_PLAN_MATCH_H
#define MET_PLAN_MATCH_H

#include "plan/lower_parts.h"

/* Nodes by element; MET_NONE for absent ones. */
typedef struct met_match {
    const met_rule *rule;
    uint32_t *nodes;
} met_match;

/* The node fits the element by itself. */
bool met_match_fits(const met_lower_task *task, const met_rule_element *element, uint32_t node);

/* The match at `start` in which every element takes the lowest free node that it can, with no way back. `taken` by node,
 * or NULL. ret_match->nodes has room for the rule's elements. */
bool met_match_first(const met_lower_task *task, const met_rule *rule, uint32_t start, const bool *taken, met_match *ret_match);

/* Nodes among which matches are looked for. */
typedef struct met_match_among {
    const bool *marks; /* by node */
    uint32_t count;
    const met_node_id *nodes; /* ascending */
} met_match_among;

/* All matches at `start`, in lexicographic order (absent after present). `only`: among these, or NULL. Ends early when
 * fn returns false, and when *steps nodes have been looked at, which it counts down; false if some matches may be missing for
 * that. */
typedef bool (*met_match_fn)(void *context, const met_match *match);
bool met_match_each(const met_lower_task *task, const met_rule *rule, uint32_t start, const met_match_among *only, uint64_t *steps,
                    met_match_fn fn, void *context);

/* Its nodes, ascending, in the arena. */
uint32_t met_match_nodes(met_arena *arena, const met_match *match, const met_node_id **ret_nodes);

/* The first edge that stands in the way: made by a node other than the last element's, read outside or kept by the circuit,
 * although its element is not `keep`. MET_NONE: none. */
met_edge_id met_match_leak(const met_lower_task *task, const met_match *match);

#endif
