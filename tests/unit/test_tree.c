/* Trees: known sums, shapes, the texts of records, and folds with terms left out. */
#include "cases.h"

#include <math.h>

#include "budget/term.h"
#include "number/bracketing.h"
#include "number/dot_pair.h"
#include "number/fold.h"

#include "on_arena.h"

#define TREES MET_TEST_DATA_DIR "/trees.toml"
#define MORE MET_TEST_DATA_DIR "/trees_more.toml"

static met_tree record_of(met_str text, met_dtype precision)
{
    met_tree tree;
    if (!met_tree_parse(text, precision, &tree)) {
        fail_msg("no record: %.*s", MET_STR_ARGS(text));
    }
    return tree;
}

static double *leaves_of(const met_value *list)
{
    double *leaves = MET_NEW_ARRAY(arena, double, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        leaves[i] = f32_of(list->items.at[i]);
    }
    return leaves;
}

static met_rounding mode_of(const met_value *word)
{
    static const char *const words[] = {"rne", "rz", "rd", "ru"};
    for (int i = 0; word && i < 4; i++) {
        if (met_str_is(word->string, words[i])) {
            return (met_rounding)i;
        }
    }
    return MET_RNE;
}

static void run_case(const test_case *test)
{
    const met_bracketing *tree = met_bracketing_parse(arena, string_field(test->in, "tree"));
    assert_non_null(tree);
    met_bracketing_rules rules = {.mode = mode_of(field(test->in, "mode")), .store = MET_F32};
    const met_value *store = met_value_get(test->in, "store"), *fraction = met_value_get(test->in, "F");
    met_format format;
    if (store) {
        assert_true(met_format_parse(store->string, &format));
        rules.store = (met_dtype)format.dtype;
    }
    rules.fraction = fraction ? (int)fraction->integer : 0;
    rules.final = mode_of(met_value_get(test->in, "final"));
    const met_value *list = field(test->in, "leaves");
    float *leaves = MET_NEW_ARRAY(arena, float, list->items.count);
    assert_int_equal(tree->leaf_count, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        leaves[i] = (float)f32_of(list->items.at[i]);
    }
    expect_bits(test, met_bits_f32(met_bracketing_run(arena, tree, &rules, leaves)), bits_field(test->out, "result"));
}

static uint64_t dot_bits(met_str record, const met_value *in)
{
    met_tree tree = record_of(record, MET_F32);
    const met_value *a = field(in, "a");
    return met_bits_f32((float)met_tree_dot(arena, &tree, a->items.count, leaves_of(a), leaves_of(field(in, "b"))));
}

static void dot_case(const test_case *test)
{
    expect_bits(test, dot_bits(string_field(test->in, "record"), test->in), bits_field(test->out, "result"));
}

static void bits_case(const test_case *test)
{
    uint64_t a = dot_bits(string_field(test->in, "record_a"), test->in);
    uint64_t b = dot_bits(string_field(test->in, "record_b"), test->in);
    expect_bits(test, a, bits_field(test->out, "result_a"));
    expect_bits(test, b, bits_field(test->out, "result_b"));
    expect_bits(test, a == b, field(test->out, "equal")->boolean);
}

static void expect_row(const test_case *test, const met_bracketing *tree)
{
    const met_value *row = field(test->out, "row");
    assert_int_equal(row->items.count, tree->leaf_count - 1);
    for (uint32_t j = 1; j < tree->leaf_count; j++) {
        expect_bits(test, met_bracketing_meeting(arena, tree, 0, j), (uint64_t)row->items.at[j - 1]->integer);
    }
}

static void shape_case(const test_case *test)
{
    uint64_t n = (uint64_t)field(test->in, "n")->integer;
    const met_value *chain = met_value_get(test->in, "chain"), *want = met_value_get(test->out, "tree");
    met_tree record = chain ? met_tree_sequential(MET_F32) : record_of(string_field(test->in, "record"), MET_F32);
    const met_bracketing *tree = chain ? met_bracketing_chain(arena, (uint32_t)chain->integer, n)
                                       : met_bracketing_of(arena, &record, n);
    met_text text = met_text_new(arena);
    met_bracketing_print(&text, tree);
    if (want && !met_bracketing_same(arena, tree, met_bracketing_parse(arena, want->string))) {
        fail_msg("%s: got %s", test->id, met_text_done(&text));
    }
    expect_row(test, tree);
}

