/* ONNX Runtime's attention, through its C interface. Its packages bring the library without the header; the interface is a
 * table of functions whose places never change, and we name the places of those we call. */
#include <dlfcn.h>
#include <glob.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attention.h"
#include "onnx_model.h"

enum { API_VERSION = 17, INS_MOST = 7, OUTS_MOST = 3 };

typedef void status; /* NULL: done */
typedef void *handle;

typedef struct onnx_api {
    const char *(*error_text)(const status *s);
    status *(*create_env)(int level, const char *name, handle *ret_env);
    status *(*create_session)(handle env, const void *model, size_t length, handle options, handle *ret_session);
    status *(*run)(handle session, handle options, const char *const *in_names, const handle *ins, size_t in_count,
                   const char *const *out_names, size_t out_count, handle *outs);
    status *(*create_options)(handle *ret_options);
    status *(*set_threads)(handle options, int threads);
    status *(*create_tensor)(handle memory, void *data, size_t bytes, const int64_t *sizes, size_t rank, int type,
                             handle *ret_value);
    status *(*create_memory)(int allocator, int type, handle *ret_memory);
    void (*release_status)(status *s);
    void (*release_session)(handle session);
    void (*release_value)(handle value);
    void (*release_options)(handle options);
    status *(*set_entry)(handle options, const char *key, const char *value);
} onnx_api;

enum { PLACES = 13 };
static const unsigned places[PLACES] = { 2, 3, 8, 9, 10, 24, 49, 69, 93, 95, 96, 100, 130 }; /* in the order above */

typedef struct onnx_base {
    const void *(*get_api)(uint32_t version);
    const char *(*get_version)(void);
} onnx_base;

typedef struct onnx {
    attention *work;
    bool grouped;
    char name[40];
    onnx_api api;
    handle env, memory, session;
    size_t in_count, out_count;
    onnx_array ins[INS_MOST], outs[OUTS_MOST];
    const char *in_names[INS_MOST], *out_names[OUTS_MOST];
    handle in_values[INS_MOST], out_values[OUTS_MOST];
    float *keys, *values; /* grouped: what is past, with room for what is new, [g x d] */
    float *new_key, *new_value; /* [n g d] */
    int32_t past, total;
} onnx;

static void must(const onnx *o, status *s)
{
    if (!s)
        return;
    fprintf(stderr, "bench: ONNX Runtime: %s\n", o->api.error_text(s));
    exit(3);
}

/* Where the npm and the PyPI package have it, if tools/install-deps.sh brought one, or the system. */
static void *open_library(void)
{
    static const char *const patterns[] = {
        MET_BENCH_DIR "/peers/onnxruntime/capi/libonnxruntime.so.*",
        MET_BENCH_DIR "/peers/node_modules/onnxruntime-node/bin/*/linux/*/libonnxruntime.so.*",
    };
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        glob_t found;
        void *library = glob(patterns[p], 0, NULL, &found) == 0 ? dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL) : NULL;
        globfree(&found);
        if (library)
            return library;
    }
    return dlopen("libonnxruntime.so.1", RTLD_NOW | RTLD_LOCAL);
}

static bool load(onnx *o)
{
    static void *library;
    if (!library)
        library = open_library();
    const onnx_base *(*get_base)(void);
    *(void **)&get_base = library ? dlsym(library, "OrtGetApiBase") : NULL;
    if (!get_base)
        return false;
    const char *table = get_base()->get_api(API_VERSION);
    if (!table)
        return false;
    _Static_assert(sizeof(onnx_api) == PLACES * sizeof(void *), "a place for every function");
    for (size_t i = 0; i < PLACES; i++)
        memcpy((char *)&o->api + i * sizeof(void *), table + places[i] * sizeof(void *), sizeof(void *));
    snprintf(o->name, sizeof o->name, "ORT %.7s %s", get_base()->get_version(), o->grouped ? "GroupQuery" : "MultiHead");
    return true;
}

static handle tensor(const onnx *o, const onnx_array *array, void *data)
{
    size_t bytes = 4;
    for (size_t i = 0; i < array->rank; i++)
        bytes *= (size_t)array->sizes[i];
    handle value;
    must(o, o->api.create_tensor(o->memory, data, bytes, array->sizes, array->rank, (int)array->type, &value));
    return value;
}

static void add_in(onnx *o, onnx_array array, void *data)
{
    size_t i = o->in_count++;
    o->ins[i] = array;
    o->in_names[i] = array.name;
    o->in_values[i] = tensor(o, &array, data);
}

static void add_out(onnx *o, onnx_array array, void *data)
{
    size_t i = o->out_count++;
    o->outs[i] = array;
    o->out_names[i] = array.name;
    o->out_values[i] = tensor(o, &array, data);
}

static onnx_array rows_of(const char *name, size_t rows, size_t columns)
{
    return (onnx_array){ name, ONNX_FLOAT, 3, { 1, (int64_t)rows, (int64_t)columns } };
}

static void bind_multi_head(onnx *o)
{
    attention *w = o->work;
    add_in(o, rows_of("q", w->n, w->h * w->d), w->q);
    add_in(o, rows_of("k", w->x, w->g * w->d), w->k);
    add_in(o, rows_of("v", w->x, w->g * w->d), w->v);
    add_out(o, rows_of("y", w->n, w->h * w->d), w->y);
}

