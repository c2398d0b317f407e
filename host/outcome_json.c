#include "host/outcome_json.h"

#include "base/json.h"
#include "base/session.h"
#include "met/eval.h"

enum { VALUES = 4096 /* of an array that is written whole */, SHOWN = 8 /* at either end of a longer one */ };

/* --- A run --- */

static void put_values(met_json *json, const char *key, const met_tensor *tensor, size_t begin, size_t end)
{
    met_json_open(json, key, '[');
    for (size_t i = begin; i < end; i++)
        met_json_put_real(json, NULL, tensor->values[i]);
    met_json_close(json, ']');
}

static void put_array(met_json *json, const met_named_tensor *array)
{
    const met_tensor *tensor = array->tensor;
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", array->name);
    met_json_put_string(json, "format", tensor->format);
    met_json_put_u64s(json, "shape", tensor->rank, tensor->shape);
    met_json_put_real(json, "sum", met_tensor_sum(tensor));
    met_json_put_real(json, "l2", met_tensor_norm(tensor));
    if (tensor->count <= VALUES) {
        put_values(json, "values", tensor, 0, tensor->count);
    } else {
        put_values(json, "first", tensor, 0, SHOWN);
        put_values(json, "last", tensor, tensor->count - SHOWN, tensor->count);
    }
    met_json_close(json, '}');
}

static void put_arrays(met_json *json, const char *key, size_t count, const met_named_tensor *arrays)
{
    met_json_open(json, key, '[');
    for (size_t k = 0; k < count; k++)
        put_array(json, &arrays[k]);
    met_json_close(json, ']');
}

