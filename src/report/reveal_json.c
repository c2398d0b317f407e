/* The findings as JSON; the fields are those of docs/reveal.md. */
#include "base/json.h"
#include "number/tree_json.h"
#include "report/reveal.h"

static void put_tree(met_json *json, const char *key, const met_tree *tree)
{
    met_text words = met_text_new(json->out->arena);
    if (tree)
        met_tree_print(&words, tree, tree->precision);
    met_json_put_string(json, key, tree ? met_text_done(&words) : NULL);
}

static void put_findings(met_json *json, const met_reveal_report *report, const met_reveal_case *c)
{
    met_trait traits[MET_TRAITS];
    met_json_line(json, 5);
    put_tree(json, "rule", c->has_rule ? &c->rule : NULL);
    met_json_line(json, 5);
    met_tree_print_json(met_json_value(json, "record"), &c->revealed.tree, NULL, 5);
    size_t count = met_traits_of(json->out->arena, report, c, traits);
    for (size_t t = 0; t < count; t++) {
        met_json_line(json, 5);
        met_json_put_string(json, traits[t].name, traits[t].value);
    }
}

static void put_case(met_json *json, const met_reveal_report *report, const met_reveal_case *c)
{
    static const char *const verdicts[] = { "tree", "not a tree", "unstable", "failed" };
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    met_json_put_integer(json, "n", c->terms);
    met_json_put_integer(json, "offset", c->offset);
    if (c->threads > 0)
        met_json_put_integer(json, "threads", c->threads);
    else
        met_json_put_null(json, "threads");
    met_json_put_string(json, "verdict", verdicts[c->revealed.verdict]);
    met_json_put_string(json, "why", c->revealed.why);
    met_json_line(json, 5);
    met_json_put_integer(json, "calls", c->revealed.calls);
    met_json_put_integer(json, "repeats", c->repeats);
    met_json_put_flag(json, "alike", c->alike);
    met_json_line(json, 5);
    met_json_put_string(json, "arithmetic_loaded", c->fault_loaded);
    met_json_put_string(json, "arithmetic_called", c->fault_called);
    met_json_put_integer(json, "like", c->like);
    if (c->revealed.verdict == MET_REVEAL_TREE)
        put_findings(json, report, c);
    met_json_close(json, '}');
}

static void put_span(met_json *json, const met_reveal_report *report, const met_reveal_span *span)
{
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    met_reveal_put_json_lengths(json, "asked", report, span);
    put_tree(json, "rule", span->has_rule ? &span->rule : NULL);
    met_json_open(json, "between", '[');
    for (size_t i = 0; i < span->between_count; i++) {
        met_json_open(json, NULL, '{');
        met_json_put_integer(json, "n", span->between[i].terms);
        met_json_put_flag(json, "agrees", span->between[i].agrees);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

const char *met_reveal_json(met_arena *arena, const met_reveal_report *report)
{
    met_text out = met_text_new(arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "subject", report->subject);
    met_json_line(&json, 2);
    met_json_put_string(&json, "signature", report->signature);
    met_json_line(&json, 2);
    met_json_open(&json, "cases", '[');
    for (size_t i = 0; i < report->case_count; i++)
        put_case(&json, report, &report->cases[i]);
    met_json_line(&json, 2);
    met_json_close(&json, ']');
    met_json_line(&json, 2);
    met_json_open(&json, "lengths", '[');
    for (size_t s = 0; s < report->span_count; s++)
        put_span(&json, report, &report->spans[s]);
    met_json_line(&json, 2);
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
