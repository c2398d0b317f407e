/* The report as JSON; the fields are those of docs/cost.md. What is not known is null. */
#include <math.h>

#include "base/json.h"
#include "report/cost.h"

static void put_loops(met_json *json, const met_cost_problem *p)
{
    static const char *const words[] = { "group", "stream", "local" };
    met_json_open(json, "loops", '[');
    for (uint32_t l = 0; l < p->loop_count; l++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", p->loops[l].name);
        met_json_put_number(json, "size", p->loops[l].size ? (double)p->loops[l].size : (double)NAN);
        met_json_put_string(json, "partition", words[p->loops[l].partition]);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

/* `form` may be NULL. */
static void put_form(met_json *json, const met_cost_form *form, const met_cost_problem *p)
{
    met_arena *arena = json->out->arena;
    met_text formula = met_text_new(arena);
    bool closed = form && form->closed;
    if (closed)
        met_cost_form_print(&formula, arena, form, p);
    met_json_put_string(json, "form", closed ? met_text_done(&formula) : NULL);
    met_json_put_number(json, "exponent", form ? met_ratio_number(form->beta) : (double)NAN);
}

static void put_forms(met_json *json, const met_report_kernel *k)
{
    put_form(json, k->has_form ? &k->form : NULL, k->tiles);
    met_json_line(json, 8);
    if (!k->restreamed) {
        met_json_put_null(json, "restreamed");
        return;
    }
    met_json_open(json, "restreamed", '{');
    put_form(json, k->has_restreamed_form ? &k->restreamed_form : NULL, k->restreamed_tiles);
    met_json_close(json, '}');
}

static void put_arrays(met_json *json, const met_report_kernel *k, const met_cost_solution *s)
{
    const met_cost_problem *p = k->problem;
    met_json_open(json, "arrays", '[');
    for (uint32_t a = 0; a < p->array_count; a++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", p->arrays[a].name);
        met_json_put_string(json, "direction", p->arrays[a].direction == MET_COST_IN ? "in" : "out");
        met_json_put_number(json, "traffic", met_report_amount(k, (double)s->moved[a]));
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_solution(met_json *json, const met_report_kernel *k, const met_cost_solution *s)
{
    const met_cost_problem *p = k->problem;
    met_json_put_number(json, "memory", met_report_amount(k, (double)s->memory));
    met_json_open(json, "tiles", '{');
    for (uint32_t i = 0; i < p->order_count; i++)
        met_json_put_number(json, p->loops[s->order[i]].name, (double)s->tile[s->order[i]]);
    met_json_close(json, '}');
    met_json_open(json, "order", '[');
    for (uint32_t i = 0; i < p->order_count; i++)
        met_json_put_string(json, NULL, p->loops[s->order[i]].name);
    met_json_close(json, ']');
    put_arrays(json, k, s);
    met_json_put_flag(json, "proven", s->proven);
}

static void put_level(met_json *json, const met_report_request *r, const met_report_kernel *k, uint32_t l)
{
    const met_report_passage *passage = &k->at[l];
    const met_cost_solution *s = &passage->solution;
    met_json_line(json, 10);
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "level", r->levels[l].name);
    met_json_put_flag(json, "feasible", passage->feasible);
    met_json_put_integer(json, "parts", passage->in_parts ? k->parts.count : passage->feasible);
    met_json_put_number(json, "traffic", passage->traffic);
    met_json_put_number(json, "floor", met_report_amount(k, (double)met_cost_compulsory(k->problem)));
    met_json_put_number(json, "bound", passage->bound);
    met_json_put_number(json, "gap", s->feasible ? passage->traffic / passage->bound - 1 : (double)NAN);
    met_json_put_number(json, "real", passage->real);
    met_json_put_number(json, "turned", passage->turned);
    met_json_put_number(json, "restreamed", passage->restreamed);
    met_json_put_number(json, "least_memory", met_report_amount(k, (double)s->least_memory));
    if (s->feasible)
        put_solution(json, k, s);
    met_json_close(json, '}');
}

static void put_kernel(met_json *json, const met_report *report, const met_report_kernel *k)
{
    met_json_line(json, 6);
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", k->name);
    met_json_put_integer(json, "count", k->count);
    met_json_put_integer(json, "nodes", k->kernel->step_count);
    met_json_put_integer(json, "passes", k->kernel->pass_count);
    met_json_line(json, 8);
    put_loops(json, k->problem);
    met_json_line(json, 8);
    put_forms(json, k);
    met_json_line(json, 8);
    met_json_open(json, "levels", '[');
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++)
        put_level(json, &report->request, k, l);
    met_json_close(json, ']');
    met_json_close(json, '}');
}

static void put_plan(met_json *json, const met_report *report, const met_report_plan *plan)
{
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "planner", met_planner_name(plan->planner));
    met_json_put_integer(json, "kernel_count", plan->kernel_count);
    met_json_line(json, 5);
    met_json_open(json, "kernels", '[');
    for (size_t i = 0; i < plan->kernels.count; i++)
        put_kernel(json, report, &plan->kernels.at[i]);
    met_json_close(json, ']');
    met_json_close(json, '}');
}

/* What both ways move, and which moves less. */
static void put_totals(met_json *json, const met_report *report)
{
    const met_report_plan *unfused = &report->plans[MET_PLANNER_NONE], *fused = &report->plans[MET_PLANNER_FUSED];
    met_json_line(json, 2);
    met_json_open(json, "totals", '[');
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++) {
        double none = unfused->feasible[l] ? unfused->traffic[l] : (double)NAN, one = fused->feasible[l] ? fused->traffic[l] : (double)NAN;
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "level", report->request.levels[l].name);
        met_json_put_number(json, "unfused", none);
        met_json_put_number(json, "fused", one);
        met_json_put_number(json, "restreamed", fused->restreamed[l]);
        met_json_put_flag(json, "fuse", !isnan(one) && (isnan(none) || one < none));
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_line(json, 2);
    met_json_open(json, "floor", '{');
    met_json_put_number(json, "unfused", report->bound_sizes ? unfused->floor : (double)NAN);
    met_json_put_number(json, "fused", report->bound_sizes ? fused->floor : (double)NAN);
    met_json_close(json, '}');
}

static void put_levels(met_json *json, const met_report_request *r)
{
    met_json_line(json, 2);
    met_json_open(json, "levels", '[');
    for (uint32_t l = 0; l < r->level_count; l++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", r->levels[l].name);
        met_json_put_integer(json, "capacity", r->levels[l].capacity);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

const char *met_cost_json(const met_circuit *circuit, const met_cost_options *options)
{
    const met_report *report = met_report_cost(circuit, options);
    if (!report)
        return NULL;
    const met_report_request *r = &report->request;
    met_text out = met_text_new(circuit->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_line(&json, 2);
    met_json_put_string(&json, "unit", met_report_unit(r));
    met_json_put_string(&json, "liveness", r->view.liveness == MET_LIVENESS_FULL ? "full" : "tiles");
    put_levels(&json, r);
    met_json_line(&json, 2);
    met_json_open(&json, "plans", '[');
    for (int p = MET_PLANNER_NONE; p <= MET_PLANNER_FUSED; p++)
        if (r->listed[p])
            put_plan(&json, report, &report->plans[p]);
    met_json_close(&json, ']');
    put_totals(&json, report);
    met_json_line(&json, 0);
    met_json_close(&json, '}');
    return met_json_done(&json);
}
