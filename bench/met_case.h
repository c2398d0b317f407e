/* met as an entrant: a program in its language, planned, realized and compiled outside what is timed, given arrays, and run
 * the way `met circuit run --hardware cpu` runs it. */
#ifndef MET_BENCH_MET_CASE_H
#define MET_BENCH_MET_CASE_H

#include "contest.h"

typedef struct met_case met_case;

/* An input or a parameter. `copies` of it are gone round in, run after run; 0 counts as 1. */
typedef struct met_case_array {
    const char *name;
    void *const *data;
    size_t bytes, copies;
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
