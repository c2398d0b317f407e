/* Running a circuit that is settled already: what compiled kernels are held to. The tree of every node can be given, so a
 * kernel's records can be run. */
#ifndef MET_EVAL_SETTLED_H
#define MET_EVAL_SETTLED_H

#include "ir/point.h"
#include "met/eval.h"

/* The point that a run's options choose. False with a diagnostic naming the option and what it may be. */
bool met_eval_point(met_session *session, const met_eval_options *options, met_point *ret_point);

/* Runs a settled circuit at its point. `trees` is by node, or NULL for the point's own; of the options, those that the
 * point holds are not read. The result's arrays are those of met_eval_run; with `ret_edges` every edge's array is given as
 * well, by edge. NULL with diagnostics. */
const met_eval_result *met_eval_settled(const met_circuit *settled, const met_point *point, const met_tree *trees,
                                        const met_eval_options *options, size_t in_count, const met_named_tensor *ins,
                                        const met_tensor *const **ret_edges);

/* What a kernel does with operands that have scales, by node: how many terms share those of both operands, or 0 for a fold of values,
 * as all others are. A fold of codes goes group by group: the codes' products from the start along the node's tree; what they come
 * to times the product of both scales, rounded to f32, is added in f32, fused. Second scales (nvfp4) are multiplied, rounded,
 * and multiply the sum at the end. */
typedef struct met_code_folds {
    const uint64_t *group; /* divides the node's terms */
} met_code_folds;

/* met_eval_settled with such folds; NULL: none. */
const met_eval_result *met_eval_coded(const met_circuit *settled, const met_point *point, const met_tree *trees, const met_code_folds *codes,
                                      const met_eval_options *options, size_t in_count, const met_named_tensor *ins);

/* Who takes arrays: `values` are those of an edge, row-major and rounded to its format, and last for the call. */
typedef struct met_source_taker {
    void (*take)(void *context, met_edge_id edge, size_t count, const double *values);
    void *context;
} met_source_taker;

/* Hands over what a run of a settled circuit begins with: every input, state and parameter, as given or as `fill` and `seed`
 * say. Checks what a run would check, but counts these arrays only. False with diagnostics. */
bool met_eval_sources(const met_circuit *settled, const met_eval_options *options, size_t in_count,
                      const met_named_tensor *ins, const met_source_taker *taker);

/* The same checks alone: sizes bound, arrays and work within the limits. */
bool met_eval_check(const met_circuit *settled, const met_eval_options *options);

/* The circuit with the sizes that the shapes of given arrays say. NULL with diagnostics. */
const met_circuit *met_eval_bind(const met_circuit *circuit, size_t count, const met_named_tensor *ins);
/* False with a diagnostic if there is no such fill; NULL is none. */
bool met_eval_check_fill(met_session *session, const char *fill);

#endif
