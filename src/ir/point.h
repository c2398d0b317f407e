/* The numerics point of a run: every choice on the circuit that changes bits, made before planning so that all plans of
 * one circuit agree. Settling a circuit applies the choices that are visible in it: formats, expansions, and where a
 * division by a statistic happens. What stays beside it are the trees of its reductions.
 *
 * The default point below f64: pow2 expansions; contractions sequential in k with fma; all other folds in 16 strided
 * lanes, then pairwise; deferred division for the ops that docs/numerics.md calls softmax-like, eager for row norms. */
#ifndef MET_IR_POINT_H
#define MET_IR_POINT_H

#include "ir/circuit.h"
#include "ir/expand.h"
#include "number/tree.h"

/* Where a normalizer that meets a contraction over its axis divides: before it (eager: normalize, then contract) or once
 * after it (deferred). DEFAULT: by op, as the table in ir/division.c says. */
typedef enum met_division { MET_DIVISION_DEFAULT, MET_DIVISION_DEFERRED, MET_DIVISION_EAGER } met_division;

/* How a contraction of two bf16 arrays multiplies. F32: each product is one fma. PAIRS: the x86 bf16 dot product, odd
 * element first, subnormals flushed (number/dot_pair.h). */
typedef enum met_dot { MET_DOT_F32, MET_DOT_PAIRS } met_dot;

typedef struct met_point {
    met_dtype dtype; /* of the edges that have the circuit's default format; MET_F64: all arithmetic in double */
    met_numerics numerics;
    met_division division;
    met_dot dot;
    met_tree contraction; /* of einsums of two arrays and more that reduce something */
    met_tree fold;        /* of every other fold */
} met_point;

/* The default point of a dtype. */
met_point met_point_of(met_dtype dtype);
bool met_point_equal(const met_point *a, const met_point *b);

/* The circuit with the point's formats, expanded, with divisions placed. NULL with a diagnostic. Settling a settled
 * circuit changes nothing. */
met_circuit *met_circuit_settle(const met_circuit *circuit, const met_point *point);

/* An einsum of two arrays and more that reduces something. */
bool met_node_is_contraction(const met_node *node);

/* The tree along which a node of a settled circuit folds; meaningless where it folds nothing. */
met_tree met_point_tree(const met_point *point, const met_circuit *circuit, const met_node *node);

#endif
