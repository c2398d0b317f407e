#include "cli/run_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/values.h"
#include "host/checkpoint.h"
#include "host/tensor_file.h"

const cli_option cli_point_options[] = {
    { "dtype", 0, "DTYPE", "of edges whose format nobody stated: f64, f32, bf16 or f16" },
    { "tree", 0, "TREE", "of every reduction: sequential, lanes16, pairwise, …" },
    { "division", 0, "PLACE", "of normalizers before a contraction: default, deferred or eager" },
    { "dot", 0, "KIND", "products of two bf16 arrays: f32 (the default) or pairs" },
    { 0 },
};

const cli_option cli_side_point_options[] = {
    { "tree-a", 0, "TREE", "of every reduction, a alone" },
    { "dot-a", 0, "KIND", "products of two bf16 arrays, a alone" },
    { "tree-b", 0, "TREE", "of every reduction, b alone" },
    { "dot-b", 0, "KIND", "products of two bf16 arrays, b alone" },
    { 0 },
};

const cli_option cli_array_options[] = {
    { "in", 0, "NAME=FILE", "an input, state or parameter from a NumPy file" },
    { "checkpoint", 0, "PATH", "all parameters, from a safetensors file, the index of several, or their folder" },
    { "fill", 0, "KIND", "what is not given: wave, normal, zeros, ones or iota" },
    { "seed", 0, "N", "of the fill normal" },
    { "work-limit", 0, "N", "scalar operations that the run may take" },
    { 0 },
};

const char *cli_side_value(const cli_request *request, const char *name, char side)
{
    char whole[32];
    snprintf(whole, sizeof whole, "%s-%c", name, side);
    return cli_value(request, whole);
}

bool cli_read_eval_options(const cli_request *request, met_eval_options *ret_options)
{
    *ret_options = (met_eval_options){
        .dtype = cli_value(request, "dtype"),       .numerics = cli_value(request, "numerics"),
        .tree = cli_value(request, "tree"),         .fill = cli_value(request, "fill"),
        .division = cli_value(request, "division"), .dot = cli_value(request, "dot"),
    };
    return cli_read_count(request, "seed", &ret_options->seed) &&
           cli_read_count(request, "work-limit", &ret_options->work_limit);
}

/* NAME=FILE. False with a diagnostic. */
static bool read_array(const cli_request *request, const char *value, met_named_tensor *ret_array)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        cli_usage_error(request, "--in takes NAME=FILE, not `%s`", value);
        return false;
    }
    char *name = met_session_alloc(request->session, (size_t)(equals - value) + 1, 1);
    memcpy(name, value, (size_t)(equals - value));
    *ret_array = (met_named_tensor){ name, met_tensor_load(request->session, equals + 1) };
    return ret_array->tensor != NULL;
}

/* The circuit's parameters behind what is given. False with diagnostics. */
static bool add_checkpoint(const cli_request *request, const met_circuit *circuit, const char *path, cli_given *given)
{
    size_t count;
    const met_named_tensor *arrays = met_checkpoint_load(circuit, path, cli_value(request, "kernels"), &count);
    if (!arrays)
        return false;
    met_named_tensor *all = met_session_alloc(request->session, given->count + count, sizeof *all);
    memcpy(all, given->at, given->count * sizeof *all);
    if (count)
        memcpy(all + given->count, arrays, count * sizeof *all);
    *given = (cli_given){ given->count + count, all };
    return true;
}

const cli_given *cli_read_given(const cli_request *request, const met_circuit *circuit)
{
    cli_given *given = met_session_alloc(request->session, 1, sizeof *given);
    const char *value, *checkpoint = cli_value(request, "checkpoint");
    given->at = met_session_alloc(request->session, CLI_ARRAYS, sizeof *given->at);
    for (size_t cursor = 0; (value = cli_next_value(request, "in", &cursor)) != NULL;) {
        if (given->count == CLI_ARRAYS) {
            cli_usage_error(request, "up to %d arrays can be given", CLI_ARRAYS);
            return NULL;
        }
        if (!read_array(request, value, &given->at[given->count++]))
            return NULL;
    }
    return !checkpoint || add_checkpoint(request, circuit, checkpoint, given) ? given : NULL;
}
