/* Records and comparisons of them as text, as JSON and as arrays (host/tree_source.h). */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "host/file.h"
#include "host/tree_source.h"
#include "met/npy.h"
#include "number/tree_compare.h"
#include "number/tree_json.h"
#include "number/tree_words.h"
#include "report/wrap.h"

enum { LISTED = 64 /* terms of a tree that is printed */, SHOWN = 8 /* of an input */, IN_JSON = 4096, BITS = 24 /* of f32 */ };

static const met_span nowhere;

static const char *record_text(met_arena *arena, const met_tree *tree)
{
    met_text text = met_text_new(arena);
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
    met_text out = met_text_new(session->arena);
    met_text_put(&out, "{\n  \"text\": ");
    met_text_json_string(&out, met_str_of(record_text(session->arena, tree)));
    met_text_format(&out, ",\n  \"terms\": %llu,\n  \"depth\": %llu,\n", (unsigned long long)n, (unsigned long long)met_tree_depth(tree, n));
    if (n > 0 && n <= IN_JSON) {
        met_text_put(&out, "  \"tree\": \"");
        met_bracketing_print(&out, met_bracketing_of(session->arena, tree, n));
        met_text_put(&out, "\",\n");
    }
    met_text_put(&out, "  \"record\": ");
    met_tree_print_json(&out, tree, NULL, 2);
    met_text_put(&out, "\n}\n");
    return met_text_done(&out);
}

/* --- Comparing --- */

struct met_tree_compared {
    met_session *session;
    const char *names[2];
    const met_tree *trees[2];
    const char *notes[2]; /* or NULL */
    uint64_t n;
    met_operands operands;
    met_comparison result;
};

static bool takes(const met_tree_named *named, const char *format)
{
    bool does = named->format_count == 0;
    for (size_t i = 0; i < named->format_count; i++) {
        does = does || strcmp(named->formats[i], format) == 0;
    }
    return does;
}

static void put_formats(met_text *out, const met_tree_named *named)
{
    for (size_t i = 0; i < named->format_count; i++) {
        met_text_format(out, "%s%s", !i ? "" : i + 1 < named->format_count ? ", " : " or ", named->formats[i]);
    }
}

static bool refuse_format(met_tree_compared *c, const met_tree_named *named, const char *word)
{
    met_text formats = met_text_new(c->session->arena);
    put_formats(&formats, named);
    met_diag_add(c->session, MET_DIAG_usage, nowhere, "`%s` takes operands of %s, not of %s", named->name, met_text_done(&formats), word);
    return false;
}

/* Without a word the first format that both are declared for; f32, if they are for any. */
static const char *format_of(const met_tree_named *const sources[2])
{
    const met_tree_named *bound = sources[0]->format_count ? sources[0] : sources[1];
    const char *first = bound->format_count ? bound->formats[0] : "f32";
    for (size_t i = 0; i < bound->format_count; i++) {
        if (takes(sources[0], bound->formats[i]) && takes(sources[1], bound->formats[i])) {
            return bound->formats[i];
        }
    }
    return first;
}

static bool read_operands(met_tree_compared *c, const met_tree_request *request, const met_tree_named *const sources[2])
{
    const char *word = request->dtype ? request->dtype : format_of(sources);
    c->operands.sum = request->sum;
    if (!met_operands_find(met_str_of(word), &c->operands)) {
        met_diag_add(c->session, MET_DIAG_usage, nowhere, "operands are f64, f32, tf32, bf16, f16, e5m2 or e4m3, not `%s`", word);
        return false;
    }
    return takes(sources[0], word) ? takes(sources[1], word) || refuse_format(c, sources[1], word) : refuse_format(c, sources[0], word);
}

const met_tree_compared *met_tree_compare_sources(met_session *session, const met_lkb *lkb, const char *const names[2],
                                                  const met_tree_request *request)
{
    met_tree_compared *c = MET_NEW(session->arena, met_tree_compared);
    *c = (met_tree_compared){.session = session, .n = request->n};
    const met_tree_named *sources[2];
    for (int k = 0; k < 2; k++) {
        sources[k] = met_tree_source(session, lkb, names[k], request);
        if (!sources[k]) {
            return NULL;
        }
        c->names[k] = names[k];
        c->trees[k] = sources[k]->tree;
        c->n = c->n == 0 && c->trees[k]->written ? c->trees[k]->written->leaf_count : c->n;
    }
    if (!read_operands(c, request, sources)) {
        return NULL;
    }
    for (int k = 0; k < 2; k++) {
        if (c->n == 0 || !met_tree_fits(c->trees[k], c->n)) {
            met_diag_add(session, MET_DIAG_size, nowhere, c->n == 0 ? "records need a length to be compared at: --n 4096"
                                                                    : "trees of different lengths have no input in common");
            return NULL;
        }
    }
    for (int k = 0; k < 2; k++) {
        c->notes[k] = met_tree_note(session, sources[k], c->n);
    }
    c->result = met_tree_compare_operands(session->arena, c->trees[0], c->trees[1], c->n, c->operands);
    return c;
}

