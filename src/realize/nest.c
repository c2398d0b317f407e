#include "realize/nest.h"

#include <assert.h>
#include <stdio.h>

static const met_dim *symbol_value(void *context, met_size symbol)
{
    const met_circuit *circuit = context;
    return circuit->symbols[symbol.id].value;
}

int64_t met_nest_dim(const met_nest *nest, const met_dim *dim)
{
    met_circuit circuit = *nest->circuit;
    uint64_t n = 0;
    const met_dim *bound = met_dim_substitute(nest->writer->arena, dim, symbol_value, &circuit);
    bool known = bound && met_dim_is_constant(bound, &n) && n <= INT64_MAX;
    assert(known);
    return known ? (int64_t)n : 0;
}

met_nest *met_nest_new(met_writer *writer, const met_circuit *circuit, uint32_t count, const met_axis_id *axes,
                       const char *const *labels)
{
    met_arena *arena = writer->arena;
    met_nest *nest = MET_NEW(arena, met_nest);
    nest->writer = writer;
    nest->circuit = circuit;
    nest->loop_count = count;
    nest->size = MET_NEW_ARRAY(arena, met_number, count);
    nest->label = MET_NEW_ARRAY(arena, const char *, count);
    nest->counter = MET_NEW_ARRAY(arena, const char *, count);
    for (uint32_t l = 0; l < count; l++) {
        int64_t size = met_nest_dim(nest, circuit->axes[axes[l].id].size);
        nest->size[l] = met_argument(writer, size, "n_%s", labels[l]);
        nest->label[l] = nest->size[l].name + 2;
        nest->counter[l] = met_format_text(arena, "i_%s", nest->label[l]);
    }
    return nest;
}

/* --- Linear functions while they are computed: every coefficient with whether structure alone gives it --- */

typedef struct part {
    int64_t value;
    bool sized; /* depends on sizes */
} part;

typedef struct sum {
    part constant;
    part *by;
} sum;

static sum new_sum(const met_nest *nest)
{
    return (sum){ { 0, false }, MET_NEW_ARRAY(nest->writer->arena, part, nest->loop_count) };
}

/* Positions and element numbers within this are safe to add up: a nest has at most 64 loops. */
#define REACH ((int64_t)1 << 56)

static void add_part(met_nest *nest, part *to, part a, part b)
{
    int64_t product, total;
    if (__builtin_mul_overflow(a.value, b.value, &product) || __builtin_add_overflow(to->value, product, &total) ||
        total > REACH || total < -REACH) {
        nest->failed = true;
        return;
    }
    bool zero = (a.value == 0 && !a.sized) || (b.value == 0 && !b.sized);
    to->value = total;
    to->sized = to->sized || (!zero && (a.sized || b.sized));
}

static void add_sum(met_nest *nest, sum *to, const sum *from, part factor)
{
    add_part(nest, &to->constant, from->constant, factor);
    for (uint32_t l = 0; l < nest->loop_count; l++)
        add_part(nest, &to->by[l], from->by[l], factor);
}

/* With `positions` the terms are positions of an edge, given as sums; otherwise the nest's loops. */
static sum bind(met_nest *nest, const met_affine *affine, const sum *positions)
{
    sum s = new_sum(nest);
    s.constant.value = affine->constant;
    for (uint32_t t = 0; t < affine->term_count; t++) {
        const met_affine_term *term = &affine->terms[t];
        part coefficient = { term->coefficient, false };
        if (term->kind == MET_TERM_SIZE)
            add_part(nest, &s.constant, coefficient, (part){ met_nest_dim(nest, term->size), true });
        else if (positions)
            add_sum(nest, &s, &positions[term->index], coefficient);
        else
            add_part(nest, &s.by[term->index], coefficient, (part){ 1, false });
    }
    return s;
}

static met_number number_of(met_nest *nest, part p, const char *name, const char *loop)
{
    if (!p.sized)
        return met_literal(p.value);
    return met_argument(nest->writer, p.value, "%s_%s", name, loop);
}