static void node_case(const test_case *test)
{
    met_text text = met_text_new(arena);
    met_text_put(&text, "sequential, ");
    met_text_str(&text, string_field(test->in, "unit"));
    met_tree record = record_of(met_str_of(met_text_done(&text)), MET_F32);
    const met_value *a = field(test->in, "a");
    float result = met_matrix_dot(&record.unit, a->items.count, leaves_of(a), leaves_of(field(test->in, "b")),
                                  (float)f32_of(field(test->in, "c")));
    expect_bits(test, met_bits_f32(result), bits_field(test->out, "result"));
}

static met_tree_order order_of(met_str word)
{
    return met_str_is(word, "sequential") ? MET_ORDER_SEQUENTIAL
           : met_str_is(word, "pairwise") ? MET_ORDER_PAIRWISE
                                          : MET_ORDER_BUTTERFLY;
}

static void depth_case(const test_case *test)
{
    uint64_t n = (uint64_t)field(test->in, "n")->integer, depth = 0;
    const met_value *levels = field(test->in, "levels");
    for (size_t i = 0; i < levels->items.count; i++) {
        const char *width = string_field(levels->items.at[i], "width").at; /* "32" or "n/32" */
        uint64_t count = width[0] == 'n' ? (n - 1) / strtoull(width + 2, NULL, 10) + 1 : strtoull(width, NULL, 10);
        depth += met_order_depth(order_of(string_field(levels->items.at[i], "order")), count);
    }
    expect_bits(test, depth, (uint64_t)field(test->out, "depth")->integer);
    assert_true(fabs(met_budget_gamma((double)depth * 0x1p-24) / number_field(test->out, "gamma") - 1) < 1e-12);
}

static void countable_case(const test_case *test)
{
    met_format format;
    assert_true(met_format_parse(string_field(test->in, "format"), &format));
    expect_bits(test, met_countable((met_dtype)format.dtype), (uint64_t)field(test->out, "n")->integer);
}

static void known_values(void **state)
{
    (void)state;
    each_case(TREES, "run", 13, run_case);
    each_case(TREES, "dot", 13, dot_case);
    each_case(TREES, "bits", 4, bits_case);
    each_case(TREES, "shape", 13, shape_case);
    each_case(TREES, "node", 7, node_case);
    each_case(TREES, "depth", 5, depth_case);
    each_case(TREES, "countable", 3, countable_case);
    each_case(MORE, "run", 34, run_case);
    each_case(MORE, "dot", 26, dot_case);
    each_case(MORE, "bits", 9, bits_case);
    each_case(MORE, "shape", 46, shape_case);
    each_case(MORE, "node", 30, node_case);
    each_case(MORE, "depth", 10, depth_case);
    each_case(MORE, "countable", 1, countable_case);
}

static void texts_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sequential",
        "pairwise",
        "adjacent, f64",
        "lanes16",
        "lanes8, mul_add, first, rz, store bf16",
        "strided 16 sequential lane then contiguous 4 pairwise split then butterfly, store f16",
        "contiguous 3 adjacent rank then sequential",
        "contiguous n/256 halves split then halves_up",
        "eight_lane_blocks, flush",
        "reverse, flush inputs",
        "lanes16, flush results, rescale float 64",
        "sequential, pairs, rescale pow2",
        "strided 4 sequential split then sequential, matrix 16+c F25 rz",
        "sequential, matrix 32 F13 rz keep 13",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        met_text text = met_text_new(arena);
        met_tree tree = record_of(met_str_of(texts[i]), MET_F32);
        met_tree_print(&text, &tree, MET_F32);
        assert_string_equal(met_text_done(&text), texts[i]);
    }
    static const char *const refused[] = {
        "", "lanes", "lanes0", "lanes16x", "sequential pairwise", "strided 16 then pairwise", "sequential, fast",
        "strided 0 sequential then pairwise", "sequential, f16", "sequential, store e4m3", "sequential, f64, rz",
        "lanes16 then pairwise", "strided 4 sequential lane", "strided n/0 pairwise then pairwise",
        "pairwise, pairs", "sequential, mul_add, pairs", "sequential, matrix 8+c F24",
        "sequential, matrix 0 F24 rz", "sequential, matrix 65+c F24 rz", "sequential, matrix 8+c F24 rne keep 13",
        "pairwise, matrix 8+c F24 rz", "sequential, matrix 8+c F61 rz", "sequential, rescale",
        "sequential, rescale float", "sequential, rescale pow2 4", "sequential, flush all",
        "sequential, f64, flush", "sequential, rz, flush", "sequential, ,",
        "contiguous 99999999999999999999 pairwise then pairwise",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        met_tree tree;
        if (met_tree_parse(met_str_of(refused[i]), MET_F32, &tree)) {
            fail_msg("accepted `%s`", refused[i]);
        }
    }
}

