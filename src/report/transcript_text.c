/* A comparison of transcripts for people. */
#include <string.h>

#include "report/transcript_diff.h"
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

static size_t most_tokens(const met_transcript_diff *d)
{
    size_t most = 0;
    for (size_t p = 0; p < d->count; p++)
        most = d->of_a[p].count > most ? d->of_a[p].count : most;
    return most;
}

static void put_prompts(met_text *out, const met_transcript_diff *d)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%zu from %s, sha256 %.16s…, and %zu token%s after each", d->count, d->prompt_source, d->prompt_digest,
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
    for (size_t p = 0; p < d->count; p++) {
        tokens += d->of_a[p].count;
        rows += d->of_a[p].row_count;
        scores += d->of_a[p].row_count * d->of_a[p].vocabulary;
        for (size_t r = 0; r < d->of_a[p].row_count; r++)
            different += met_score_compare(&d->of_a[p], &d->fed_to_b[p], r).different;
    }
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%zu of %zu scores in %zu rows differ", different, scores, rows);
    if (d->kept_compared)
        met_text_format(&words, "; caches and states %s", d->kept_same ? "do not" : "differ");
    met_text_format(&words, "; %zu of %zu transcripts differ, of %zu tokens in all", d->tally.diverged, d->count, tokens);
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
    for (size_t p = 0; p < d->count; p++)
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

const char *met_transcript_diff_text(met_arena *arena, const met_transcript_diff *d)
{
    met_text out = met_text_new(arena);
    bool same = met_transcript_diff_same(d);
    put_side(&out, "a  ", &d->a);
    put_side(&out, "b  ", &d->b);
    put_prompts(&out, d);
    put_promise(&out, d);
    put_bytes(&out, d);
    if (!same) {
        met_text words = met_text_new(arena);
        met_text_put(&words, d->tolerance ? d->tolerance : "no derived tolerance: how far scores may be apart is not known here");
        say(&out, 0, "tier 2: ", &words);
        put_match(&out, d);
        put_distances(&out, d);
    }
    for (size_t c = 0; c < d->control_count; c++)
        put_control(&out, &d->controls[c]);
    met_text_format(&out, "%s\n", verdict_of(d, same));
    return met_text_done(&out);
}
