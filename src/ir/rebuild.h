/* Making a circuit from another one node by node: every node is copied, dropped or replaced by others, and axes, sizes,
 * inputs, parameters, outputs, states and blocks stay what they were. */
#ifndef MET_IR_REBUILD_H
#define MET_IR_REBUILD_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/circuit.h"

typedef struct met_rebuild {
    const met_circuit *from;
    met_arena *arena;
    MET_VEC(met_edge) edges;
    MET_VEC(met_node) nodes;
    met_edge_id *edge_of; /* by edge of `from`: the new one that holds it */
    uint32_t *node_begin; /* by node of `from`, and one more: where its nodes begin */
    met_map *names;       /* taken edge names, by symbol; the value is not used */
    bool failed;          /* with a diagnostic: numbers of a guard that do not fit 64 bits */
} met_rebuild;

/* All edges without a producer are there. */
met_rebuild met_rebuild_begin(const met_circuit *from);
/* Call for every node of `from` in order, before what is made of it. */
void met_rebuild_at(met_rebuild *r, uint32_t node);
/* A node that stays as it is, on the new edges. With `guards` those of its results are derived anew. */
void met_rebuild_copy(met_rebuild *r, const met_node *node, bool guards);
/* Adds a node of one result, whose inputs are new edges: `out` is the edge that it makes; its guards and its producer are
 * filled in. */
met_edge_id met_rebuild_add(met_rebuild *r, met_node node, met_edge out);
/* The same with several results; their edges in order. */
const met_edge_id *met_rebuild_add_all(met_rebuild *r, met_node node, uint32_t count, const met_edge *outs);
/* RESULT_name, with a number after it if that is taken. */
met_sym met_rebuild_name(met_rebuild *r, met_sym result, const char *name);
/* NULL if it failed. */
met_circuit *met_rebuild_end(met_rebuild *r);

#endif
