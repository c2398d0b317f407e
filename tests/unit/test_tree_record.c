/* Records beyond levels: tails, written trees, widths to be bound, what is undeclared; and all of them as text. */
#include "cases.h"

#include "host/json.h"
#include "number/fold.h"
#include "number/tree_json.h"
#include "random_records.h"

#include "on_arena.h"

static random_source randoms = {20261130};

static met_tree record_of(const char *text)
{
    met_tree tree;
    met_tree_error error;
    if (!met_tree_read(arena, met_str_of(text), MET_F32, NULL, &tree, &error)) {
        fail_msg("no record: %s: `%.*s` should be %s", text, MET_STR_ARGS(error.at), error.why);
    }
    return tree;
}

static double term(void)
{
    return (double)(float)ldexp((double)(int64_t)random_next(&randoms), -62 - (int)random_below(&randoms, 12));
}

static uint64_t dot_bits(const char *record, uint64_t n, const double *a, const double *b)
{
    met_tree tree = record_of(record);
    return met_bits_f64(met_tree_dot(arena, &tree, n, a, b));
}

/* A tail by hand: what the body comes to, and then the rest. */
static void tails(void **state)
{
    (void)state;
    enum { N = 11 };
    double a[N], b[N];
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++) {
            a[i] = term();
            b[i] = term();
        }
        float lane[4], rest = 0, after;
        for (int l = 0; l < 4; l++) {
            lane[l] = fmaf((float)a[l + 4], (float)b[l + 4], (float)a[l] * (float)b[l]);
        }
        float body = (lane[0] + lane[2]) + (lane[1] + lane[3]);
        after = body;
        for (int i = 8; i < N; i++) {
            after = fmaf((float)a[i], (float)b[i], after);
            rest = fmaf((float)a[i], (float)b[i], rest);
        }
        assert_int_equal(dot_bits("lanes4, tail after 8", N, a, b), met_bits_f64((double)after));
        assert_int_equal(dot_bits("lanes4, tail apart 4", N, a, b), met_bits_f64((double)(body + rest)));
        assert_int_equal(dot_bits("pairwise, tail apart 1", N, a, b), dot_bits("pairwise", N, a, b));
        assert_int_equal(dot_bits("pairwise, tail after 12", N, a, b), dot_bits("sequential", N, a, b));
        assert_int_equal(dot_bits("pairwise, tail apart 12, first", N, a, b), dot_bits("sequential, first", N, a, b));
    }
}

/* Remainder loops as they are written in C: blocks of 8 onto 8 lanes, one of 4 onto the 4 that these come to, the rest one by one, with
 * products rounded. */
static float three_loops(int n, const double *a, const double *b)
{
    float lane[8] = {0}, sum;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int l = 0; l < 8; l++) {
            lane[l] = fmaf((float)a[i + l], (float)b[i + l], lane[l]);
        }
    }
    for (int l = 0; l < 4; l++) {
        lane[l] += lane[l + 4];
    }
    for (; i + 4 <= n; i += 4) {
        for (int l = 0; l < 4; l++) {
            lane[l] = fmaf((float)a[i + l], (float)b[i + l], lane[l]);
        }
    }
    sum = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    for (; i < n; i++) {
        sum += (float)a[i] * (float)b[i];
    }
    return sum;
}

/* Whole vectors of products are rounded, the others fused. */
static float two_contractions(int n, const double *a, const double *b)
{
    float sum = 0;
    int i = 0;
    for (; i < n - n % 8; i++) {
        sum += (float)a[i] * (float)b[i];
    }
    for (; i < n; i++) {
        sum = fmaf((float)a[i], (float)b[i], sum);
    }
    return sum;
}

static void tails_of_levels(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int round = 0; round < 10; round++) {
        double a[N], b[N];
        for (int i = 0; i < N; i++) {
            a[i] = term();
            b[i] = term();
        }
        for (int n = 1; n <= N; n++) {
            const char *loops = "strided 8 sequential lane then strided 4 sequential lane then pairwise, tail after 8 onto level 2, tail after 4 mul_add";
            assert_int_equal(dot_bits(loops, (uint64_t)n, a, b), met_bits_f64((double)three_loops(n, a, b)));
            assert_int_equal(dot_bits("sequential, tail after 8 fma, mul_add", (uint64_t)n, a, b),
                             met_bits_f64((double)two_contractions(n, a, b)));
        }
    }
}

