/* Bounds of straight-line programs as JSON (docs/straight.md). What is not bounded is null. */
#include "met/straight.h"

#include <math.h>

#include "base/diag.h"
#include "base/json.h"

static void put_arguments(met_json *json, const met_straight_answer *answer)
{
    static const met_json_field fields[] = {
        { "name", offsetof(met_straight_argument, name), MET_JSON_STRING },
        { "lo", offsetof(met_straight_argument, lo), MET_JSON_NUMBER },
        { "hi", offsetof(met_straight_argument, hi), MET_JSON_NUMBER },
        { "worst_lo", offsetof(met_straight_argument, worst_lo), MET_JSON_NUMBER },
        { "worst_hi", offsetof(met_straight_argument, worst_hi), MET_JSON_NUMBER },
        { 0 },
    };
    met_json_open(json, "arguments", '[');
    for (size_t i = 0; i < answer->argument_count; i++) {
        met_json_open(json, NULL, '{');
        met_json_put_fields(json, fields, &answer->arguments[i]);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_terms(met_session *session, met_json *json, const met_straight_answer *answer)
{
    met_json_open(json, "terms", '[');
    for (size_t i = 0; i < answer->term_count; i++) {
        const met_straight_term *term = &answer->terms[i];
        uint32_t line, column;
        met_source_position(met_session_source(session, term->span.source), term->span.begin, &line, &column);
        met_json_open(json, NULL, '{');
        met_json_put_integer(json, "line", line);
        met_json_put_integer(json, "column", column);
        met_json_put_string(json, "text", term->text);
        met_json_put_number(json, "share", term->share);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_answer(met_session *session, met_json *json, const met_straight_answer *answer, const met_straight_options *options)
{
    static const met_json_field bounds[] = {
        { "absolute", offsetof(met_straight_answer, absolute), MET_JSON_NUMBER },
        { "reached", offsetof(met_straight_answer, reached), MET_JSON_NUMBER },
        { "relative", offsetof(met_straight_answer, relative), MET_JSON_NUMBER },
        { "result_lo", offsetof(met_straight_answer, lo), MET_JSON_NUMBER },
        { "result_hi", offsetof(met_straight_answer, hi), MET_JSON_NUMBER },
        { "why", offsetof(met_straight_answer, why), MET_JSON_STRING },
        { 0 },
    };
    static const met_json_field conditions[] = {
        { "always_defined", offsetof(met_straight_answer, always_defined), MET_JSON_FLAG },
        { "conditions", offsetof(met_straight_answer, conditions), MET_JSON_SIZE },
        { "ignored", offsetof(met_straight_answer, ignored), MET_JSON_SIZE },
        { "boxes", offsetof(met_straight_answer, boxes), MET_JSON_U64 },
        { 0 },
    };
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", answer->name);
    met_json_put_string(json, "precision", answer->precision);
    met_json_put_string(json, "inputs", options->rounded_inputs ? "rounded" : "exact");
    met_json_put_fields(json, bounds, answer);
    met_json_put_string(json, "kind", "bound");
    met_json_put_fields(json, conditions, answer);
    met_json_put_number(json, "library_ulps", !answer->library ? (double)NAN : options->ulps > 0 ? options->ulps : 1);
    met_json_line(json, 2);
    put_arguments(json, answer);
    met_json_line(json, 2);
    put_terms(session, json, answer);
    met_json_close(json, '}');
}

const char *met_straight_json(met_session *session, uint32_t source, const met_straight_options *options)
{
    size_t count;
    const met_straight_answer *answers = met_straight_bound(session, source, options, &count);
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '[');
    for (size_t i = 0; answers && i < count; i++) {
        if (i > 0)
            met_json_line(&json, 1);
        put_answer(session, &json, &answers[i], options);
    }
    met_json_close(&json, ']');
    return answers ? met_json_done(&json) : NULL;
}
