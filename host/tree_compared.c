/* Comparisons of two records as text, as JSON and as arrays (host/tree_source.h). */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "host/file.h"
#include "host/tree_source.h"
#include "met/npy.h"
#include "number/tree_compare.h"
#include "report/wrap.h"

enum { LABEL = 10 /* columns */, SHOWN = 8 /* terms of an input */, IN_JSON = 4096, BITS = 24 /* of f32 */, WRITTEN = 1 << 26 /* terms of an array */ };

static const met_span nowhere;

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
    bool units = sources[0]->unit && sources[1]->unit;
    c->result = (units ? met_tree_compare_units : met_tree_compare_operands)(session->arena, c->trees[0], c->trees[1], c->n, c->operands);
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

/* --- As text --- */

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
    for (uint64_t i = 0; i < run->count; i++) {
        live += run->a[i] * run->b[i] != 0;
    }
    met_text_format(out, "input     %llu of %llu terms are not zero%s\n", (unsigned long long)live, (unsigned long long)c->n,
                    run->at && signbit(run->rest) ? ", all others -0" : "");
    if (run->with_c) {
        met_text_format(out, "  c       %.9g\n", (double)run->c);
    }
    for (uint64_t i = 0; i < run->count && shown < SHOWN; i++) {
        if (live > 0 && run->a[i] * run->b[i] == 0) {
            continue;
        }
        unsigned long long place = run->at ? run->at[i] : i;
        met_text_format(out, c->operands.sum ? "  %-8llu%s%.9g\n" : "  %-8llu%s%.9g * %.9g\n", place, place > 9999999 ? " " : "", run->a[i], run->b[i]);
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
        met_wrap_line(&out, 0, LABEL, k ? "b" : "a", met_tree_record_text(c->session, c->trees[k]));
        if (c->notes[k]) {
            met_wrap_line(&out, 0, LABEL, "", c->notes[k]);
        }
    }
    met_text_format(&out, "%-10s%llu %s of %s\n", "terms", (unsigned long long)c->n, c->operands.sum ? "numbers" : "products",
                    met_operands_word(c->operands));
    if (result->verdict == MET_VERDICT_DIFFERENT && result->field == MET_FIELD_AXIS) {
        met_wrap_line(&out, 0, LABEL, "input", "sums over different indices are of different terms");
    }
    if (result->has_run) {
        put_results(&out, c);
        put_input(&out, c);
    }
    if (result->has_run && result->field == MET_FIELD_RESCALE) {
        met_text_put(&out, "          weighted by e^(a - the largest a so far), corrected slice by slice\n");
    }
    if (result->has_run && prefix) {
        met_text_format(&out, "%-10s%s_a.npy, %s_b.npy", "written", prefix, prefix);
        met_text_format(&out, result->run.with_c ? ", %s_c.npy\n" : "\n", prefix);
    }
    return met_text_done(&out);
}

/* --- As JSON --- */

enum { INDENT = 2, INNER = 4 };

static void put_numbers(met_json *json, const char *key, uint64_t n, const double *values)
{
    met_json_line(json, INNER);
    met_json_open(json, key, '[');
    for (uint64_t i = 0; i < n; i++) {
        met_text *out = met_json_value(json, NULL);
        if (values[i] == 0 && signbit(values[i])) {
            met_text_put(out, "-0.0"); /* many readers of JSON take -0 for an integer, which has no sign */
        } else {
            met_text_format(out, "%.17g", values[i]);
        }
    }
    met_json_close(json, ']');
}

static void put_places(met_json *json, const met_witness_run *run)
{
    met_json_line(json, INNER);
    met_json_open(json, "at", '[');
    for (uint64_t i = 0; i < run->count; i++) {
        met_json_put_integer(json, NULL, run->at[i]);
    }
    met_json_close(json, ']');
    met_json_put_string(json, "others", signbit(run->rest) ? "-0" : "0");
}

/* Bits, since a result may be no number of JSON. */
static void put_run(met_json *json, const met_tree_compared *c)
{
    const met_witness_run *run = &c->result.run;
    const double results[] = {run->result_a, run->result_b};
    met_json_open(json, "witness", '{');
    met_json_line(json, INNER);
    for (int k = 0; k < 2; k++) {
        met_text bits = met_text_new(c->session->arena);
        put_bits(&bits, c->trees[k], results[k]);
        met_json_put_string(json, k ? "result_b" : "result_a", met_text_done(&bits));
    }
    if (run->at) {
        put_places(json, run);
    }
    if (run->with_c) {
        put_numbers(json, "c", 1, &(double){(double)run->c});
    }
    if (run->count <= IN_JSON) {
        put_numbers(json, "a", run->count, run->a);
        put_numbers(json, "b", run->count, run->b);
    }
    met_json_line(json, INDENT);
    met_json_close(json, '}');
}

