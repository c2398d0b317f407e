/* How the pipeline grows: reading with typing, and the whole listing, of programs with more and more of the same. Time is
 * per run, the median of several; memory is what the session has handed out at the end. Nothing here decides a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/session.h"
#include "base/text.h"
#include "host/model.h"
#include "ir/circuit.h"
#include "met/circuit.h"

enum { RUNS = 5 };

/* A decoder layer of twenty nodes: grouped-query attention with norms and rope, and a gated feed-forward part. */
static const char layer[] =
    "attention(x: n m) -> y {\n"
    "  u = rmsnorm[m](x)\n"
    "  q = rope[n g r d; n d](linear[m -> g r d](u))\n"
    "  k = rope[n g d; n d](linear[m -> g d](u))\n"
    "  v = linear[m -> g d](u)\n"
    "  s = scale('n g r d, x g d -> g r n x'(q, k), d^-0.5)\n"
    "  p = softmax[x](mask.causal[n x](s))\n"
    "  o = 'g r n x, x g d -> n g r d'(p, v)\n"
    "  y = add(x, linear[n g r d; g r d -> n m](o))\n"
    "}\n"
    "mlp(x: n m) -> y {\n"
    "  u = rmsnorm[m](x)\n"
    "  h = mul(silu(linear[m -> f](u)), linear[m -> f](u))\n"
    "  y = add(x, linear[f -> m](h))\n"
    "}\n"
    "layer = attention @ mlp\n";

/* NULL stands for a model. */
typedef const char *(*writer)(met_text *out, unsigned count);

static const char *put_layers(met_text *out, unsigned count)
{
    met_text_format(out, "%slayer^%u\n", layer, count);
    return met_text_done(out);
}

/* f @ f @ f …, written out */
static const char *put_chain(met_text *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        met_text_put(out, i ? (i % 8 ? " @ exp" : " @\n  exp") : "exp['a b -> a b']");
    met_text_put(out, "\n");
    return met_text_done(out);
}

/* f * f * f … */
static const char *put_product(met_text *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        met_text_put(out, i ? (i % 8 ? " * softmax[x]" : " *\n  softmax[x]") : "softmax[x]");
    met_text_put(out, "\n");
    return met_text_done(out);
}

/* Equations, each on the two before it. */
static const char *put_equations(met_text *out, unsigned count)
{
    met_text_put(out, "y0: n m, y1: n m\n");
    for (unsigned i = 2; i < count + 2; i++)
        met_text_format(out, "y%u = add(y%u, y%u)\n", i, i - 1, i - 2);
    met_text_format(out, "-> y%u\n", count + 1);
    return met_text_done(out);
}

typedef struct sample {
    double read, list;
    size_t bytes;
    uint32_t nodes;
} sample;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The layers of a real model, from its architecture and its configuration. */
static const met_circuit *load_model(met_session *session, unsigned layers)
{
    char count[16];
    snprintf(count, sizeof count, "%u", layers);
    met_model_request request = { .name = "llama", .kernels = MET_ROOT_DIR "/kernels", .layers = count,
                                  .config = MET_ROOT_DIR "/examples/llama-3.1-8b/config.json" };
    return met_model_load(session, &request);
}

static const met_circuit *load_program(met_session *session, writer put, unsigned count)
{
    met_text text = met_text_new(session->arena);
    const char *program = put(&text, count);
    return met_circuit_read(session, met_session_add_source(session, "bench", program, strlen(program)), NULL);
}

static sample run_once(writer put, unsigned count)
{
    met_session *session = met_session_new();
    sample s = { 0 };
    double start = now();
    const met_circuit *circuit = put ? load_program(session, put, count) : load_model(session, count);
    double middle = now();
    if (!circuit) {
        fputs(met_session_diagnostics_text(session), stderr);
        exit(1);
    }
    s.read = middle - start;
    met_circuit_listing(circuit, true);
    s.list = now() - middle;
    s.bytes = met_arena_used(session->arena);
    s.nodes = circuit->node_count;
    met_session_free(session);
    return s;
}

static int by_time(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    double left = x->read + x->list, right = y->read + y->list;
    return (left > right) - (left < right);
}

static sample report(const char *name, writer put, unsigned count)
{
    sample samples[RUNS];
    for (int i = 0; i < RUNS; i++)
        samples[i] = run_once(put, count);
    qsort(samples, RUNS, sizeof *samples, by_time);
    sample s = samples[RUNS / 2];
    printf("%-10s %6u  %7u  %9.2f  %9.2f  %9.1f\n", name, count, s.nodes, 1e3 * s.read, 1e3 * s.list, (double)s.bytes / 1048576);
    fflush(stdout);
    return s;
}

int main(void)
{
    static const struct {
        const char *name;
        writer put;
        unsigned few, many;
    } kinds[] = { { "layers", put_layers, 100, 1000 }, { "chain", put_chain, 100, 1000 },
                  { "product", put_product, 400, 4000 }, { "equations", put_equations, 1000, 10000 },
                  { "llama", NULL, 100, 1000 } };
    printf("what        count    nodes  read [ms]  list [ms]  mem [MiB]\n");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        sample few = report(kinds[k].name, kinds[k].put, kinds[k].few), many = report(kinds[k].name, kinds[k].put, kinds[k].many);
        printf("%-10s ten times as many take %.1f times as long\n", "", (many.read + many.list) / (few.read + few.list));
    }
    report("layers", put_layers, 126);
    report("llama", NULL, 126);
    return 0;
}
