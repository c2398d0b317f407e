/* Primitive forms: what a node of form fold, read or pick computes, as data that an interpreter or a kernel generator
 * follows:
 *
 *   fold   out[P] = fold over {R : guards} of e(in1[η1(P,R)], …, P, R)         (no fold if R is empty)
 *   read   the same, where ids[η(P,R)] takes the place of one position of the table: table[…, ids[η(P,R)], …]
 *          (gather and embed, which only read; expert, which contracts)
 *   pick   the k largest of e over R, in falling order, and their indices       (top_k, argmax)
 *   scan   s = in0[η0]; along one index of P: u = Σ{R} recall(s, …), s = step(s, …, u), out[P] = Σ{R} read(s, …, u);
 *          and s as it is at last                                               (recurrences)
 *
 * P are the node's degree indices, R its reduced ones; the accesses η are the node's own. A read has one reduced index more,
 * which stands for the ids in the table's access and is no loop. A read outside an input gives 0 to a map and nothing to a
 * fold (views turn it into a guard instead, see ir/guard.h). */
#ifndef MET_IR_PRIMITIVE_H
#define MET_IR_PRIMITIVE_H

#include "ir/circuit.h"

typedef struct met_primitive {
    met_op_form form;
    met_monoid monoid;       /* fold; NONE for a map */
    const met_scalar *e;     /* over the node's inputs and indices */
    bool product;            /* e is the product of all inputs: a contraction that may use fma */
    uint32_t table, ids;     /* read: input numbers */
    uint32_t read_position;  /* read: position of the table that the id replaces; its access there is unused */
    uint32_t read_index;     /* read: the index that stands there, MET_NONE in other forms */
    /* scan: `e` is the step. In all three formulas input 0 is the state; in step and read, the input after the last one is
     * what was recalled. R are the indices of the state that the first output lacks; sums over them are sequential, and
     * products are contracted. The state is rounded to its format at every step. */
    const met_scalar *read, *recall;
    uint32_t along;          /* scan: the index that it runs along */
} met_primitive;

/* Whether a formula is a product of two inputs or more, and nothing else. */
bool met_scalar_is_product(const met_scalar *e);
/* The primitive form of a node that is not composite. */
met_primitive met_node_primitive(const met_circuit *circuit, const met_node *node);
/* The index that an id replaces in the access of input `table`: the reduced one that no other input reads. MET_NONE if
 * there is none or more than one. */
uint32_t met_node_read_index(const met_node *node, uint32_t table);

/* Whether the bits of a node depend on how it is bracketed: a fold that reduces something, over a monoid that rounds. */
bool met_node_has_tree(const met_circuit *circuit, const met_node *node);
/* How many terms it folds; 0 if a size is not bound, or if they cannot be counted. */
uint64_t met_node_terms(const met_circuit *circuit, const met_node *node);

#endif
