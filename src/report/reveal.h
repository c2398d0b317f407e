/* What revealing found of code that is not ours: trees at several lengths, offsets and numbers of threads, what their
 * additions do, where they change, and the rule behind them if there is one. Owns the findings and how they are said; must
 * not know how anything was called. */
#ifndef MET_REPORT_REVEAL_H
#define MET_REPORT_REVEAL_H

#include "base/json.h"
#include "reveal/reveal.h"

/* Where what is added to joins the sum. */
typedef enum met_joint {
    MET_JOINT_NONE,    /* nothing is added to */
    MET_JOINT_FIRST,   /* it meets one term: a partial sum begins with it */
    MET_JOINT_LAST,    /* it is added to the finished sum */
    MET_JOINT_INSIDE,  /* it meets a partial sum, or stands in a node, of `joint_terms` */
    MET_JOINT_UNKNOWN
} met_joint;

/* One length, offset and number of threads. */
typedef struct met_reveal_case {
    uint64_t terms, offset;
    uint32_t threads; /* 0: the library's choice */
    met_revealed revealed;
    met_joint joint;
    uint64_t joint_terms;
    uint32_t repeats;          /* of one input */
    bool alike;                /* all of them gave the same bits */
    const char *fault_loaded;  /* what loading it did to floating point; NULL: nothing */
    const char *fault_called;  /* what a call did */
    bool has_rule;
    met_tree rule;             /* that gives this tree at this length */
    size_t like;               /* the first case of this length with the same tree and traits; its own number: none before */
    bool base;                 /* of the first offset and number of threads */
} met_reveal_case;

/* A length between those whose trees were found: only whether the rule's bits come out there. */
typedef struct met_reveal_between {
    uint64_t terms;
    bool agrees;
} met_reveal_between;

#define MET_REVEAL_BETWEEN 12

/* Lengths, from case to case of the base, that one rule explains. What lies between two of them it need not explain. */
typedef struct met_reveal_span {
    size_t first, last;
    bool has_rule;
    met_tree rule;
    size_t between_count;
    met_reveal_between between[MET_REVEAL_BETWEEN];
} met_reveal_span;

typedef struct met_reveal_report {
    const char *subject;   /* "cblas_sdot in libopenblas.so.0" */
    const char *signature; /* or NULL */
    bool products;         /* the terms are products */
    size_t case_count;
    met_reveal_case *cases;
    size_t span_count;
    met_reveal_span *spans;
} met_reveal_report;

/* Fills in `has_rule`, `rule` and `like` of the last case. */
void met_reveal_conclude_case(met_arena *arena, met_reveal_report *report);
/* Fills in the spans, once all cases are there. Lengths should ascend. */
void met_reveal_conclude(met_arena *arena, met_reveal_report *report);
/* Lengths between those that the span's cases have: beside them and halfway, spread over all gaps. */
void met_reveal_choose_between(const met_reveal_report *report, met_reveal_span *span);
/* It explains several lengths, and no length that was asked between them says otherwise. */
bool met_reveal_span_holds(const met_reveal_report *report, const met_reveal_span *span);
/* The lengths of the base's cases from the first to the last: "1 … 40, 64"; in JSON each by itself. */
void met_reveal_put_lengths(met_text *out, const met_reveal_report *report, const met_reveal_span *span);
void met_reveal_put_json_lengths(met_json *json, const char *key, const met_reveal_report *report, const met_reveal_span *span);
/* Where leaf n of a tree of n + 1 leaves joins. */
met_joint met_joint_of(met_arena *scratch, const met_bracketing *tree, uint64_t *ret_terms);

/* Whether every case is a tree and gave the same bits whenever it was asked. */
bool met_reveal_is_tree(const met_reveal_report *report);

/* For people, in parts: the subject; one case, as soon as it is concluded (`whole`: trees without a rule are written out whatever
 * their length); what follows from all of them. */
void met_reveal_put_subject(met_text *out, const met_reveal_report *report);
void met_reveal_put_case(met_text *out, const met_reveal_report *report, size_t number, bool whole);
void met_reveal_put_conclusion(met_text *out, const met_reveal_report *report);
/* docs/formats/reveal-json.md. */
const char *met_reveal_json(met_arena *arena, const met_reveal_report *report);

/* The pieces of both: words for what the additions of a record do. */
typedef struct met_trait {
    const char *name, *value;
} met_trait;
#define MET_TRAITS 8
size_t met_traits_of(met_arena *arena, const met_reveal_report *report, const met_reveal_case *c, met_trait ret_traits[MET_TRAITS]);
/* The tree of a case; of children, the one that has the least leaf stands first. */
void met_reveal_print_tree(met_text *out, const met_reveal_case *c);

#endif
