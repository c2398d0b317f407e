#include "host/model.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "host/file.h"
#include "host/instance.h"
#include "host/json.h"
#include "host/toml.h"

static const met_span nowhere = { 0, 0, 0 };

static const char *join(met_session *session, const char *directory, const char *name, const char *end)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/%s%s", directory, name, end);
    return met_text_done(&path);
}

/* --- Finding --- */

/* NULL if there is none; *ret_named says whether somebody asked for a particular one. */
static const char *kernels_directory(const char *kernels, const char **ret_named)
{
    static const char *const places[] = { MET_ROOT_DIR "/kernels", MET_DATA_DIR "/kernels" };
    const char *named = kernels ? kernels : getenv("MET_KERNELS");
    *ret_named = named && *named ? named : NULL;
    if (*ret_named)
        return met_file_is_directory(named) ? named : NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (met_file_is_directory(places[i]))
            return places[i];
    return NULL;
}

const char *met_kernels_directory(met_session *session, const char *kernels)
{
    const char *named, *found = kernels_directory(kernels, &named);
    if (found)
        return found;
    met_diag *d = met_diag_add(session, MET_DIAG_file, nowhere, "there is no directory `%s`",
                               named ? named : MET_DATA_DIR "/kernels");
    met_diag_help(d, "%s", kernels ? "it was given as the directory of kernels" :
                           named   ? "it is what $MET_KERNELS says" :
                                     "name the directory of kernels with --kernels or $MET_KERNELS");
    return NULL;
}

static bool arch_exists(const char *kernels, const char *name)
{
    const char *named, *directory = kernels_directory(kernels, &named);
    char path[4096];
    if (!directory || strchr(name, '/') || *name == '.' || *name == 0)
        return false;
    int length = snprintf(path, sizeof path, "%s/circuits/%s.toml", directory, name);
    return length > 0 && (size_t)length < sizeof path && met_file_exists(path) && !met_file_is_directory(path);
}

bool met_model_exists(const char *kernels, const char *name)
{
    const char *named, *directory = kernels_directory(kernels, &named);
    return arch_exists(kernels, name) || met_instance_exists(directory, name);
}

const char *met_model_list(met_session *session, const char *kernels)
{
    const char *named, *place = kernels_directory(kernels, &named);
    const char *directory = place ? join(session, place, "circuits", "") : NULL;
    return met_file_stems(session, 1, &directory);
}

const char *const *met_model_names(met_session *session, const char *kernels, size_t *ret_count)
{
    const char *named, *place = kernels_directory(kernels, &named);
    const char *directory = place ? join(session, place, "circuits", "") : NULL;
    return met_file_stem_list(session, 1, &directory, ret_count);
}

/* --- Loading --- */

typedef struct loader {
    met_session *session;
    const char *beside;   /* the architecture's own directory, or NULL */
    const char *circuits; /* or NULL */
} loader;

static const met_value *read_toml(met_session *session, const char *path)
{
    uint32_t source = met_file_source(session, path);
    return source ? met_toml_read(session, source) : NULL;
}

static const met_value *load_part(void *context, const char *path)
{
    loader *l = context;
    const char *const places[] = { l->beside, l->circuits };
    for (size_t i = 0; i < 2; i++) {
        const char *whole = places[i] ? join(l->session, places[i], path, "") : NULL;
        if (whole && met_file_exists(whole) && !met_file_is_directory(whole))
            return read_toml(l->session, whole);
    }
    return NULL; /* the reader says so, where the part is used */
}

static const met_value *read_config(met_session *session, const char *path)
{
    if (met_file_is_directory(path))
        path = join(session, path, "config.json", "");
    uint32_t source = met_file_source(session, path);
    return source ? met_json_read(session, source) : NULL;
}

/* The architecture that a configuration asks for. */
static const char *arch_of(met_session *session, const char *kernels, const met_value *config)
{
    met_str type;
    const met_value *value = config->kind == MET_VALUE_TABLE ? met_value_get(config, "model_type") : NULL;
    if (!value) {
        met_diag *d = met_diag_at(session, MET_DIAG_config_key, &config->place, "this configuration has no `model_type`");
        met_diag_help(d, "name the architecture: %s", met_model_list(session, kernels));
        return NULL;
    }
    if (!met_value_to_string(session, value, "model_type", &type))
        return NULL;
    if (arch_exists(kernels, type.at))
        return type.at;
    met_diag *d = met_diag_at(session, MET_DIAG_model, &value->place, "no architecture is called `%.*s`", MET_STR_ARGS(type));
    met_diag_help(d, "there are %s", met_model_list(session, kernels));
    return NULL;
}

