/* What the normal form's files have in common: steps.c keeps the nodes, steps_add.c and steps_store.c make them, steps_sum.c bounds
 * them and makes sums that are exact, steps_unit.c makes those of matrix units, steps_few.c says when those that keep few bits are
 * alike, steps_zero.c leaves out signs of zeros, steps_of.c walks records, steps_below.c finds where two forms part. */
#ifndef MET_NUMBER_STEPS_PARTS_H
#define MET_NUMBER_STEPS_PARTS_H

#include "base/vec.h"
#include "number/steps.h"

typedef enum met_step_kind {
    STEP_LEAF,    /* a term: an exact product, or one that is yet to be taken */
    STEP_PRODUCT, /* rounded */
    STEP_CUT,     /* a leaf of a sum, rounded to the arithmetic's precision */
    STEP_FUSED,   /* leaf, accumulator */
    STEP_FUSED_ZERO,
    STEP_ADD,
    STEP_ADD_ZERO, /* +0 + x */
    STEP_STORE,
    STEP_UNIT,     /* leaves, MET_STEP_BAR, partial results */
    STEP_EXACT,    /* a sum that is exact, of addends in the order of their numbers; attribute: a zero from cancelling is −0 */
    STEP_EXACT_PAIR /* the same before it is one list: of an addition */
} met_step_kind;

#define MET_STEP_BAR UINT32_MAX
#define MET_STEP_HALF 2u /* attribute of a unit whose result is f16 */
#define MET_STEP_AND_ZERO (1u << 16) /* attribute of an addition that flushes: +0 is added too */

enum { MET_STEP_F32 = 24 /* bits */, MET_STEP_NORMAL = -126 /* exponent of the least normal number of f32 */ };

/* Of a format: bits of a significand, exponents of the least number and of the largest. */
typedef struct met_step_limits {
    int bits, lowest, highest;
} met_step_limits;

/* What was asked of met_step_never_shows, and the answer: never, or two numbers with which it shows. */
typedef struct met_step_few {
    int fraction, keep, bits;
    bool never;
    met_step_pair pair;
} met_step_few;

typedef struct met_step {
    uint8_t kind;
    bool never; /* is never −0 */
    uint32_t attributes;
    uint32_t first, count;
    uint64_t hash;
    double most; /* no finite value is larger */
    int low;     /* every finite value is a whole multiple of 2^low */
    double odd;  /* none is larger that is an odd multiple; one whose lowest bit is 2^k times higher may be 2^k times larger */
} met_step;

struct met_steps {
    met_arena *arena;
    met_operands operands;
    uint64_t n;
    MET_VEC(met_step) nodes;
    MET_VEC(uint32_t) children;
    uint32_t *table; /* open addressing; 0 is an empty place, else the node and 1 */
    uint64_t room;
    MET_VEC(met_step_few) few;
    /* Of the terms: bits of a significand, exponents of the lowest bit and of the highest. */
    int bits, lowest, highest;
};

static inline uint32_t met_step_child(const met_steps *s, uint32_t at, uint32_t i)
{
    return s->children.at[s->nodes.at[at].first + i];
}
/* What an operation flushes, of its attributes. */
static inline uint32_t met_step_flush(uint32_t attributes)
{
    return attributes & 15;
}

met_step_limits met_step_range(met_dtype dtype);
/* No sum of terms is subnormal, or so small that it rounds to a zero, in the record's precision. */
bool met_steps_stay_normal(const met_steps *s, const met_tree *tree);
/* Every term is a number of the dtype. */
bool met_steps_fit(const met_steps *s, met_dtype dtype);
bool met_step_is(const met_steps *s, uint32_t at, met_step_kind kind);
/* What stands there is a number of f32, whatever the terms are. */
bool met_step_in_f32(const met_steps *s, uint32_t at);
/* Takes +0 off, if the sum of it and x is what stands there. */
bool met_step_take_zero(const met_steps *s, uint32_t *x);
/* Nothing that stands there is subnormal: it has been flushed. */
bool met_step_is_flushed(const met_steps *s, uint32_t x);
/* A sum that is about to be flushed, flushed; anything else as it is. */
uint32_t met_step_flush_sum(met_steps *s, uint32_t x);
/* fma(a, b, 0) */
uint32_t met_step_fused_zero(met_steps *s, const met_tree *tree, uint32_t leaf);

/* The steps of one record's arithmetic. */
uint32_t met_step_product(met_steps *s, const met_tree *tree, uint32_t leaf);
uint32_t met_step_fused(met_steps *s, const met_tree *tree, uint32_t leaf, uint32_t acc);
uint32_t met_step_first(met_steps *s, const met_tree *tree, uint32_t leaf, bool stored);
uint32_t met_step_add(met_steps *s, const met_tree *tree, uint32_t x, uint32_t y);
/* +0 + x */
uint32_t met_step_positive(met_steps *s, const met_tree *tree, uint32_t x);
uint32_t met_step_store(met_steps *s, const met_tree *tree, uint32_t x);
/* A node of the matrix unit. `zero`: there is a +0 among the addends. */
uint32_t met_step_unit(met_steps *s, const met_matrix_unit *unit, uint32_t leaf_count, const uint32_t *leaves,
                       uint32_t partial_count, const uint32_t *partials, bool zero);
uint32_t met_step_node(met_steps *s, met_step_kind kind, uint32_t attributes, bool never, uint32_t count, const uint32_t *children);

/* --- steps_sum.c --- */

/* Puts down what values a node has. */
void met_step_bound(const met_steps *s, met_step *node, const uint32_t *children);
/* The same of the sum of some, without rounding: of `node` it reads the count. */
void met_step_bound_sum(const met_steps *s, met_step *node, const uint32_t *children);
/* Whether the dtype has every value that the node may have. */
bool met_step_holds(met_dtype dtype, const met_step *node);
bool met_step_adds_exactly(const met_steps *s, met_dtype dtype, uint32_t x, uint32_t y);
/* Pairs made one list. What is no exact sum takes settled steps alone; exact sums and +0 added to them take any. */
uint32_t met_step_settled(met_steps *s, uint32_t at);
void met_step_sort(uint32_t *steps, uint32_t count);
/* The bits that what stands there may have. */
int met_step_bits(const met_steps *s, uint32_t at);

/* --- steps_few.c --- */

/* Of a unit that keeps one or two fraction bits, cut toward zero, and a node of it with two addends of which one is a product of
 * numbers of the operands' format: whether its bits are those that it has with the same number as a partial result, whatever the
 * numbers. The other addend has so many bits; 0: it is such a product as well. False where that is not known, or they are not. */
bool met_step_never_shows(met_steps *s, const met_matrix_unit *unit, int bits);

/* --- steps_zero.c --- */

/* A finished form without signs of zeros that do not show. */
uint32_t met_step_signs(met_steps *s, uint32_t at);

#endif
