#include "host/budgeting.h"

#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "budget/tolerance.h"
#include "host/budgeting_parts.h"
#include "host/perturb.h"
#include "met/budget.h"
#include "realize/writer.h"

static const met_span nowhere;

/* --- The report --- */

static const char *point_words(met_arena *arena, const met_point *point)
{
    static const char *const numerics[] = { "real", "float", "pow2" }, *const divisions[] = { "", ", deferred", ", eager" };
    return met_format_text(arena, "%s, %s%s", met_dtype_table[point->dtype].spelling, numerics[point->numerics],
                           divisions[point->division]);
}

static const char *input_words(met_arena *arena, const met_subject *subject, const char *before)
{
    const char *fill = subject->options.fill;
    const char *given = subject->in_count ? "the arrays that are given" : "";
    bool seeded = fill && strcmp(fill, "normal") == 0;
    met_text words = met_text_new(arena);
    met_text_put(&words, given);
    if (fill)
        met_text_format(&words, "%s--fill %s", *given ? " and " : "", fill);
    if (seeded)
        met_text_format(&words, " --seed %llu", (unsigned long long)subject->options.seed);
    met_text_format(&words, "%s%s", *before ? ", " : "", before);
    return met_text_done(&words);
}

static bool refuse_probable(met_session *session, const met_budget *budget)
{
    if (!budget->refused)
        return false;
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "the probabilistic form does not hold: a fold truncates, or "
                                  "nobody declares its tree");
    met_diag_help(diag, "roundings that share a sign are not independent; without --lambda there are bounds");
    return true;
}

static bool any_estimates(const met_budget *budget)
{
    for (size_t g = 0; g < budget->group_count; g++)
        for (size_t k = 0; k < budget->groups[g].read_count; k++)
            if (budget->groups[g].reads[k].measures)
                return true;
    return false;
}

static bool has_block(const met_budget_report *report)
{
    for (size_t g = 0; g < report->sides[0]->segment_count; g++)
        if (met_budget_shows(report, g))
            return true;
    return false;
}

/* What was made before, then what is given. */
static const met_named_tensor *arrays_of(const met_subject *subject, const met_budget_history *before, size_t side)
{
    met_named_tensor *ins = MET_NEW_ARRAY(subject->session->arena, met_named_tensor, before->count + subject->in_count);
    for (size_t k = 0; k < before->count; k++)
        ins[k] = before->ins[side][k];
    for (size_t k = 0; k < subject->in_count; k++)
        ins[before->count + k] = subject->ins[k];
    return ins;
}

static bool survey(const met_subject *subject, const met_budgeting *request, const met_budget_side *sides, const met_budget_history *before,
                   const met_budget_measure *measure, met_budget_report *report)
{
    for (size_t s = 0; s < report->side_count; s++) {
        met_budget_request one = { .trees = sides[s].trees, .undeclared = sides[s].undeclared, .options = &subject->options,
                                   .in_count = before->count + subject->in_count, .ins = arrays_of(subject, before, s),
                                   .source_count = before->count, .sources = before->sources[s], .before = before->budgets[s], .whole = request->whole,
                                   .lambda = request->lambda, .beside = s ? report->sides[0] : NULL,
                                   .measure = s ? NULL : measure };
        report->sides[s] = met_budget_of(subject->settled, &one);
        report->side_names[s] = sides[s].name;
        if (!report->sides[s] || refuse_probable(subject->session, report->sides[s]))
            return false;
    }
    met_arena *arena = subject->session->arena;
    report->bounds = met_budget_compose(arena, report->side_count, report->sides, MET_TERMS_BOUND);
    if (any_estimates(report->sides[0]))
        report->estimates = met_budget_compose(arena, report->side_count, report->sides, MET_TERMS_ESTIMATE);
    if (has_block(report))
        return true;
    met_diag_add(subject->session, MET_DIAG_usage, nowhere, "the circuit has no block `%s`", request->block);
    return false;
}

const char *met_budgeting_report(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                 const met_named_tensor *ins, const met_budgeting *request, bool *ret_broken)
{
    met_budget_side sides[2] = { { 0 } };
    met_budget_history before;
    const met_subject *subject = met_subject_new(circuit, options, in_count, ins);
    if (!subject || !met_budgeting_sides(subject, request, request->mode, sides) || !met_budgeting_before(subject, request, &before))
        return NULL;
    met_arena *arena = subject->session->arena;
    met_evidence *evidence = met_evidence_open(subject->session, request->store, request->measure);
    if (!evidence)
        return NULL;
    met_perturb *perturb = met_perturb_new(evidence, options->seed, request->measure, (int64_t)time(NULL));
    met_budget_report report = { .name = met_sym_text(subject->session, subject->settled->written->name),
                                 .point = point_words(arena, &subject->point), .inputs = input_words(arena, subject, before.words),
                                 .block = request->block, .whole = request->whole, .side_count = request->against ? 2 : 1 };
    report.same = report.side_count == 2 && before.same && met_budgeting_same(subject->settled, sides);
    bool good = survey(subject, request, sides, &before, met_perturb_measure(perturb), &report) && met_perturb_good(perturb);
    met_evidence_close(evidence);
    *ret_broken = good && !report.same && met_budget_broken(&report);
    return !good ? NULL : request->json ? met_budget_json(&report) : met_budget_text(&report);
}
