/* Black boxes: sums in plain C that are no trees, and are said to be none; matrix units with an accumulator; sums that nothing
 * can be subtracted from; means. */
#include "reveal_subjects.h"

#include "number/tree_compare.h"

#include "on_arena.h"

static met_revealed reveal_box(met_black_box probe, met_reveal_method method)
{
    return met_reveal(arena, &probe, method, 7);
}

static void assert_shape(const met_revealed *got, const char *expected)
{
    if (got->verdict != MET_REVEAL_TREE) {
        fail_msg("%s", got->why);
    }
    const met_bracketing *tree = met_bracketing_parse(arena, met_str_of(expected));
    assert_non_null(tree);
    assert_true(met_bracketing_same(arena, tree, got->shape));
}

/* --- No trees --- */

typedef struct box {
    uint64_t n, calls;
} box;

static bool kahan(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    volatile float sum = 0, rest = 0;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        volatile float y = (float)a[i] - rest;
        volatile float t = sum + y;
        rest = (t - sum) - y;
        sum = t;
    }
    *ret_result = (double)sum;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool sorted(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    double copy[64];
    float sum = 0;
    (void)b, (void)c;
    memcpy(copy, a, s->n * sizeof *copy);
    qsort(copy, s->n, sizeof *copy, by_value);
    for (uint64_t i = 0; i < s->n; i++) {
        sum += (float)copy[i];
    }
    *ret_result = (double)sum;
    return true;
}

/* From the last term on if the first is negative. */
static bool by_sign(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    float sum = 0;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        sum += (float)a[a[0] < 0 ? s->n - 1 - i : i];
    }
    *ret_result = (double)sum;
    return true;
}

/* As atomic additions: another order in each call. */
static bool any_order(void *context, const double *a, const double *b, double c, double *ret_result)
{
    box *s = context;
    uint64_t first = s->calls++ % s->n;
    float sum = 0;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        sum += (float)a[(first + i) % s->n];
    }
    *ret_result = (double)sum;
    return true;
}

/* In f64, and rounded to f32 before it is rounded to the output. */
static bool twice_rounded(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    double sum = 0;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        sum += a[i];
    }
    *ret_result = met_round(MET_F16, (double)(float)sum);
    return true;
}

static bool in_double(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    double sum = 0;
    (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        sum += a[i] * (b ? b[i] : 1);
    }
    *ret_result = (double)(float)sum;
    return true;
}

static bool silent(void *context, const double *a, const double *b, double c, double *ret_result)
{
    box *s = context;
    (void)a, (void)b, (void)c;
    *ret_result = 0;
    return s->calls++ < 30;
}

/* Two numbers for one, so that nothing of f64 swallows anything. */
static bool pair_sum(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    double high = 0, low = 0;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        volatile double t = high + a[i], part = t - high;
        low += (high - (t - part)) + (a[i] - part);
        high = t;
    }
    *ret_result = high + low;
    return true;
}

