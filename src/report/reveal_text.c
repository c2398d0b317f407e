/* The findings for people. */
#include "report/reveal.h"
#include "report/wrap.h"

#include <string.h>

enum { WRITTEN = 64 /* terms of a tree that is written out without being asked for */ };

static void put_line(met_text *out, const char *label, const char *words)
{
    met_wrap_line(out, 2, 11, label, words);
}

static void put_sizes(met_text *out, const met_reveal_case *c)
{
    met_text_format(out, "n = %llu", (unsigned long long)c->terms);
    if (c->offset > 0)
        met_text_format(out, ", offset %llu", (unsigned long long)c->offset);
    if (c->threads > 0)
        met_text_format(out, ", %u thread%s", (unsigned)c->threads, c->threads == 1 ? "" : "s");
}

/* The tree: a rule that gives it, or itself. */
static void put_tree(met_text *out, const met_reveal_case *c, bool whole)
{
    met_text words = met_text_new(out->arena);
    if (c->has_rule) {
        met_tree shape = c->rule;
        shape.undeclared = 0; /* the lines below say what cannot be told */
        met_tree_print(&words, &shape, shape.precision);
        put_line(out, "tree", met_text_done(&words));
        if (!whole)
            return;
        words = met_text_new(out->arena);
    }
    if (whole || c->terms <= WRITTEN)
        met_reveal_print_tree(&words, c);
    else
        met_text_put(&words, "no rule that schedules have; --whole writes it out");
    put_line(out, c->has_rule ? "written" : "tree", met_text_done(&words));
}

static void put_faults(met_text *out, const met_reveal_case *c)
{
    met_text words = met_text_new(out->arena);
    if (c->fault_loaded)
        met_text_format(&words, "changed by loading it: %s", c->fault_loaded);
    if (c->fault_called)
        met_text_format(&words, "%schanged by a call: %s", words.length > 0 ? "; " : "", c->fault_called);
    if (words.length > 0)
        put_line(out, "arithmetic", met_text_done(&words));
}

static void put_repeats(met_text *out, const met_reveal_case *c)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%u of one input, %s", (unsigned)c->repeats,
                    c->alike ? "the same bits each time" : "not always the same bits");
    put_line(out, "repeats", met_text_done(&words));
}

static const char *verdict_of(met_reveal_verdict verdict)
{
    if (verdict == MET_REVEAL_UNSTABLE)
        return "not one tree: the same input gives other answers from call to call";
    return verdict == MET_REVEAL_TREE ? "a tree" : "not a tree";
}

void met_reveal_put_case(met_text *out, const met_reveal_report *report, size_t number, bool whole)
{
    met_text_char(out, '\n');
    const met_reveal_case *c = &report->cases[number];
    put_sizes(out, c);
    if (c->like != number) {
        met_text_put(out, ": as with ");
        put_sizes(out, &report->cases[c->like]);
        met_text_char(out, '\n');
        return;
    }
    bool tree = c->revealed.verdict == MET_REVEAL_TREE;
    bool says_why = c->revealed.verdict == MET_REVEAL_NOT_A_TREE && c->revealed.why;
    met_text_format(out, ": %s%s%s\n", verdict_of(c->revealed.verdict), says_why ? ": " : "", says_why ? c->revealed.why : "");
    if (tree) {
        met_trait traits[MET_TRAITS];
        put_tree(out, c, whole);
        size_t count = met_traits_of(out->arena, report, c, traits);
        for (size_t t = 0; t < count; t++)
            put_line(out, traits[t].name, traits[t].value);
    }
    put_faults(out, c);
    if (c->repeats > 0)
        put_repeats(out, c);
    met_text calls = met_text_new(out->arena);
    met_text_format(&calls, "%llu", (unsigned long long)c->revealed.calls);
    put_line(out, "calls", met_text_done(&calls));
}

/* Lengths between those asked where the rule's bits came out, or did not. */
static void put_between(met_text *out, const met_reveal_span *span)
{
    met_text words = met_text_new(out->arena);
    for (int agrees = 1; agrees >= 0; agrees--) {
        bool any = false;
        for (size_t i = 0; i < span->between_count; i++) {
            if (span->between[i].agrees != (agrees != 0))
                continue;
            met_text_put(&words, any ? ", " : words.length ? "; " : "");
            met_text_put(&words, any ? "" : agrees ? "the same bits at " : "other bits at ");
            met_text_format(&words, "%llu", (unsigned long long)span->between[i].terms);
            any = true;
        }
    }
    if (span->between_count > 0)
        put_line(out, "between", met_text_done(&words));
}

static const char *headline_of(const met_reveal_report *report)
{
    const met_reveal_span *span = &report->spans[0];
    if (report->span_count > 1)
        return "the rule changes with the length";
    if (!span->has_rule)
        return "no rule explains these lengths";
    return met_reveal_span_holds(report, span) ? "one rule for all of these lengths" : "one rule for these lengths, but not for others between them";
}

/* Where the tree changes with the length. */
static void put_spans(met_text *out, const met_reveal_report *report)
{
    if (report->span_count == 0 || report->spans[0].first == report->spans[report->span_count - 1].last)
        return;
    met_text_format(out, "\n%s\n", headline_of(report));
    for (size_t s = 0; s < report->span_count; s++) {
        const met_reveal_span *span = &report->spans[s];
        met_text lengths = met_text_new(out->arena), words = met_text_new(out->arena);
        met_reveal_put_lengths(&lengths, report, span);
        if (span->has_rule)
            met_tree_print(&words, &span->rule, span->rule.precision);
        else
            met_text_put(&words, "none that schedules have");
        put_line(out, "lengths", met_text_done(&lengths));
        put_line(out, "rule", met_text_done(&words));
        put_between(out, span);
    }
}

/* What else it depends on. */
static void put_dependence(met_text *out, const met_reveal_report *report)
{
    for (size_t i = 0; i < report->case_count; i++) {
        const met_reveal_case *c = &report->cases[i];
        if (c->base || (c->like != i && report->cases[c->like].base))
            continue;
        met_text_put(out, "\nthe tree changes with the offset or the number of threads, first at ");
        put_sizes(out, c);
        met_text_char(out, '\n');
        return;
    }
}

void met_reveal_put_subject(met_text *out, const met_reveal_report *report)
{
    met_text_format(out, "%s\n", report->subject);
    if (report->signature) {
        met_wrap w = met_wrap_start(out, 0, "");
        met_wrap_words(&w, report->signature);
        met_text_char(out, '\n');
    }
}

void met_reveal_put_conclusion(met_text *out, const met_reveal_report *report)
{
    put_spans(out, report);
    put_dependence(out, report);
}