static bool same_numbers(const met_nest *nest, const met_nest_line *made, const sum *s)
{
    bool same = made->constant == s->constant.value;
    for (uint32_t l = 0; same && l < nest->loop_count; l++)
        same = made->line.by[l].value == s->by[l].value && (made->line.by[l].name != NULL) == s->by[l].sized;
    return same;
}

/* Equal lines share their arguments, whatever they are called. */
static met_line line_of(met_nest *nest, const sum *s, const char *name)
{
    for (size_t k = 0; k < nest->lines.count; k++)
        if (same_numbers(nest, &nest->lines.at[k], s))
            return nest->lines.at[k].line;
    part constant = { s->constant.value, s->constant.sized || s->constant.value != 0 }; /* often a size that is bound */
    met_line line = { number_of(nest, constant, name, "at"), MET_NEW_ARRAY(nest->writer->arena, met_number,
                                                                              nest->loop_count) };
    for (uint32_t l = 0; l < nest->loop_count; l++)
        line.by[l] = number_of(nest, s->by[l], name, nest->label[l]);
    MET_PUSH(nest->writer->arena, &nest->lines, ((met_nest_line){ s->constant.value, line }));
    return line;
}

static sum *bind_all(met_nest *nest, uint32_t rank, const met_affine *at, uint32_t skip)
{
    sum *positions = MET_NEW_ARRAY(nest->writer->arena, sum, rank);
    for (uint32_t p = 0; p < rank; p++)
        positions[p] = p == skip ? new_sum(nest) : bind(nest, &at[p], NULL);
    return positions;
}

/* Whether a position is within [0, size) wherever the loops stand. */
static bool stays_inside(const met_nest *nest, const sum *position, int64_t size)
{
    int64_t low = position->constant.value, high = low;
    for (uint32_t l = 0; l < nest->loop_count; l++) {
        int64_t reach = 0;
        if (__builtin_mul_overflow(position->by[l].value, nest->size[l].value - 1, &reach) || reach > REACH ||
            reach < -REACH)
            return false;
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    return low >= 0 && high < size;
}

/* 0 <= position < size. */
static void require_inside(met_nest *nest, met_conditions *conditions, const sum *position, int64_t size,
                           const char *name)
{
    sum rest = new_sum(nest);
    add_sum(nest, &rest, position, (part){ -1, false });
    add_part(nest, &rest.constant, (part){ size - 1, true }, (part){ 1, false });
    met_condition from = { line_of(nest, position, met_format_text(nest->writer->arena, "%s_from", name)) };
    met_condition to = { line_of(nest, &rest, met_format_text(nest->writer->arena, "%s_to", name)) };
    MET_PUSH(nest->writer->arena, conditions, from);
    MET_PUSH(nest->writer->arena, conditions, to);
}

static met_site place_of(met_nest *nest, const char *array, const char *name, met_edge_id id, const sum *positions,
                          uint32_t skip)
{
    const met_edge *edge = &nest->circuit->edges[id.id];
    met_site place = { .edge = id, .dtype = (met_dtype)edge->format.dtype, .array = array };
    sum offset = new_sum(nest);
    part stride = { 1, false };
    for (uint32_t p = edge->rank; p-- > 0;) {
        int64_t size = met_nest_dim(nest, nest->circuit->axes[edge->axes[p].id].size);
        add_sum(nest, &offset, &positions[p], stride);
        if (p != skip && !stays_inside(nest, &positions[p], size))
            require_inside(nest, &place.inside, &positions[p], size, name);
        part next = { 0, false };
        add_part(nest, &next, stride, (part){ size, true });
        stride = next;
    }
    place.offset = line_of(nest, &offset, name);
    return place;
}

met_site met_nest_place(met_nest *nest, const char *array, const char *name, met_edge_id edge, const met_affine *at,
                         uint32_t skip)
{
    return place_of(nest, array, name, edge, bind_all(nest, nest->circuit->edges[edge.id].rank, at, skip), skip);
}

void met_nest_gates(met_nest *nest, met_edge_id id, const met_affine *at, const met_array_namer *arrays,
                    met_gating *gates)
{
    met_arena *arena = nest->writer->arena;
    const met_edge *edge = &nest->circuit->edges[id.id];
    const sum *positions = bind_all(nest, edge->rank, at, MET_NONE);
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        const met_guard *guard = &edge->guards[g];
        sum expression = bind(nest, &guard->expression, positions);
        met_line line = line_of(nest, &expression, "guard");
        if (guard->value.id == MET_NONE) {
            MET_PUSH(arena, &gates->affine, (met_condition){ line });
            continue;
        }
        sum *value_at = MET_NEW_ARRAY(arena, sum, guard->value_rank);
        for (uint32_t p = 0; p < guard->value_rank; p++)
            value_at[p] = bind(nest, &guard->value_at[p], positions);
        met_value_guard valued = { line, guard->value_sign, { .array = NULL } };
        valued.value = place_of(nest, arrays->name(arrays->context, guard->value), "live", guard->value, value_at,
                                MET_NONE);
        MET_PUSH(arena, &gates->valued, valued);
    }
}

