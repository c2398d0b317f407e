/* Inside of subjects: what host/parity.c reads of them, and what tests and benchmarks build kernels with. */
#ifndef MET_HOST_SUBJECT_PARTS_H
#define MET_HOST_SUBJECT_PARTS_H

#include "host/execute.h"
#include "eval/settled.h"
#include "host/subject.h"
#include "parity/numerics.h"

struct met_subject {
    met_session *session;
    const met_settled *settled; /* with the circuit as written, bound, its default format that of the point */
    const met_circuit *circuit; /* settled */
    met_point point;
    met_eval_options options;
    size_t in_count;
    const met_named_tensor *ins;
};

/* The subject at the way's own point; itself where the way has none. NULL with diagnostics. */
const met_subject *met_subject_of_way(const met_subject *subject, const met_way *way);
/* What a way's planner of whole ops says. NULL with diagnostics: those of the blueprint and of planning. */
const met_lowering *met_subject_lowering(const met_subject *subject, const met_way *way);
/* The program of a way for a class. NULL with diagnostics. */
const met_program *met_subject_program(const met_subject *subject, const met_way *way, const met_class *class);
/* … of a way whose planner of whole ops said this. */
const met_program *met_subject_program_of(const met_subject *subject, const met_way *way, const met_class *class, const met_lowering *lowering);
/* Runs it once, by a compiler that lives longer. NULL with diagnostics. */
const met_outcome *met_subject_run_with(const met_subject *subject, const met_way *way, met_compiler *compiler);
/* The interpreter's outcome along trees by node, or NULL: the point's; with folds of codes, or NULL: none. `numerics` is what it says of
 * itself. NULL with diagnostics. */
met_outcome *met_subject_interpret(const met_subject *subject, const char *name, const met_tree *trees, const met_code_folds *codes,
                                   const met_plan_numerics *numerics);
/* The interpreter along what the way's class declares. NULL with diagnostics. */
const met_outcome *met_subject_emulate(const met_subject *subject, const met_way *way);
/* Sets all arrays that a run begins with. False with diagnostics. */
bool met_subject_fill(const met_subject *subject, met_execution *execution);

#endif
