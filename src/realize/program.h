/* Programs: a plan as source text and as the calls that run it. Every distinct kernel is one source, compiled by itself, so
 * that the layers of a model share it; sizes, strides and arrays reach it as arguments. Nothing here compiles or runs. */
#ifndef MET_REALIZE_PROGRAM_H
#define MET_REALIZE_PROGRAM_H

#include "plan/plan.h"
#include "realize/class.h"

/* What a compiled kernel is called with. Arrays are bytes in their edges' formats, row-major. */
typedef struct met_kernel_call {
    void *const *arrays;
    const int64_t *sizes;
    void *scratch; /* of this thread, 64-byte aligned */
} met_kernel_call;
/* Does units [begin, end) of the kernel's work; units are independent and may run on any thread. */
typedef void (*met_kernel_fn)(const met_kernel_call *call, int64_t begin, int64_t end);

typedef struct met_program_source {
    const char *symbol; /* of the met_kernel_fn */
    const char *text;   /* C17: compiles by itself, with libc and libm only */
    size_t length;
    const char *library; /* what it was cut from: the class header and the texts of contractions, whole; */
    const char *own;     /* and the kernel's own part, with which `text` ends */
} met_program_source;

/* How a fold of the kernel is bracketed, as its schedule makes it. */
typedef struct met_record {
    met_node_id node;
    met_tree tree;
} met_record;

typedef struct met_launch {
    uint32_t source;
    uint32_t group;            /* of the plan; MET_NONE for packing */
    uint32_t array_count;
    const uint32_t *arrays;    /* buffer numbers */
    uint32_t size_count;
    const int64_t *sizes;
    int64_t units;
    size_t scratch_bytes;      /* per thread */
    uint32_t record_count;
    const met_record *records; /* of every fold in it */
    bool constant;             /* reads parameters only: runs once, before the first run */
    const char *tiles;         /* what was chosen, for people: "q 96, x 512" */
    const struct met_form_point *form; /* which of the texts that there are: realize/form.h */
} met_launch;

typedef struct met_buffer {
    met_edge_id edge; /* MET_NONE: a packed copy or another temporary */
    const char *name;
    size_t bytes;
} met_buffer;

typedef struct met_program {
    const met_plan *plan;
    const met_class *class;
    uint32_t source_count, launch_count, buffer_count;
    const met_program_source *sources;
    const met_launch *launches; /* in order */
    const met_buffer *buffers;  /* the stored edges first, in edge order */
    const uint32_t *buffer_of;  /* by edge; MET_NONE where it is not stored */
} met_program;

typedef struct met_realize_options {
    uint32_t threads;   /* for which units are sized; 0: 1 */
    const char *tiles;  /* "q=32,x=128": tile sizes of loops by name, instead of what the class chooses; NULL */
} met_realize_options;

/* Whether the class can make this kernel (met_plan_options.accepts, with the class as context). */
bool met_realize_accepts(void *class, const met_kernel *kernel);

/* The same at a numerics point; the context is this. The other one takes the default point. */
typedef struct met_realize_request {
    const met_class *class;
    const met_point *point;
} met_realize_request;
bool met_realize_accepts_at(void *request, const met_kernel *kernel);

/* NULL with a diagnostic: a format that the class does not hold, a loop that does not exist in `tiles`. Sizes must be
 * bound. */
const met_program *met_realize(const met_plan *plan, const met_class *class, const met_realize_options *options);

#endif
