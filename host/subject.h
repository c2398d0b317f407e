/* A circuit to be run in several ways on the same arrays: settled at a numerics point, its inputs given or filled. A way is
 * a planner and a hardware, "fused@cpu-avx512", with threads and tiles; "none@interpreter" is the interpreter. */
#ifndef MET_HOST_SUBJECT_H
#define MET_HOST_SUBJECT_H

#include "met/eval.h"

typedef struct met_subject met_subject;

/* All zero, with names, is a way. */
typedef struct met_way {
    const char *planner;  /* "none", "fused" or "whole", of settled nodes; "greedy" or "exact", of whole ops by the blueprint */
    const char *hardware; /* a class of kernels, "cpu" for the best that this machine can run, a device, or "interpreter" */
    const char *tiles;    /* "q=32,x=128"; NULL: what the class chooses */
    uint32_t threads;     /* 0: 1 */
    bool pinned;
    bool poison;          /* for tests: see met_execute_options */
    const char *cache;    /* see met_compiler_options */
    const char *tree, *dot; /* of this way alone, as met_eval_options has them; NULL: the subject's */
    /* Of greedy and exact: */
    const char *kernels;  /* where the blueprint is: see met_blueprint_request; NULL: the usual place */
    const char *mode;     /* decode, prefill …; NULL: "run", that of circuits without modes */
    const struct met_lkb *lkb; /* the blueprint itself; NULL: it is read from `kernels` */
    const char *setting;  /* "name=value", over the class's; NULL: none */
    const char *device;   /* whose prices count; NULL: what `hardware` says, of a class its first device */
    bool measured;        /* prices from the evidence store, where it has fresh ones … */
    const char *store;    /* … which is this; NULL: that of the user */
    bool emulate;         /* of greedy, exact and none: the interpreter instead of kernels, along the trees that the class declares */
} met_way;

/* A result as it stands in memory. */
typedef struct met_result_bytes {
    const unsigned char *at; /* row-major, elements of `size` bytes, little-endian */
    size_t size;
} met_result_bytes;

/* A kernel, for people. */
typedef struct met_kernel_summary {
    const char *nodes;  /* "softmax, einsum"; "packing" for what makes constants */
    const char *tiles;  /* "q 32, x 128", may be empty */
    double seconds;
    bool underflow;
} met_kernel_summary;

/* Folds of an emulated run that are alike. */
typedef struct met_emulated {
    const char *op;      /* "linear"; "softmax sum", the fold behind the op that was written */
    const char *kernel;  /* of the plan; "" where there is none */
    const char *tree;    /* that they went along: text */
    const char *tree_id; /* … declared by this name; NULL: the point's */
    const char *unit;    /* the matrix unit whose nodes these are; NULL: none */
    const char *why;     /* they do not go as on the class; NULL: they do */
    uint32_t count;
} met_emulated;

typedef struct met_outcome {
    const char *name;                 /* "fused@cpu-avx512", with the class that "cpu" meant */
    uint32_t threads;
    const met_eval_result *result;
    const met_result_bytes *bytes;    /* by array of the result */
    size_t kernel_count;              /* none for the interpreter */
    size_t packing_count;             /* of those, how many only rearrange parameters, once */
    const met_kernel_summary *kernels;
    uint64_t array_bytes;             /* of the kernels' arrays, of which some take turns … */
    uint64_t array_bytes_apart;       /* … and if each had memory of its own */
    size_t emulated_count;            /* of an emulated run alone */
    const met_emulated *emulated;
    bool underflow;                   /* a kernel met something tiny that it had to round */
    const struct met_plan_numerics *numerics; /* of its kernels, or of the point, for host/parity.h */
} met_outcome;

/* Binds sizes by the arrays, settles the circuit at the point of the options (with dtype f32 if they have none), checks its
 * sizes. `options` and `ins` must live as long as the subject, which lives as long as the session. NULL with diagnostics. */
const met_subject *met_subject_new(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                   const met_named_tensor *ins);
/* The same for plans alone: it is not to be run, so its arrays may be of any size, and without a dtype it has the circuit's. */
const met_subject *met_subject_to_plan(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                       const met_named_tensor *ins);

/* Runs it once. NULL with diagnostics. */
const met_outcome *met_subject_run(const met_subject *subject, const met_way *way);

/* The way's kernels as C for other programs: a source, and a header NAME.h that it includes. The class need not be one that
 * this machine can run. `origin` is for the comment on top. False with diagnostics: those of a run, and `usage` for a name
 * that cannot be one of a function. */
bool met_subject_package(const met_subject *subject, const met_way *way, const char *name, const char *origin,
                         const char **ret_source, const char **ret_header);

/* Splits "fused@cpu-avx512" into a way's planner and hardware. False with a diagnostic `usage`, also where the interpreter is
 * to follow a planner. */
bool met_way_parse(met_session *session, const char *text, met_way *way);
/* The class of kernels that a way runs: what it names, the best of this machine for "cpu", that of a device of the blueprint.
 * NULL with diagnostics: no such hardware, or none that this machine can run. */
const char *met_way_class(met_session *session, const met_way *way);

#endif
