#include "host/budgeting.h"

#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "budget/tolerance.h"
#include "host/perturb.h"
#include "host/plan_pair.h"
#include "host/subject_parts.h"
#include "host/way_numerics.h"
#include "met/budget.h"
#include "number/tree_compare.h"
#include "parity/numerics.h"
#include "realize/writer.h"

static const met_span nowhere;

/* A side: whose trees, and which of them nobody declares. */
typedef struct side {
    const char *name;
    const met_plan_numerics *numerics; /* NULL: the interpreter's */
    const met_tree *trees;
    const bool *undeclared;
} side;

/* --- Sides --- */

static const met_plan_numerics *numerics_of(const met_subject *subject, const met_way *way)
{
    if (met_way_lowers(way)) {
        const met_lowering *lowering = met_subject_lowering(subject, way);
        return lowering ? met_way_numerics(subject, way, lowering) : NULL;
    }
    const char *name = met_way_class(subject->session, way);
    const met_program *program = name ? met_subject_program(subject, way, met_class_find(name)) : NULL;
    return program ? met_numerics_of_program(subject->settled, program) : NULL;
}

static const bool *undeclared_of(met_arena *arena, const met_plan_numerics *numerics)
{
    uint32_t count = numerics->settled->circuit->node_count;
    bool *undeclared = MET_NEW_ARRAY(arena, bool, count);
    for (uint32_t n = 0; n < count; n++)
        undeclared[n] = numerics->nodes[n].folds && (numerics->nodes[n].source == MET_NUMERICS_UNDECLARED || numerics->nodes[n].code_group);
    return undeclared;
}

/* `text` NULL, or the interpreter: the circuit's own trees. */
static bool read_side(const met_subject *subject, const met_budgeting *request, const char *text, side *ret_side)
{
    met_arena *arena = subject->session->arena;
    met_way way = { .planner = "greedy", .hardware = text, .kernels = request->kernels, .mode = request->mode };
    *ret_side = (side){ .name = text ? text : "the interpreter" };
    if (!text || strcmp(text, "interpreter") == 0)
        return true;
    if (strchr(text, '@') && !met_way_parse(subject->session, text, &way))
        return false;
    if (strcmp(way.hardware, "interpreter") == 0)
        return true;
    ret_side->name = strchr(text, '@') ? text : met_format_text(arena, "greedy@%s", text);
    ret_side->numerics = numerics_of(subject, &way);
    if (!ret_side->numerics)
        return false;
    ret_side->trees = met_numerics_trees(ret_side->numerics);
    ret_side->undeclared = undeclared_of(arena, ret_side->numerics);
    return true;
}

/* Both fold everything along trees that give the same bits, and all of them are declared. */
static bool same_records(const met_settled *settled, const side *a, const side *b)
{
    const met_plan_numerics *point = met_numerics_of_point(settled);
    const met_plan_numerics *of_a = a->numerics ? a->numerics : point, *of_b = b->numerics ? b->numerics : point;
    met_arena *scratch = met_arena_new();
    bool same = true;
    for (uint32_t n = 0; same && n < settled->circuit->node_count; n++) {
        const met_node_numerics *x = &of_a->nodes[n], *y = &of_b->nodes[n];
        if (!x->folds)
            continue;
        bool declared = x->source != MET_NUMERICS_UNDECLARED && y->source != MET_NUMERICS_UNDECLARED;
        same = declared && met_tree_compare(scratch, &x->tree, &y->tree, x->terms).verdict == MET_VERDICT_SAME;
    }
    met_arena_free(scratch);
    return same;
}

/* --- The report --- */

static const char *point_words(met_arena *arena, const met_point *point)
{
    static const char *const numerics[] = { "real", "float", "pow2" }, *const divisions[] = { "", ", deferred", ", eager" };
    return met_format_text(arena, "%s, %s%s", met_dtype_table[point->dtype].spelling, numerics[point->numerics],
                           divisions[point->division]);
}

static const char *input_words(met_arena *arena, const met_subject *subject)
{
    const char *fill = subject->options.fill;
    const char *given = subject->in_count ? "the arrays that are given" : "";
    if (!fill)
        return given;
    bool seeded = strcmp(fill, "normal") == 0;
    return met_format_text(arena, seeded ? "%s%s--fill %s --seed %llu" : "%s%s--fill %s", given, *given ? " and " : "", fill,
                           (unsigned long long)subject->options.seed);
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

static bool survey(const met_subject *subject, const met_budgeting *request, const side *sides, const met_budget_measure *measure,
                   met_budget_report *report)
{
    for (size_t s = 0; s < report->side_count; s++) {
        met_budget_request one = { .trees = sides[s].trees, .undeclared = sides[s].undeclared, .options = &subject->options,
                                   .in_count = subject->in_count, .ins = subject->ins, .whole = request->whole,
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
    side sides[2] = { { 0 } };
    const met_subject *subject = met_subject_new(circuit, options, in_count, ins);
    if (!subject || !read_side(subject, request, request->hardware, &sides[0]) ||
        (request->against && !read_side(subject, request, request->against, &sides[1])))
        return NULL;
    met_arena *arena = subject->session->arena;
    met_evidence *evidence = met_evidence_open(subject->session, request->store, request->measure);
    if (!evidence)
        return NULL;
    met_perturb *perturb = met_perturb_new(evidence, options->seed, request->measure, (int64_t)time(NULL));
    met_budget_report report = { .name = met_sym_text(subject->session, subject->settled->written->name),
                                 .point = point_words(arena, &subject->point), .inputs = input_words(arena, subject),
                                 .block = request->block, .whole = request->whole, .side_count = request->against ? 2 : 1 };
    report.same = report.side_count == 2 && same_records(subject->settled, &sides[0], &sides[1]);
    bool good = survey(subject, request, sides, met_perturb_measure(perturb), &report) && met_perturb_good(perturb);
    met_evidence_close(evidence);
    *ret_broken = good && !report.same && met_budget_broken(&report);
    return !good ? NULL : request->json ? met_budget_json(&report) : met_budget_text(&report);
}
