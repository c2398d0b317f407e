/* Whether two records give the same bits, for folds of n terms. SAME is said of records of one normal form (number/steps.h, and
 * beyond MET_BRACKETING_LEAVES terms number/tree_normal.h), with one exception that is said as well: rescaling by powers of two gives the bits of no rescaling unless something
 * underflows, which raises the flag (docs/numerics.md). DIFFERENT is said with an input on which both were run and differ. So
 * neither is ever wrong; records that name different indices are DIFFERENT without one. UNKNOWN is said where a field is
 * undeclared that matters, and names it. Else it is said where no input was found: beyond MET_BRACKETING_LEAVES terms that may
 * be of records that hardly differ (docs/tree.md). */
#ifndef MET_NUMBER_TREE_COMPARE_H
#define MET_NUMBER_TREE_COMPARE_H

#include "number/witness.h"

typedef enum met_verdict { MET_VERDICT_SAME, MET_VERDICT_DIFFERENT, MET_VERDICT_UNKNOWN } met_verdict;

/* Exponents of the least number of f32, and of its least normal one. */
enum { MET_ONLY_RANGE = -149, MET_ONLY_NORMAL = -126 };

typedef struct met_comparison {
    met_verdict verdict;
    met_tree_field field;   /* the first that makes a difference, or, UNKNOWN, that is undeclared or not decided */
    bool undeclared;        /* UNKNOWN: the field is undeclared */
    bool unless_underflow;  /* SAME, but one rescales by powers of two and the other does not */
    int only_below;         /* DIFFERENT, but the same unless a term has bits below 2^this, or is 2^128 or more, or, NORMAL, an
                             * operand is subnormal. 0: nothing of the kind */
    bool has_witness;        /* DIFFERENT: the shapes differ at these leaves */
    met_witness witness;
    bool has_run;           /* DIFFERENT: an input and both results */
    met_witness_run run;
} met_comparison;

/* The result's arrays live in the arena. Records that do not fit n (met_tree_fits) are DIFFERENT, without an input. */
met_comparison met_tree_compare_operands(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n,
                                         met_operands operands);
/* Two matrix units, as records of chains of their nodes, where the accumulator may start at any c, not +0 alone: that is part of
 * the input. SAME is said of equal units, of any width if n is no more, alone. */
met_comparison met_tree_compare_units(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n, met_operands operands);
/* Of products of f32 numbers. */
met_comparison met_tree_compare(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n);

#endif