static void test_no_trees(void **state)
{
    static const struct {
        bool (*run)(void *, const double *, const double *, double, double *);
        met_dtype input, output;
        met_reveal_verdict verdict;
        const char *why;
    } boxes[] = {
        {kahan, MET_F32, MET_F32, MET_REVEAL_NOT_A_TREE, "as good as exact: compensated, or rounded once"},
        {pair_sum, MET_F64, MET_F64, MET_REVEAL_NOT_A_TREE, "as good as exact: compensated, or rounded once"},
        {sorted, MET_F32, MET_F32, MET_REVEAL_NOT_A_TREE,
         "the order depends on the data: it does not depend on where the terms stand"},
        {by_sign, MET_F32, MET_F32, MET_REVEAL_NOT_A_TREE, NULL},
        {any_order, MET_F32, MET_F32, MET_REVEAL_UNSTABLE, "the same input gave two answers"},
        {twice_rounded, MET_F32, MET_F16, MET_REVEAL_NOT_A_TREE,
         "a sum in f64 that is rounded twice: to f32, then to the output"},
        {silent, MET_F32, MET_F32, MET_REVEAL_FAILED, "the subject did not answer"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        for (uint64_t n = 5; n < 40; n += 13) {
            box b = {n, 0};
            met_revealed got = reveal_box((met_black_box){.kind = MET_PROBE_SUM, .n = n, .input = boxes[i].input,
                                                      .output = boxes[i].output, .run = boxes[i].run, .context = &b},
                                          MET_REVEAL_AUTO);
            if (got.verdict != boxes[i].verdict || (boxes[i].why && (!got.why || strcmp(got.why, boxes[i].why) != 0))) {
                fail_msg("box %zu, %u terms: verdict %d, %s", i, (unsigned)n, (int)got.verdict, got.why ? got.why : "a tree");
            }
            assert_true((got.why == NULL) == (got.verdict == MET_REVEAL_TREE));
        }
    }
}

/* f64 between f32 in and f32 out is a tree, in f64. */
static void test_in_double(void **state)
{
    (void)state;
    for (uint64_t n = 2; n < 30; n++) {
        for (int kind = MET_PROBE_SUM; kind <= MET_PROBE_DOT; kind++) {
            box b = {n, 0};
            met_revealed got = reveal_box((met_black_box){.kind = (met_probe_kind)kind, .n = n, .input = MET_F32,
                                                      .output = MET_F32, .run = in_double, .context = &b},
                                          MET_REVEAL_AUTO);
            assert_int_equal(got.verdict, MET_REVEAL_TREE);
            met_tree in_order = met_tree_sequential(MET_F64);
            assert_true(met_bracketing_same(arena, met_bracketing_of(arena, &in_order, n), got.shape));
            if (n > 2 || kind == MET_PROBE_DOT) { /* one addition rounds to f32 either way */
                assert_int_equal(got.tree.precision, MET_F64);
            }
        }
    }
}

/* --- An accumulator --- */

typedef struct unit_box {
    met_matrix_unit unit;
    uint64_t n;
    met_dtype output;
} unit_box;

static bool run_unit(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const unit_box *s = context;
    *ret_result = met_round(s->output, (double)met_matrix_dot(&s->unit, s->n, a, b, (float)c));
    return true;
}

static met_revealed reveal_unit(unit_box *s, met_dtype input)
{
    return reveal_box((met_black_box){.kind = MET_PROBE_DOT, .n = s->n, .input = input, .output = s->output,
                                  .accumulates = true, .run = run_unit, .context = s},
                      MET_REVEAL_AUTO);
}

static void test_matrix_units(void **state)
{
    static const struct {
        met_matrix_unit unit;
        met_dtype input;
    } units[] = {
        {{.width = 4, .fraction = 23, .final = MET_RZ, .keep = 0, .late = false}, MET_F16},   {{.width = 8, .fraction = 24, .final = MET_RZ, .keep = 0, .late = false}, MET_F16},
        {{.width = 8, .fraction = 24, .final = MET_RZ, .keep = 0, .late = false}, MET_BF16},  {{.width = 4, .fraction = 24, .final = MET_RZ, .keep = 0, .late = false}, MET_BF16},
        {{.width = 16, .fraction = 25, .final = MET_RZ, .keep = 0, .late = false}, MET_F16},  {{.width = 16, .fraction = 25, .final = MET_RZ, .keep = 0, .late = false}, MET_BF16},
        {{.width = 16, .fraction = 13, .final = MET_RZ, .keep = 13, .late = false}, MET_E4M3}, {{.width = 32, .fraction = 13, .final = MET_RZ, .keep = 13, .late = false}, MET_E5M2},
        {{.width = 16, .fraction = 25, .final = MET_RZ, .keep = 0, .late = true}, MET_E4M3},  {{.width = 8, .fraction = 24, .final = MET_RNE, .keep = 0, .late = true}, MET_F16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        for (uint64_t n = 16; n <= 64; n += 24) {
            unit_box s = {units[i].unit, n, MET_F32};
            met_revealed got = reveal_unit(&s, units[i].input);
            if (got.verdict != MET_REVEAL_TREE) {
                fail_msg("unit %zu, %u terms: %s", i, (unsigned)n, got.why);
            }
            assert_int_equal(got.tree.node, MET_NODE_MATRIX);
            assert_int_equal(got.tree.unit.fraction, s.unit.fraction);
            assert_int_equal(got.tree.unit.late, s.unit.late);
            assert_int_equal(got.tree.unit.width, n < s.unit.width ? n : s.unit.width);
            assert_int_equal(got.tree.unit.final, s.unit.final);
            if (!s.unit.late) {
                const met_bracketing *chain = met_bracketing_chain(arena, s.unit.width, n);
                assert_true(met_bracketing_same(arena, chain, got.shape));
            }
        }
    }
}

/* Where c stands: first, after the first half, last, in each case with or without fusing. */
static bool with_c(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const box *s = context;
    float sum = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (i == s->calls) {
            sum += (float)c;
        }
        sum = fmaf((float)a[i], (float)b[i], sum);
    }
    *ret_result = (double)(s->calls == s->n ? sum + (float)c : sum);
    return true;
}

static void test_accumulator(void **state)
{
    (void)state;
    const char *expected[] = {"((((4 0) 1) 2) 3)", "((((0 1) 4) 2) 3)", "((((0 1) 2) 3) 4)"};
    for (size_t i = 0; i < 3; i++) {
        box b = {4, 2 * i};
        met_revealed got = reveal_box((met_black_box){.kind = MET_PROBE_DOT, .n = 4, .input = MET_F32, .output = MET_F32,
                                                  .accumulates = true, .run = with_c, .context = &b},
                                      MET_REVEAL_AUTO);
        assert_shape(&got, expected[i]);
        assert_int_equal(got.tree.contraction, MET_CONTRACT_FMA);
    }
}

/* --- Nothing to subtract --- */

/* The root of a mean of squares, or the logarithm of a sum of exponentials relative to the largest. */
typedef struct growing_box {
    met_tree tree;
    uint64_t n;
    bool exponentials;
} growing_box;

static bool grow(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const growing_box *s = context;
    met_arena *scratch = met_arena_new();
    double *leaves = MET_NEW_ARRAY(scratch, double, s->n), most = -(double)INFINITY;
    (void)b, (void)c;
    for (uint64_t i = 0; i < s->n; i++) {
        most = fmax(most, a[i]);
    }
    for (uint64_t i = 0; i < s->n; i++) {
        leaves[i] = s->exponentials ? (double)expf((float)a[i] - (float)most) : (double)((float)a[i] * (float)a[i]);
    }
    float sum = (float)met_tree_run(scratch, &s->tree, MET_MONOID_ADD, s->n, leaves);
    *ret_result = s->exponentials ? (double)(1 / sum) : (double)sqrtf(sum / (float)s->n);
    met_arena_free(scratch);
    return true;
}

static void test_growing(void **state)
{
    static const char *const records[] = {"sequential", "lanes16", "pairwise", "reverse",
                                          "contiguous n/8 sequential lane then adjacent"};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        for (int exponentials = 0; exponentials < 2; exponentials++) {
            for (uint64_t n = 3; n < 60; n += 14) {
                growing_box s = {.n = n, .exponentials = exponentials};
                assert_true(met_tree_parse(met_str_of(records[i]), MET_F32, &s.tree));
                met_revealed got = reveal_box(
                    (met_black_box){.kind = exponentials ? MET_PROBE_EXPONENTIALS : MET_PROBE_SQUARES, .n = n,
                                .input = MET_F32, .output = MET_F32, .run = grow, .context = &s},
                    MET_REVEAL_AUTO);
                if (got.verdict != MET_REVEAL_TREE) {
                    fail_msg("%s of %u: %s", records[i], (unsigned)n, got.why);
                }
                assert_true(met_bracketing_same(arena, met_bracketing_of(arena, &s.tree, n), got.shape));
                assert_int_not_equal(got.tree.undeclared, 0);
            }
        }
    }
}

