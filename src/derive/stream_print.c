/* Stream terms as pseudocode for people. */
#include <string.h>

#include "derive/stream.h"

static const char *value_name(const void *context, uint32_t value)
{
    return value == MET_REGION_STATE ? "before" : ((const met_stream_term *)context)->values[value].name;
}

static void put_scalar(met_text *out, const met_stream_term *term, const met_scalar *e)
{
    met_region_print_scalar(out, e, term->region, value_name, term);
}

static void put_loops(met_text *out, const met_stream_term *term, met_loops loops)
{
    bool first = true;
    for (uint32_t i = 0; i < term->region->loop_count; i++) {
        if (!(loops >> i & 1))
            continue;
        met_text_format(out, "%s%s", first ? "" : " ", term->region->loops[i].name);
        first = false;
    }
}

/* sum[d] a*b, or a formula. */
static void put_value(met_text *out, const met_stream_term *term, const met_stream_value *value)
{
    if (value->fold != MET_REGION_NONE) {
        met_text_format(out, "%s[", met_region_fold_table[value->fold].spelling);
        put_loops(out, term, value->reduced);
        met_text_put(out, "] ");
    }
    put_scalar(out, term, value->e);
}

/* delta with the names of the base before and after: exp(m' - m). */
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
    const char *base = term->values[term->states[state->base].value].name;
    met_text primed = met_text_new(out->arena);
    met_text_format(&primed, "%s'", base);
    renaming names = { met_text_done(&primed), base };
    met_region_print_scalar(out, state->delta, term->region, base_name, &names);
}

static void put_dim(met_text *out, const met_stream_term *term, const met_dim *dim)
{
    met_dim_print(out, dim, term->region->size_name, term->region->size_context);
}

static void put_words(met_text *out, const met_stream_term *term, const met_dim *words)
{
    uint64_t n;
    put_dim(out, term, words);
    met_text_put(out, met_dim_is_constant(words, &n) && n == 1 ? " word" : " words");
}

static bool any_of(const met_stream_term *term, met_stream_phase phase)
{
    for (uint32_t i = 0; i < term->value_count; i++)
        if (term->values[i].phase == phase)
            return true;
    return false;
}

static void put_label(met_text *out, const char *label)
{
    size_t start = out->length;
    met_text_put(out, label);
    met_text_pad(out, start, 8);
}

/* What a state is, beside its name and words. */
static void put_kind(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const met_stream_value *value = &term->values[state->value];
    const char *base = state->base == MET_NONE ? "" : term->values[term->states[state->base].value].name;
    switch (state->kind) {
    case MET_STATE_PLAIN:
        met_text_put(out, met_region_fold_table[value->fold].spelling);
        break;
    case MET_STATE_REBASED:
        met_text_format(out, "sum, relative to %s%s", base, state->exact ? " by powers of two" : "");
        break;
    case MET_STATE_COUNT:
        met_text_put(out, "count");
        break;
    case MET_STATE_MEAN:
        met_text_put(out, "mean");
        break;
    case MET_STATE_CENTRED:
        met_text_format(out, "sum, centred at %s", base);
        break;
    case MET_STATE_SCAN:
        met_text_put(out, "recurrence, affine");
        break;
    case MET_STATE_FOLD:
        met_text_put(out, "recurrence, a fold only");
        break;
    case MET_STATE_SLOTS:
        met_text_put(out, met_region_fold_table[value->fold].spelling);
        break;
    }
    if (state->weights && state->kind != MET_STATE_COUNT)
        met_text_put(out, ", of weights");
    if (state->split_only)
        met_text_put(out, ", only to split");
}

static void put_states(met_text *out, const met_stream_term *term)
{
    if (term->state_count == 0)
        return;
    for (uint32_t i = 0; i < term->state_count; i++) {
        put_label(out, i == 0 ? "state" : "");
        size_t start = out->length;
        met_text_put(out, term->values[term->states[i].value].name);
        met_text_pad(out, start, 8);
        start = out->length;
        put_words(out, term, term->states[i].words);
        met_text_pad(out, start, 12);
        put_kind(out, term, &term->states[i]);
        met_text_char(out, '\n');
    }
}

static void put_phase(met_text *out, const met_stream_term *term, const char *label, met_stream_phase phase)
{
    for (uint32_t i = 0; i < term->value_count; i++) {
        const met_stream_value *value = &term->values[i];
        if (value->phase != phase)
            continue;
        put_label(out, label);
        label = "";
        met_text_format(out, "%s = ", value->name);
        put_value(out, term, value);
        met_text_char(out, '\n');
    }
}

/* The law of a centred state, when the mean falls by d. */
static void put_moved(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const char *base = term->values[term->states[state->base].value].name;
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
        met_text_format(out, "*%s'", term->values[term->states[state->lower[j]].value].name);
    }
}

static void put_body_fold(met_text *out, const met_stream_term *term, const met_stream_value *value)
{
    met_region_fold fold = value->fold;
    if (value->reduced & ~((met_loops)1 << term->stream)) {
        met_text_format(out, "%s[", met_region_fold_table[fold].spelling);
        put_loops(out, term, value->reduced & ~((met_loops)1 << term->stream));
        met_text_put(out, "] ");
    }
    put_scalar(out, term, value->e);
}

