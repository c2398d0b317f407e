/* Online folds: sums of terms that are relative to the largest base so far, slice by slice. What a kernel computes that
 * meets softmax's maximum in the middle of its stream, along the records of its two folds:
 *
 *   weight(i) = factor(i) · 2^(base(i) − B)   or   e^(base(i) − B)      B the largest base up to the end of the slice
 *   sum = Σ weight(i)       mix(j) = Σ weight(i)·value(i, j)
 *
 * When B grows to B′ at the beginning of a slice, everything summed so far is multiplied by 2^(B − B′) or e^(B − B′). With
 * powers of two that is exact unless something underflows, and the result does not depend on the slices; with rounded
 * exponentials it does. All arithmetic is in float. */
#ifndef MET_NUMBER_ONLINE_H
#define MET_NUMBER_ONLINE_H

#include "number/fold.h"

typedef struct met_online_rule {
    met_tree sum, mix;        /* `rescale` of mix: POW2 or FLOAT */
    float (*exponential)(float); /* of FLOAT */
    met_dtype weights;        /* a weight is rounded to it before it multiplies a value; the sum takes it unrounded */
} met_online_rule;

typedef struct met_online met_online;

/* A stream of n terms with `width` values each. Belongs to the arena. */
met_online *met_online_new(met_arena *arena, const met_online_rule *rule, uint64_t n, uint64_t width);
/* The next `count` terms. `factor` NULL: 1; `live` NULL: all; values are count × width. Terms that are not live take no
 * part, and their place stays empty. Bases are finite. */
void met_online_slice(met_online *online, uint64_t count, const double *base, const double *factor, const bool *live,
                      const double *values);
/* ret_mix holds `width` numbers. Without any live term everything is 0 and the base −∞. */
void met_online_end(met_online *online, double *ret_base, double *ret_sum, double *ret_mix);

#endif
