/* Tests that read models: architectures from kernels/circuits, configurations and architectures from texts. */
#ifndef MET_TEST_MODELS_H
#define MET_TEST_MODELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/value.h"
#include "host/file.h"
#include "host/json.h"
#include "host/toml.h"
#include "ir/circuit.h"
#include "met/eval.h"
#include "met/model.h"

#define CIRCUITS MET_ROOT_DIR "/kernels/circuits/"

static inline const met_value *part_from_file(void *context, const char *path)
{
    met_session *session = context;
    char whole[1024];
    snprintf(whole, sizeof whole, CIRCUITS "%s", path);
    if (!met_file_exists(whole))
        return NULL;
    return met_toml_read(session, met_file_source(session, whole));
}

static inline const met_value *toml_of(met_session *session, const char *text)
{
    return met_toml_read(session, met_session_add_source(session, "arch.toml", text, strlen(text)));
}

static inline const met_value *json_of(met_session *session, const char *text)
{
    return text ? met_json_read(session, met_session_add_source(session, "config.json", text, strlen(text))) : NULL;
}

/* An architecture of kernels/circuits, or (`arch` with a line break) the text of one. NULL with diagnostics. */
static inline const met_circuit *read_model(met_session *session, const char *arch, const char *config, const char *mode,
                                            uint32_t layers)
{
    char file[256];
    snprintf(file, sizeof file, "%.200s.toml", arch);
    const met_value *value = strchr(arch, '\n') ? toml_of(session, arch) : part_from_file(session, file);
    met_model_options options = { .config = json_of(session, config), .mode = mode, .layers = layers, .part = part_from_file,
                                 .part_context = session };
    if (config && !options.config)
        return NULL;
    return value ? met_model_read(session, value, &options) : NULL;
}

/* The same, with sizes bound; fails with the diagnostics if that does not work. */
static inline const met_circuit *model_of(met_session *session, const char *arch, const char *config, const char *mode,
                                          const char *set)
{
    const met_circuit *circuit = read_model(session, arch, config, mode, 0);
    if (circuit && *set)
        circuit = met_circuit_bind(circuit, set);
    if (!circuit)
        fail_msg("%s\n%s", arch, met_session_diagnostics_text(session));
    return circuit;
}

static inline const char *text_of_file(met_session *session, const char *path)
{
    const char *bytes;
    size_t length;
    if (!met_file_read(session, path, 1 << 20, &bytes, &length))
        fail_msg("%s", met_session_diagnostics_text(session));
    return bytes;
}

/* --- Arrays by name --- */

typedef struct arrays {
    met_session *session;
    const met_circuit *circuit;
    size_t count;
    met_named_tensor at[512];
} arrays;

static inline met_tensor *array_like(arrays *a, met_edge_id id)
{
    const met_edge *edge = &a->circuit->edges[id.id];
    uint64_t shape[MET_RANK_LIMIT];
    for (uint32_t p = 0; p < edge->rank; p++)
        assert_true(met_circuit_size(a->circuit, edge->axes[p], &shape[p]));
    met_tensor *tensor = met_tensor_new(a->session, "f64", edge->rank, shape);
    assert_true(a->count < 512);
    a->at[a->count++] = (met_named_tensor){ met_sym_text(a->session, edge->name), tensor };
    return tensor;
}

/* Zero for every input, and for every parameter numbers that depend on its name and on nothing else. Norms' gains are
 * about 1 and weights small, so that no activation saturates. */
static inline arrays *arrays_of(const met_circuit *circuit)
{
    met_session *session = circuit->session;
    arrays *a = met_arena_alloc(session->arena, 1, sizeof *a);
    a->session = session;
    a->circuit = circuit;
    for (uint32_t i = 0; i < circuit->input_count; i++)
        array_like(a, circuit->inputs[i]);
    for (uint32_t i = 0; i < circuit->parameter_count; i++) {
        met_tensor *tensor = array_like(a, circuit->parameters[i]);
        const char *name = a->at[a->count - 1].name;
        uint64_t state = 88172645463325252u;
        for (const char *c = name; *c; c++)
            state = (state ^ (uint64_t)(unsigned char)*c) * 1099511628211u;
        for (size_t k = 0; k < tensor->count; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            tensor->values[k] = (double)(int64_t)(state >> 33) / 0x1p30 - 1; /* in [-1, 1) */
            tensor->values[k] = strstr(name, "norm") && !strstr(name, "bias") ? 1 + 0.3 * tensor->values[k] :
                0.6 * tensor->values[k];
        }
    }
    return a;
}

static inline double *array(const arrays *a, const char *name)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->at[i].name, name) == 0)
            return a->at[i].tensor->values;
    fail_msg("there is no array `%s`", name);
    return NULL;
}

static inline const double *layer_array(const arrays *a, int layer, const char *name)
{
    char whole[128];
    snprintf(whole, sizeof whole, "layers.%d.%s", layer, name);
    return array(a, whole);
}

static inline const met_eval_result *run_arrays(const arrays *a)
{
    const met_eval_result *result = met_eval_run(a->circuit, NULL, a->count, a->at);
    if (!result)
        fail_msg("%s", met_session_diagnostics_text(a->session));
    return result;
}

static inline void expect_near(const char *what, size_t count, const double *got, const double *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - wanted[i]) <= 1e-12 * (1 + fabs(wanted[i]))))
            fail_msg("%s: element %zu is %.17g instead of %.17g", what, i, got[i], wanted[i]);
}

/* Counts the diagnostics of a session with this code whose text (all of it) has these words. */
static inline void expect_diag(met_session *session, met_code code, const char *words)
{
    const char *text = met_session_diagnostics_text(session);
    assert_true(met_session_error_count(session) > 0);
    bool found = false;
    for (size_t i = 0; i < session->diags.count; i++)
        found = found || session->diags.at[i]->code == code;
    if (!found || !strstr(text, words))
        fail_msg("expected %s with `%s` in:\n%s", met_code_table[code].text, words, text);
}

#endif
