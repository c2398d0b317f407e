/* Tree records: how a reduction is bracketed, where it rounds and whether it contracts, as data. number/fold.h does exactly
 * what a record says, number/tree_compare.h decides whether two records give the same bits.
 *
 * A record's levels run from the innermost out. A level of width w turns the terms that reach it into w partial results:
 * term i of m goes to partial i mod w (strided) or i div ⌈m/w⌉ (contiguous), and each partial folds its terms in the
 * level's order. A width may also be n/c, rounded up: partial results of about c terms each. The partials are the terms
 * of the next level, and `combine` folds those of the last one. The record without levels is one fold in the order
 * `combine`.
 *
 * Orders, over positions 0 … m−1 of which some may be absent (an absent term takes no part, and adds no zero):
 *   sequential  from the first to the last
 *   pairwise    l with l + h, for h = the powers of two below m from the largest down; butterfly gives the same bits
 *   adjacent    2l with 2l + 1, again and again
 *   reverse     from the last to the first
 *   halves      the first ⌊m/2⌋ and the others, each likewise; halves_up with ⌈m/2⌉
 *   eight_lane_blocks   in order below 8; up to 128 eight strided lanes, added adjacently, then the rest in order; above,
 *                       halves cut at a multiple of 8, each likewise
 * Terms keep their positions when others are absent, so leaving out guarded terms does not move the rest.
 *
 * Contractions fold products a·b. In a sequential innermost level each is `fma(a, b, acc)`, or with `mul_add` a rounded
 * product and an addition. In the other orders a product is rounded and then added, whatever the contraction says. The
 * accumulators of a sequential innermost level start at +0 (or the monoid's unit), or with `first` at their first term or
 * rounded product; outer levels and `combine` start at their first term.
 *
 * With `combine_f64` the results of the last level meet in f64, and so do the terms of a tail that joins the combined result:
 * additions there are in f64 and store nothing, and what they add, products included, is rounded to f32 before, whatever
 * the contraction. The result is rounded to f32 once, at the end. Without levels, or written, all additions are of that kind.
 *
 * A fold whose summands are relative to a running base multiplies its accumulators when the base moves: `rescale`. Powers
 * of two are exact unless something underflows, which raises the flag; float factors round, after every slice of the
 * given length, so that the length shows. Folds here do not rescale: number/online.h does.
 *
 * Tails are the remainder loops of code that works in blocks. The body is all whole blocks of the first tail's `block` terms;
 * what is left goes to the first tail, but for what is left after whole blocks of the second one's, and so on: the last tail
 * takes the rest. A tail joins the partial results of a level, once these are there, or the combined result. It is dealt to them
 * as to strided lanes: term i of a tail to result i mod w, w the least width up to that level. The terms of one are folded
 * in order, contracted as the tail says, whatever the levels do with the others; their accumulator starts as one of a sequential
 * innermost level does, or, AFTER, at what was there. With blocks that become smaller, each result that a tail is dealt to is
 * there, or none is and the tail makes them.
 *
 * A written tree: a node of two partial results adds them. A leaf that is `alone` (number/bracketing.h) is a partial result:
 * it starts, and is stored. Another that meets a partial result is a step of a sequential innermost level, the partial result
 * its accumulator. Of two others the first starts, without being stored, and the second is such a step; a tree of one leaf
 * starts so. With `node` MATRIX each node that has a leaf which is not alone, or more than two children, is one of the unit:
 * such leaves are its products, partial results accumulators of it; without one it has +0. One that is alone is a node of the
 * unit by itself, but for the last leaf of a unit whose accumulator joins late: that is the accumulator. */
#ifndef MET_NUMBER_TREE_H
#define MET_NUMBER_TREE_H

#include <stdint.h>