/* Past keys or values, in the order of caches. */
static float *past_of(const attention *w, const float *array)
{
    float *past = array_new(w->x * w->g * w->d * sizeof *past);
    for (size_t x = 0; x < w->x - w->n; x++)
        for (size_t g = 0; g < w->g; g++)
            memcpy(past + (g * w->x + x) * w->d, array + attention_at(w, x, g), w->d * sizeof *past);
    return past;
}

static float *new_of(const attention *w, const float *array)
{
    float *new = array_new(w->n * w->g * w->d * sizeof *new);
    for (size_t n = 0; n < w->n; n++)
        for (size_t g = 0; g < w->g; g++)
            memcpy(new + (n * w->g + g) * w->d, array + attention_at(w, w->x - w->n + n, g), w->d * sizeof *new);
    return new;
}

static void bind_grouped(onnx *o)
{
    attention *w = o->work;
    onnx_array cache = { "past_k", ONNX_FLOAT, 4, { 1, (int64_t)w->g, (int64_t)w->x, (int64_t)w->d } };
    o->keys = past_of(w, w->k);
    o->values = past_of(w, w->v);
    o->new_key = new_of(w, w->k);
    o->new_value = new_of(w, w->v);
    o->past = (int32_t)w->x - 1;
    o->total = (int32_t)w->x;
    add_in(o, rows_of("q", w->n, w->h * w->d), w->q);
    add_in(o, rows_of("k", w->n, w->g * w->d), o->new_key);
    add_in(o, rows_of("v", w->n, w->g * w->d), o->new_value);
    add_in(o, cache, o->keys);
    cache.name = "past_v";
    add_in(o, cache, o->values);
    add_in(o, (onnx_array){ "lengths", ONNX_INT32, 1, { 1 } }, &o->past);
    add_in(o, (onnx_array){ "total", ONNX_INT32, 1, { 1 } }, &o->total);
    add_out(o, rows_of("y", w->n, w->h * w->d), w->y);
    cache.name = "present_k";
    add_out(o, cache, o->keys);
    cache.name = "present_v";
    add_out(o, cache, o->values);
}

static const char *prepare(void *context, unsigned threads)
{
    onnx *o = context;
    const attention *w = o->work;
    const onnx_attribute grouped[] = { { "num_heads", (int64_t)w->h }, { "kv_num_heads", (int64_t)w->g } };
    const onnx_attribute multi[] = { { "num_heads", (int64_t)w->h }, { "unidirectional", w->causal } };
    const onnx_node node = { .op = o->grouped ? "GroupQueryAttention" : "MultiHeadAttention", .domain = "com.microsoft",
                             .in_count = o->in_count, .out_count = o->out_count, .ins = o->ins, .outs = o->outs,
                             .attribute_count = 2, .attributes = o->grouped ? grouped : multi };
    uint8_t model[ONNX_MODEL_MOST];
    size_t length = onnx_model(&node, model);
    handle options;
    must(o, o->api.create_options(&options));
    must(o, o->api.set_threads(options, (int)threads));
    if (threads == 2 && omp_get_num_places() > 1) {
        char processor[16]; /* of its one further thread; counted from 1 */
        int ids[64];
        if (omp_get_place_num_procs(1) <= (int)(sizeof ids / sizeof *ids)) {
            omp_get_place_proc_ids(1, ids);
            snprintf(processor, sizeof processor, "%d", ids[0] + 1);
            must(o, o->api.set_entry(options, "session.intra_op_thread_affinities", processor));
        }
    }
    if (o->session)
        o->api.release_session(o->session);
    must(o, o->api.create_session(o->env, model, length, options, &o->session));
    o->api.release_options(options);
    return NULL;
}

static void run(void *context)
{
    onnx *o = context;
    must(o, o->api.run(o->session, NULL, o->in_names, o->in_values, o->in_count, o->out_names, o->out_count, o->out_values));
}

static const char *check(void *context) { return attention_check(((onnx *)context)->work); }

/* The library keeps its environment, one for the process, until the end. */
static void close_onnx(entrant *e)
{
    onnx *o = e->context;
    for (size_t i = 0; i < o->in_count; i++)
        o->api.release_value(o->in_values[i]);
    for (size_t i = 0; i < o->out_count; i++)
        o->api.release_value(o->out_values[i]);
    if (o->session)
        o->api.release_session(o->session);
    size_t row = o->work->g * o->work->d * sizeof(float);
    array_free(o->keys, o->work->x * row);
    array_free(o->values, o->work->x * row);
    array_free(o->new_key, o->work->n * row);
    array_free(o->new_value, o->work->n * row);
    free(o);
}

entrant peer_onnx_attention(attention *work, bool grouped)
{
    onnx *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->work = work;
    o->grouped = grouped;
    entrant e = { .name = grouped ? "ORT GroupQuery" : "ORT MultiHead", .context = o, .run = run,
                  .prepare = prepare, .check = check, .close = close_onnx };
    if (!load(o)) {
        e.absent = "its library is not installed";
        return e;
    }
    e.name = o->name;
    must(o, o->api.create_env(3, "bench", &o->env)); /* 3: errors only */
    must(o, o->api.create_memory(1, 0, &o->memory)); /* arena allocator, default memory */
    if (grouped)
        bind_grouped(o);
    else
        bind_multi_head(o);
    return e;
}
