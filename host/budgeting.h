/* Budgets with what only a machine has: plans by the blueprint's files, kernels' schedules, and measured amplifications. */
#ifndef MET_HOST_BUDGETING_H
#define MET_HOST_BUDGETING_H

#include "met/eval.h"

/* All zero is the default throughout. */
typedef struct met_budgeting {
    const char *hardware; /* whose trees: HARDWARE, planned greedily, or PLANNER@HARDWARE. NULL: the interpreter's */
    const char *against;  /* the other side; NULL: the reals */
    const char *kernels;  /* where the blueprint is; NULL: the usual place */
    const char *mode;     /* decode, prefill …; NULL: that of circuits without modes */
    const char *block;    /* only blocks of that name */
    bool whole;           /* the circuit as one block */
    double lambda;        /* of the probabilistic form of folds; 0: bounds */
    bool measure;         /* amplifications that the store does not have are measured and kept */
    const char *store;    /* the evidence store; NULL: that of the user */
    /* The model in another mode, at sizes that the arrays bind (host/generate.h), or NULL: what decode has kept is then exact. */
    const met_circuit *(*circuit)(void *context, const char *mode);
    void *context;
    uint64_t steps;       /* of decode, the last of which is looked at, behind a prefill of what else its caches hold; 0: one */
    bool json;
} met_budgeting;

/* The budget as text or JSON. *ret_broken: something was observed beyond what is proven. NULL with diagnostics. */
const char *met_budgeting_report(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                 const met_named_tensor *ins, const met_budgeting *request, bool *ret_broken);

#endif
