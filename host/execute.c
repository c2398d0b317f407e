#include "host/execute.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "host/cpu.h"
#include "host/machine.h"
#include "number/encode.h"
#include "realize/arena.h"

static const met_span nowhere;

enum { LINE = 64 };

/* What a thread has to say after a launch; on a cache line of its own. */
typedef struct thread_state {
    _Alignas(LINE) void *scratch;
    bool underflow;
    const char *fault;
} thread_state;

struct met_execution {
    met_session *session;
    const met_program *program;
    met_kernel_fn *kernels; /* by source */
    const char **keys;      /* by source */
    const met_layout *layout;
    char *memory;           /* arrays as the layout says, then scratch */
    size_t memory_bytes;
    char **buffers;
    void ***arrays; /* by launch: of its call */
    met_team *team;
    thread_state *threads;
    size_t scratch_bytes;
    met_launch_report *reports;
    bool poison;
    bool stale; /* constant launches have to run */
    double build_seconds;
};

/* --- Making --- */

static bool build(met_execution *execution, met_compiler *compiler)
{
    const met_program *program = execution->program;
    met_arena *arena = execution->session->arena;
    met_unit *units = MET_NEW_ARRAY(arena, met_unit, program->source_count);
    const char *flags = met_cpu_flags(execution->session, program->class->name);
    for (uint32_t s = 0; s < program->source_count; s++)
        units[s] = (met_unit){ .symbol = program->sources[s].symbol, .text = program->sources[s].text,
                               .flags = flags };
    double begin = met_seconds();
    if (!met_compiler_build(compiler, program->source_count, units))
        return false;
    execution->build_seconds = met_seconds() - begin;
    execution->kernels = MET_NEW_ARRAY(arena, met_kernel_fn, program->source_count);
    execution->keys = MET_NEW_ARRAY(arena, const char *, program->source_count);
    for (uint32_t s = 0; s < program->source_count; s++) {
        memcpy(&execution->kernels[s], &units[s].function, sizeof units[s].function);
        execution->keys[s] = units[s].key;
    }
    return true;
}

static bool refuse_memory(met_execution *execution, uint64_t bytes, uint64_t limit)
{
    met_diag *diag = met_diag_add(execution->session, MET_DIAG_run, nowhere,
                                  "the arrays of these kernels take %llu MiB; %llu are allowed",
                                  (unsigned long long)(bytes >> 20), (unsigned long long)(limit >> 20));
    met_diag_help(diag, "run it at smaller sizes");
    return false;
}

static void point_out_arrays(met_execution *execution, uint32_t threads, uint64_t scratch)
{
    const met_program *program = execution->program;
    met_arena *arena = execution->session->arena;
    execution->buffers = MET_NEW_ARRAY(arena, char *, program->buffer_count);
    for (uint32_t b = 0; b < program->buffer_count; b++)
        execution->buffers[b] = execution->memory + execution->layout->offset[b];
    for (uint32_t t = 0; t < threads; t++)
        execution->threads[t].scratch = execution->memory + execution->layout->bytes + t * scratch;
    execution->arrays = MET_NEW_ARRAY(arena, void **, program->launch_count);
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_launch *launch = &program->launches[l];
        execution->arrays[l] = MET_NEW_ARRAY(arena, void *, launch->array_count);
        for (uint32_t a = 0; a < launch->array_count; a++)
            execution->arrays[l][a] = execution->buffers[launch->arrays[a]];
    }
}

static bool make_memory(met_execution *execution, uint32_t threads, uint64_t limit)
{
    const met_program *program = execution->program;
    execution->layout = met_layout_new(program, NULL, execution->session->arena);
    for (uint32_t l = 0; l < program->launch_count; l++)
        if (program->launches[l].scratch_bytes > execution->scratch_bytes)
            execution->scratch_bytes = program->launches[l].scratch_bytes;
    uint64_t scratch = 0, end = 0;
    bool counted = !__builtin_add_overflow(execution->scratch_bytes, LINE - 1, &scratch);
    scratch = scratch / LINE * LINE;
    counted = counted && !__builtin_mul_overflow(scratch, threads, &end) &&
              !__builtin_add_overflow(end, execution->layout->bytes, &end);
    if (!counted || end > limit)
        return refuse_memory(execution, counted ? end : UINT64_MAX, limit);
    execution->memory_bytes = (size_t)end;
    execution->memory = met_pages_new(execution->memory_bytes);
    if (!execution->memory)
        return refuse_memory(execution, end, 0);
    point_out_arrays(execution, threads, scratch);
    return true;
}

