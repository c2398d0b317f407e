/* Transcripts, and comparisons of them, as JSON: the schema is in docs/transcripts.md. */
#include <inttypes.h>
#include <math.h>

#include "base/session.h"
#include "base/text.h"
#include "met/transcript.h"

static void put_string(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\": ", key);
    if (value)
        met_text_json_string(out, met_str_of(value));
    else
        met_text_put(out, "null");
}

/* JSON has no infinities and no NaN: they are null. */
static void put_number(met_text *out, const char *key, double value)
{
    met_text_format(out, "\"%s\": ", key);
    if (isfinite(value))
        met_text_double(out, value);
    else
        met_text_put(out, "null");
}

static void put_flag(met_text *out, const char *key, bool value)
{
    met_text_format(out, "\"%s\": %s", key, value ? "true" : "false");
}

static void put_tokens(met_text *out, const char *key, size_t count, const uint32_t *tokens)
{
    met_text_format(out, "\"%s\": [", key);
    for (size_t t = 0; t < count; t++)
        met_text_format(out, "%s%" PRIu32, t ? ", " : "", tokens[t]);
    met_text_char(out, ']');
}

/* Its fields, a comma behind the last. */
static void put_side(met_text *out, const met_transcript_side *side)
{
    const char *const fields[][2] = { { "model", side->model }, { "weights", side->weights }, { "way", side->way }, { "point", side->point } };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        put_string(out, fields[k][0], fields[k][1]);
        met_text_put(out, ", ");
    }
    put_flag(out, "underflow", side->underflow);
}

static void put_prompts(met_text *out, const met_transcript_set *set)
{
    met_text_put(out, "\"prompts\": {");
    put_string(out, "source", set->prompt_source);
    met_text_put(out, ", ");
    put_string(out, "digest", set->prompt_digest);
    met_text_format(out, ", \"count\": %zu}, ", set->count);
}

/* --- One side --- */

static void put_top(met_text *out, const met_transcript *t, size_t top)
{
    uint32_t *best = MET_NEW_ARRAY(out->arena, uint32_t, top);
    met_text_put(out, ", \"top\": [");
    for (size_t k = 0; k < t->count; k++) {
        const double *scores = t->scores + (t->prompt_count - 1 + k) * t->vocabulary;
        met_score_top(t->vocabulary, scores, top, best);
        met_text_put(out, k ? ", [" : "[");
        for (size_t i = 0; i < top; i++) {
            met_text_format(out, "%s{\"token\": %" PRIu32 ", ", i ? ", " : "", best[i]);
            put_number(out, "score", scores[best[i]]);
            met_text_char(out, '}');
        }
        met_text_char(out, ']');
    }
    met_text_char(out, ']');
}

const char *met_transcript_set_json(met_session *session, const met_transcript_set *set, uint64_t top)
{
    met_text text = met_text_new(session->arena), *out = &text;
    met_text_char(out, '{');
    put_side(out, &set->side);
    met_text_put(out, ", ");
    put_prompts(out, set);
    met_text_put(out, "\"transcripts\": [");
    for (size_t p = 0; p < set->count; p++) {
        const met_transcript *t = &set->at[p];
        met_text_put(out, p ? ", {" : "{");
        put_tokens(out, "prompt", t->prompt_count, t->prompt);
        met_text_put(out, ", ");
        put_tokens(out, "tokens", t->count, t->tokens);
        if (top > 0)
            put_top(out, t, top < t->vocabulary ? (size_t)top : t->vocabulary);
        met_text_char(out, '}');
    }
    met_text_put(out, "], \"scores\": {");
    put_string(out, "format", set->at[0].format);
    met_text_put(out, ", ");
    put_string(out, "digest", met_transcript_set_digest(session, set));
    met_text_put(out, "}}\n");
    return met_text_done(out);
}

/* --- Two sides --- */

static void put_distance(met_text *out, const met_score_distance *s)
{
    met_text_format(out, "\"different\": %zu, ", s->different);
    put_number(out, "largest", s->max_abs);
    met_text_put(out, ", ");
    put_number(out, "relative", s->relative);
    met_text_put(out, ", ");
    put_number(out, "divergence", s->divergence);
    met_text_put(out, ", ");
    put_number(out, "cosine", s->cosine);
}

