/* The structure of a circuit as a digest: what it computes, whatever its parts are called. Two circuits have one digest if
 * and only if their arrays (role, format, sizes of axes), nodes (op, options, indices, which edges they read and make and
 * where), results and states are equal in order. Names, blocks and spans are not in it. Guards need no words of their own:
 * they follow from the options of the nodes. */
#ifndef MET_IR_STRUCTURE_H
#define MET_IR_STRUCTURE_H

#include "ir/circuit.h"

/* SHA-256 in hex, in the session's arena. */
const char *met_circuit_structure(const met_circuit *circuit);

#endif
