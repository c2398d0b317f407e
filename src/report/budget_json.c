/* The budget as JSON; the fields are those of docs/budget.md. What is infinite or unknown is null. */
#include <math.h>

#include "base/text.h"
#include "budget/tolerance.h"
#include "met/budget.h"

static const char *const kinds[] = { "bound", "probable", "estimate" };

static void put_key(met_text *out, const char *key)
{
    met_text_format(out, "\"%s\": ", key);
}

static void put_name(met_text *out, const char *key, const char *value)
{
    put_key(out, key);
    met_text_json_string(out, met_str_of(value));
}

static void put_number(met_text *out, const char *key, double value)
{
    put_key(out, key);
    if (isfinite(value))
        met_text_double(out, value);
    else
        met_text_put(out, "null");
}

static void put_flag(met_text *out, const char *key, bool value)
{
    met_text_format(out, "\"%s\": %s", key, value ? "true" : "false");
}

static void put_estimate(met_text *out, const met_amplification *found)
{
    met_text_format(out, "{\"directions\": %u, \"rejected\": %u, ", (unsigned)found->directions, (unsigned)found->rejected);
    put_number(out, "max", found->max);
    met_text_put(out, ", ");
    put_number(out, "q99", found->q99);
    met_text_put(out, ", ");
    put_number(out, "median", found->median);
    met_text_put(out, ", ");
    put_number(out, "spread", found->spread);
    met_text_put(out, ", ");
    put_number(out, "singular", found->singular);
    met_text_put(out, ", ");
    put_flag(out, "stored", found->stored);
    met_text_put(out, "}");
}

static void put_reads(met_text *out, const met_budget_report *report, const met_budget_group *group, size_t result)
{
    met_text_put(out, "\"reads\": [");
    for (size_t i = 0; i < group->read_count; i++) {
        double L = 0;
        for (size_t s = 0; s < report->side_count; s++)
            L = fmax(L, report->sides[s]->results[result].L[i]);
        met_text_put(out, i ? ", {" : "{");
        put_name(out, "name", group->reads[i].name);
        met_text_put(out, ", ");
        put_flag(out, "exact", group->reads[i].from == SIZE_MAX);
        met_text_put(out, ", ");
        put_number(out, "L", L);
        met_text_put(out, ", \"estimate\": ");
        if (group->reads[i].estimates && group->reads[i].estimates[result - group->first].directions > 0)
            put_estimate(out, &group->reads[i].estimates[result - group->first]);
        else
            met_text_put(out, "null");
        met_text_put(out, "}");
    }
    met_text_put(out, "]");
}

static void put_sides(met_text *out, const met_budget_report *report, const met_budget_group *group, size_t k)
{
    met_text_put(out, "\"sides\": [");
    for (size_t s = 0; s < report->side_count; s++) {
        const met_budget_result *r = &report->sides[s]->results[k];
        const met_budget_group *of = &report->sides[s]->groups[group - report->sides[0]->groups];
        met_text_put(out, s ? ", {" : "{");
        put_name(out, "why", of->why);
        met_text_put(out, ", ");
        put_flag(out, "assumed", of->assumed);
        met_text_put(out, ", ");
        put_number(out, "eps", r->eps);
        met_text_put(out, ", ");
        put_number(out, "eps_q99", r->eps_q99);
        met_text_put(out, ", ");
        put_number(out, "off_the_reals", r->measured);
        met_text_put(out, "}");
    }
    met_text_put(out, "]");
}

static void put_customs(met_text *out, const met_budget_result *r)
{
    size_t count, shown = 0;
    const met_custom *customs = met_customs(&count);
    met_text_put(out, "\"customary\": {");
    for (size_t c = 0; c < count; c++) {
        if (*customs[c].format && !met_str_is(met_str_of(r->format), customs[c].format))
            continue;
        met_text_put(out, shown++ ? ", " : "");
        put_number(out, customs[c].who, met_custom_at(&customs[c], r->rms));
    }
    met_text_put(out, "}");
}

