/* Transcripts, and comparisons of them, for people. */
#include <inttypes.h>

#include "base/session.h"
#include "met/transcript.h"
#include "report/wrap.h"

enum { SHOWN = 16 /* lines of a list; JSON has all of it */, CELL = 12 };

static void put_number(met_text *out, double value)
{
    met_text_double_digits(out, value, 4);
}

/* A paragraph; further lines begin where the first word after the label does. */
static void say(met_text *out, size_t indent, const char *label, met_text *words)
{
    met_wrap wrap = met_wrap_start(out, indent, label);
    met_wrap_words(&wrap, met_text_done(words));
    met_text_char(out, '\n');
}

static void put_side(met_text *out, const char *label, const met_transcript_side *side)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s, %s, %s, %s%s", side->model, side->weights, side->way, side->point,
                    side->underflow ? ", underflow" : "");
    say(out, 0, label, &words);
}

/* --- One side --- */

/* The row that chose token `t` of a transcript. */
static const double *row_before(const met_transcript *transcript, size_t t)
{
    return transcript->scores + (transcript->prompt_count - 1 + t) * transcript->vocabulary;
}

static void say_tokens(met_text *out, size_t indent, const char *label, size_t count, const uint32_t *tokens)
{
    met_text words = met_text_new(out->arena);
    for (size_t t = 0; t < count; t++)
        met_text_format(&words, "%s%" PRIu32, t ? " " : "", tokens[t]);
    met_wrap wrap = met_wrap_start(out, indent, label);
    met_wrap_words(&wrap, met_text_done(&words));
    met_text_char(out, '\n');
}

static void say_scores(met_text *out, const met_transcript *t, size_t top)
{
    for (size_t k = 0; k < t->count; k++) {
        uint32_t *best = MET_NEW_ARRAY(out->arena, uint32_t, top);
        met_text words = met_text_new(out->arena), label = met_text_new(out->arena);
        met_score_top(t->vocabulary, row_before(t, k), top, best);
        for (size_t i = 0; i < top; i++) {
            met_text_format(&words, "%s%" PRIu32 ":", i ? ", " : "", best[i]);
            met_text_double_digits(&words, row_before(t, k)[best[i]], 6);
        }
        met_text_format(&label, "%zu  ", k + 1);
        met_wrap wrap = met_wrap_start(out, 4, met_text_done(&label));
        met_wrap_words(&wrap, met_text_done(&words));
        met_text_char(out, '\n');
    }
}

const char *met_transcript_set_text(met_session *session, const met_transcript_set *set, uint64_t top)
{
    met_text out = met_text_new(session->arena);
    put_side(&out, "", &set->side);
    met_text_format(&out, "prompts: %zu from %s, sha256 %.16s…\n", set->count, set->prompt_source, set->prompt_digest);
    for (size_t p = 0; p < set->count; p++) {
        const met_transcript *t = &set->at[p];
        met_text label = met_text_new(out.arena);
        met_text_format(&label, "prompt %zu: ", p + 1);
        say_tokens(&out, 0, met_text_done(&label), t->prompt_count, t->prompt);
        say_tokens(&out, 2, "tokens: ", t->count, t->tokens);
        if (top > 0)
            say_scores(&out, t, top < t->vocabulary ? (size_t)top : t->vocabulary);
    }
    met_text_format(&out, "scores: %s, sha256 %.16s…\n", set->at[0].format, met_transcript_set_digest(session, set));
    return met_text_done(&out);
}

/* --- Two sides --- */

static size_t most_tokens(const met_transcript_diff *d)
{
    size_t most = 0;
    for (size_t p = 0; p < d->a.count; p++)
        most = d->a.at[p].count > most ? d->a.at[p].count : most;
    return most;
}

static void put_prompts(met_text *out, const met_transcript_diff *d)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%zu from %s, sha256 %.16s…, and %zu token%s after each", d->a.count, d->a.prompt_source, d->a.prompt_digest,
                    most_tokens(d), most_tokens(d) == 1 ? "" : "s");
    say(out, 0, "prompts: ", &words);
}

static void put_promise(met_text *out, const met_transcript_diff *d)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s: %s", d->promise == MET_TRANSCRIPT_SAME ? "the same bytes" : "nothing", d->why);
    say(out, 0, "expected: ", &words);
}

/* --- Tier 1 --- */

static void put_bytes(met_text *out, const met_transcript_diff *d)
{
    size_t rows = 0, different = 0, scores = 0, tokens = 0;
    for (size_t p = 0; p < d->a.count; p++) {
        tokens += d->a.at[p].count;
        rows += d->a.at[p].row_count;
        scores += d->a.at[p].row_count * d->a.at[p].vocabulary;
        for (size_t r = 0; r < d->a.at[p].row_count; r++)
            different += met_score_compare(&d->a.at[p], &d->fed_to_b[p], r).different;
    }
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%zu of %zu scores in %zu rows differ", different, scores, rows);
    if (d->kept_compared)
        met_text_format(&words, "; caches and states %s", d->kept_same ? "do not" : "differ");
    met_text_format(&words, "; %zu of %zu transcripts differ, of %zu tokens in all", d->tally.diverged, d->a.count, tokens);
    say(out, 0, "tier 1, bytes: ", &words);
}

/* --- Tier 2 --- */

static void put_divergence(met_text *out, const met_transcript_diff *d, size_t p)
{
    const met_transcript_match *m = &d->tally.matches[p];
    met_text words = met_text_new(out->arena), label = met_text_new(out->arena);
    met_text_format(&label, "prompt %zu: ", p + 1);
    met_text_format(&words, "%zu of %zu, then ", m->same, m->positions);
    if (m->chose) {
        met_text_format(&words, "a has %u (", (unsigned)m->a_token);
        put_number(&words, m->a_margin);
        met_text_format(&words, " before its second) and b has %u (", (unsigned)m->b_token);
        put_number(&words, m->b_margin);
        met_text_put(&words, "), where scores are up to ");
        put_number(&words, m->apart);
        met_text_put(&words, " apart");
    } else {
        met_text_put(&words, "one of them ends");
    }
    say(out, 2, met_text_done(&label), &words);
}

