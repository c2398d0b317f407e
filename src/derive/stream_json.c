/* Stream terms as JSON (docs/formats/kernel-term-json.md). */
#include "base/json.h"
#include "derive/stream_text.h"

/* A number if it is one, otherwise the expression as a string. */
static void put_words(met_json *json, const met_stream_term *term, const met_dim *words)
{
    uint64_t n;
    if (met_dim_is_constant(words, &n)) {
        met_json_put_integer(json, "words", n);
        return;
    }
    met_text text = met_text_new(json->out->arena);
    met_stream_put_dim(&text, term, words);
    met_json_put_string(json, "words", met_text_done(&text));
}

static void put_state(met_json *json, const met_stream_term *term, const met_stream_state *state)
{
    met_text kind = met_text_new(json->out->arena);
    met_stream_put_kind(&kind, term, state);
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", term->values[state->value].name);
    put_words(json, term, state->words);
    met_json_put_string(json, "fold", met_region_fold_table[term->values[state->value].fold].spelling);
    met_json_put_string(json, "base", state->base == MET_NONE ? NULL : term->values[term->states[state->base].value].name);
    met_json_put_string(json, "is", met_text_done(&kind));
    met_json_close(json, '}');
}

static void open_list(met_json *json, const char *key)
{
    met_json_line(json, 2);
    met_json_open(json, key, '[');
}

/* Of items that have a line each. */
static void close_list(met_json *json)
{
    if (!json->empty)
        met_json_line(json, 2);
    met_json_close(json, ']');
}

static void put_states(met_json *json, const met_stream_term *term)
{
    open_list(json, "state");
    for (uint32_t i = 0; i < term->state_count; i++) {
        met_json_line(json, 4);
        put_state(json, term, &term->states[i]);
    }
    close_list(json);
}

static void put_lines(met_json *json, const met_stream_term *term, const char *key, met_stream_phase phase, met_stream_phase other)
{
    open_list(json, key);
    for (uint32_t i = 0; i < term->value_count; i++) {
        if (term->values[i].phase != phase && term->values[i].phase != other)
            continue;
        met_text line = met_text_new(json->out->arena);
        met_stream_put_line(&line, term, i);
        met_json_line(json, 4);
        met_json_put_string(json, NULL, met_text_done(&line));
    }
    close_list(json);
}

static void put_lifts(met_json *json, const met_stream_term *term, const char *key, met_stream_phase phase)
{
    open_list(json, key);
    for (uint32_t i = 0; i < term->value_count; i++)
        if (met_stream_is_lift(term, i, phase))
            met_json_put_string(json, NULL, term->values[i].name);
    met_json_close(json, ']');
}

static void put_refusal(met_json *json, const met_stream_term *term)
{
    met_json_line(json, 2);
    if (term->streams) {
        met_json_put_null(json, "refusal");
        return;
    }
    met_json_open(json, "refusal", '{');
    met_json_put_string(json, "reason", term->reason);
    met_json_put_string(json, "factor", term->factor);
    met_json_put_string(json, "where", term->region->values[term->where].name);
    met_json_put_string(json, "help", term->help);
    met_json_close(json, '}');
}

static void put_head(met_json *json, const met_stream_term *term)
{
    met_text rows = met_text_new(json->out->arena);
    met_stream_put_loops(&rows, term, term->rows);
    met_json_line(json, 2);
    met_json_put_string(json, "verdict", term->streams ? "streams" : "refuse");
    met_json_line(json, 2);
    met_json_put_string(json, "stream", term->region->loops[term->stream].name);
    met_json_line(json, 2);
    met_json_put_flag(json, "monoid", term->monoid);
    met_json_line(json, 2);
    met_json_put_integer(json, "rank", term->streams ? term->rank : 0);
    met_json_line(json, 2);
    met_json_put_integer(json, "passes", term->streams ? 1 : 0);
    met_json_line(json, 2);
    met_json_put_strings(json, "folds", term->fold_count, term->folds);
    met_json_line(json, 2);
    put_words(json, term, met_stream_words(json->out->arena, term));
    met_json_line(json, 2);
    met_json_put_string(json, "rows", met_text_done(&rows));
}

void met_stream_json(met_text *out, const met_stream_term *term)
{
    met_json writer = met_json_new(out), *json = &writer;
    met_json_open(json, NULL, '{');
    put_head(json, term);
    put_states(json, term);
    put_lines(json, term, "head", MET_STREAM_HEAD, MET_STREAM_HEAD);
    put_lines(json, term, "body", MET_STREAM_BODY, MET_STREAM_STATE);
    put_lines(json, term, "tail", MET_STREAM_TAIL, MET_STREAM_TAIL);
    put_lifts(json, term, "prelifts", MET_STREAM_BODY);
    put_lifts(json, term, "postlifts", MET_STREAM_TAIL);
    put_refusal(json, term);
    met_json_line(json, 0);
    met_json_close(json, '}');
    met_json_done(json);
}
