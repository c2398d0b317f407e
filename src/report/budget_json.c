/* The budget as JSON; the fields are those of docs/budget.md. What is infinite or unknown is null. */
#include <math.h>

#include "base/json.h"
#include "budget/tolerance.h"
#include "met/budget.h"

static const char *const kinds[] = { "bound", "conditional", "probable", "estimate" };

static void put_estimate(met_json *json, const met_amplification *found)
{
    static const met_json_field fields[] = {
        { "directions", offsetof(met_amplification, directions), MET_JSON_U32 },
        { "rejected", offsetof(met_amplification, rejected), MET_JSON_U32 },
        { "max", offsetof(met_amplification, max), MET_JSON_NUMBER },
        { "q99", offsetof(met_amplification, q99), MET_JSON_NUMBER },
        { "median", offsetof(met_amplification, median), MET_JSON_NUMBER },
        { "spread", offsetof(met_amplification, spread), MET_JSON_NUMBER },
        { "singular", offsetof(met_amplification, singular), MET_JSON_NUMBER },
        { "stored", offsetof(met_amplification, stored), MET_JSON_FLAG },
        { 0 },
    };
    met_json_open(json, "estimate", '{');
    met_json_put_fields(json, fields, found);
    met_json_close(json, '}');
}

static void put_reads(met_json *json, const met_budget_report *report, const met_budget_group *group, size_t result)
{
    met_json_open(json, "reads", '[');
    for (size_t i = 0; i < group->read_count; i++) {
        const met_amplification *estimates = group->reads[i].estimates;
        double L = 0, off = met_budget_off(report, group, i);
        for (size_t s = 0; s < report->side_count; s++)
            L = fmax(L, report->sides[s]->results[result].L[i]);
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", group->reads[i].name);
        met_json_put_flag(json, "exact", group->reads[i].from == SIZE_MAX && off == 0);
        met_json_put_number(json, "off", off);
        met_json_put_number(json, "L", L);
        if (estimates && estimates[result - group->first].directions > 0)
            put_estimate(json, &estimates[result - group->first]);
        else
            met_json_put_null(json, "estimate");
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_sides(met_json *json, const met_budget_report *report, const met_budget_group *group, size_t k)
{
    met_json_open(json, "sides", '[');
    for (size_t s = 0; s < report->side_count; s++) {
        const met_budget_result *r = &report->sides[s]->results[k];
        const met_budget_group *of = &report->sides[s]->groups[group - report->sides[0]->groups];
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "why", of->why);
        met_json_put_flag(json, "assumed", of->assumed);
        met_json_put_number(json, "eps", r->eps);
        met_json_put_number(json, "eps_q99", r->eps_q99);
        met_json_put_number(json, "off_the_reals", r->measured);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_customs(met_json *json, const met_budget_result *r)
{
    size_t count;
    const met_custom *customs = met_customs(&count);
    met_json_open(json, "customary", '{');
    for (size_t c = 0; c < count; c++)
        if (!*customs[c].format || met_str_is(met_str_of(r->format), customs[c].format))
            met_json_put_number(json, customs[c].who, met_custom_at(&customs[c], r->rms));
    met_json_close(json, '}');
}

static void put_tolerance(met_json *json, const met_budget_report *report, size_t k)
{
    static const met_json_field fields[] = {
        { "tolerance", offsetof(met_tolerance, bound), MET_JSON_NUMBER },
        { "composed", offsetof(met_tolerance, composed), MET_JSON_NUMBER },
        { "estimate", offsetof(met_tolerance, estimate), MET_JSON_NUMBER },
        { "observed", offsetof(met_tolerance, observed), MET_JSON_NUMBER },
        { "vacuous", offsetof(met_tolerance, vacuous), MET_JSON_FLAG },
        { "never_approached", offsetof(met_tolerance, unapproached), MET_JSON_FLAG },
        { "estimate_vacuous", offsetof(met_tolerance, estimate_vacuous), MET_JSON_FLAG },
        { "estimate_never_approached", offsetof(met_tolerance, estimate_unapproached), MET_JSON_FLAG },
        { "above_estimate", offsetof(met_tolerance, estimate_passed), MET_JSON_FLAG },
        { 0 },
    };
    met_tolerance t = met_tolerance_of(report, k);
    if (!t.estimated)
        t.estimate = NAN;
    met_json_put_string(json, "kind", kinds[t.kind]);
    if (t.condition)
        met_json_put_string(json, "condition", t.condition);
    else
        met_json_put_null(json, "condition");
    met_json_put_fields(json, fields, &t);
}

static void put_result(met_json *json, const met_budget_report *report, const met_budget_group *group, size_t k)
{
    const met_budget_result *r = &report->sides[0]->results[k];
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", r->name);
    met_json_put_string(json, "ops", group->ops);
    met_json_put_string(json, "format", r->format);
    met_json_put_flag(json, "leaves", r->leaves);
    met_json_put_number(json, "rms", r->rms);
    met_json_put_number(json, "store", r->store);
    put_sides(json, report, group, k);
    put_reads(json, report, group, k);
    put_tolerance(json, report, k);
    put_customs(json, r);
    met_json_close(json, '}');
}

static void put_segment(met_json *json, const met_budget_report *report, const met_budget_segment *segment)
{
    const met_budget *budget = report->sides[0];
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", segment->name);
    met_json_open(json, "results", '[');
    for (size_t g = segment->begin; g < segment->end; g++) {
        const met_budget_group *group = &budget->groups[g];
        for (size_t k = group->first; k < group->first + group->result_count; k++)
            put_result(json, report, group, k);
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

const char *met_budget_json(const met_budget_report *report)
{
    const met_budget *budget = report->sides[0];
    met_text out = met_text_new(budget->settled->written->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "circuit", report->name);
    met_json_put_string(&json, "point", report->point);
    met_json_put_string(&json, "inputs", report->inputs);
    met_json_put_strings(&json, "sides", report->side_count, report->side_names);
    met_json_put_flag(&json, "same", report->same);
    met_json_put_number(&json, "lambda", budget->lambda > 0 ? budget->lambda : (double)NAN);
    met_json_put_number(&json, "failure", budget->lambda > 0 ? budget->failure : (double)NAN);
    met_json_open(&json, "blocks", '[');
    for (size_t g = 0; g < budget->segment_count && !report->same; g++)
        if (met_budget_shows(report, g))
            put_segment(&json, report, &budget->segments[g]);
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
