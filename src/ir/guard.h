/* Guards: which positions of an edge are live. They are derived node by node: a mask adds one, a view adds those that
 * keep its reads inside, a gather those that keep its ids inside; maps, normalizers and storage pass them on; a fold
 * over one of a guard's indices uses it up. */
#ifndef MET_IR_GUARD_H
#define MET_IR_GUARD_H

#include "ir/circuit.h"

/* What derivation needs to know of a node and of the edges it reads. */
typedef struct met_guard_view {
    met_session *session;
    met_arena *arena;
    const met_axis *axes;
    const met_edge *edges; /* guards of the inputs are final */
} met_guard_view;

/* The guards of output `output` of a node. False with a diagnostic if a mask's formula is not a conjunction of affine
 * comparisons. */
bool met_guards_derive(const met_guard_view *view, const met_node *node, uint32_t output, const met_guard **ret_guards,
                       uint32_t *ret_count);

#endif
