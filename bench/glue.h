/* The work of the contests of what stands between matmuls: a gated feed-forward part with its norm, and a projection with
 * norm and rotary positions, for n rows of a model of width m, f32. */
#ifndef MET_BENCH_GLUE_H
#define MET_BENCH_GLUE_H

#include "contest.h"
#include "matmul.h"

typedef struct glue {
    size_t n, m, f;
    bool rotary; /* the projection, to f = heads · d; otherwise the feed-forward part with f inner positions */
    size_t d;
    float *x, *g;                 /* [n m], [m] */
    float *gate, *up, *down;      /* weights, outputs first: [f m], [f m], [m f]; the projection has the first only */
    float *u, *a, *b, *h, *y;     /* between: [n m], [n f], [n f], [n f]; and the result */
} glue;

glue *glue_new(size_t n, size_t m, size_t f, size_t d, bool rotary);
void glue_free(glue *work);
double glue_flops(const glue *work); /* of its matmuls */

/* met, planned by `planner`, or fused if NULL. */
entrant met_glue(glue *work, const char *planner);
/* oneDNN's matmuls on blocked weights, and plain loops between them. */
entrant peer_glue(glue *work);

/* Plain loops on the team of OpenMP, compiled for this machine: u from x and g; h from a and b; y from a. */
void plain_rmsnorm(const glue *work);
void plain_gate(const glue *work);
void plain_rope(const glue *work);

#endif
