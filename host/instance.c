/* Instances: kernels/models/NAME/model.toml, which names an architecture, the configuration beside it, and how the model's
 * arrays and weights are stored. */
#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "host/file.h"
#include "host/instance.h"
#include "host/toml.h"

static const char *path_of(met_session *session, const char *kernels, const char *name, const char *file)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/models/%s/%s", kernels, name, file);
    return met_text_done(&path);
}

bool met_instance_exists(const char *kernels, const char *name)
{
    char path[4096];
    if (!kernels || !*name || *name == '.' || strchr(name, '/'))
        return false;
    int length = snprintf(path, sizeof path, "%s/models/%s/model.toml", kernels, name);
    return length > 0 && (size_t)length < sizeof path && met_file_exists(path) && !met_file_is_directory(path);
}

static bool take_text(met_session *session, const met_value *table, const char *key, const char **ret_text)
{
    met_str text;
    const met_value *value = met_value_get(table, key);
    if (!value)
        return true;
    if (!met_value_to_string(session, value, key, &text))
        return false;
    *ret_text = met_arena_text(session->arena, text.at, text.length);
    return true;
}

static bool check_format(met_session *session, const met_value *table)
{
    static const char *const formats[] = { "f32", "bf16", "f16", "f64" };
    const met_value *value = met_value_get(table, "format");
    for (size_t i = 0; value && i < sizeof formats / sizeof *formats; i++)
        if (met_str_is(value->string, formats[i]))
            return true;
    if (!value)
        return true;
    met_diag *d = met_diag_at(session, MET_DIAG_format, &value->place, "this is not a format of arrays");
    met_diag_help(d, "arrays are f32, bf16, f16 or f64; [weights] says how weights are stored");
    return false;
}

/* The folder is what a model is found by. */
static bool check_name(met_session *session, const met_value *table, const char *name)
{
    const char *own = NULL;
    const met_value *value = met_value_require(session, table, "name");
    if (!value || !take_text(session, table, "name", &own))
        return false;
    if (strcmp(own, name) == 0)
        return true;
    met_diag_at(session, MET_DIAG_model, &value->place, "this is the file of `%s`, by its folder", name);
    return false;
}

bool met_instance_read(met_session *session, const char *kernels, const char *name, met_instance_file *ret_instance)
{
    static const char *const known[] = { "model", "weights", "activations", "toy" }, *const fields[] = { "name", "summary", "arch", "config", "format" };
    uint32_t source = met_file_source(session, path_of(session, kernels, name, "model.toml"));
    const met_value *root = source ? met_toml_read(session, source) : NULL;
    if (!root || !met_value_only(session, root, known, 4))
        return false;
    const met_value *model = met_value_require(session, root, "model");
    const char *config = "config.json", *summary = NULL;
    *ret_instance = (met_instance_file){ .weights = met_value_get(root, "weights"), .activations = met_value_get(root, "activations"),
                                         .toy = met_value_get(root, "toy") };
    if (!model || !met_value_expect(session, model, MET_VALUE_TABLE, "model") || !met_value_only(session, model, fields, 5) ||
        !check_name(session, model, name) || !met_value_require(session, model, "arch") ||
        !take_text(session, model, "arch", &ret_instance->arch) || !take_text(session, model, "summary", &summary) ||
        !take_text(session, model, "config", &config) || !take_text(session, model, "format", &ret_instance->format) ||
        !check_format(session, model))
        return false;
    if (strchr(config, '/')) {
        met_diag_at(session, MET_DIAG_model, &met_value_get(model, "config")->place, "the configuration stands beside this file");
        return false;
    }
    ret_instance->config = path_of(session, kernels, name, config);
    return true;
}
