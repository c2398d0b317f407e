/* How a fold goes whose operands have scales, where the family of its kernel says that it takes them group by group: the terms that
 * share both scales are folded as codes along the declared tree, and what they come to is scaled where it joins the sum. */
#ifndef MET_PARITY_SCALES_H
#define MET_PARITY_SCALES_H

#include "ir/circuit.h"
#include "number/tree.h"

/* Whether an operand of the node has scales. */
bool met_node_is_scaled(const met_circuit *settled, const met_node *node);

/* How many consecutive terms share both scales, which divides the number of terms; that number itself if all of them do. False
 * with a phrase where they are not so: scales change along what is not folded last, a group is cut short, a size is not bound. */
bool met_node_scale_group(const met_circuit *settled, const met_node *node, uint64_t *ret_terms, const char **ret_why);

/* The tree of the whole fold: the declared one within every group, and what groups come to added in order. False if the declared
 * one has levels that do not end where groups do. */
bool met_tree_by_groups(const met_tree *tree, uint64_t group, uint64_t terms, met_tree *ret_tree);

#endif
