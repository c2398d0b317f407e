/* What stands where a guard of an edge does not hold. Nothing in a circuit reads it; it is seen in outputs. */
#ifndef MET_IR_LOWEST_H
#define MET_IR_LOWEST_H

#include "ir/circuit.h"

/* By edge: true if such positions hold -inf, because some reader, perhaps after maps, takes a maximum (what the first fold
 * after the guard has as its unit); otherwise they hold 0. The circuit is expanded. */
const bool *met_lowest_edges(met_arena *arena, const met_circuit *circuit);

#endif
