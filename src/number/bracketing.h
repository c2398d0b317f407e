/* Bracketings: trees written out, leaf by leaf. Text: a leaf is its index, with `!` if it is alone, a node its children in
 * parentheses, as in `((0! 1) 2)`. Where a record (number/tree.h) is a rule for every length, a bracketing is one tree of one length: what a
 * record gives for n leaves, what a probe recovers from a kernel, and what two kernels are compared by.
 *
 * By met_bracketing_rules a node of two children is one rounded addition. A node of more is one step of a matrix unit: its
 * addends are taken exactly, cut toward zero to `fraction` bits below the largest exponent among them, added exactly and rounded once;
 * zeros take no part.
 *
 * A mark says what the shape leaves open, for dot products, narrow stores and matrix units. A leaf that is `alone` is a
 * partial result of its own: its product is rounded, and stored, before it is added. One that is not joins the addition it
 * takes part in: with contraction FMA it is fused, otherwise its product is rounded (not stored) and added. Of two leaves that
 * meet, only the last one that is not alone is fused; the other is the accumulator. With `node` MATRIX one that is alone is a
 * product in a step of its own, or, where the unit's accumulator joins late and it is the last leaf, that accumulator. */
#ifndef MET_NUMBER_BRACKETING_H
#define MET_NUMBER_BRACKETING_H

#include "number/tree.h"

typedef struct met_bracketing_node {
    uint32_t leaf;  /* its index where `count` is 0 */
    uint32_t first; /* place of the first child in `children` */
    uint32_t count;
    bool alone; /* of a leaf: a partial result of its own */
} met_bracketing_node;

/* Nodes stand after their children; the last one is the root. */
typedef struct met_bracketing {
    const met_bracketing_node *nodes;
    const uint32_t *children; /* places in `nodes` */
    uint32_t node_count;
    uint32_t leaf_count;
} met_bracketing;

/* How the nodes compute. */
typedef struct met_bracketing_rules {
    met_rounding mode;  /* of the additions */
    met_dtype store;    /* the result of a node is rounded to it as well, to nearest even; MET_F32: no further rounding */
    int fraction;       /* nodes of more than two children */
    met_rounding final; /* their one rounding */
} met_bracketing_rules;

#define MET_BRACKETING_LEAVES (1u << 20)
#define MET_BRACKETING_DEPTH 4096 /* of what parse accepts */

/* The same children in the same order, everywhere; NULL is equal to NULL alone. */
bool met_bracketing_equal(const met_bracketing *a, const met_bracketing *b);
bool met_bracketing_is_binary(const met_bracketing *tree);
/* Nodes on the longest way down, the leaf included. */
uint64_t met_bracketing_height(const met_bracketing *tree);
/* NULL if the text is not a tree in which each of 0 … n−1 stands once, or passes a limit above. */
const met_bracketing *met_bracketing_parse(met_arena *arena, met_str text);
/* Why it is NULL, as a phrase: what a tree has. */
const char *met_bracketing_fault(met_str text);
/* Children in the order they have. */
void met_bracketing_print(met_text *out, const met_bracketing *tree);
/* The tree that a record gives for n ≥ 1 live leaves: what met_tree_run adds up, for any monoid that rounds. The order of
 * two children is the order in which they meet, accumulator first. NULL if n is 0, passes MET_BRACKETING_LEAVES, or is not
 * the length of a written tree. */
const met_bracketing *met_bracketing_of(met_arena *arena, const met_tree *record, uint64_t n);
/* Matrix-unit nodes of `width` leaves chained over n, with an accumulator: leaf n, last in its node. NULL likewise. */
const met_bracketing *met_bracketing_chain(met_arena *arena, uint32_t width, uint64_t n);

/* --- bracketing_compare.c --- */

/* Whether they are one tree when the order of children does not count: addition commutes. */
bool met_bracketing_same(met_arena *scratch, const met_bracketing *a, const met_bracketing *b);

/* Leaves of an input on which two trees differ: with a number that swallows all else at `plus`, its negative at `minus`,
 * 1 at `one` and 0 elsewhere. One tree, `first` if it is a, gives 1, the other 0. */
typedef struct met_witness {
    uint32_t plus, minus, one;
    bool first;
} met_witness;
/* False if the trees are the same, or have different leaves. */
bool met_bracketing_witness(met_arena *scratch, const met_bracketing *a, const met_bracketing *b,
                            met_witness *ret_witness);

/* Leaves under the lowest node that holds both: 1 if they are one. */
uint32_t met_bracketing_meeting(met_arena *scratch, const met_bracketing *tree, uint32_t i, uint32_t j);

/* How many trees there are with that many labelled leaves and unordered children: binary, or with any number of children
 * from two on. False beyond 64 bits, or for 0. */
bool met_bracketing_count(uint64_t leaves, bool binary, uint64_t *ret_count);

/* The f32 sum of f32 leaves. */
float met_bracketing_run(met_arena *scratch, const met_bracketing *tree, const met_bracketing_rules *rules,
                         const float *leaves);
/* One matrix-unit step over `count` addends. */
float met_node_sum(uint64_t count, const double *addends, int fraction, met_rounding final);

#endif
