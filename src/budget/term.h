/* Error terms: what one operation, one fold along a record, or one store may be off by, given bounds on magnitudes. Owns the
 * formulas; must not know circuits.
 *
 * u is the unit roundoff, half the gap after 1 (met_dtype_limits). Sources: Higham, "Accuracy and Stability of Numerical
 * Algorithms" (2002), sections 2.2, 3.1 and 4.2; of the probabilistic form Higham and Mary, "A new approach to probabilistic
 * rounding error analysis" (2019); of matrix units docs/numerics.md and number/matrix_unit.h. Everything is rounded up. */
#ifndef MET_BUDGET_TERM_H
#define MET_BUDGET_TERM_H

#include "budget/budget.h"
#include "number/tree.h"

/* Above a magnitude that a few double operations gave: by more than their own roundings. */
double met_budget_up(double x);
/* What a slope makes of a distance, as it comes. Without a distance nothing, however steep; of no bound none, however flat: that a
 * number is unknown need not mean that it is one. */
double met_budget_amplified(double slope, double distance);
/* γ = θ/(1 − θ) of a path whose units roundoff add up to θ; infinite from θ = 1 on. */
double met_budget_gamma(double theta);

/* What a fold of n terms along a record adds to exact terms: at most relative·Σ|term| + absolute. */
typedef struct met_fold_error {
    bool known;          /* false: a part of the record is undeclared, and this is what the worst tree of additions in its
                            precision does, in any rounding mode: an assumption */
    bool one_sided;      /* truncation is part of it: errors share a sign */
    uint64_t height;     /* roundings on the longest path, a node of a matrix unit counting once */
    uint64_t nodes;      /* of a matrix unit, in that; each cuts `cut` of Σ|term| and rounds by `node_unit`: N·(cut + unit) + cut */
    double cut, node_unit;
    uint64_t wide;       /* of the height: additions in f64 */
    uint64_t stores;     /* of partial results to a narrower format, each by `store_unit` */
    double store_unit;
    double theta;        /* sum of the units roundoff on that path, matrix units apart */
    double unit;         /* of one addition */
    double squares;      /* sum of the squares of the units roundoff on that path, matrix units and stores included */
    double definite;     /* of `relative`, what is cut off rather than rounded: the alignment of matrix units */
    double relative;
    double absolute;     /* what falls below the least numbers, flushing included; per unit of the largest factor for flushed factors */
    bool flushed_factors; /* subnormal factors become 0: each term loses up to 2^-126 times the other factor besides */
} met_fold_error;

/* `product`: terms are products of two factors that the fold multiplies itself. The monoid is addition. */
met_fold_error met_fold_error_of(const met_tree *tree, uint64_t n, bool product);
/* That of an undeclared one. */
met_fold_error met_fold_error_assumed(met_dtype precision, uint64_t n);
/* One n-way node: addends · 2^(e_max − F), and the final rounding of a result below 2^(e_out + 1) to `bits` significand
 * bits: one gap where it is directed, half a gap to nearest. */
typedef struct met_node_error {
    double align, round, bound;
} met_node_error;
met_node_error met_node_error_of(uint64_t addends, int e_max, int fraction, met_rounding final, int e_out, int bits);

/* Of the probabilistic form at most, if roundings are independent and of mean zero. */
double met_probable_failure(double lambda);
/* λ·√h·u·Σ|x|, of a fold along a record, stores and higher orders included. Rounding k adds δ_k·t_k to the result, t_k the sum of the
 * computed terms that it rounds, so |t_k| ≤ (1 + relative)·Σ|x| over its leaves; those that are k-th on their paths have leaves
 * of their own, and a martingale with steps u_k·|t_k| stays within λ·√(Σu²)·(1 + relative)·Σ|x| (Azuma). What is cut off adds up. */
double met_fold_probable_error(const met_fold_error *error, double lambda, double sum_abs);

/* Rounding to nearest to a dtype where |x| ≤ x_max: half a gap of the binade of x_max; infinite beyond the largest number. */
double met_store_error(met_dtype dtype, double x_max);
/* The same within a group whose scale, a power of two, is chosen for x_max. */
double met_scaled_store_error(met_dtype dtype, met_dtype scale, double x_max, double *ret_scale);

/* Root of the mean square of those that are finite; 0 if none is. */
double met_root_mean_square(size_t count, const double *values);
/* The least value that a share of them, above 0, does not exceed; 0 of none. Sorts them. */
double met_quantile(size_t count, double *values, double share);

#endif