/* --- Scaled answers: counting would see nodes that are not there --- */

static bool mean(void *context, const double *a, const double *b, double c, double *ret_result)
{
    double sum = 0;
    if (!run_record(context, a, b, c, &sum)) {
        return false;
    }
    *ret_result = (double)((float)sum / (float)((record_subject *)context)->probe.n);
    return true;
}

static void test_mean(void **state)
{
    (void)state;
    for (uint64_t n = 3; n <= 129; n += 14) {
        met_tree lanes = met_tree_lanes(MET_F32, 16);
        record_subject *s = subject_of(arena, &lanes, (met_black_box){.kind = MET_PROBE_SUM, .n = n, .input = MET_F32,
                                                                  .output = MET_F32, .scaled = true});
        s->probe.run = mean;
        met_revealed got = reveal_box(s->probe, MET_REVEAL_AUTO);
        assert_int_equal(got.verdict, MET_REVEAL_TREE);
        assert_int_equal(got.method, MET_REVEAL_TRIPLES);
        assert_true(met_bracketing_same(arena, met_bracketing_of(arena, &lanes, n), got.shape));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_trees),     cmocka_unit_test(test_in_double),      cmocka_unit_test(test_matrix_units),
        cmocka_unit_test(test_accumulator),  cmocka_unit_test(test_growing),        cmocka_unit_test(test_mean),
    };
    return cmocka_run_group_tests_name("reveal_boxes", tests, setup, teardown);
}
