/* met hw probe: what this machine does, measured, and a device record of it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "host/file.h"
#include "host/probe_record.h"
#include "host/blueprint.h"

static const cli_option own_options[] = {
    { "output", 'o', "FILE", "where the record goes: a DEVICES.toml; without it, below the user's data" },
    { "name", 0, "NAME", "of the device; without it made from the processor" },
    { "hardware", 0, "NAME", "the class to measure with: cpu-scalar, cpu-avx2, … or cpu, the best (the default)" },
    { "quick", 0, NULL, "fewer and smaller samples" },
    { "cache", 0, "DIR", "of compiled kernels" },
    { 0 },
};

/* What DEVICES.toml takes for an id. */
static bool is_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= 64 && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length;
}

/* The file of the record; NULL with a diagnostic. */
static const char *path_of(const cli_request *request, const char *name)
{
    const char *output = cli_value(request, "output");
    char file[96];
    snprintf(file, sizeof file, "%s.toml", name);
    return output ? output : met_device_file(request->session, file);
}

static int report(const cli_request *request, const met_probe *probe, const char *path, const char *toml)
{
    if (strcmp(path, "-") == 0)
        return cli_answer(request, NULL, toml);
    if (!met_file_write(request->session, path, toml, strlen(toml)))
        return CLI_ENVIRONMENT;
    if (cli_flag(request, "json"))
        return cli_answer(request, NULL, met_probe_json(request->session, probe));
    printf("%s\nrecord: %s\n", met_probe_table(request->session, probe), path);
    return CLI_DONE;
}

static int probe(const cli_request *request)
{
    const char *name = cli_value(request, "name"), *output = cli_value(request, "output");
    if (name && !is_name(name)) {
        cli_usage_error(request, "--name takes letters, digits, `_`, `-` and `.`, not `%s`", name);
        return CLI_BAD_INPUT;
    }
    if (output && strcmp(output, "-") == 0 && cli_flag(request, "json")) {
        cli_usage_error(request, "--output - is the record and --json another text: one of them goes to standard output");
        return CLI_BAD_INPUT;
    }
    if (output && !met_file_may_write(request->session, output))
        return CLI_ENVIRONMENT;
    met_probe_options options = { .class_name = cli_value(request, "hardware"), .id = name,
                                  .cache = cli_value(request, "cache"), .quick = cli_flag(request, "quick") };
    const met_probe *found = met_probe_run(request->session, &options);
    const char *toml = found ? met_probe_toml(request->session, found) : NULL;
    const char *path = toml ? path_of(request, found->id) : NULL;
    if (path)
        met_probe_doubt(request->session, found);
    return path ? report(request, found, path, toml) : cli_failed(request);
}

static const cli_option *const options[] = { own_options, cli_common_options, NULL };

const cli_verb cli_hw_probe = {
    .noun = "hw", .verb = "probe", .arguments = "",
    .summary = "measures this machine and writes a device record of it",
    .options = options, .run = probe,
};