static double pair_of_lanes(const double *a, const double *b)
{
    float lane[2] = {0, 0};
    for (int i = 0; i < 8; i++) {
        lane[i % 2] = fmaf((float)a[i], (float)b[i], lane[i % 2]);
    }
    return (double)lane[0] + (double)lane[1];
}

/* A combine in f64, by hand: one rounding for each partial result, one at the end. */
static void meeting_in_f64(void **state)
{
    (void)state;
    enum { N = 11 };
    uint64_t apart = 0;
    for (int round = 0; round < 50; round++) {
        double a[N], b[N], products = 0, after, rest = 0;
        float lane[4], stored[4];
        for (int i = 0; i < N; i++) {
            a[i] = term();
            b[i] = term();
            products += (double)((float)a[i] * (float)b[i]);
        }
        for (int l = 0; l < 4; l++) {
            lane[l] = fmaf((float)a[l + 4], (float)b[l + 4], (float)a[l] * (float)b[l]);
            stored[l] = (float)met_round(MET_BF16, (double)fmaf((float)a[l + 4], (float)b[l + 4], (float)met_round(MET_BF16, a[l] * b[l])));
        }
        double body = ((double)lane[0] + (double)lane[2]) + ((double)lane[1] + (double)lane[3]);
        after = body;
        for (int i = 8; i < N; i++) {
            after += (double)((float)a[i] * (float)b[i]);
            rest += (double)((float)a[i] * (float)b[i]);
        }
        assert_int_equal(dot_bits("lanes4, combine f64", 8, a, b), met_bits_f64((double)(float)body));
        assert_int_equal(dot_bits("lanes4, tail after 8, combine f64", N, a, b), met_bits_f64((double)(float)after));
        assert_int_equal(dot_bits("lanes4, store bf16, combine f64", 8, a, b),
                         met_bits_f64((double)(float)(((double)stored[0] + (double)stored[2]) + ((double)stored[1] + (double)stored[3]))));
        assert_int_equal(dot_bits("sequential, combine f64", N, a, b), met_bits_f64((double)(float)products));
        assert_int_equal(dot_bits("sequential, mul_add, combine f64", N, a, b), met_bits_f64((double)(float)products));
        assert_int_equal(dot_bits("sequential, mul_add, tail apart 12, combine f64", N, a, b), met_bits_f64((double)(float)products));
        assert_int_equal(dot_bits("lanes2, tail apart 8, combine f64", N, a, b),
                         met_bits_f64((double)(float)(pair_of_lanes(a, b) + rest)));
        apart += dot_bits("lanes4, combine f64", 8, a, b) != dot_bits("lanes4", 8, a, b);
    }
    assert_true(apart > 5);
}

