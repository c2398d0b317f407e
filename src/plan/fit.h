/* Whether a model fits a device's memory: weights, caches of sequences, activations of a plan, against the share of the
 * memory that may be used. */
#ifndef MET_PLAN_FIT_H
#define MET_PLAN_FIT_H

#include "plan/lowering.h"

/* What a circuit keeps in memory; bytes. */
typedef struct met_memory {
    double weights_read;   /* matrices that every step reads, all experts included: the floor of a step */
    double weights_stored; /* with tables that are read by ids, where nothing else reads them */
    double vectors;        /* gains and biases, which neither of these counts */
    double token_bytes;    /* for each token in the caches of one sequence */
    double sequence_bytes; /* for each sequence, however long: states of recurrences */
    double window;         /* of the narrowest masks that have one, in tokens; infinite: none. Caches keep what it hides */
} met_memory;

/* Of a circuit with the caches of so many sequences, which its states share alike: 1 for a decoder in mode decode. */
met_memory met_memory_of(const met_workload *workload, double sequences);

typedef struct met_fit {
    double needed, usable; /* bytes */
    bool fits;
    double most_sequences; /* that would fit; 0: none */
} met_fit;

/* `visible` bytes, of which the share `usable` may be taken; sequences of `context` tokens each. */
met_fit met_fit_of(const met_memory *memory, double visible, double usable, double sequences, double context, double activations);

/* The most bytes of arrays between groups that are alive at any time, while the groups run in order: what no arena can do
 * without. Inputs, parameters and states are not among them. */
double met_fit_activations(const met_lowering *lowering, const met_workload *workload);

#endif
