/* Witnesses: inputs on which two records give different bits. They are found by construction where the trees differ (notes at
 * met_bracketing_witness), and by trying what tells roundings, contractions, starts and flushing apart, at leaves that meet
 * early; whatever is found is what both records were run on. The same records give the same witness. */
#ifndef MET_NUMBER_WITNESS_H
#define MET_NUMBER_WITNESS_H

#include "number/steps.h"

/* An input: numbers of the operands' format; b is 1 everywhere for sums. */
typedef struct met_witness_run {
    uint64_t count;      /* of numbers in a and b: n, or those of the terms at `at` */
    const uint64_t *at;  /* of long inputs: their places, from the first to the last; all other terms are rest·1. NULL: all are there */
    double rest;         /* +0 or −0 */
    const double *a, *b;
    bool with_c;         /* of matrix units: the accumulator starts at c, or is added last where it joins late */
    float c;
    double result_a, result_b;
} met_witness_run;

/* What a record makes of n terms, and of such an input, of which terms that it does not list are absent. */
double met_witness_result(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const double *a, const double *b);
double met_witness_again(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const met_witness_run *run);
/* What is known of a difference. */
typedef struct met_witness_hint {
    met_steps *steps;
    uint32_t forms[2];         /* of the records */
    const met_witness *leaves; /* the input that tells the shapes apart, or NULL */
} met_witness_hint;

/* False if none was found. */
bool met_witness_find(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                      const met_witness_hint *hint, met_witness_run *ret_run);
/* The same beyond MET_BRACKETING_LEAVES terms: few of them are not zero, and no array of n numbers is made. */
bool met_witness_find_long(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                           met_witness_run *ret_run);
/* The same for two chains of nodes of units, with a c; n up to MET_BRACKETING_LEAVES. */
bool met_witness_find_c(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n, met_witness_run *ret_run);
/* The same for records that only rescale differently: a are bases, b values, and the result is the sum of b weighted by
 * e^(a − the largest a so far), corrected slice by slice (number/online.h). */
bool met_witness_find_rescaled(met_arena *arena, const met_tree *x, const met_tree *y, uint64_t n, met_witness_run *ret_run);

#endif
