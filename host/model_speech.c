/* What a model says after prompts, and how that is printed. */
#include <inttypes.h>
#include <math.h>

#include "base/digest.h"
#include "base/text.h"
#include "host/model_run_parts.h"
#include "report/wrap.h"

struct met_model_speech {
    met_session *session;
    const met_prompt_set *prompts;
    met_transcript_side side;
    const met_course *courses; /* by prompt */
    const char *digest;        /* of the bytes of all scores, one prompt behind the other */
};

static const char *digest_of(met_session *session, size_t count, const met_course *courses)
{
    met_text all = met_text_new(session->arena);
    for (size_t p = 0; p < count; p++) {
        const met_transcript *t = &courses[p].transcript;
        met_text_bytes(&all, (const char *)t->bytes, t->row_count * t->vocabulary * t->size);
    }
    return met_digest(session->arena, (met_str){ met_text_done(&all), all.length });
}

const met_model_speech *met_model_run_speak(met_model_run *run, const met_prompt_set *prompts, uint64_t tokens)
{
    met_arena *arena = run->session->arena;
    if (!met_model_run_allows(run, prompts, tokens))
        return NULL;
    met_course *courses = MET_NEW_ARRAY(arena, met_course, prompts->count);
    for (size_t p = 0; p < prompts->count; p++)
        if (!met_course_run(run, &prompts->at[p], (size_t)tokens, NULL, &courses[p]))
            return NULL;
    met_model_speech *speech = MET_NEW(arena, met_model_speech);
    *speech = (met_model_speech){ run->session, prompts, met_model_run_side(run, prompts->count, courses), courses,
                                  digest_of(run->session, prompts->count, courses) };
    return speech;
}

/* The row that chose token `t` of a transcript. */
static const double *row_before(const met_transcript *transcript, size_t t)
{
    return transcript->scores + (transcript->prompt_count - 1 + t) * transcript->vocabulary;
}

static const uint32_t *top_of(const met_model_speech *speech, const met_transcript *t, size_t token, size_t top)
{
    uint32_t *best = MET_NEW_ARRAY(speech->session->arena, uint32_t, top);
    met_score_top(t->vocabulary, row_before(t, token), top, best);
    return best;
}

/* --- Text --- */

static void say_tokens(met_text *out, size_t indent, const char *label, size_t count, const uint32_t *tokens)
{
    met_text words = met_text_new(out->arena);
    for (size_t t = 0; t < count; t++)
        met_text_format(&words, "%s%" PRIu32, t ? " " : "", tokens[t]);
    met_wrap wrap = met_wrap_start(out, indent, label);
    met_wrap_words(&wrap, met_text_done(&words));
    met_text_char(out, '\n');
}

static void say_scores(met_text *out, const met_model_speech *speech, const met_transcript *t, size_t top)
{
    for (size_t k = 0; k < t->count; k++) {
        const uint32_t *best = top_of(speech, t, k, top);
        met_text words = met_text_new(out->arena), label = met_text_new(out->arena);
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

static size_t shown(const met_model_speech *speech, uint64_t top)
{
    size_t vocabulary = speech->courses[0].transcript.vocabulary;
    return top < vocabulary ? (size_t)top : vocabulary;
}

const char *met_model_speech_text(const met_model_speech *speech, uint64_t top)
{
    met_text out = met_text_new(speech->session->arena), head = met_text_new(speech->session->arena);
    met_text_format(&head, "%s, %s, %s, %s%s", speech->side.model, speech->side.weights, speech->side.way, speech->side.point,
                    speech->side.underflow ? ", underflow" : "");
    met_wrap wrap = met_wrap_start(&out, 0, "");
    met_wrap_words(&wrap, met_text_done(&head));
    met_text_format(&out, "\nprompts: %zu from %s, sha256 %.16s…\n", speech->prompts->count, speech->prompts->source, speech->prompts->digest);
    for (size_t p = 0; p < speech->prompts->count; p++) {
        const met_transcript *t = &speech->courses[p].transcript;
        met_text label = met_text_new(out.arena);
        met_text_format(&label, "prompt %zu: ", p + 1);
        say_tokens(&out, 0, met_text_done(&label), t->prompt_count, t->prompt);
        say_tokens(&out, 2, "tokens: ", t->count, t->tokens);
        if (top > 0)
            say_scores(&out, speech, t, shown(speech, top));
    }
    met_text_format(&out, "scores: %s, sha256 %.16s…\n", speech->courses[0].transcript.format, speech->digest);
    return met_text_done(&out);
}

/* --- JSON --- */

static void put_tokens(met_text *out, const char *key, size_t count, const uint32_t *tokens)
{
    met_text_format(out, "\"%s\": [", key);
    for (size_t t = 0; t < count; t++)
        met_text_format(out, "%s%" PRIu32, t ? ", " : "", tokens[t]);
    met_text_char(out, ']');
}

static void put_string(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\": ", key);
    met_text_json_string(out, met_str_of(value));
    met_text_put(out, ", ");
}

static void put_top(met_text *out, const met_model_speech *speech, const met_transcript *t, size_t top)
{
    met_text_put(out, ", \"top\": [");
    for (size_t k = 0; k < t->count; k++) {
        const uint32_t *best = top_of(speech, t, k, top);
        met_text_put(out, k ? ", [" : "[");
        for (size_t i = 0; i < top; i++) {
            double score = row_before(t, k)[best[i]];
            met_text_format(out, "%s{\"token\": %" PRIu32 ", \"score\": ", i ? ", " : "", best[i]);
            if (isfinite(score))
                met_text_double(out, score);
            else
                met_text_put(out, "null");
            met_text_char(out, '}');
        }
        met_text_char(out, ']');
    }
    met_text_char(out, ']');
}

const char *met_model_speech_json(const met_model_speech *speech, uint64_t top)
{
    met_text out = met_text_new(speech->session->arena);
    met_text_char(&out, '{');
    put_string(&out, "model", speech->side.model);
    put_string(&out, "weights", speech->side.weights);
    put_string(&out, "way", speech->side.way);
    put_string(&out, "point", speech->side.point);
    met_text_format(&out, "\"underflow\": %s, \"prompts\": {", speech->side.underflow ? "true" : "false");
    put_string(&out, "source", speech->prompts->source);
    put_string(&out, "digest", speech->prompts->digest);
    met_text_format(&out, "\"count\": %zu}, \"transcripts\": [", speech->prompts->count);
    for (size_t p = 0; p < speech->prompts->count; p++) {
        const met_transcript *t = &speech->courses[p].transcript;
        met_text_put(&out, p ? ", {" : "{");
        put_tokens(&out, "prompt", t->prompt_count, t->prompt);
        met_text_put(&out, ", ");
        put_tokens(&out, "tokens", t->count, t->tokens);
        if (top > 0)
            put_top(&out, speech, t, shown(speech, top));
        met_text_char(&out, '}');
    }
    met_text_put(&out, "], \"scores\": {");
    put_string(&out, "format", speech->courses[0].transcript.format);
    met_text_format(&out, "\"digest\": \"%s\"}}\n", speech->digest);
    return met_text_done(&out);
}
