/* The report as text, within 80 columns. */
#include <math.h>
#include <string.h>

#include "report/cost.h"
#include "report/wrap.h"

enum { LEVEL = 9, NUMBER = 13, GAP = 6, INDENT = 4 };

/* --- Pieces --- */

static void put_right(met_text *out, const char *text, size_t width)
{
    size_t columns = met_columns(met_str_of(text));
    met_text_repeat(out, ' ', columns < width ? width - columns : 1);
    met_text_put(out, text);
}

/* NaN is a dash. */
static void put_number(met_text *out, double number, size_t width)
{
    met_text digits = met_text_new(out->arena);
    if (isnan(number))
        met_text_put(&digits, "-");
    else if (fabs(number) < (width == NUMBER - 1 ? 1e11 : 1e12)) /* with a blank before it */
        met_report_number(&digits, nearbyint(number * 10) / 10);
    else
        met_text_double_digits(&digits, number, 6);
    put_right(out, met_text_done(&digits), width);
}

/* --- One kernel --- */

/* What follows a loop in the list of a kernel's loops: a comma if another of its kind does, a semicolon if one of a later
 * kind does. */
static const char *after_loop(const met_cost_problem *p, uint32_t loop)
{
    bool same = false, later = false;
    for (uint32_t l = 0; l < p->loop_count; l++) {
        same = same || (l > loop && p->loops[l].partition == p->loops[loop].partition);
        later = later || p->loops[l].partition > p->loops[loop].partition;
    }
    return same ? "," : later ? ";" : "";
}

static void put_loops(met_text *out, const met_report_kernel *k)
{
    static const char *const words[] = { "group", "stream", "local" };
    met_wrap w = met_wrap_start(out, INDENT, "loops  ");
    const met_cost_problem *p = k->problem;
    for (int partition = MET_PARTITION_GROUP; partition <= MET_PARTITION_LOCAL; partition++) {
        uint32_t count = 0;
        for (uint32_t l = 0; l < p->loop_count; l++) {
            if (p->loops[l].partition != (met_partition)partition)
                continue;
            met_text word = met_text_new(out->arena);
            if (count++ == 0)
                met_wrap_word(&w, words[partition]);
            met_text_put(&word, p->loops[l].name);
            if (p->loops[l].size)
                met_text_format(&word, "=%llu", (unsigned long long)p->loops[l].size);
            met_text_put(&word, after_loop(p, l));
            met_wrap_word(&w, met_text_done(&word));
        }
    }
    met_text_char(out, '\n');
}

static void put_ratio(met_text *out, met_ratio r)
{
    met_text_format(out, r.under == 1 ? "%lld" : "%lld/%lld", (long long)r.over, (long long)r.under);
}

static void put_formula(met_wrap *w, const met_cost_form *form, const met_cost_problem *p)
{
    met_text formula = met_text_new(w->out->arena), exponent = met_text_new(w->out->arena);
    if (form->closed)
        met_cost_form_print(&formula, w->out->arena, form, p);
    met_wrap_words(w, form->closed ? met_text_done(&formula) : "no closed form");
    put_ratio(&exponent, form->beta);
    met_wrap_word(w, form->beta.over == 0 ? "(whatever M is)" : "(exponent");
    if (form->beta.over == 0)
        return;
    met_text_char(&exponent, ')');
    met_wrap_word(w, met_text_done(&exponent));
}

static void put_form(met_text *out, const met_report_kernel *k)
{
    met_wrap w = met_wrap_start(out, INDENT, "moves  ");
    if (k->has_form)
        put_formula(&w, &k->form, k->tiles);
    else
        met_wrap_words(&w, "no closed form");
    met_text_char(out, '\n');
}

static void put_tiles(met_text *out, const met_report_request *r, const met_report_kernel *k, uint32_t l)
{
    const met_cost_solution *s = &k->at[l].solution;
    const met_cost_problem *p = k->problem;
    if (p->order_count == 0)
        return;
    size_t start = out->length;
    met_text_repeat(out, ' ', INDENT);
    met_text_put(out, r->levels[l].name);
    met_text_pad(out, start, INDENT + LEVEL);
    met_text_put(out, " tiles ");
    met_wrap w = { out, INDENT + LEVEL + 7, INDENT + LEVEL + 7 };
    for (uint32_t i = 0; i < p->order_count; i++) {
        met_text word = met_text_new(out->arena);
        met_text_format(&word, "%s=%llu%s", p->loops[s->order[i]].name, (unsigned long long)s->tile[s->order[i]],
                        i + 1 < p->order_count ? "," : "");
        met_wrap_word(&w, met_text_done(&word));
    }
    if (!s->proven)
        met_wrap_word(&w, "(the search was cut short: there may be better ones)");
    met_text_char(out, '\n');
}

