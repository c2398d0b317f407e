/* The numerics of a plan on a class, node by node of the settled circuit: along which tree every fold goes, who says so, and
 * in what formats its operands stand and its result is kept. From a program's schedules where the class can be written for;
 * otherwise from the trees that the class's families declare for the kernels. What is compared between plans, classes and
 * devices (parity/compare.h), what is emulated, and what budgets are derived from. */
#ifndef MET_PARITY_NUMERICS_H
#define MET_PARITY_NUMERICS_H

#include "number/tree.h"
#include "plan/of_lowering.h"
#include "realize/program.h"

typedef enum met_numerics_source {
    MET_NUMERICS_POINT,      /* the circuit's numerics point: what the interpreter does */
    MET_NUMERICS_SCHEDULE,   /* a kernel that met writes */
    MET_NUMERICS_FAMILY,     /* a family of the class declares it */
    MET_NUMERICS_UNDECLARED  /* nobody does: a library call, a kernel without a tree; `tree` is the point's */
} met_numerics_source;

typedef struct met_node_numerics {
    bool folds;              /* its bits depend on a tree; else `tree` and `terms` say nothing */
    met_numerics_source source; /* also of what folds nothing: a map is what its formula says if someone makes the kernel; a
                                   recurrence if its family declares that it goes step by step */
    met_tree tree;           /* widths are numbers */
    uint64_t terms;          /* that it folds; 0: none, or their number is not bound */
    uint32_t group;          /* of the lowering; MET_NONE for POINT */
    const char *kernel;      /* of the group, "" for POINT */
    const char *tree_id;     /* FAMILY: the declared tree's id; else NULL */
    uint64_t code_group;     /* FAMILY, of operands with scales: terms that share both, which are folded as codes along the declared tree
                                and scaled where they join the sum; 0: nobody says where scales are multiplied */
    const char *why;         /* UNDECLARED though its family declares a tree: why that says nothing of it, a phrase; else NULL */
    const met_name_list *takes; /* … the formats of operands of which it would; NULL: nobody says, or it is declared */
} met_node_numerics;

typedef struct met_plan_numerics {
    const met_settled *settled;
    const met_node_numerics *nodes; /* by node of the settled circuit */
} met_plan_numerics;

/* Of the interpreter. In the circuit's arena. */
const met_plan_numerics *met_numerics_of_point(const met_settled *settled);
/* Of a program: of its records. Folds without one are UNDECLARED. */
const met_plan_numerics *met_numerics_of_program(const met_settled *settled, const met_program *program);
/* Of a lowering on a class that is not written for: what its families declare. A family's tree is that of its core; what else
 * its kernels fold is declared by the family that folds it alone. A tree of a matrix unit is declared for operands that the unit
 * takes, and no others. NULL with diagnostics. */
const met_plan_numerics *met_numerics_of_lowering(const met_lowering *lowering, const met_settled *settled);

/* The trees alone, by node, for met_eval_settled. */
const met_tree *met_numerics_trees(const met_plan_numerics *numerics);

#endif