#include "base/text.h"
#include "number/matrix_unit.h"
#include "type/dim.h"

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
    MET_ORDER_ADJACENT,
    MET_ORDER_REVERSE,
    MET_ORDER_HALVES,
    MET_ORDER_HALVES_UP,
    MET_ORDER_EIGHT_LANE_BLOCKS
} met_tree_order;
typedef enum met_tree_start { MET_START_ZERO, MET_START_FIRST } met_tree_start;
typedef enum met_contraction { MET_CONTRACT_FMA, MET_CONTRACT_MUL_ADD } met_contraction;
/* What an inner node of a sequential innermost level does, in f32 from +0 on. ADD: one rounded addition or fma. The others
 * take the terms of a partial result in groups. PAIRS: the x86 bf16 dot product of two terms, the second first, with
 * flushing (number/dot_pair.h). MATRIX: a node of a matrix unit (number/matrix_unit.h). A term of a group that is absent
 * is a product of zeros. */
typedef enum met_tree_node { MET_NODE_ADD, MET_NODE_PAIRS, MET_NODE_MATRIX } met_tree_node;
/* What a tail does with its terms: one by one onto what is there by then; or into a fold of their own, in order, whose result
 * is added to what is there. INSIDE is no tail: all terms go into the partial results as if blocks had no size. */
typedef enum met_tail { MET_TAIL_INSIDE, MET_TAIL_AFTER, MET_TAIL_APART } met_tail;
/* How a tail's products meet what is there: as the record says, or in its own way. */
typedef enum met_tail_contraction { MET_TAIL_ALIKE, MET_TAIL_FMA, MET_TAIL_MUL_ADD } met_tail_contraction;
typedef enum met_rescale { MET_RESCALE_NONE, MET_RESCALE_FLOAT, MET_RESCALE_POW2 } met_rescale;

/* What a record says, in the order in which records are compared. */
typedef enum met_tree_field {
    MET_FIELD_NONE,
    MET_FIELD_AXIS,
    MET_FIELD_LEVELS,
    MET_FIELD_COMBINE,
    MET_FIELD_TAIL,
    MET_FIELD_START,
    MET_FIELD_ROUNDING, /* precision, store, mode, precision of the combine */
    MET_FIELD_FLUSH,
    MET_FIELD_CONTRACTION,
    MET_FIELD_MMA, /* what a node does */
    MET_FIELD_RESCALE
} met_tree_field;

#define MET_TREE_FIELDS (MET_FIELD_RESCALE + 1)

/* "levels", "rounding", …; "" for NONE. */
const char *met_tree_field_name(met_tree_field field);

typedef struct met_tree_level {
    uint8_t place;  /* met_tree_place: who holds a partial result; never changes bits */
    uint8_t layout; /* met_tree_layout */
    uint8_t order;  /* met_tree_order */
    bool per_terms; /* the width is ⌈m/width⌉ */
    uint64_t width; /* partial results, at least 1 */
    const struct met_dim *size; /* the width as an expression over a circuit's sizes, until met_tree_bind makes it a number; or NULL */
} met_tree_level;

/* Terms left over after the last whole block of `block` terms. */
typedef struct met_tree_tail {
    uint8_t rule;        /* met_tail: AFTER or APART */
    uint8_t onto;        /* what they join: partial results of this level, from 1; 0: the combined result */
    uint8_t contraction; /* met_tail_contraction */
    uint64_t block;      /* at least 1 */
} met_tree_tail;

#define MET_TREE_LEVELS 6
#define MET_TREE_TAILS 4
#define MET_TREE_AXIS 32 /* bytes of an index's name, with its NUL */

