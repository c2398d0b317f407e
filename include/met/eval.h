/* Running circuits: the interpreter. What it computes is the meaning of a circuit; every kernel is held to it, bit for
 * bit. It is written to be right and reproducible rather than fast. See docs/numerics.md. */
#ifndef MET_EVAL_H
#define MET_EVAL_H

#include "met/circuit.h"
#include "met/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is the default throughout. */
typedef struct met_eval_options {
    const char *dtype;    /* "f64", "f32", "bf16" or "f16": format of the edges that have the circuit's default format.
                             NULL: f64. With f64 all arithmetic is in double, otherwise in float */
    const char *numerics; /* "real", "float" or "pow2". NULL: real for f64, otherwise pow2 */
    const char *tree;     /* of every reduction, as docs/numerics.md spells trees. NULL: sequential with f64; otherwise
                             sequential for contractions and lanes16 for all other folds */
    const char *division; /* where a normalizer that meets a contraction divides: "deferred" (after it), "eager" (before
                             it) or "default" (as its op has it). NULL: default */
    const char *dot;      /* how contractions of two bf16 arrays multiply: "f32" or "pairs". NULL: f32 */
    const char *fill;     /* of inputs and parameters that are not given: "wave", "normal", "zeros", "ones" or "iota".
                             NULL: all must be given */
    uint64_t seed;        /* of the fill `normal` */
    uint64_t work_limit;  /* scalar operations that a run may take; 0: MET_EVAL_WORK_LIMIT */
    void (*progress)(void *context, uint64_t done, uint64_t total); /* called after each node, in scalar operations */
    void *progress_context;
} met_eval_options;

#define MET_EVAL_WORK_LIMIT ((uint64_t)200000000000)
/* Elements of all edges of a circuit together. */
#define MET_EVAL_ELEMENT_LIMIT ((uint64_t)1 << 28)

typedef struct met_named_tensor {
    const char *name;
    const met_tensor *tensor;
} met_named_tensor;

/* The outputs in the circuit's order, under their edges' names, then the new values of the states, under the names of
 * the states' inputs. */
typedef struct met_eval_result {
    size_t output_count;
    size_t state_count;
    const met_named_tensor *arrays; /* output_count + state_count */
} met_eval_result;

/* Runs a circuit. Arrays are given by the names of inputs, states or parameters; their shapes bind the sizes of their axes
 * that are free, and every other size must be bound. They are rounded to the format of their edge. The circuit is expanded first, so it may hold composite ops. The result lives as
 * long as the session. NULL with diagnostics: unbound sizes, an array that is missing, unknown or of another shape, an
 * option's value, or more work or memory than the limits allow. */
const met_eval_result *met_eval_run(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                    const met_named_tensor *ins);

/* One of the fills, for array number `array` (inputs in order, states among them, then parameters in order):
 *   wave    0.5·sin(0.7·i + 1.3·array + 0.1) at row-major position i
 *   normal  standard normal numbers, a function of seed, array and i alone; the same bits on every machine
 *   zeros, ones, iota (i)
 * `range` 0: numbers as above. Otherwise integers in [0, range): wave and iota give i mod range, normal uniform ones.
 * False if there is no such fill. */
bool met_fill(const char *fill, uint64_t seed, size_t array, uint64_t range, size_t count, double *values);

#ifdef __cplusplus
}
#endif
#endif
