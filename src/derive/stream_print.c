/* Stream terms as pseudocode for people. */
#include "derive/stream_text.h"

static void put_label(met_text *out, const char *label)
{
    size_t start = out->length;
    met_text_put(out, label);
    met_text_pad(out, start, 8);
}

static size_t longest_name(const met_stream_term *term)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < term->state_count; i++) {
        size_t width = met_columns(met_str_of(term->values[term->states[i].value].name));
        longest = width > longest ? width : longest;
    }
    return longest;
}

static void put_states(met_text *out, const met_stream_term *term)
{
    size_t width = longest_name(term);
    for (uint32_t i = 0; i < term->state_count; i++) {
        const met_stream_state *state = &term->states[i];
        uint64_t n;
        put_label(out, i == 0 ? "state" : "");
        size_t start = out->length;
        met_text_put(out, term->values[state->value].name);
        met_text_pad(out, start, width + 2);
        start = out->length;
        met_stream_put_dim(out, term, state->words);
        met_text_put(out, met_dim_is_constant(state->words, &n) && n == 1 ? " word" : " words");
        met_text_pad(out, start, 11);
        met_text_char(out, ' ');
        met_stream_put_kind(out, term, state);
        met_text_char(out, '\n');
    }
    if (!term->state_count)
        return;
    put_label(out, "words");
    met_stream_put_dim(out, term, met_stream_words(out->arena, term));
    if (term->rows) {
        met_text_put(out, " for each ");
        met_stream_put_loops(out, term, term->rows);
    }
    met_text_char(out, '\n');
}

static void put_lines(met_text *out, const met_stream_term *term, const char *label, met_stream_phase phase, met_stream_phase other)
{
    for (uint32_t i = 0; i < term->value_count; i++) {
        if (term->values[i].phase != phase && term->values[i].phase != other)
            continue;
        put_label(out, label);
        label = "";
        met_stream_put_line(out, term, i);
        met_text_char(out, '\n');
    }
}

static void put_lifts(met_text *out, const met_stream_term *term, const char *label, met_stream_phase phase)
{
    bool first = true;
    for (uint32_t i = 0; i < term->value_count; i++) {
        if (!met_stream_is_lift(term, i, phase))
            continue;
        if (first)
            put_label(out, label);
        met_text_format(out, "%s%s", first ? "" : ", ", term->values[i].name);
        first = false;
    }
    met_text_put(out, first ? "" : "\n");
}

static void put_refusal(met_text *out, const met_stream_term *term)
{
    put_label(out, "refuse");
    met_text_format(out, "along %s: %s\n", term->region->loops[term->stream].name, term->reason);
    if (term->factor) {
        put_label(out, "factor");
        met_text_format(out, "%s\n", term->factor);
    }
    put_label(out, "where");
    met_text_format(out, "%s\n", term->region->values[term->where].name);
    if (term->help) {
        put_label(out, "help");
        met_text_format(out, "%s\n", term->help);
    }
}

void met_stream_print(met_text *out, const met_stream_term *term)
{
    if (!term->streams) {
        put_refusal(out, term);
        return;
    }
    put_label(out, "stream");
    met_text_format(out, "%s\n", term->region->loops[term->stream].name);
    put_label(out, "is");
    met_text_put(out, term->monoid ? "a monoid: may be streamed and split" : "only a fold: may be streamed, not split");
    met_text_format(out, "; rank %u%s\n", term->rank, term->constant ? " and a constant" : "");
    put_states(out, term);
    put_lines(out, term, "head", MET_STREAM_HEAD, MET_STREAM_HEAD);
    put_lines(out, term, "body", MET_STREAM_BODY, MET_STREAM_STATE);
    put_lines(out, term, "tail", MET_STREAM_TAIL, MET_STREAM_TAIL);
    put_lifts(out, term, "before", MET_STREAM_BODY);
    put_lifts(out, term, "after", MET_STREAM_TAIL);
}
