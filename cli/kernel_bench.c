/* met kernel bench: what the kernels of a plan take, each by itself, and evidence of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/blueprint.h"
#include "cli/run_options.h"
#include "cli/values.h"
#include "host/bench_report.h"
#include "host/machine.h"
#include "host/target.h"

static const cli_option own_options[] = {
    { "hardware", 0, "NAME", "a class, cpu-avx2, a device of one, or cpu, the best of this machine (the default)" },
    { "planner", 0, "NAME", "as met circuit run has them, fused without it; or ops, each op as written by itself" },
    { "cost", 0, "KIND", "of exact: model (the default), or measured: plan by the evidence there is" },
    { "rows", 0, "N,…", "binds the size n (in multi_seq b) to each of these in turn" },
    { "threads", 0, "N", "without it, one for each CPU" },
    { "unpinned", 0, NULL, "let threads move between CPUs" },
    { "tiles", 0, "NAME=N,…", "sizes of tiles by loop, q=32,x=128" },
    { "repeats", 0, "N", "samples of each kernel, at most (31)" },
    { "record", 0, NULL, "put what was measured into the store" },
    { "store", 0, "FILE", "the evidence store, instead of that of the user" },
    { "device", 0, "NAME", "that the evidence is about; without it, as met hw probe names this machine" },
    { "cache", 0, "DIR", "of compiled kernels" },
    { 0 },
};

enum { ROWS = 16, REPEATS = 101 };

typedef struct bench_plan {
    met_eval_options eval;
    met_bench_options bench;
    met_target target;
    size_t row_count; /* 0: as the circuit has it */
    uint64_t rows[ROWS];
    const char *row_size; /* which size they are of */
} bench_plan;

static bool read_rows(const cli_request *request, bench_plan *plan)
{
    const char *mode = cli_value(request, "mode");
    plan->row_size = mode && strcmp(mode, "multi_seq") == 0 ? "b" : "n";
    return cli_read_counts(request, "rows", ROWS, plan->rows, &plan->row_count);
}

/* Only the planner exact looks at prices. */
static bool read_cost(const cli_request *request, met_way *way)
{
    static const char *const costs[] = { "model", "measured", NULL };
    int measured = 0;
    if (!cli_read_word(request, "cost", costs, &measured))
        return false;
    way->measured = measured == 1;
    way->store = cli_value(request, "store");
    if (!cli_value(request, "cost") || strcmp(way->planner, "exact") == 0)
        return true;
    cli_usage_error(request, "--cost is for --planner exact: no other looks at prices");
    return false;
}

static bool find_target(const cli_request *request, bench_plan *plan)
{
    const char *hardware = cli_value(request, "hardware");
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb || !met_target_find(request->session, lkb, hardware ? hardware : "cpu", cli_value(request, "device"), &plan->target))
        return false;
    plan->bench.hardware = plan->target.hardware;
    plan->bench.way.hardware = plan->target.class_name;
    plan->bench.way.lkb = lkb;
    plan->bench.way.device = plan->target.priced ? plan->target.device : NULL;
    if (!plan->bench.way.measured || plan->target.priced)
        return true;
    cli_usage_error(request, "--cost measured is of a device: met hw probe makes a record of this machine, and --hardware NAME takes it");
    return false;
}

static bool read_plan(const cli_request *request, bench_plan *plan)
{
    uint32_t threads = met_cpu_count();
    uint64_t repeats = 0;
    if (!cli_read_eval_options(request, &plan->eval) || !read_rows(request, plan) || !cli_read_threads(request, &threads) ||
        !cli_read_count_within(request, "repeats", 1, REPEATS, &repeats))
        return false;
    plan->eval.fill = plan->eval.fill ? plan->eval.fill : "wave";
    const char *planner = cli_value(request, "planner");
    plan->bench = (met_bench_options){
        .way = { .planner = planner ? planner : "fused", .tiles = cli_value(request, "tiles"), .threads = threads,
                 .kernels = cli_value(request, "kernels"), .mode = cli_value(request, "mode"),
                 .pinned = !cli_flag(request, "unpinned"), .cache = cli_value(request, "cache") },
        .repeats = (size_t)repeats,
    };
    if (!read_cost(request, &plan->bench.way))
        return false;
    if (!cli_flag(request, "record") && !plan->bench.way.measured && (cli_value(request, "store") || cli_value(request, "device"))) {
        cli_usage_error(request, "--store and --device are for --record and --cost measured");
        return false;
    }
    return true;
}

