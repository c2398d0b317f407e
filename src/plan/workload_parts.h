/* What the files of the workload share.
 *   workload.c        peaks, contractions, and putting it together
 *   workload_flops.c  flops
 *   workload_bytes.c  bytes of edges and of reads
 *   workload_live.c   positions that masks leave alive */
#ifndef MET_PLAN_WORKLOAD_PARTS_H
#define MET_PLAN_WORKLOAD_PARTS_H

#include "plan/workload.h"

/* Which part of its work a node does where masks leave positions out. */
typedef struct met_live {
    double share;           /* of its points */
    const double *of_index; /* by index: share of its positions that any live point has */
} met_live;

typedef struct met_live_finder met_live_finder;
met_live_finder *met_live_finder_new(const met_circuit *circuit, const met_derivation *facts, met_arena *scratch);
/* All sizes are bound. Arrays are in scratch. */
met_live met_live_of_node(met_live_finder *finder, uint32_t node);

/* By node: flops, NULL if they are beyond what can be counted. */
const met_dim *const *met_workload_flops(const met_circuit *circuit);

/* By node, from 0: nodes of a class are alike in themselves, in the ops around them, and in what they read, store and compute.
 * `workload` may be NULL (lower_shape.c). */
const uint32_t *met_shape_classes(met_arena *arena, const met_derivation *facts, const met_workload *workload);

/* Whether the results of a node are cuts of its input along one axis. */
bool met_node_cuts(const met_circuit *circuit, const met_node *node);
/* Bytes that a node reads of an input: all of it, unless it knows which part; `live` may narrow it further. */
double met_node_in_bytes(const met_workload *workload, const met_node *node, uint32_t input, const met_live *live);

#endif
