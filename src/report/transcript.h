/* Transcripts: the tokens that a model emits after a prompt, and the scores it chose them by; two of them compared. Owns what
 * is counted and measured and how that is printed; must not know who ran the model, nor where prompts come from.
 *
 * Row r of the scores was computed when token r of prompt and transcript together was fed, and chooses token r + 1. With the
 * same tokens fed to two sides, row r of one is comparable with row r of the other (teacher forcing). */
#ifndef MET_REPORT_TRANSCRIPT_H
#define MET_REPORT_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

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

#endif
