/* Rewriting the dim expressions of a whole circuit: what freezing and binding share. */
#ifndef MET_IR_REWRITE_H
#define MET_IR_REWRITE_H

#include "ir/circuit.h"

typedef struct met_rewrite {
    met_session *session;
    met_dim_lookup value; /* replacement of a symbol */
    void *context;
    bool overflow; /* set if an expression no longer fits */
} met_rewrite;

const met_dim *met_rewrite_dim(met_rewrite *rewrite, const met_dim *dim);
met_affine met_rewrite_affine(met_rewrite *rewrite, met_affine affine);
const met_scalar *met_rewrite_scalar(met_rewrite *rewrite, const met_scalar *scalar);
/* All dims of a node: its accesses and options. The arrays are replaced by copies. */
void met_rewrite_node(met_rewrite *rewrite, met_node *node);

/* Derives every edge's guards anew, in node order, writing them into `edges`. False with diagnostics. */
bool met_circuit_derive_guards(met_session *session, const met_axis *axes, met_edge *edges, const met_node *nodes,
                               uint32_t node_count);

#endif
