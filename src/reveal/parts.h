/* What the files of this room share: asking the subject, the tree in the making, and reading a finished tree. */
#ifndef MET_REVEAL_PARTS_H
#define MET_REVEAL_PARTS_H

#include "number/tree_compare.h"
#include "reveal/reveal.h"

/* --- reveal_ask.c: inputs and answers --- */

typedef struct reveal {
    met_arena *arena;
    const met_black_box *probe;
    uint64_t leaves;    /* terms, and c */
    double *a, *b, c;   /* the input at hand; b and c are 1 and 0 where there is none */
    double background;  /* value of every leaf that is not set */
    double big, unit;   /* a value that swallows, and the values that it does */
    double one;         /* what the inputs of traits are multiples of */
    int bits;           /* significand bits that a sum of two shows in the output */
    double base;        /* SQUARES, EXPONENTIALS: the value of 1, the two halves of what moves it, */
    double half;        /*   … and the answer for 1 alone */
    double answer;
    uint64_t calls;
    uint64_t random;
    met_reveal_verdict verdict; /* TREE until something clashes; nothing is asked afterwards */
    const char *why;
    bool named; /* … says what the subject is */
} reveal;

/* Finds values that the subject's formats can hold and that swallow each other. False after reveal_reject. */
bool reveal_open(reveal *r);
/* Everything is set to a value; then single leaves. The value of a leaf is a product where there are two operands. False if
 * the formats do not hold it. */
bool reveal_fill(reveal *r, double value);
bool reveal_put(reveal *r, uint64_t leaf, double value);
/* Puts back what reveal_fill has set. */
void reveal_restore(reveal *r, uint64_t leaf);
/* NaN if the subject fails, which is the verdict then. */
double reveal_ask(reveal *r);
/* Exactly what the zeros around leave of some leaves: the answer for the values at the leaves. NaN also if they cannot be put. */
double reveal_ask_at(reveal *r, uint64_t count, const uint32_t *leaves, const double *values);
void reveal_reject(reveal *r, met_reveal_verdict verdict, const char *why);
static inline bool reveal_goes_on(const reveal *r)
{
    return r->verdict == MET_REVEAL_TREE;
}
/* In [0, below). */
uint64_t reveal_random(reveal *r, uint64_t below);
/* Whether `plus` and `minus` cancel before `other` meets them. */
bool reveal_outside(reveal *r, uint32_t other, uint32_t plus, uint32_t minus);

/* Whether j and k meet before i meets either (SQUARES, EXPONENTIALS). */
bool reveal_meet_first(reveal *r, uint32_t j, uint32_t k, uint32_t i);

/* --- reveal_shape.c: the tree, from pivots --- */

typedef struct reveal_item {
    uint32_t leaf;
    uint32_t key; /* leaves that meet the pivot at one node have one key, at deeper nodes a lower one */
} reveal_item;

typedef struct reveal_group {
    uint32_t pivot;
    uint64_t done;    /* leaves of the pivot's subtree */
    uint64_t count;   /* of the group */
    uint32_t key;
    uint32_t largest; /* key in the group when it was itself sorted; 1 for a single leaf */
    bool last;        /* the pivot meets no other group */
    uint32_t left, right; /* leaves of two children of the group's root */
} reveal_group;

/* A way of asking. `sort` orders leaves by where they meet the pivot; `further` says whether the pivot's subtree is one more
 * child of the node where the group's own root is, rather than a child of a node above it. */
typedef struct reveal_way {
    void (*sort)(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items);
    bool (*further)(reveal *r, const reveal_group *group);
} reveal_way;

const reveal_way *reveal_by_count(void);
const reveal_way *reveal_by_triples(void);
const reveal_way *reveal_by_squares(void);
const met_bracketing *reveal_shape(reveal *r, const reveal_way *way);
/* Sorts by what `compare` says of (pivot, k, j): < 0 if k meets the pivot before j does, 0 if at one node. */
void reveal_quicksort(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items,
                      int (*compare)(reveal *r, uint32_t pivot, uint32_t k, uint32_t j));

/* --- reveal_map.c: reading a finished tree --- */

#define REVEAL_NONE UINT32_MAX

typedef struct reveal_map {
    const met_bracketing *tree;
    uint32_t *parent; /* by node; REVEAL_NONE of the root */
    uint32_t *some;   /* by node: a leaf under it */
    uint32_t *place;  /* by leaf */
    bool wide;        /* a node has more than two children */
} reveal_map;

const reveal_map *reveal_map_new(met_arena *arena, const met_bracketing *tree);
/* Child c of a node, and a leaf under it. */
uint32_t reveal_child(const reveal_map *map, uint32_t node, uint32_t c);
uint32_t reveal_leaf(const reveal_map *map, uint32_t node, uint32_t c);
/* A leaf outside a node that is not the root. */
uint32_t reveal_leaf_outside(const reveal_map *map, uint32_t node);
/* A leaf under another child of the leaf's parent. */
uint32_t reveal_partner(const reveal_map *map, uint32_t leaf);