static void bracketing_texts(void **state)
{
    (void)state;
    static const char *const refused[] = {"", "(0)", "(0 1", "0 1", "(0 0)", "(0 2)", "())", "(0 1) 2", "(0 x)", "(0 99999999)", ")"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (met_bracketing_parse(arena, met_str_of(refused[i]))) {
            fail_msg("accepted `%s`", refused[i]);
        }
    }
    const met_bracketing *tree = met_bracketing_parse(arena, met_str_of(" ( 3 (1 0 2)4 ) "));
    assert_non_null(tree);
    met_text text = met_text_new(arena);
    met_bracketing_print(&text, tree);
    assert_string_equal(met_text_done(&text), "(3 (1 0 2) 4)");
    char deep[2 * MET_BRACKETING_DEPTH + 1];
    memset(deep, '(', sizeof deep);
    assert_null(met_bracketing_parse(arena, (met_str){deep, sizeof deep}));
}

static uint64_t random_state;

static double random_leaf(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(float)ldexp((double)(int64_t)random_state, -60 - (int)(random_state % 20));
}

/* A record's fold is the run of the bracketing that it gives, and the order of its two children is no part of it. */
static void folds_are_their_bracketings(void **state)
{
    (void)state;
    static const char *const records[] = {
        "sequential", "pairwise", "adjacent", "lanes16", "lanes5, first", "contiguous 4 sequential split then adjacent",
        "strided 8 sequential lane then contiguous 3 pairwise split then sequential",
        "strided 6 pairwise lane then strided 4 adjacent thread then butterfly",
        "contiguous 7 adjacent lane then contiguous 3 sequential lane then contiguous 2 pairwise lane then sequential",
        "reverse", "halves", "halves_up", "eight_lane_blocks", "contiguous n/5 sequential split then halves",
        "strided n/3 eight_lane_blocks lane then reverse",
    };
    random_state = 4711;
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
        met_tree record = record_of(met_str_of(records[r]), MET_F32);
        for (uint64_t n = 1; n <= 140; n += n < 70 ? 1 : 5) {
            double leaves[140];
            float floats[140];
            for (uint64_t i = 0; i < n; i++) {
                leaves[i] = random_leaf();
                floats[i] = (float)leaves[i];
            }
            met_bracketing_rules rules = {.mode = MET_RNE, .store = MET_F32};
            const met_bracketing *tree = met_bracketing_of(arena, &record, n);
            assert_int_equal(tree->leaf_count, n);
            assert_int_equal(tree->node_count, 2 * n - 1);
            float want = met_bracketing_run(arena, tree, &rules, floats);
            assert_int_equal(met_bits_f32((float)met_tree_run(arena, &record, MET_MONOID_ADD, n, leaves)),
                             met_bits_f32(want));
        }
    }
}

