/* What records do with n terms, step by step, in a normal form: two records with one form give one result for every input.
 * The form is a graph in which equal steps are one node, whichever record they come from, so that comparing is comparing
 * numbers. What it leaves out changes no bits, for operands of one format:
 *   a product that the arithmetic holds exactly is the leaf itself, and fusing it is adding it;
 *   +0 before a sum matters to a sum of zeros alone: x + (y + 0) = (x + y) + 0 where no result underflows; when rounding down
 *   it does not matter at all, as −0 + 0 is −0 there;
 *   nor does any sign of a zero below such a +0, or below what is never −0 (number/steps_zero.c);
 *   storing what the format holds, and flushing where nothing is subnormal, is nothing;
 *   sums that are exact whatever their order are one;
 *   of a matrix unit: alignment bits below everything that is there, a final rounding of what is exact. */
#ifndef MET_NUMBER_STEPS_H
#define MET_NUMBER_STEPS_H

#include "number/bracketing.h"
#include "number/operands.h"

typedef struct met_steps met_steps;

/* n from 1 to MET_BRACKETING_LEAVES. */
met_steps *met_steps_new(met_arena *arena, met_operands operands, uint64_t n);
/* Only inputs whose terms have no bits below 2^lowest and are less than 2^(highest + 1), before any record is read. */
void met_steps_restrict(met_steps *steps, int lowest, int highest);
/* The form of a record that fits n, but for rescaling. A record that no fold can run is read as well as can be: nodes of
 * units out of order are additions. */
uint32_t met_steps_of(met_steps *steps, const met_tree *tree);

/* Two terms, whole · 2^exponent, or a multiple of both, of which a node that keeps few bits makes something else if the first is a
 * partial result instead of a product. */
typedef struct met_step_pair {
    uint64_t product, other;
    int of_product, of_other; /* exponents */
    bool alike;               /* of one sign */
} met_step_pair;

/* Such a pair that a form was found not to leave out, each as likely as the others; false if there is none. */
bool met_steps_pair(const met_steps *steps, uint64_t *random, met_step_pair *ret_pair);

/* Moves to where two forms differ: down as long as they differ in one operand alone. */
void met_steps_narrow(met_steps *steps, uint32_t *x, uint32_t *y);
/* A term below a step, each operand on the way as likely as the others. */
uint32_t met_steps_leaf(const met_steps *steps, uint32_t at, uint64_t *random);
/* Marks all terms below a step; the others stay as they are. */
void met_steps_terms(const met_steps *steps, uint32_t at, bool *ret_terms);

#endif
