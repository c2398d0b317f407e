/* Known values: what the circuits of tests/data/blocks.toml and the models of tests/data/models.toml compute. */
#include "circuits.h"
#include "models.h"

#include "base/value.h"
#include "host/file.h"
#include "host/parity.h"
#include "host/subject.h"
#include "host/toml.h"

static met_session *session;
static const met_value *root;

static int load(void **state)
{
    (void)state;
    session = met_session_new();
    uint32_t source = met_file_source(session, MET_TEST_DATA_DIR "/blocks.toml");
    root = source ? met_toml_read(session, source) : NULL;
    return root ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

static const met_value *field(const met_value *table, const char *key)
{
    const met_value *value = met_value_get(table, key);
    if (!value)
        fail_msg("no field `%s`", key);
    return value;
}

static const char *text_field(const met_value *table, const char *key)
{
    met_str text = field(table, key)->string;
    return met_arena_text(session->arena, text.at, text.length);
}

static void expect_list(const char *id, const met_value *list, const double *values, double tolerance)
{
    for (size_t i = 0; i < list->items.count; i++)
        expect_close(id, 1, &values[i], &list->items.at[i]->number, tolerance);
}

static void expect_block(const met_value *block, const met_tensor *y, double tolerance)
{
    const char *id = text_field(block, "id");
    const met_value *shape = field(block, "shape"), *last = field(block, "last");
    assert_int_equal(y->rank, shape->items.count);
    for (size_t p = 0; p < y->rank; p++)
        assert_int_equal(y->shape[p], shape->items.at[p]->integer);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < y->count; i++) {
        sum += y->values[i];
        squares += y->values[i] * y->values[i];
    }
    double l2 = sqrt(squares);
    expect_list(id, field(block, "first"), y->values, tolerance);
    expect_list(id, last, y->values + y->count - last->items.count, tolerance);
    expect_close(id, 1, &sum, &field(block, "sum")->number, tolerance * 10);
    expect_close(id, 1, &l2, &field(block, "l2")->number, tolerance * 10);
}

/* In f64 to 1e-12; in f32, at both numerics points, near that; and expanded beforehand, the same bytes. */
static void blocks(void **state)
{
    (void)state;
    static const char *const points[][2] = { { "f64", "real" }, { "f64", "pow2" }, { "f32", "float" }, { "f32", "pow2" } };
    const met_value *list = field(root, "block");
    for (size_t b = 0; b < list->items.count; b++) {
        const met_value *block = list->items.at[b];
        const met_circuit *circuit = circuit_of(session, text_field(block, "program"), text_field(block, "set"));
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            const met_tensor *y = run_filled(circuit, points[p][0], points[p][1], "wave");
            expect_block(block, y, points[p][0][1] == '6' ? 1e-12 : 2e-6);
            const met_circuit *expanded = met_circuit_expand(circuit, points[p][1]);
            expect_same_bytes(text_field(block, "id"), y, run_filled(expanded, points[p][0], points[p][1], "wave"));
        }
    }
    assert_int_equal(list->items.count, 9);
}

/* Divisions before or after the contraction that they meet: the known values hold at both places. */
static void divisions(void **state)
{
    (void)state;
    static const char *const places[] = { "eager", "deferred" }, *const points[] = { "real", "pow2" };
    const met_value *list = field(root, "block");
    for (size_t b = 0; b < list->items.count; b++) {
        const met_value *block = list->items.at[b];
        const met_circuit *circuit = circuit_of(session, text_field(block, "program"), text_field(block, "set"));
        for (int k = 0; k < 4; k++) {
            met_eval_options options = { .division = places[k % 2], .numerics = points[k / 2], .fill = "wave" };
            expect_block(block, run_with(circuit, &options, 0, NULL)->arrays[0].tensor, 1e-12);
        }
    }
}

/* Compiled, fused where it pays and wherever it can be: the known values, and the interpreter's bytes. */
static void kernels(void **state)
{
    (void)state;
    static const char *const planners[] = { "none", "fused", "whole" };
    const met_value *list = field(root, "block");
    for (size_t b = 0; b < list->items.count; b++) {
        const met_value *block = list->items.at[b];
        const met_circuit *circuit = circuit_of(session, text_field(block, "program"), text_field(block, "set"));
        met_eval_options options = { .dtype = "f32", .fill = "wave" };
        const met_subject *subject = met_subject_new(circuit, &options, 0, NULL);
        met_way interpreter = { .planner = "none", .hardware = "interpreter" };
        const met_outcome *reference = subject ? met_subject_run(subject, &interpreter) : NULL;
        for (int p = 0; p < 3; p++) {
            met_way way = { .planner = planners[p], .hardware = "cpu", .poison = true };
            const met_outcome *outcome = reference ? met_subject_run(subject, &way) : NULL;
            if (!outcome)
                fail_msg("%s, %s\n%s", text_field(block, "id"), planners[p], met_session_diagnostics_text(session));
            expect_block(block, outcome->result->arrays[0].tensor, 2e-6);
            assert_true(met_outcome_parity(subject, reference, outcome)->same);
        }
    }
}

