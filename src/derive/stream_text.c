#include "derive/stream_text.h"

static const char *value_name(const void *context, uint32_t value)
{
    return value == MET_REGION_STATE ? "before" : ((const met_stream_term *)context)->values[value].name;
}

static const char *state_name(const met_stream_term *term, uint32_t state)
{
    return state == MET_NONE ? "" : term->values[term->states[state].value].name;
}

static void put_scalar(met_text *out, const met_stream_term *term, const met_scalar *e)
{
    met_region_print_scalar(out, e, term->region, value_name, term);
}

void met_stream_put_loops(met_text *out, const met_stream_term *term, met_loops loops)
{
    bool first = true;
    for (uint32_t i = 0; i < term->region->loop_count; i++) {
        if (!(loops >> i & 1))
            continue;
        met_text_format(out, "%s%s", first ? "" : " ", term->region->loops[i].name);
        first = false;
    }
}

void met_stream_put_dim(met_text *out, const met_stream_term *term, const met_dim *dim)
{
    met_dim_print(out, dim, term->region->size_name, term->region->size_context);
}

/* sum[d] a*b, or a formula; the stream itself is not named. */
static void put_folded(met_text *out, const met_stream_term *term, const met_stream_value *value)
{
    met_loops inner = value->reduced & ~((met_loops)1 << term->stream);
    if (inner) {
        met_text_format(out, "%s[", met_region_fold_table[value->fold].spelling);
        met_stream_put_loops(out, term, inner);
        met_text_put(out, "] ");
    }
    put_scalar(out, term, value->e);
}

/* delta with the base before and after: exp(m' - m). */
typedef struct renaming {
    const char *old, *new;
} renaming;

static const char *base_name(const void *context, uint32_t input)
{
    const renaming *names = context;
    return input == 0 ? names->old : names->new;
}

static void put_delta(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    met_text primed = met_text_new(out->arena);
    met_text_format(&primed, "%s'", state_name(term, state->base));
    renaming names = { met_text_done(&primed), state_name(term, state->base) };
    met_region_print_scalar(out, state->delta, term->region, base_name, &names);
}

/* A centred state after the mean moved: T + p·(m' - m)·T_(p-1) + …, from what was there before. */
static void put_moved(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const char *base = state_name(term, state->base);
    met_text_put(out, term->values[state->value].name);
    double binomial = 1;
    for (uint32_t j = state->power; j-- > 0;) {
        binomial = binomial * (j + 1) / (state->power - j);
        if (state->lower[j] == MET_NONE)
            continue;
        met_text_put(out, " + ");
        if (binomial != 1) {
            met_text_double(out, binomial);
            met_text_char(out, '*');
        }
        met_text_format(out, "(%s' - %s)", base, base);
        if (state->power - j > 1)
            met_text_format(out, "^%u", state->power - j);
        met_text_format(out, "*%s'", state_name(term, state->lower[j]));
    }
}

static void put_times(met_text *out, const met_stream_term *term, uint32_t value, const met_scalar *factor)
{
    put_scalar(out, term, met_scalar_call(out->arena, MET_FN_mul, met_scalar_input(out->arena, value), factor, NULL));
}

static void put_plain(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const met_stream_value *value = &term->values[state->value];
    if (value->fold == MET_REGION_PROD) {
        put_times(out, term, state->value, value->e);
        return;
    }
    if (value->fold == MET_REGION_SUM) {
        met_text_format(out, "%s + ", value->name);
        put_folded(out, term, value);
        return;
    }
    met_text_format(out, "%s(%s, ", met_region_fold_table[value->fold].spelling, value->name);
    put_folded(out, term, value);
    met_text_char(out, ')');
}

static void put_step(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const met_stream_value *value = &term->values[state->value];
    switch (state->kind) {
    case MET_STATE_PLAIN:
        put_plain(out, term, state);
        return;
    case MET_STATE_REBASED:
        met_text_format(out, "%s*", value->name);
        put_delta(out, term, state);
        break;
    case MET_STATE_COUNT:
        met_text_put(out, value->name);
        break;
    case MET_STATE_MEAN:
        met_text_format(out, "%s + (", value->name);
        put_folded(out, term, value);
        met_text_format(out, " - %s)/%s", value->name, state_name(term, state->count));
        return;
    case MET_STATE_CENTRED:
        put_moved(out, term, state);
        break;
    case MET_STATE_SCAN:
        put_times(out, term, state->value, state->decay);
        break;
    case MET_STATE_FOLD:
        put_scalar(out, term, value->e);
        met_text_format(out, "  where before = %s'", value->name);
        return;
    case MET_STATE_SLOTS:
        if (state->base != MET_NONE) {
            met_text_put(out, "their indices");
            return;
        }
        met_text_format(out, "the largest of %s and ", value->name);
        put_folded(out, term, value);
        return;
    }
    met_text_put(out, " + ");
    put_folded(out, term, value);
}

static const met_stream_state *state_of(const met_stream_term *term, uint32_t value)
{
    for (uint32_t i = 0; i < term->state_count; i++)
        if (term->states[i].value == value)
            return &term->states[i];
    return NULL;
}

void met_stream_put_line(met_text *out, const met_stream_term *term, uint32_t number)
{
    const met_stream_value *value = &term->values[number];
    if (value->phase == MET_STREAM_STATE) {
        met_text_format(out, "%s ← ", value->name);
        put_step(out, term, state_of(term, number));
    } else {
        met_text_format(out, "%s = ", value->name);
        put_folded(out, term, value);
    }
    if (value->live) {
        met_text_put(out, "  where ");
        put_scalar(out, term, value->live);
    }
}

void met_stream_put_kind(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const met_stream_value *value = &term->values[state->value];
    const char *fold = met_region_fold_table[value->fold].spelling;
    switch (state->kind) {
    case MET_STATE_PLAIN:
        met_text_put(out, fold);
        break;
    case MET_STATE_SLOTS:
        met_text_put(out, state->base == MET_NONE ? fold : "the indices of ");
        met_text_put(out, state_name(term, state->base));
        break;
    case MET_STATE_REBASED:
        met_text_format(out, "%s, relative to %s", fold, state_name(term, state->base));
        break;
    case MET_STATE_COUNT:
        met_text_put(out, "count");
        break;
    case MET_STATE_MEAN:
        met_text_put(out, "mean");
        break;
    case MET_STATE_CENTRED:
        met_text_format(out, "%s, centred at %s", fold, state_name(term, state->base));
        break;
    case MET_STATE_SCAN:
        met_text_put(out, "affine recurrence");
        break;
    case MET_STATE_FOLD:
        met_text_put(out, "recurrence");
        break;
    }
    met_text_put(out, state->exact ? " by powers of two" : "");
    met_text_put(out, state->weights ? ", of weights" : "");
    met_text_put(out, state->split_only ? ", only to split" : "");
}

bool met_stream_is_lift(const met_stream_term *term, uint32_t value, met_stream_phase phase)
{
    const met_stream_value *v = &term->values[value];
    return v->phase == phase && v->fold == MET_REGION_NONE && v->origin != MET_NONE;
}