static void put_unfit(met_text *out, const met_report_kernel *k, const met_report_passage *passage)
{
    if (passage->in_parts) {
        put_number(out, passage->traffic, NUMBER - 1);
        met_text_format(out, "  in %zu parts, as its rows do not fit\n", k->parts.count);
        return;
    }
    met_text_put(out, " does not fit: the smallest tiles take ");
    met_report_number(out, met_report_amount(k, (double)passage->solution.least_memory));
    met_text_char(out, '\n');
}

static void put_level(met_text *out, const met_report_request *r, const met_report_kernel *k, uint32_t l)
{
    const met_report_passage *passage = &k->at[l];
    size_t start = out->length;
    met_text_repeat(out, ' ', INDENT);
    met_text_put(out, r->levels[l].name);
    met_text_pad(out, start, INDENT + LEVEL);
    if (!passage->solution.feasible) {
        put_unfit(out, k, passage);
        return;
    }
    put_number(out, passage->traffic, NUMBER - 1);
    put_number(out, met_report_amount(k, (double)passage->solution.memory), NUMBER - 1);
    put_number(out, met_report_amount(k, (double)passage->solution.compulsory), NUMBER - 1);
    put_number(out, passage->real, NUMBER - 1);
    put_number(out, passage->bound, NUMBER);
    met_text gap = met_text_new(out->arena);
    if (!isnan(passage->bound)) {
        met_text_double_digits(&gap, nearbyint((passage->traffic / passage->bound - 1) * 1e4) / 100, 3); /* two places at most */
        met_text_put(&gap, "%");
    }
    put_right(out, gap.length ? met_text_done(&gap) : "-", GAP);
    met_text_char(out, '\n');
}

/* Other schedules of the kernel, by level. */
static void put_other(met_text *out, const met_report *report, const met_report_kernel *k, const char *label, bool turned)
{
    met_wrap w = met_wrap_start(out, INDENT, label);
    if (!turned && k->has_restreamed_form)
        put_formula(&w, &k->restreamed_form, k->restreamed_tiles);
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++) {
        met_text word = met_text_new(out->arena);
        double traffic = turned ? k->at[l].turned : k->at[l].restreamed;
        met_text_format(&word, "%s%s", report->request.levels[l].name, isnan(traffic) ? " does not fit" : "");
        if (!isnan(traffic))
            put_number(&word, traffic, 0);
        met_wrap_word(&w, met_text_done(&word));
    }
    met_text_char(out, '\n');
}

static bool any_turned(const met_report *report, const met_report_kernel *k)
{
    bool any = false;
    for (uint32_t l = 0; report->bound_sizes && l < report->request.level_count; l++)
        any = any || !isnan(k->at[l].turned);
    return any && k->kernel->step_count > 1;
}

static void put_table(met_text *out, const met_report *report, const met_report_kernel *k)
{
    const met_report_request *r = &report->request;
    static const char *const heads[] = { "moved", "memory", "floor", "real" };
    size_t start = out->length;
    met_text_repeat(out, ' ', INDENT);
    met_text_put(out, "level");
    met_text_pad(out, start, INDENT + LEVEL);
    for (int i = 0; i < 4; i++)
        put_right(out, heads[i], NUMBER - 1);
    put_right(out, "bound", NUMBER);
    put_right(out, "gap", GAP);
    met_text_char(out, '\n');
    for (uint32_t l = 0; l < r->level_count; l++)
        put_level(out, r, k, l);
    for (uint32_t l = 0; l < r->level_count; l++)
        if (k->at[l].solution.feasible)
            put_tiles(out, r, k, l);
}

static void put_kernel(met_text *out, const met_report *report, const met_report_kernel *k)
{
    met_text_format(out, "\n  %s", k->name);
    if (k->count > 1)
        met_text_format(out, ", %u times", k->count);
    met_text_char(out, '\n');
    put_loops(out, k);
    put_form(out, k);
    if (report->request.level_count > 0 && report->bound_sizes)
        put_table(out, report, k);
    if (any_turned(report, k))
        put_other(out, report, k, "turned: streams held, groups streamed: ", true);
    if (k->restreamed)
        put_other(out, report, k, "restreamed: local loops streamed inside: ", false);
}

/* --- The whole --- */

/* "8.67 times less"; close to 1, where that would read "1 times less", "0.05% less". */
static void put_times(met_text *out, double ratio)
{
    double times = ratio < 1 ? 1 / ratio : ratio;
    bool close = times < 1.05;
    met_text_double_digits(out, close ? 100 * fabs(1 - ratio) : times, close ? 2 : 3);
    met_text_format(out, "%s%s", close ? "% " : " times ", ratio < 1 ? "less" : "more");
}