/* Written trees against the levels that give them, where both are defined alike. */
static void written_trees(void **state)
{
    (void)state;
    static const struct {
        const char *levels, *written;
        uint64_t n;
    } cases[] = {
        {"sequential", "((((0 1) 2) 3) 4)", 5},
        {"sequential", "0", 1},
        {"sequential, mul_add, store bf16", "((((0! 1) 2) 3) 4), mul_add, store bf16", 5},
        {"pairwise, store f16", "((0 2) (1 3)), mul_add, first, store f16", 4},
        {"lanes4, store bf16", "(((0! 4) 2!) (1! 3!)), store bf16", 5},

        {"sequential, first, rz", "(4 (3 ((0 1) 2))), first, rz", 5},
        {"reverse, first", "(0 (1 (3 2))), mul_add, first", 4},
        {"pairwise, first", "((0 2) (1 3)), mul_add, first", 4},
        {"lanes2, flush", "(((0 2) 4) ((1 3) 5)), flush", 6},
        {"sequential, combine f64", "((((0 1) 2) 3) 4), combine f64", 5},
        {"pairwise, first, store bf16, combine f64", "((0 2) (1 3)), mul_add, first, combine f64", 4},
        {"sequential, mul_add, tail apart 2, combine f64", "((0 1) 2), mul_add, combine f64", 3},
        {"lanes4, combine f64", "((0! 2!) (1! 3!)), combine f64", 4},
        {"lanes4, store f16, combine f64", "((0! 2!) (1! 3!)), store f16, combine f64", 4},
        {"lanes2, tail after 4", "((((0 2) (1 3)) 4) 5)", 6},
        {"lanes2, tail apart 4", "(((0 2) (1 3)) (4 5))", 6},
        {"lanes2, tail apart 4 mul_add", "(((0 2) (1 3)) (4! 5!))", 6},
        {"lanes2, tail after 4 onto level 1", "(((0 2) 4) ((1 3) 5))", 6},
        {"lanes2, tail apart 4 onto level 1, tail after 1", "(((0 2) (4 6)) ((1 3) 5!))", 7},
        {"lanes4, tail after 8 onto level 1", "(((0 4) 2!) ((1 5) 3!))", 6},
        {"sequential, matrix 3+c F24 rz", "(((0 1 2) 3 4 5) 6), matrix 3+c F24 rz", 7},
        {"sequential, matrix 4+c F13 rz keep 13", "(0 1 2), matrix 8+c F13 rz keep 13", 3},
        {"sequential, matrix 3+c F24 rne f16", "(((0 1 2) 3 4 5) 6), matrix 3+c F24 rne f16", 7},
        {"lanes2, matrix 2+c F20 rne", "(((0 2) 4 6) ((1 3) 5 7)), matrix 2+c F20 rne", 8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (int round = 0; round < 40; round++) {
            double a[8], b[8];
            for (int i = 0; i < 8; i++) {
                a[i] = term();
                b[i] = term();
            }
            if (dot_bits(cases[k].levels, cases[k].n, a, b) != dot_bits(cases[k].written, cases[k].n, a, b)) {
                fail_msg("%s is not %s", cases[k].levels, cases[k].written);
            }
        }
    }
}

/* Leaving terms out of a chain is the chain of the others, whichever way it is said; a sum is the run of its tree. */
static void absent_terms(void **state)
{
    (void)state;
    enum { N = 9 };
    met_tree chain = record_of("sequential, first"), written = record_of("((((((((0 1) 2) 3) 4) 5) 6) 7) 8), first");
    for (unsigned mask = 0; mask < 1u << N; mask += 3) {
        met_fold *x = met_fold_new(arena, &chain, MET_MONOID_ADD, N), *y = met_fold_new(arena, &written, MET_MONOID_ADD, N);
        for (uint64_t i = 0; i < N; i++) {
            double a = term(), b = term();
            if (mask >> i & 1) {
                met_fold_push_product(x, i, a, b);
                met_fold_push_product(y, i, a, b);
            }
        }
        assert_int_equal(met_bits_f64(met_fold_end(x)), met_bits_f64(met_fold_end(y)));
    }
    for (uint32_t n = 1; n < 30; n++) {
        met_tree tree = record_of("sequential, first");
        float leaves[30];
        double terms[30];
        tree.written = random_bracketing(&randoms, arena, n, false);
        for (uint32_t i = 0; i < n; i++) {
            terms[i] = term();
            leaves[i] = (float)terms[i];
        }
        met_bracketing_rules rules = {.store = MET_F32};
        assert_int_equal(met_bits_f32(met_bracketing_run(arena, tree.written, &rules, leaves)),
                         met_bits_f32((float)met_tree_run(arena, &tree, MET_MONOID_ADD, n, terms)));
        assert_true(met_tree_run(arena, &tree, MET_MONOID_MAX, n, terms) >= terms[n - 1]);
    }
}

static bool size_value(void *context, met_size symbol, uint64_t *ret_value)
{
    *ret_value = *(const uint64_t *)context;
    return symbol.id == 3;
}

static void widths_are_bound(void **state)
{
    (void)state;
    met_tree tree = record_of("contiguous [ceil(s3/16) + 2*s3*s3] sequential split then pairwise"), other;
    met_unbound why;
    uint64_t n = 33;
    assert_false(met_tree_valid(&tree));
    assert_true(met_tree_bind(&tree, size_value, &n, NULL));
    assert_int_equal(tree.levels[0].width, 3 + 2 * 33 * 33);
    assert_true(met_tree_valid(&tree));
    other = record_of("strided [s4] sequential then pairwise");
    assert_false(met_tree_bind(&other, size_value, &n, &why));
    assert_int_equal(why.fault, MET_WIDTH_UNKNOWN);
    assert_int_equal(why.symbol.id, 4);
    n = 0;
    other = record_of("strided [s3] sequential then pairwise");
    assert_false(met_tree_bind(&other, size_value, &n, &why));
    assert_int_equal(why.fault, MET_WIDTH_ZERO);
    n = UINT64_MAX;
    other = record_of("strided [s3 + 1] sequential then pairwise");
    assert_false(met_tree_bind(&other, size_value, &n, &why));
    assert_int_equal(why.fault, MET_WIDTH_LARGE);
    other = record_of("strided [s3*s3] sequential then pairwise");
    assert_false(met_tree_bind(&other, size_value, &n, &why));
    assert_int_equal(why.fault, MET_WIDTH_LARGE);
    n = 0;
    other = record_of("strided [9000000000*s3*s3 + 7] sequential then pairwise");
    assert_true(met_tree_bind(&other, size_value, &n, &why)); /* nothing times something large is nothing */
    assert_int_equal(other.levels[0].width, 7);
}

static void expect_round_trip(const met_tree *tree)
{
    met_text text = met_text_new(arena);
    met_tree back;
    met_tree_error error;
    met_tree_print(&text, tree, MET_F32);
    if (!met_tree_read(arena, met_str_of(met_text_done(&text)), MET_F32, NULL, &back, &error)) {
        fail_msg("%s: `%.*s` should be %s", met_text_done(&text), MET_STR_ARGS(error.at), error.why);
    }
    if (!met_tree_equal(tree, &back)) {
        met_text again = met_text_new(arena);
        met_tree_print(&again, &back, MET_F32);
        fail_msg("%s reads as %s", met_text_done(&text), met_text_done(&again));
    }
}

static void expect_json_round_trip(const met_tree *tree)
{
    met_session *session = met_session_new();
    met_text text = met_text_new(arena);
    met_tree back;
    met_tree_print_json(&text, tree, NULL, 0);
    const char *json = met_text_done(&text);
    uint32_t source = met_session_add_source(session, "tree.json", json, strlen(json));
    met_value *value = met_json_read(session, source);
    if (!value || !met_tree_of_value(session, value, NULL, &back) || !met_tree_equal(tree, &back)) {
        fail_msg("%s\n%s", json, met_session_diagnostics_text(session));
    }
    met_session_free(session);
}

static void texts_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) {
        met_tree tree = random_record(&randoms, arena, 1 + (uint32_t)random_below(&randoms, 12), true);
        tree.undeclared = random_below(&randoms, 3) ? 0 : (uint32_t)random_next(&randoms) & ((1u << MET_TREE_FIELDS) - 2);
        assert_true(met_tree_valid(&tree));
        expect_round_trip(&tree);
        if (i % 8 == 0) {
            expect_json_round_trip(&tree);
        }
    }
    met_tree sizes = record_of("strided [2*s1 + floor((s1*s1 + 3*s2)/7)] halves block then contiguous [4] sequential then reverse");
    expect_round_trip(&sizes);
    expect_json_round_trip(&sizes);
    met_tree most = record_of("strided 64 sequential then strided 32 pairwise then strided 16 pairwise then strided 8 pairwise then strided 4 "
                              "pairwise then strided 2 pairwise then sequential");
    assert_int_equal(most.level_count, MET_TREE_LEVELS);
    expect_round_trip(&most);
    expect_json_round_trip(&most);
}

