/* Folds along tree records (number/tree.h): one after another, term by term, as the interpreter meets them, or of whole
 * arrays. */
#ifndef MET_NUMBER_FOLD_H
#define MET_NUMBER_FOLD_H

#include "number/monoid.h"
#include "number/tree.h"

/* A fold in progress. Push terms with ascending index; a term that takes no part is not pushed. One fold may be begun
 * again and again; it belongs to the arena. The fields are for the functions below. */
typedef struct met_fold met_fold;

struct met_fold {
    met_tree tree;
    met_tree meeting; /* the arithmetic of the combine */
    met_monoid monoid;
    uint64_t n;
    double acc;   /* of a plain sequential fold */
    float acc32;  /* the same where fast == 2 */
    int fast;     /* 1: f64 add/fma in sequence, 2: f32 add/fma in sequence, 0: as the record says */
    /* The innermost partial results, or, where the innermost order is not sequential, all terms. */
    bool keep;      /* all terms */
    uint64_t slots;
    uint64_t room;  /* places for partial results; as many again are for sums of a tail apart */
    uint64_t chunk; /* contiguous: terms of one partial; else 0 */
    double *value;
    bool *live;
    /* Nodes that take terms in groups: by slot, the group that is being filled (or UINT64_MAX) and its factors. */
    uint64_t group;
    uint64_t *open;
    double *group_a, *group_b;
    /* The terms at hand: the body, or a tail. */
    int tail;             /* -1: the body */
    uint64_t begin, end;
    uint64_t lanes;       /* what the tail's terms are dealt to */
    met_tree dealing;     /* the tail's arithmetic */
    met_tree_stage stage; /* of the additions of partial results */
    struct met_written *written; /* of records that have their tree written out, else NULL */
};

/* A fold of up to n terms. `n` is part of the meaning: contiguous parts and pairwise orders depend on it. */
met_fold *met_fold_new(met_arena *arena, const met_tree *tree, met_monoid monoid, uint64_t n);
void met_fold_begin(met_fold *fold);
void met_fold_push_general(met_fold *fold, uint64_t index, double value);
void met_fold_push_product_general(met_fold *fold, uint64_t index, double a, double b);
/* Multiplies what has been folded so far, in every partial result; each product is rounded as the record says. A node that
 * takes terms in groups closes the groups at hand, so scale between groups. */
void met_fold_scale(met_fold *fold, double factor);
/* The result; the monoid's unit if nothing was pushed. */
double met_fold_end(met_fold *fold);

static inline void met_fold_push(met_fold *fold, uint64_t index, double value)
{
    if (fold->fast == 2) {
        fold->acc32 += (float)value;
    } else if (fold->fast == 1) {
        fold->acc += value;
    } else {
        met_fold_push_general(fold, index, value);
    }
}

/* Pushes a·b (monoid ADD; with another monoid the product is rounded first). */
static inline void met_fold_push_product(met_fold *fold, uint64_t index, double a, double b)
{
    if (fold->fast == 2) {
        fold->acc32 = fmaf((float)a, (float)b, fold->acc32);
    } else if (fold->fast == 1) {
        fold->acc = fma(a, b, fold->acc);
    } else {
        met_fold_push_product_general(fold, index, a, b);
    }
}

/* Whole folds of arrays. `scratch` holds working memory. */
double met_tree_run(met_arena *scratch, const met_tree *tree, met_monoid monoid, uint64_t n, const double *leaves);
double met_tree_dot(met_arena *scratch, const met_tree *tree, uint64_t n, const double *a, const double *b);

/* One addition or fused multiplication and addition as the record's precision, mode, flush and store say. */
double met_tree_step(const met_tree *tree, met_monoid monoid, double a, double b);
double met_tree_fma(const met_tree *tree, double a, double b, double acc);
/* A product and a leaf as the record's precision, mode and flush say: what comes before anything is stored. */
double met_tree_product(const met_tree *tree, double a, double b);
double met_tree_leaf(const met_tree *tree, double value);
/* What a first term leaves in the accumulator of a partial result. */
double met_tree_first(const met_tree *tree, met_monoid monoid, double value);

/* Written trees (fold_written.c). Terms are kept until the end. */
struct met_written *met_written_new(met_arena *arena, const met_tree *tree, met_monoid monoid);
void met_written_begin(struct met_written *written);
void met_written_push(struct met_written *written, uint64_t index, double a, double b, bool product);
void met_written_scale(struct met_written *written, double factor);
/* False if there was no term. */
bool met_written_end(struct met_written *written, double *ret_result);

#endif
