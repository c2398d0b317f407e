#include "host/revealing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "host/command.h"
#include "host/library.h"
#include "number/tree_json.h"
#include "report/reveal.h"

enum { REPEATS = 50, MATRIX_SIZE = 8, CALLS = 20000 };
static const double default_limit_s = 10;

static const met_span nowhere;

/* What all cases have in common. */
typedef struct revealing {
    met_session *session;
    const met_revealing_request *request;
    const met_call_signature *signature; /* of a routine */
    met_dtype dtype;                     /* of a command */
    met_probe_kind kind;                 /* of a command */
    bool scaled;
    met_reveal_method method;
    met_foreign_shape shape;             /* without the length */
} revealing;

/* --- What the request says --- */

static bool refuse(met_session *session, const char *option, const char *value, const char *known)
{
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "--%s does not take `%.60s`", option, value);
    met_diag_help(diag, "it takes %s", known);
    return false;
}

/* By word. */
static const struct {
    const char *word;
    met_call_sense sense;
    met_probe_kind kind;
} kinds[] = {
    { "dot", MET_CALL_DOT, MET_PROBE_DOT },
    { "sum", MET_CALL_DOT, MET_PROBE_SUM },
    { "mean", MET_CALL_SCALED, MET_PROBE_SUM },
    { "magnitudes", MET_CALL_MAGNITUDES, MET_PROBE_SQUARES },
    { "squares", MET_CALL_SQUARES, MET_PROBE_SQUARES },
    { "exponentials", MET_CALL_EXPONENTIALS, MET_PROBE_EXPONENTIALS },
};

static bool read_kind(revealing *r)
{
    const char *word = r->request->kind;
    r->kind = MET_PROBE_SUM;
    for (size_t i = 0; word && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(word, kinds[i].word) != 0)
            continue;
        r->kind = kinds[i].kind;
        r->scaled = kinds[i].sense == MET_CALL_SCALED;
        if (r->signature) {
            met_call_signature *own = MET_NEW(r->session->arena, met_call_signature);
            *own = *r->signature;
            own->sense = kinds[i].sense;
            r->signature = own;
        }
        return true;
    }
    return !word || refuse(r->session, "kind", word, "dot, sum, mean, magnitudes, squares and exponentials");
}

static bool read_method(revealing *r)
{
    static const char *const words[] = { "auto", "count", "triples", "squares" };
    const char *word = r->request->method ? r->request->method : "auto";
    for (int m = MET_REVEAL_AUTO; m <= MET_REVEAL_SQUARES; m++) {
        r->method = (met_reveal_method)m;
        if (!strcmp(word, words[m]))
            return true;
    }
    return refuse(r->session, "method", word, "auto, count, triples and squares");
}

static bool read_dtype(revealing *r)
{
    const char *word = r->request->dtype ? r->request->dtype : "f32";
    for (int d = MET_F64; d <= MET_F16; d++) {
        r->dtype = (met_dtype)d;
        if (!strcmp(word, met_dtype_table[d].spelling))
            return true;
    }
    return refuse(r->session, "dtype", word, "f64, f32, f16 and bf16");
}

static bool read_shape(revealing *r)
{
    const met_revealing_request *q = r->request;
    bool matrix = r->signature && r->signature->is_matrix, product = r->signature && r->signature->is_product;
    r->shape.rows = q->rows ? q->rows : matrix ? MATRIX_SIZE : 1;
    r->shape.columns = q->columns ? q->columns : product ? MATRIX_SIZE : 1;
    r->shape.row = q->row;
    r->shape.column = q->column;
    if (r->signature && ((r->shape.rows > 1 && !matrix) || (r->shape.columns > 1 && !product))) {
        met_diag_add(r->session, MET_DIAG_usage, nowhere, "a result of this signature has no %s", matrix ? "columns" : "rows");
        return false;
    }
    if (q->row < r->shape.rows && q->column < r->shape.columns)
        return true;
    met_diag_add(r->session, MET_DIAG_usage, nowhere, "the result has %llu rows and %llu columns, counted from 0: no (%llu, %llu)",
                 (unsigned long long)r->shape.rows, (unsigned long long)r->shape.columns, (unsigned long long)q->row,
                 (unsigned long long)q->column);
    return false;
}

