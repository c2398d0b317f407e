/* The report as JSON; the fields are those of docs/cost.md. */
#include <math.h>

#include "report/cost.h"

static void put_name(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\": ", key);
    met_text_json_string(out, met_str_of(value));
}

/* NaN is null. */
static void put_number(met_text *out, const char *key, double number)
{
    met_text_format(out, "\"%s\": ", key);
    if (isfinite(number))
        met_text_double(out, number);
    else
        met_text_put(out, "null");
}

static void put_loops(met_text *out, const met_cost_problem *p)
{
    static const char *const words[] = { "group", "stream", "local" };
    met_text_put(out, "\"loops\": [");
    for (uint32_t l = 0; l < p->loop_count; l++) {
        met_text_put(out, l ? ", {" : "{");
        put_name(out, "name", p->loops[l].name);
        met_text_put(out, ", ");
        put_number(out, "size", p->loops[l].size ? (double)p->loops[l].size : (double)NAN);
        met_text_put(out, ", ");
        put_name(out, "partition", words[p->loops[l].partition]);
        met_text_put(out, "}");
    }
    met_text_put(out, "]");
}

/* `form` may be NULL. */
static void put_form(met_text *out, const met_cost_form *form, const met_cost_problem *p)
{
    met_text_put(out, "\"form\": ");
    if (form && form->closed) {
        met_text formula = met_text_new(out->arena);
        met_cost_form_print(&formula, out->arena, form, p);
        met_text_json_string(out, met_str_of(met_text_done(&formula)));
    } else {
        met_text_put(out, "null");
    }
    met_text_put(out, ", ");
    put_number(out, "exponent", form ? met_ratio_number(form->beta) : (double)NAN);
}

static void put_forms(met_text *out, const met_report_kernel *k)
{
    put_form(out, k->has_form ? &k->form : NULL, k->tiles);
    met_text_put(out, ",\n        \"restreamed\": ");
    if (!k->restreamed) {
        met_text_put(out, "null");
        return;
    }
    met_text_put(out, "{");
    put_form(out, k->has_restreamed_form ? &k->restreamed_form : NULL, k->restreamed_tiles);
    met_text_put(out, "}");
}

static void put_solution(met_text *out, const met_report_kernel *k, const met_cost_solution *s)
{
    const met_cost_problem *p = k->problem;
    put_number(out, "memory", met_report_amount(k, (double)s->memory));
    met_text_put(out, ", \"tiles\": {");
    for (uint32_t i = 0; i < p->order_count; i++) {
        met_text_put(out, i ? ", " : "");
        put_number(out, p->loops[s->order[i]].name, (double)s->tile[s->order[i]]);
    }
    met_text_put(out, "}, \"order\": [");
    for (uint32_t i = 0; i < p->order_count; i++) {
        met_text_put(out, i ? ", " : "");
        met_text_json_string(out, met_str_of(p->loops[s->order[i]].name));
    }
    met_text_put(out, "], \"arrays\": [");
    for (uint32_t a = 0; a < p->array_count; a++) {
        met_text_put(out, a ? ", {" : "{");
        put_name(out, "name", p->arrays[a].name);
        met_text_format(out, ", \"direction\": \"%s\", ", p->arrays[a].direction == MET_COST_IN ? "in" : "out");
        put_number(out, "traffic", met_report_amount(k, (double)s->moved[a]));
        met_text_put(out, "}");
    }
    met_text_format(out, "], \"proven\": %s", s->proven ? "true" : "false");
}

static void put_level(met_text *out, const met_report_request *r, const met_report_kernel *k, uint32_t l)
{
    const met_report_passage *passage = &k->at[l];
    const met_cost_solution *s = &passage->solution;
    met_text_put(out, "{");
    put_name(out, "level", r->levels[l].name);
    met_text_format(out, ", \"feasible\": %s, \"parts\": %zu, ", passage->feasible ? "true" : "false",
                    passage->in_parts ? k->parts.count : passage->feasible ? (size_t)1 : (size_t)0);
    put_number(out, "traffic", passage->traffic);
    met_text_put(out, ", ");
    put_number(out, "floor", met_report_amount(k, (double)met_cost_compulsory(k->problem)));
    met_text_put(out, ", ");
    put_number(out, "bound", passage->bound);
    met_text_put(out, ", ");
    put_number(out, "gap", s->feasible ? passage->traffic / passage->bound - 1 : (double)NAN);
    met_text_put(out, ", ");
    put_number(out, "real", passage->real);
    met_text_put(out, ", ");
    put_number(out, "turned", passage->turned);
    met_text_put(out, ", ");
    put_number(out, "restreamed", passage->restreamed);
    met_text_put(out, ", ");
    put_number(out, "least_memory", met_report_amount(k, (double)s->least_memory));
    if (s->feasible) {
        met_text_put(out, ", ");
        put_solution(out, k, s);
    }
    met_text_put(out, "}");
}

