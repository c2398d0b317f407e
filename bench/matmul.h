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

/* met; packed: w is a parameter, brought into the kernel's order once; otherwise an input as it is. `dot`: "pairs" for
 * bf16 dot products, or NULL. */
entrant met_matmul(matmul *work, bool packed, const char *dot);

/* Peers. `name` of the entrant says which library and kernels. */
entrant peer_openblas(matmul *work);
entrant peer_blis(matmul *work);

/* oneDNN; blocked: with weights in the layout that it asks for, brought there once. */
entrant peer_onednn(matmul *work, bool blocked);

#endif
