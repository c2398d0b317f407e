/* Transcripts, and comparisons of them, as JSON: the schema is in docs/transcripts.md. */
#include <math.h>

#include "base/json.h"
#include "base/session.h"
#include "met/transcript.h"

static void put_side(met_json *json, const met_transcript_side *side)
{
    static const met_json_field fields[] = {
        { "model", offsetof(met_transcript_side, model), MET_JSON_STRING },
        { "weights", offsetof(met_transcript_side, weights), MET_JSON_STRING },
        { "way", offsetof(met_transcript_side, way), MET_JSON_STRING },
        { "point", offsetof(met_transcript_side, point), MET_JSON_STRING },
        { "underflow", offsetof(met_transcript_side, underflow), MET_JSON_FLAG },
        { 0 },
    };
    met_json_put_fields(json, fields, side);
}

static void put_prompts(met_json *json, const met_transcript_set *set)
{
    met_json_open(json, "prompts", '{');
    met_json_put_string(json, "source", set->prompt_source);
    met_json_put_string(json, "digest", set->prompt_digest);
    met_json_put_integer(json, "count", set->count);
    met_json_close(json, '}');
}

/* --- One side --- */

static void put_top(met_json *json, const met_transcript *t, size_t top)
{
    uint32_t *best = MET_NEW_ARRAY(json->out->arena, uint32_t, top);
    met_json_open(json, "top", '[');
    for (size_t k = 0; k < t->count; k++) {
        const double *scores = t->scores + (t->prompt_count - 1 + k) * t->vocabulary;
        met_score_top(t->vocabulary, scores, top, best);
        met_json_open(json, NULL, '[');
        for (size_t i = 0; i < top; i++) {
            met_json_open(json, NULL, '{');
            met_json_put_integer(json, "token", best[i]);
            met_json_put_number(json, "score", scores[best[i]]);
            met_json_close(json, '}');
        }
        met_json_close(json, ']');
    }
    met_json_close(json, ']');
}

static const char *ended(met_json *json)
{
    met_json_close(json, '}');
    return met_json_done(json);
}