/* Nested lists as a flat array with a shape. */
static void flatten(const met_value *value, size_t depth, size_t *rank, uint64_t *shape, double *values, size_t *count)
{
    if (value->kind != MET_VALUE_LIST) {
        *rank = depth;
        values[(*count)++] = value->number;
        return;
    }
    shape[depth] = value->items.count;
    for (size_t i = 0; i < value->items.count; i++)
        flatten(value->items.at[i], depth + 1, rank, shape, values, count);
}

static met_tensor *tensor_of(const met_value *value)
{
    size_t rank = 0, count = 0;
    uint64_t shape[MET_RANK_LIMIT];
    double values[256];
    flatten(value, 0, &rank, shape, values, &count);
    met_tensor *tensor = met_tensor_new(session, "f64", rank, shape);
    memcpy(tensor->values, values, count * sizeof *values);
    return tensor;
}

/* The sizes that the given arrays have, as settings for all free sizes that are an axis of an input. */
static const char *settings_of(const met_circuit *circuit, const met_named_tensor *ins)
{
    met_text text = met_text_new(session->arena);
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        uint64_t size = 0;
        for (uint32_t k = 0; k < circuit->input_count; k++) {
            const met_edge *edge = &circuit->edges[circuit->inputs[k].id];
            for (uint32_t p = 0; p < edge->rank; p++) {
                met_size symbol;
                if (met_dim_is_symbol(met_edge_dim(circuit, edge, p), &symbol) && symbol.id == s)
                    size = ins[k].tensor->shape[p];
            }
        }
        const char *name = met_sym_text(session, circuit->symbols[s].name);
        if (size)
            met_text_format(&text, "%s%s=%llu", text.length ? "," : "", name, (unsigned long long)size);
    }
    return met_text_done(&text);
}

static void runs(void **state)
{
    (void)state;
    const met_value *list = field(root, "run");
    for (size_t r = 0; r < list->items.count; r++) {
        const met_value *run = list->items.at[r];
        const met_value *inputs = field(run, "inputs"), *outputs = field(run, "outputs");
        const met_circuit *circuit = circuit_of(session, text_field(run, "program"), "");
        met_named_tensor ins[4];
        assert_int_equal(circuit->input_count, inputs->items.count);
        for (size_t k = 0; k < inputs->items.count; k++) {
            const met_edge *edge = &circuit->edges[circuit->inputs[k].id];
            ins[k] = (met_named_tensor){ met_sym_text(session, edge->name), tensor_of(inputs->items.at[k]) };
        }
        circuit = met_circuit_bind(circuit, settings_of(circuit, ins));
        if (!circuit)
            fail_msg("%s", met_session_diagnostics_text(session));
        const met_eval_result *result = run_with(circuit, NULL, inputs->items.count, ins);
        for (size_t k = 0; k < outputs->items.count; k++) {
            const met_tensor *want = tensor_of(outputs->items.at[k]);
            assert_int_equal(result->arrays[k].tensor->count, want->count);
            expect_close(text_field(run, "id"), want->count, result->arrays[k].tensor->values, want->values,
                         field(run, "tol")->number);
        }
    }
    assert_int_equal(list->items.count, 18);
}

/* Architectures at toy sizes: the values of the published models. Rounding in f64 stays far below 1e-12 (a few hundred
 * operations on values below 10), except where a state is kept in f32, which `tol` says. */
static void models(void **state)
{
    (void)state;
    uint32_t source = met_file_source(session, MET_TEST_DATA_DIR "/models.toml");
    const met_value *data = source ? met_toml_read(session, source) : NULL;
    assert_non_null(data);
    const met_value *list = field(data, "model");
    for (size_t b = 0; b < list->items.count; b++) {
        const met_value *model = list->items.at[b], *tol = met_value_get(model, "tol");
        const met_circuit *circuit = model_of(session, text_field(model, "arch"), text_field(model, "config"), NULL, "n=9");
        expect_block(model, run_filled(circuit, "f64", "real", "wave"), tol ? tol->number : 1e-12);
    }
    assert_int_equal(list->items.count, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(divisions),
        cmocka_unit_test(kernels),
        cmocka_unit_test(runs),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
