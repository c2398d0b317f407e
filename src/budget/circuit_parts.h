/* Inside of budgets of circuits: the walk over the groups (circuit.c), what it begins with and makes
 * (circuit_result.c), which nodes make one (circuit_groups.c), what is said of
 * them (circuit_why.c) and measured (circuit_measure.c). */
#ifndef MET_BUDGET_CIRCUIT_PARTS_H
#define MET_BUDGET_CIRCUIT_PARTS_H

#include "budget/analysis.h"
#include "budget/circuit.h"
#include "derive/derivation.h"

typedef struct met_survey {
    const met_budget_request *request;
    met_budget *budget;
    met_arena *arena;        /* the session's */
    const met_settled *real; /* the same circuit as written, settled over the reals */
    const met_derivation *facts; /* of its settled circuit */
    met_run run, exact;      /* of the settled circuit; of the one over the reals */
    met_analysis analysis;
    uint32_t *twin;          /* by settled edge: the edge of that name over the reals, or MET_NONE */
    size_t *result_of;       /* by settled edge: its result, or SIZE_MAX */
    const met_budget_source **off; /* by settled edge: what it is off by to begin with, or NULL */
    uint32_t segment_begin;  /* its first settled node */
    met_choices choices;     /* that a source is under */
    const double **values;   /* by edge: of results, for a side that follows */
} met_survey;

/* Integers are right or wrong. */
bool met_budget_is_discrete(const met_edge *edge);
/* Sets the arrays that are off to begin with. False with a diagnostic. */
bool met_budget_take_sources(met_survey *s);
/* What a group that has run makes for others. */
void met_budget_take_results(met_survey *s, met_budget_group *group, const uint32_t *last_reader, uint32_t segment_end);
void met_budget_find_groups(met_budget *budget, bool whole);
/* What was said before, and where the error of the node comes from that was analysed last. */
const char *met_budget_why(met_arena *arena, const char *before, const met_node *node, const met_analysis *a);
/* What bounds hold under; NULL: nothing. */
const char *met_budget_condition(met_arena *arena, const met_choices *choices);
/* The L of what a group reads, where it has the same arrays over the reals. False with diagnostics. */
bool met_budget_measure_group(met_survey *s, met_budget_group *group);

#endif
