/* The loops of a set of nodes: their indices, identified along the edges between them, position by position. Where that
 * would make two indices of one node one loop (the query and key positions of one `copy`), the nodes are no region: the
 * edge must be stored, and is then read by each loop at its own place. Edges from outside may be read in any affine way;
 * an edge within must be read element by element. Where two nodes read whole positions of one edge from outside, their
 * indices are one loop as well, unless that merged two indices of one node: so the statistic of a row and what is made of
 * it share a loop, and queries and keys do not. */
#ifndef MET_DERIVE_LOOPS_H
#define MET_DERIVE_LOOPS_H

#include "derive/derivation.h"

typedef struct met_node_loops {
    uint32_t count;
    met_kernel_loop *loops; /* in order of first appearance; all LOCAL */
    const uint32_t *first;  /* by node of the region, count + 1: its first index in `of` */
    const uint32_t *of;     /* loop of every index; MET_NONE for the index in whose place an id is read */
} met_node_loops;

/* Place of a node in an ascending list; MET_NONE if it is not there. */
uint32_t met_nodes_place(uint32_t node_count, const met_node_id *nodes, met_node_id node);

/* False with a refusal. With `fold_reads`, reads by id from tables made inside count as folds over the table: then their
 * index is a loop like any other. */
bool met_loops_identify(const met_derivation *derivation, met_arena *arena, uint32_t node_count, const met_node_id *nodes,
                        bool fold_reads, met_node_loops *ret_loops, met_refusal *ret_refusal);

#endif
