/* Tolerances: what the budgets of one side, or of two against each other, allow an array; how that does beside what was observed,
 * and what others are used to allow. Owns the verdicts; must not print (src/report/budget_text.c, budget_json.c). */
#ifndef MET_BUDGET_TOLERANCE_H
#define MET_BUDGET_TOLERANCE_H

#include "budget/circuit.h"

typedef struct met_budget_report {
    const char *name;    /* of the circuit */
    const char *point;   /* "bf16, pow2, deferred" */
    const char *inputs;  /* "--fill normal --seed 1" */
    const char *block;   /* only segments of that name; NULL: all but repetitions */
    bool whole;
    size_t side_count;   /* 1: against the reals. 2: against each other */
    const char *side_names[2];
    const met_budget *sides[2];
    bool same;           /* two sides whose records are the same: the same bytes */
    const met_budget_distance *bounds, *estimates; /* by result: composed */
} met_budget_report;

/* How much an array may be off. In the unit of its values. */
typedef struct met_tolerance {
    double composed;     /* L·d + ε along the graph … */
    met_budget_kind kind;
    const char *condition; /* under which it is proven; NULL: none */
    double bound;        /* … and carried element by element, which is never more; the tolerance */
    bool estimated;
    double estimate;     /* by the 99 % quantile of ε and the L that were measured */
    double observed;     /* NaN: it was not */
    bool vacuous;        /* as large as the values themselves */
    bool unapproached;   /* observed is under a fiftieth of it */
    bool estimate_vacuous, estimate_unapproached, estimate_passed; /* the last: what was observed is more than the estimate */
} met_tolerance;

met_tolerance met_tolerance_of(const met_budget_report *report, size_t result);
/* How far what a group of the first side reads is off to begin with, on both. */
double met_budget_off(const met_budget_report *report, const met_budget_group *group, size_t read);
/* Whether a segment is asked for. */
bool met_budget_shows(const met_budget_report *report, size_t segment);
/* Something that was observed is beyond what is proven: a mistake of met's. */
bool met_budget_broken(const met_budget_report *report);

/* What tests elsewhere allow, of a value x in a format: relative·|x| + absolute; or, of a whole array, a normalized mean square
 * error. Zeros: it does not state that. */
typedef struct met_custom {
    const char *who;
    const char *format; /* "" for all */
    double relative, absolute, nmse;
} met_custom;
const met_custom *met_customs(size_t *ret_count);
/* What it allows at a root mean square. */
double met_custom_at(const met_custom *custom, double rms);

#endif
