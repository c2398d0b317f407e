/* The work of the matmul and matrix-vector contests: y[m n] = x[m k] · w, and those who can do it. */
#ifndef MET_BENCH_MATMUL_H
#define MET_BENCH_MATMUL_H

#include "contest.h"

typedef struct matmul {
    size_t m, k, n;
    bool bf16;          /* x, w and y; otherwise f32 */
    bool outputs_first; /* w is [n k], as parameters of linear maps are; otherwise [k n] */
    size_t copies;      /* of w: run after run takes the next, so that caches do not hold it */
    void *x, **w, *y;
    size_t next;        /* copy that the next run takes */
} matmul;

matmul *matmul_new(size_t m, size_t k, size_t n, bool bf16, bool outputs_first, size_t copies);
void matmul_free(matmul *work);
double matmul_flops(const matmul *work);
size_t matmul_weight_bytes(const matmul *work); /* of one copy */

/* The copy to take now. */
size_t matmul_turn(matmul *work);
/* Whether y is right, at some of its positions, for the copy taken last; then spoils y. NULL, or a few words. */
const char *matmul_check(matmul *work);

/* Peers. `name` of the entrant says which library and kernels. Freed by peer_*_close. */
entrant peer_openblas(matmul *work);
entrant peer_blis(matmul *work);
void peer_blas_close(entrant *e);

/* oneDNN; blocked: with weights in the layout that it asks for, brought there once. */
entrant peer_onednn(matmul *work, bool blocked);
void peer_onednn_close(entrant *e);

#endif