met_execution *met_execution_new(met_session *session, const met_program *program, met_compiler *compiler,
                                 const met_execute_options *options)
{
    static const met_execute_options defaults;
    options = options ? options : &defaults;
    met_execution *execution = MET_NEW(session->arena, met_execution);
    uint32_t threads = options->threads ? options->threads : 1;
    *execution = (met_execution){ .session = session, .program = program, .poison = options->poison, .stale = true };
    execution->reports = MET_NEW_ARRAY(session->arena, met_launch_report, program->launch_count);
    /* the arena aligns for any type of C, which a cache line is beyond */
    char *lines = met_arena_alloc(session->arena, (size_t)threads + 1, sizeof(thread_state));
    execution->threads = (thread_state *)(void *)(lines + (LINE - (uintptr_t)lines % LINE) % LINE);
    bool good = build(execution, compiler) &&
                make_memory(execution, threads, options->byte_limit ? options->byte_limit : MET_EXECUTE_BYTES);
    if (good)
        execution->team = met_team_new(session, threads, options->pinned);
    if (execution->team)
        return execution;
    met_execution_free(execution);
    return NULL;
}

void met_execution_free(met_execution *execution)
{
    if (!execution)
        return;
    met_team_free(execution->team);
    met_pages_free(execution->memory, execution->memory_bytes);
    execution->team = NULL;
    execution->memory = NULL;
}

/* --- Arrays --- */

static uint32_t buffer_of(const met_execution *execution, met_edge_id edge)
{
    return execution->program->buffer_of[edge.id];
}

void *met_execution_array(met_execution *execution, met_edge_id edge, size_t *ret_bytes)
{
    uint32_t buffer = buffer_of(execution, edge);
    if (buffer == MET_NONE)
        return NULL;
    if (execution->program->plan->circuit->edges[edge.id].role == MET_EDGE_PARAMETER)
        execution->stale = true;
    *ret_bytes = execution->program->buffers[buffer].bytes;
    return execution->buffers[buffer];
}

static met_dtype dtype_of(const met_execution *execution, met_edge_id edge)
{
    met_format format = execution->program->plan->circuit->edges[edge.id].format;
    assert(met_format_is_plain(format) && met_dtype_table[format.dtype].bits % 8 == 0);
    return (met_dtype)format.dtype;
}

/* The low bytes of a word are those of an element: met runs on little-endian machines, as the .npy files it writes. */
void met_execution_set(met_execution *execution, met_edge_id edge, size_t count, const double *values)
{
    size_t bytes = 0;
    char *at = met_execution_array(execution, edge, &bytes);
    if (!at)
        return;
    met_dtype dtype = dtype_of(execution, edge);
    size_t size = (size_t)met_dtype_table[dtype].bits / 8;
    assert(count * size == bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = dtype == MET_F32 ? met_bits_f32((float)values[i])
                                         : met_encode(dtype, values[i], MET_RNE, MET_OVERFLOW_INF);
        memcpy(at + i * size, &bits, size);
    }
}

met_tensor *met_execution_tensor(met_execution *execution, met_edge_id id)
{
    const met_circuit *circuit = execution->program->plan->circuit;
    const met_edge *edge = &circuit->edges[id.id];
    met_arena *arena = execution->session->arena;
    uint64_t *shape = MET_NEW_ARRAY(arena, uint64_t, edge->rank);
    for (uint32_t p = 0; p < edge->rank; p++)
        met_circuit_size(circuit, edge->axes[p], &shape[p]);
    met_text format = met_text_new(arena);
    met_format_print(&format, edge->format);
    met_tensor *tensor = met_tensor_new(execution->session, met_text_done(&format), edge->rank, shape);
    if (!tensor)
        return NULL;
    met_dtype dtype = dtype_of(execution, id);
    size_t size = (size_t)met_dtype_table[dtype].bits / 8;
    const char *at = execution->buffers[buffer_of(execution, id)];
    for (size_t i = 0; i < tensor->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, at + i * size, size);
        tensor->values[i] = met_decode(dtype, bits);
    }
    return tensor;
}

/* --- Running --- */

typedef struct launching {
    met_execution *execution;
    const met_launch *launch;
    met_kernel_fn kernel;
    void *const *arrays;
    uint32_t threads;
    _Atomic int64_t next; /* unit that nobody has taken */
} launching;

/* Takes the next piece: half of an even share of what is left, so that pieces are few and the last ones small. */
static bool take_units(launching *job, int64_t *ret_begin, int64_t *ret_end)
{
    int64_t units = job->launch->units, begin = atomic_load(&job->next), end;
    do {
        if (begin >= units)
            return false;
        int64_t share = job->threads == 1 ? units : (units - begin) / (2 * (int64_t)job->threads);
        end = begin + (share > 1 ? share : 1);
    } while (!atomic_compare_exchange_weak(&job->next, &begin, end < units ? end : units));
    *ret_begin = begin;
    *ret_end = end < units ? end : units;
    return true;
}

