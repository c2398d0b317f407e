/* Whether two trees or two records are one; and single steps of arithmetic that trees are made of. */
#include "cases.h"

#include "number/dot_pair.h"
#include "number/fold.h"
#include "number/function.h"
#include "number/integer.h"
#include "number/tree_compare.h"

#include "on_arena.h"

#define TREES MET_TEST_DATA_DIR "/trees.toml"
#define MORE MET_TEST_DATA_DIR "/trees_more.toml"

static met_tree record_of(met_str text)
{
    met_tree tree;
    if (!met_tree_parse(text, MET_F32, &tree)) {
        fail_msg("no record: %.*s", MET_STR_ARGS(text));
    }
    return tree;
}

static const met_bracketing *tree_of(const test_case *test, const char *key)
{
    const met_bracketing *tree = met_bracketing_parse(arena, string_field(test->in, key));
    assert_non_null(tree);
    return tree;
}

/* --- Known values --- */

static float run_leaves(const met_bracketing *tree, uint32_t plus, uint32_t minus, uint32_t one, float big)
{
    float *leaves = MET_NEW_ARRAY(arena, float, tree->leaf_count);
    leaves[plus] = big;
    leaves[minus] = -big;
    leaves[one] = 1;
    met_bracketing_rules rules = {.store = MET_F32, .fraction = 24, .final = MET_RZ};
    return met_bracketing_run(arena, tree, &rules, leaves);
}

static void compare_case(const test_case *test)
{
    const met_bracketing *a = tree_of(test, "a"), *b = tree_of(test, "b");
    bool same = met_str_is(string_field(test->out, "verdict"), "same");
    met_witness witness;
    assert_true(met_bracketing_same(arena, a, b) == same);
    assert_true(met_bracketing_witness(arena, a, b, &witness) == !same);
    if (same) {
        return;
    }
    float big = (float)f32_of(field(test->out, "big"));
    const met_value *known = field(test->out, "witness");
    uint32_t at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = (uint32_t)known->items.at[i]->integer;
    }
    expect_bits(test, met_bits_f32(run_leaves(a, at[0], at[1], at[2], big)), bits_field(test->out, "result_a"));
    expect_bits(test, met_bits_f32(run_leaves(b, at[0], at[1], at[2], big)), bits_field(test->out, "result_b"));
    assert_true(run_leaves(a, witness.plus, witness.minus, witness.one, big) == (witness.first ? 1 : 0));
    assert_true(run_leaves(b, witness.plus, witness.minus, witness.one, big) == (witness.first ? 0 : 1));
}

static void record_case(const test_case *test)
{
    met_tree a = record_of(string_field(test->in, "a")), b = record_of(string_field(test->in, "b"));
    uint64_t n = (uint64_t)field(test->in, "n")->integer;
    for (int turn = 0; turn < 2; turn++) {
        met_comparison got = turn ? met_tree_compare(arena, &b, &a, n) : met_tree_compare(arena, &a, &b, n);
        const char *verdict = got.verdict == MET_VERDICT_SAME ? "same" : "different";
        if (!met_str_is(string_field(test->out, "verdict"), verdict) ||
            !met_str_is(string_field(test->out, "field"), met_tree_field_name(got.field))) {
            fail_msg("%s: %s, %s", test->id, verdict, met_tree_field_name(got.field));
        }
    }
}

static void matrix_case(const test_case *test)
{
    const met_bracketing *tree = tree_of(test, "tree");
    const met_value *rows = field(test->out, "rows");
    assert_int_equal(rows->items.count, tree->leaf_count);
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        for (uint32_t j = 0; j < tree->leaf_count; j++) {
            expect_bits(test, met_bracketing_meeting(arena, tree, i, j), (uint64_t)rows->items.at[i]->items.at[j]->integer);
        }
    }
}

static void count_case(const test_case *test)
{
    uint64_t leaves = (uint64_t)field(test->in, "leaves")->integer, count = 0;
    assert_true(met_bracketing_count(leaves, true, &count));
    expect_bits(test, count, (uint64_t)field(test->out, "binary")->integer);
    assert_true(met_bracketing_count(leaves, false, &count));
    expect_bits(test, count, (uint64_t)field(test->out, "any")->integer);
}