static void put_kernels(met_json *json, const met_outcome *outcome, bool time)
{
    static const met_json_field fields[] = {
        { "name", offsetof(met_outcome, name), MET_JSON_STRING },
        { "threads", offsetof(met_outcome, threads), MET_JSON_U32 },
        { "underflow", offsetof(met_outcome, underflow), MET_JSON_FLAG },
        { "array_bytes", offsetof(met_outcome, array_bytes), MET_JSON_U64 },
        { "array_bytes_apart", offsetof(met_outcome, array_bytes_apart), MET_JSON_U64 },
        { 0 },
    };
    met_json_open(json, "hardware", '{');
    met_json_put_fields(json, fields, outcome);
    met_json_open(json, "kernels", '[');
    for (size_t k = 0; k < outcome->kernel_count; k++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "nodes", outcome->kernels[k].nodes);
        met_json_put_string(json, "tiles", outcome->kernels[k].tiles);
        if (time)
            met_json_put_number(json, "seconds", outcome->kernels[k].seconds);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

/* Which folds went as on the class, and which did not. */
static void put_emulated(met_json *json, const met_outcome *outcome)
{
    static const met_json_field fields[] = {
        { "tree", offsetof(met_emulated, tree), MET_JSON_STRING },
        { "tree_id", offsetof(met_emulated, tree_id), MET_JSON_STRING },
        { "unit", offsetof(met_emulated, unit), MET_JSON_STRING },
        { "why_not", offsetof(met_emulated, why), MET_JSON_STRING },
        { "count", offsetof(met_emulated, count), MET_JSON_U32 },
        { 0 },
    };
    met_json_open(json, "emulated", '{');
    met_json_put_string(json, "name", outcome->name);
    met_json_open(json, "folds", '[');
    for (size_t i = 0; i < outcome->emulated_count; i++) {
        const met_emulated *fold = &outcome->emulated[i];
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "op", fold->op);
        met_json_put_string(json, "kernel", *fold->kernel ? fold->kernel : NULL);
        met_json_put_fields(json, fields, fold);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

const char *met_run_json(met_session *session, const met_eval_result *result, const met_outcome *outcome, bool time)
{
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new_compact(&out);
    met_json_open(&json, NULL, '{');
    put_arrays(&json, "outputs", result->output_count, result->arrays);
    put_arrays(&json, "states", result->state_count, result->arrays + result->output_count);
    if (outcome && outcome->emulated_count)
        put_emulated(&json, outcome);
    else if (outcome)
        put_kernels(&json, outcome, time);
    met_json_close(&json, '}');
    return met_json_done(&json);
}

/* --- Two plans --- */

static void put_side(met_json *json, const char *key, const met_plan_side *side)
{
    met_json_open(json, key, '{');
    met_json_put_string(json, "name", side->name);
    met_json_put_integer(json, "groups", side->groups);
    met_json_put_string(json, "digest", side->digest);
    met_json_put_flag(json, "runs", side->runs);
    if (side->device) {
        met_json_put_string(json, "device", side->device);
        met_json_put_number(json, "seconds", side->seconds);
        met_json_put_number(json, "bytes", side->bytes);
    }
    met_json_close(json, '}');
}

static void put_plans(met_json *json, const met_plan_pair *pair)
{
    static const met_json_field fields[] = {
        { "ops", offsetof(met_plan_change, ops), MET_JSON_STRING },
        { "count", offsetof(met_plan_change, count), MET_JSON_U32 },
        { "a", offsetof(met_plan_change, a), MET_JSON_STRING },
        { "b", offsetof(met_plan_change, b), MET_JSON_STRING },
        { "a_seconds", offsetof(met_plan_change, a_seconds), MET_JSON_NUMBER },
        { "b_seconds", offsetof(met_plan_change, b_seconds), MET_JSON_NUMBER },
        { 0 },
    };
    met_json_open(json, "plans", '{');
    put_side(json, "a", &pair->a);
    put_side(json, "b", &pair->b);
    met_json_put_integer(json, "same", pair->same);
    if (pair->a.device && pair->b.device) {
        met_json_put_number(json, "same_a_seconds", pair->same_a_seconds);
        met_json_put_number(json, "same_b_seconds", pair->same_b_seconds);
    }
    met_json_open(json, "changes", '[');
    for (uint32_t k = 0; k < pair->change_count; k++) {
        met_json_open(json, NULL, '{');
        met_json_put_fields(json, fields, &pair->changes[k]);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}

/* --- Two runs --- */

static void put_way(met_json *json, const char *key, const met_outcome *outcome)
{
    met_json_open(json, key, '{');
    met_json_put_string(json, "name", outcome->name);
    met_json_put_integer(json, "threads", outcome->threads);
    met_json_put_integer(json, "kernels", outcome->kernel_count - outcome->packing_count);
    met_json_put_integer(json, "packings", outcome->packing_count);
    met_json_put_flag(json, "underflow", outcome->underflow);
    met_json_close(json, '}');
}

static void put_difference(met_json *json, const met_array_parity *array, size_t rank)
{
    met_json_open(json, "first", '{');
    met_json_put_u64s(json, "position", rank, array->position);
    met_json_put_string(json, "a_hex", array->a_hex);
    met_json_put_string(json, "b_hex", array->b_hex);
    met_json_put_real(json, "a", array->a);
    met_json_put_real(json, "b", array->b);
    if (array->ulps != UINT64_MAX)
        met_json_put_integer(json, "ulps", array->ulps);
    met_json_close(json, '}');
}

static void put_parity(met_json *json, const met_ways_compared *c)
{
    static const char *const expected[] = { [MET_EXPECT_SAME] = "same", [MET_EXPECT_OPEN] = "open", [MET_EXPECT_VOID] = "void" };
    const met_parity *parity = c->parity;
    met_json_put_flag(json, "same", parity->same);
    met_json_put_string(json, "expected", expected[parity->expected]);
    met_json_put_string(json, "why", parity->why);
    put_way(json, "a", c->a);
    put_way(json, "b", c->b);
    met_json_open(json, "arrays", '[');
    for (size_t k = 0; k < parity->array_count; k++) {
        const met_array_parity *array = &parity->arrays[k];
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", array->name);
        met_json_put_integer(json, "count", array->count);
        met_json_put_integer(json, "different", array->different);
        if (array->different > 0)
            put_difference(json, array, c->a->result->arrays[k].tensor->rank);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

const char *met_ways_json(met_session *session, const met_ways_compared *compared)
{
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new_compact(&out);
    met_json_open(&json, NULL, '{');
    if (compared->plans)
        put_plans(&json, compared->plans);
    if (compared->report)
        met_text_put(met_json_value(&json, "records"), met_parity_json(compared->report));
    if (compared->parity)
        put_parity(&json, compared);
    met_json_close(&json, '}');
    return met_json_done(&json);
}
