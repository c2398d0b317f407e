/* Contractions by their signature alone: which labels each operand has and how long they are. What they cost in one pass,
 * and in the orders in which several operands can be brought together two at a time. Flops: a multiplication and an
 * addition are one each; moving data is none. */
#ifndef MET_IR_CONTRACTION_H
#define MET_IR_CONTRACTION_H

#include "ir/circuit.h"

#define MET_CONTRACTION_LABELS 64
/* Operands whose orders are all looked at: the work is 3 to their number. */
#define MET_CONTRACTION_OPERANDS 16

/* Sets of labels are bit masks. */
typedef struct met_contraction {
    uint32_t label_count;
    const uint64_t *sizes;
    uint32_t operand_count; /* from 1 */
    const uint64_t *operands;
    uint64_t result;
} met_contraction;

/* Of a node of op einsum with sizes that are known. False if it has too many labels or a size is free. */
bool met_contraction_of(const met_circuit *circuit, const met_node *node, met_contraction *ret_contraction);

/* Operations at one point of the index space: the products, and the addition if something is reduced. */
uint64_t met_contraction_point_flops(uint32_t operand_count, bool reduces);

/* All of these give false if the count does not fit 64 bits. */
bool met_contraction_flops(const met_contraction *c, uint64_t *ret_flops);
/* One pass over all labels, with as many operations a point as there are operands. */
bool met_contraction_one_shot(const met_contraction *c, uint64_t *ret_flops);
/* Two at a time as written; every step sums what neither the result nor a later operand has. */
bool met_contraction_left_to_right(const met_contraction *c, uint64_t *ret_flops);
/* The best bracketing, outer products included. A diagnostic beyond MET_CONTRACTION_OPERANDS operands. */
bool met_contraction_best(met_session *session, const met_contraction *c, met_span span, uint64_t *ret_flops);

#endif