static void work(void *context, uint32_t member)
{
    launching *job = context;
    met_execution *execution = job->execution;
    thread_state *self = &execution->threads[member];
    met_kernel_call call = { job->arrays, job->launch->sizes, self->scratch };
    int64_t begin, end;
    if (execution->poison)
        memset(self->scratch, 0xff, execution->scratch_bytes);
    met_underflow_clear();
    while (take_units(job, &begin, &end))
        job->kernel(&call, begin, end);
    self->underflow = met_underflow_raised();
    self->fault = met_float_fault();
}

/* What is wrong with a thread's arithmetic, or NULL. */
static const char *run_launch(met_execution *execution, uint32_t number)
{
    const met_launch *launch = &execution->program->launches[number];
    met_launch_report *report = &execution->reports[number];
    uint32_t threads = met_team_count(execution->team);
    launching job = { .execution = execution, .launch = launch, .kernel = execution->kernels[launch->source],
                      .arrays = execution->arrays[number], .threads = threads };
    double begin = met_seconds();
    met_team_run(execution->team, work, &job);
    report->seconds = met_seconds() - begin;
    report->underflow = false;
    const char *fault = NULL;
    for (uint32_t t = 0; t < threads; t++) {
        report->underflow = report->underflow || execution->threads[t].underflow;
        fault = fault ? fault : execution->threads[t].fault;
    }
    return fault;
}

/* Whatever no one outside has set is NaN, and -1 as an integer. */
static void poison(met_execution *execution)
{
    const met_program *program = execution->program;
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        uint32_t edge = program->buffers[b].edge.id;
        bool made = edge != MET_NONE ? program->plan->circuit->edges[edge].role == MET_EDGE_VALUE : execution->stale;
        if (made)
            memset(execution->buffers[b], 0xff, program->buffers[b].bytes);
    }
}

/* False with a diagnostic if there is a fault. */
static bool report_fault(met_execution *execution, const char *fault)
{
    if (!fault)
        return true;
    met_diag *diag = met_diag_add(execution->session, MET_DIAG_run, nowhere, "the arithmetic of this process is not IEEE 754: %s",
                                  fault);
    met_diag_help(diag, "a library linked with -ffast-math does that to whoever loads it");
    return false;
}

bool met_execution_launch(met_execution *execution, uint32_t launch)
{
    return report_fault(execution, run_launch(execution, launch));
}

static void nothing(void *context, uint32_t member)
{
    (void)context;
    (void)member;
}

bool met_execution_flush(met_execution *execution, uint32_t number)
{
    const met_launch *launch = &execution->program->launches[number];
    bool good = true;
    for (uint32_t a = 0; a < launch->array_count && good; a++)
        good = met_cache_flush(execution->arrays[number][a], execution->program->buffers[launch->arrays[a]].bytes);
    for (uint32_t t = 0; t < met_team_count(execution->team) && good; t++)
        good = met_cache_flush(execution->threads[t].scratch, launch->scratch_bytes);
    met_team_run(execution->team, nothing, NULL);
    return good;
}

const char *met_execution_kernel_key(const met_execution *execution, uint32_t source)
{
    return execution->keys[source];
}

/* Buffers whose life begins with this launch, or has ended with it: what stands there is nobody's. */
static void poison_lives(met_execution *execution, uint32_t launch, bool ended)
{
    const met_program *program = execution->program;
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        const met_life *life = &execution->layout->life[b];
        bool always = life->first == 0 && life->last == program->launch_count;
        if (!always && (ended ? life->last : life->first) == launch)
            memset(execution->buffers[b], 0xff, program->buffers[b].bytes);
    }
}

/* What is wrong with a thread's arithmetic, or NULL. */
static const char *run_poisoned(met_execution *execution, uint32_t launch)
{
    if (execution->poison)
        poison_lives(execution, launch, false);
    const char *fault = run_launch(execution, launch);
    if (execution->poison)
        poison_lives(execution, launch, true);
    return fault;
}

bool met_execution_run(met_execution *execution)
{
    if (execution->poison)
        poison(execution);
    const char *fault = NULL;
    for (uint32_t l = 0; l < execution->program->launch_count && !fault; l++)
        if (execution->stale || !execution->program->launches[l].constant)
            fault = run_poisoned(execution, l);
    execution->stale = false;
    return report_fault(execution, fault);
}

const met_launch_report *met_execution_reports(const met_execution *execution)
{
    return execution->reports;
}

bool met_execution_underflow(const met_execution *execution)
{
    for (uint32_t l = 0; l < execution->program->launch_count; l++)
        if (execution->reports[l].underflow)
            return true;
    return false;
}

uint64_t met_execution_bytes(const met_execution *execution, uint64_t *ret_apart)
{
    *ret_apart = execution->layout->sum;
    return execution->layout->bytes;
}

double met_execution_build_seconds(const met_execution *execution)
{
    return execution->build_seconds;
}
