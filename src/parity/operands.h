/* Whether a declared tree holds for the operands that a fold has: a matrix unit multiplies the formats that it takes, or what the
 * family's kernel converts to them, and nothing else. */
#ifndef MET_PARITY_OPERANDS_H
#define MET_PARITY_OPERANDS_H

#include "parity/declared.h"

/* The matrix unit whose nodes a tree is of; NULL: it is of none, or nobody says of which. */
const met_lkb_unit *met_tree_unit(const met_lkb *lkb, const met_lkb_tree *tree);

/* Why the tree that is declared says nothing of this fold, a phrase: node `n` of the settled circuit, of the op `op` in the circuit
 * as written. NULL: it holds. */
const char *met_operands_refused(const met_lkb *lkb, const met_circuit *settled, uint32_t n, met_op_id op, const met_declared *declared);

/* Why the interpreter's products are not those of a kernel along `unit`, though its tree holds. NULL: they are. With `codes` it folds
 * codes, and scales afterwards, as the kernel does. A conversion that loses nothing changes no product. */
const char *met_operands_converted(const met_circuit *settled, const met_node *node, const met_lkb_unit *unit, bool codes);

#endif
