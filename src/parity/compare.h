/* Whether two ways of running one circuit give the same bytes, node by node, by what is known of both: the trees of their
 * folds, the formats in which they hand values on, what reads scaled operands. Nothing runs.
 *
 * SAME is a promise; where trees are rescaled by powers of two it holds unless something underflows. DIFFERENT names the first
 * thing that differs. UNKNOWN names what nobody declares. */
#ifndef MET_PARITY_COMPARE_H
#define MET_PARITY_COMPARE_H

#include "number/tree_compare.h"
#include "parity/numerics.h"

/* The folds of one node. UNKNOWN without a field if the tree of one of them is undeclared. */
met_comparison met_fold_compare(met_arena *scratch, const met_node_numerics *a, const met_node_numerics *b);

#endif