static void put_verdict(met_text *out, const met_report *report, uint32_t l)
{
    const met_report_plan *unfused = &report->plans[MET_PLANNER_NONE], *fused = &report->plans[MET_PLANNER_FUSED];
    double ratio = fused->traffic[l] / unfused->traffic[l], inside = fused->restreamed[l] / unfused->traffic[l];
    met_text_put(out, "  ");
    if (!unfused->feasible[l])
        met_text_put(out, fused->feasible[l] ? "only fused fits" : "nothing fits");
    else if (!fused->feasible[l])
        met_text_put(out, inside < 1 ? "fuse restreamed only: " : "only unfused fits");
    else
        met_text_put(out, ratio < 1 ? "fuse: " : ratio == 1 ? "the same" : inside < 1 ? "fuse restreamed only: " : "do not fuse: ");
    if (!unfused->feasible[l] || ratio == 1 || (!fused->feasible[l] && !(inside < 1)))
        return;
    put_times(out, fused->feasible[l] && (ratio < 1 || !(inside < 1)) ? ratio : inside);
}

static void put_totals(met_text *out, const met_report *report)
{
    const met_report_request *r = &report->request;
    met_text_format(out, "\nIn all, %s moved:\n", met_report_unit(r));
    size_t start = out->length;
    met_text_put(out, "    level");
    met_text_pad(out, start, INDENT + LEVEL);
    put_right(out, "unfused", NUMBER + 1);
    put_right(out, "fused", NUMBER + 1);
    met_text_char(out, '\n');
    for (uint32_t l = 0; l < r->level_count; l++) {
        start = out->length;
        met_text_repeat(out, ' ', INDENT);
        met_text_put(out, r->levels[l].name);
        met_text_pad(out, start, INDENT + LEVEL);
        for (int p = MET_PLANNER_NONE; p <= MET_PLANNER_FUSED; p++)
            put_number(out, report->plans[p].feasible[l] ? report->plans[p].traffic[l] : (double)NAN, NUMBER + 1);
        put_verdict(out, report, l);
        met_text_char(out, '\n');
    }
    start = out->length;
    met_text_put(out, "    floor");
    met_text_pad(out, start, INDENT + LEVEL);
    put_number(out, report->plans[MET_PLANNER_NONE].floor, NUMBER + 1);
    put_number(out, report->plans[MET_PLANNER_FUSED].floor, NUMBER + 1);
    met_text_char(out, '\n');
}

static void put_plan(met_text *out, const met_report *report, const met_report_plan *plan)
{
    bool fused = plan->planner == MET_PLANNER_FUSED;
    met_text_format(out, "%s: %u %s\n", fused ? "Fused" : "Unfused, an op a kernel", plan->kernel_count,
                    plan->kernel_count == 1 ? "kernel" : "kernels");
    for (size_t i = 0; i < plan->kernels.count; i++)
        put_kernel(out, report, &plan->kernels.at[i]);
}

static void put_head(met_text *out, const met_report *report)
{
    const met_report_request *r = &report->request;
    met_text_format(out, "Costs in %s; a level holds tiles%s.\n", met_report_unit(r),
                    r->view.liveness == MET_LIVENESS_FULL ? ", accumulators and values in between" : "");
    for (uint32_t l = 0; l < r->level_count; l++)
        met_text_format(out, "%s%s = %llu", l ? ", " : "Levels: ", r->levels[l].name, (unsigned long long)r->levels[l].capacity);
    if (r->level_count > 0)
        met_text_put(out, ".\n");
    if (!report->bound_sizes)
        met_text_put(out, "Some sizes are free, so there are formulas only: bind them with --set.\n");
    else if (r->level_count == 0)
        met_text_put(out, "No level is given, so there are formulas only: --levels M=16384.\n");
    met_text_char(out, '\n');
}

const char *met_cost_table(const met_circuit *circuit, const met_cost_options *options)
{
    const met_report *report = met_report_cost(circuit, options);
    if (!report)
        return NULL;
    met_text out = met_text_new(circuit->arena);
    bool any = false;
    put_head(&out, report);
    for (int p = MET_PLANNER_NONE; p <= MET_PLANNER_FUSED; p++) {
        if (!report->request.listed[p])
            continue;
        met_text_put(&out, any ? "\n" : "");
        put_plan(&out, report, &report->plans[p]);
        any = true;
    }
    if (report->bound_sizes && report->request.level_count > 0)
        put_totals(&out, report);
    return met_text_done(&out);
}