bool met_line_equal(const met_nest *nest, const met_line *a, const met_line *b)
{
    bool same = a->constant.value == b->constant.value;
    for (uint32_t l = 0; same && l < nest->loop_count; l++)
        same = a->by[l].value == b->by[l].value;
    return same;
}

static bool moves_as_one(const met_nest *nest, const met_line *line, uint32_t outer, uint32_t inner)
{
    int64_t n = nest->size[inner].value, along;
    if (nest->size[outer].value == 1 || n == 1)
        return true;
    return !__builtin_mul_overflow(line->by[inner].value, n, &along) && along == line->by[outer].value;
}

bool met_nest_collapse(met_nest *nest, uint32_t outer, uint32_t inner)
{
    int64_t size;
    if (__builtin_mul_overflow(nest->size[outer].value, nest->size[inner].value, &size))
        return false;
    for (size_t k = 0; k < nest->lines.count; k++)
        if (!moves_as_one(nest, &nest->lines.at[k].line, outer, inner))
            return false;
    for (size_t k = 0; k < nest->lines.count; k++) {
        met_line *line = &nest->lines.at[k].line;
        if (nest->size[inner].value == 1 && nest->size[outer].value != 1)
            line->by[inner] = line->by[outer];
        line->by[outer] = met_literal(0);
    }
    nest->size[inner] = met_argument(nest->writer, size, "n_%s_%s", nest->label[outer], nest->label[inner]);
    nest->label[inner] = nest->size[inner].name + 2;
    nest->counter[inner] = met_format_text(nest->writer->arena, "i_%s", nest->label[inner]);
    nest->size[outer] = met_literal(1);
    return true;
}

bool met_line_reads(const met_line *line, uint32_t loop)
{
    return line->by[loop].name || line->by[loop].value != 0;
}

static void put_term(met_text *text, met_arena *arena, met_number by, const char *counter)
{
    const char *joint = text->length ? " + " : "";
    if (!by.name && by.value == 1)
        met_text_format(text, "%s%s", joint, counter);
    else if (!by.name && by.value < 0)
        met_text_format(text, "%s%lld * %s", text->length ? " - " : "-", -(long long)by.value, counter);
    else
        met_text_format(text, "%s%s * %s", joint, met_number_text(arena, by), counter);
}

const char *met_line_text(const met_nest *nest, const met_line *line, uint64_t without)
{
    met_arena *arena = nest->writer->arena;
    met_text text = met_text_new(arena);
    for (uint32_t l = 0; l < nest->loop_count; l++)
        if (!(without >> l & 1) && met_line_reads(line, l))
            put_term(&text, arena, line->by[l], nest->counter[l]);
    met_number constant = line->constant;
    if (constant.name || constant.value > 0)
        met_text_format(&text, "%s%s", text.length ? " + " : "", met_number_text(arena, constant));
    else if (constant.value < 0)
        met_text_format(&text, text.length ? " - %lld" : "-%lld", -(long long)constant.value);
    return text.length ? met_text_done(&text) : "0";
}
