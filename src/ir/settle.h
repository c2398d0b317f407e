/* The steps of settling (ir/point.h) after formats and expansion. Each takes an expanded circuit and gives one. */
#ifndef MET_IR_SETTLE_H
#define MET_IR_SETTLE_H

#include "ir/point.h"

/* The functions that have a polynomial for lanes, replaced by it: exp, sigmoid, tanh and erf. What named one by its op
 * becomes a map with the formula. */
met_circuit *met_settle_functions(const met_circuit *circuit);

/* The circuit with divisions moved behind the contractions that they meet. `origins` is by node, the op that it comes from
 * (an expansion's nodes from its composite): with MET_DIVISION_DEFAULT only those of ops that defer move. Node n became the
 * nodes from (*ret_begin)[n] up to (*ret_begin)[n + 1]. NULL with a diagnostic if a guard comes out with numbers beyond 64
 * bits. */
met_circuit *met_settle_divisions(const met_circuit *circuit, met_division division, const met_op_id *origins,
                                  const uint32_t **ret_begin);

/* met_circuit_settle; node n became the nodes from (*ret_begin)[n] up to (*ret_begin)[n + 1]. */
met_circuit *met_circuit_settle_traced(const met_circuit *circuit, const met_point *point, const uint32_t **ret_begin);

#endif