static void put_match(met_text *out, const met_transcript_match *m)
{
    met_text_format(out, "\"positions\": %zu, \"same\": %zu, ", m->positions, m->same);
    put_number(out, "rate", met_transcript_rate(m));
    if (m->same == m->positions || !m->chose) {
        met_text_put(out, ", \"first\": null");
        return;
    }
    met_text_format(out, ", \"first\": {\"position\": %zu, \"a\": %" PRIu32 ", \"b\": %" PRIu32 ", ", m->same + 1, m->a_token, m->b_token);
    put_number(out, "a_margin", m->a_margin);
    met_text_put(out, ", ");
    put_number(out, "b_margin", m->b_margin);
    met_text_put(out, ", ");
    put_number(out, "apart", m->apart);
    met_text_char(out, '}');
}

static void put_prompt(met_text *out, const met_transcript_diff *d, size_t p)
{
    const met_transcript *a = &d->a.at[p], *b = &d->b.at[p];
    met_text_format(out, "%s{", p ? ", " : "");
    put_tokens(out, "prompt", a->prompt_count, a->prompt);
    met_text_put(out, ", ");
    put_tokens(out, "a", a->count, a->tokens);
    met_text_put(out, ", ");
    put_tokens(out, "b", b->count, b->tokens);
    met_text_put(out, ", ");
    put_match(out, &d->tally.matches[p]);
    met_text_put(out, ", \"rows\": [");
    for (size_t row = 0; row < a->row_count; row++) {
        met_score_distance s = met_score_compare(a, &d->fed_to_b[p], row);
        met_text_format(out, "%s{", row ? ", " : "");
        put_distance(out, &s);
        met_text_char(out, '}');
    }
    met_text_put(out, "]}");
}

static void put_control(met_text *out, const met_transcript_control *c)
{
    static const char *const kinds[] = { [MET_CONTROL_TRANSCRIPT] = "transcript", [MET_CONTROL_PROMPT] = "prompt",
                                         [MET_CONTROL_REPEAT] = "repeat" };
    met_text_format(out, "\"control\": \"%s\", \"side\": \"%c\", \"prompt\": %zu, ", kinds[c->kind], c->side, c->prompt + 1);
    if (c->kind != MET_CONTROL_REPEAT)
        met_text_format(out, "\"position\": %zu, \"found\": %zu, ", c->position + 1, c->found + 1);
    put_flag(out, "passed", c->passed);
}

static void put_verdict(met_text *out, const met_transcript_diff *d)
{
    static const char *const promises[] = { [MET_TRANSCRIPT_SAME] = "same", [MET_TRANSCRIPT_OPEN] = "open", [MET_TRANSCRIPT_VOID] = "void" };
    bool same = met_transcript_diff_same(d);
    put_flag(out, "same", same);
    met_text_format(out, ", \"tier\": %d, ", same ? 1 : 2);
    put_string(out, "expected", promises[d->promise]);
    met_text_put(out, ", ");
    put_string(out, "why", d->why);
    met_text_put(out, ", \"kept_same\": ");
    met_text_put(out, !d->kept_compared ? "null" : d->kept_same ? "true" : "false");
    met_text_put(out, ", ");
    put_number(out, "tolerance", d->derived ? d->tolerance : NAN);
    met_text_put(out, ", ");
    put_string(out, "tolerance_why", d->tolerance_why);
    met_text_put(out, ", ");
    put_flag(out, "within", met_transcript_diff_within(d));
    met_text_put(out, ", ");
}

static void put_sides(met_text *out, const met_transcript_diff *d)
{
    met_text_put(out, "\"a\": {");
    put_side(out, &d->a.side);
    met_text_put(out, "}, \"b\": {");
    put_side(out, &d->b.side);
    met_text_put(out, "}, ");
    put_prompts(out, &d->a);
}

const char *met_transcript_diff_json(met_session *session, const met_transcript_diff *d)
{
    met_text text = met_text_new(session->arena), *out = &text;
    met_text_char(out, '{');
    put_verdict(out, d);
    put_sides(out, d);
    met_text_put(out, "\"match_rate\": {");
    put_number(out, "mean", d->tally.mean);
    met_text_put(out, ", ");
    put_number(out, "median", d->tally.median);
    met_text_format(out, ", \"diverged\": %zu}, \"transcripts\": [", d->tally.diverged);
    for (size_t p = 0; p < d->a.count; p++)
        put_prompt(out, d, p);
    met_text_put(out, "], \"controls\": [");
    for (size_t c = 0; c < d->control_count; c++) {
        met_text_put(out, c ? ", {" : "{");
        put_control(out, &d->controls[c]);
        met_text_char(out, '}');
    }
    met_text_put(out, "]}\n");
    return met_text_done(out);
}