/* What is left of one fold is no part of the next. */
static void folds_begin_anew(void **state)
{
    (void)state;
    static const char *const records[] = {"((0 1) (2 3))", "sequential", "lanes2, tail after 3", "pairwise", "(0! (1! (2! 3!)))"};
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        met_tree tree = record_of(records[i]);
        met_fold *fold = met_fold_new(arena, &tree, MET_MONOID_ADD, 4);
        for (int turn = 0; turn < 3; turn++) {
            met_fold_begin(fold);
            for (uint64_t k = turn == 1 ? 2 : 0; k < 4; k++) {
                met_fold_push(fold, k, ldexp(1, (int)k));
            }
            assert_true(met_fold_end(fold) == (turn == 1 ? 12 : 15));
        }
    }
}

/* Up to the largest number of terms there is. */
static void depths_of_halves(void **state)
{
    static const struct {
        uint64_t terms, depth;
    } cases[] = {{0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {(uint64_t)1 << 63, 63}, {((uint64_t)1 << 63) + 1, 64}, {UINT64_MAX, 64}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(met_order_depth(MET_ORDER_PAIRWISE, cases[i].terms), cases[i].depth);
    }
}

static void texts_that_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "sequential, rz, rne", "sequential, store f32, store f16", "lanes8, first, first", "lanes8, f32, f64", "lanes8, pairs, pairs",
        "(0 1 2)", "(0 2)", "(0 1), pairs", "(0 1), tail after 4", "lanes4, tail inside 4", "lanes4, tail after", "lanes4, tail after 0",
        "lanes4, undeclared", "lanes4, undeclared speed", "strided [s1 sequential then pairwise", "strided [] sequential then pairwise",
        "strided [s1 -1] sequential then pairwise", "strided [x] sequential then pairwise", "strided [floor(s1/0)] sequential then pairwise",
        "(0 1), matrix 2+c F70 rz", "((0 1) 2) then pairwise",
        "lanes4, combine", "lanes4, combine f32", "lanes4, combine f64, rz", "lanes4, combine f64, flush", "sequential, combine f64, pairs",
        "((0 1) 2 3), combine f64, matrix 2+c F24 rz",
        "lanes4, tail after 8, tail after 8", "lanes4, tail after 4, tail after 8", "lanes4, tail after 8 onto level 2", "lanes4, tail after 8 onto level 0",
        "lanes4, tail after 8, tail after 4 onto level 1", "lanes4, tail after 8 onto 1", "contiguous 4 sequential then pairwise, tail after 8 onto level 1",
        "strided n/4 sequential then pairwise, tail after 8 onto level 1", "lanes4, tail after 8 fused",
        "lanes4, tail after 32, tail after 16, tail after 8, tail after 4, tail after 2",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        met_tree tree;
        met_tree_error error = {{NULL, 0}, NULL};
        if (met_tree_read(arena, met_str_of(refused[i]), MET_F32, NULL, &tree, &error) || !error.why) {
            fail_msg("accepted `%s`, or refused it without a word", refused[i]);
        }
    }
}

