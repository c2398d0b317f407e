/* What derivation and planning ask of a whole circuit, worked out once: who reads every edge, what must be stored anyway,
 * and the primitive form of every node. Deriving one kernel then costs no more than its region is large. */
#ifndef MET_DERIVE_DERIVATION_H
#define MET_DERIVE_DERIVATION_H

#include "derive/kernel.h"

typedef struct met_derivation {
    const met_circuit *circuit;
    const met_primitive *forms;   /* by node; form COMPOSITE for nodes that have none (composites, scans, boxes) */
    const uint32_t *reader_begin; /* by edge, edge_count + 1: its readers in `readers` */
    const met_node_id *readers;   /* ascending, each once; nodes whose guards look into the edge count */
    const bool *kept;             /* by edge: an output of the circuit, or the new value of a state */
} met_derivation;

/* In the circuit's arena. */
const met_derivation *met_derivation_new(const met_circuit *circuit);

/* met_kernel_derive with the facts at hand. The kernel is made in `arena`, which also serves for what is needed on the
 * way. */
const met_kernel *met_derivation_kernel(const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                                        const met_node_id *nodes, const met_derive_options *options,
                                        met_refusal *ret_refusal);

/* Calls `fn` for every edge that a node reads: its inputs, then what the guards of its inputs and outputs look into. */
typedef void (*met_read_fn)(void *context, met_edge_id edge);
void met_node_reads(const met_circuit *circuit, const met_node *node, met_read_fn fn, void *context);

#endif