static void put_tolerance(met_text *out, const met_budget_report *report, size_t k)
{
    met_tolerance t = met_tolerance_of(report, k);
    put_name(out, "kind", kinds[t.kind]);
    met_text_put(out, ", ");
    put_number(out, "tolerance", t.bound);
    met_text_put(out, ", ");
    put_number(out, "composed", t.composed);
    met_text_put(out, ", ");
    put_number(out, "estimate", t.estimated ? t.estimate : (double)NAN);
    met_text_put(out, ", ");
    put_number(out, "observed", t.observed);
    met_text_put(out, ", ");
    put_flag(out, "vacuous", t.vacuous);
    met_text_put(out, ", ");
    put_flag(out, "never_approached", t.unapproached);
    met_text_put(out, ", ");
    put_flag(out, "estimate_vacuous", t.estimate_vacuous);
    met_text_put(out, ", ");
    put_flag(out, "estimate_never_approached", t.estimate_unapproached);
    met_text_put(out, ", ");
    put_flag(out, "above_estimate", t.estimate_passed);
}

static void put_result(met_text *out, const met_budget_report *report, const met_budget_group *group, size_t k)
{
    const met_budget_result *r = &report->sides[0]->results[k];
    met_text_put(out, "{");
    put_name(out, "name", r->name);
    met_text_put(out, ", ");
    put_name(out, "ops", group->ops);
    met_text_put(out, ", ");
    put_name(out, "format", r->format);
    met_text_put(out, ", ");
    put_flag(out, "leaves", r->leaves);
    met_text_put(out, ", ");
    put_number(out, "rms", r->rms);
    met_text_put(out, ", ");
    put_sides(out, report, group, k);
    met_text_put(out, ", ");
    put_reads(out, report, group, k);
    met_text_put(out, ", ");
    put_tolerance(out, report, k);
    met_text_put(out, ", ");
    put_customs(out, r);
    met_text_put(out, "}");
}

static void put_segment(met_text *out, const met_budget_report *report, const met_budget_segment *segment)
{
    const met_budget *budget = report->sides[0];
    bool first = true;
    met_text_put(out, "{");
    put_name(out, "name", segment->name);
    met_text_put(out, ", \"results\": [");
    for (size_t g = segment->begin; g < segment->end; g++) {
        const met_budget_group *group = &budget->groups[g];
        for (size_t k = group->first; k < group->first + group->result_count; k++) {
            met_text_put(out, first ? "" : ", ");
            put_result(out, report, group, k);
            first = false;
        }
    }
    met_text_put(out, "]}");
}

static void put_report(met_text *out, const met_budget_report *report)
{
    const met_budget *budget = report->sides[0];
    bool first = true;
    met_text_put(out, "{");
    put_name(out, "circuit", report->name);
    met_text_put(out, ", ");
    put_name(out, "point", report->point);
    met_text_put(out, ", ");
    put_name(out, "inputs", report->inputs);
    met_text_put(out, ", \"sides\": [");
    for (size_t s = 0; s < report->side_count; s++) {
        met_text_put(out, s ? ", " : "");
        met_text_json_string(out, met_str_of(report->side_names[s]));
    }
    met_text_put(out, "], ");
    put_flag(out, "same", report->same);
    met_text_put(out, ", ");
    put_number(out, "lambda", budget->lambda > 0 ? budget->lambda : (double)NAN);
    met_text_put(out, ", ");
    put_number(out, "failure", budget->lambda > 0 ? budget->failure : (double)NAN);
    met_text_put(out, ", \"blocks\": [");
    for (size_t g = 0; g < budget->segment_count && !report->same; g++) {
        if (!met_budget_shows(report, g))
            continue;
        met_text_put(out, first ? "" : ", ");
        put_segment(out, report, &budget->segments[g]);
        first = false;
    }
    met_text_put(out, "]}\n");
}

const char *met_budget_json(const met_budget_report *report)
{
    met_text out = met_text_new(report->sides[0]->settled->written->arena);
    put_report(&out, report);
    return met_text_done(&out);
}
