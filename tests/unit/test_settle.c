/* Numerics points: the trees that they give the nodes of a settled circuit, and running settled circuits. */
#include "circuits.h"

#include "eval/settled.h"
#include "number/dot_pair.h"
#include "number/encode.h"

#include "on_session.h"

static const met_circuit *settle(const char *program, const char *set, const met_point *point)
{
    const met_circuit *settled = met_circuit_settle(circuit_of(session, program, set), point);
    if (!settled)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return settled;
}

/* The texts of the trees of the nodes that fold, separated by " | ". */
static const char *tree_texts(const met_point *point, const met_circuit *settled)
{
    met_text text = met_text_new(session->arena);
    for (uint32_t n = 0; n < settled->node_count; n++) {
        const met_node *node = &settled->nodes[n];
        bool reduces = false;
        for (uint32_t i = 0; i < node->index_count; i++)
            reduces = reduces || node->indices[i].reduced;
        if (!reduces)
            continue;
        met_tree tree = met_point_tree(point, settled, node);
        met_text_put(&text, text.length ? " | " : "");
        met_tree_print(&text, &tree, point->dtype == MET_F64 ? MET_F64 : MET_F32);
    }
    return met_text_done(&text);
}

static void default_trees(void **state)
{
    (void)state;
    const char *attention = "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'";
    met_point wide = met_point_of(MET_F64), narrow = met_point_of(MET_BF16);
    assert_string_equal(tree_texts(&wide, settle(attention, "", &wide)), "sequential | sequential | sequential | sequential");
    const met_circuit *settled = settle(attention, "", &narrow);
    assert_string_equal(tree_texts(&narrow, settled), "sequential | lanes16 | lanes16 | sequential");
    narrow.dot = MET_DOT_PAIRS;
    assert_string_equal(tree_texts(&narrow, settled), "sequential, pairs | lanes16 | lanes16 | sequential, pairs");
    /* an einsum of one array is no contraction; neither is one over another semiring of pairs */
    settled = settle("x: a b, y: a b\nu = 'a b -> a'(x)\nv = 'a b, a b -> a'(x, y, semiring=max_plus)\n-> u, v", "", &narrow);
    assert_string_equal(tree_texts(&narrow, settled), "lanes16 | sequential");
}

static void pairs(void **state)
{
    (void)state;
    enum { K = 9 };
    double a[2 * K], b[2 * K];
    assert_true(met_fill("normal", 1, 0, 0, 2 * K, a) && met_fill("normal", 1, 1, 0, 2 * K, b));
    a[4] = 0x1p-130, a[5] = 0x1p-70, b[5] = 0x1p-70; /* a subnormal operand and a subnormal product */
    const met_circuit *circuit = circuit_of(session, "x: n k, y: n k\n'n k, n k -> n'(x, y)", "n=2,k=9");
    met_eval_options options = { .dtype = "bf16", .dot = "pairs" };
    const met_tensor *got = run_flat(circuit, &options, 2, (const double *[]){ a, b })->arrays[0].tensor;
    for (int n = 0; n < 2; n++) {
        float sum = 0;
        for (int k = 0; k < K; k += 2) {
            float x[2] = { 0 }, y[2] = { 0 };
            for (int e = 0; e < 2 && k + e < K; e++) {
                x[e] = (float)met_round(MET_BF16, a[n * K + k + e]);
                y[e] = (float)met_round(MET_BF16, b[n * K + k + e]);
            }
            sum = met_dot_pair(sum, x, y);
        }
        assert_true(got->values[n] == met_round(MET_BF16, (double)sum));
    }
    options.dtype = "f32"; /* nothing is bf16 */
    met_eval_options plain = { .dtype = "f32" };
    expect_same_bytes("f32", run_flat(circuit, &options, 2, (const double *[]){ a, b })->arrays[0].tensor,
                      run_flat(circuit, &plain, 2, (const double *[]){ a, b })->arrays[0].tensor);
}

static void given_trees_and_all_edges(void **state)
{
    (void)state;
    met_point point = met_point_of(MET_F32);
    const met_circuit *settled = settle("x: n\ny = sum[n](x)\nexp(y)", "n=4", &point);
    static const double x[] = { 0x1p24, 1, 1, 1 };
    met_tensor *given = met_tensor_new(session, "f64", 1, (const uint64_t[]){ 4 });
    memcpy(given->values, x, sizeof x);
    const met_named_tensor in = { "x", given };
    const met_eval_options none = { 0 };
    const met_tensor *const *edges;
    met_tree trees[8] = { 0 };
    assert_true(settled->node_count <= 8);
    for (uint32_t n = 0; n < settled->node_count; n++)
        trees[n] = met_tree_sequential(MET_F32);
    assert_non_null(met_eval_settled(settled, &point, NULL, &none, 1, &in, &edges));
    assert_true(edges[settled->nodes[0].outs[0].id]->values[0] == 0x1p24 + 2);
    assert_non_null(met_eval_settled(settled, &point, trees, &none, 1, &in, &edges));
    assert_true(edges[settled->nodes[0].outs[0].id]->values[0] == 0x1p24);
}

/* Whatever NaN a computation meets, the one that is stored is positive, quiet and without payload. */
static void canonical_nan(void **state)
{
    (void)state;
    const double x[2] = { met_value_f64(UINT64_C(0xfff8000000001234)), 1 };
    static const char *const dtypes[] = { "f64", "f32", "bf16", "f16" };
    for (int d = 0; d < 4; d++) {
        met_eval_options options = { .dtype = dtypes[d] };
        const met_circuit *circuit = circuit_of(session, "x: n\ny = neg(x)\ns = sum[n](x)\nd = 'n, n -> '(x, x)\n-> y, s, d", "n=2");
        const met_eval_result *r = run_flat(circuit, &options, 1, (const double *[]){ x });
        for (size_t k = 0; k < r->output_count; k++)
            assert_true(met_bits_f64(r->arrays[k].tensor->values[0]) == UINT64_C(0x7ff8000000000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(default_trees, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(given_trees_and_all_edges, setup, teardown),
        cmocka_unit_test_setup_teardown(canonical_nan, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
