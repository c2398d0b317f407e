/* Records brought to one form at one length, as far as it takes no look at the terms: records of one form give the same bits for n
 * products, or numbers, of that format. The converse does not hold: number/steps.h has the form that says more, term by term. */
#ifndef MET_NUMBER_TREE_NORMAL_H
#define MET_NUMBER_TREE_NORMAL_H

#include "number/operands.h"
#include "number/tree.h"

/* A valid record that fits n ≥ 1; rescaling stays as it is. */
met_tree met_tree_normal(const met_tree *tree, uint64_t n, met_operands operands);

#endif
