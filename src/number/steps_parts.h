/* What steps.c, which makes the nodes, and steps_of.c, which walks records, have in common. */
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
    STEP_EXACT     /* of all leaves */
} met_step_kind;

#define MET_STEP_BAR UINT32_MAX
#define MET_STEP_HALF 2u /* attribute of a unit whose result is f16 */

enum { MET_STEP_F32 = 24 /* bits */, MET_STEP_NORMAL = -126 /* exponent of the least normal number of f32 */ };

/* Of a format: bits of a significand, exponents of the least number and of the largest. */
typedef struct met_step_limits {
    int bits, lowest, highest;
} met_step_limits;

typedef struct met_step {
    uint8_t kind;
    bool never; /* is never −0 */
    uint32_t attributes;
    uint32_t first, count;
    uint64_t hash;
} met_step;

struct met_steps {
    met_arena *arena;
    met_operands operands;
    uint64_t n;
    MET_VEC(met_step) nodes;
    MET_VEC(uint32_t) children;
    uint32_t *table; /* open addressing; 0 is an empty place, else the node and 1 */
    uint64_t room;
    /* Of the terms: bits of a significand, exponents of the lowest bit and of the highest. */
    int bits, lowest, highest;
};

met_step_limits met_step_range(met_dtype dtype);
/* Every term is a number of the dtype. */
bool met_steps_fit(const met_steps *s, met_dtype dtype);
/* Bits from the highest of any sum to the lowest of any term. */
int met_steps_span(const met_steps *s);
bool met_step_is(const met_steps *s, uint32_t at, met_step_kind kind);
/* What stands there is a number of f32, whatever the terms are. */
bool met_step_in_f32(const met_steps *s, uint32_t at);
/* What the combine in f64 came to, rounded to f32 (steps_meet.c). */
uint32_t met_step_met(met_steps *s, const met_tree *tree, uint32_t at);
/* Takes +0 off, if the sum of it and x is what stands there. */
bool met_step_take_zero(const met_steps *s, uint32_t *x);
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
/* Bits that a sum of n terms has more than one of them. */
int met_step_sum_bits(uint64_t n);
/* Whether any sum of terms is exact in the precision. */
bool met_step_exact(const met_steps *s, met_dtype precision);

#endif
