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

void met_report_beyond(met_session *session, const met_report_kernel *k)
{
    met_diag_add(session, MET_DIAG_input_too_large, (met_span){ 0, 0, 0 }, "what `%s` moves does not fit 64 bits", k->name);
}

/* --- One kernel --- */

static double traffic_of(const met_report_kernel *k, const met_cost_solution *s)
{
    if (s->compulsory == MET_BEYOND || (s->feasible && s->traffic == MET_BEYOND))
        return (double)INFINITY;
    return s->feasible ? met_report_amount(k, (double)s->traffic) : (double)NAN;
}

static uint64_t capacity_of(const met_report_kernel *k, uint64_t capacity)
{
    return met_beyond_mul(capacity, k->problem->unit);
}

/* All the parts, one after the other. */
static double parts_traffic(met_arena *arena, const met_report_kernel *k, uint64_t capacity)
{
    double sum = k->parts.count > 0 ? 0 : (double)NAN;
    for (size_t i = 0; i < k->parts.count; i++)
        sum += met_report_traffic(arena, &k->parts.at[i], capacity);
    return sum;
}

double met_report_traffic(met_arena *arena, const met_report_kernel *k, uint64_t capacity)
{
    met_cost_solution s = met_cost_solve(arena, k->problem, capacity_of(k, capacity), &(met_cost_limits){ .keep_order = true });
    double traffic = traffic_of(k, &s);
    return isnan(traffic) ? parts_traffic(arena, k, capacity) : traffic;
}

/* Levels in which the smallest tiles do not fit are left out of the nest. */
static void solve_levels(met_arena *arena, const met_report_request *r, met_report_kernel *k)
{
    met_cost_level levels[MET_REPORT_LEVELS];
    met_cost_solution solutions[MET_REPORT_LEVELS];
    uint32_t number[MET_REPORT_LEVELS], count = 0;
    uint64_t least = met_cost_least_memory(k->problem);
    met_cost_nesting nesting = r->nesting;
    nesting.keep_order = true;
    for (uint32_t l = 0; l < r->level_count; l++) {
        k->at[l].solution.least_memory = least;
        if (least > capacity_of(k, r->levels[l].capacity))
            continue;
        number[count] = l;
        levels[count++] = (met_cost_level){ capacity_of(k, r->levels[l].capacity), 1 };
    }
    if (count > 0) /* loops that are folded together are folded in their order, whatever that costs */
        met_cost_solve_levels(arena, k->problem, count, levels, nesting, solutions);
    for (uint32_t i = 0; i < count; i++)
        k->at[number[i]].solution = solutions[i];
    for (uint32_t l = 0; l < r->level_count; l++) {
        met_report_passage *passage = &k->at[l];
        passage->traffic = traffic_of(k, &passage->solution);
        if (isnan(passage->traffic)) {
            passage->traffic = parts_traffic(arena, k, r->levels[l].capacity);
            passage->in_parts = !isnan(passage->traffic);
        }
        passage->feasible = !isnan(passage->traffic);
    }
}

/* Another schedule of a kernel. It is looked for less long than its own. */
static double solve_other(met_arena *arena, const met_report_kernel *k, const met_cost_problem *other, uint64_t capacity)
{
    met_cost_limits brief = { .steps = MET_COST_STEPS / 16, .keep_order = true };
    met_cost_solution solution = met_cost_solve(arena, other, capacity, &brief);
    return traffic_of(k, &solution);
}

/* The schedule with groups and streams exchanged, where something is streamed past groups. */
static double solve_turned(met_arena *arena, const met_report_kernel *k, uint64_t capacity)
{
    const met_cost_problem *p = k->problem;
    if (p->group_count == 0 || p->group_count == p->order_count || k->kernel->pass_count > 1)
        return (double)NAN;
    met_cost_problem turned = met_cost_turned(arena, p);
    return solve_other(arena, k, &turned, capacity);
}

static void certify(met_arena *arena, const met_report_request *r, met_report_kernel *k)
{
    for (uint32_t l = 0; l < r->level_count; l++) {
        uint64_t capacity = capacity_of(k, r->levels[l].capacity);
        met_report_passage *passage = &k->at[l];
        met_cost_relaxed relaxed;
        double bound;
        bool real = met_cost_relax(k->problem, (double)capacity, true, &relaxed);
        passage->real = real ? met_report_amount(k, relaxed.traffic) : (double)NAN;
        bool proven = met_cost_lower_bound(k->kernel, k->problem, capacity, &bound);
        passage->bound = proven ? met_report_amount(k, bound) : (double)NAN;
        passage->turned = solve_turned(arena, k, capacity);
        passage->restreamed = k->restreamed ? solve_other(arena, k, k->restreamed, capacity) : (double)NAN;
    }
}

/* --- The report --- */

/* fmin passes over what does not fit. */
static double restreamed_of(const met_report_passage *passage)
{
    return fmin(passage->traffic, passage->restreamed);
}

static bool solve_plan(const met_report *report, met_report_plan *plan)
{
    const met_report_request *r = &report->request;
    for (uint32_t l = 0; l < r->level_count; l++)
        plan->feasible[l] = true;
    for (size_t i = 0; i < plan->kernels.count; i++) {
        met_report_kernel *k = &plan->kernels.at[i];
        uint64_t once = met_cost_compulsory(k->problem);
        bool beyond = once == MET_BEYOND;
        plan->floor += k->count * met_report_amount(k, (double)once);
        solve_levels(report->session->arena, r, k);
        certify(report->session->arena, r, k);
        for (uint32_t l = 0; l < r->level_count; l++) {
            plan->feasible[l] = plan->feasible[l] && k->at[l].feasible;
            plan->traffic[l] += k->at[l].feasible ? k->count * k->at[l].traffic : 0;
            plan->restreamed[l] += k->count * restreamed_of(&k->at[l]);
            beyond = beyond || (k->at[l].feasible && isinf(k->at[l].traffic));
        }
        if (beyond) {
            met_report_beyond(report->session, k);
            return false;
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
