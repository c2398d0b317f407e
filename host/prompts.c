#include "host/prompts.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/digest.h"
#include "host/file.h"
#include "met/eval.h"
#include "realize/writer.h"

static const met_span nowhere;

enum { SHORTEST = 4, LENGTHS = 5 /* of made prompts: 4 to 8 */ };

/* The prompts so far, and what they are checked against. */
typedef struct reader {
    met_session *session;
    uint64_t vocabulary;
    MET_VEC(met_prompt) prompts;
} reader;

static const met_prompt_set *set_of(const reader *r, const char *source)
{
    met_arena *arena = r->session->arena;
    met_prompt_set *set = MET_NEW(arena, met_prompt_set);
    met_text text = met_text_new(arena);
    for (size_t p = 0; p < r->prompts.count; p++) {
        for (size_t t = 0; t < r->prompts.at[p].count; t++)
            met_text_format(&text, "%s%" PRIu32, t ? " " : "", r->prompts.at[p].tokens[t]);
        met_text_char(&text, '\n');
    }
    *set = (met_prompt_set){ r->prompts.count, r->prompts.at, source,
                             met_digest(arena, (met_str){ met_text_done(&text), text.length }) };
    return set;
}

/* --- Made from a seed --- */

const met_prompt_set *met_prompts_of_seed(met_session *session, uint64_t seed, uint64_t count, uint64_t vocabulary)
{
    reader r = { .session = session };
    if (count == 0 || count > MET_PROMPTS_LIMIT) {
        met_diag_add(session, MET_DIAG_prompt, nowhere, "%" PRIu64 " prompts cannot be made: 1 to %d can", count, MET_PROMPTS_LIMIT);
        return NULL;
    }
    for (size_t p = 0; p < count; p++) {
        double length, drawn[SHORTEST + LENGTHS];
        met_fill("normal", seed, 2 * p, LENGTHS, 1, &length);
        met_prompt prompt = { .count = SHORTEST + (size_t)length };
        uint32_t *tokens = MET_NEW_ARRAY(session->arena, uint32_t, prompt.count);
        met_fill("normal", seed, 2 * p + 1, vocabulary, prompt.count, drawn);
        for (size_t t = 0; t < prompt.count; t++)
            tokens[t] = (uint32_t)drawn[t];
        prompt.tokens = tokens;
        MET_PUSH(session->arena, &r.prompts, prompt);
    }
    return set_of(&r, met_format_text(session->arena, "seed %" PRIu64, seed));
}

/* --- Read --- */

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The token at `*at`, which is moved behind it. False with a diagnostic. */
static bool read_token(const reader *r, met_str text, uint32_t source, size_t *at, uint32_t *ret_token)
{
    size_t begin = *at, end = begin;
    uint64_t token = 0;
    bool number = true;
    for (; end < text.length && !is_gap(text.at[end]) && text.at[end] != '\n' && text.at[end] != '#'; end++) {
        number = number && is_digit(text.at[end]);
        token = number && token <= UINT32_MAX ? 10 * token + (uint64_t)(text.at[end] - '0') : token;
    }
    *at = end;
    *ret_token = (uint32_t)token;
    if (number && token < r->vocabulary)
        return true;
    met_span span = { source, (uint32_t)begin, (uint32_t)end };
    met_diag *diag = met_diag_add(r->session, MET_DIAG_prompt, span, number ? "a token that the model does not have" :
                                                                             "this is not a token");
    met_diag_help(diag, "tokens are numbers from 0 to %" PRIu64 ", with commas or spaces between them", r->vocabulary - 1);
    return false;
}

/* The tokens from `*at` to the end of the line. Adds no prompt if there are none. False with a diagnostic. */
static bool read_line(reader *r, met_str text, uint32_t source, size_t *at)
{
    size_t begin = *at;
    MET_VEC(uint32_t) tokens = { 0 };
    for (; *at < text.length && text.at[*at] != '\n' && text.at[*at] != '#'; ) {
        uint32_t token;
        if (is_gap(text.at[*at])) {
            ++*at;
            continue;
        }
        if (!read_token(r, text, source, at, &token))
            return false;
        MET_PUSH(r->session->arena, &tokens, token);
    }
    met_span span = { source, (uint32_t)begin, (uint32_t)*at };
    while (*at < text.length && text.at[(*at)++] != '\n')
        ;
    if (tokens.count > MET_PROMPT_LIMIT) {
        met_diag_add(r->session, MET_DIAG_prompt, span, "a prompt of %zu tokens: up to %d can be run", tokens.count, MET_PROMPT_LIMIT);
        return false;
    }
    if (r->prompts.count == MET_PROMPTS_LIMIT && tokens.count > 0) {
        met_diag_add(r->session, MET_DIAG_prompt, span, "more than %d prompts", MET_PROMPTS_LIMIT);
        return false;
    }
    if (tokens.count > 0)
        MET_PUSH(r->session->arena, &r->prompts, ((met_prompt){ tokens.count, tokens.at }));
    return true;
}

const met_prompt_set *met_prompts_of_texts(met_session *session, size_t count, const char *const *texts, uint64_t vocabulary)
{
    reader r = { .session = session, .vocabulary = vocabulary };
    for (size_t k = 0; k < count; k++) {
        met_str text = met_str_of(texts[k]);
        uint32_t source = met_session_add_source(session, "<prompt>", text.at, text.length);
        size_t at = 0, before = r.prompts.count;
        if (source == 0 || !read_line(&r, text, source, &at))
            return NULL;
        if (at == text.length && r.prompts.count == before + 1)
            continue;
        met_diag_add(session, MET_DIAG_prompt, (met_span){ source, 0, (uint32_t)text.length }, at < text.length ?
                     "a prompt is one line" : "a prompt has at least one token");
        return NULL;
    }
    return set_of(&r, "the command line");
}

const met_prompt_set *met_prompts_of_file(met_session *session, const char *path, uint64_t vocabulary)
{
    reader r = { .session = session, .vocabulary = vocabulary };
    uint32_t source = met_file_source(session, path);
    if (source == 0)
        return NULL;
    met_str text = met_session_source(session, source)->text;
    for (size_t at = 0; at < text.length;)
        if (!read_line(&r, text, source, &at))
            return NULL;
    if (r.prompts.count > 0)
        return set_of(&r, path);
    met_diag *diag = met_diag_add(session, MET_DIAG_prompt, (met_span){ source, 0, 0 }, "there are no prompts");
    met_diag_help(diag, "a file of prompts has one a line: tokens as numbers, such as 3 17 4");
    return NULL;
}
