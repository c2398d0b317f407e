/* Matrix units: hardware that adds several products and an accumulator in one step. A node forms the products exactly,
 * takes the largest exponent among all addends, cuts every addend toward zero to `fraction` bits below it, adds exactly and
 * rounds once. The exponent of a product is the sum of its operands' exponents, so that its significand is in [1, 4). Zeros
 * take no part. An instruction chains nodes over its k.
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
} met_matrix_unit;

#define MET_MATRIX_WIDTH 64

bool met_matrix_unit_valid(const met_matrix_unit *unit);

/* One node over `count` products a·b and an accumulator. The products must be exact in double: operands of 26 bits. */
float met_matrix_node(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc);
/* c + Σ a·b over n products, in nodes of the unit's width. */
float met_matrix_dot(const met_matrix_unit *unit, uint64_t n, const double *a, const double *b, float c);

#endif