static void put_times(met_text *out, const met_stream_term *term, uint32_t value, const met_scalar *factor)
{
    put_scalar(out, term, met_scalar_call(out->arena, MET_FN_mul, met_scalar_input(out->arena, value), factor, NULL));
}

static void put_step(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    const met_stream_value *value = &term->values[state->value];
    const char *name = value->name;
    met_text_format(out, "%s ← ", name);
    switch (state->kind) {
    case MET_STATE_PLAIN:
        if (value->fold == MET_REGION_SUM) {
            met_text_format(out, "%s + ", name);
            put_body_fold(out, term, value);
            return;
        }
        if (value->fold == MET_REGION_PROD) {
            put_times(out, term, state->value, value->e);
            return;
        }
        met_text_format(out, "%s(%s, ", met_region_fold_table[value->fold].spelling, name);
        put_body_fold(out, term, value);
        met_text_char(out, ')');
        break;
    case MET_STATE_REBASED:
        met_text_format(out, "%s*", name);
        put_delta(out, term, state);
        met_text_put(out, " + ");
        put_body_fold(out, term, value);
        break;
    case MET_STATE_COUNT:
        met_text_format(out, "%s + 1", name);
        break;
    case MET_STATE_MEAN:
        met_text_format(out, "%s + (", name);
        put_body_fold(out, term, value);
        met_text_format(out, " - %s)/%s", name, term->values[term->states[state->count].value].name);
        break;
    case MET_STATE_CENTRED:
        put_moved(out, term, state);
        met_text_put(out, " + ");
        put_body_fold(out, term, value);
        break;
    case MET_STATE_SCAN:
        put_times(out, term, state->value, state->decay);
        met_text_put(out, " + ");
        put_scalar(out, term, value->e);
        break;
    case MET_STATE_FOLD: {
        put_scalar(out, term, value->e);
        met_text_format(out, "  where before = %s", name);
        break;
    }
    case MET_STATE_SLOTS:
        met_text_format(out, "the largest of %s and ", name);
        put_body_fold(out, term, value);
        break;
    }
}

static void put_body(met_text *out, const met_stream_term *term)
{
    met_text label = met_text_new(out->arena);
    met_text_put(&label, "body");
    for (uint32_t i = 0, state = 0; i < term->value_count; i++) {
        const met_stream_value *value = &term->values[i];
        if (value->phase != MET_STREAM_BODY && value->phase != MET_STREAM_STATE)
            continue;
        put_label(out, met_text_done(&label));
        label.length = 0;
        met_text_put(&label, "");
        if (value->phase == MET_STREAM_STATE) {
            put_step(out, term, &term->states[state++]);
        } else {
            met_text_format(out, "%s = ", value->name);
            put_value(out, term, value);
        }
        met_text_char(out, '\n');
        label = met_text_new(out->arena);
    }
}

static void put_names(met_text *out, const met_stream_term *term, const char *label, met_stream_phase phase)
{
    bool first = true;
    for (uint32_t i = 0; i < term->value_count; i++) {
        if (term->values[i].phase != phase || term->values[i].fold != MET_REGION_NONE || term->values[i].origin == MET_NONE)
            continue;
        if (first)
            put_label(out, label);
        met_text_format(out, "%s%s", first ? "" : ", ", term->values[i].name);
        first = false;
    }
    if (!first)
        met_text_char(out, '\n');
}

static void put_refusal(met_text *out, const met_stream_term *term)
{
    const met_region_value *where = &term->region->values[term->where];
    met_text_format(out, "refuse  along %s: %s\n", term->region->loops[term->stream].name, term->reason);
    if (term->factor)
        met_text_format(out, "factor  %s\n", term->factor);
    met_text_format(out, "where   %s\n", where->name);
    if (term->help)
        met_text_format(out, "help    %s\n", term->help);
}

void met_stream_print(met_text *out, const met_stream_term *term)
{
    if (!term->streams) {
        put_refusal(out, term);
        return;
    }
    met_text_format(out, "stream  %s, %s\n", term->region->loops[term->stream].name,
                    term->monoid ? "a monoid: may also be split" : "a fold only: must not be split");
    met_text_format(out, "rank    %u\n", term->rank);
    put_states(out, term);
    if (term->state_count) {
        put_label(out, "words");
        put_dim(out, term, met_stream_words(out->arena, term));
        if (term->rows) {
            met_text_put(out, " per ");
            put_loops(out, term, term->rows);
        }
        met_text_char(out, '\n');
    }
    if (any_of(term, MET_STREAM_HEAD))
        put_phase(out, term, "head", MET_STREAM_HEAD);
    put_body(out, term);
    put_phase(out, term, "tail", MET_STREAM_TAIL);
    put_names(out, term, "before", MET_STREAM_BODY);
    put_names(out, term, "after", MET_STREAM_TAIL);
}
