/* A kernel while it is made, and the files that make it:
 *   kernel.c         the course of it
 *   kernel_values.c  values, how they are reached in the kernel's loops, and what leaves the region
 *   kernel_stream.c  partitions: which loop streams
 *   kernel_phase.c   what runs when, and in which pass
 *   kernel_relate.c  values relative to a running statistic
 * A step of the sketch is the node of the same place in the region. */
#ifndef MET_DERIVE_KERNEL_PARTS_H
#define MET_DERIVE_KERNEL_PARTS_H

#include "base/map.h"
#include "base/vec.h"
#include "derive/loops.h"

/* What a value of the stream has to do with statistics that are still running in its pass. */
typedef enum met_relation_kind {
    MET_RELATION_NONE,  /* nothing */
    MET_RELATION_BASED, /* it is computed from one of them */
    MET_RELATION_LOST   /* in a way that cannot be followed */
} met_relation_kind;

typedef struct met_relation {
    met_relation_kind kind;
    uint32_t base;       /* BASED: value number of the statistic … */
    const met_scalar *e; /* … and the formula, over value numbers and loops */
} met_relation;

typedef struct met_sketch {
    const met_derivation *derivation;
    const met_circuit *circuit;
    met_arena *arena;
    uint32_t count; /* nodes and steps */
    const met_node_id *nodes;
    met_node_loops loops;
    MET_VEC(met_kernel_value) values;
    met_map *first_value;         /* by edge */
    MET_VEC(uint32_t) next_value; /* by value: another value of the same edge, or MET_NONE */
    met_kernel_step *steps;
    met_loops reduced;            /* by any node */
    met_loops whole;              /* must be local: the slots of a selection */
    met_loops group;
    uint32_t stream;
    /* while phases are worked out, by value: */
    uint32_t *pass;               /* the pass in which it is complete; for a value of the stream, in which it is computed */
    met_relation *relation;       /* of a value of the stream, within that pass */
    uint32_t *accumulator;        /* of a statistic, else MET_NONE */
    uint32_t pass_count;
    MET_VEC(met_kernel_accumulator) accumulators;
    met_refusal *refusal;
} met_sketch;

#define MET_LOOP(l) ((met_loops)1 << (l))

const met_node *met_sketch_node(const met_sketch *d, uint32_t step);
const met_primitive *met_sketch_form(const met_sketch *d, uint32_t step);
/* Records a refusal at a step and gives false. `reason` as for printf, in the arena. */
bool met_sketch_refuse(met_sketch *d, uint32_t step, const char *help, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));
const char *met_sketch_edge(const met_sketch *d, met_edge_id edge);
const char *met_sketch_loop(const met_sketch *d, uint32_t loop);

/* A sketch of primitive nodes that are convex, with loops, values and steps; phases are still to be found. False with a
 * refusal. */
bool met_sketch_begin(met_sketch *d, const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                      const met_node_id *nodes, bool fold_reads, met_refusal *ret_refusal);
/* Steps with their values and reduced loops; values with their loops, is_input and is_output. */
bool met_sketch_values(met_sketch *d);
/* Group loops and the streamed one; then phases. */
bool met_sketch_stream(met_sketch *d, const met_derive_options *options);
/* Phases, passes, classes and accumulators for d->stream. */
void met_sketch_phases(met_sketch *d);

/* The relation of a step's result, given those of its inputs. */
met_relation met_sketch_relate(const met_sketch *d, uint32_t step, const met_relation *ins);
/* delta(old, new) for a sum of values of this relation, and whether it is a power of two; NULL if no factor mends it when
 * the base moves, or one that grows. `rises`: the base is a maximum. */
const met_scalar *met_sketch_correction(const met_sketch *d, const met_relation *relation, bool rises, bool *ret_exact);

#endif