static void levels_over_levels(void **state)
{
    (void)state;
    static const struct {
        const char *record;
        uint64_t n;
        const char *tree;
    } cases[] = {
        {"contiguous 4 sequential lane then contiguous 2 sequential lane then sequential", 8,
         "(((0 1) (2 3)) ((4 5) (6 7)))"},
        {"contiguous 4 sequential lane then strided 2 sequential lane then sequential", 8, "(((0 1) (4 5)) ((2 3) (6 7)))"},
        {"strided 4 sequential lane then contiguous 2 sequential lane then sequential", 8, "(((0 4) (1 5)) ((2 6) (3 7)))"},
        {"contiguous 2 pairwise lane then sequential", 9, "((((0 4) 2) (1 3)) ((5 7) (6 8)))"},
        {"strided 3 sequential lane then pairwise", 2, "(0 1)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        met_tree record = record_of(met_str_of(cases[i].record), MET_F32);
        met_text text = met_text_new(arena);
        met_bracketing_print(&text, met_bracketing_of(arena, &record, cases[i].n));
        assert_string_equal(met_text_done(&text), cases[i].tree);
    }
}

/* Leaving terms out does not move the others: it is the tree without those leaves. */
static void absent_terms(void **state)
{
    (void)state;
    met_tree record = met_tree_lanes(MET_F32, 4);
    met_fold *fold = met_fold_new(arena, &record, MET_MONOID_ADD, 10);
    float x[10];
    for (int round = 0; round < 2; round++) { /* a fold can be begun again */
        met_fold_begin(fold);
        for (uint64_t i = 0; i < 10; i++) {
            x[i] = (float)random_leaf();
            if (i != 1 && i != 5 && i != 9 && i != 4) {
                met_fold_push(fold, i, (double)x[i]);
            }
        }
        float lane0 = x[0] + x[8], lane2 = x[2] + x[6], lane3 = x[3] + x[7]; /* lane 1 is empty */
        float want = (lane0 + lane2) + lane3;
        assert_int_equal(met_bits_f32((float)met_fold_end(fold)), met_bits_f32(want));
    }
    met_fold_begin(fold);
    assert_true(met_fold_end(fold) == 0);
    fold = met_fold_new(arena, &record, MET_MONOID_MAX, 10);
    assert_true(met_fold_end(fold) == (double)-INFINITY);
    fold = met_fold_new(arena, &record, MET_MONOID_MUL, 0);
    assert_true(met_fold_end(fold) == 1);
}

static double fold_two(met_monoid monoid, double a, double b)
{
    met_tree record = met_tree_sequential(MET_F32);
    double leaves[2] = {a, b};
    return met_tree_run(arena, &record, monoid, 2, leaves);
}

static void monoids(void **state)
{
    (void)state;
    double nan = (double)NAN, inf = (double)INFINITY;
    assert_true(fold_two(MET_MONOID_MAX, 1, 2) == 2 && fold_two(MET_MONOID_MIN, 1, 2) == 1);
    assert_true(isnan(fold_two(MET_MONOID_MAX, nan, inf)) && isnan(fold_two(MET_MONOID_MIN, 1, nan)));
    assert_false(signbit(fold_two(MET_MONOID_MAX, -0.0, 0.0)) || signbit(fold_two(MET_MONOID_MAX, 0.0, -0.0)));
    assert_true(signbit(fold_two(MET_MONOID_MIN, -0.0, 0.0)) && signbit(fold_two(MET_MONOID_MIN, 0.0, -0.0)));
    assert_true(signbit(fold_two(MET_MONOID_MAX, -0.0, -0.0)));
    assert_true(fold_two(MET_MONOID_OR, 0, 3) == 1 && fold_two(MET_MONOID_OR, 0, -0.0) == 0);
    assert_true(fold_two(MET_MONOID_MUL, 3, 1.0 / 3) == (double)(3.0f * (float)(1.0 / 3)));
}

static void starts_and_modes(void **state)
{
    (void)state;
    double zeros[3] = {-0.0, -0.0, -0.0}, one[3] = {1, 1, 1};
    met_tree zero = record_of(met_str_of("sequential"), MET_F32);
    met_tree first = record_of(met_str_of("sequential, first"), MET_F32);
    assert_false(signbit(met_tree_run(arena, &zero, MET_MONOID_ADD, 3, zeros)));
    assert_true(signbit(met_tree_run(arena, &first, MET_MONOID_ADD, 3, zeros)));
    assert_true(signbit(met_tree_dot(arena, &first, 3, zeros, one)));
    met_tree down = record_of(met_str_of("sequential, first, rd"), MET_F32);
    assert_true(signbit(met_tree_step(&down, MET_MONOID_ADD, 1, -1)));
    assert_true(met_tree_step(&down, MET_MONOID_ADD, -1, -0x1p-25) == -1 - 0x1p-23);
    assert_true(met_tree_step(&first, MET_MONOID_ADD, -1, -0x1p-25) == -1);
    /* One rounding or two: (1 + 2^-12)² − (1 + 2^-11). */
    double a[2] = {-(1 + 0x1p-11), 1 + 0x1p-12}, b[2] = {1, 1 + 0x1p-12};
    met_tree two = record_of(met_str_of("sequential, mul_add"), MET_F32);
    assert_true(met_tree_dot(arena, &zero, 2, a, b) == 0x1p-24 && met_tree_dot(arena, &two, 2, a, b) == 0);
    met_tree toward_zero = record_of(met_str_of("sequential, rz"), MET_F32);
    assert_true(met_tree_dot(arena, &toward_zero, 2, a, b) == 0x1p-24);
    /* f64 arithmetic keeps what f32 loses; a bf16 store loses 2^-10. */
    double big[3] = {1, 0x1p-30, -1}, small[3] = {1, 0x1p-10, -1};
    met_tree wide = met_tree_sequential(MET_F64), narrow = record_of(met_str_of("sequential, store bf16"), MET_F32);
    assert_true(met_tree_dot(arena, &wide, 3, big, one) == 0x1p-30 && met_tree_dot(arena, &zero, 3, big, one) == 0);
    assert_true(met_tree_dot(arena, &narrow, 3, small, one) == 0 && met_tree_dot(arena, &zero, 3, small, one) == 0x1p-10);
}

static void depths(void **state)
{
    (void)state;
    met_tree lanes = met_tree_lanes(MET_F32, 16), sequential = met_tree_sequential(MET_F32);
    met_tree pairwise = met_tree_pairwise(MET_F32);
    assert_int_equal(met_tree_depth(&lanes, 4096), 260);
    assert_int_equal(met_tree_depth(&lanes, 4099), 261);
    assert_int_equal(met_tree_depth(&lanes, 5), 1 + 3);
    assert_int_equal(met_tree_depth(&sequential, 7), 7);
    assert_int_equal(met_tree_depth(&pairwise, 1000), 10);
    assert_int_equal(met_tree_depth(&pairwise, 0), 0);
    met_tree unit;
    assert_true(met_tree_parse(met_str_of("sequential, matrix 16+c F25 rz"), MET_F32, &unit));
    assert_int_equal(met_tree_depth(&unit, 40), 3);
    assert_int_equal(met_tree_depth(&unit, 4096), 256);
    assert_true(met_tree_parse(met_str_of("contiguous n/32 sequential thread then sequential, matrix 16 F25 rz"), MET_F32, &unit));
    assert_int_equal(met_tree_depth(&unit, 128), 2 + 1 + 4); /* two nodes and the late accumulator; then four of these */
}

/* Terms on the longest way from a leaf to the whole, by the tree itself. */
static uint64_t height_of(const met_bracketing *tree)
{
    uint64_t *height = MET_NEW_ARRAY(arena, uint64_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        for (uint32_t c = 0; c < tree->nodes[i].count; c++) {
            uint64_t below = 1 + height[tree->children[tree->nodes[i].first + c]];
            height[i] = below > height[i] ? below : height[i];
        }
    }
    return height[tree->node_count - 1];
}

/* What depths say bounds the tree, and is at most one more for each of its levels, whose first terms count as one. */
static void depths_bound_trees(void **state)
{
    (void)state;
    static const char *const records[] = {"sequential", "reverse", "halves", "halves_up", "eight_lane_blocks", "lanes16",
                                          "contiguous n/7 sequential split then eight_lane_blocks"};
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
        met_tree record = record_of(met_str_of(records[r]), MET_F32);
        for (uint64_t n = 1; n < 1200; n += 1 + n / 17) {
            uint64_t height = height_of(met_bracketing_of(arena, &record, n)), depth = met_tree_depth(&record, n);
            if (depth < height || depth > height + record.level_count + 1u) {
                fail_msg("%s of %llu: %llu for %llu", records[r], (unsigned long long)n, (unsigned long long)depth,
                         (unsigned long long)height);
            }
        }
    }
}

