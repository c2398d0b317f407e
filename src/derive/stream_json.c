/* Stream terms as JSON (docs/formats/kernel-term-json.md). */
#include "derive/stream_text.h"

static void put_string(met_text *out, const char *string)
{
    if (string)
        met_text_json_string(out, met_str_of(string));
    else
        met_text_put(out, "null");
}

static void put_key(met_text *out, const char *key)
{
    met_text_format(out, ",\n  \"%s\": ", key);
}

/* A number if it is one, otherwise the expression as a string. */
static void put_words(met_text *out, const met_stream_term *term, const met_dim *words)
{
    uint64_t n;
    met_text text = met_text_new(out->arena);
    met_stream_put_dim(&text, term, words);
    if (met_dim_is_constant(words, &n))
        met_text_put(out, met_text_done(&text));
    else
        put_string(out, met_text_done(&text));
}

static void put_state(met_text *out, const met_stream_term *term, const met_stream_state *state)
{
    met_text kind = met_text_new(out->arena);
    met_stream_put_kind(&kind, term, state);
    met_text_put(out, "{ \"name\": ");
    put_string(out, term->values[state->value].name);
    met_text_put(out, ", \"words\": ");
    put_words(out, term, state->words);
    met_text_put(out, ", \"fold\": ");
    put_string(out, met_region_fold_table[term->values[state->value].fold].spelling);
    met_text_put(out, ", \"base\": ");
    put_string(out, state->base == MET_NONE ? NULL : term->values[term->states[state->base].value].name);
    met_text_put(out, ", \"is\": ");
    put_string(out, met_text_done(&kind));
    met_text_put(out, " }");
}

static void put_states(met_text *out, const met_stream_term *term)
{
    put_key(out, "state");
    met_text_char(out, '[');
    for (uint32_t i = 0; i < term->state_count; i++) {
        met_text_put(out, i ? ",\n    " : "\n    ");
        put_state(out, term, &term->states[i]);
    }
    met_text_put(out, term->state_count ? "\n  ]" : "]");
}

static void put_lines(met_text *out, const met_stream_term *term, const char *key, met_stream_phase phase, met_stream_phase other)
{
    bool first = true;
    put_key(out, key);
    met_text_char(out, '[');
    for (uint32_t i = 0; i < term->value_count; i++) {
        if (term->values[i].phase != phase && term->values[i].phase != other)
            continue;
        met_text line = met_text_new(out->arena);
        met_stream_put_line(&line, term, i);
        met_text_put(out, first ? "\n    " : ",\n    ");
        put_string(out, met_text_done(&line));
        first = false;
    }
    met_text_put(out, first ? "]" : "\n  ]");
}

static void put_names(met_text *out, const char *key, uint32_t count, const char *const *names)
{
    put_key(out, key);
    met_text_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        met_text_put(out, i ? ", " : "");
        put_string(out, names[i]);
    }
    met_text_char(out, ']');
}

static void put_lifts(met_text *out, const met_stream_term *term, const char *key, met_stream_phase phase)
{
    const char **names = MET_NEW_ARRAY(out->arena, const char *, term->value_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < term->value_count; i++)
        if (met_stream_is_lift(term, i, phase))
            names[count++] = term->values[i].name;
    put_names(out, key, count, names);
}

static void put_refusal(met_text *out, const met_stream_term *term)
{
    put_key(out, "refusal");
    if (term->streams) {
        met_text_put(out, "null");
        return;
    }
    met_text_put(out, "{ \"reason\": ");
    put_string(out, term->reason);
    met_text_put(out, ", \"factor\": ");
    put_string(out, term->factor);
    met_text_put(out, ", \"where\": ");
    put_string(out, term->region->values[term->where].name);
    met_text_put(out, ", \"help\": ");
    put_string(out, term->help);
    met_text_put(out, " }");
}

void met_stream_json(met_text *out, const met_stream_term *term)
{
    met_text rows = met_text_new(out->arena);
    met_stream_put_loops(&rows, term, term->rows);
    met_text_put(out, "{\n  \"verdict\": ");
    put_string(out, term->streams ? "streams" : "refuse");
    put_key(out, "stream");
    put_string(out, term->region->loops[term->stream].name);
    put_key(out, "monoid");
    met_text_put(out, term->monoid ? "true" : "false");
    put_key(out, "rank");
    met_text_format(out, "%u", term->streams ? term->rank : 0);
    put_key(out, "passes");
    met_text_format(out, "%d", term->streams ? 1 : 0);
    put_names(out, "folds", term->fold_count, term->folds);
    put_key(out, "words");
    put_words(out, term, met_stream_words(out->arena, term));
    put_key(out, "rows");
    put_string(out, met_text_done(&rows));
    put_states(out, term);
    put_lines(out, term, "head", MET_STREAM_HEAD, MET_STREAM_HEAD);
    put_lines(out, term, "body", MET_STREAM_BODY, MET_STREAM_STATE);
    put_lines(out, term, "tail", MET_STREAM_TAIL, MET_STREAM_TAIL);
    put_lifts(out, term, "prelifts", MET_STREAM_BODY);
    put_lifts(out, term, "postlifts", MET_STREAM_TAIL);
    put_refusal(out, term);
    met_text_put(out, "\n}\n");
}
