/* met as an entrant: a program in its language, planned, realized and compiled outside what is timed, given arrays, and run
 * the way `met circuit run --hardware cpu` runs it. */
#ifndef MET_BENCH_MET_CASE_H
#define MET_BENCH_MET_CASE_H

#include "contest.h"

typedef struct met_case met_case;

/* An input or a parameter: the same in every run, or one of several, turn by turn. */
typedef struct met_case_array {
    const char *name;
    size_t bytes;
    const void *data;
    void *const *turns; /* instead of data */
    size_t turn_count;
} met_case_array;

typedef struct met_case_plan {
    const char *name;    /* of the entrant */
    const char *program;
    char sizes[96];      /* "m=512,k=512,n=512" */
    const char *dtype;   /* "f32", "bf16" */
    const char *dot;     /* of bf16 contractions: "pairs", or NULL */
    const char *planner; /* NULL: "fused" */
    size_t in_count;
    met_case_array ins[5];
    void *out;           /* gets the first output before `check` */
    size_t out_bytes;
    size_t *turn;        /* copy that the next run takes; NULL if there is only one */
    const char *(*check)(void *work);
    void *work;          /* of check */
} met_case_plan;

/* What it refers to must live as long as the entrant. */
entrant met_entrant(const met_case_plan *plan);

#endif
