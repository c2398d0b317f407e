/* Tests that put terms together by hand: names, size expressions, signatures, boxes. */
#ifndef MET_TEST_TERMS_H
#define MET_TEST_TERMS_H

#include "cases.h"

#include "base/diag.h"
#include "ir/builder_parts.h"

enum { LABEL_LIMIT = 64 };

/* One builder and the names that a test uses in it. */
typedef struct bench {
    met_session *session;
    met_builder *b;
    met_sym symbols[LABEL_LIMIT];
    const met_dim *symbol_dims[LABEL_LIMIT];
    size_t symbol_count;
    met_sym labels[LABEL_LIMIT]; /* of axes, by their ids */
    size_t label_count;
} bench;

static inline bench *bench_new(void)
{
    met_session *session = met_session_new();
    bench *t = MET_NEW(session->arena, bench);
    t->session = session;
    t->b = met_builder_new(session);
    return t;
}

static inline met_sym name_of(bench *t, const char *name)
{
    return met_intern(t->session, met_str_of(name));
}

/* A deterministic generator: the low bits of a 64-bit linear congruence, mixed. */
static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

/* --- Size expressions --- */

typedef struct dim_reader {
    bench *t;
    const char *at;
    const char *end;
} dim_reader;

static inline const met_dim *symbol_of(bench *t, met_str name)
{
    met_sym sym = met_intern(t->session, name);
    for (size_t i = 0; i < t->symbol_count; i++)
        if (t->symbols[i].id == sym.id)
            return t->symbol_dims[i];
    assert_true(t->symbol_count < LABEL_LIMIT);
    t->symbols[t->symbol_count] = sym;
    return t->symbol_dims[t->symbol_count++] = met_builder_symbol(t->b, sym, (met_span){ 0 });
}

static inline bool dim_take(dim_reader *r, char c)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

static inline uint64_t dim_number(dim_reader *r)
{
    char *end;
    dim_take(r, ' ');
    uint64_t n = strtoull(r->at, &end, 10);
    r->at = end;
    return n;
}

static inline const met_dim *dim_sum(dim_reader *r);

static inline const met_dim *dim_atom(dim_reader *r)
{
    met_arena *arena = r->t->session->arena;
    if (dim_take(r, '(')) {
        const met_dim *inside = dim_sum(r);
        assert_true(dim_take(r, ')'));
        return inside;
    }
    assert_true(r->at < r->end);
    if (*r->at >= '0' && *r->at <= '9')
        return met_dim_constant(arena, dim_number(r));
    const char *begin = r->at;
    while (r->at < r->end && strchr("+*/() ", *r->at) == NULL)
        r->at++;
    met_str name = { begin, (size_t)(r->at - begin) };
    bool floor = met_str_is(name, "floor");
    if (!floor && !met_str_is(name, "ceil"))
        return symbol_of(r->t, name);
    assert_true(dim_take(r, '('));
    const met_dim *inside = dim_sum(r);
    assert_true(dim_take(r, '/'));
    uint64_t divisor = dim_number(r);
    assert_true(dim_take(r, ')'));
    return floor ? met_dim_floor_div(arena, inside, divisor) : met_dim_ceil_div(arena, inside, divisor);
}

static inline const met_dim *dim_sum(dim_reader *r)
{
    met_arena *arena = r->t->session->arena;
    const met_dim *sum = met_dim_constant(arena, 0);
    do {
        const met_dim *product = dim_atom(r);
        while (dim_take(r, '*'))
            product = met_dim_mul(arena, product, dim_atom(r));
        sum = met_dim_add(arena, sum, product);
    } while (dim_take(r, '+'));
    return sum;
}

/* `floor(n/16)*16 + 4`. NULL if it does not fit. */
static inline const met_dim *read_dim(bench *t, met_str text)
{
    dim_reader r = { t, text.at, text.at + text.length };
    const met_dim *dim = dim_sum(&r);
    dim_take(&r, ' ');
    assert_ptr_equal(r.at, r.end);
    return dim;
}

static inline const met_dim *dim_text(bench *t, const char *text)
{
    return read_dim(t, met_str_of(text));
}

static inline const met_dim *dim_value(bench *t, const met_value *value)
{
    if (value->kind == MET_VALUE_INTEGER)
        return met_dim_constant(t->session->arena, (uint64_t)value->integer);
    return read_dim(t, value->string);
}