/* The circuit with its rows bound; itself without --rows. */
static const met_circuit *with_rows(const met_circuit *circuit, const bench_plan *plan, size_t number)
{
    char setting[40];
    const char *settings[] = { setting };
    if (plan->row_count == 0)
        return circuit;
    snprintf(setting, sizeof setting, "%s=%" PRIu64, plan->row_size, plan->rows[number]);
    return met_circuit_bind_each(circuit, 1, settings);
}

static bool record(const cli_request *request, const bench_plan *plan, met_evidence *evidence, const met_bench *bench)
{
    size_t count;
    const met_evidence_row *rows = met_bench_rows(request->session, bench, plan->target.device, plan->target.blueprint,
                                                  (int64_t)time(NULL), &count);
    if (!met_evidence_put(evidence, count, rows))
        return false;
    if (!cli_flag(request, "json"))
        printf("recorded %zu row%s of %s in %s\n", count, count == 1 ? "" : "s", plan->target.device, met_evidence_path(evidence));
    return true;
}

/* What was measured of each number of rows; as it is measured, for people. False with diagnostics. */
static bool bench_rows(const cli_request *request, const met_circuit *circuit, const bench_plan *plan, met_evidence *evidence)
{
    const met_bench *benches[ROWS];
    size_t runs = plan->row_count ? plan->row_count : 1;
    bool json = cli_flag(request, "json");
    for (size_t r = 0; r < runs; r++) {
        const met_circuit *bound = with_rows(circuit, plan, r);
        const met_subject *subject = bound ? met_subject_new(bound, &plan->eval, 0, NULL) : NULL;
        benches[r] = subject ? met_kernel_bench(subject, &plan->bench) : NULL;
        if (!benches[r])
            return false;
        if (!json)
            printf("%s%s", r ? "\n" : "", met_bench_table(request->session, benches[r]));
        if (evidence && !record(request, plan, evidence, benches[r]))
            return false;
    }
    if (json)
        fputs(met_bench_json(request->session, runs, benches), stdout);
    return true;
}

static int bench(const cli_request *request)
{
    bench_plan plan = { .row_count = 0 };
    met_evidence *evidence = NULL;
    if (!read_plan(request, &plan))
        return CLI_BAD_INPUT;
    const met_circuit *circuit = find_target(request, &plan) ? cli_load_circuit(request, request->arguments[0]) : NULL;
    /* before anything is measured, which may take long */
    if (circuit && cli_flag(request, "record"))
        evidence = met_evidence_open(request->session, cli_value(request, "store"), true);
    bool good = circuit && (evidence || !cli_flag(request, "record")) && bench_rows(request, circuit, &plan, evidence);
    met_evidence_close(evidence);
    return good ? CLI_DONE : cli_failed(request);
}

static const cli_option fill_options[] = {
    { "fill", 0, "KIND", "what arrays hold: wave (the default), normal, zeros, ones or iota" },
    { "seed", 0, "N", "of the fill normal" },
    { "work-limit", 0, "N", "scalar operations that a run may take" },
    { 0 },
};

static const cli_option *const options[] = { own_options, cli_device_options, fill_options, cli_point_options, cli_circuit_options,
                                             cli_common_options, NULL };

const cli_verb cli_kernel_bench = {
    .noun = "kernel", .verb = "bench", .arguments = "CIRCUIT",
    .summary = "measures the kernels of a plan, each by itself, and keeps the evidence",
    .options = options, .run = bench,
};