static void wrap_case(const test_case *test)
{
    const met_value *terms = field(test->in, "terms");
    size_t n = terms->items.count;
    int32_t acc = (int32_t)field(test->in, "acc")->integer, sums[4] = {acc, acc, acc, acc};
    for (size_t i = 0; i < n; i++) {
        int32_t forward = (int32_t)terms->items.at[i]->integer, backward = (int32_t)terms->items.at[n - 1 - i]->integer;
        sums[0] = met_wrap_add(sums[0], forward);
        sums[1] = met_wrap_add(sums[1], backward);
        sums[2] = met_saturate_add(sums[2], forward);
        sums[3] = met_saturate_add(sums[3], backward);
    }
    static const char *const keys[] = {"wrap_forward", "wrap_backward", "sat_forward", "sat_backward"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sums[i], field(test->out, keys[i])->integer);
    }
}

static float bf16_field(const test_case *test, const char *key)
{
    return (float)met_decode(MET_BF16, bits_field(test->in, key));
}

static void dot_pair_case(const test_case *test)
{
    float a[2] = {bf16_field(test, "lo"), bf16_field(test, "hi")}, b[2] = {bf16_field(test, "lo2"), bf16_field(test, "hi2")};
    float result = met_dot_pair((float)f32_of(field(test->in, "acc")), a, b);
    if (met_value_get(test->out, "result")) {
        expect_bits(test, met_bits_f32(result), bits_field(test->out, "result"));
    } else {
        assert_true(result == 0);
    }
}

static void known_values(void **state)
{
    (void)state;
    each_case(TREES, "compare", 8, compare_case);
    each_case(TREES, "record", 9, record_case);
    each_case(TREES, "matrix", 3, matrix_case);
    each_case(TREES, "count", 4, count_case);
    each_case(TREES, "wrap", 2, wrap_case);
    each_case(TREES, "dpbf16", 7, dot_pair_case);
    each_case(MORE, "compare", 26, compare_case);
    each_case(MORE, "record", 34, record_case);
    each_case(MORE, "matrix", 5, matrix_case);
    each_case(MORE, "count", 6, count_case);
    each_case(MORE, "wrap", 8, wrap_case);
    each_case(MORE, "dpbf16", 24, dot_pair_case);
}

/* --- Comparisons are right --- */

static uint64_t random_state = 12345;

static uint64_t next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

enum { TERMS = 33, INPUTS = 96 };

/* Input k: f32 or bf16 numbers, among them zeros, cancellation, and what underflows. */
static void make_input(int k, uint64_t n, double *a, double *b)
{
    static const int spreads[] = {0, 20, 70, 3};
    int spread = spreads[k / 2 % 4];
    double base = k / 2 % 4 == 2 ? 0x1p-66 : 1;
    met_dtype dtype = k % 2 ? MET_F32 : MET_BF16;
    for (uint64_t i = 0; i < n; i++) {
        int exponent = (int)(next() % (unsigned)(spread + 1)) - 31 - spread;
        a[i] = met_round(dtype, base * ldexp((double)(int32_t)next(), exponent));
        b[i] = met_round(dtype, base * (double)(int32_t)next() * 0x1p-31);
        if (k % 16 == 0) { /* all terms −0 */
            a[i] = fabs(a[i]);
            b[i] = -0.0;
        } else if (k % 16 == 8) { /* all terms round to −0 */
            a[i] = 0x1p-80;
            b[i] = -0x1p-80;
        } else if (k % 16 == 1) { /* only the ends */
            a[i] = i == 0 || i + 1 == n ? a[i] : 0;
        } else if (k / 2 % 8 == 3 && i % 2) {
            a[i] = a[i - 1];
            b[i] = -b[i - 1] * (1 + 0x1p-7);
        }
    }
}