/* A fold with nodes of a matrix unit is the unit's dot product, part by part; one in pairs is the pairs' in order. */
static void group_nodes(void **state)
{
    (void)state;
    enum { N = 43 };
    double a[N], b[N];
    random_state = 99;
    for (int i = 0; i < N; i++) {
        a[i] = met_round(MET_BF16, random_leaf());
        b[i] = met_round(MET_BF16, random_leaf());
    }
    met_tree chain = record_of(met_str_of("sequential, matrix 8+c F24 rz"), MET_F32);
    assert_true(met_tree_dot(arena, &chain, N, a, b) == (double)met_matrix_dot(&chain.unit, N, a, b, 0));
    met_tree parts = record_of(met_str_of("contiguous 3 sequential split then sequential, matrix 8+c F24 rz"), MET_F32);
    float sum = met_matrix_dot(&chain.unit, 15, a, b, 0) + met_matrix_dot(&chain.unit, 15, a + 15, b + 15, 0);
    sum += met_matrix_dot(&chain.unit, N - 30, a + 30, b + 30, 0);
    assert_true(met_tree_dot(arena, &parts, N, a, b) == (double)sum);
    met_tree pairs = record_of(met_str_of("strided 2 sequential lane then sequential, pairs"), MET_F32);
    float lane[2] = {0, 0};
    for (int l = 0; l < 2; l++) {
        for (int i = l; i < N; i += 4) {
            float x[2] = {(float)a[i], i + 2 < N ? (float)a[i + 2] : 0}, y[2] = {(float)b[i], i + 2 < N ? (float)b[i + 2] : 0};
            lane[l] = met_dot_pair(lane[l], x, y);
        }
    }
    assert_true(met_tree_dot(arena, &pairs, N, a, b) == (double)(lane[0] + lane[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(texts_round_trip),
        cmocka_unit_test(bracketing_texts),
        cmocka_unit_test(folds_are_their_bracketings),
        cmocka_unit_test(levels_over_levels),
        cmocka_unit_test(absent_terms),
        cmocka_unit_test(monoids),
        cmocka_unit_test(starts_and_modes),
        cmocka_unit_test(depths),
        cmocka_unit_test(depths_bound_trees),
        cmocka_unit_test(group_nodes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