const char *met_model_of_config(met_session *session, const char *kernels, const char *config)
{
    const met_value *value = read_config(session, config);
    return value ? arch_of(session, kernels, value) : NULL;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".toml"));
}

static const char *directory_of(met_session *session, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return met_arena_text(session->arena, path, slash == path ? 1 : (size_t)(slash - path));
}

/* The path of the architecture's file, and where its parts are. */
static const char *find_arch(met_session *session, const char *name, const char *kernels, loader *l)
{
    if (is_path(name)) {
        l->beside = directory_of(session, name);
        return name;
    }
    if (arch_exists(kernels, name))
        return join(session, l->circuits, name, ".toml");
    met_diag *d = met_diag_add(session, MET_DIAG_model, nowhere, "no architecture is called `%s`", name);
    met_diag_help(d, "there are %s", met_model_list(session, kernels));
    return NULL;
}

static bool read_layers(met_session *session, const char *text, uint32_t *ret_layers)
{
    char *end;
    *ret_layers = 0;
    if (!text)
        return true;
    unsigned long n = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (n == 0 || *end || n > UINT32_MAX) {
        met_diag_add(session, MET_DIAG_size_value, nowhere, "`%s` is not a number of layers", text);
        return false;
    }
    *ret_layers = (uint32_t)n;
    return true;
}

/* The architecture that a request names, or its configuration. */
static const met_value *read_arch(met_session *session, const met_model_request *request, const met_value *config, loader *l)
{
    const char *kernels = met_kernels_directory(session, request->kernels), *name = request->name;
    if (!kernels)
        return NULL;
    l->circuits = join(session, kernels, "circuits", "");
    if (!name && config)
        name = arch_of(session, kernels, config);
    else if (!name)
        met_diag_add(session, MET_DIAG_usage, nowhere, "neither an architecture nor a configuration is named");
    const char *path = name ? find_arch(session, name, kernels, l) : NULL;
    return path ? read_toml(session, path) : NULL;
}

/* What a model's file says beyond its architecture and configuration; all NULL where there is no such file. */
typedef struct said_formats {
    const met_value *weights, *activations, *toy_sizes;
} said_formats;

/* A name under kernels/models stands for its architecture, configuration and formats. With toy sizes its formats, whose groups
 * may not fit, stay out unless the file says which sizes they fit. */
static bool resolve(met_session *session, const met_model_request *request, met_model_request *ret_request, said_formats *ret_formats)
{
    met_instance_file file;
    const char *name = request->name, *kernels = met_kernels_directory(session, request->kernels);
    *ret_request = *request;
    *ret_formats = (said_formats){ 0 };
    if (!kernels)
        return false;
    if (!name || is_path(name) || arch_exists(request->kernels, name) || !met_instance_exists(kernels, name))
        return true;
    if (request->config) {
        met_diag_add(session, MET_DIAG_usage, nowhere, "`%s` has a configuration of its own", name);
        return false;
    }
    if (!met_instance_read(session, kernels, name, &file))
        return false;
    ret_request->name = file.arch;
    ret_request->default_format = request->default_format ? request->default_format : file.format;
    if (!request->toy)
        ret_request->config = file.config;
    if (!request->toy || file.toy)
        *ret_formats = (said_formats){ file.weights, file.activations, file.toy };
    return true;
}

met_circuit *met_model_load(met_session *session, const met_model_request *asked)
{
    loader l = { .session = session };
    met_model_request resolved, *request = &resolved;
    said_formats formats;
    if (!resolve(session, asked, request, &formats))
        return NULL;
    met_model_options options = { .mode = request->mode, .default_format = request->default_format, .toy = request->toy,
                                 .toy_grows = request->toy_grows, .toy_sizes = formats.toy_sizes, .weights = formats.weights,
                                 .activations = formats.activations, .part = load_part, .part_context = &l };
    options.config = request->config ? read_config(session, request->config) : NULL;
    if (!read_layers(session, request->layers, &options.layers) || (request->config && !options.config))
        return NULL;
    const met_value *arch = read_arch(session, request, options.config, &l);
    return arch ? met_model_read(session, arch, &options) : NULL;
}

const char *const *met_model_mode_names(met_session *session, const met_model_request *request, size_t *ret_count)
{
    loader l = { .session = session };
    met_model_options options = { .part = load_part, .part_context = &l };
    met_model_request resolved;
    said_formats ignored;
    if (!resolve(session, request, &resolved, &ignored))
        return NULL;
    const met_value *arch = read_arch(session, &resolved, NULL, &l);
    return arch ? met_model_modes(session, arch, &options, ret_count) : NULL;
}
