/* Weights from a seed: functions of it, the parameter's name and the place alone, so that all modes and ways have the same. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "host/model_run_parts.h"

static const met_span nowhere;

/* FNV-1a of the name (Fowler, Noll and Vo), which the fill mixes with the seed. */
static uint64_t key_of(const char *name)
{
    uint64_t key = UINT64_C(14695981039346656037);
    for (; *name; name++)
        key = (key ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return key;
}

/* Norms' gains lie around 1; everything else around 0, in matrices so narrowly that what they give is about as large as what
 * they take: their rows are their outputs. */
static void fill(const char *name, uint64_t seed, met_tensor *tensor)
{
    bool gain = strstr(name, "norm") && !strstr(name, "bias");
    double spread = tensor->rank > 1 ? 1 / sqrt((double)tensor->shape[tensor->rank - 1]) : 0.125;
    met_fill("normal", seed ^ key_of(name), 0, 0, tensor->count, tensor->values);
    for (size_t i = 0; i < tensor->count; i++)
        tensor->values[i] = (gain ? 1 : 0) + spread * tensor->values[i];
}

static const char *name_of(const met_circuit *circuit, uint32_t p)
{
    return met_sym_text(circuit->session, circuit->edges[circuit->parameters[p].id].name);
}

/* The shape of a parameter; false with a diagnostic if something does not bind it. */
static bool shape_of(const met_circuit *circuit, const met_edge *edge, uint64_t *shape, uint64_t *ret_count)
{
    *ret_count = 1;
    for (uint32_t p = 0; p < edge->rank; p++) {
        if (!met_circuit_size(circuit, edge->axes[p], &shape[p])) {
            met_diag *diag = met_diag_add(circuit->session, MET_DIAG_unbound, nowhere, "`%s` has a size that nothing gives",
                                          met_sym_text(circuit->session, edge->name));
            met_diag_help(diag, "--toy runs a model at small sizes, --config FILE at those of its config.json");
            return false;
        }
        *ret_count = shape[p] && *ret_count > UINT64_MAX / shape[p] ? UINT64_MAX : *ret_count * shape[p];
    }
    return true;
}

static bool has(const met_model_weights *weights, const char *name)
{
    for (size_t w = 0; w < weights->count; w++)
        if (strcmp(weights->at[w].name, name) == 0)
            return true;
    return false;
}

/* How many values the parameters of a circuit have, as far as can be counted. False with a diagnostic. */
static bool count_values(const met_circuit *circuit, uint64_t *ret_total)
{
    uint64_t shape[MET_RANK_LIMIT], count;
    *ret_total = 0;
    for (uint32_t p = 0; p < circuit->parameter_count; p++) {
        if (!shape_of(circuit, &circuit->edges[circuit->parameters[p].id], shape, &count))
            return false;
        *ret_total = count > UINT64_MAX - *ret_total ? UINT64_MAX : *ret_total + count;
    }
    return true;
}

static bool make_those_of(const met_circuit *circuit, uint64_t seed, met_model_weights *weights)
{
    uint64_t shape[MET_RANK_LIMIT], count;
    for (uint32_t p = 0; p < circuit->parameter_count; p++) {
        const char *name = name_of(circuit, p);
        const met_edge *edge = &circuit->edges[circuit->parameters[p].id];
        if (has(weights, name))
            continue;
        met_tensor *tensor = shape_of(circuit, edge, shape, &count) ? met_tensor_new(circuit->session, "f64", edge->rank, shape) : NULL;
        if (!tensor)
            return false;
        fill(name, seed, tensor);
        weights->at[weights->count++] = (met_named_tensor){ name, tensor };
    }
    return true;
}

bool met_model_weights_make(const met_circuit *prefill, const met_circuit *decode, uint64_t seed, met_model_weights *ret_weights)
{
    uint64_t values, more;
    if (!count_values(prefill, &values) || !count_values(decode, &more))
        return false;
    values = more > values ? more : values;
    if (values > MET_SEEDED_LIMIT) {
        met_diag *diag = met_diag_add(prefill->session, MET_DIAG_run, nowhere,
                                      "this model has %" PRIu64 " values in its parameters, and no weights are given", values);
        met_diag_help(diag, "up to %" PRIu64 " are made from a seed: --toy is the same architecture at small sizes; --checkpoint FILE has weights", MET_SEEDED_LIMIT);
        return false;
    }
    *ret_weights = (met_model_weights){ .at = MET_NEW_ARRAY(prefill->session->arena, met_named_tensor,
                                                            (size_t)prefill->parameter_count + decode->parameter_count) };
    return make_those_of(prefill, seed, ret_weights) && make_those_of(decode, seed, ret_weights);
}
