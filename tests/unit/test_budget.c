/* The formulas of budgets and their composition, against known values (tests/data/budgets.toml, budgets_more.toml). */
#include "cases.h"
#include "circuits.h"

#include <math.h>
#include <stdio.h>

#include "budget/circuit.h"
#include "budget/term.h"
#include "number/fold.h"
#include "number/mix.h"
#include "number/bracketing.h"

#define BUDGETS MET_TEST_DATA_DIR "/budgets.toml"
#define MORE MET_TEST_DATA_DIR "/budgets_more.toml"

/* The file states how far from its decimals a right value may be. Bounds are rounded up, by far less than that. */
static void expect_near(const test_case *test, double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("%s: got %.17g, want %.17g", test->id, got, want);
}

static met_dtype dtype_field(const met_value *table)
{
    met_format format;
    assert_true(met_format_parse(string_field(table, "format"), &format));
    return (met_dtype)format.dtype;
}

static uint64_t count_field(const met_value *table, const char *key)
{
    return (uint64_t)field(table, key)->integer;
}

static met_tree tree_field(const met_value *in, met_dtype precision)
{
    met_str name = string_field(in, "tree");
    uint64_t w = count_field(in, "w");
    met_tree tree = met_tree_sequential(precision);
    if (met_str_is(name, "pairwise"))
        tree = met_tree_pairwise(precision);
    else if (met_str_is(name, "lanes"))
        tree = met_tree_lanes(precision, w);
    else if (met_str_is(name, "nodes")) {
        tree.node = MET_NODE_MATRIX;
        tree.unit = (met_matrix_unit){ .width = (uint8_t)w, .fraction = 24, .final = MET_RZ };
    } else
        assert_true(met_str_is(name, "sequential"));
    if (tree.node == MET_NODE_ADD && met_tree_innermost(&tree) == MET_ORDER_SEQUENTIAL)
        tree.start = MET_START_FIRST;
    return tree;
}

static void gamma_case(const test_case *test)
{
    double u = met_dtype_limits(dtype_field(test->in)).unit_roundoff;
    expect_near(test, met_budget_gamma(number_field(test->in, "m") * u), number_field(test->out, "gamma"));
}

static void height_case(const test_case *test)
{
    met_tree tree = tree_field(test->in, MET_F32);
    assert_int_equal(met_fold_error_of(&tree, count_field(test->in, "n"), false).height, count_field(test->out, "height"));
}

/* The arithmetic of records is f32 or f64; a fold in f16 keeps every partial result in it, which met_fold_error_of counts
 * as two roundings. So here the height and γ alone, as the case has it. */
static void sum_bound_case(const test_case *test)
{
    met_dtype dtype = dtype_field(test->in);
    met_tree tree = tree_field(test->in, MET_F32);
    double theta = (double)met_fold_error_of(&tree, count_field(test->in, "n"), false).height * met_dtype_limits(dtype).unit_roundoff;
    double sum = number_field(test->in, "sum_abs"), bound = met_budget_gamma(theta) * sum;
    expect_near(test, bound, number_field(test->out, "bound"));
    if (dtype == MET_F32) {
        met_fold_error e = met_fold_error_of(&tree, count_field(test->in, "n"), false);
        assert_true(e.known && !e.one_sided && e.absolute == 0);
        expect_near(test, e.relative * sum, number_field(test->out, "bound"));
    }
}

/* A written tree and its leaves: the bound from the record holds for what the record computes. */
static void sum_error_case(const test_case *test)
{
    met_arena *arena = met_arena_new();
    const met_value *leaves = field(test->in, "leaves");
    size_t n = leaves->items.count;
    float *values = MET_NEW_ARRAY(arena, float, n);
    long double exact = 0; /* 64 bits hold the sum of 64 f32 of these sizes exactly */
    double sum_abs = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = (float)f32_of(leaves->items.at[i]);
        exact += (long double)values[i];
        sum_abs += fabs((double)values[i]);
    }
    met_tree tree = met_tree_sequential(MET_F32);
    tree.written = met_bracketing_parse(arena, string_field(test->in, "tree"));
    assert_non_null(tree.written);
    met_bracketing_rules rules = { MET_RNE, MET_F32, 0, MET_RNE };
    float computed = met_bracketing_run(arena, tree.written, &rules, values);
    expect_bits(test, met_bits_f32(computed), bits_field(test->out, "computed"));
    double error = (double)fabsl((long double)computed - exact);
    expect_near(test, error, number_field(test->out, "error"));
    met_fold_error e = met_fold_error_of(&tree, n, false);
    assert_int_equal(e.height, count_field(test->out, "height"));
    expect_near(test, e.relative * sum_abs, number_field(test->out, "bound"));
    assert_int_equal(error <= e.relative * sum_abs, field(test->out, "holds")->boolean);
    met_arena_free(arena);
}

