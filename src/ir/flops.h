/* Counting flops: scalar additions, multiplications, divisions and function calls of the reference meaning. Guards save
 * nothing here: a masked position counts like any other. */
#ifndef MET_IR_FLOPS_H
#define MET_IR_FLOPS_H

#include "ir/circuit.h"

/* Flops of each node, those of a composite being the sum over its expansion (numerics `real`). An entry is NULL if the
 * count is beyond what a dim expression holds, or the circuit has no expansion. The array has node_count entries and lives as long as the session. */
const met_dim *const *met_circuit_node_flops(const met_circuit *circuit);

#endif
