#include <string.h>

#include "host/auditing_parts.h"
#include "host/evidence.h"
#include "host/model.h"
#include "host/planning.h"

static const char decode[] = "decode";

static bool has_mode(met_session *session, met_model_request *request, const char *mode)
{
    size_t count;
    const char *const *names = met_model_mode_names(session, request, &count);
    for (size_t m = 0; names && m < count; m++)
        if (!strcmp(names[m], mode))
            return true;
    return false;
}

typedef MET_VEC(met_audit_model) model_list;

/* Sizes that no plan binds, such as those of an encoder: one sequence of 512 tokens. */
static const met_circuit *bind_rest(const met_circuit *circuit)
{
    uint64_t *sizes = MET_NEW_ARRAY(circuit->arena, uint64_t, circuit->symbol_count + 1);
    for (uint32_t s = 0; s < circuit->symbol_count; s++)
        if (!circuit->symbols[s].value)
            sizes[s] = met_str_is(met_sym_str(circuit->session, circuit->symbols[s].label), "n") ? 512 : 1;
    return met_circuit_bind_symbols(circuit, sizes);
}

/* In mode decode, one row, after the context that plans assume; in its own mode where it has no other. */
static void add_model(met_session *session, const char *kernels, const char *name, bool toy, model_list *list)
{
    met_model_request request = { .name = name, .kernels = kernels, .toy = toy };
    const char *mode = has_mode(session, &request, decode) ? decode : NULL;
    request.mode = mode;
    met_circuit *circuit = met_model_load(session, &request);
    met_plan_request plan = { .mode = mode, .rows = 1 };
    met_audit_model model = { name, mode ? mode : "run", circuit ? met_plan_bind(circuit, &plan) : NULL };
    model.circuit = model.circuit ? bind_rest(model.circuit) : NULL;
    if (model.circuit)
        MET_PUSH(session->arena, list, model);
}

uint32_t met_auditing_models(met_session *session, const char *kernels, const met_audit_model **ret_models)
{
    const char *names[MET_PLANNING_MODELS], *directory = met_kernels_directory(session, kernels);
    model_list list = { 0 };
    size_t toy_count = 0;
    uint32_t count = directory ? met_planning_models(session, directory, names) : 0;
    for (uint32_t m = 0; m < count; m++)
        add_model(session, kernels, names[m], false, &list);
    const char *const *toys = count == 0 ? met_model_names(session, kernels, &toy_count) : NULL;
    for (size_t t = 0; t < toy_count; t++)
        add_model(session, kernels, toys[t], true, &list);
    *ret_models = list.at;
    return (uint32_t)list.count;
}

/* --- Evidence at points --- */

/* Whether one "name=value" of a row contradicts the values. */
static bool contradicts(const met_family *family, const char *const *values, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    for (uint32_t p = 0; equals && p < family->param_count; p++) {
        size_t name = (size_t)(equals - word), rest = length - name - 1;
        if (strlen(family->params[p].name) == name && !memcmp(family->params[p].name, word, name))
            return values[p] && (strlen(values[p]) != rest || memcmp(values[p], equals + 1, rest) != 0);
    }
    return false;
}

/* A row names what tells kernels of its form apart; other parameters do not reach the text, so they do not matter. */
static bool is_at(const met_evidence_row *row, const met_family *family, const char *const *values)
{
    for (const char *word = row->point; *word;) {
        size_t length = strcspn(word, " ");
        if (contradicts(family, values, word, length))
            return false;
        word += length + strspn(word + length, " ");
    }
    return true;
}

bool met_evidence_has_point(void *context, const met_family *family, const char *const *values, uint64_t rows)
{
    const met_evidence_points *points = context;
    for (size_t r = 0; r < points->count; r++) {
        const met_evidence_row *row = &points->rows[r];
        if (row->rows == rows && !strcmp(row->family, family->id) && !strcmp(row->key.blueprint, points->blueprint) &&
            is_at(row, family, values))
            return true;
    }
    return false;
}