static void node_bound_case(const test_case *test)
{
    met_rounding final = met_str_is(string_field(test->in, "final"), "rz") ? MET_RZ : MET_RNE;
    met_node_error e = met_node_error_of(count_field(test->in, "addends"), (int)number_field(test->in, "e_max"),
                                         (int)number_field(test->in, "F"), final, (int)number_field(test->in, "e_out"),
                                         (int)number_field(test->in, "significand_bits"));
    expect_near(test, e.align, number_field(test->out, "align"));
    expect_near(test, e.round, number_field(test->out, "round"));
    expect_near(test, e.bound, number_field(test->out, "bound"));
}

static void probable_case(const test_case *test)
{
    double lambda = number_field(test->in, "lambda"), u = met_dtype_limits(dtype_field(test->in)).unit_roundoff;
    met_fold_error e = { .known = true, .squares = (double)count_field(test->in, "height") * u * u };
    expect_near(test, met_fold_probable_error(&e, lambda, number_field(test->in, "sum_abs")), number_field(test->out, "bound"));
    expect_near(test, met_probable_failure(lambda), number_field(test->out, "failure"));
}

static void pair_case(const test_case *test)
{
    met_budget_node sides[3] = { { .name = "a", .eps = number_field(test->in, "e1") },
                                 { .name = "b", .eps = number_field(test->in, "e2") } };
    met_budget_in ins[2] = { { 0, 1, MET_BUDGET_BOUND, 0 }, { 1, 1, MET_BUDGET_BOUND, 0 } };
    sides[2] = (met_budget_node){ .name = "difference", .in_count = 2, .ins = ins };
    met_arena *arena = met_arena_new();
    expect_near(test, met_budget_walk(arena, 3, sides)[2].d, number_field(test->out, "difference"));
    met_arena_free(arena);
}

static void series_case(const test_case *test)
{
    met_arena *arena = met_arena_new();
    const met_value *stages = field(test->in, "stages"), *after = field(test->out, "after");
    size_t n = stages->items.count;
    met_budget_node *nodes = MET_NEW_ARRAY(arena, met_budget_node, n + 1);
    met_budget_in *ins = MET_NEW_ARRAY(arena, met_budget_in, n);
    nodes[0] = (met_budget_node){ .name = "start", .eps = number_field(test->in, "start") };
    for (size_t i = 0; i < n; i++) {
        ins[i] = (met_budget_in){ i, number_field(stages->items.at[i], "L"), MET_BUDGET_BOUND, 0 };
        nodes[i + 1] = (met_budget_node){ .name = "stage", .in_count = 1, .ins = &ins[i],
                                          .eps = number_field(stages->items.at[i], "eps") };
    }
    const met_budget_distance *d = met_budget_walk(arena, n + 1, nodes);
    assert_int_equal(after->items.count, n);
    for (size_t i = 0; i < n; i++)
        expect_near(test, d[i + 1].d, after->items.at[i]->number);
    met_arena_free(arena);
}

static size_t node_called(const met_value *nodes, size_t count, met_str id)
{
    for (size_t i = 0; i < count; i++)
        if (met_str_equal(string_field(nodes->items.at[i], "id"), id))
            return i;
    fail_msg("no node of that id");
    return 0;
}

static void graph_case(const test_case *test)
{
    met_arena *arena = met_arena_new();
    const met_value *list = field(test->in, "nodes"), *want = field(test->out, "d");
    size_t n = list->items.count;
    met_budget_node *nodes = MET_NEW_ARRAY(arena, met_budget_node, n);
    for (size_t i = 0; i < n; i++) {
        const met_value *item = list->items.at[i], *inputs = field(item, "inputs"), *eps = met_value_get(item, "eps");
        const met_value *kind = met_value_get(item, "kind");
        met_budget_in *ins = MET_NEW_ARRAY(arena, met_budget_in, inputs->items.count);
        for (size_t k = 0; k < inputs->items.count; k++)
            ins[k] = (met_budget_in){ node_called(list, i, string_field(inputs->items.at[k], "from")),
                                      number_field(inputs->items.at[k], "L"), MET_BUDGET_BOUND, 0 };
        nodes[i] = (met_budget_node){ .name = "", .tuple = kind && met_str_is(kind->string, "tuple"), .ins = ins,
                                      .in_count = inputs->items.count, .eps = eps ? eps->number : 0 };
    }
    const met_budget_distance *d = met_budget_walk(arena, n, nodes);
    for (size_t i = 0; i < n; i++) {
        char key[32] = { 0 };
        met_str id = string_field(list->items.at[i], "id");
        memcpy(key, id.at, id.length < 31 ? id.length : 31);
        expect_near(test, d[i].d, number_field(want, key));
    }
    met_arena_free(arena);
}

