/* Inside of budgets with what a machine has: whose trees a side folds along (budgeting_sides.c), and what a step of a model has kept
 * from the runs before it (budgeting_steps.c). */
#ifndef MET_HOST_BUDGETING_PARTS_H
#define MET_HOST_BUDGETING_PARTS_H

#include "budget/circuit.h"
#include "host/budgeting.h"
#include "host/subject_parts.h"

/* A side: whose trees, and which of them nobody declares. */
typedef struct met_budget_side {
    const char *name;
    const met_plan_numerics *numerics; /* NULL: the interpreter's */
    const met_tree *trees;
    const bool *undeclared;
} met_budget_side;

/* One side, or two if something is to be compared with. False with diagnostics. */
bool met_budgeting_sides(const met_subject *subject, const met_budgeting *request, const char *mode, met_budget_side ret_sides[2]);
/* Both fold everything along trees that give the same bits, and all of them are declared. */
bool met_budgeting_same(const met_settled *settled, const met_budget_side sides[2]);

/* What a run begins with that other runs have made, by side: arrays to be given, and how far they are off. */
typedef struct met_budget_history {
    size_t count;
    const met_named_tensor *ins[2];
    const met_budget_source *sources[2];
    const met_budget *budgets[2]; /* of the last of these runs */
    bool same;         /* and it is made along the same records */
    const char *words; /* "after a prefill of 6 tokens and 1 step"; "" without any */
} met_budget_history;

/* Runs what comes before a step of a model: prefill, and request->steps − 1 steps. Nothing for circuits that keep nothing, or whose
 * states are given. False with diagnostics. */
bool met_budgeting_before(const met_subject *subject, const met_budgeting *request, met_budget_history *ret_history);

#endif
