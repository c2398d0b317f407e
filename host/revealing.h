/* Revealing what is not ours: a routine or a program at every length, offset and number of threads asked for. Owns what is
 * asked of each: its tree, where it adds to what is there, whether it repeats itself. */
#ifndef MET_HOST_REVEALING_H
#define MET_HOST_REVEALING_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MET_REVEALING_CASES 256

/* A list of natural numbers. */
typedef struct met_counts {
    size_t count;
    uint64_t at[MET_REVEALING_CASES];
} met_counts;

typedef struct met_reveal_report met_revealing;

/* All zero is the default. */
typedef struct met_revealing_request {
    const char *library, *symbol; /* or `command` */
    const char *signature;        /* NULL: known by the symbol */
    const char *command;
    const char *dtype;            /* of a command's operands; NULL: f32 */
    const char *kind;             /* "sum", "dot", "mean", "magnitudes", "squares", "exponentials"; NULL: by the signature */
    const char *method;           /* "count", "triples", "squares"; NULL: chosen */
    const char *transpose;        /* "a", "b", "ab"; NULL: none */
    met_counts terms, offsets, threads; /* none: offset 0, threads as the library likes */
    uint64_t rows, columns;       /* of the result; 0: 8 for a matrix, 1 otherwise */
    uint64_t row, column;         /* which element of it */
    bool only_sum;                /* nothing is asked about what is added to */
    uint64_t call_limit;          /* of a command; 0: 20000 */
    double limit_s;               /* 0: 10 */
    uint64_t seed;
    bool progress;                /* of a command, on standard error */
    /* Called for every case as it is found; NULL: nothing is. */
    void (*found)(const void *context, const met_revealing *so_far);
    const void *context;
} met_revealing_request;

/* In the session's arena. NULL with diagnostics. */
const met_revealing *met_revealing_run(met_session *session, const met_revealing_request *request);
/* Whether every case is a tree and gave the same bits whenever it was asked. */
bool met_revealing_is_tree(const met_revealing *found);
/* For people, in parts: the last case, with the subject before the first one; what follows from all. */
const char *met_revealing_case_text(met_session *session, const met_revealing *so_far, bool whole);
const char *met_revealing_conclusion_text(met_session *session, const met_revealing *found);
const char *met_revealing_json(met_session *session, const met_revealing *found);
/* For a file, as docs/formats/tree-json.md has it: the rule if one explains several lengths, else the record of the first case
 * that is a tree; NULL if none is. */
const char *met_revealing_record(met_session *session, const met_revealing *found);

#ifdef __cplusplus
}
#endif
#endif
