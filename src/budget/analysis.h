/* Error bounds of a circuit that has been run, element by element: for the values of that run, and rigorous for them. Owns the
 * pass over one node; which nodes make a group, and what is printed, is budget/circuit.c's.
 *
 * What is bounded is the distance to the same settled circuit over the reals: no rounding, its formulas' numbers as they are
 * written, on the sources as rounded to their formats. Of the integers that the point `pow2` rescales by (`rint` in a
 * softmax and what is made of it) and of the largest score that `float` does, the reals take the run's own: any choice of them
 * gives the same quotient. */
#ifndef MET_BUDGET_ANALYSIS_H
#define MET_BUDGET_ANALYSIS_H

#include "budget/formula.h"
#include "budget/term.h"
#include "eval/run.h"

/* By element; NULL is 0 everywhere. */
typedef struct met_edge_error {
    double *error;
    bool open;       /* an element may have no real value (met_running) */
    double *floor;   /* −infinity where the real value has none (met_running); NULL: nowhere */
    double *channel[MET_BUDGET_CHANNELS];
    double *empty; /* 1: a fold of no terms */
    struct met_edge_weights *weights; /* of exponentials, and … */
    struct met_edge_sum *sum;         /* … sums over them or of squares (analysis_mean.h): in `scratch`; else NULL */
    uint32_t unit; /* this channel is 1 everywhere, and the others 0: what a group reads; 0: no such */
} met_edge_error;

/* Choices that errors leave open, and that are taken to be those of the run, since over the reals, in double, they are. */
typedef struct met_choices {
    uint64_t count;
    double gap, errors; /* of the k largest: where what was chosen is ahead by the least against what both may be off by; 0: none */
} met_choices;

typedef struct met_analysis {
    met_run *run;      /* begun; nodes run one by one before they are analysed */
    met_arena *arena;  /* of the error arrays … */
    met_arena *scratch; /* … and of the channels, and `sums` */
    met_edge_error *edges; /* by edge of the settled circuit */
    uint32_t channels; /* in use: 1 + what the group reads */
    const bool *undeclared; /* by node: nobody says along which tree it folds; NULL */
    bool assumed;      /* by a fold that is undeclared */
    const double *const *reals; /* by edge: over the reals, in double, of the nodes that are analysed; NULL where that is not known */
    met_choices choices; /* the caller resets them where what is read is exact */
    double lambda;     /* 0: proven bounds. Else folds have the probabilistic form */
    bool refused;      /* by a fold that truncates or is undeclared: the form does not hold for it */
    double folds;      /* elements folded, of which each may fail */
    /* Of the node that was analysed last, if it is a sum: */
    bool summed;
    met_tree tree;       /* its record, and what that adds */
    met_fold_error fold;
    uint64_t terms;      /* it has */
    double *sums;        /* by element of the result: Σ|term| */
} met_analysis;

/* `chosen`: the node makes integers that the reals take as they are. Must have been run. */
bool met_analyse_node(met_analysis *a, const met_node *node, bool chosen);
/* Of the sum that was analysed last: what its record adds, as a share of Σ|term|. */
double met_fold_share(const met_analysis *a);

/* --- Parts of the pass: analysis.c, analysis_choice.c, analysis_fold.c, analysis_scan.c --- */

typedef struct met_pass {
    met_analysis *a;
    met_loop *loop;
    met_formula_inputs in;
    met_running *inputs; /* by input of the node, and one more for what a scan recalls */
    double *indices;
    bool wide;           /* what is stored was computed in f64 */
    double rounding;     /* what the record added to the sum that was folded last, and rounding its terms before */
    bool clear;          /* what is compared is clearly apart over the reals, or the same number */
    bool blind;          /* an id, a length or the like is not certain: nothing can be said of the results */
} met_pass;

met_running met_pass_read(const met_pass *pass, uint32_t input);
/* Reads all inputs and indices where the loop stands. False if a fold has no term there. */
bool met_pass_load(met_pass *pass, bool fold);
/* Whether the first result is live where the loop stands. */
bool met_pass_live(const met_pass *pass);
/* Puts the error of an element of a result, with what its edge's format rounds. `known`: r.value is what is stored there,
 * before it was. */
void met_pass_store(met_pass *pass, uint32_t output, met_running r, bool known);
/* The same of what is rounded already. */
void met_pass_put(met_pass *pass, uint32_t output, met_running r);
/* A product that whoever adds it up rounds; a sum of errors, not of values. */
met_running met_running_product(const met_running *a, const met_running *b, uint32_t channels);
void met_running_add(met_running *total, const met_running *term, uint32_t channels);
/* Notes whether what is compared where the loop stands is clear. */
void met_pass_look(met_pass *pass);
/* Whether an element says how often something holds, and is the same over the reals in double. */
bool met_pass_counts_alike(const met_pass *pass, uint32_t output, double stored);
void met_pass_pick(met_pass *pass);
void met_pass_fold(met_pass *pass);
void met_pass_scan(met_pass *pass);

/* --- Means: analysis_weight.c, analysis_mean.c, analysis_quotient.c --- */

/* Notes of the element of a map that was stored last, of which `before` is the value in arithmetic, whether it is a weight. */
void met_means_weigh(met_pass *pass, double before);
/* Notes of the sum that was stored last whether it is over weights or squares. Folds them once more. */
void met_means_sum(met_pass *pass, bool product);
/* Of a map of a sum of squares that is their root mean square, or more. */
void met_means_root(met_pass *pass);
/* met_formula_inputs.quotient, of a pass. */
void met_means_quotient(const void *pass, uint32_t over, uint32_t under, met_running *quotient);

/* What rounding to a result's format has done to an element, given the stored value and, if that is known, what it was `before`. */
double met_edge_rounding(const met_pass *pass, uint32_t output, int64_t at, double stored, const double *before);

#endif
