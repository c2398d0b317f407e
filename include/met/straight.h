/* Straight-line programs of floating-point operations: a proven bound on how far what they compute is from the exact result,
 * over a box of arguments. Programs are texts in FPCore's language (docs/straight.md). */
#ifndef MET_STRAIGHT_H
#define MET_STRAIGHT_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A range of one argument, in place of what the program says of it. */
typedef struct met_straight_range {
    const char *name;
    double lo, hi;
} met_straight_range;

/* All zero is the default throughout. */
typedef struct met_straight_options {
    uint64_t work;       /* operations looked at, in boxes, for each bound; 0 is 1,000,000. More work, tighter bounds */
    double ulps;         /* what the library's functions (exp, sin, pow …) are taken to be within; 0 is 1 */
    bool rounded_inputs; /* arguments are real numbers that are rounded first; otherwise they are exact */
    bool box_only;       /* conditions other than ranges of single arguments are passed over */
    size_t range_count;
    const met_straight_range *ranges;
} met_straight_options;

/* An operation and what its rounding adds to the bound where the bound is largest. */
typedef struct met_straight_term {
    const char *text; /* as the program writes it, on one line */
    met_span span;
    double share; /* absolute */
} met_straight_term;

typedef struct met_straight_argument {
    const char *name;
    double lo, hi;             /* its range; infinite if there is none */
    double worst_lo, worst_hi; /* where the bound is largest */
} met_straight_argument;

/* What is known of one program. Infinite bounds say that none was found; `why` says what is in the way. Bounds hold for all
 * arguments within the ranges and conditions at which the exact result exists and the computed one is a number. */
typedef struct met_straight_answer {
    const char *name;      /* "" if it has none */
    const char *precision; /* "binary64" or "binary32" */
    double absolute;       /* |computed - exact| at most */
    double reached;        /* no search in this manner gives less than this, 0 if that is not known */
    double relative;       /* |computed - exact| / |exact| at most, infinite if the result may be zero */
    double lo, hi;         /* all exact results are within */
    bool always_defined;   /* no root of what may be negative */
    bool library;          /* functions of a library are used: the bound assumes their accuracy */
    size_t conditions;     /* that were used, besides ranges */
    size_t ignored;        /* that were not understood, or not wanted; bounds hold without them */
    const char *why;       /* NULL if there is a bound */
    uint64_t boxes;        /* looked at */
    size_t argument_count;
    const met_straight_argument *arguments;
    size_t term_count; /* the largest first, zeros left out */
    const met_straight_term *terms;
} met_straight_answer;

/* Reads all programs of a source and bounds each. NULL with diagnostics. Lives as long as the session. */
const met_straight_answer *met_straight_bound(met_session *session, uint32_t source, const met_straight_options *options,
                                              size_t *ret_count);

/* The same as text for people or as JSON. NULL with diagnostics. */
const char *met_straight_text(met_session *session, uint32_t source, const met_straight_options *options);
const char *met_straight_json(met_session *session, uint32_t source, const met_straight_options *options);

#ifdef __cplusplus
}
#endif
#endif