/* --- reveal_sketch.c: telling trees apart at a glance --- */

typedef struct reveal_sketch {
    uint64_t leaves;
    uint64_t hash;   /* of the sets of leaves under the nodes */
    uint64_t after;  /* leaves at the end that join one by one */
    uint64_t apart;  /* leaves at the end that are a child of the root */
    uint64_t *slots; /* scratch: one a leaf */
    uint64_t walked;
} reveal_sketch;

reveal_sketch *reveal_sketch_of(met_arena *arena, const met_bracketing *tree);
/* False if the rule gives another tree. */
bool reveal_sketch_allows(reveal_sketch *sketch, const met_tree *rule);

/* --- reveal_fit.c: rules against trees of several lengths --- */

typedef struct reveal_search {
    size_t count;
    const met_revealed *const *revealed;
    reveal_sketch **sketches; /* by length */
    size_t shortest; /* the first to be tried: most shapes fail there, cheaply */
    met_arena *scratch;
    uint32_t tried;  /* since scratch was made */
    bool loosely;    /* products that underflow, and the sign of a sum of zeros, do not count */
    met_tree *rule;  /* that fits */
} reveal_search;

uint64_t reveal_length(const met_revealed *revealed);
/* Whether the rule's shape fits, contracted in some way, perhaps with each term a partial result of its own. Then `rule` is it. */
bool reveal_fits(reveal_search *s, const met_tree *rule);
/* met_reveal_rule. LOOSELY: what differs only where products underflow, or in the sign of a zero, will do. */
bool reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, bool loosely, met_tree *ret_rule);
/* Whether it fits just so. */
bool reveal_fits_as_it_is(reveal_search *s, const met_tree *rule);

/* --- reveal_trait.c, reveal_leaf.c, reveal_node.c: what the additions do --- */

void reveal_traits(reveal *r, const reveal_map *map, met_tree *tree);
/* Which leaves are partial results of their own, and whether others are fused: marks in `nodes`, a copy of the tree's. */
void reveal_leaf_traits(reveal *r, const reveal_map *map, met_bracketing_node *nodes, met_tree *tree);
/* Nodes of more than two children. */
void reveal_node_traits(reveal *r, const reveal_map *map, met_bracketing_node *nodes, met_tree *tree);
/* Whether a subnormal term is lost beside the least normal number. */
bool reveal_flushed(reveal *r, const reveal_map *map, uint32_t leaf);
void reveal_leave_open(met_tree *tree, int field);

/* --- reveal_meeting.c: what written trees have no word for --- */

/* Where the bits of a record of one precision are not the subject's: records of the same shape in which results of f32 meet in
 * f64. A tree that has its additions in two precisions is no written one, so that the record has levels instead. */
void reveal_meeting(reveal *r, const reveal_map *map, met_tree *tree);
/* Where a sum begins with a product that is rounded, and others are fused: as +0 and the product, or as a fused one. That shows where
 * all products underflow. */
void reveal_vanishing(reveal *r, met_revealed *revealed);

/* --- reveal_draw.c: inputs of many kinds --- */

/* From SUBNORMAL on they are from the ends of the range. */
typedef enum reveal_input {
    REVEAL_NORMAL,     /* of one size */
    REVEAL_WIDE,       /* of many sizes */
    REVEAL_CANCEL,     /* in pairs that cancel, and small ones */
    REVEAL_TIES,       /* halves of last places beside ones */
    REVEAL_ASCENDING,  /* by size */
    REVEAL_ZEROS,      /* and some that are not */
    REVEAL_SUBNORMAL,  /* near the bottom of float */
    REVEAL_RANGE,      /* of every exponent */
    REVEAL_TINY,       /* near the least number of the output */
    REVEAL_LARGE,      /* whose sum is near the largest number */
    REVEAL_HUGE,       /* whose sum may be beyond it */
    REVEAL_INPUTS
} reveal_input;

/* Negative products that are too small for the arithmetic at some of the first leaves, −0 elsewhere. False if the operands have none. */
bool reveal_draw_vanishing(reveal *r, const met_tree *tree, const bool *at, uint64_t first);
/* Fills the operands; c too. */
void reveal_draw(reveal *r, reveal_input kind);
/* The same bits, or both NaN. */
bool reveal_same_answer(double a, double b);

/* --- reveal_check.c: the record beside the subject --- */

/* An input on which order matters, asked again and again. */
void reveal_check_repeats(reveal *r, int times);
/* Runs both on inputs of many kinds; where only zero can be read off, asks about places in the tree that were not asked about. */
void reveal_check_record(reveal *r, const reveal_map *map, const met_tree *tree);
/* The bits alone, on inputs of many kinds. */
void reveal_check_bits(reveal *r, const met_tree *tree);
/* The bits where the products at some leaves vanish. False if they are others. */
bool reveal_check_vanishing(reveal *r, const met_tree *tree, const bool *at);

/* --- reveal_character.c --- */

/* What can be said of a sum that no tree explains, or NULL. */
const char *reveal_character(reveal *r);

#endif
