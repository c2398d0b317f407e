/* A circuit as it was written beside what settling makes of it: rules and whole ops are of the former, kernels and bytes of
 * the latter. */
#ifndef MET_IR_SETTLE_TRACE_H
#define MET_IR_SETTLE_TRACE_H

#include "ir/point.h"

typedef struct met_settled {
    const met_circuit *written;
    const met_circuit *circuit; /* settled */
    met_point point;
    const uint32_t *origin;     /* by node of `circuit`: the node of `written` that it does work of. A division that moved
                                   behind a contraction is work of the contraction */
    const uint32_t *begin;      /* by node of `written`, and one more: its nodes in `nodes` */
    const met_node_id *nodes;   /* ascending within each */
} met_settled;

/* NULL with a diagnostic, as met_circuit_settle. */
const met_settled *met_settled_new(const met_circuit *written, const met_point *point);
/* The nodes of `circuit` that do the work of some written nodes (ascending), ascending; how many there are. `ret_nodes` may be
 * NULL, to count them. A division that moved may leave nothing behind. */
uint32_t met_settled_nodes(const met_settled *settled, uint32_t count, const met_node_id *written, met_node_id *ret_nodes);

#endif
