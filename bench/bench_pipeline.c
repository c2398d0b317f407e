/* What it takes until a kernel runs: settling, deriving and planning, realizing (writing the source), compiling. Medians of
 * several runs; compiling once, without a cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "contest.h"
#include "host/cpu.h"
#include "host/subject_parts.h"
#include "met/circuit.h"

enum { RUNS = 9 };

typedef struct stages {
    double settle, plan, realize, compile; /* seconds */
    uint32_t kernels, sources;
    size_t lines;
} stages;

static void fail(met_session *session)
{
    fputs(met_session_diagnostics_text(session), stderr);
    exit(1);
}

static const met_plan *make_plan(const met_subject *subject, const met_class *class)
{
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts,
                                 .context = (void *)(uintptr_t)class };
    return met_plan_make(subject->circuit, &subject->point, MET_PLANNER_FUSED, &options);
}

static size_t lines_of(const met_program *program)
{
    size_t lines = 0;
    for (uint32_t s = 0; s < program->source_count; s++)
        for (const char *at = program->sources[s].text; *at; at++)
            lines += *at == '\n';
    return lines;
}

static double compile(met_session *session, const met_program *program)
{
    const met_compiler_options options = { .cache = "" };
    met_compiler *compiler = met_compiler_new(session, &options);
    met_execution *execution = compiler ? met_execution_new(session, program, compiler, NULL) : NULL;
    if (!execution)
        fail(session);
    double seconds = met_execution_build_seconds(execution);
    met_execution_free(execution);
    met_compiler_free(compiler);
    return seconds;
}

static stages run_once(const char *text, const char *sizes, bool compiles)
{
    stages s = { 0 };
    met_session *session = met_session_new();
    met_circuit *circuit = met_circuit_read(session, met_session_add_source(session, "bench", text, strlen(text)), NULL);
    circuit = circuit ? met_circuit_bind(circuit, sizes) : NULL;
    if (!circuit)
        fail(session);
    const char *class_name = met_cpu_class(session, "cpu");
    const met_class *class = class_name ? met_class_find(class_name) : NULL;
    const met_eval_options options = { .dtype = "f32", .work_limit = UINT64_MAX };
    double begin = contest_now();
    const met_subject *subject = met_subject_new(circuit, &options, 0, NULL);
    double settled = contest_now();
    const met_plan *plan = subject && class ? make_plan(subject, class) : NULL;
    double planned = contest_now();
    const met_program *program = plan ? met_realize(plan, class, NULL) : NULL;
    double realized = contest_now();
    if (!program)
        fail(session);
    s = (stages){ .settle = settled - begin, .plan = planned - settled, .realize = realized - planned,
                  .kernels = plan->group_count, .sources = program->source_count, .lines = lines_of(program) };
    s.compile = compiles ? compile(session, program) : 0;
    met_session_free(session);
    return s;
}

static int by_total(const void *a, const void *b)
{
    const stages *x = a, *y = b;
    double left = x->settle + x->plan + x->realize, right = y->settle + y->plan + y->realize;
    return (left > right) - (left < right);
}

static void report(const char *name, const char *text, const char *sizes)
{
    stages runs[RUNS];
    for (int r = 0; r < RUNS; r++)
        runs[r] = run_once(text, sizes, false);
    qsort(runs, RUNS, sizeof *runs, by_total);
    stages s = runs[RUNS / 2];
    s.compile = run_once(text, sizes, true).compile;
    printf("%-20s %10.2f %10.2f %12.2f %7u %7u %7zu %11.1f %10.2f\n", name, 1e3 * s.settle, 1e3 * s.plan, 1e3 * s.realize,
           s.kernels, s.sources, s.lines, 1e3 * s.compile, s.lines ? 1e3 * s.compile / (double)s.lines : 0);
}

int main(int count, char **arguments)
{
    (void)count;
    contest_start(arguments);
    printf("\n%-20s settle[ms]   plan[ms]  realize[ms] kernels sources   lines compile[ms]   ms/line\n", "");
    report("matmul", "x: m k\ny = 'm k, k n -> m n'(x, @w)\n-> y\n", "m=512,k=512,n=512");
    report("attention",
           "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'\n", "q=1024,x=1024,h=8,d=64,d.2=64");
    report("attention, causal",
           "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'\n",
           "q=1024,x=1024,h=8,d=64,d.2=64");
    report("norm, linear", "x: n m\ny = linear[m -> f](rmsnorm[m](x))\n-> y\n", "n=128,m=1024,f=1024");
    report("gated feed-forward",
           "x: n m\ny = linear[f -> m](mul(silu(linear[m -> f](x)), linear[m -> f](x)))\n-> y\n", "n=128,m=1024,f=2816");
    return 0;
}