int met_tree_compared_verdict(const met_tree_compared *c, const char **ret_field, const char **ret_operands)
{
    *ret_field = met_tree_field_name(c->result.field);
    *ret_operands = met_operands_word(c->operands);
    return (int)c->result.verdict;
}

bool met_tree_compared_same(const met_tree_compared *c)
{
    return c->result.verdict == MET_VERDICT_SAME;
}

bool met_tree_compared_input(const met_tree_compared *c)
{
    return c->result.has_run;
}

static const char *verdict_word(const met_comparison *result)
{
    static const char *const words[] = {"same", "different", "unknown"};
    return words[result->verdict];
}

/* The few terms that are not zero, or the first of many. */
static void put_input(met_text *out, const met_tree_compared *c)
{
    const met_witness_run *run = &c->result.run;
    uint64_t live = 0, shown = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        live += run->a[i] * run->b[i] != 0;
    }
    met_text_format(out, "input     %llu of %llu terms are not zero\n", (unsigned long long)live, (unsigned long long)c->n);
    for (uint64_t i = 0; i < c->n && shown < SHOWN; i++) {
        if (live > 0 && run->a[i] * run->b[i] == 0) {
            continue;
        }
        met_text_format(out, c->operands.sum ? "  %-8llu%.9g\n" : "  %-8llu%.9g * %.9g\n", (unsigned long long)i, run->a[i], run->b[i]);
        shown++;
    }
}

/* Bits of the record's arithmetic; all NaNs are one. */
static void put_bits(met_text *out, const met_tree *tree, double result)
{
    bool single = tree->precision == MET_F32, none = isnan(result);
    if (single) {
        met_text_format(out, "%08x", none ? 0x7fc00000u : (unsigned)met_bits_f32((float)result));
    } else {
        met_text_format(out, "%016llx", none ? 0x7ff8000000000000ull : (unsigned long long)met_bits_f64(result));
    }
}

static void put_results(met_text *out, const met_tree_compared *c)
{
    const double results[] = {c->result.run.result_a, c->result.run.result_b};
    for (int k = 0; k < 2; k++) {
        bool single = c->trees[k]->precision == MET_F32;
        met_text_format(out, "%-10s%.*g (", k ? "gives b" : "gives a", single ? 9 : 17, isnan(results[k]) ? (double)NAN : results[k]);
        put_bits(out, c->trees[k], results[k]);
        met_text_format(out, " in %s)\n", single ? "f32" : "f64");
    }
}

/* Products of numbers of up to 12 bits are exact in f32 unless they leave its range. */
static void put_only(met_text *out, const met_tree_compared *c)
{
    int below = c->result.only_below, bits = met_operands_limits(c->operands).bits;
    const char *term = c->operands.sum ? "number" : "product";
    if (below == MET_ONLY_RANGE && !c->operands.sum && 2 * bits <= BITS) {
        met_text_put(out, ", only where a product over- or underflows");
    } else if (below) {
        met_text_format(out, ", only where %sa %s is 2^128 or more or has bits below 2^%d",
                        below == MET_ONLY_NORMAL && !c->operands.sum ? "a factor is subnormal, or " : "", term, below);
    }
}

const char *met_tree_compared_text(const met_tree_compared *c, const char *prefix)
{
    met_text out = met_text_new(c->session->arena);
    const met_comparison *result = &c->result;
    const char *field = met_tree_field_name(result->field);
    met_text_format(&out, "%s%s%s", verdict_word(result), *field ? ": " : "", field);
    met_text_put(&out, result->undeclared ? " undeclared" : result->verdict == MET_VERDICT_UNKNOWN ? ", which is not decided" : "");
    put_only(&out, c);
    met_text_put(&out, result->unless_underflow ? ", unless something underflows, which raises the flag\n" : "\n");
    for (int k = 0; k < 2; k++) {
        put_line(&out, k ? "b" : "a", record_text(c->session->arena, c->trees[k]));
        if (c->notes[k]) {
            put_line(&out, "", c->notes[k]);
        }
    }
    met_text_format(&out, "%-10s%llu %s of %s\n", "terms", (unsigned long long)c->n, c->operands.sum ? "numbers" : "products",
                    met_operands_word(c->operands));
    if (result->verdict == MET_VERDICT_DIFFERENT && result->field == MET_FIELD_AXIS) {
        put_line(&out, "input", "sums over different indices are of different terms");
    }
    if (result->has_run) {
        put_results(&out, c);
        put_input(&out, c);
    }
    if (result->has_run && result->field == MET_FIELD_RESCALE) {
        met_text_put(&out, "          weighted by e^(a - the largest a so far), corrected slice by slice\n");
    }
    if (result->has_run && prefix) {
        met_text_format(&out, "%-10s%s_a.npy, %s_b.npy\n", "written", prefix, prefix);
    }
    return met_text_done(&out);
}