/* All zero except `precision` and `store` is sequential with fma. */
typedef struct met_tree {
    char axis[MET_TREE_AXIS]; /* the index that is folded; empty: whichever the record is said of */
    uint8_t level_count;
    uint8_t combine;     /* met_tree_order */
    uint8_t start;       /* met_tree_start */
    uint8_t contraction; /* met_contraction */
    uint8_t node;        /* met_tree_node */
    uint8_t precision;   /* of the arithmetic: MET_F64 or MET_F32, to which leaves are rounded first */
    uint8_t store;       /* every partial result is rounded to this dtype as well: MET_F64, MET_F32, MET_BF16 or MET_F16 */
    uint8_t mode;        /* met_rounding of the arithmetic; other than nearest needs precision MET_F32 */
    uint8_t flush;       /* met_flush of the arithmetic; needs precision MET_F32 and nearest */
    uint8_t rescale;     /* met_rescale */
    uint8_t tail_count;  /* none: the terms of a last block that is not whole are like others */
    bool combine_f64;     /* what the last level's results meet in; needs precision MET_F32, nearest and no flushing */
    uint32_t undeclared;  /* fields that nobody declared or that a probe could not tell: bits 1 << met_tree_field */
    /* The shape of one length, written out, in place of levels and combine: what a probe recovers. NULL: the levels' */
    const struct met_bracketing *written;
    met_matrix_unit unit; /* of node MATRIX */
    uint64_t slice;      /* of rescale FLOAT: terms between two factors */
    met_tree_level levels[MET_TREE_LEVELS];
    met_tree_tail tails[MET_TREE_TAILS]; /* blocks become smaller, and none joins further in than the one before */
} met_tree;

/* The default: sequential with fma, start at zero, nearest even, partial results in the precision of the arithmetic. */
met_tree met_tree_sequential(met_dtype precision);
met_tree met_tree_pairwise(met_dtype precision);
/* `width` strided lanes in order, then l with l + half. */
met_tree met_tree_lanes(met_dtype precision, uint64_t width);
/* The arithmetic of what the last level's results meet in: the record itself, but for `combine_f64`. */
met_tree met_tree_meeting(const met_tree *tree);
/* The same record, word for word: written trees have the same children in the same order. */
bool met_tree_equal(const met_tree *a, const met_tree *b);
/* True if a fold can run the record: known fields, widths of at least 1 that are numbers, fields that go together. */
bool met_tree_valid(const met_tree *tree);
/* Why not, as a phrase; NULL if it is. Widths may be expressions still. */
const char *met_tree_fault(const met_tree *tree);
/* Whether it says what a fold of n terms does: a written tree has one length. */
bool met_tree_fits(const met_tree *tree, uint64_t n);
/* Why a width has no number: a size is not known, it comes to 0, or to more than 64 bits hold. */
typedef enum met_width_fault { MET_WIDTH_UNKNOWN, MET_WIDTH_ZERO, MET_WIDTH_LARGE } met_width_fault;
typedef struct met_unbound {
    met_width_fault fault;
    met_size symbol; /* UNKNOWN: which */
} met_unbound;

/* Puts numbers in place of widths that are expressions. False if one has none, and then why, unless `ret_why` is NULL. */
bool met_tree_bind(met_tree *tree, bool (*value)(void *context, met_size symbol, uint64_t *ret_value), void *context,
                   met_unbound *ret_why);
/* Whether a size of that name is the number of terms: the index that the record names, or `k` where it names none. */
bool met_tree_is_over(const met_tree *tree, met_str name);
/* Terms before the tails: all that whole blocks have, or n. */
uint64_t met_tree_body(const met_tree *tree, uint64_t n);
/* The arithmetic of a tail: the record's or that of the combine, with the tail's contraction. */
met_tree met_tree_tail_arithmetic(const met_tree *tree, int tail);
/* The order in which the terms of an innermost partial result are folded. */
met_tree_order met_tree_innermost(const met_tree *tree);

/* Text: parts separated by ", ". First the shape: an order, `lanesN`, levels and combine, `strided N sequential lane then
 * … then pairwise`, a width being a number, `n/256` or an expression over sizes in brackets, or a written tree, `((0 1) 2)`.
 * Then, where they differ from the default: `over k`, tails (`tail after 64 onto level 2, tail apart 16 mul_add`), `mul_add`, `first`, `rz` | `rd` | `ru`, `f64`,
 * `store bf16`, `combine f64`, `flush` | `flush inputs` | `flush results`, `pairs` | `matrix 8+c F24 rz` | `matrix 16+c F25 rne f16`,
 * `rescale pow2` | `rescale float 64`, `undeclared start flush`. A precision, unless the text names one, is as given. */

