#include "met_case.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "host/cpu.h"
#include "host/subject_parts.h"
#include "met/circuit.h"

struct met_case {
    met_case_plan plan;
    met_session *session;
    met_compiler *compiler;
    const met_subject *subject;
    size_t copies, only; /* only: a turn for plans without one */
    met_execution **executions; /* by copy */
    char why[160];
};

/* Arrays of a benchmark may be larger than what `met circuit run` allows. */
#define BYTE_LIMIT ((uint64_t)12 << 30)

/* OpenMP has pinned this thread, and new ones would begin on its CPU: while a team is made, it may be anywhere. */
static void pin(bool anywhere)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int p = 0; p < omp_get_num_places() && (anywhere || p == 0); p++) {
        int ids[CPU_SETSIZE], count = omp_get_place_num_procs(p);
        omp_get_place_proc_ids(p, ids);
        for (int i = 0; i < count; i++)
            CPU_SET((size_t)ids[i], &set);
    }
    if (CPU_COUNT(&set))
        sched_setaffinity(0, sizeof set, &set);
}

static const char *failed(met_case *c)
{
    const char *text = met_session_diagnostics_text(c->session);
    snprintf(c->why, sizeof c->why, "%.*s", (int)strcspn(text, "\n"), text);
    return c->why;
}

static void free_executions(met_case *c)
{
    for (size_t i = 0; i < c->copies; i++) {
        met_execution_free(c->executions[i]);
        c->executions[i] = NULL;
    }
    pin(false);
}

static const met_edge_id *find(const met_circuit *circuit, const char *name)
{
    for (uint32_t i = 0; i < circuit->input_count + circuit->parameter_count; i++) {
        const met_edge_id *edge = i < circuit->input_count ? &circuit->inputs[i] : &circuit->parameters[i - circuit->input_count];
        if (strcmp(met_sym_text(circuit->session, circuit->edges[edge->id].name), name) == 0)
            return edge;
    }
    return NULL;
}

static bool give_arrays(met_case *c, size_t copy)
{
    for (size_t i = 0; i < c->plan.in_count; i++) {
        const met_case_array *array = &c->plan.ins[i];
        const met_edge_id *edge = find(c->subject->circuit, array->name);
        size_t bytes = 0;
        void *at = edge ? met_execution_array(c->executions[copy], *edge, &bytes) : NULL;
        if (!at || bytes != array->bytes) {
            snprintf(c->why, sizeof c->why, "`%s` has %zu bytes, not %zu", array->name, bytes, array->bytes);
            return false;
        }
        memcpy(at, array->turns ? array->turns[copy % array->turn_count] : array->data, bytes);
    }
    return true;
}

static const char *open_subject(met_case *c)
{
    c->session = met_session_new();
    uint32_t source = met_session_add_source(c->session, c->plan.name, c->plan.program, strlen(c->plan.program));
    met_circuit *circuit = met_circuit_read(c->session, source, NULL);
    circuit = circuit ? met_circuit_bind(circuit, c->plan.sizes) : NULL;
    const met_eval_options options = { .dtype = c->plan.dtype, .dot = c->plan.dot, .work_limit = UINT64_MAX };
    met_eval_options *kept = circuit ? met_session_alloc(c->session, 1, sizeof *kept) : NULL;
    if (!kept)
        return failed(c);
    *kept = options;
    c->subject = met_subject_new(circuit, kept, 0, NULL);
    const met_compiler_options compiler = { .cache = MET_BENCH_DIR "/kernels" };
    c->compiler = c->subject ? met_compiler_new(c->session, &compiler) : NULL;
    return c->compiler ? NULL : failed(c);
}

/* Plans, compiles and gives arrays for a number of threads. */
static const char *prepare(void *context, unsigned threads)
{
    met_case *c = context;
    const char *why = c->session ? NULL : open_subject(c);
    if (why)
        return why;
    free_executions(c);
    const met_way way = { .planner = c->plan.planner ? c->plan.planner : "fused", .hardware = "cpu", .threads = threads };
    const char *class_name = met_cpu_class(c->session, way.hardware);
    const met_program *program = class_name ? met_subject_program(c->subject, &way, met_class_find(class_name)) : NULL;
    const met_execute_options options = { .threads = threads, .pinned = true, .byte_limit = BYTE_LIMIT };
    for (size_t i = 0; program && i < c->copies; i++) {
        pin(true);
        c->executions[i] = met_execution_new(c->session, program, c->compiler, &options);
        pin(false);
        if (!c->executions[i])
            return failed(c);
        if (!give_arrays(c, i))
            return c->why;
        if (!met_execution_run(c->executions[i])) /* what runs once is done before the timing */
            return failed(c);
    }
    *c->plan.turn = 0;
    return program ? NULL : failed(c);
}

static void run(void *context)
{
    met_case *c = context;
    met_execution_run(c->executions[*c->plan.turn]);
    *c->plan.turn = (*c->plan.turn + 1) % c->copies;
}

static const char *check(void *context)
{
    met_case *c = context;
    size_t bytes;
    met_execution *last = c->executions[(*c->plan.turn + c->copies - 1) % c->copies];
    const void *at = met_execution_array(last, c->subject->circuit->outputs[0], &bytes);
    if (!at || bytes != c->plan.out_bytes)
        return "its result has another size";
    memcpy(c->plan.out, at, bytes);
    return c->plan.check(c->plan.work);
}

static void close_case(entrant *e)
{
    met_case *c = e->context;
    free_executions(c);
    met_compiler_free(c->compiler);
    met_session_free(c->session);
    free(c->executions);
    free(c);
}

entrant met_entrant(const met_case_plan *plan)
{
    met_case *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->plan = *plan;
    c->copies = 1;
    c->plan.turn = plan->turn ? plan->turn : &c->only;
    for (size_t i = 0; i < plan->in_count; i++)
        c->copies = plan->ins[i].turn_count > c->copies ? plan->ins[i].turn_count : c->copies;
    c->executions = calloc(c->copies, sizeof(met_execution *));
    if (!c->executions)
        abort();
    return (entrant){ .name = plan->name, .context = c, .run = run, .prepare = prepare, .check = check, .close = close_case };
}