/* --- Axes --- */

/* The axis of a label; fresh at first sight, with a size (NULL: a symbol of its own name). */
static inline met_axis_id axis_of(bench *t, met_str label, const met_dim *size)
{
    met_sym sym = met_intern(t->session, label);
    for (size_t i = 0; i < t->label_count; i++)
        if (t->labels[i].id == sym.id)
            return (met_axis_id){ (uint32_t)i };
    assert_true(t->label_count < LABEL_LIMIT);
    met_axis_id axis = met_builder_axis(t->b, sym, size ? size : symbol_of(t, label), (met_span){ 0 });
    assert_int_equal(axis.id, t->label_count);
    t->labels[t->label_count++] = sym;
    return axis;
}

/* The label that names the class of an axis. */
static inline met_sym class_label(bench *t, met_axis_id axis)
{
    return t->labels[met_axis_root(t->b, axis.id)];
}

/* Arrays "a b, c" as specs over the labels' axes. */
static inline uint32_t read_specs(bench *t, const char *text, met_array_spec *specs)
{
    uint32_t count = 0;
    if (!*text)
        return 0;
    for (bool more = true; more; count++) {
        met_axis_id *axes = MET_NEW_ARRAY(t->session->arena, met_axis_id, 8);
        uint32_t rank = 0;
        while (*text && *text != ',') {
            size_t length = strcspn(text, " ,");
            if (length)
                axes[rank++] = axis_of(t, (met_str){ text, length }, NULL);
            text += length + (text[length] == ' ');
        }
        specs[count] = (met_array_spec){ .role = MET_EDGE_VALUE, .rank = rank, .axes = axes };
        more = *text++ == ',';
    }
    return count;
}

/* A box "a b, c" -> "d". */
static inline met_term *box(bench *t, const char *name, const char *ins, const char *outs)
{
    met_array_spec in[8], out[8];
    uint32_t in_count = read_specs(t, ins, in), out_count = read_specs(t, outs, out);
    return met_term_box(t->b, name_of(t, name), in_count, in, out_count, out, (met_span){ 0 });
}

/* --- Ops --- */

static inline met_items items_of(bench *t, const char **at)
{
    met_item *items = MET_NEW_ARRAY(t->session->arena, met_item, 32);
    uint32_t count = 0;
    while (**at && **at != ',' && !(**at == '-' && (*at)[1] == '>')) {
        size_t length = strcspn(*at, " ,-");
        if (length)
            items[count++] = (met_item){ .label = { .name = met_intern(t->session, (met_str){ *at, length }) } };
        *at += length + ((*at)[length] == ' ');
    }
    return (met_items){ .count = count, .at = items };
}

/* An einsum from its signature. */
static inline met_term *einsum(bench *t, const char *signature)
{
    met_items *ins = MET_NEW_ARRAY(t->session->arena, met_items, 64), *out = MET_NEW(t->session->arena, met_items);
    met_request request = { .op = met_op_by_id(MET_OP_einsum), .has_signature = true, .ins = ins, .outs = out, .out_count = 1 };
    do
        ins[request.in_count++] = items_of(t, &signature);
    while (*signature++ == ',');
    signature++; /* past the arrow */
    *out = items_of(t, &signature);
    request.array_count = request.in_count;
    return met_term_op(t->b, &request, (met_sym){ 0 });
}

/* An op with target labels: softmax[x]. */
static inline met_term *op_on(bench *t, met_op_id id, const char *targets)
{
    met_request request = { .op = met_op_by_id(id), .targets = items_of(t, &targets) };
    request.array_count = request.op->array_count;
    return met_term_op(t->b, &request, (met_sym){ 0 });
}

static inline met_term *compose(bench *t, met_term *f, met_term *g)
{
    return met_term_compose(t->b, f, g, (met_span){ 0 });
}

static inline met_circuit *freeze(bench *t, met_term *term)
{
    return met_builder_freeze(t->b, term, name_of(t, "c"), met_format_of(MET_F32));
}

static inline met_circuit *frozen(bench *t, met_term *term)
{
    met_circuit *circuit = freeze(t, term);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(t->session));
    return circuit;
}

#endif