static void put_list(met_text *out, const char *key, uint64_t n, const double *values)
{
    met_text_format(out, ",\n    \"%s\": [", key);
    for (uint64_t i = 0; i < n; i++) {
        met_text_put(out, i ? ", " : "");
        if (values[i] == 0 && signbit(values[i])) {
            met_text_put(out, "-0.0"); /* many readers of JSON take -0 for an integer, which has no sign */
        } else {
            met_text_format(out, "%.17g", values[i]);
        }
    }
    met_text_char(out, ']');
}

/* Bits, since a result may be no number of JSON. */
static void put_run(met_text *out, const met_tree_compared *c)
{
    const met_witness_run *run = &c->result.run;
    met_text_put(out, ",\n  \"witness\": {\n    \"result_a\": \"");
    put_bits(out, c->trees[0], run->result_a);
    met_text_put(out, "\", \"result_b\": \"");
    put_bits(out, c->trees[1], run->result_b);
    met_text_char(out, '"');
    if (c->n <= IN_JSON) {
        put_list(out, "a", c->n, run->a);
        put_list(out, "b", c->n, run->b);
    }
    met_text_put(out, "\n  }");
}

const char *met_tree_compared_json(const met_tree_compared *c)
{
    met_text out = met_text_new(c->session->arena);
    const met_comparison *result = &c->result;
    met_text_format(&out, "{\n  \"verdict\": \"%s\",\n  \"field\": \"%s\",\n  \"undeclared\": %s,\n  \"unless_underflow\": %s,\n",
                    verdict_word(result), met_tree_field_name(result->field), result->undeclared ? "true" : "false",
                    result->unless_underflow ? "true" : "false");
    if (result->only_below) {
        met_text_format(&out, "  \"only_below\": %d,\n", result->only_below);
    }
    met_text_format(&out, "  \"terms\": %llu,\n  \"operands\": \"%s\",\n  \"sum\": %s", (unsigned long long)c->n,
                    met_operands_word(c->operands), c->operands.sum ? "true" : "false");
    for (int k = 0; k < 2; k++) {
        met_text_format(&out, ",\n  \"%s\": ", k ? "b" : "a");
        met_text_json_string(&out, met_str_of(record_text(c->session->arena, c->trees[k])));
    }
    if (result->has_witness) {
        const met_witness *leaves = &result->witness;
        met_text_format(&out, ",\n  \"leaves\": {\"plus\": %u, \"minus\": %u, \"one\": %u}", (unsigned)leaves->plus, (unsigned)leaves->minus,
                        (unsigned)leaves->one);
    }
    if (result->has_run) {
        put_run(&out, c);
    }
    met_text_put(&out, "\n}\n");
    return met_text_done(&out);
}

/* f64, into which every operand fits. */
static bool array_file(const met_tree_compared *c, const char *prefix, const char *side, const double *values, met_file_text *ret_file)
{
    met_tensor *tensor = met_tensor_new(c->session, met_dtype_table[c->operands.dtype].spelling, 1, &c->n);
    met_text path = met_text_new(c->session->arena);
    if (!tensor) {
        return false;
    }
    memcpy(tensor->values, values, c->n * sizeof *values);
    met_text_format(&path, "%s_%s.npy", prefix, side);
    ret_file->path = met_text_done(&path);
    ret_file->bytes = met_npy_write(c->session, tensor, &ret_file->length);
    return ret_file->bytes != NULL;
}

bool met_tree_compared_write(const met_tree_compared *c, const char *prefix)
{
    met_file_text files[2];
    return array_file(c, prefix, "a", c->result.run.a, &files[0]) && array_file(c, prefix, "b", c->result.run.b, &files[1]) &&
           met_file_write_all(c->session, 2, files);
}
