/* Expansion: the definition of every composite op as a circuit of primitives. Expanding a circuit twice is expanding it
 * once, and an expanded circuit lists, exports and runs like any other.
 *
 * Axes, sizes, inputs, parameters and blocks stay what they were, and the last edge of an expansion is the composite's
 * own, name, format and guards included. Edges within an expansion are f32, or f64 in a circuit whose default format is
 * f64; their names begin with the name of the result (scores_max). */
#ifndef MET_IR_EXPAND_H
#define MET_IR_EXPAND_H

#include "ir/circuit.h"

/* Which expansion of the softmax-like ops: by exp of differences (REAL and FLOAT have the same formulas; they differ in
 * the arithmetic that runs them), or by powers of two. */
typedef enum met_numerics { MET_NUMERICS_REAL, MET_NUMERICS_FLOAT, MET_NUMERICS_POW2 } met_numerics;

/* False if there is no such numerics point. */
bool met_numerics_find(met_str name, met_numerics *ret_numerics);

/* NULL with a diagnostic only if a guard comes out with numbers beyond 64 bits. */
met_circuit *met_expand(const met_circuit *circuit, met_numerics numerics);
/* The same; node n became the nodes from (*ret_begin)[n] up to (*ret_begin)[n + 1]. */
met_circuit *met_expand_traced(const met_circuit *circuit, met_numerics numerics, const uint32_t **ret_begin);

/* The format of edges within an expansion: f64 where the default is, otherwise f32. */
met_format met_inner_format(met_format default_format);

/* The circuit with another default format: edges whose format nobody stated get it. */
met_circuit *met_circuit_with_default(const met_circuit *circuit, met_format format);

#endif
