/* Matrix units: hardware that adds several products and an accumulator in one step. A node forms the products exactly,
 * takes the largest exponent among all addends, cuts every addend toward zero to `fraction` bits below it, adds exactly and
 * rounds once. The exponent of a product is the sum of its operands' exponents, so that its significand is in [1, 4). Zeros
 * take no part. An instruction has a fixed number of products, which is one node's or several nodes' in a chain.
 *
 * What no recording shows is as follows, and no hardware's word: a NaN among the operands, or infinities that do not agree,
 * give the canonical NaN, infinities themselves otherwise; a sum of zeros is −0 only if all of them are; the alignment has no
 * least exponent; a result that is too large becomes infinite, or the largest finite one where it is cut toward zero.
 *
 * Source of the model: Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores" (2021); Khattak and
 * Mikaitis, "Accurate models of NVIDIA tensor cores" (2025). */
#ifndef MET_NUMBER_MATRIX_UNIT_H
#define MET_NUMBER_MATRIX_UNIT_H

#include "number/encode.h"

typedef struct met_matrix_unit {
    uint8_t width;    /* products of a node, from 1 to MET_MATRIX_WIDTH */
    uint8_t fraction; /* F, up to 60 */
    uint8_t final;    /* met_rounding of the result to f32 */
    uint8_t keep;     /* fraction bits of the accumulator where it is narrower than f32 (final MET_RZ); 0: it is not */
    bool late;        /* the accumulator starts at 0 and is added last, to nearest even; else it is in the nodes */
    bool half;        /* results are f16 instead, and so is the accumulator, which is rounded to nearest even before */
} met_matrix_unit;

#define MET_MATRIX_WIDTH 64
#define MET_MATRIX_DEPTH 64

bool met_matrix_unit_valid(const met_matrix_unit *unit);
bool met_matrix_unit_equal(const met_matrix_unit *a, const met_matrix_unit *b);

/* One node over `count` products a·b and an accumulator. The operands have 26 bits or fewer, so that products are exact in
 * double. */
float met_matrix_node(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc);
/* The same as it is defined, in exact arithmetic: slower. */
float met_matrix_node_exact(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc);
/* c + Σ a·b over n products, in a chain of nodes of the unit's width. */
float met_matrix_dot(const met_matrix_unit *unit, uint64_t n, const double *a, const double *b, float c);

/* Which products of an instruction come first: those that stand first; or its pairs of products are dealt to its nodes in
 * turn, so that of two nodes the first has products 0, 1, 4, 5, … and the second 2, 3, 6, 7, … */
typedef enum met_matrix_order { MET_MATRIX_IN_ORDER, MET_MATRIX_DEALT } met_matrix_order;

typedef struct met_matrix_instruction {
    met_matrix_unit unit;
    uint8_t depth; /* products of an instruction: whole nodes, at most MET_MATRIX_DEPTH */
    uint8_t order; /* met_matrix_order */
} met_matrix_instruction;

bool met_matrix_instruction_valid(const met_matrix_instruction *instruction);
/* c + Σ a·b over n products, one instruction after another, the last one filled up with products of zeros. */
float met_matrix_run(const met_matrix_instruction *instruction, uint64_t n, const double *a, const double *b, float c);

#endif
