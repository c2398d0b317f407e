/* OpenBLAS and BLIS. Both export the same names, so each is loaded by itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "matmul.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* of the CBLAS interface */

typedef void gemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc);
typedef void gemv_fn(int order, int trans, int rows, int columns, float alpha, const float *a, int lda, const float *x,
                     int step_x, float beta, float *y, int step_y);
typedef void threads_fn(int threads);

typedef struct blas {
    matmul *work;
    gemm_fn *gemm;
    gemv_fn *gemv;
    threads_fn *set_threads;
    char name[32];
} blas;

static void run(void *context)
{
    const blas *b = context;
    matmul *w = b->work;
    const float *weight = w->w[matmul_turn(w)];
    int m = (int)w->m, k = (int)w->k, n = (int)w->n;
    int transposed = w->outputs_first ? TRANS : NO_TRANS, step = w->outputs_first ? k : n;
    if (m > 1)
        b->gemm(ROW_MAJOR, NO_TRANS, transposed, m, n, k, 1, w->x, k, weight, step, 0, w->y, n);
    else if (w->outputs_first)
        b->gemv(ROW_MAJOR, NO_TRANS, n, k, 1, weight, k, w->x, 1, 0, w->y, 1);
    else
        b->gemv(ROW_MAJOR, TRANS, k, n, 1, weight, n, w->x, 1, 0, w->y, 1);
}

static const char *prepare(void *context, unsigned threads)
{
    const blas *b = context;
    b->set_threads((int)threads);
    return NULL;
}

static const char *check(void *context) { return matmul_check(((blas *)context)->work); }

/* POSIX has dlsym return functions as object pointers. */
static void *symbol(void *library, const char *name) { return dlsym(library, name); }

static const char *word(void *library, const char *name)
{
    const char *(*ask)(void);
    *(void **)&ask = symbol(library, name);
    return ask ? ask() : "?";
}

static void close_blas(entrant *e) { free(e->context); }

static entrant entrant_of(matmul *work, void *library, const char *set_threads, blas *b, const char *title)
{
    entrant e = { .name = title, .run = run, .prepare = prepare, .check = check, .close = close_blas, .context = b };
    if (!library) {
        e.absent = "its library is not installed";
        return e;
    }
    *(void **)&b->gemm = symbol(library, "cblas_sgemm");
    *(void **)&b->gemv = symbol(library, "cblas_sgemv");
    *(void **)&b->set_threads = symbol(library, set_threads);
    b->work = work;
    e.name = b->name;
    if (!b->gemm || !b->gemv || !b->set_threads)
        e.absent = "its library lacks the functions for it";
    else if (work->bf16)
        e.absent = "no bf16 in the packaged build";
    return e;
}

static blas *blas_new(void)
{
    blas *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    return b;
}

/* Both choose kernels by the model of the CPU. On one that is newer than they, or whose name a virtual machine hides, they
 * fall back on much slower ones; then we name the kernels that the CPU's features allow, unless the user has. */
static bool is_new_intel(void) { return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512f"); }

entrant peer_openblas(matmul *work)
{
    static void *library;
    if (!library) {
        if (is_new_intel())
            setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512bf16") ? "Cooperlake" : "SkylakeX", 0);
        library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    }
    blas *b = blas_new();
    if (library)
        snprintf(b->name, sizeof b->name, "OpenBLAS (%s)", word(library, "openblas_get_corename"));
    return entrant_of(work, library, "openblas_set_num_threads", b, "OpenBLAS");
}

entrant peer_blis(matmul *work)
{
    static void *library;
    if (!library) {
        if (is_new_intel())
            setenv("BLIS_ARCH_TYPE", "0", 0); /* skx, in the numbers of BLIS 0.9 */
        library = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL);
    }
    blas *b = blas_new();
    if (library) {
        void (*init)(void);
        int (*query)(void);
        const char *(*string)(int);
        *(void **)&init = symbol(library, "bli_init");
        *(void **)&query = symbol(library, "bli_arch_query_id");
        *(void **)&string = symbol(library, "bli_arch_string");
        if (init && query && string) {
            init();
            snprintf(b->name, sizeof b->name, "BLIS (%s)", string(query()));
        }
    }
    return entrant_of(work, library, "bli_thread_set_num_threads", b, "BLIS");
}
