/* Whether two ways of running one circuit give the same bytes, by what is known of both: the trees of their folds, the formats
 * in which they hand values on, who makes their kernels. Nothing runs.
 *
 * SAME is a promise; where trees are rescaled by powers of two it holds unless something underflows. DIFFERENT names the first
 * thing that differs, in the order of met_parity_cause. UNKNOWN names what nobody declares. */
#ifndef MET_PARITY_COMPARE_H
#define MET_PARITY_COMPARE_H

#include "number/tree_compare.h"
#include "parity/numerics.h"

typedef enum met_parity_cause {
    MET_PARITY_AGREES,
    MET_PARITY_TREE,       /* `trees` says how the folds of `node` differ, or that they are too large to tell */
    MET_PARITY_FORMAT,     /* what it makes, `edge`, is stored or handed on in another format */
    MET_PARITY_SCALES,     /* UNKNOWN: an operand has scales, and nobody declares on which side of the sum they are multiplied */
    MET_PARITY_UNDECLARED  /* UNKNOWN: no record, no family that makes the kernel, or one that does not say how it folds */
} met_parity_cause;

/* One of both ways. */
typedef struct met_parity_side {
    const met_plan_numerics *numerics; /* of one settled circuit, whatever the points */
    const met_format *stored;          /* by edge of the written circuit; NULL: as the circuit says */
} met_parity_side;

typedef struct met_node_parity {
    met_verdict verdict;
    met_parity_cause cause;
    met_node_id node;      /* of the settled circuit, NONE for FORMAT */
    met_edge_id edge;      /* of the written circuit, FORMAT */
    met_comparison trees;  /* TREE */
    bool unless_underflow; /* SAME or not: one side rescales by powers of two */
} met_node_parity;

typedef struct met_plan_parity {
    met_verdict verdict; /* the worst: DIFFERENT is a fact, UNKNOWN a lack of one */
    bool unless_underflow;
    const met_settled *settled;
    met_parity_side a, b;
    const met_node_parity *nodes; /* by node of the written circuit */
    uint32_t counts[3];           /* nodes by verdict */
} met_plan_parity;

/* In the circuit's arena. */
const met_plan_parity *met_plan_compare(const met_parity_side *a, const met_parity_side *b);

/* The folds of one node. UNKNOWN without a field if the tree or the length of one of them is. */
met_comparison met_fold_compare(met_arena *scratch, const met_node_numerics *a, const met_node_numerics *b);

#endif