static bool check_lengths(const revealing *r)
{
    for (size_t i = 0; i < r->request->terms.count; i++) {
        met_foreign_shape shape = r->shape;
        shape.terms = r->request->terms.at[i];
        if (met_foreign_elements(&shape) > 0)
            continue;
        met_diag_add(r->session, MET_DIAG_usage, nowhere, "%llu terms are %s", (unsigned long long)shape.terms,
                     shape.terms > 0 ? "too many for a result of this size" : "too few");
        return false;
    }
    for (size_t i = 0; i < r->request->offsets.count; i++)
        if (r->request->offsets.at[i] > MET_FOREIGN_LIMIT) {
            met_diag_add(r->session, MET_DIAG_usage, nowhere, "an offset of %llu elements is too large",
                         (unsigned long long)r->request->offsets.at[i]);
            return false;
        }
    return true;
}

static bool read_request(revealing *r)
{
    const met_revealing_request *q = r->request;
    if (!q->command) {
        r->signature = q->signature ? met_call_signature_parse(r->session, q->signature)
                                    : met_call_signature_of(r->session, q->symbol);
        if (!r->signature)
            return false;
    }
    return read_kind(r) && read_method(r) && read_dtype(r) && read_shape(r) && check_lengths(r);
}

/* --- One case --- */

static met_foreign *open_foreign(const revealing *r, const met_reveal_case *c, bool accumulates)
{
    const met_revealing_request *q = r->request;
    met_foreign_shape shape = r->shape;
    double limit_s = q->limit_s > 0 ? q->limit_s : default_limit_s;
    shape.terms = c->terms;
    shape.accumulates = accumulates;
    if (q->command) {
        met_command_request *command = MET_NEW(r->session->arena, met_command_request);
        *command = (met_command_request){ .command = q->command, .shape = shape, .dtype = r->dtype, .kind = r->kind,
                                          .scaled = r->scaled, .call_limit = q->call_limit ? q->call_limit : CALLS, .limit_s = limit_s,
                                          .progress = q->progress };
        return met_command_open(r->session, command);
    }
    met_routine_request *routine = MET_NEW(r->session->arena, met_routine_request);
    *routine = (met_routine_request){ .library = q->library, .symbol = q->symbol, .signature = r->signature, .shape = shape,
                                      .transpose_a = q->transpose && strchr(q->transpose, 'a'),
                                      .transpose_b = q->transpose && strchr(q->transpose, 'b'),
                                      .offset = c->offset, .threads = c->threads, .limit_s = limit_s };
    return met_routine_open(r->session, routine);
}

/* In [0, 1), from all bits of i. */
static double fraction(uint64_t i)
{
    uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93u;
    return ldexp((double)(mixed >> 11), -53);
}

/* An input on which every order of additions shows: signs and sizes change from term to term. */
static void make_adversarial(const met_black_box *probe, double *a, double *b)
{
    bool positive = probe->kind != MET_PROBE_SUM && probe->kind != MET_PROBE_DOT;
    for (uint64_t i = 0; i < probe->n; i++) {
        double x = ldexp(1 + fraction(4 * i), (int)(fraction(4 * i + 1) * 12) - 6);
        bool minus = fraction(4 * i + 2) < 0.5 && !positive;
        a[i] = met_round(probe->input, minus ? -x : x);
        b[i] = met_round(probe->input, 1 + fraction(4 * i + 3));
    }
}

