/* oneDNN's matmul primitive, through its C interface of version 2. */
#include <stdio.h>
#include <stdlib.h>

#include "matmul.h"

#if !defined MET_BENCH_ONEDNN

entrant peer_onednn(matmul *work, bool blocked)
{
    (void)work;
    return (entrant){ .name = blocked ? "oneDNN, blocked" : "oneDNN",
                      .absent = "its library was not installed when this was built" };
}

#else

#include <dnnl.h>

typedef struct onednn {
    matmul *work;
    bool blocked;
    char name[40];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_t x, *w, y;
} onednn;

/* oneDNN reports what fails as a number; none of these fails for a reason that a user could change. */
static void must(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success) {
        fprintf(stderr, "bench: oneDNN: %s: status %d\n", what, (int)status);
        exit(3);
    }
}

static dnnl_memory_desc_t matrix(const matmul *work, size_t rows, size_t columns, bool transposed)
{
    dnnl_dims_t dims = { (dnnl_dim_t)rows, (dnnl_dim_t)columns };
    dnnl_dims_t steps = { transposed ? 1 : (dnnl_dim_t)columns, transposed ? (dnnl_dim_t)rows : 1 };
    dnnl_memory_desc_t desc;
    must(dnnl_memory_desc_init_by_strides(&desc, 2, dims, work->bf16 ? dnnl_bf16 : dnnl_f32, steps), "layout");
    return desc;
}

static dnnl_memory_t memory(const onednn *o, const dnnl_memory_desc_t *desc, void *data)
{
    dnnl_memory_t m;
    must(dnnl_memory_create(&m, desc, o->engine, data), "memory");
    return m;
}

static void destroy_run(onednn *o)
{
    if (!o->primitive)
        return;
    dnnl_primitive_destroy(o->primitive);
    dnnl_memory_destroy(o->x);
    dnnl_memory_destroy(o->y);
    for (size_t c = 0; c < o->work->copies; c++)
        dnnl_memory_destroy(o->w[c]);
    o->primitive = NULL;
}

/* The weights in the layout that the primitive asks for. */
static dnnl_memory_t reorder(const onednn *o, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to, void *data)
{
    dnnl_memory_t source = memory(o, from, data), target = memory(o, to, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    must(dnnl_reorder_primitive_desc_create(&desc, from, o->engine, to, o->engine, NULL), "reorder");
    must(dnnl_primitive_create(&primitive, desc), "reorder");
    dnnl_exec_arg_t arguments[] = { { DNNL_ARG_FROM, source }, { DNNL_ARG_TO, target } };
    must(dnnl_primitive_execute(primitive, o->stream, 2, arguments), "reorder");
    must(dnnl_stream_wait(o->stream), "reorder");
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_memory_destroy(source);
    return target;
}

/* Primitives are made for a number of threads. An old CPU has no bf16 matmul. */
static const char *prepare(void *context, unsigned threads)
{
    (void)threads; /* the caller has told OpenMP */
    onednn *o = context;
    matmul *work = o->work;
    destroy_run(o);
    dnnl_memory_desc_t x = matrix(work, work->m, work->k, false), y = matrix(work, work->m, work->n, false);
    dnnl_memory_desc_t plain = matrix(work, work->k, work->n, work->outputs_first), w = plain;
    if (o->blocked)
        must(dnnl_memory_desc_init_by_tag(&w, 2, plain.dims, plain.data_type, dnnl_format_tag_any), "layout");
    dnnl_matmul_desc_t matmul_desc;
    must(dnnl_matmul_desc_init(&matmul_desc, &x, &w, NULL, &y), "matmul");
    dnnl_primitive_desc_t desc;
    if (dnnl_primitive_desc_create(&desc, &matmul_desc, NULL, o->engine, NULL) != dnnl_success)
        return "this CPU has no such matmul";
    must(dnnl_primitive_create(&o->primitive, desc), "matmul");
    const dnnl_memory_desc_t *wanted = dnnl_primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
    for (size_t c = 0; c < work->copies; c++)
        o->w[c] = o->blocked ? reorder(o, &plain, wanted, work->w[c]) : memory(o, &plain, work->w[c]);
    o->x = memory(o, &x, work->x);
    o->y = memory(o, &y, work->y);
    dnnl_primitive_desc_destroy(desc);
    return NULL;
}

static void run(void *context)
{
    const onednn *o = context;
    dnnl_exec_arg_t arguments[] = { { DNNL_ARG_SRC, o->x }, { DNNL_ARG_WEIGHTS, o->w[matmul_turn(o->work)] },
                                    { DNNL_ARG_DST, o->y } };
    must(dnnl_primitive_execute(o->primitive, o->stream, 3, arguments), "matmul");
    must(dnnl_stream_wait(o->stream), "matmul");
}

static const char *check(void *context) { return matmul_check(((onednn *)context)->work); }

static void close_onednn(entrant *e)
{
    onednn *o = e->context;
    destroy_run(o);
    dnnl_stream_destroy(o->stream);
    dnnl_engine_destroy(o->engine);
    free(o->w);
    free(o);
}

entrant peer_onednn(matmul *work, bool blocked)
{
    onednn *o = calloc(1, sizeof *o);
    if (!o || !(o->w = calloc(work->copies, sizeof *o->w)))
        abort();
    const dnnl_version_t *version = dnnl_version();
    o->work = work;
    o->blocked = blocked;
    snprintf(o->name, sizeof o->name, "oneDNN %d.%d%s", version->major, version->minor, blocked ? ", blocked" : "");
    must(dnnl_engine_create(&o->engine, dnnl_cpu, 0), "engine");
    must(dnnl_stream_create(&o->stream, o->engine, dnnl_stream_default_flags), "stream");
    return (entrant){ .name = o->name, .run = run, .prepare = prepare, .check = check, .close = close_onednn, .context = o };
}

#endif
