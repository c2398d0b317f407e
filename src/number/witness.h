/* Witnesses: inputs on which two records give different bits. They are found by construction where the trees differ (notes at
 * met_bracketing_witness), and by trying what tells roundings, contractions, starts and flushing apart, at leaves that meet
 * early; whatever is found is what both records were run on. The same records give the same witness. */
#ifndef MET_NUMBER_WITNESS_H
#define MET_NUMBER_WITNESS_H

#include "number/steps.h"

typedef struct met_witness_run {
    const double *a, *b; /* n numbers of the operands' format; b is 1 everywhere for sums */
    double result_a, result_b;
} met_witness_run;

/* What a record makes of an input. */
double met_witness_result(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const double *a, const double *b);
/* What is known of a difference. */
typedef struct met_witness_hint {
    met_steps *steps;
    uint32_t forms[2];         /* of the records */
    const met_witness *leaves; /* the input that tells the shapes apart, or NULL */
} met_witness_hint;

/* False if none was found. */
bool met_witness_find(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                      const met_witness_hint *hint, met_witness_run *ret_run);
/* The same for records that only rescale differently: a are bases, b values, and the result is the sum of b weighted by
 * e^(a − the largest a so far), corrected slice by slice (number/online.h). */
bool met_witness_find_rescaled(met_arena *arena, const met_tree *x, const met_tree *y, uint64_t n, met_witness_run *ret_run);

#endif
