/* The last step of derivation: what nothing reads goes, values take their order, words are counted. */
#include <string.h>

#include "derive/stream_parts.h"

typedef struct finisher {
    met_deriver *d;
    uint32_t *place;  /* of a value in the new order; MET_NONE: not (yet) in it */
    uint32_t *state_place;
    bool *live;
    uint32_t *order;
    uint32_t count;
} finisher;

static uint32_t state_of_value(const met_deriver *d, uint32_t value)
{
    for (uint32_t i = 0; i < d->states.count; i++)
        if (d->states.at[i].value == value)
            return i;
    return MET_NONE;
}

static void mark(finisher *f, uint32_t value);

static void mark_scalar(finisher *f, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT && e->input != MET_REGION_STATE)
        mark(f, e->input);
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        if (e->arguments[i])
            mark_scalar(f, e->arguments[i]);
}

static void mark_state(finisher *f, uint32_t state)
{
    if (state != MET_NONE)
        mark(f, f->d->states.at[state].value);
}

/* A value after all that it reads. Depth: no deeper than the region is long. */
static void mark(finisher *f, uint32_t value)
{
    const met_stream_value *v = &f->d->values.at[value];
    if (f->live[value])
        return;
    f->live[value] = true;
    if (v->e)
        mark_scalar(f, v->e);
    if (v->live)
        mark_scalar(f, v->live);
    uint32_t state = v->phase == MET_STREAM_STATE ? state_of_value(f->d, value) : MET_NONE;
    if (state != MET_NONE) {
        const met_stream_state *s = &f->d->states.at[state];
        mark_state(f, s->base);
        mark_state(f, s->count);
        for (uint32_t j = 0; s->kind == MET_STATE_CENTRED && j < s->power; j++)
            mark_state(f, s->lower[j]);
        if (s->decay)
            mark_scalar(f, s->decay);
    }
    f->order[f->count++] = value;
}

/* Values that are read, in their own order as far as that can be. */
static void sort(finisher *f)
{
    bool *used = MET_NEW_ARRAY(f->d->arena, bool, f->d->values.count);
    memcpy(used, f->live, f->d->values.count * sizeof *used);
    memset(f->live, 0, f->d->values.count * sizeof *used);
    f->count = 0;
    for (uint32_t i = 0; i < f->d->values.count; i++)
        if (used[i])
            mark(f, i);
}

static const met_scalar *renumbered(const finisher *f, const met_scalar *e)
{
    if (!e || (e->kind == MET_SCALAR_INPUT && e->input == MET_REGION_STATE))
        return e;
    if (e->kind == MET_SCALAR_INPUT)
        return met_scalar_input(f->d->arena, f->place[e->input]);
    if (e->kind != MET_SCALAR_CALL)
        return e;
    return met_scalar_call(f->d->arena, e->fn, renumbered(f, e->arguments[0]), renumbered(f, e->arguments[1]),
                           renumbered(f, e->arguments[2]));
}

/* Inputs, then the head, then body and states as they depend on each other, then the tail. */
static void take(finisher *f, met_stream_term *term, int part)
{
    met_stream_value *values = (met_stream_value *)(uintptr_t)term->values;
    static const int part_of[] = { [MET_STREAM_INPUT] = 0, [MET_STREAM_HEAD] = 1, [MET_STREAM_BODY] = 2,
                                   [MET_STREAM_STATE] = 2, [MET_STREAM_TAIL] = 3 };
    for (uint32_t i = 0; i < f->count; i++) {
        const met_stream_value *value = &f->d->values.at[f->order[i]];
        if (part_of[value->phase] != part)
            continue;
        f->place[f->order[i]] = term->value_count;
        values[term->value_count] = *value;
        values[term->value_count].e = renumbered(f, value->e);
        values[term->value_count].live = renumbered(f, value->live);
        term->value_count++;
    }
}

static const met_dim *size_of(met_deriver *d, met_loops loops)
{
    const met_dim *size = met_dim_constant(d->arena, 1);
    for (uint32_t i = 0; i < d->region->loop_count; i++)
        if (loops >> i & 1)
            size = met_dim_mul(d->arena, size, d->region->loops[i].size);
    return size;
}

static void take_states(finisher *f, met_stream_term *term)
{
    met_deriver *d = f->d;
    met_stream_state *states = MET_NEW_ARRAY(d->arena, met_stream_state, d->states.count);
    for (uint32_t i = 0; i < d->states.count; i++)
        f->state_place[i] = MET_NONE;
    for (uint32_t v = 0; v < f->count; v++) {
        uint32_t i = state_of_value(d, f->order[v]);
        if (i == MET_NONE || d->values.at[f->order[v]].phase != MET_STREAM_STATE)
            continue;
        met_stream_state *state = &states[term->state_count];
        f->state_place[i] = term->state_count++;
        *state = d->states.at[i];
        state->value = f->place[state->value];
        state->decay = renumbered(f, state->decay);
        state->base = state->base == MET_NONE ? MET_NONE : f->state_place[state->base];
        state->count = state->count == MET_NONE ? MET_NONE : f->state_place[state->count];
        for (uint32_t j = 0; state->kind == MET_STATE_CENTRED && j < state->power; j++)
            state->lower[j] = state->lower[j] == MET_NONE ? MET_NONE : f->state_place[state->lower[j]];
    }
    term->states = states;
}

