/* Two sides' transcripts over a set of prompts, compared: what is the same byte by byte (tier 1), and where it is not, how far
 * the transcripts agree and how far scores are apart when both sides are fed the same tokens (tier 2). Prints it, as text
 * within 80 columns and as JSON (docs/transcripts.md). Prompts and positions are counted from 1 where they are printed. */
#ifndef MET_REPORT_TRANSCRIPT_DIFF_H
#define MET_REPORT_TRANSCRIPT_DIFF_H

#include "report/transcript.h"

/* How far transcripts agree over a set of prompts. */
typedef struct met_transcript_tally {
    size_t count;
    const met_transcript_match *matches; /* by prompt */
    size_t diverged;                     /* prompts with a first difference */
    double mean, median;                 /* of the shares of positions before it */
} met_transcript_tally;

/* `count` transcripts of each side. In the arena. */
met_transcript_tally met_transcript_tally_of(met_arena *arena, size_t count, const met_transcript *a, const met_transcript *b);

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

typedef struct met_transcript_side {
    const char *model;   /* "llama, toy sizes" */
    const char *weights; /* "seed 1" */
    const char *way;     /* "greedy@cpu-avx512" */
    const char *point;   /* "f32" */
    bool underflow;
} met_transcript_side;

typedef enum met_transcript_promise { MET_TRANSCRIPT_SAME, MET_TRANSCRIPT_OPEN, MET_TRANSCRIPT_VOID } met_transcript_promise;

typedef struct met_transcript_diff {
    met_transcript_side a, b;
    const char *prompt_source, *prompt_digest;
    size_t count;                   /* prompts */
    const met_transcript *of_a, *of_b;
    const met_transcript *fed_to_b; /* b's scores where it is fed the tokens of a */
    met_transcript_promise promise; /* of the records, before a byte is looked at */
    const char *why;
    bool kept_same;                 /* what the runs keep, caches and states, has the same bytes as well … */
    bool kept_compared;             /* … if that was compared: sides of one model and one numerics point */
    met_transcript_tally tally;
    size_t control_count;
    const met_transcript_control *controls;
    const char *tolerance;          /* how far scores may be apart, derived; NULL: nobody derived it */
} met_transcript_diff;

/* Whether all scores, tokens, and what was compared of caches have the same bytes. */
bool met_transcript_diff_same(const met_transcript_diff *diff);
/* Whether every control passed. */
bool met_transcript_diff_sound(const met_transcript_diff *diff);

/* The worst distance of scores over all prompts: in their own rows, `position` 0, or in the row that chooses the token at a
 * position, from 1. */
met_score_distance met_transcript_diff_at(const met_transcript_diff *diff, size_t position);

const char *met_transcript_diff_text(met_arena *arena, const met_transcript_diff *diff);
const char *met_transcript_diff_json(met_arena *arena, const met_transcript_diff *diff);

#endif