static const char *const records[] = {
    "sequential", "sequential, mul_add", "sequential, first", "sequential, store bf16", "sequential, rz", "sequential, flush",
    "pairwise", "pairwise, mul_add", "butterfly", "adjacent", "reverse", "halves", "halves_up", "eight_lane_blocks", "lanes16",
    "lanes4", "lanes1", "contiguous 1 sequential then pairwise", "contiguous 4 sequential then pairwise",
    "strided n/4 sequential then pairwise", "contiguous n/4 sequential then sequential", "sequential, pairs",
    "sequential, matrix 8+c F24 rz", "sequential, matrix 16+c F24 rz", "sequential, matrix 16+c F23 rz",
    "strided 4 sequential thread then pairwise", "strided 4 pairwise then pairwise", "lanes16, first", "lanes16, mul_add",
};

enum { RECORDS = sizeof records / sizeof records[0] };

static void check_verdict(int r, int q, uint64_t n, bool equal)
{
    met_tree a = record_of(met_str_of(records[r])), b = record_of(met_str_of(records[q]));
    met_comparison got = met_tree_compare(arena, &a, &b, n);
    bool unknown = got.verdict == MET_VERDICT_UNKNOWN;
    if (unknown ? n > 1 || (!a.node && !b.node) : equal != (got.verdict == MET_VERDICT_SAME)) {
        fail_msg("%s | %s at %llu: %s, not `%s`", records[r], records[q], (unsigned long long)n, equal ? "equal" : "not equal",
                 unknown ? "unknown" : met_tree_field_name(got.field));
    }
}

/* What differs does so on one of these inputs; what is the same is the same on all of them. */
static void verdicts_hold(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= TERMS; n += n < 9 ? 1 : 8) {
        static uint32_t bits[RECORDS][INPUTS];
        for (int k = 0; k < INPUTS; k++) {
            double a[TERMS], b[TERMS];
            make_input(k, n, a, b);
            for (int r = 0; r < RECORDS; r++) {
                met_tree tree = record_of(met_str_of(records[r]));
                bits[r][k] = met_bits_f32((float)met_tree_dot(arena, &tree, n, a, b));
            }
        }
        for (int r = 0; r < RECORDS; r++) {
            for (int q = 0; q < RECORDS; q++) {
                check_verdict(r, q, n, memcmp(bits[r], bits[q], sizeof bits[r]) == 0);
            }
        }
    }
}

/* Σ b·e^(a − largest), in order, the accumulator rescaled by a rounded factor whenever a slice moves the largest. */
static float rescaled_sum(uint64_t n, uint64_t slice, const double *a, const double *b)
{
    float sum = 0, base = -INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        float most = base;
        for (uint64_t k = i; i % slice == 0 && k < n && k < i + slice; k++) {
            most = fmaxf(most, (float)a[k]);
        }
        sum = most > base && i > 0 ? sum * met_expp(base - most) : sum;
        base = most;
        sum = fmaf(met_expp((float)a[i] - base), (float)b[i], sum);
    }
    return sum;
}

