/* Transcripts: the tokens that a model emits after a prompt, and the scores it chose them by; two sides of them compared. What is
 * counted and measured, and how that is printed; who ran the model, and where prompts come from, is not known here
 * (docs/transcripts.md).
 *
 * Row r of the scores was computed when token r of prompt and transcript together was fed, and chooses token r + 1. With the
 * same tokens fed to two sides, row r of one is comparable with row r of the other (teacher forcing). */
#ifndef MET_TRANSCRIPT_H
#define MET_TRANSCRIPT_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_transcript {
    size_t prompt_count; /* tokens of the prompt, at least one */
    const uint32_t *prompt;
    size_t count;        /* tokens that followed */
    const uint32_t *tokens;
    size_t row_count, vocabulary;
    const double *scores; /* row_count x vocabulary */
    /* The same as they stand in memory: elements of `size` bytes in this format. */
    const char *format;
    size_t size;
    const unsigned char *bytes;
} met_transcript;

/* --- Tokens --- */

typedef struct met_transcript_match {
    size_t positions; /* of the longer one */
    size_t same;      /* before the first difference: where that is, if it is less than `positions` */
    /* There, unless one of them is over: both tokens, the scores of each side's own choice less that of its runner-up, in the
     * unit of scores, and the largest difference of scores between the sides. Both have seen the same tokens. */
    bool chose;
    uint32_t a_token, b_token;
    double a_margin, b_margin, apart;
} met_transcript_match;

met_transcript_match met_transcript_compare(const met_transcript *a, const met_transcript *b);
/* The share of positions before the first difference; 1 if there are no positions. */
double met_transcript_rate(const met_transcript_match *match);

/* The largest score less the second largest; 0 for a vocabulary of one. */
double met_score_margin(size_t count, const double *scores);
/* The indices of the `top` largest scores, largest first, the first of equals first. */
void met_score_top(size_t count, const double *scores, size_t top, uint32_t *ret_tokens);

/* --- Scores --- */

typedef struct met_score_distance {
    size_t different;  /* elements whose bytes differ; all, where the formats do */
    double max_abs;    /* in the unit of scores */
    double relative;   /* root mean square of the difference over that of a */
    double divergence; /* Kullback-Leibler, of b's softmax from a's, in nats */
    double cosine;
} met_score_distance;

/* Of one row of each. Not numbers where scores are not finite. */
met_score_distance met_score_compare(const met_transcript *a, const met_transcript *b, size_t row);
/* The worst of both, field by field (NaN is worse than anything); of `different` the sum. */
met_score_distance met_score_worst(met_score_distance a, met_score_distance b);
/* The first row in which the bytes differ; the number of rows if there is none. Both must have as many. */
size_t met_scores_first_difference(const met_transcript *a, const met_transcript *b);

/* --- Statistics --- */

/* Of at least one number. */
double met_mean(size_t count, const double *values);
/* The mean of the two in the middle if `count` is even. */
double met_median(size_t count, const double *values);

/* --- What one side says --- */

typedef struct met_transcript_side {
    const char *model;   /* "llama, toy sizes" */
    const char *weights; /* "seed 1" */
    const char *way;     /* "greedy@cpu-avx512" */
    const char *point;   /* "f32" */
    bool underflow;
} met_transcript_side;

typedef struct met_transcript_set {
    met_transcript_side side;
    const char *prompt_source, *prompt_digest; /* "seed 1"; SHA-256 */
    size_t count;                              /* at least one */
    const met_transcript *at;
} met_transcript_set;

/* SHA-256 of the bytes of all scores, row after row, transcript after transcript. It lives as long as the session, like all that
 * follows. */
const char *met_transcript_set_digest(met_session *session, const met_transcript_set *set);
/* For people, within 80 columns, and as JSON; with the `top` largest scores of each token that was chosen. */
const char *met_transcript_set_text(met_session *session, const met_transcript_set *set, uint64_t top);
const char *met_transcript_set_json(met_session *session, const met_transcript_set *set, uint64_t top);

/* --- Two sides ---
 *
 * What is the same byte by byte (tier 1), and where it is not, how far the transcripts agree and how far scores are apart when
 * both sides are fed the same tokens (tier 2). */

/* How far transcripts agree over a set of prompts. */
typedef struct met_transcript_tally {
    size_t count;
    const met_transcript_match *matches; /* by prompt */
    size_t diverged;                     /* prompts with a first difference */
    double mean, median;                 /* of the shares of positions before it */
} met_transcript_tally;

/* `count` transcripts of each side. */
met_transcript_tally met_transcript_tally_of(met_session *session, size_t count, const met_transcript *a, const met_transcript *b);

/* A comparison whose result is known beforehand: what does not find one changed token, or finds something where nothing was
 * changed, finds nothing that can be relied on. */
typedef enum met_control_kind {
    MET_CONTROL_TRANSCRIPT, /* a token of a transcript is changed: that position must be the first difference, and the only one */
    MET_CONTROL_PROMPT,     /* a token of a prompt is changed, which is run again: the scores of that row must be others */
    MET_CONTROL_REPEAT      /* a prompt is run again as it is: no byte of a score may be another */
} met_control_kind;

typedef struct met_transcript_control {
    met_control_kind kind;
    char side;               /* 'a' or 'b' */
    size_t prompt, position; /* from 0; REPEAT has no position */
    size_t found;            /* the first difference; past the end of the rows if there was none */
    bool passed;
} met_transcript_control;

typedef enum met_transcript_promise { MET_TRANSCRIPT_SAME, MET_TRANSCRIPT_OPEN, MET_TRANSCRIPT_VOID } met_transcript_promise;

typedef struct met_transcript_diff {
    met_transcript_set a, b;        /* after the same prompts */
    const met_transcript *fed_to_b; /* b's scores where it is fed the tokens of a */
    met_transcript_promise promise; /* of the records, before a byte is looked at */
    const char *why;
    bool kept_same;                 /* what the runs keep, caches and states, has the same bytes as well … */
    bool kept_compared;             /* … if that was compared: sides of one model and one numerics point */
    met_transcript_tally tally;
    size_t control_count;
    const met_transcript_control *controls;
    bool derived;                   /* how far scores of prompts' tokens may be apart: proven, in their unit, and … */
    double tolerance;
    const char *tolerance_why;      /* … why, or why it is not known */
} met_transcript_diff;

/* Whether all scores, tokens, and what was compared of caches have the same bytes. */
bool met_transcript_diff_same(const met_transcript_diff *diff);
/* Whether no score of a prompt's token is farther apart than what was derived; true if nothing was. */
bool met_transcript_diff_within(const met_transcript_diff *diff);
/* Whether every control passed. */
bool met_transcript_diff_sound(const met_transcript_diff *diff);

/* The worst distance of scores over all prompts: in their own rows, `position` 0, or in the row that chooses the token at a
 * position, from 1. */
met_score_distance met_transcript_diff_at(const met_transcript_diff *diff, size_t position);

/* For people, within 80 columns, and as JSON. Prompts and positions are counted from 1 there. */
const char *met_transcript_diff_text(met_session *session, const met_transcript_diff *diff);
const char *met_transcript_diff_json(met_session *session, const met_transcript_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
