/* What the nodes of a circuit as written read, store and compute, in bytes and flops at bound sizes: the facts from which
 * groups of nodes are priced. One workload serves every device and planner.
 *
 * A node's own figures know what moving data means: an embedding reads the rows that it gives, a cache is appended to in
 * place, experts are read as far as rows are expected to choose them (E·(1 - (1 - k/E)^n)), masked positions are neither
 * computed nor read, a cut into consecutive parts moves nothing. */
#ifndef MET_PLAN_WORKLOAD_H
#define MET_PLAN_WORKLOAD_H

#include "derive/derivation.h"

typedef struct met_node_work {
    double flops;
    const double *in_bytes; /* by input: what it reads of it, in the edge's stored format */
    bool reads_weights;     /* a matrix among its parameters */
    double weight_bytes;    /* of in_bytes, those of parameters */
    double state_bytes;     /* of in_bytes, those of states */
    uint32_t peak;          /* met_peak of a device that has all of them: by the activation's format where it reads weights */
    met_edge_id activation; /* whose format that is; MET_NONE: there is none, and it is that of the result */
    double products;        /* of a contraction of two arrays: how many it sums; 0 for other nodes */
    double folded;          /* … and how many of them make one element of the result */
    double operand_bytes;   /* … and bytes of an element of the narrower operand */
    bool moves_nothing;     /* its results are cuts of its first input, in the same place */
} met_node_work;

typedef struct met_workload {
    const met_circuit *circuit;
    const met_derivation *facts;   /* readers and kept edges of the circuit as written */
    const met_node_work *nodes;
    const double *edge_bytes;      /* by edge: all of it, in its stored format */
    const double *out_bytes;       /* by edge: to store it once (an appended state: what is new) */
    const uint32_t *classes;       /* by node: equal for nodes that are alike (plan/lower_shape.c) */
} met_workload;

/* Sizes must be bound. NULL with a diagnostic if some are not, or beyond what can be counted. */
const met_workload *met_workload_new(const met_circuit *circuit);

/* Bytes of an edge in its format, scales included. False if a size is free, a group of scales does not divide the last
 * axis, or the number does not fit 64 bits. */
bool met_edge_bytes(const met_circuit *circuit, const met_edge *edge, double *ret_bytes);

/* Whether an input of a node is a matrix of weights: a parameter of rank 2 or more, and neither gain nor bias (those are in
 * parameter slots that may be left out). */
bool met_node_reads_matrix(const met_circuit *circuit, const met_node *node, uint32_t input);

/* Whether a node appends to a state in place: its first input is the state, its result the state's new value. */
bool met_node_appends(const met_circuit *circuit, const met_node *node);

/* The met_peak at which a node computes whose activations have this format. */
uint32_t met_peak_of(met_format activation, bool reads_weights);

/* Expected number of distinct experts among E, when n rows choose k each, independently and uniformly. */
double met_distinct_experts(double experts, double chosen, double rows);

#endif