/* Slices of other lengths are told apart by an input on which they give what is said. */
static void rescaling_is_run(void **state)
{
    (void)state;
    static const struct {
        uint64_t n, x, y;
    } cases[] = {{100, 64, 32}, {9, 2, 3}, {8, 1, 2}, {5, 4, 5}, {40, 7, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t n = cases[i].n, slices[] = {cases[i].x, cases[i].y};
        met_tree x = met_tree_sequential(MET_F32), y = x;
        x.rescale = y.rescale = MET_RESCALE_FLOAT;
        x.slice = slices[0];
        y.slice = slices[1];
        met_comparison got = met_tree_compare(arena, &x, &y, n);
        assert_true(got.verdict == MET_VERDICT_DIFFERENT && got.field == MET_FIELD_RESCALE && got.has_run);
        assert_true(got.run.result_a == (double)rescaled_sum(n, slices[0], got.run.a, got.run.b));
        assert_true(got.run.result_b == (double)rescaled_sum(n, slices[1], got.run.a, got.run.b));
        assert_true(got.run.result_a != got.run.result_b);
    }
    met_tree x = record_of(met_str_of("sequential, rescale float 1")), y = record_of(met_str_of("sequential, rescale float 2"));
    assert_int_equal(met_tree_compare(arena, &x, &y, 2).verdict, MET_VERDICT_SAME); /* the second term is all that there is to add */
}

static void rescaling(void **state)
{
    (void)state;
    met_tree none = record_of(met_str_of("lanes16")), pow2 = record_of(met_str_of("lanes16, rescale pow2"));
    met_tree slices = record_of(met_str_of("lanes16, rescale float 64")), others = record_of(met_str_of("lanes16, rescale float 32"));
    met_comparison got = met_tree_compare(arena, &none, &pow2, 100);
    assert_true(got.verdict == MET_VERDICT_SAME && got.unless_underflow);
    got = met_tree_compare(arena, &pow2, &pow2, 100);
    assert_true(got.verdict == MET_VERDICT_SAME && !got.unless_underflow);
    assert_int_equal(met_tree_compare(arena, &slices, &others, 100).field, MET_FIELD_RESCALE);
    assert_int_equal(met_tree_compare(arena, &slices, &none, 100).field, MET_FIELD_RESCALE);
    assert_int_equal(met_tree_compare(arena, &slices, &none, 64).verdict, MET_VERDICT_SAME);
    assert_int_equal(met_tree_compare(arena, &none, &pow2, UINT64_C(1) << 40).verdict, MET_VERDICT_SAME); /* too large to write out */
    assert_int_equal(met_tree_compare(arena, &slices, &others, UINT64_C(1) << 21).field, MET_FIELD_RESCALE);
}

static void tf32_numbers(void **state)
{
    (void)state;
    met_operands tf32;
    assert_true(met_operands_find(met_str_of("tf32"), &tf32));
    assert_true(met_operands_round(tf32, 1 + 0x1p-11) == 1); /* halves to even */
    assert_true(met_operands_round(tf32, 1 + 0x3p-11) == 1 + 0x1p-9);
    assert_true(met_operands_round(tf32, 0x1p-137) == 0);
    assert_true(met_operands_round(tf32, -0x3p-138) == -0x1p-136); /* its least number */
    assert_true(met_operands_round(tf32, 0x1.ffep127) == INFINITY);
    assert_true(met_operands_largest(tf32) == 0x1.ffcp127);
}

/* The edges of f32 are named where they are all that tells two records apart, and only there. */
static void edges_of_the_range(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        met_dtype dtype;
        int below;
    } cases[] = {
        {"sequential, mul_add", "sequential", MET_BF16, -149}, {"sequential, mul_add", "sequential", MET_F32, 0},
        {"lanes4, flush", "lanes4", MET_BF16, -126},           {"lanes4, flush", "lanes8", MET_BF16, 0},
        {"sequential, rz", "sequential", MET_BF16, 0},         {"sequential, matrix 8+c F24 rz", "sequential", MET_F16, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        met_tree a = record_of(met_str_of(cases[i].a)), b = record_of(met_str_of(cases[i].b));
        met_comparison got = met_tree_compare_operands(arena, &a, &b, 12, (met_operands){.dtype = cases[i].dtype});
        assert_int_equal(got.verdict, MET_VERDICT_DIFFERENT);
        assert_int_equal(got.only_below, cases[i].below);
    }
}

/* Finite results where there are any. */
static void finite_witnesses(void **state)
{
    (void)state;
    met_tree a = record_of(met_str_of("lanes16, mul_add")), b = record_of(met_str_of("lanes16"));
    met_comparison got = met_tree_compare(arena, &a, &b, 100);
    assert_true(got.has_run && isfinite(got.run.result_a) && isfinite(got.run.result_b));
}

/* A written tree says nothing of other lengths: whichever side it is, nothing there is the same as it. */
static void written_has_one_length(void **state)
{
    (void)state;
    met_tree written, rule = record_of(met_str_of("sequential"));
    assert_true(met_tree_read(arena, met_str_of("(((0 1) 2) 3)"), MET_F32, NULL, &written, NULL));
    for (int turn = 0; turn < 2; turn++) {
        met_comparison longer = met_tree_compare(arena, turn ? &rule : &written, turn ? &written : &rule, 5);
        assert_int_equal(longer.verdict, MET_VERDICT_DIFFERENT);
        assert_int_equal(longer.field, MET_FIELD_LEVELS);
    }
    assert_int_equal(met_tree_compare(arena, &written, &rule, 4).verdict, MET_VERDICT_SAME);
}

/* What is not declared may be whatever the other side says: no input tells them apart. */
static void open_field_may_be_any(void **state)
{
    (void)state;
    static const struct {
        const char *open, *said[12];
    } fields[] = {
        {"lanes2, undeclared rounding", {"lanes2", "lanes2, f64", "lanes2, rz", "lanes2, ru", "lanes2, store bf16", "lanes2, f64, store f16",
                                         "lanes2, f64, store f32", "lanes2, combine f64", "lanes2, rd, store f16"}},
        {"lanes2, undeclared start", {"lanes2", "lanes2, first"}},
        {"lanes2, undeclared contraction", {"lanes2", "lanes2, mul_add"}},
        {"lanes2, undeclared flush", {"lanes2", "lanes2, flush", "lanes2, flush inputs", "lanes2, flush results"}},
        {"lanes2, undeclared rounding contraction", {"lanes2, f64, mul_add", "lanes2, rd, mul_add", "lanes2, combine f64, mul_add"}},
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        met_tree open = record_of(met_str_of(fields[f].open));
        for (const char *const *said = fields[f].said; *said; said++) {
            met_tree other = record_of(met_str_of(*said));
            met_comparison got = met_tree_compare(arena, &open, &other, 6);
            if (got.verdict != MET_VERDICT_UNKNOWN || !got.undeclared) {
                fail_msg("`%s` against `%s`: verdict %d", fields[f].open, *said, (int)got.verdict);
            }
        }
    }
}

/* A number that sinks to −0 in f32 is +0 after +0 was added to it, and −0 if it sinks afterwards. */
static void numbers_that_sink(void **state)
{
    (void)state;
    met_tree a = record_of(met_str_of("sequential, mul_add")), b = record_of(met_str_of("strided 1 sequential then halves, mul_add, f64, store f32"));
    met_comparison got = met_tree_compare_operands(arena, &a, &b, 1, (met_operands){.dtype = MET_F64, .sum = true});
    assert_int_equal(got.verdict, MET_VERDICT_DIFFERENT);
}

/* Where an accumulator joins shows with a c that is not 0. */
static void units_start_at_c(void **state)
{
    (void)state;
    met_tree in = record_of(met_str_of("sequential, matrix 16+c F25 rz")), late = record_of(met_str_of("sequential, matrix 16 F25 rz"));
    met_tree wide = record_of(met_str_of("sequential, matrix 32+c F25 rz"));
    met_operands f16 = {.dtype = MET_F16};
    assert_int_equal(met_tree_compare_operands(arena, &in, &late, 40, f16).verdict, MET_VERDICT_SAME);
    met_comparison got = met_tree_compare_units(arena, &in, &late, 40, f16);
    assert_true(got.verdict == MET_VERDICT_DIFFERENT && got.field == MET_FIELD_MMA && got.run.with_c && got.run.c != 0);
    float x = met_matrix_dot(&in.unit, 40, got.run.a, got.run.b, got.run.c), y = met_matrix_dot(&late.unit, 40, got.run.a, got.run.b, got.run.c);
    assert_int_equal(met_bits_f32(x), met_bits_f32((float)got.run.result_a));
    assert_int_equal(met_bits_f32(y), met_bits_f32((float)got.run.result_b));
    assert_int_not_equal(met_bits_f32(x), met_bits_f32(y));
    assert_int_equal(met_tree_compare_units(arena, &in, &wide, 16, f16).verdict, MET_VERDICT_SAME);
    assert_int_equal(met_tree_compare_units(arena, &in, &in, 40, f16).verdict, MET_VERDICT_SAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(verdicts_hold),
        cmocka_unit_test(rescaling),
        cmocka_unit_test(rescaling_is_run),
        cmocka_unit_test(tf32_numbers),
        cmocka_unit_test(edges_of_the_range),
        cmocka_unit_test(finite_witnesses),
        cmocka_unit_test(units_start_at_c),
        cmocka_unit_test(numbers_that_sink),
        cmocka_unit_test(written_has_one_length),
        cmocka_unit_test(open_field_may_be_any),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
