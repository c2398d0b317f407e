/* What the nodes of a circuit as written read, store and compute, in bytes and flops at bound sizes: the facts from which
 * groups of nodes are priced. One workload serves every device and planner.
 *
 * A node's own figures know what moving data means: an embedding reads the rows that it gives, a cache is appended to in
 * place, experts are read as far as rows are expected to choose them (E·(1 - (1 - k/E)^n)), masked positions are not
 * computed, a cut into consecutive parts moves nothing. */
#ifndef MET_PLAN_WORKLOAD_H
#define MET_PLAN_WORKLOAD_H

#include "derive/derivation.h"

typedef struct met_node_work {
    double flops;
    double function_flops;  /* of those, by functions and divisions */
    const double *in_bytes; /* by input: what it reads of it, in the edge's stored format */
    bool reads_weights;     /* a parameter of rank 2 or more */
    double weight_bytes;    /* of in_bytes, those of parameters */
    double state_bytes;     /* of in_bytes, those of states */
    uint32_t peak;          /* met_peak that applies on a device that has all of them: by the activation's format where it reads weights */
} met_node_work;

typedef struct met_workload {
    const met_circuit *circuit;
    const met_derivation *facts;   /* readers and kept edges of the circuit as written */
    const met_node_work *nodes;
    const double *out_bytes;       /* by edge: to store it once (an appended state: what is new) */
} met_workload;

/* Sizes must be bound. NULL with a diagnostic if some are not, or beyond what can be counted. */
const met_workload *met_workload_new(const met_circuit *circuit);

/* Expected number of distinct experts among E, when n rows choose k each, independently and uniformly. */
double met_distinct_experts(double experts, double chosen, double rows);

#endif
