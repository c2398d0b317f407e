/* One box of a straight-line program: how far the computed result may be from the exact one for any arguments in it. Owns the
 * derivation; does not choose boxes.
 *
 * Rounding of node i adds δ_i to its value. With F(x, δ) the result of the program at x when δ_i is added at every node,
 * computed - exact = F(x, δ) - F(x, 0) = Σ δ_i ∫ ∂F/∂δ_i (x, sδ) ds for s in [0, 1]: the mean value theorem, without a second
 * order left over, since the slopes are taken over all values that nodes have on the way from exact to computed. δ_i is half a
 * place of the largest value rounded; slopes come from reverse differentiation in interval arithmetic. The first-order sum is
 * that of Solovyev, Jacobsen, Rakamaric, Gopalakrishnan (FM 2015), with their "improved" rounding model. */
#ifndef MET_BUDGET_STRAIGHT_EVAL_H
#define MET_BUDGET_STRAIGHT_EVAL_H

#include "budget/straight_program.h"

typedef struct met_straight_model {
    bool rounded_inputs; /* arguments are reals that the program rounds first; else they are exact */
    double ulps;         /* of library functions */
} met_straight_model;

typedef struct met_straight_values {
    met_interval exact;                       /* what the node is in real arithmetic */
    met_interval near;                        /* and on the way from there to what is computed */
    met_interval computed;                    /* what is computed: rounding never crosses a number of the format */
    met_interval slip;                        /* δ */
    double error;                             /* of all that led here: |near - exact| */
    double jump;                              /* not 0: this much is added here, and nothing comes from the argument (a root near 0) */
    bool reached;                             /* the result depends on it */
    met_interval slopes[MET_STRAIGHT_ARITY];
    met_interval weight;                      /* ∂F/∂δ */
} met_straight_values;

typedef struct met_straight_bounds {
    bool empty;         /* the conditions hold nowhere in the box, or there is no exact result anywhere in it */
    bool certain;       /* they hold everywhere in it */
    bool defined;       /* nothing takes the root of what may be negative */
    double absolute;    /* INFINITY if there is no bound */
    double relative;
    met_interval result;
} met_straight_bounds;

/* `values` has room for every node, and afterwards says how the bound came about. */
met_straight_bounds met_straight_eval(const met_straight_program *program, const met_straight_model *model, const met_interval *box,
                                      met_straight_values *values);

/* What node i contributes to the bound: |weight|·|δ|. */
double met_straight_share(const met_straight_values *value);

#endif
