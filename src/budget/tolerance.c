#include "budget/tolerance.h"

#include <math.h>
#include <string.h>

#include "budget/term.h"

/* Observed under this share of a tolerance, it says next to nothing. */
#define APPROACHED (1.0 / 50)

/* --- Customs --- */

const met_custom *met_customs(size_t *ret_count)
{
    static const met_custom table[] = {
        { "torch", "f32", 1.3e-6, 1e-5, 0 },   { "torch", "bf16", 1.6e-2, 1e-5, 0 },
        { "torch", "f16", 1e-3, 1e-5, 0 },     { "onnx", "", 1e-3, 1e-7, 0 },
        { "ggml", "", 0, 0, 1e-7 },            { "ggml matmul", "", 0, 0, 5e-4 },
    };
    *ret_count = sizeof table / sizeof *table;
    return table;
}

double met_custom_at(const met_custom *custom, double rms)
{
    return custom->nmse > 0 ? sqrt(custom->nmse) * rms : custom->relative * rms + custom->absolute;
}

/* --- Tolerances --- */

static double farthest_apart(const met_budget_report *report, const met_budget_result *result)
{
    const double *a = report->sides[0]->values[result->edge.id], *b = report->sides[1]->values[result->edge.id];
    double most = 0;
    for (uint64_t i = 0; i < result->elements; i++) {
        double d = a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) ? 0 : fabs(a[i] - b[i]);
        most = d > most || isnan(d) ? d : most;
        if (isnan(most))
            return (double)INFINITY;
    }
    return most;
}

met_tolerance met_tolerance_of(const met_budget_report *report, size_t k)
{
    const met_budget_result *result = &report->sides[0]->results[k];
    met_tolerance t = { .composed = report->bounds[k].d, .kind = report->bounds[k].kind, .observed = result->measured };
    for (size_t s = 0; s < report->side_count; s++)
        t.condition = t.condition ? t.condition : report->sides[s]->groups[result->group].condition;
    for (size_t s = 0; s < report->side_count; s++)
        t.bound = s == 0 ? report->sides[s]->results[k].error : met_budget_up(t.bound + report->sides[s]->results[k].error);
    t.bound = fmin(t.bound, t.composed);
    if (report->side_count == 2)
        t.observed = farthest_apart(report, result);
    t.vacuous = !result->discrete && t.bound > 0 && t.bound >= result->rms;
    t.unapproached = t.bound > 0 && isfinite(t.bound) && t.observed < t.bound * APPROACHED;
    t.estimated = report->estimates != NULL && !result->discrete;
    if (t.estimated) {
        t.estimate = report->estimates[k].d == 0 ? 0 : report->estimates[k].d * result->rms;
        t.estimate_vacuous = t.estimate > 0 && t.estimate >= result->rms;
        t.estimate_unapproached = t.estimate > 0 && isfinite(t.estimate) && t.observed < t.estimate * APPROACHED;
        t.estimate_passed = t.observed > t.estimate;
    }
    return t;
}

double met_budget_off(const met_budget_report *report, const met_budget_group *group, size_t read)
{
    met_budget_kind ignored;
    return met_budget_off_by(report->side_count, report->sides, (size_t)(group - report->sides[0]->groups), read, &ignored);
}

static bool names_segment(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = name; at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL)
        if (strncmp(at, wanted, length) == 0 && (at[length] == 0 || at[length] == '.'))
            return true;
    return false;
}

bool met_budget_shows(const met_budget_report *report, size_t segment)
{
    const met_budget_segment *s = &report->sides[0]->segments[segment];
    bool exactly = report->block && strcmp(s->name, report->block) == 0;
    return exactly || (!s->again && (!report->block || names_segment(s->name, report->block)));
}

bool met_budget_broken(const met_budget_report *report)
{
    for (size_t k = 0; k < report->sides[0]->result_count; k++) {
        met_tolerance t = met_tolerance_of(report, k);
        if (t.kind <= MET_BUDGET_CONDITIONAL && t.observed > t.bound)
            return true;
    }
    return false;
}
