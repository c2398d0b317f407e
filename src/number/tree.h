/* Tree records: how a reduction is bracketed, where it rounds and whether it contracts, as data; and folds that do
 * exactly what a record says.
 *
 * A record's levels run from the innermost out. A level of width w turns the terms that reach it into w partial results:
 * term i of m goes to partial i mod w (strided) or i div ⌈m/w⌉ (contiguous), and each partial folds its terms in the
 * level's order. The partials are the terms of the next level, and `combine` folds those of the last one. The record
 * without levels is one fold in the order `combine`.
 *
 * Orders, over positions 0 … m−1 of which some may be absent (an absent term takes no part, and adds no zero):
 *   sequential  from the first to the last
 *   pairwise    l with l + h, for h = the powers of two below m from the largest down; butterfly gives the same bits
 *   adjacent    2l with 2l + 1, again and again
 * Terms keep their positions when others are absent, so leaving out guarded terms does not move the rest.
 *
 * Contractions fold products a·b. In a sequential innermost level each is `fma(a, b, acc)`, or with `mul_add` a rounded
 * product and an addition. In the other orders a product is rounded and then added, whatever the contraction says. The
 * accumulators of a sequential innermost level start at +0 (or the monoid's unit), or with `first` at their first term or
 * rounded product; outer levels and `combine` start at their first term. */
#ifndef MET_NUMBER_TREE_H
#define MET_NUMBER_TREE_H

#include <stdint.h>

#include "base/text.h"
#include "number/encode.h"
#include "number/monoid.h"

typedef enum met_tree_place {
    MET_PLACE_LANE,
    MET_PLACE_THREAD,
    MET_PLACE_BLOCK,
    MET_PLACE_SPLIT,
    MET_PLACE_RANK
} met_tree_place;
typedef enum met_tree_layout { MET_LAYOUT_STRIDED, MET_LAYOUT_CONTIGUOUS } met_tree_layout;
typedef enum met_tree_order {
    MET_ORDER_SEQUENTIAL,
    MET_ORDER_PAIRWISE,
    MET_ORDER_BUTTERFLY,
    MET_ORDER_ADJACENT
} met_tree_order;
typedef enum met_tree_start { MET_START_ZERO, MET_START_FIRST } met_tree_start;
typedef enum met_contraction { MET_CONTRACT_FMA, MET_CONTRACT_MUL_ADD } met_contraction;
/* What one inner node does. ADD: one rounded addition or fma. PAIRS: the x86 bf16 dot product of terms 2i and 2i + 1, the
 * odd one first, with flushing (number/dot_pair.h); sequential, in f32, for products only. The n-way nodes of matrix units
 * are written out as brackets (number/bracketing.h). */
typedef enum met_tree_node { MET_NODE_ADD, MET_NODE_PAIRS } met_tree_node;

typedef struct met_tree_level {
    uint8_t place;  /* who holds a partial result; never changes bits */
    uint8_t layout; /* met_tree_layout */
    uint8_t order;  /* met_tree_order */
    uint64_t width; /* partial results, at least 1 */
} met_tree_level;

#define MET_TREE_LEVELS 6

/* All zero except `precision` and `store` is sequential with fma. */
typedef struct met_tree {
    uint8_t level_count;
    uint8_t combine;     /* met_tree_order */
    uint8_t start;       /* met_tree_start */
    uint8_t contraction; /* met_contraction */
    uint8_t node;        /* met_tree_node */
    uint8_t precision;   /* of the arithmetic: MET_F64 or MET_F32, to which leaves are rounded first */
    uint8_t store;       /* every partial result is rounded to this dtype as well: MET_F64, MET_F32, MET_BF16 or MET_F16 */
    uint8_t mode;        /* met_rounding of the arithmetic; other than nearest needs precision MET_F32 */
    met_tree_level levels[MET_TREE_LEVELS];
} met_tree;

/* The default: sequential with fma, start at zero, nearest even, partial results in the precision of the arithmetic. */
met_tree met_tree_sequential(met_dtype precision);
met_tree met_tree_pairwise(met_dtype precision);
/* `width` strided lanes in order, then l with l + half. */
met_tree met_tree_lanes(met_dtype precision, uint64_t width);
bool met_tree_equal(const met_tree *a, const met_tree *b);
/* True if a fold can run the record: known fields, widths of at least 1, mode and precision as above. */
bool met_tree_valid(const met_tree *tree);

/* Text: parts separated by ", ". First the shape: `sequential`, `pairwise`, `adjacent`, `butterfly`, `lanesN`, or levels
 * and combine `strided N sequential lane then … then pairwise`. Then, where they differ from the default: `mul_add`,
 * `first`, `rz` | `rd` | `ru`, `f64`, `store bf16`. Parsing takes the precision as given unless the text names one. */
bool met_tree_parse(met_str text, met_dtype precision, met_tree *ret_tree);
void met_tree_print(met_text *out, const met_tree *tree, met_dtype precision);

/* Additions on the longest path of one fold of m terms: m in sequence (the first counts as one), ⌈log2 m⌉ otherwise. */
uint64_t met_order_depth(met_tree_order order, uint64_t m);
uint64_t met_tree_depth(const met_tree *tree, uint64_t n);
/* γ = h·u / (1 − h·u): the relative error bound of a path of h roundings with unit roundoff u. */
double met_gamma(uint64_t depth, double unit_roundoff);

/* A fold in progress. Push terms with ascending index; a term that takes no part is not pushed. One fold may be begun
 * again and again; it belongs to the arena. The fields are for the functions below. */
typedef struct met_fold met_fold;

struct met_fold {
    met_tree tree;
    met_monoid monoid;
    uint64_t n;
    double acc;   /* of a plain sequential fold */
    float acc32;  /* the same where fast == 2, and of pairs */
    int fast;     /* 1: f64 add/fma in sequence, 2: f32 add/fma in sequence, 0: as the record says */
    uint64_t pair; /* pairs: the one being filled, or UINT64_MAX */
    float pair_a[2], pair_b[2];
    /* The innermost partial results, or, where the innermost order is not sequential, all terms. */
    bool keep;      /* all terms */
    uint64_t slots;
    uint64_t chunk; /* contiguous: terms of one partial; else 0 */
    double *value;
    bool *live;
};

/* A fold of up to n terms. `n` is part of the meaning: contiguous parts and pairwise orders depend on it. */
met_fold *met_fold_new(met_arena *arena, const met_tree *tree, met_monoid monoid, uint64_t n);
void met_fold_begin(met_fold *fold);
void met_fold_push_general(met_fold *fold, uint64_t index, double value);
void met_fold_push_product_general(met_fold *fold, uint64_t index, double a, double b);
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

/* Calls `fn` for every inner node of the record's tree over terms 0 … n−1, children before parents: the partial result at
 * `from` is folded into the one at `to`. The whole is at 0. */
typedef void (*met_join_fn)(void *context, uint64_t to, uint64_t from);
void met_tree_walk(const met_tree *tree, uint64_t n, met_join_fn fn, void *context);

/* One addition or fused multiplication and addition as the record's precision, mode and store say. */
double met_tree_step(const met_tree *tree, met_monoid monoid, double a, double b);
double met_tree_fma(const met_tree *tree, double a, double b, double acc);

#endif
