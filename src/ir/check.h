/* The checker of circuits: every invariant that circuit.h states. It runs after freezing, binding, expansion and reading. */
#ifndef MET_IR_CHECK_H
#define MET_IR_CHECK_H

#include "ir/circuit.h"

/* False with diagnostics: `format` or `divide` for a block format that does not fit its array, `circuit` for anything
 * that only a broken reader or writer of circuits can cause. */
bool met_circuit_check(const met_circuit *circuit);

#endif
