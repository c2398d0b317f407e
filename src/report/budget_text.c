/* Budgets as text: block by block, first every op with its terms, then how far what leaves the block may be off. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "budget/tolerance.h"
#include "met/budget.h"
#include "report/wrap.h"

static const char *const epsilon = "\xce\xb5", *const kinds[] = { "bound", "conditional", "probable", "estimate" };

static void put_value(met_text *out, double value)
{
    if (isinf(value))
        met_text_put(out, "none");
    else
        met_text_double_digits(out, value, 3);
}

static void put_lines(met_text *out, size_t indent, const char *label, met_text *words)
{
    met_wrap w = met_wrap_start(out, indent, label);
    met_wrap_words(&w, met_text_done(words));
    met_text_char(out, '\n');
}

/* --- Terms --- */

/* Of one side or two: "4.9e-3 + 4.9e-3". */
static void put_sides(met_text *words, const met_budget_report *report, size_t k, bool q99)
{
    for (size_t s = 0; s < report->side_count; s++) {
        const met_budget_result *r = &report->sides[s]->results[k];
        met_text_put(words, s ? " + " : "");
        put_value(words, q99 ? r->eps_q99 : r->eps);
    }
}

static void print_epsilon(met_text *out, const met_budget_report *report, const met_budget_group *group, size_t k)
{
    met_text words = met_text_new(out->arena);
    put_sides(&words, report, k, false);
    met_text_put(&words, " (q99 ");
    put_sides(&words, report, k, true);
    met_text_put(&words, ")");
    const char *other = report->side_count == 2 ? report->sides[1]->groups[group - report->sides[0]->groups].why : group->why;
    bool alike = strcmp(group->why, other) == 0;
    if (*group->why)
        met_text_format(&words, "; %s%s%s", alike ? "" : report->side_names[0], alike ? "" : ": ", group->why);
    if (!alike)
        met_text_format(&words, "; %s: %s", report->side_names[1], other);
    met_text_format(&words, "; stored as %s", report->sides[0]->results[k].format);
    if (isfinite(report->sides[0]->results[k].store)) {
        met_text_put(&words, ", by up to ");
        put_value(&words, report->sides[0]->results[k].store);
    }
    char label[16];
    snprintf(label, sizeof label, "%s  ", epsilon);
    put_lines(out, 4, label, &words);
}

static void print_amplification(met_text *out, const met_budget_report *report, const met_budget_group *group, size_t read,
                                size_t result)
{
    met_text words = met_text_new(out->arena);
    double L = 0;
    for (size_t s = 0; s < report->side_count; s++)
        L = fmax(L, report->sides[s]->results[result].L[read]);
    met_text_format(&words, "of %s: ", group->reads[read].name);
    put_value(&words, L);
    bool apart = L == 0 && !met_budget_depends(report->sides[0], group, read, result);
    met_text_put(&words, isinf(L) ? " (within its errors it may jump, divide by 0, or grow without limit)"
                         : apart  ? ": it does not depend on it"
                                  : " bound");
    const met_amplification *found = group->reads[read].estimates ? &group->reads[read].estimates[result - group->first] : NULL;
    if (found && found->directions > found->rejected) {
        met_text_put(&words, "; relative to the rms ");
        put_value(&words, found->max);
        met_text_format(&words, " estimate (%u directions, %u rejected as not linear; q99 ", (unsigned)found->directions,
                        (unsigned)found->rejected);
        put_value(&words, found->q99);
        met_text_put(&words, ", median ");
        put_value(&words, found->median);
        met_text_put(&words, ", spread ");
        put_value(&words, found->spread);
        met_text_put(&words, ", singular vector ");
        put_value(&words, found->singular);
        met_text_put(&words, found->stored ? "; from the evidence store)" : ")");
    } else if (found && found->directions > 0) {
        met_text_put(&words, "; no estimate: not linear in any direction");
    }
    double off = met_budget_off(report, group, read);
    if (off > 0) {
        met_text_put(&words, "; off by ");
        put_value(&words, off);
        met_text_put(&words, " to begin with");
    }
    put_lines(out, 4, "L  ", &words);
}

static void print_group(met_text *out, const met_budget_report *report, const met_budget_group *group)
{
    const met_budget *budget = report->sides[0];
    for (size_t k = group->first; k < group->first + group->result_count; k++) {
        const met_budget_result *r = &budget->results[k];
        met_text_format(out, "  %s = %s", r->name, group->ops);
        met_text_put(out, "   rms ");
        put_value(out, r->rms);
        met_text_put(out, group->assumed ? "   (undeclared: taken for the worst tree)\n" : "\n");
        print_epsilon(out, report, group, k);
        for (size_t i = 0; i < group->read_count; i++)
            print_amplification(out, report, group, i, k);
        met_text words = met_text_new(out->arena);
        put_value(&words, report->bounds[k].d);
        met_text_format(&words, " %s, composed", kinds[report->bounds[k].kind]);
        put_lines(out, 4, "d  ", &words);
    }
}

/* --- Tolerances --- */

static void print_customs(met_text *out, const met_budget_result *r)
{
    size_t count, shown = 0;
    const met_custom *customs = met_customs(&count);
    met_text words = met_text_new(out->arena);
    for (size_t c = 0; c < count; c++) {
        if (*customs[c].format && !met_str_is(met_str_of(r->format), customs[c].format))
            continue;
        met_text_format(&words, "%s%s ", shown++ ? ", " : "", customs[c].who);
        put_value(&words, met_custom_at(&customs[c], r->rms));
    }
    put_lines(out, 4, "customary  ", &words);
}

