#include "report/cost.h"

#include <math.h>

#include "base/diag.h"
#include "cost/bound.h"
#include "cost/levels.h"
#include "cost/relax.h"

double met_report_amount(const met_report_kernel *kernel, double fractions)
{
    return fractions / (double)kernel->problem->unit;
}

const char *met_report_unit(const met_report_request *request)
{
    return request->view.measure == MET_COST_BYTES ? "bytes" : "values";
}

void met_report_number(met_text *out, double number)
{
    if (fabs(number) < 0x1p53 && number == floor(number))
        met_text_double(out, number);
    else
        met_text_double_digits(out, number, 6);
}

met_cost_solution met_report_solve(met_arena *arena, const met_report_kernel *kernel, uint64_t capacity)
{
    return met_cost_solve(arena, kernel->problem, met_beyond_mul(capacity, kernel->problem->unit), NULL);
}

/* --- One kernel --- */

static void solve_levels(met_arena *arena, const met_report_request *r, met_report_kernel *k)
{
    met_cost_level levels[MET_REPORT_LEVELS];
    for (uint32_t l = 0; l < r->level_count; l++)
        levels[l] = (met_cost_level){ met_beyond_mul(r->levels[l].capacity, k->problem->unit), 1 };
    met_cost_solve_levels(arena, k->problem, r->level_count, levels, r->nesting, k->at);
}

/* The schedule with groups and streams exchanged, where something is streamed past groups. */
static double solve_turned(met_arena *arena, const met_report_kernel *k, uint64_t capacity)
{
    const met_cost_problem *p = k->problem;
    if (p->group_count == 0 || p->group_count == p->order_count || k->kernel->pass_count > 1)
        return (double)NAN;
    met_cost_problem turned = met_cost_turned(arena, p);
    met_cost_solution solution = met_cost_solve(arena, &turned, capacity, NULL);
    return solution.feasible ? met_report_amount(k, (double)solution.traffic) : (double)NAN;
}

static void certify(met_arena *arena, const met_report_request *r, met_report_kernel *k)
{
    for (uint32_t l = 0; l < r->level_count; l++) {
        uint64_t capacity = met_beyond_mul(r->levels[l].capacity, k->problem->unit);
        met_cost_relaxed relaxed;
        double bound;
        bool real = met_cost_relax(k->problem, (double)capacity, true, &relaxed);
        k->real[l] = real ? met_report_amount(k, relaxed.traffic) : (double)NAN;
        bool proven = met_cost_lower_bound(k->kernel, k->problem, capacity, &bound);
        k->bound[l] = proven ? met_report_amount(k, bound) : (double)NAN;
        k->turned[l] = solve_turned(arena, k, capacity);
    }
}

static bool refuse_beyond(met_session *session, const met_report_kernel *k)
{
    met_diag_add(session, MET_DIAG_input_too_large, (met_span){ 0, 0, 0 }, "what `%s` moves does not fit 64 bits", k->name);
    return false;
}

/* --- The report --- */

static bool solve_plan(const met_report *report, met_report_plan *plan)
{
    const met_report_request *r = &report->request;
    for (uint32_t l = 0; l < r->level_count; l++)
        plan->feasible[l] = true;
    for (size_t i = 0; i < plan->kernels.count; i++) {
        met_report_kernel *k = &plan->kernels.at[i];
        uint64_t floor_of_kernel = met_cost_compulsory(k->problem);
        if (floor_of_kernel == MET_BEYOND)
            return refuse_beyond(report->session, k);
        plan->floor += k->count * met_report_amount(k, (double)floor_of_kernel);
        solve_levels(report->session->arena, r, k);
        certify(report->session->arena, r, k);
        for (uint32_t l = 0; l < r->level_count; l++) {
            plan->feasible[l] = plan->feasible[l] && k->at[l].feasible;
            if (k->at[l].feasible && k->at[l].traffic == MET_BEYOND)
                return refuse_beyond(report->session, k);
            plan->traffic[l] += k->at[l].feasible ? k->count * met_report_amount(k, (double)k->at[l].traffic) : 0;
        }
    }
    return true;
}

const met_report *met_report_cost(const met_circuit *circuit, const met_cost_options *options)
{
    met_report *report = MET_NEW(circuit->arena, met_report);
    met_report_request request;
    if (!met_report_request_read(circuit, options, NULL, &request) || !met_report_kernels_find(circuit, &request, report))
        return NULL;
    if (!report->bound_sizes)
        return report;
    for (int p = 0; p < 2; p++)
        if (!solve_plan(report, &report->plans[p]))
            return NULL;
    return report;
}
