/* What the two halves of moving divisions share: division.c decides, division_move.c rewrites. */
#ifndef MET_IR_DIVISION_PARTS_H
#define MET_IR_DIVISION_PARTS_H

#include "ir/circuit.h"
#include "ir/settle.h"

/* A divisor on its way from a map to behind the contractions that read the map's result. */
typedef struct met_divisor {
    const met_scalar *e;      /* over its own inputs */
    uint32_t in_count;
    const met_edge_id *ins;   /* of the circuit before */
    const met_access *access; /* their positions in those of the edge that is still to be divided */
    bool may_be_empty;        /* a row may have no live position: then the result is 0 whatever the divisor */
    const struct met_divisor *next;
} met_divisor;

/* What becomes of a node: divisors that leave it, and what is left of its formula. */
typedef struct met_division_plan {
    const met_divisor *leaving; /* NULL: it stays as it is */
    const met_scalar *rest;     /* over the node's inputs */
} met_division_plan;

/* Position of output 0 along which the node's index runs; MET_NONE if none does. */
uint32_t met_output_position(const met_node *node, uint32_t index);

/* By node. */
const met_division_plan *met_division_decide(const met_circuit *circuit, met_division division, const met_op_id *origins);

#endif