/* What it says of a statement that it does not hold. */
static const char *const passed[] = {
    [MET_BUDGET_BOUND] = "the bound: this is a mistake of met",
    [MET_BUDGET_CONDITIONAL] = "the bound, whose condition holds in double: this is a mistake of met",
    [MET_BUDGET_PROBABLE] = "the probabilistic form allows, which fails with probability at most ",
    [MET_BUDGET_ESTIMATE] = "what is assumed of a fold that nobody declares",
};

static void print_flags(met_text *out, const met_budget_report *report, const met_tolerance *t)
{
    met_text words = met_text_new(out->arena);
    if (t->vacuous)
        met_text_put(&words, "the bound is vacuous: as large as the values are");
    if (t->unapproached)
        met_text_format(&words, "%sthe bound is never approached: observed is under a fiftieth of it", words.length ? "; " : "");
    if (t->estimated && t->estimate_vacuous)
        met_text_format(&words, "%sthe estimate is vacuous", words.length ? "; " : "");
    if (t->estimated && t->estimate_unapproached)
        met_text_format(&words, "%sthe estimate is never approached", words.length ? "; " : "");
    if (t->estimated && t->estimate_passed)
        met_text_format(&words, "%sobserved is more than the estimate", words.length ? "; " : "");
    if (t->observed > t->bound)
        met_text_format(&words, "%sobserved is more than %s", words.length ? "; " : "", passed[t->kind]);
    if (t->observed > t->bound && t->kind == MET_BUDGET_PROBABLE)
        put_value(&words, report->sides[0]->failure);
    if (words.length)
        put_lines(out, 4, "flags      ", &words);
}

static void print_tolerance(met_text *out, const met_budget_report *report, size_t k)
{
    const met_budget_result *r = &report->sides[0]->results[k];
    met_tolerance t = met_tolerance_of(report, k);
    met_text_format(out, "  tolerance of %s, %s, rms ", r->name, r->format);
    put_value(out, r->rms);
    met_text_put(out, "\n");
    met_text words = met_text_new(out->arena);
    put_value(&words, t.bound);
    met_text_format(&words, " %s", kinds[t.kind]);
    if (r->rms > 0 && isfinite(t.bound)) {
        met_text_put(&words, ", ");
        put_value(&words, t.bound / r->rms);
        met_text_put(&words, " of the rms");
    }
    met_text_put(&words, "; composed ");
    put_value(&words, t.composed);
    put_lines(out, 4, "derived    ", &words);
    if (t.condition) {
        words = met_text_new(out->arena);
        met_text_put(&words, t.condition);
        put_lines(out, 4, "provided   ", &words);
    }
    if (t.estimated) {
        words = met_text_new(out->arena);
        put_value(&words, t.estimate);
        met_text_put(&words, " estimate, by the 99 % quantiles and the L that were measured");
        put_lines(out, 4, "           ", &words);
    }
    words = met_text_new(out->arena);
    if (isnan(t.observed))
        met_text_put(&words, "not measured: it has no counterpart over the reals");
    else
        put_value(&words, t.observed);
    put_lines(out, 4, "observed   ", &words);
    print_customs(out, r);
    print_flags(out, report, &t);
}

/* --- The whole --- */

static void print_head(met_text *out, const met_budget_report *report)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s, %s: ", report->name, report->point);
    if (report->side_count == 2)
        met_text_format(&words, "how far %s and %s may differ", report->side_names[0], report->side_names[1]);
    else
        met_text_format(&words, "how far %s may be off from the reals", report->side_names[0]);
    met_text_format(&words, ", on %s", report->inputs);
    put_lines(out, 0, "budget of ", &words);
    if (report->whole) {
        words = met_text_new(out->arena);
        met_text_put(&words, "products of L over many ops bound nothing that happens; budgets a block (without --whole) and "
                             "transcripts do");
        put_lines(out, 0, "as one block: ", &words);
    }
    const met_budget *first = report->sides[0];
    if (first->lambda > 0) {
        words = met_text_new(out->arena);
        met_text_put(&words, "folds have the probabilistic form with \xce\xbb = ");
        met_text_double(&words, first->lambda);
        met_text_put(&words, ", which assumes independent roundings and fails somewhere with probability at most ");
        put_value(&words, first->failure);
        put_lines(out, 0, "probable: ", &words);
    }
}

static void print_blocks(met_text *out, const met_budget_report *report)
{
    const met_budget *budget = report->sides[0];
    print_head(out, report);
    if (report->same) {
        met_text_put(out, "The records of both are the same: the same bytes, and no budget is needed.\n");
        return;
    }
    for (size_t g = 0; g < budget->segment_count; g++) {
        const met_budget_segment *segment = &budget->segments[g];
        if (!met_budget_shows(report, g))
            continue;
        met_text_format(out, "\n%s\n", segment->name);
        for (size_t k = segment->begin; k < segment->end; k++)
            print_group(out, report, &budget->groups[k]);
        for (size_t k = segment->begin; k < segment->end; k++)
            for (size_t r = budget->groups[k].first; r < budget->groups[k].first + budget->groups[k].result_count; r++)
                if (budget->results[r].leaves)
                    print_tolerance(out, report, r);
    }
}

const char *met_budget_text(const met_budget_report *report)
{
    met_text out = met_text_new(report->sides[0]->settled->written->arena);
    print_blocks(&out, report);
    return met_text_done(&out);
}