/* The L of a linear map in a budget is its largest row sum. */
static void operator_case(const test_case *test)
{
    const met_value *rows = field(test->in, "W");
    uint64_t shape[2] = { rows->items.count, rows->items.at[0]->items.count };
    met_session *session = met_session_new();
    met_tensor *w = met_tensor_new(session, "f64", 2, shape);
    for (size_t r = 0, n = 0; r < shape[0]; r++)
        for (size_t c = 0; c < shape[1]; c++)
            w->values[n++] = rows->items.at[r]->items.at[c]->number;
    met_named_tensor in = { "w", w };
    met_eval_options options = { .dtype = "f64", .fill = "normal" };
    met_point point;
    assert_true(met_eval_point(session, &options, &point));
    char text[96];
    snprintf(text, sizeof text, "x: m=%d\ny = 'm, k=%d m -> k'(x, @w)\n-> y", (int)shape[1], (int)shape[0]);
    const met_circuit *circuit = circuit_of(session, text, "");
    met_budget_request request = { .options = &options, .in_count = 1, .ins = &in };
    const met_budget *budget = met_budget_of(met_settled_new(circuit, &point), &request);
    assert_true(budget && budget->result_count == 1 && budget->groups[0].read_count == 1);
    expect_near(test, budget->results[0].L[0], number_field(test->out, "L"));
    met_session_free(session);
}

static void scale_case(const test_case *test)
{
    const met_value *list = field(test->in, "values");
    double values[64];
    assert_true(list->items.count <= 64);
    for (size_t i = 0; i < list->items.count; i++)
        values[i] = list->items.at[i]->number;
    double rms = met_root_mean_square(list->items.count, values);
    expect_near(test, rms, number_field(test->out, "rms"));
    expect_near(test, rms * number_field(test->in, "relative"), number_field(test->out, "absolute"));
}

static void store_case(const test_case *test)
{
    met_dtype dtype = dtype_field(test->in);
    double x = number_field(test->in, "x_max"), scale = 1, error = met_store_error(dtype, x);
    if (field(test->in, "block")->boolean)
        error = met_scaled_store_error(dtype, MET_UE8M0, x, &scale);
    expect_near(test, scale, number_field(test->out, "scale"));
    expect_near(test, error, number_field(test->out, "error"));
}

static void test_known_values(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int count;
        int more;
        case_fn fn;
    } kinds[] = {
        { "gamma", 5, 12, gamma_case },        { "height", 5, 30, height_case },
        { "sum_bound", 3, 14, sum_bound_case }, { "sum_error", 3, 8, sum_error_case },
        { "node_bound", 2, 12, node_bound_case }, { "probable", 2, 8, probable_case },
        { "pair", 1, 3, pair_case },           { "series", 3, 10, series_case },
        { "graph", 3, 14, graph_case },        { "operator", 2, 5, operator_case },
        { "scale", 2, 5, scale_case },         { "store", 3, 40, store_case },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        each_case(BUDGETS, kinds[i].kind, kinds[i].count, kinds[i].fn);
        each_case(MORE, kinds[i].kind, kinds[i].more, kinds[i].fn);
    }
}

/* The three stages of the toy, with the L of its middle one and how many implementations there are. */
static double toy(double middle, int sides)
{
    static const double eps[] = { 0.004, 0, 0.004, 0.004 };
    double L[] = { 0, 1, middle, 1 };
    met_budget_node nodes[4];
    met_budget_in ins[4];
    for (size_t i = 0; i < 4; i++) {
        ins[i] = (met_budget_in){ i - 1, L[i], MET_BUDGET_BOUND, 0 };
        nodes[i] = (met_budget_node){ .name = "stage", .in_count = i > 0, .ins = &ins[i], .eps = sides * eps[i] };
    }
    met_arena *arena = met_arena_new();
    double d = met_budget_walk(arena, 4, nodes)[3].d;
    met_arena_free(arena);
    return d;
}

/* What has no bound has none behind an amplification of 0 either; what is off by nothing stays so behind one without limit. */
static void unbounded_stays(void **state)
{
    (void)state;
    met_budget_in flat = { 0, 0, MET_BUDGET_BOUND, 0 }, steep = { 0, INFINITY, MET_BUDGET_BOUND, 0 };
    met_budget_node nodes[] = { { .name = "a", .eps = INFINITY }, { .name = "b", .in_count = 1, .ins = &flat, .eps = 1 } };
    met_arena *arena = met_arena_new();
    assert_true(isinf(met_budget_walk(arena, 2, nodes)[1].d));
    nodes[0].eps = 1;
    assert_true(met_budget_walk(arena, 2, nodes)[1].d == 1);
    nodes[0].eps = 0;
    nodes[1].ins = &steep;
    assert_true(met_budget_walk(arena, 2, nodes)[1].d == 1);
    met_arena_free(arena);
}

