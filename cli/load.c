/* What CIRCUIT on a command line says. */
#include <stdio.h>
#include <string.h>

#include "cli/values.h"
#include "host/file.h"
#include "host/json.h"
#include "host/model.h"
#include "met/diagnose.h"

const cli_option cli_circuit_options[] = {
    { "set", 0, "NAME=N,…", "bind sizes: d binds all sizes shown under that name, d.2 the second" },
    { "config", 0, "FILE", "sizes of a model from its config.json, or the folder of one" },
    { "toy", 0, NULL, "the small sizes of a model's architecture, with all that it has" },
    { "layers", 0, "N", "of a model, this many layers instead of its own" },
    { "mode", 0, "MODE", "of a model: prefill (the default), decode (one new token: n=1), … as it has them" },
    { "expand", 0, NULL, "replace composites by their definitions" },
    { "numerics", 0, "POINT", "of the expansion: real, float or pow2" },
    { "kernels", 0, "DIR", "where circuits/ and models/ are, instead of the installed ones" },
    { 0 },
};

const cli_option cli_common_options[] = {
    { "json", 0, NULL, "machine-readable output and diagnostics" },
    { "help", 'h', NULL, "this text" },
    { 0 },
};

/* Looks like a path rather than an expression. */
static bool is_path(const char *argument)
{
    return cli_ends_with(argument, ".met") || cli_ends_with(argument, ".json") || cli_ends_with(argument, ".toml");
}

/* Plans are of circuits as they are written, so there the dtype is the circuit's own; in all other verbs it is that of a run. */
static const char *format_of(const cli_request *request)
{
    return request->verb == &cli_circuit_plan ? cli_value(request, "dtype") : NULL;
}

static met_model_request model_request(const cli_request *request, const char *argument)
{
    return (met_model_request){ .name = argument, .kernels = cli_value(request, "kernels"), .config = cli_value(request, "config"),
                                .mode = cli_value(request, "mode"), .layers = cli_value(request, "layers"),
                                .default_format = format_of(request),
                                .toy = cli_flag(request, "toy") };
}

bool cli_is_model(const cli_request *request, const char *argument)
{
    return cli_ends_with(argument, ".toml") || met_model_exists(cli_value(request, "kernels"), argument);
}

met_circuit *cli_load_mode(const cli_request *request, const char *argument, const char *mode)
{
    met_model_request model = model_request(request, argument);
    model.mode = mode;
    model.toy_grows = model.toy;
    return met_model_load(request->session, &model);
}

static met_circuit *load_model(const cli_request *request, const char *argument)
{
    met_model_request model = model_request(request, argument);
    if (model.toy && model.config) {
        cli_usage_error(request, "--toy and --config both give sizes");
        return NULL;
    }
    return met_model_load(request->session, &model);
}

static met_circuit *load_file(const cli_request *request, const char *path)
{
    uint32_t source = met_file_source(request->session, path);
    if (source == 0)
        return NULL;
    if (!cli_ends_with(path, ".json") && !met_json_begins(request->session, source))
        return met_circuit_read(request->session, source, format_of(request));
    met_value *json = met_json_read(request->session, source);
    return json ? met_circuit_from_json(request->session, json) : NULL;
}

/* A lone word that nothing defines was meant as a name under kernels/circuits, or as a file. */
static void help_with_names(const cli_request *request, const char *text)
{
    char help[400];
    const char *kernels = cli_value(request, "kernels");
    const char *models = met_model_list(request->session, kernels);
    if (!*text || strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != strlen(text))
        return;
    if (*models)
        snprintf(help, sizeof help, "models are: %s; files end in .met, .json or .toml", models);
    else
        snprintf(help, sizeof help, "there are no models: the directory of kernels has no circuits/NAME.toml");
    met_diagnose_help(request->session, help);
    if (!*models)
        met_kernels_directory(request->session, kernels);
}

static met_circuit *load_expression(const cli_request *request, const char *text)
{
    uint32_t source = met_session_add_source(request->session, "<expression>", text, strlen(text));
    met_circuit *circuit = source ? met_circuit_read(request->session, source, format_of(request)) : NULL;
    if (!circuit && met_session_has_error(request->session, "unknown-name"))
        help_with_names(request, text);
    return circuit;
}

static bool refuse_model_options(const cli_request *request)
{
    static const char *const names[] = { "config", "layers", "mode", "toy" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!cli_value(request, names[i]))
            continue;
        cli_usage_error(request, "--%s is for models under kernels/", names[i]);
        return true;
    }
    return false;
}

static met_circuit *load(const cli_request *request, const char *argument)
{
    if (cli_is_model(request, argument))
        return load_model(request, argument);
    if (refuse_model_options(request))
        return NULL;
    if (strcmp(argument, "-") == 0 || is_path(argument) || met_file_exists(argument))
        return load_file(request, argument);
    return load_expression(request, argument);
}

/* Whether the verb runs circuits at a numerics point: --numerics is part of that, too. */
static bool takes_point(const cli_verb *verb)
{
    for (const cli_option *const *group = verb->options; *group; group++)
        for (const cli_option *option = *group; option->name; option++)
            if (strcmp(option->name, "division") == 0)
                return true;
    return false;
}

/* An option that would do nothing is a mistake. */
static bool refuse_idle_options(const cli_request *request)
{
    if (!cli_value(request, "numerics") || cli_flag(request, "expand") || takes_point(request->verb))
        return false;
    cli_usage_error(request, "--numerics is of the expansion: write --expand too");
    return true;
}

static met_circuit *bind(const cli_request *request, met_circuit *circuit)
{
    size_t count;
    const char *const *settings = cli_values(request, "set", &count);
    return met_circuit_bind_each(circuit, count, settings);
}

/* A size that a mode has fixed is free no more. */
static void help_with_mode(const cli_request *request)
{
    const char *mode = cli_value(request, "mode");
    if (mode && met_session_has_error(request->session, "unknown-size"))
        met_diagnose_help(request->session, strcmp(mode, "decode") == 0 ? "--mode decode sets n=1; for more new tokens there is --mode verify" :
                                                                          "a mode may set sizes itself");
    else if (mode && met_session_has_error(request->session, "size-value"))
        met_diagnose_help(request->session, "before anything is in a cache there is --mode prefill");
}

met_circuit *cli_load_circuit(const cli_request *request, const char *argument)
{
    met_circuit *circuit = refuse_idle_options(request) ? NULL : load(request, argument);
    if (circuit && cli_value(request, "set"))
        circuit = bind(request, circuit);
    if (!circuit)
        help_with_mode(request);
    const char *numerics = cli_value(request, "numerics");
    if (circuit && cli_flag(request, "expand"))
        circuit = met_circuit_expand(circuit, numerics ? numerics : "real");
    return circuit;
}
