/* met kernel build: a circuit's kernels as C for other programs. */
#include <stdio.h>
#include <string.h>

#include "cli/run_options.h"
#include "host/file.h"

static const cli_option own_options[] = {
    { "output", 'o', "FILE.c", "the source; its header stands beside it" },
    { "name", 0, "NAME", "of the function; without it that of the file" },
    { "hardware", 0, "NAME", "cpu-scalar, cpu-avx2, cpu-avx512, or cpu, the best of this machine" },
    { "planner", 0, "NAME", "none (a kernel for each op), fused (the default) or whole (whatever it costs)" },
    { "tiles", 0, "NAME=N,…", "sizes of tiles by loop, q=32,x=128" },
    { 0 },
};

static const char *copy(const cli_request *request, const char *text, size_t length)
{
    char *out = met_session_alloc(request->session, length + 1, 1);
    memcpy(out, text, length);
    return out;
}

/* "lib/attention" of "lib/attention.c". NULL with a diagnostic. */
static const char *stem_of(const cli_request *request)
{
    const char *path = cli_value(request, "output");
    size_t length = path ? strlen(path) : 0;
    if (length > 2 && strcmp(path + length - 2, ".c") == 0)
        return copy(request, path, length - 2);
    if (path)
        cli_usage_error(request, "the source is a file that ends in .c, not `%s`", path);
    else
        cli_usage_error(request, "-o FILE.c says where the source goes");
    return NULL;
}

/* The header, which the source includes by the name of the function, stands in the same directory. */
static const char *header_path(const cli_request *request, const char *stem, const char *name)
{
    const char *slash = strrchr(stem, '/');
    size_t directory = slash ? (size_t)(slash - stem) + 1 : 0, length = directory + strlen(name) + 2;
    char *path = met_session_alloc(request->session, length + 1, 1);
    snprintf(path, length + 1, "%.*s%s.h", (int)directory, stem, name);
    return path;
}

/* A word of a command line, quoted for the shell where it must be. Returns the length; `to` has room for twice the word and 3. */
static size_t put_word(char *to, const char *word)
{
    size_t length = 0;
    bool plain = word[0] && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%")] == '\0';
    if (!plain)
        to[length++] = '"';
    for (const char *c = word; *c; c++) {
        if (strchr("\"\\$`", *c))
            to[length++] = '\\';
        to[length++] = *c;
    }
    if (!plain)
        to[length++] = '"';
    to[length] = '\0';
    return length;
}

/* The command that makes the same kernels again, for the comment. */
static const char *origin_of(const cli_request *request, const char *name)
{
    static const char command[] = "met kernel build ";
    size_t room = sizeof command + 2 * strlen(request->arguments[0]) + 3 + strlen(name) + 7;
    for (size_t i = 0; i < request->value_count; i++)
        room += strlen(request->values[i].option->name) + 2 * (request->values[i].value ? strlen(request->values[i].value) : 0) + 7;
    char *text = met_session_alloc(request->session, room, 1);
    size_t length = sizeof command - 1;
    memcpy(text, command, sizeof command);
    length += put_word(text + length, request->arguments[0]);
    for (size_t i = 0; i < request->value_count; i++) {
        const char *value = request->values[i].value, *option = request->values[i].option->name;
        if (strcmp(option, "output") == 0 || strcmp(option, "name") == 0)
            continue;
        length += (size_t)snprintf(text + length, room - length, " --%s%s", option, value ? " " : "");
        length += value ? put_word(text + length, value) : 0;
    }
    snprintf(text + length, room - length, " -o %s.c", name);
    return text;
}

static int build(const cli_request *request)
{
    met_eval_options options;
    const char *stem = stem_of(request), *source, *header;
    if (!stem || !cli_read_eval_options(request, &options))
        return CLI_BAD_INPUT;
    const char *slash = strrchr(stem, '/'), *name = cli_value(request, "name");
    name = name ? name : slash ? slash + 1 : stem;
    met_way way = { .planner = cli_value(request, "planner"), .hardware = cli_value(request, "hardware"),
                    .tiles = cli_value(request, "tiles") };
    way.planner = way.planner ? way.planner : "fused";
    way.hardware = way.hardware ? way.hardware : "cpu";
    const met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    const met_subject *subject = circuit ? met_subject_new(circuit, &options, 0, NULL) : NULL;
    if (!subject || !met_subject_package(subject, &way, name, origin_of(request, name), &source, &header))
        return cli_failed(request);
    met_file_text files[] = { { cli_value(request, "output"), source, strlen(source) },
                              { header_path(request, stem, name), header, strlen(header) } };
    return met_file_write_all(request->session, 2, files) ? CLI_DONE : CLI_ENVIRONMENT;
}

static const cli_option *const options[] = { own_options, cli_point_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_kernel_build = {
    .noun = "kernel", .verb = "build", .arguments = "CIRCUIT",
    .summary = "writes a circuit's kernels as C for other programs",
    .options = options, .run = build,
};
