/* Whether two records give the same bits, for folds of n products. Sound: SAME is never said of records that some input
 * tells apart, with one exception that is said as well: rescaling by powers of two gives the bits of no rescaling unless
 * something underflows, which raises the flag (docs/numerics.md). */
#ifndef MET_NUMBER_TREE_COMPARE_H
#define MET_NUMBER_TREE_COMPARE_H

#include "number/bracketing.h"

typedef enum met_verdict { MET_VERDICT_SAME, MET_VERDICT_DIFFERENT, MET_VERDICT_UNKNOWN } met_verdict;

typedef struct met_comparison {
    met_verdict verdict;
    met_tree_field field;   /* the first that makes a difference, or that is too large to decide */
    bool unless_underflow;  /* SAME, but one rescales by powers of two and the other does not */
    bool has_witness;       /* LEVELS and COMBINE, where the trees are written out */
    met_witness witness;
} met_comparison;

/* UNKNOWN only for shapes that differ and have more than MET_BRACKETING_LEAVES terms, and for a single term in
 * different nodes. */
met_comparison met_tree_compare(met_arena *scratch, const met_tree *a, const met_tree *b, uint64_t n);

#endif