static void put_kernel(met_text *out, const met_report *report, const met_report_kernel *k)
{
    met_text_put(out, "      {");
    put_name(out, "name", k->name);
    met_text_format(out, ", \"count\": %u, \"nodes\": %u, \"passes\": %u,\n        ", k->count, k->kernel->step_count,
                    k->kernel->pass_count);
    put_loops(out, k->problem);
    met_text_put(out, ",\n        ");
    put_forms(out, k);
    met_text_put(out, ",\n        \"levels\": [");
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++) {
        met_text_put(out, l ? ",\n          " : "\n          ");
        put_level(out, &report->request, k, l);
    }
    met_text_put(out, "]}");
}

static void put_plan(met_text *out, const met_report *report, const met_report_plan *plan)
{
    met_text_format(out, "    {\"planner\": \"%s\", \"kernel_count\": %u,\n     \"kernels\": [\n", met_planner_name(plan->planner),
                    plan->kernel_count);
    for (size_t i = 0; i < plan->kernels.count; i++) {
        met_text_put(out, i ? ",\n" : "");
        put_kernel(out, report, &plan->kernels.at[i]);
    }
    met_text_put(out, "]}");
}

/* What both ways move, and which moves less. */
static void put_totals(met_text *out, const met_report *report)
{
    const met_report_plan *unfused = &report->plans[MET_PLANNER_NONE], *fused = &report->plans[MET_PLANNER_FUSED];
    met_text_put(out, "  \"totals\": [");
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++) {
        double none = unfused->feasible[l] ? unfused->traffic[l] : (double)NAN, one = fused->feasible[l] ? fused->traffic[l] : (double)NAN;
        met_text_put(out, l ? ", {" : "{");
        put_name(out, "level", report->request.levels[l].name);
        met_text_put(out, ", ");
        put_number(out, "unfused", none);
        met_text_put(out, ", ");
        put_number(out, "fused", one);
        met_text_put(out, ", ");
        put_number(out, "restreamed", fused->restreamed[l]);
        met_text_format(out, ", \"fuse\": %s}", isnan(one) ? "false" : isnan(none) || one < none ? "true" : "false");
    }
    met_text_put(out, "],\n  \"floor\": {");
    put_number(out, "unfused", report->bound_sizes ? unfused->floor : (double)NAN);
    met_text_put(out, ", ");
    put_number(out, "fused", report->bound_sizes ? fused->floor : (double)NAN);
    met_text_put(out, "}");
}

const char *met_cost_json(const met_circuit *circuit, const met_cost_options *options)
{
    const met_report *report = met_report_cost(circuit, options);
    if (!report)
        return NULL;
    const met_report_request *r = &report->request;
    met_text out = met_text_new(circuit->arena);
    met_text_format(&out, "{\n  \"unit\": \"%s\", \"liveness\": \"%s\",\n  \"levels\": [", met_report_unit(r),
                    r->view.liveness == MET_LIVENESS_FULL ? "full" : "tiles");
    for (uint32_t l = 0; l < r->level_count; l++) {
        met_text_put(&out, l ? ", {" : "{");
        put_name(&out, "name", r->levels[l].name);
        met_text_format(&out, ", \"capacity\": %llu}", (unsigned long long)r->levels[l].capacity);
    }
    met_text_put(&out, "],\n  \"plans\": [\n");
    bool any = false;
    for (int p = MET_PLANNER_NONE; p <= MET_PLANNER_FUSED; p++) {
        if (!r->listed[p])
            continue;
        met_text_put(&out, any ? ",\n" : "");
        put_plan(&out, report, &report->plans[p]);
        any = true;
    }
    met_text_put(&out, "],\n");
    put_totals(&out, report);
    met_text_put(&out, "\n}\n");
    return met_text_done(&out);
}
