/* Records as text and as JSON (host/tree_source.h). */
#include "base/json.h"
#include "host/tree_source.h"
#include "number/bracketing.h"
#include "number/tree_json.h"
#include "number/tree_words.h"
#include "report/wrap.h"

enum { LISTED = 64 /* terms of a tree that is printed */, IN_JSON = 4096 };

const char *met_tree_record_text(met_session *session, const met_tree *tree)
{
    met_text text = met_text_new(session->arena);
    met_tree_print(&text, tree, MET_F32);
    return met_text_done(&text);
}

/* A written tree that is listed anyway is not said twice. */
static const char *brief_text(met_arena *arena, const met_tree *tree, uint64_t n)
{
    met_text text = met_text_new(arena);
    (n > 0 && n <= LISTED ? met_tree_print_brief : met_tree_print)(&text, tree, MET_F32);
    return met_text_done(&text);
}

static const char *tree_text(met_arena *arena, const met_tree *tree, uint64_t n)
{
    met_text text = met_text_new(arena);
    met_bracketing_print(&text, met_bracketing_of(arena, tree, n));
    return met_text_done(&text);
}

static void put_line(met_text *out, const char *label, const char *words)
{
    met_wrap_line(out, 0, 10, label, words);
}

/* --- Showing --- */

uint64_t met_tree_length(const struct met_tree *tree)
{
    return tree->written ? tree->written->leaf_count : 64;
}

static void put_tail(met_text *out, const met_tree_tail *tail, uint64_t terms)
{
    bool after = tail->rule == MET_TAIL_AFTER;
    met_text_format(out, "%-10s%llu terms, %s", "tail", (unsigned long long)terms, after ? "one by one onto" : "folded apart, then added");
    if (tail->onto) {
        met_text_format(out, "%s the results of level %u", after ? "" : " to", (unsigned)tail->onto);
    } else {
        met_text_put(out, after ? " the combined result" : "");
    }
    if (tail->contraction != MET_TAIL_ALIKE) {
        met_text_format(out, ", %s", met_tree_tail_contraction_words.at[tail->contraction]);
    }
    met_text_char(out, '\n');
}

/* Returns how many partial results the terms come to. */
static uint64_t put_level(met_text *out, const met_tree_level *level, bool first, uint64_t terms)
{
    uint64_t width = met_level_width(level, terms), each = (terms - 1) / width + 1;
    uint64_t parts = level->layout == MET_LAYOUT_CONTIGUOUS ? (terms - 1) / each + 1 : width;
    met_text_format(out, "%-10s%llu partial results (%s, %s), of up to %llu terms, %s\n", first ? "levels" : "", (unsigned long long)parts,
                    met_tree_place_words.at[level->place], met_tree_layout_words.at[level->layout], (unsigned long long)each,
                    met_tree_order_words.at[level->order]);
    return parts;
}

/* Level by level: how many partial results of how many terms; and tails, where they join. */
static void put_levels(met_text *out, const met_tree *tree, uint64_t n)
{
    met_tree_stage stage = met_tree_stage_begin(tree, n, true);
    for (int tail = 0; tail <= tree->tail_count; tail++) {
        bool joins = tail < tree->tail_count && tree->tails[tail].onto;
        for (int to = joins ? tree->tails[tail].onto : tree->level_count; stage.level < to; stage.level++) {
            if (stage.terms.count) {
                stage.terms.count = put_level(out, &tree->levels[stage.level], stage.level == 0, stage.terms.count);
            }
        }
        if (!joins && stage.level++ == tree->level_count) {
            met_text_format(out, "%-10s%llu terms, %s%s\n", "combine", (unsigned long long)stage.terms.count,
                            met_tree_order_words.at[tree->combine], tree->combine_f64 ? ", in f64" : "");
        }
        uint64_t terms = tail < tree->tail_count ? met_tree_tail_terms(tree, n, tail).count : 0;
        if (terms) {
            put_tail(out, &tree->tails[tail], terms);
            met_tree_stage_deal(tree, &stage, tail, terms);
        }
    }
}

const char *met_tree_show_text(met_session *session, const met_tree_named *named, uint64_t n)
{
    met_text out = met_text_new(session->arena);
    const met_tree *tree = named->tree;
    const char *note = met_tree_note(session, named, n);
    put_line(&out, "record", brief_text(session->arena, tree, n));
    met_text_format(&out, "%-10s%llu\n", "terms", (unsigned long long)n);
    if (!tree->written) {
        put_levels(&out, tree, n);
    }
    met_text_format(&out, "%-10s%llu\n", "depth", (unsigned long long)met_tree_depth(tree, n));
    if (n > 0 && n <= LISTED) {
        put_line(&out, "tree", tree_text(session->arena, tree, n));
    }
    if (note) {
        put_line(&out, "note", note);
    }
    return met_text_done(&out);
}

const char *met_tree_show_json(met_session *session, const struct met_tree *tree, uint64_t n)
{
    enum { INDENT = 2 };
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_line(&json, INDENT);
    met_json_put_string(&json, "text", met_tree_record_text(session, tree));
    met_json_line(&json, INDENT);
    met_json_put_integer(&json, "terms", n);
    met_json_line(&json, INDENT);
    met_json_put_integer(&json, "depth", met_tree_depth(tree, n));
    if (n > 0 && n <= IN_JSON) {
        met_json_line(&json, INDENT);
        met_json_put_string(&json, "tree", tree_text(session->arena, tree, n));
    }
    met_json_line(&json, INDENT);
    met_tree_print_json(met_json_value(&json, "record"), tree, NULL, INDENT);
    met_json_line(&json, 0);
    met_json_close(&json, '}');
    met_text_char(&out, '\n');
    return met_text_done(&out);
}