/* The same input again and again. False: it does not answer. */
static bool repeat(const revealing *r, const met_foreign *foreign, met_reveal_case *c)
{
    const met_black_box *probe = &foreign->probe;
    double *a = MET_NEW_ARRAY(r->session->arena, double, probe->n), *b = MET_NEW_ARRAY(r->session->arena, double, probe->n);
    double first = 0, again;
    uint32_t count = r->request->command ? REPEATS / 10 : REPEATS; /* a process a call */
    make_adversarial(probe, a, b);
    c->alike = true;
    for (c->repeats = 0; c->repeats < count; c->repeats++) {
        if (!probe->run(probe->context, a, probe->kind == MET_PROBE_DOT ? b : NULL, 1, &again))
            return false;
        if (c->repeats == 0)
            first = again;
        c->alike = c->alike && memcmp(&first, &again, sizeof first) == 0;
    }
    return true;
}

/* Where c joins: revealed with c as one more leaf. */
static bool find_joint(const revealing *r, met_reveal_case *c)
{
    met_foreign *foreign = open_foreign(r, c, true);
    if (!foreign)
        return false;
    met_revealed with = met_reveal(r->session->arena, &foreign->probe, r->method, r->request->seed);
    foreign->close(foreign);
    c->revealed.calls += with.calls;
    c->joint = MET_JOINT_UNKNOWN;
    if (with.verdict == MET_REVEAL_TREE)
        c->joint = met_joint_of(r->session->arena, with.shape, &c->joint_terms);
    return with.verdict != MET_REVEAL_FAILED;
}

static bool accumulates(const revealing *r)
{
    const met_call_signature *s = r->signature;
    return r->request->command ? strstr(r->request->command, "{c}") != NULL : s->arrays[MET_CALL_C] >= 0;
}

static const char *kept(const revealing *r, const char *text)
{
    return text ? met_arena_text(r->session->arena, text, strlen(text)) : NULL;
}

static bool reveal_case(const revealing *r, met_reveal_case *c, bool *ret_products)
{
    met_foreign *foreign = open_foreign(r, c, false);
    if (!foreign)
        return false;
    c->revealed = met_reveal(r->session->arena, &foreign->probe, r->method, r->request->seed);
    bool good = c->revealed.verdict != MET_REVEAL_FAILED && repeat(r, foreign, c);
    if (good && !c->alike) { /* whatever single answers looked like */
        c->revealed.verdict = MET_REVEAL_UNSTABLE;
        c->revealed.why = "the same input gave two answers";
    }
    *ret_products = foreign->probe.kind == MET_PROBE_DOT;
    c->fault_loaded = kept(r, foreign->fault_loaded(foreign));
    c->fault_called = kept(r, foreign->fault_called(foreign));
    foreign->close(foreign);
    if (good && c->revealed.verdict == MET_REVEAL_TREE && accumulates(r) && !r->request->only_sum)
        good = find_joint(r, c);
    return good;
}

/* --- All of them --- */

static const char *name_of(const revealing *r)
{
    met_text name = met_text_new(r->session->arena);
    const met_revealing_request *q = r->request;
    if (q->command)
        met_text_put(&name, q->command);
    else
        met_text_format(&name, "%s in %s", q->symbol, q->library);
    if (r->shape.rows > 1 || r->shape.columns > 1)
        met_text_format(&name, ", element (%llu, %llu) of %llu × %llu", (unsigned long long)r->shape.row,
                        (unsigned long long)r->shape.column, (unsigned long long)r->shape.rows, (unsigned long long)r->shape.columns);
    return met_text_done(&name);
}

static bool ask_between(const revealing *r, met_reveal_span *span, const met_reveal_case *base)
{
    for (size_t i = 0; i < span->between_count; i++) {
        met_reveal_case c = { .terms = span->between[i].terms, .offset = base->offset, .threads = base->threads };
        met_foreign *foreign = open_foreign(r, &c, false);
        if (!foreign)
            return false;
        met_reveal_verdict verdict = met_reveal_try(r->session->arena, &foreign->probe, &span->rule);
        foreign->close(foreign);
        if (verdict == MET_REVEAL_FAILED)
            return false;
        span->between[i].agrees = verdict == MET_REVEAL_TREE;
    }
    return true;
}

