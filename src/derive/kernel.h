/* Kernel terms: what derivation makes of a region of a settled circuit, and all that costs, drawings and realizations
 * work from. A kernel says which loops the region has and what happens to each (group, stream, local), which nodes run
 * once, slice by slice or at the end, what is accumulated between slices, and how an accumulator that is relative to a
 * running base is corrected when the base moves. It knows no sizes of tiles and no hardware.
 *
 * Loops are indices of the region's nodes, identified along its edges position by position. Sets of loops are bit masks.
 * Immutable; made by met_kernel_derive. */
#ifndef MET_DERIVE_KERNEL_H
#define MET_DERIVE_KERNEL_H

#include "ir/circuit.h"
#include "ir/primitive.h"

#define MET_KERNEL_LOOPS 64

typedef uint64_t met_loops; /* a set of loops */

typedef enum met_partition { MET_PARTITION_GROUP, MET_PARTITION_STREAM, MET_PARTITION_LOCAL } met_partition;

typedef struct met_kernel_loop {
    met_sym name; /* unique within the kernel: the label of the index, numbered if taken */
    met_axis_id axis;
    met_partition partition;
} met_kernel_loop;

/* What a value is to the stream: without it; with it; a fold over it; a function of folds over it and of static values. */
typedef enum met_value_class { MET_VALUE_STATIC, MET_VALUE_STREAM, MET_VALUE_STATISTIC, MET_VALUE_TAIL } met_value_class;

/* An edge that the region reads or makes. An external edge that is read by different loops (queries and keys of one
 * array) is several values. Integer arrays that guards look into are inputs as well, although no step lists them. An
 * edge that nobody reads is stored if its node has no other result. */
typedef struct met_kernel_value {
    met_edge_id edge;
    met_value_class class;
    bool is_input;        /* comes from outside */
    bool is_output;       /* is read outside, or is an output of the circuit: must be stored */
    met_loops loops;      /* that its position depends on */
    const met_affine *at; /* by position of the edge, in the kernel's loops */
} met_kernel_value;

/* When a node runs. HEAD: before the stream, no stream loop in it. BODY: for every slice. FOLD: for every slice, into an
 * accumulator. TAIL: after the last slice of its pass. A kernel without a stream has everything in the body. */
typedef enum met_step_phase { MET_STEP_HEAD, MET_STEP_BODY, MET_STEP_FOLD, MET_STEP_TAIL } met_step_phase;

typedef struct met_kernel_step {
    met_node_id node;
    met_step_phase phase;
    uint32_t pass;            /* of the stream, from 0; a BODY step runs again in every later pass that needs it */
    uint32_t pass_last;       /* BODY: the last pass that needs it */
    uint32_t accumulator;     /* FOLD: its number; else MET_NONE */
    const uint32_t *loops;    /* loop of each index of the node; MET_NONE for the one in whose place a read puts an id (in
                                 the table's value, that position is 0) */
    const uint32_t *ins;      /* value number of each input */
    const uint32_t *outs;     /* value number of each output */
    met_loops reduced;        /* loops that it folds */
} met_kernel_step;

/* State between slices. A FOLD step that reads a statistic of the same pass reads the running one; its accumulator is then
 * relative to it (`base`), and is multiplied by delta(old, new) when the statistic moves. */
typedef struct met_kernel_accumulator {
    uint32_t step;
    uint32_t value;
    met_monoid monoid;
    met_loops loops;          /* of one accumulator: its group and local loops */
    uint32_t base;            /* accumulator that it is relative to, or MET_NONE */
    const met_scalar *delta;  /* over input 0, the old base, and input 1, the new one: ldexp(1, a - b), exp(a - b) */
    bool exact;               /* the correction is by powers of two */
} met_kernel_accumulator;

typedef struct met_kernel {
    const met_circuit *circuit;
    uint32_t loop_count, value_count, step_count, accumulator_count, pass_count;
    const met_kernel_loop *loops;
    const met_kernel_value *values;
    const met_kernel_step *steps; /* in an order in which they can run */
    const met_kernel_accumulator *accumulators;
    uint32_t stream;              /* the streamed loop, or MET_NONE */
    bool monoid;                  /* the stream may also be split: it has one pass */
} met_kernel;

/* Why a region is not one kernel. */
typedef struct met_refusal {
    const char *reason;  /* a sentence */
    met_node_id node;    /* where */
    const char *factor;  /* the factor that blocks, as a formula; or NULL */
    const char *help;    /* what to do, or NULL */
} met_refusal;

/* How a region may be made one kernel. */
typedef struct met_derive_options {
    const char *stream; /* name of the loop to stream; NULL: derivation chooses (a reduced loop that statistics and
                           contractions share, else the longest reduced one, the last to be reduced if sizes do not say,
                           else none). A loop may stream if no output has it and depends on a fold over it, and if it is
                           the first loop of each fold that has several, so that slices come in the order of the fold */
    uint32_t pass_limit; /* passes over the stream; 0: as many as are needed */
} met_derive_options;

/* The kernel of a set of nodes (ascending) of a settled circuit. NULL with a refusal; no diagnostics. */
const met_kernel *met_kernel_derive(const met_circuit *circuit, uint32_t node_count, const met_node_id *nodes,
                                    const met_derive_options *options, met_refusal *ret_refusal);

/* Asserts what the comments above say; NULL if all of it holds, otherwise what does not. */
const char *met_kernel_check(const met_kernel *kernel);

/* Loops of a partition. */
met_loops met_kernel_loops_of(const met_kernel *kernel, met_partition partition);

#endif
