/* met circuit run: the reference meaning, on files or fills. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "host/tensor_file.h"
#include "met/diagnose.h"
#include "met/eval.h"

enum { SHOWN = 8 /* values at either end of a summary */, ARRAYS = 256, JSON_VALUES = 4096 };

static const cli_option own_options[] = {
    { "in", 0, "NAME=FILE", "an input, state or parameter from a NumPy file" },
    { "out", 0, "[NAME=]FILE", "an output or new state to a NumPy file; without NAME the first output" },
    { "fill", 0, "KIND", "what is not given: wave, normal, zeros, ones or iota" },
    { "seed", 0, "N", "of the fill normal" },
    { "dtype", 0, "DTYPE", "of edges whose format nobody stated: f64 (the default), f32, bf16 or f16" },
    { "tree", 0, "TREE", "of every reduction: sequential, lanes16, pairwise, …" },
    { "division", 0, "PLACE", "of normalizers before a contraction: default, deferred or eager" },
    { "dot", 0, "KIND", "products of two bf16 arrays: f32 (the default) or pairs" },
    { "work-limit", 0, "N", "scalar operations that the run may take" },
    { 0 },
};

static bool read_count(const cli_request *request, const char *option, uint64_t *ret_n)
{
    const char *text = cli_value(request, option);
    char *end;
    if (!text)
        return true;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        cli_usage_error(request, "--%s takes a natural number, not `%s`", option, text);
        return false;
    }
    *ret_n = n;
    return true;
}

/* Splits NAME=FILE; the name is copied into `name`. */
static bool split(const cli_request *request, const char *value, char *name, size_t room, const char **ret_file)
{
    const char *equals = strchr(value, '=');
    size_t length = equals ? (size_t)(equals - value) : 0;
    if (length == 0 || length >= room) {
        cli_usage_error(request, "--in takes NAME=FILE, not `%s`", value);
        return false;
    }
    memcpy(name, value, length);
    name[length] = 0;
    *ret_file = equals + 1;
    return true;
}

typedef struct given {
    size_t count;
    met_named_tensor at[ARRAYS];
    char names[ARRAYS][256];
} given;

static bool read_given(const cli_request *request, given *ins)
{
    const char *value, *file;
    for (size_t cursor = 0; (value = cli_next_value(request, "in", &cursor)) != NULL;) {
        if (ins->count == ARRAYS) {
            cli_usage_error(request, "up to %d arrays can be given", ARRAYS);
            return false;
        }
        char *name = ins->names[ins->count];
        if (!split(request, value, name, sizeof ins->names[0], &file))
            return false;
        const met_tensor *tensor = met_tensor_load(request->session, file);
        if (!tensor)
            return false;
        ins->at[ins->count++] = (met_named_tensor){ name, tensor };
    }
    return true;
}

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

static double sum_of(const met_tensor *tensor, bool squares)
{
    double sum = 0;
    for (size_t i = 0; i < tensor->count; i++)
        sum += squares ? tensor->values[i] * tensor->values[i] : tensor->values[i];
    return squares ? sqrt(sum) : sum;
}

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
    printf("]\n  sum   %.12g\n  l2    %.12g\n", sum_of(tensor, false), sum_of(tensor, true));
    if (tensor->count <= 2 * SHOWN) {
        for (size_t i = 0; i < tensor->count; i += SHOWN)
            print_values(i == 0 ? "all" : "", tensor, i, i + SHOWN < tensor->count ? i + SHOWN : tensor->count);
        return;
    }
    print_values("first", tensor, 0, SHOWN);
    print_values("last", tensor, tensor->count - SHOWN, tensor->count);
}

/* JSON has no infinities and no NaN: they are strings. */
static void print_json_number(double value)
{
    if (isnan(value))
        printf("\"nan\"");
    else if (isinf(value))
        printf(value > 0 ? "\"inf\"" : "\"-inf\"");
    else
        printf("%.17g", value);
}

static void print_json_list(const char *key, const met_tensor *tensor, size_t begin, size_t end)
{
    printf(",\"%s\":[", key);
    for (size_t i = begin; i < end; i++) {
        printf("%s", i > begin ? "," : "");
        print_json_number(tensor->values[i]);
    }
    printf("]");
}

static void print_json(const met_named_tensor *array)
{
    const met_tensor *tensor = array->tensor;
    printf("{\"name\":\"%s\",\"format\":\"%s\",\"shape\":[", array->name, tensor->format);
    for (size_t p = 0; p < tensor->rank; p++)
        printf("%s%" PRIu64, p ? "," : "", tensor->shape[p]);
    printf("],\"sum\":");
    print_json_number(sum_of(tensor, false));
    printf(",\"l2\":");
    print_json_number(sum_of(tensor, true));
    if (tensor->count <= JSON_VALUES) {
        print_json_list("values", tensor, 0, tensor->count);
    } else {
        print_json_list("first", tensor, 0, SHOWN);
        print_json_list("last", tensor, tensor->count - SHOWN, tensor->count);
    }
    printf("}");
}

static void print_result(const cli_request *request, const met_eval_result *result)
{
    bool json = cli_flag(request, "json");
    size_t total = result->output_count + result->state_count;
    for (size_t k = 0; k < total; k++) {
        if (!json) {
            print_text(&result->arrays[k], k >= result->output_count);
            continue;
        }
        printf("%s", k == 0 ? "{\"outputs\":[" : k == result->output_count ? "],\"states\":[" : ",");
        print_json(&result->arrays[k]);
    }
    if (json)
        printf(result->state_count ? "]}\n" : "],\"states\":[]}\n");
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

static int run(const cli_request *request)
{
    int shown = -1;
    met_eval_options options = {
        .dtype = cli_value(request, "dtype"), .numerics = cli_value(request, "numerics"),
        .tree = cli_value(request, "tree"),   .fill = cli_value(request, "fill"),
        .division = cli_value(request, "division"), .dot = cli_value(request, "dot"),
        .progress = isatty(2) ? show_progress : NULL, .progress_context = &shown,
    };
    if (!read_count(request, "seed", &options.seed) || !read_count(request, "work-limit", &options.work_limit))
        return CLI_BAD_INPUT;
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    static given ins; /* too large for the stack */
    const met_eval_result *result = NULL;
    if (circuit && read_given(request, &ins))
        result = met_eval_run(circuit, &options, ins.count, ins.at);
    if (!result)
        return cli_failed(request);
    note_not_finite(request, result);
    bool any;
    int status = write_files(request, result, &any);
    if (status == CLI_DONE && (!any || cli_flag(request, "json")))
        print_result(request, result);
    return status;
}

static const cli_option *const options[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_run = {
    "circuit", "run", "CIRCUIT", 1, "runs a circuit: the reference meaning of every operation", options, run,
};