/* A text is wrong at one place, which the diagnostic names. */
static void files_that_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "# nothing", "lanes16, slow", "((0 1) 2", "lanes16, # twice\n mul_add,\n rescale",
    };
    static const char *const objects[] = {
        "{}", "[]", "{\"format\": \"met-tree-9\"}", "{\"format\": \"met-tree-1\", \"combine\": \"fast\"}",
        "{\"format\": \"met-tree-1\", \"speed\": 3}", "{\"format\": \"met-tree-1\", \"written\": \"(0 1 2)\"}",
        "{\"format\": \"met-tree-1\", \"levels\": [{\"width\": 0}]}", "{\"format\": \"met-tree-1\", \"levels\": [{}]}",
        "{\"format\": \"met-tree-1\", \"tail\": {\"rule\": \"after\"}}", "{\"format\": \"met-tree-1\", \"undeclared\": [\"speed\"]}",
        "{\"format\": \"met-tree-1\", \"node\": {\"kind\": \"matrix\", \"width\": 65, \"F\": 24}}",
        "{\"format\": \"met-tree-1\", \"tail\": [{\"rule\": \"after\", \"block\": 4}, {\"rule\": \"after\", \"block\": 8}]}",
        "{\"format\": \"met-tree-1\", \"tail\": {\"rule\": \"after\", \"block\": 4, \"onto\": 1}}",
        "{\"format\": \"met-tree-1\", \"precision\": \"f16\"}", "{\"format\": \"met-tree-1\", \"combine_precision\": \"bf16\"}",
    };
    met_tree tree;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] + sizeof objects / sizeof objects[0]; i++) {
        bool is_text = i < sizeof texts / sizeof texts[0];
        const char *text = is_text ? texts[i] : objects[i - sizeof texts / sizeof texts[0]];
        met_session *session = met_session_new();
        uint32_t source = met_session_add_source(session, "a.tree", text, strlen(text));
        met_value *value = is_text ? NULL : met_json_read(session, source);
        bool good = is_text ? met_tree_of_source(session, source, NULL, &tree) : met_tree_of_value(session, value, NULL, &tree);
        if (good || met_session_error_count(session) != 1) {
            fail_msg("%s: %s", text, met_session_diagnostics_text(session));
        }
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails),
        cmocka_unit_test(tails_of_levels),
        cmocka_unit_test(meeting_in_f64),
        cmocka_unit_test(written_trees),
        cmocka_unit_test(absent_terms),
        cmocka_unit_test(widths_are_bound),
        cmocka_unit_test(texts_round_trip),
        cmocka_unit_test(folds_begin_anew),
        cmocka_unit_test(depths_of_halves),
        cmocka_unit_test(texts_that_are_refused),
        cmocka_unit_test(files_that_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
