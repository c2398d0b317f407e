/* Live positions: how many tuples of indices satisfy affine guards. */
#ifndef MET_IR_LIVE_H
#define MET_IR_LIVE_H

#include "ir/circuit.h"

/* Rows that counting may look at; each row is counted at once. */
#define MET_LIVE_ROWS ((uint64_t)1 << 26)

/* Counts the tuples with 0 <= i_k < sizes[k] at which every expression is >= 0, exactly. Sizes within the expressions
 * must be constants. False if one is not, if numbers do not fit 64 bits, or if there are more than MET_LIVE_ROWS rows. */
bool met_live_count(uint32_t index_count, const uint64_t *sizes, uint32_t guard_count, const met_affine *guards,
                    uint64_t *ret_live);

/* Of an edge whose sizes are bound; false also if a guard depends on values that an array holds. */
bool met_edge_live(const met_circuit *circuit, const met_edge *edge, uint64_t *ret_live);

#endif