const char *met_transcript_set_json(met_session *session, const met_transcript_set *set, uint64_t top)
{
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    put_side(&json, &set->side);
    put_prompts(&json, set);
    met_json_open(&json, "transcripts", '[');
    for (size_t p = 0; p < set->count; p++) {
        const met_transcript *t = &set->at[p];
        met_json_open(&json, NULL, '{');
        met_json_put_u32s(&json, "prompt", t->prompt_count, t->prompt);
        met_json_put_u32s(&json, "tokens", t->count, t->tokens);
        if (top > 0)
            put_top(&json, t, top < t->vocabulary ? (size_t)top : t->vocabulary);
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    met_json_open(&json, "scores", '{');
    met_json_put_string(&json, "format", set->at[0].format);
    met_json_put_string(&json, "digest", met_transcript_set_digest(session, set));
    met_json_close(&json, '}');
    return ended(&json);
}

/* --- Two sides --- */

static void put_match(met_json *json, const met_transcript_match *m)
{
    met_json_put_integer(json, "positions", m->positions);
    met_json_put_integer(json, "same", m->same);
    met_json_put_number(json, "rate", met_transcript_rate(m));
    if (m->same == m->positions || !m->chose) {
        met_json_put_null(json, "first");
        return;
    }
    met_json_open(json, "first", '{');
    met_json_put_integer(json, "position", m->same + 1);
    met_json_put_integer(json, "a", m->a_token);
    met_json_put_integer(json, "b", m->b_token);
    met_json_put_number(json, "a_margin", m->a_margin);
    met_json_put_number(json, "b_margin", m->b_margin);
    met_json_put_number(json, "apart", m->apart);
    met_json_close(json, '}');
}

static void put_prompt(met_json *json, const met_transcript_diff *d, size_t p)
{
    static const met_json_field distances[] = {
        { "different", offsetof(met_score_distance, different), MET_JSON_SIZE },
        { "largest", offsetof(met_score_distance, max_abs), MET_JSON_NUMBER },
        { "relative", offsetof(met_score_distance, relative), MET_JSON_NUMBER },
        { "divergence", offsetof(met_score_distance, divergence), MET_JSON_NUMBER },
        { "cosine", offsetof(met_score_distance, cosine), MET_JSON_NUMBER },
        { 0 },
    };
    const met_transcript *a = &d->a.at[p], *b = &d->b.at[p];
    met_json_open(json, NULL, '{');
    met_json_put_u32s(json, "prompt", a->prompt_count, a->prompt);
    met_json_put_u32s(json, "a", a->count, a->tokens);
    met_json_put_u32s(json, "b", b->count, b->tokens);
    put_match(json, &d->tally.matches[p]);
    met_json_open(json, "rows", '[');
    for (size_t row = 0; row < a->row_count; row++) {
        met_score_distance s = met_score_compare(a, &d->fed_to_b[p], row);
        met_json_open(json, NULL, '{');
        met_json_put_fields(json, distances, &s);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

static void put_control(met_json *json, const met_transcript_control *c)
{
    static const char *const kinds[] = { [MET_CONTROL_TRANSCRIPT] = "transcript", [MET_CONTROL_PROMPT] = "prompt",
                                         [MET_CONTROL_REPEAT] = "repeat" };
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "control", kinds[c->kind]);
    met_json_put_str(json, "side", (met_str){ &c->side, 1 });
    met_json_put_integer(json, "prompt", c->prompt + 1);
    if (c->kind != MET_CONTROL_REPEAT) {
        met_json_put_integer(json, "position", c->position + 1);
        met_json_put_integer(json, "found", c->found + 1);
    }
    met_json_put_flag(json, "passed", c->passed);
    met_json_close(json, '}');
}

static void put_verdict(met_json *json, const met_transcript_diff *d)
{
    static const char *const promises[] = { [MET_TRANSCRIPT_SAME] = "same", [MET_TRANSCRIPT_OPEN] = "open", [MET_TRANSCRIPT_VOID] = "void" };
    bool same = met_transcript_diff_same(d);
    met_json_put_flag(json, "same", same);
    met_json_put_integer(json, "tier", same ? 1 : 2);
    met_json_put_string(json, "expected", promises[d->promise]);
    met_json_put_string(json, "why", d->why);
    if (d->kept_compared)
        met_json_put_flag(json, "kept_same", d->kept_same);
    else
        met_json_put_null(json, "kept_same");
    met_json_put_number(json, "tolerance", d->derived ? d->tolerance : (double)NAN);
    met_json_put_string(json, "tolerance_why", d->tolerance_why);
    met_json_put_flag(json, "within", met_transcript_diff_within(d));
}

static void put_sides(met_json *json, const met_transcript_diff *d)
{
    met_json_open(json, "a", '{');
    put_side(json, &d->a.side);
    met_json_close(json, '}');
    met_json_open(json, "b", '{');
    put_side(json, &d->b.side);
    met_json_close(json, '}');
    put_prompts(json, &d->a);
}

const char *met_transcript_diff_json(met_session *session, const met_transcript_diff *d)
{
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    put_verdict(&json, d);
    put_sides(&json, d);
    met_json_open(&json, "match_rate", '{');
    met_json_put_number(&json, "mean", d->tally.mean);
    met_json_put_number(&json, "median", d->tally.median);
    met_json_put_integer(&json, "diverged", d->tally.diverged);
    met_json_close(&json, '}');
    met_json_open(&json, "transcripts", '[');
    for (size_t p = 0; p < d->a.count; p++)
        put_prompt(&json, d, p);
    met_json_close(&json, ']');
    met_json_open(&json, "controls", '[');
    for (size_t c = 0; c < d->control_count; c++)
        put_control(&json, &d->controls[c]);
    met_json_close(&json, ']');
    return ended(&json);
}
