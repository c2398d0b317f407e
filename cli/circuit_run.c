/* met circuit run: the reference meaning, or compiled kernels, on files or fills. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/emulated.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/values.h"
#include "host/outcome_json.h"
#include "host/tensor_file.h"
#include "met/diagnose.h"
#include "met/eval.h"

enum { SHOWN = 8 /* values at either end of a summary */ };

static const cli_option own_options[] = {
    { "out", 0, "[NAME=]FILE", "an output or new state to a NumPy file; without NAME the first output" },
    { "hardware", 0, "NAME", "compiled kernels: cpu-scalar, cpu-avx2, cpu-avx512, or cpu, the best of them" },
    { "planner", 0, "NAME", "of kernels: none (one for each op), fused (the default), whole (whatever it costs), or greedy or exact (by the blueprint)" },
    { "emulate", 0, NULL, "the interpreter along the trees that the hardware's class declares for a plan, matrix units' included" },
    { "threads", 0, "N", "of kernels" },
    { "tiles", 0, "NAME=N,…", "of kernels: sizes of tiles by loop, q=32,x=128" },
    { "pin", 0, NULL, "each thread on a CPU of its own" },
    { "time", 0, NULL, "print how long each kernel took" },
    { "cache", 0, "DIR", "of compiled kernels" },
    { 0 },
};

/* --- Progress: only for people, and only if there is something to wait for --- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    int *shown = context;
    int percent = (int)(100.0 * (double)done / (double)total);
    if (total < 1000000000 || percent == *shown)
        return;
    *shown = percent;
    fprintf(stderr, percent < 100 ? "\rrunning: %d %%" : "\r              \r", percent);
}

/* --- Results --- */

static void print_values(const char *title, const met_tensor *tensor, size_t begin, size_t end)
{
    printf("  %-5s", title);
    for (size_t i = begin; i < end; i++)
        printf("%s%.6g", (i - begin) % SHOWN == 0 ? " " : ", ", tensor->values[i]);
    printf("\n");
}

static void print_text(const met_named_tensor *array, bool state)
{
    const met_tensor *tensor = array->tensor;
    printf("%s%s: %s[", state ? "state " : "", array->name, tensor->format);
    for (size_t p = 0; p < tensor->rank; p++)
        printf("%s%" PRIu64, p ? " " : "", tensor->shape[p]);
    printf("]\n  sum   %.12g\n  l2    %.12g\n", met_tensor_sum(tensor), met_tensor_norm(tensor));
    if (tensor->count <= 2 * SHOWN) {
        for (size_t i = 0; i < tensor->count; i += SHOWN)
            print_values(i == 0 ? "all" : "", tensor, i, i + SHOWN < tensor->count ? i + SHOWN : tensor->count);
        return;
    }
    print_values("first", tensor, 0, SHOWN);
    print_values("last", tensor, tensor->count - SHOWN, tensor->count);
}

static void print_kernels(const cli_request *request, const met_outcome *outcome)
{
    printf("%s, %" PRIu32 " thread%s\n", outcome->name, outcome->threads, outcome->threads == 1 ? "" : "s");
    for (size_t k = 0; k < outcome->kernel_count; k++) {
        const met_kernel_summary *kernel = &outcome->kernels[k];
        size_t room = strlen(kernel->nodes) + strlen(kernel->tiles) + sizeof " ()";
        char *words = met_session_alloc(request->session, room, 1);
        snprintf(words, room, "%s%s%s%s", kernel->nodes, *kernel->tiles ? " (" : "", kernel->tiles, *kernel->tiles ? ")" : "");
        int column = printf("  %10.3f ms  ", 1e3 * kernel->seconds);
        cli_print_wrapped(words, column, column);
    }
    printf("  arrays take %" PRIu64 " bytes, %" PRIu64 " if each had its own\n", outcome->array_bytes, outcome->array_bytes_apart);
}

/* `outcome` is NULL for the interpreter. */
static void print_result(const cli_request *request, const met_eval_result *result, const met_outcome *outcome)
{
    bool time = cli_flag(request, "time");
    if (cli_flag(request, "json")) {
        fputs(met_run_json(request->session, result, outcome, time), stdout);
        return;
    }
    for (size_t k = 0; k < result->output_count + result->state_count; k++)
        print_text(&result->arrays[k], k >= result->output_count);
    if (outcome && outcome->emulated_count)
        cli_print_emulated(outcome);
    else if (outcome && time)
        print_kernels(request, outcome);
}

/* Infinities and NaN are allowed, and worth a word. */
static void note_not_finite(const cli_request *request, const met_eval_result *result)
{
    for (size_t k = 0; k < result->output_count + result->state_count; k++) {
        const met_tensor *tensor = result->arrays[k].tensor;
        size_t count = 0;
        for (size_t i = 0; i < tensor->count; i++)
            count += isfinite(tensor->values[i]) ? 0 : 1;
        char message[160];
        snprintf(message, sizeof message, "`%.60s`: %zu of %zu values are infinite or not a number", result->arrays[k].name, count, tensor->count);
        if (count)
            met_diagnose(request->session, "note", message, NULL);
    }
}

