/* Inside of weighted means (analysis_weight.c, analysis_mean.c, analysis_quotient.c): what an edge is known to be besides numbers with
 * errors. Exponentials are weights, sums over them or of squares know what they are sums of, and so a quotient of two of them is
 * known to be a mean, a share, or one of n numbers over their root mean square. */
#ifndef MET_BUDGET_ANALYSIS_MEAN_H
#define MET_BUDGET_ANALYSIS_MEAN_H

#include "budget/analysis.h"

enum { MET_MEAN_DIMS = 3, MET_MEAN_WAYS = 1 + MET_BUDGET_CHANNELS }; /* the error, and the channels */

typedef struct met_edge_weights {
    double *ratio[MET_MEAN_WAYS]; /* by element: λ */
    double lost;         /* what rounding may take from a weight that is too small for a relative error */
    uint32_t edge;       /* where they were made: this one, or that of which this is a copy in another format … */
    double *change;      /* … which changes them by this; NULL: not */
    bool moved;          /* a copy that is arranged in another way, or there may be no real weight: nothing is said of it */
} met_edge_weights;

/* Where a sum goes through its array. */
typedef struct met_walk {
    uint32_t edge; /* of it */
    uint32_t dims;
    int64_t step[MET_MEAN_DIMS], size[MET_MEAN_DIMS];
} met_walk;

typedef struct met_edge_sum {
    met_walk over;
    enum { MET_SUM_WEIGHTS, MET_SUM_PRODUCTS, MET_SUM_SQUARES, MET_SUM_ROOT } kind;
    double count;        /* of ROOT what the sum of squares was divided by */
    int64_t *start;      /* by element: where in the array its terms begin, */
    uint64_t *terms;     /* how many there are, */
    double *rounding;    /* what the sum's own rounding may be; */
    double *moved[MET_MEAN_WAYS]; /* of PRODUCTS how far the mean moves, of WEIGHTS the largest λ … */
    double *common[MET_MEAN_WAYS]; /* … and what all weights together grow by: the error, λ of the sum; by channel for a unit change */
    struct met_mean_term *room; /* for the terms of one */
} met_edge_sum;

/* One of the ways in which a number moves. */
double *met_way_of(met_running *r, uint32_t way);
uint32_t met_ways_of(const met_pass *pass);
/* 0 of anything is 0. */
double met_times(double a, double b);
/* The element that a reader stands at; what is known of an input's edge; an array beside the result. */
int64_t met_means_place(const met_loop *loop, const met_reader *reader);
met_edge_error *met_edge_in(const met_pass *pass, uint32_t input);
double *met_means_array(const met_pass *pass);
bool met_is_input(const met_scalar *e);
/* The weights that an input is; NULL. */
const met_edge_weights *met_weights_in(const met_pass *pass, uint32_t input);
/* A sum like that, with arrays beside the result. */
met_edge_sum *met_means_new_sum(const met_pass *pass, const met_edge_sum *like);

#endif
