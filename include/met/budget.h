/* Budgets as text: how far a circuit may be off, with every term. docs/budget.md explains the numbers. */
#ifndef MET_BUDGET_H
#define MET_BUDGET_H

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of one side or two, and what was observed (src/budget/tolerance.h). */
struct met_budget_report;

/* Tables, or the same as JSON. They live as long as the session. */
const char *met_budget_text(const struct met_budget_report *report);
const char *met_budget_json(const struct met_budget_report *report);

#ifdef __cplusplus
}
#endif
#endif
