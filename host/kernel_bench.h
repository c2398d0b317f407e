/* Measuring the kernels of a plan, each by itself: a program runs once as a whole, then again kernel by kernel in order, and at
 * each it stays for as many runs as its samples take. So every kernel reads what it reads in a run, wherever its arrays stand.
 *
 * Warm: runs follow each other, so that what fits the caches stays there. Cold: before every run the lines of all arrays of
 * the kernel are put out of all caches (not its code, and not what the system knows of pages). Kernels of the same
 * shape and text are measured once and counted. */
#ifndef MET_HOST_KERNEL_BENCH_H
#define MET_HOST_KERNEL_BENCH_H

#include "host/evidence.h"
#include "host/sample.h"
#include "host/subject.h"

typedef struct met_bench_options {
    met_way way;        /* pinned or not, as it says; the planner "ops" is every op as it was written by itself */
    const struct met_hardware *hardware; /* whose families kernels are of; NULL: none is named */
    size_t repeats;     /* samples of a kernel, each way; 0: 31 */
    double budget_s;    /* of a kernel, each way, after three samples; 0: 0.5 */
    met_clock clock;    /* without a function: the real one */
} met_bench_options;

typedef struct met_bench_kernel {
    const char *of;       /* "norm_qkv", the kernels of its group where the planner is of whole ops; else those ops, "rmsnorm linear" */
    const char *nodes;    /* "softmax, einsum" */
    const char *sizes;    /* "q=32 x=128" of its loops */
    const char *family, *name, *point; /* see met_evidence_row */
    const char *computes; /* digest of the shape of its nodes */
    const char *kernel;   /* digest of text, flags, compiler */
    uint32_t launches;
    uint32_t count;       /* how often the plan has it */
    met_sample warm, cold;
    bool has_cold;        /* the processor can put lines out of its caches */
    bool has_joules;
    double joules;        /* of a warm run */
} met_bench_kernel;

typedef struct met_bench {
    const char *name;       /* "fused@cpu-avx512" */
    const char *class_name;
    uint32_t threads;
    bool pinned;
    uint64_t rows;          /* the sizes called n and b, multiplied */
    size_t kernel_count;    /* that differ, in the order of the plan */
    const met_bench_kernel *kernels;
    double warm_s, cold_s;  /* Σ median · count */
    const char *no_energy;  /* why there are no joules; NULL: there are */
} met_bench;

/* NULL with diagnostics: those of a run. The hardware is a class. */
const met_bench *met_kernel_bench(const met_subject *subject, const met_bench_options *options);

/* The rows of a bench, one or two for each kernel. */
const met_evidence_row *met_bench_rows(met_session *session, const met_bench *bench, const char *device, const char *blueprint,
                                       int64_t measured_at, size_t *ret_count);

#endif