/* The loops that all streams which a formula reads have in common. */
static met_loops common_loops(const met_stream_term *term, const met_scalar *e)
{
    met_loops stream = (met_loops)1 << term->stream, loops = ~(met_loops)0;
    if (e->kind == MET_SCALAR_INPUT && e->input != MET_REGION_STATE)
        return term->values[e->input].loops & stream ? term->values[e->input].loops : loops;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        loops &= e->arguments[i] ? common_loops(term, e->arguments[i]) : loops;
    return loops;
}

/* In a contraction each row of the one array has a state over the columns of the other: columns are the last loop that
 * some array lacks. */
static met_loops without_columns(const met_stream_term *term, met_loops rows)
{
    met_loops lacking = rows & ~common_loops(term, term->values[term->states[0].value].e);
    uint32_t last = 0;
    while (lacking >> 1 >> last)
        last++;
    return lacking ? rows & ~((met_loops)1 << last) : rows;
}

/* A row is what has a state of its own: loops that all states and outputs share. */
static void count_words(met_deriver *d, met_stream_term *term)
{
    met_stream_state *states = (met_stream_state *)(uintptr_t)term->states;
    met_loops rows = ~(met_loops)0;
    for (uint32_t i = 0; i < term->value_count; i++)
        if (term->values[i].output && !(term->values[i].loops & d->stream))
            rows &= term->values[i].loops;
    for (uint32_t i = 0; i < term->state_count; i++)
        if (!states[i].weights && states[i].kind != MET_STATE_COUNT)
            rows &= states[i].loops;
    if (term->state_count == 1)
        rows = without_columns(term, rows);
    term->rows = term->state_count ? rows : 0;
    for (uint32_t i = 0; i < term->state_count; i++) {
        states[i].words = size_of(d, states[i].loops & ~rows);
        bool shared = states[i].kind == MET_STATE_SLOTS && states[i].base != MET_NONE; /* the indices of other slots */
        if (states[i].slots)
            states[i].words = met_dim_mul(d->arena, states[i].words, shared ? met_dim_constant(d->arena, 0) : states[i].slots);
    }
}

static void name_folds(met_deriver *d, met_stream_term *term)
{
    const char **folds = MET_NEW_ARRAY(d->arena, const char *, term->state_count);
    term->monoid = true;
    for (uint32_t i = 0; i < term->state_count; i++) {
        const char *name = met_region_fold_table[term->values[term->states[i].value].fold].spelling;
        term->monoid = term->monoid && term->states[i].kind != MET_STATE_FOLD;
        uint32_t at = 0;
        while (at < term->fold_count && strcmp(folds[at], name) < 0)
            at++;
        bool known = at < term->fold_count && strcmp(folds[at], name) == 0;
        bool shared = term->states[i].kind == MET_STATE_SLOTS && term->states[i].base != MET_NONE;
        if (known || shared || term->states[i].split_only)
            continue;
        memmove(&folds[at + 1], &folds[at], (term->fold_count - at) * sizeof *folds);
        folds[at] = name;
        term->fold_count++;
    }
    term->folds = folds;
}

static const char *value_name(const void *context, uint32_t value)
{
    const met_deriver *d = context;
    return value < d->values.count ? d->values.at[value].name : d->region->values[d->refusal.where].name;
}

static const met_stream_term *refused(met_deriver *d, met_stream_term *term)
{
    term->reason = d->refusal.reason;
    term->where = d->refusal.where;
    term->help = d->help;
    if (d->refusal.blocking) {
        met_text text = met_text_new(d->arena);
        met_region_print_scalar(&text, d->refusal.blocking, d->region, value_name, d);
        term->factor = met_text_done(&text);
    }
    return term;
}

const met_stream_term *met_deriver_finish(met_deriver *d)
{
    met_stream_term *term = MET_NEW(d->arena, met_stream_term);
    *term = (met_stream_term){ .region = d->region, .stream = d->loop, .streams = !d->refusal.reason, .rank = d->rank };
    term->constant = d->constant;
    if (!term->streams)
        return refused(d, term);
    uint32_t count = (uint32_t)d->values.count;
    finisher f = { d, MET_NEW_ARRAY(d->arena, uint32_t, count), MET_NEW_ARRAY(d->arena, uint32_t, d->states.count),
                   MET_NEW_ARRAY(d->arena, bool, count), MET_NEW_ARRAY(d->arena, uint32_t, count), 0 };
    for (uint32_t i = 0; i < count; i++)
        if (d->values.at[i].phase == MET_STREAM_INPUT)
            mark(&f, i);
    for (uint32_t i = 0; i < count; i++)
        if (d->values.at[i].output)
            mark(&f, i);
    sort(&f);
    term->values = MET_NEW_ARRAY(d->arena, met_stream_value, f.count);
    for (int part = 0; part < 4; part++)
        take(&f, term, part);
    take_states(&f, term);
    count_words(d, term);
    name_folds(d, term);
    return term;
}

const met_dim *met_stream_words(met_arena *arena, const met_stream_term *term)
{
    const met_dim *words = met_dim_constant(arena, 0);
    for (uint32_t i = 0; i < term->state_count; i++)
        if (!term->states[i].weights && !term->states[i].split_only)
            words = met_dim_add(arena, words, term->states[i].words);
    return words;
}