static const met_tensor *find_result(const met_eval_result *result, const char *name, size_t length)
{
    for (size_t k = 0; k < result->output_count + result->state_count; k++)
        if (strlen(result->arrays[k].name) == length && memcmp(result->arrays[k].name, name, length) == 0)
            return result->arrays[k].tensor;
    return NULL;
}

/* Writes the files of --out; `ret_any` says whether there are any. */
static int write_files(const cli_request *request, const met_eval_result *result, bool *ret_any)
{
    const char *value;
    *ret_any = false;
    for (size_t cursor = 0; (value = cli_next_value(request, "out", &cursor)) != NULL;) {
        const char *equals = strchr(value, '=');
        const met_tensor *tensor = result->output_count ? result->arrays[0].tensor : NULL;
        if (equals)
            tensor = find_result(result, value, (size_t)(equals - value));
        if (!tensor) {
            cli_usage_error(request, "the circuit has no output or state for --out `%s`", value);
            return CLI_BAD_INPUT;
        }
        if (!met_tensor_save(request->session, equals ? equals + 1 : value, tensor))
            return CLI_ENVIRONMENT;
        *ret_any = true;
    }
    return CLI_DONE;
}

/* --- Kernels --- */

/* The way that the options ask for; without --hardware the interpreter. False with a diagnostic. */
static bool read_way(const cli_request *request, met_way *ret_way)
{
    static const char *const of_kernels[] = { "planner", "threads", "tiles", "cache", "pin", "time" };
    *ret_way = (met_way){ .planner = cli_value(request, "planner"), .hardware = cli_value(request, "hardware"),
                          .tiles = cli_value(request, "tiles"),     .cache = cli_value(request, "cache"),
                          .kernels = cli_value(request, "kernels"), .mode = cli_value(request, "mode"),
                          .pinned = cli_flag(request, "pin"),       .threads = 1, .emulate = cli_flag(request, "emulate") };
    for (size_t i = 0; i < sizeof of_kernels / sizeof *of_kernels; i++) {
        if (ret_way->hardware || !cli_value(request, of_kernels[i]))
            continue;
        cli_usage_error(request, "--%s is for kernels: write --hardware cpu too", of_kernels[i]);
        return false;
    }
    if (ret_way->emulate && !ret_way->hardware) {
        cli_usage_error(request, "--emulate is of a device or a class: write --hardware h100-sxm too");
        return false;
    }
    if (!ret_way->planner)
        ret_way->planner = ret_way->emulate ? "greedy" : "fused";
    return cli_read_threads(request, &ret_way->threads);
}

static void note_underflow(const cli_request *request, const met_outcome *outcome)
{
    if (outcome->underflow)
        met_diagnose(request->session, "note", "a kernel met a result that is tiny and inexact: where it rescales by powers "
                     "of two, other tiles may give other bytes", "--fill wave may avoid it: its values are not as small");
}

static const met_outcome *run_kernels(const cli_request *request, const met_circuit *circuit, const met_way *way,
                                      const met_eval_options *options, const cli_given *ins)
{
    const met_subject *subject = met_subject_new(circuit, options, ins->count, ins->at);
    const met_outcome *outcome = subject ? met_subject_run(subject, way) : NULL;
    if (outcome)
        note_underflow(request, outcome);
    return outcome;
}

static int run(const cli_request *request)
{
    int shown = -1;
    met_eval_options options;
    met_way way;
    if (!cli_read_eval_options(request, &options) || !read_way(request, &way))
        return CLI_BAD_INPUT;
    options.progress = isatty(2) ? show_progress : NULL;
    options.progress_context = &shown;
    const met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    const cli_given *ins = circuit ? cli_read_given(request, circuit) : NULL;
    const met_outcome *outcome = ins && way.hardware ? run_kernels(request, circuit, &way, &options, ins) : NULL;
    const met_eval_result *result = outcome ? outcome->result : NULL;
    if (ins && !way.hardware)
        result = met_eval_run(circuit, &options, ins->count, ins->at);
    if (!result)
        return cli_failed(request);
    note_not_finite(request, result);
    bool any;
    int status = write_files(request, result, &any);
    if (status == CLI_DONE && (!any || cli_flag(request, "json") || cli_flag(request, "time")))
        print_result(request, result, outcome);
    else if (outcome)
        cli_note_emulated(request, outcome);
    return status;
}

static const cli_option *const options[] = { cli_array_options, cli_point_options, own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_run = {
    .noun = "circuit", .verb = "run", .arguments = "CIRCUIT",
    .summary = "runs a circuit: the reference meaning of every operation, or compiled kernels",
    .options = options, .run = run,
};
