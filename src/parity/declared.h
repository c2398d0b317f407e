/* What the families of a class declare for the folds of a plan's kernels: they are all that is known of a class that is not
 * written for. A family's tree is that of its core. What else its kernels fold, they are taken to fold as the class's best
 * kernel for that node alone does. */
#ifndef MET_PARITY_DECLARED_H
#define MET_PARITY_DECLARED_H

#include "plan/lowering.h"

typedef struct met_declared {
    const char *kernel;       /* of the group, that the node belongs to; NULL: none that a family makes */
    const met_family *family; /* that makes it; NULL likewise */
    const met_lkb_tree *tree; /* NULL: undeclared */
    bool beside;              /* the op is not of the family's core: `tree` is not its */
} met_declared;

/* Of a node with the op `op` in a group of a plan on the class. */
met_declared met_declared_in(const met_lkb *lkb, const met_hardware *hardware, const met_lowering_group *group, const char *op);

/* The declared tree with numbers for widths: an expression over `k`, or over the index that the record names, which are the terms that
 * the node folds; and over sizes by the names that the circuit has for axes of the node, or else for any. Without any, false, and
 * why, a phrase. `node` is of the settled circuit. */
bool met_declared_bind(const met_lkb *lkb, const met_lkb_tree *declared, const met_circuit *settled, const met_node *node,
                       met_tree *ret_tree, const char **ret_why);

/* The lowering's circuit with every node by the best kernel of the class for it alone. NULL with diagnostics. */
const met_lowering *met_lowering_alone(const met_lowering *lowering);

#endif