/* Sizes by name, where widths are expressions. NULL: symbol 3 is s3. */
typedef struct met_tree_names {
    met_size_namer name;
    bool (*find)(void *context, met_str name, met_size *ret_symbol);
    void *context;
} met_tree_names;

/* The part of a text that is not understood, and what it should be, as a phrase. */
typedef struct met_tree_error {
    met_str at;
    const char *why;
} met_tree_error;

/* Reads a record, which fits together (met_tree_valid, once its widths are bound). `names` and `ret_error` may be NULL. The
 * arena keeps a written tree and the expressions; the text need not stay. */
bool met_tree_read(met_arena *arena, met_str text, met_dtype precision, const met_tree_names *names, met_tree *ret_tree,
                   met_tree_error *ret_error);
void met_tree_print_named(met_text *out, const met_tree *tree, met_dtype precision, const met_tree_names *names);
/* Without written trees and expressions. */
bool met_tree_parse(met_str text, met_dtype precision, met_tree *ret_tree);
void met_tree_print(met_text *out, const met_tree *tree, met_dtype precision);
/* The same for people: a written tree is `a tree of 64 terms`. */
void met_tree_print_brief(met_text *out, const met_tree *tree, met_dtype precision);

/* Additions on the longest path of one fold of m terms: m in sequence (the first counts as one), ⌈log2 m⌉ in halves. A node of a
 * matrix unit is one. */
uint64_t met_order_depth(met_tree_order order, uint64_t m);
uint64_t met_tree_depth(const met_tree *tree, uint64_t n);

/* Partial results of a level that m terms reach: no more than terms. */
uint64_t met_level_width(const met_tree_level *level, uint64_t m);

/* Terms at base, base + step, … */
typedef struct met_terms {
    uint64_t base;
    uint64_t step;
    uint64_t count;
} met_terms;

/* Innermost partial results of the n terms before a tail, and the terms of one of them. Without levels there is one, which
 * has all. Of records with levels, as met_tree_walk is: a written tree has none. */
uint64_t met_tree_part_count(const met_tree *tree, uint64_t n);
met_terms met_tree_part(const met_tree *tree, uint64_t n, uint64_t part);

/* The terms of a tail: those from `base` on. */
met_terms met_tree_tail_terms(const met_tree *tree, uint64_t n, int tail);

/* Called for an addition: the partial result at `from` is folded into the one at `to`. */
typedef void (*met_join_fn)(void *context, uint64_t to, uint64_t from);
/* Calls `fn` for every addition of the record's tree over terms 0 … n−1, children before parents. The whole is at 0. With `inner`
 * false the innermost partial results of the body are taken to be done, each at its number among them. */
void met_tree_walk(const met_tree *tree, uint64_t n, bool inner, met_join_fn fn, void *context);

/* The same step by step, for those to whom the terms of a tail are something else than partial results. */
typedef struct met_tree_stage {
    int level;       /* that comes next; the one after the last is the combine */
    met_terms terms; /* where what it folds stands */
} met_tree_stage;
/* Before the body. */
met_tree_stage met_tree_stage_begin(const met_tree *tree, uint64_t n, bool inner);
/* Goes on to where the tail joins, or, after the last tail, to the end. `combine` is called for additions of the last level's
 * results. */
void met_tree_stage_to(const met_tree *tree, met_tree_stage *stage, int tail, met_join_fn fn, met_join_fn combine, void *context);
/* To how many results the tail's terms are dealt, the first at stage->terms. If none is there, the tail makes them. */
uint64_t met_tree_stage_deal(const met_tree *tree, met_tree_stage *stage, int tail, uint64_t terms);

#endif
