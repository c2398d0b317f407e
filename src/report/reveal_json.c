/* The findings as JSON; the fields are those of docs/reveal.md. */
#include "number/tree_json.h"
#include "report/reveal.h"

static void put_name(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\": ", key);
    if (value)
        met_text_json_string(out, met_str_of(value));
    else
        met_text_put(out, "null");
}

static void put_tree(met_text *out, const char *key, const met_tree *tree)
{
    met_text words = met_text_new(out->arena);
    if (tree)
        met_tree_print(&words, tree, tree->precision);
    put_name(out, key, tree ? met_text_done(&words) : NULL);
}

static void put_findings(met_text *out, const met_reveal_report *report, const met_reveal_case *c)
{
    met_trait traits[MET_TRAITS];
    met_text_put(out, ",\n     ");
    put_tree(out, "rule", c->has_rule ? &c->rule : NULL);
    met_text_put(out, ",\n     ");
    met_text_put(out, "\"record\": ");
    met_tree_print_json(out, &c->revealed.tree, NULL, 5);
    size_t count = met_traits_of(out->arena, report, c, traits);
    for (size_t t = 0; t < count; t++) {
        met_text_put(out, ",\n     ");
        put_name(out, traits[t].name, traits[t].value);
    }
}

static void put_case(met_text *out, const met_reveal_report *report, const met_reveal_case *c)
{
    static const char *const verdicts[] = { "tree", "not a tree", "unstable", "failed" };
    met_text_format(out, "    {\"n\": %llu, \"offset\": %llu, \"threads\": ", (unsigned long long)c->terms, (unsigned long long)c->offset);
    if (c->threads > 0)
        met_text_format(out, "%u, ", (unsigned)c->threads);
    else
        met_text_put(out, "null, ");
    put_name(out, "verdict", verdicts[c->revealed.verdict]);
    met_text_put(out, ", ");
    put_name(out, "why", c->revealed.why);
    met_text_format(out, ",\n     \"calls\": %llu, \"repeats\": %u, \"alike\": %s,\n     ", (unsigned long long)c->revealed.calls,
                    (unsigned)c->repeats, c->alike ? "true" : "false");
    put_name(out, "arithmetic_loaded", c->fault_loaded);
    met_text_put(out, ", ");
    put_name(out, "arithmetic_called", c->fault_called);
    met_text_format(out, ", \"like\": %zu", c->like);
    if (c->revealed.verdict == MET_REVEAL_TREE)
        put_findings(out, report, c);
    met_text_put(out, "}");
}

static void put_span(met_text *out, const met_reveal_report *report, const met_reveal_span *span)
{
    met_text_put(out, "    {\"asked\": ");
    met_reveal_put_lengths(out, report, span, true);
    met_text_put(out, ", ");
    put_tree(out, "rule", span->has_rule ? &span->rule : NULL);
    met_text_put(out, ", \"between\": [");
    for (size_t i = 0; i < span->between_count; i++)
        met_text_format(out, "%s{\"n\": %llu, \"agrees\": %s}", i ? ", " : "", (unsigned long long)span->between[i].terms,
                        span->between[i].agrees ? "true" : "false");
    met_text_put(out, "]}");
}

const char *met_reveal_json(met_arena *arena, const met_reveal_report *report)
{
    met_text out = met_text_new(arena);
    met_text_put(&out, "{");
    put_name(&out, "subject", report->subject);
    met_text_put(&out, ",\n  ");
    put_name(&out, "signature", report->signature);
    met_text_put(&out, ",\n  \"cases\": [\n");
    for (size_t i = 0; i < report->case_count; i++) {
        put_case(&out, report, &report->cases[i]);
        met_text_put(&out, i + 1 < report->case_count ? ",\n" : "\n");
    }
    met_text_put(&out, "  ],\n  \"lengths\": [\n");
    for (size_t s = 0; s < report->span_count; s++) {
        put_span(&out, report, &report->spans[s]);
        met_text_put(&out, s + 1 < report->span_count ? ",\n" : "\n");
    }
    met_text_put(&out, "  ]}\n");
    return met_text_done(&out);
}