/* Whether rules hold between the lengths that they were seen at, where a question costs little and its answer is a number. */
static bool ask_between_all(const revealing *r, met_reveal_report *report)
{
    bool sums = r->signature && r->signature->sense == MET_CALL_DOT;
    for (size_t s = 0; s < report->span_count; s++) {
        if (!sums)
            report->spans[s].between_count = 0;
        if (!ask_between(r, &report->spans[s], &report->cases[0]))
            return false;
    }
    return true;
}

const met_revealing *met_revealing_run(met_session *session, const met_revealing_request *request)
{
    static const met_counts zero = { .count = 1 };
    revealing r = { .session = session, .request = request };
    if (!read_request(&r))
        return NULL;
    const met_counts *offsets = request->offsets.count ? &request->offsets : &zero;
    const met_counts *threads = request->threads.count ? &request->threads : &zero;
    met_reveal_report *report = MET_NEW(session->arena, met_reveal_report);
    report->subject = name_of(&r);
    report->signature = r.signature ? r.signature->text : NULL;
    report->cases = MET_NEW_ARRAY(session->arena, met_reveal_case, request->terms.count * offsets->count * threads->count);
    for (size_t n = 0; n < request->terms.count; n++)
        for (size_t t = 0; t < threads->count; t++)
            for (size_t o = 0; o < offsets->count; o++) {
                met_reveal_case *c = &report->cases[report->case_count++];
                *c = (met_reveal_case){ .terms = request->terms.at[n], .offset = offsets->at[o],
                                        .threads = (uint32_t)threads->at[t], .base = t == 0 && o == 0 };
                if (!reveal_case(&r, c, &report->products))
                    return NULL;
                met_reveal_conclude_case(session->arena, report);
                if (request->found)
                    request->found(request->context, report);
            }
    met_reveal_conclude(session->arena, report);
    return ask_between_all(&r, report) ? report : NULL;
}

bool met_revealing_is_tree(const met_revealing *found)
{
    return met_reveal_is_tree(found);
}

const char *met_revealing_case_text(met_session *session, const met_revealing *so_far, bool whole)
{
    met_text out = met_text_new(session->arena);
    if (so_far->case_count == 1)
        met_reveal_put_subject(&out, so_far);
    met_reveal_put_case(&out, so_far, so_far->case_count - 1, whole);
    return met_text_done(&out);
}

const char *met_revealing_conclusion_text(met_session *session, const met_revealing *found)
{
    met_text out = met_text_new(session->arena);
    met_reveal_put_conclusion(&out, found);
    return met_text_done(&out);
}

const char *met_revealing_json(met_session *session, const met_revealing *found)
{
    return met_reveal_json(session->arena, found);
}

/* What the record is of, and at which lengths it was seen; of a tree, the rule that gives it. */
static const char *about_of(met_session *session, const met_revealing *found, const met_reveal_span *span, const met_reveal_case *c)
{
    met_text out = met_text_new(session->arena), words = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "subject", found->subject);
    if (span)
        met_reveal_put_json_lengths(&json, "asked", found, span);
    else
        met_json_put_u64s(&json, "asked", 1, &c->terms);
    if (c && c->has_rule) {
        met_tree_print(&words, &c->rule, MET_F32);
        met_json_put_string(&json, "rule", met_text_done(&words));
    }
    met_json_close(&json, '}');
    return met_text_done(&out);
}

const char *met_revealing_record(met_session *session, const met_revealing *found)
{
    met_text out = met_text_new(session->arena);
    const met_reveal_span *span = found->spans;
    const met_reveal_case *c = NULL;
    bool rule = found->span_count == 1 && met_reveal_span_holds(found, span);
    for (size_t i = 0; i < found->case_count && !c && !rule; i++)
        c = found->cases[i].revealed.verdict == MET_REVEAL_TREE ? &found->cases[i] : NULL;
    if (!rule && !c)
        return NULL;
    met_tree_print_json_about(&out, rule ? &span->rule : &c->revealed.tree, about_of(session, found, rule ? span : NULL, c));
    met_text_char(&out, '\n');
    return met_text_done(&out);
}