static void put_match(met_text *out, const met_transcript_diff *d)
{
    met_text words = met_text_new(out->arena);
    size_t shown = 0;
    put_number(&words, d->tally.mean);
    met_text_put(&words, " in the mean over prompts, ");
    put_number(&words, d->tally.median);
    met_text_format(&words, " in the median: the share of positions before the first difference");
    say(out, 0, "transcript match rate: ", &words);
    for (size_t p = 0; p < d->a.count; p++)
        if (d->tally.matches[p].same < d->tally.matches[p].positions && shown++ < SHOWN)
            put_divergence(out, d, p);
    if (shown > SHOWN)
        met_text_format(out, "  and in %zu prompts more\n", shown - SHOWN);
}

static void put_row(met_text *out, const char *label, const met_score_distance *s)
{
    const double cells[] = { s->max_abs, s->relative, s->divergence, 1 - s->cosine };
    size_t start = out->length;
    met_text_format(out, "  %s", label);
    met_text_pad(out, start, CELL);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        met_text_pad(out, start, CELL + k * CELL);
        met_text_char(out, ' ');
        put_number(out, cells[k]);
    }
    met_text_char(out, '\n');
}

static const char *position_label(met_arena *arena, size_t position)
{
    met_text label = met_text_new(arena);
    met_text_format(&label, "%zu", position);
    return met_text_done(&label);
}

static void put_distances(met_text *out, const met_transcript_diff *d)
{
    static const char *const heads[] = { "  position", "largest", "relative", "KL, nats", "1 - cosine" };
    size_t positions = most_tokens(d), start;
    met_text_put(out, "scores, both sides fed the tokens of a, the worst over prompts:\n");
    start = out->length;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        met_text_pad(out, start, k * CELL);
        met_text_format(out, "%s%s", k ? " " : "", heads[k]);
    }
    met_text_char(out, '\n');
    met_score_distance worst = met_transcript_diff_at(d, 0);
    put_row(out, "in prompts", &worst);
    for (size_t t = 1; t <= positions; t++) {
        met_score_distance at = met_transcript_diff_at(d, t);
        worst = met_score_worst(worst, at);
        if (t <= SHOWN || t == positions)
            put_row(out, position_label(out->arena, t), &at);
    }
    put_row(out, "all", &worst);
}

/* What was derived, with what was observed where it holds. */
static void put_tolerance(met_text *out, const met_transcript_diff *d)
{
    met_text words = met_text_new(out->arena);
    met_score_distance observed = met_transcript_diff_at(d, 0);
    if (d->derived) {
        met_text_put(&words, "scores in prompts are at most ");
        put_number(&words, d->tolerance);
        met_text_format(&words, " apart (%s); observed are ", d->tolerance_why);
        put_number(&words, observed.max_abs);
        met_text_put(&words, met_transcript_diff_within(d) ? ", within" : ", BEYOND");
    } else {
        met_text_format(&words, "no derived tolerance: %s", d->tolerance_why);
    }
    say(out, 0, "tier 2: ", &words);
}

/* --- All of it --- */

static void put_control(met_text *out, const met_transcript_control *c)
{
    met_text words = met_text_new(out->arena);
    if (c->kind == MET_CONTROL_REPEAT)
        met_text_format(&words, "prompt %zu, run once more by %c: %s", c->prompt + 1, c->side, c->passed ? "the same bytes" : "OTHER BYTES");
    else
        met_text_format(&words, "one token changed at position %zu ", c->position + 1);
    if (c->kind == MET_CONTROL_TRANSCRIPT)
        met_text_format(&words, "after prompt %zu, in the transcript of %c: ", c->prompt + 1, c->side);
    if (c->kind == MET_CONTROL_PROMPT)
        met_text_format(&words, "of prompt %zu, run by %c: ", c->prompt + 1, c->side);
    if (c->kind != MET_CONTROL_REPEAT)
        met_text_put(&words, c->passed ? "detected" : "NOT DETECTED");
    if (c->passed && c->kind == MET_CONTROL_PROMPT && c->found < c->position)
        met_text_format(&words, ", already at position %zu, before it: tokens of a prompt share something", c->found + 1);
    say(out, 0, "control: ", &words);
}

static const char *verdict_of(const met_transcript_diff *d, bool same)
{
    if (!met_transcript_diff_sound(d))
        return "a control failed: nothing above can be relied on";
    if (same)
        return d->promise == MET_TRANSCRIPT_SAME ? "the same, as expected" : "the same, though nothing promises it";
    return d->promise == MET_TRANSCRIPT_SAME ? "different, which the records rule out: this is a mistake of met" : "different";
}

const char *met_transcript_diff_text(met_session *session, const met_transcript_diff *d)
{
    met_text out = met_text_new(session->arena);
    bool same = met_transcript_diff_same(d);
    put_side(&out, "a  ", &d->a.side);
    put_side(&out, "b  ", &d->b.side);
    put_prompts(&out, d);
    put_promise(&out, d);
    put_bytes(&out, d);
    if (!same) {
        put_tolerance(&out, d);
        put_match(&out, d);
        put_distances(&out, d);
    }
    for (size_t c = 0; c < d->control_count; c++)
        put_control(&out, &d->controls[c]);
    met_text_format(&out, "%s\n", verdict_of(d, same));
    return met_text_done(&out);
}