/* What the toy comes to: 0.010 of one implementation whose middle stage halves, 0.024 between two where nothing does: that
 * composition must be fed the sum of both sides' errors is the second number's point. */
static void test_toy(void **state)
{
    (void)state;
    assert_true(fabs(toy(0.5, 1) - 0.010) < 1e-15);
    assert_true(fabs(toy(1, 1) - 0.012) < 1e-15);
    assert_true(fabs(toy(0.5, 2) - 0.020) < 1e-15);
    assert_true(fabs(toy(1, 2) - 0.024) < 1e-15);
    assert_true(fabs(toy(4, 1) - 0.024) < 1e-15); /* and of one whose middle stage amplifies by four */
}

/* A sum of nothing has no error; what nobody declared has no bound; truncation is said to be one-sided. */
static void test_edges(void **state)
{
    (void)state;
    met_tree tree = met_tree_sequential(MET_F32);
    assert_true(met_fold_error_of(&tree, 0, true).relative == 0);
    assert_true(met_fold_error_of(&tree, 1, false).relative == 0);
    assert_true(met_fold_error_of(&tree, 1, true).relative >= 0x1p-24); /* its product rounds */
    tree.mode = MET_RZ;
    met_fold_error e = met_fold_error_of(&tree, 3, false);
    assert_true(e.one_sided && e.relative >= 4 * 0x1p-24);
    tree.undeclared = 1;
    e = met_fold_error_of(&tree, 3, false); /* then it is the worst of all, and said to be assumed */
    assert_true(!e.known && e.one_sided && e.relative >= 6 * 0x1p-24);
    assert_true(e.flushed_factors && e.absolute >= 6 * 0x1p-126); /* it may flush */
    e = met_fold_error_of(&(met_tree){ .precision = MET_F64, .store = MET_F64, .start = MET_START_FIRST }, 3, false);
    assert_true(e.known && e.relative >= 2 * 0x1p-53 && e.relative < 2.001 * 0x1p-53);
    assert_true(isinf(met_store_error(MET_E4M3, 449)));
    assert_true(isinf(met_budget_gamma(1)));
}

/* Dot products of records that meet in f64, against sums in long double, whose own error of 2^-63 a term is added. */
static void test_meeting_in_f64(void **state)
{
    (void)state;
    enum { N = 600 };
    static const char *const records[] = {
        "strided 32 sequential then sequential", "sequential, mul_add", "pairwise", "lanes4, tail apart 32, mul_add", "lanes4, tail after 256",
        "contiguous 20 reverse then strided 3 sequential then pairwise, first",
    };
    met_arena *arena = met_arena_new();
    uint64_t random = 9;
    for (size_t r = 0; r < sizeof records / sizeof *records; r++) {
        met_tree plain, tree;
        assert_true(met_tree_parse(met_str_of(records[r]), MET_F32, &plain));
        tree = plain;
        tree.combine_f64 = true;
        met_fold_error narrow = met_fold_error_of(&plain, N, true), e = met_fold_error_of(&tree, N, true);
        assert_true(e.known && e.relative < narrow.relative + 0x1p-23);
        for (int round = 0; round < 40; round++) {
            double a[N], b[N];
            long double exact = 0, sum = 0;
            for (int i = 0; i < N; i++) {
                a[i] = (double)(float)ldexp((double)(int64_t)met_mix_next(&random), -63 - i % 7);
                b[i] = (double)(float)ldexp((double)(met_mix_next(&random) >> 1), -63);
                exact += (long double)a[i] * (long double)b[i];
                sum += fabsl((long double)a[i] * (long double)b[i]);
            }
            long double off = fabsl((long double)met_tree_dot(arena, &tree, N, a, b) - exact);
            assert_true(off <= sum * ((long double)e.relative + N * 0x1p-63L) + (long double)e.absolute);
        }
    }
    /* the product and 18 additions in a lane, 31 additions in f64, the result */
    met_tree lanes;
    assert_true(met_tree_parse(met_str_of("strided 32 sequential then sequential, combine f64"), MET_F32, &lanes));
    met_fold_error e = met_fold_error_of(&lanes, 600, true);
    assert_true(e.theta >= 20 * 0x1p-24 && e.theta < 20 * 0x1p-24 + 32 * 0x1p-53);
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meeting_in_f64),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(unbounded_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