static void put_verdict(met_json *json, const met_tree_compared *c)
{
    const met_comparison *result = &c->result;
    met_json_line(json, INDENT);
    met_json_put_string(json, "verdict", verdict_word(result));
    met_json_line(json, INDENT);
    met_json_put_string(json, "field", met_tree_field_name(result->field));
    met_json_line(json, INDENT);
    met_json_put_flag(json, "undeclared", result->undeclared);
    met_json_line(json, INDENT);
    met_json_put_flag(json, "unless_underflow", result->unless_underflow);
    if (result->only_below) {
        met_json_line(json, INDENT);
        met_text_format(met_json_value(json, "only_below"), "%d", result->only_below);
    }
    met_json_line(json, INDENT);
    met_json_put_integer(json, "terms", c->n);
    met_json_line(json, INDENT);
    met_json_put_string(json, "operands", met_operands_word(c->operands));
    met_json_line(json, INDENT);
    met_json_put_flag(json, "sum", c->operands.sum);
}

static void put_leaves(met_json *json, const met_witness *leaves)
{
    met_json_open(json, "leaves", '{');
    met_json_put_integer(json, "plus", leaves->plus);
    met_json_put_integer(json, "minus", leaves->minus);
    met_json_put_integer(json, "one", leaves->one);
    met_json_close(json, '}');
}

const char *met_tree_compared_json(const met_tree_compared *c)
{
    met_text out = met_text_new(c->session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    put_verdict(&json, c);
    for (int k = 0; k < 2; k++) {
        met_json_line(&json, INDENT);
        met_json_put_string(&json, k ? "b" : "a", met_tree_record_text(c->session, c->trees[k]));
    }
    met_json_line(&json, INDENT);
    if (c->result.has_witness) {
        put_leaves(&json, &c->result.witness);
        met_json_line(&json, INDENT);
    }
    if (c->result.has_run) {
        put_run(&json, c);
    }
    met_json_line(&json, 0);
    met_json_close(&json, '}');
    met_text_char(&out, '\n');
    return met_text_done(&out);
}

/* --- As arrays --- */

/* `rest` is what terms have that the run does not list. */
static bool array_file(const met_tree_compared *c, const char *prefix, const char *side, const double *values, double rest, met_file_text *ret_file)
{
    const met_witness_run *run = &c->result.run;
    met_tensor *tensor = met_tensor_new(c->session, met_dtype_table[c->operands.dtype].spelling, 1, &c->n);
    met_text path = met_text_new(c->session->arena);
    if (!tensor) {
        return false;
    }
    for (uint64_t i = 0; i < c->n && run->at; i++) {
        tensor->values[i] = rest;
    }
    for (uint64_t i = 0; i < run->count; i++) {
        tensor->values[run->at ? run->at[i] : i] = values[i];
    }
    met_text_format(&path, "%s_%s.npy", prefix, side);
    ret_file->path = met_text_done(&path);
    ret_file->bytes = met_npy_write(c->session, tensor, &ret_file->length);
    return ret_file->bytes != NULL;
}

/* One number of f32. */
static bool c_file(const met_tree_compared *c, const char *prefix, met_file_text *ret_file)
{
    uint64_t one = 1;
    met_tensor *tensor = met_tensor_new(c->session, met_dtype_table[MET_F32].spelling, 1, &one);
    met_text path = met_text_new(c->session->arena);
    if (!tensor) {
        return false;
    }
    tensor->values[0] = (double)c->result.run.c;
    met_text_format(&path, "%s_c.npy", prefix);
    ret_file->path = met_text_done(&path);
    ret_file->bytes = met_npy_write(c->session, tensor, &ret_file->length);
    return ret_file->bytes != NULL;
}

bool met_tree_compared_write(const met_tree_compared *c, const char *prefix)
{
    const met_witness_run *run = &c->result.run;
    met_file_text files[3];
    if (c->n > WRITTEN) {
        met_diag_add(c->session, MET_DIAG_size, nowhere, "an input of %llu terms is not written as arrays, which have up to %d: --json lists those that are not zero",
                     (unsigned long long)c->n, WRITTEN);
        return false;
    }
    return array_file(c, prefix, "a", run->a, run->rest, &files[0]) && array_file(c, prefix, "b", run->b, 1, &files[1]) &&
           (!run->with_c || c_file(c, prefix, &files[2])) && met_file_write_all(c->session, run->with_c ? 3 : 2, files);
}
