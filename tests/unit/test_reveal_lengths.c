/* Long sums are revealed in few calls; and the rule that several lengths follow. */
#include "reveal_subjects.h"

#include "number/tree_compare.h"

#include "on_arena.h"

static met_revealed reveal_box(met_black_box probe, met_reveal_method method)
{
    return met_reveal(arena, &probe, method, 7);
}

/* --- How many calls --- */

static uint64_t calls_of(const char *record, uint64_t n, met_reveal_method method)
{
    met_tree tree;
    assert_true(met_tree_parse(met_str_of(record), MET_F32, &tree));
    record_subject *s =
        subject_of(arena, &tree, (met_black_box){.kind = MET_PROBE_SUM, .n = n, .input = MET_F32, .output = MET_F32});
    met_revealed got = reveal_box(s->probe, method);
    assert_int_equal(got.verdict, MET_REVEAL_TREE);
    assert_true(met_bracketing_same(arena, met_bracketing_of(arena, &tree, n), got.shape));
    return got.calls;
}

/* Counting: 2.1 to 2.7 n on chains, n/2·log2 n on balanced trees; triples: 1.5 to 2.3 n·log2 n. Beside 100 to 200 calls for traits,
 * repeats and the check; the seed moves them a little. */
static void test_calls(void **state)
{
    (void)state;
    uint64_t n = 1024, others = 200;
    assert_in_range(calls_of("sequential", n, MET_REVEAL_COUNT), n, 3 * n + others);
    assert_in_range(calls_of("reverse", n, MET_REVEAL_COUNT), n, 3 * n + others);
    assert_in_range(calls_of("pairwise", n, MET_REVEAL_COUNT), n * 10 / 2, n * 10 / 2 * 12 / 10 + others);
    assert_in_range(calls_of("lanes16", n, MET_REVEAL_COUNT), n, n * 10 / 2 * 12 / 10 + others);
    assert_in_range(calls_of("sequential", n, MET_REVEAL_TRIPLES), n * 10, n * 10 * 28 / 10 + others);
    assert_in_range(calls_of("pairwise", n, MET_REVEAL_TRIPLES), n * 10, n * 10 * 28 / 10 + others);
}

/* A chain is as deep as it is long. */
static void test_long_chain(void **state)
{
    (void)state;
    calls_of("reverse", 2048, MET_REVEAL_AUTO);
    calls_of("sequential", 300, MET_REVEAL_TRIPLES);
}

/* More terms than the accumulator counts: bf16 counts to 256. */
static void test_beyond_counting(void **state)
{
    (void)state;
    met_tree tree;
    assert_true(met_tree_parse(met_str_of("lanes16, store bf16"), MET_F32, &tree));
    record_subject *s =
        subject_of(arena, &tree, (met_black_box){.kind = MET_PROBE_SUM, .n = 300, .input = MET_F32, .output = MET_F32});
    met_revealed got = reveal_box(s->probe, MET_REVEAL_AUTO);
    assert_int_equal(got.verdict, MET_REVEAL_TREE);
    assert_int_equal(got.method, MET_REVEAL_TRIPLES);
    assert_true(met_bracketing_same(arena, met_bracketing_of(arena, &tree, 300), got.shape));
}

/* --- Rules --- */

/* The rule found from two or three lengths is that of others as well. */
static void test_rules(void **state)
{
    static const char *const records[] = {
        "sequential", "pairwise", "halves", "eight_lane_blocks", "lanes16", "lanes16, mul_add", "lanes8, tail after 32",
        "strided 32 sequential lane then strided 8 pairwise lane then adjacent, tail after 32",
        "strided 32 sequential lane then strided 8 sequential lane then pairwise, tail apart 64",
        "contiguous n/16 sequential lane then sequential", "contiguous 4 sequential lane then pairwise, first",
        "sequential, tail after 8 fma, mul_add", "lanes8, tail after 8 mul_add",
        "strided 16 sequential lane then strided 4 adjacent lane then adjacent, tail after 16 onto level 2, tail after 4, mul_add",
        "strided 16 sequential lane then strided 8 pairwise lane then pairwise, tail after 16 onto level 2, tail after 8",
        "strided 32 sequential lane then strided 8 sequential lane then pairwise, tail after 32 onto level 2, tail after 8 mul_add",
    };
    static const uint64_t lengths[] = {79, 160, 193}, others[] = {64, 100, 257};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        met_tree tree, rule;
        met_revealed got[3];
        const met_revealed *at[3];
        assert_true(met_tree_parse(met_str_of(records[i]), MET_F32, &tree));
        for (size_t k = 0; k < 3; k++) {
            met_black_box probe = {.kind = MET_PROBE_DOT, .n = lengths[k], .input = MET_F32, .output = MET_F32};
            got[k] = reveal_box(subject_of(arena, &tree, probe)->probe, MET_REVEAL_AUTO);
            at[k] = &got[k];
        }
        if (!met_reveal_rule(arena, 3, at, &rule)) {
            fail_msg("no rule for %s", records[i]);
        }
        assert_null(rule.written);
        for (size_t k = 0; k < 3; k++) {
            if (met_tree_compare(arena, &tree, &rule, others[k]).verdict != MET_VERDICT_SAME) {
                met_text text = met_text_new(arena);
                met_tree_print(&text, &rule, MET_F32);
                fail_msg("%s: %s", records[i], met_text_done(&text));
            }
        }
    }
}

/* A tree that is another one at each length follows no rule. */
static void test_no_rule(void **state)
{
    (void)state;
    met_tree trees[2] = {met_tree_sequential(MET_F32), met_tree_pairwise(MET_F32)}, rule;
    met_revealed got[2];
    for (size_t k = 0; k < 2; k++) {
        met_black_box probe = {.kind = MET_PROBE_SUM, .n = 40 + 10 * k, .input = MET_F32, .output = MET_F32};
        got[k] = reveal_box(subject_of(arena, &trees[k], probe)->probe, MET_REVEAL_AUTO);
    }
    assert_false(met_reveal_rule(arena, 2, (const met_revealed *[]){&got[0], &got[1]}, &rule));
}

/* A tree of the same shape whose additions do something else follows no rule but its own. */
static void test_other_traits(void **state)
{
    (void)state;
    static const char *const records[] = {"lanes8", "lanes8, mul_add", "lanes8, store bf16", "lanes8, rz", "lanes8, flush", "lanes8, first"};
    enum { RECORDS = sizeof records / sizeof *records };
    met_revealed got[RECORDS];
    for (size_t k = 0; k < RECORDS; k++) {
        met_tree tree;
        assert_true(met_tree_parse(met_str_of(records[k]), MET_F32, &tree));
        met_black_box probe = {.kind = MET_PROBE_DOT, .n = 40, .input = MET_F32, .output = MET_F32};
        got[k] = reveal_box(subject_of(arena, &tree, probe)->probe, MET_REVEAL_AUTO);
        assert_int_equal(got[k].verdict, MET_REVEAL_TREE);
    }
    for (size_t a = 0; a < RECORDS; a++) {
        met_tree rule;
        assert_true(met_reveal_rule(arena, 1, (const met_revealed *[]){&got[a]}, &rule));
        for (size_t b = 0; b < RECORDS; b++) {
            if (met_reveal_follows(arena, &rule, &got[b]) != (a == b)) {
                fail_msg("%s and %s", records[a], records[b]);
            }
            assert_true(met_reveal_rule(arena, 2, (const met_revealed *[]){&got[a], &got[b]}, &rule) == (a == b));
        }
    }
}

/* No terms, and too many, are refused before anything is asked; a single one is a tree. */
static void test_range(void **state)
{
    (void)state;
    met_tree tree = met_tree_sequential(MET_F32);
    static const uint64_t lengths[] = {0, MET_BRACKETING_LEAVES};
    for (size_t k = 0; k < 2; k++) {
        met_black_box probe = {.kind = MET_PROBE_SUM, .n = lengths[k], .input = MET_F32, .output = MET_F32};
        assert_int_equal(reveal_box(probe, MET_REVEAL_AUTO).verdict, MET_REVEAL_FAILED);
        assert_int_equal(met_reveal_try(arena, &probe, &tree), MET_REVEAL_FAILED);
    }
    met_black_box one = subject_of(arena, &tree, (met_black_box){.kind = MET_PROBE_SUM, .n = 1, .input = MET_F32, .output = MET_F32})->probe;
    assert_int_equal(reveal_box(one, MET_REVEAL_AUTO).verdict, MET_REVEAL_TREE);
    assert_int_equal(met_reveal_try(arena, &one, &tree), MET_REVEAL_TREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls), cmocka_unit_test(test_long_chain), cmocka_unit_test(test_beyond_counting),
        cmocka_unit_test(test_rules), cmocka_unit_test(test_no_rule), cmocka_unit_test(test_other_traits), cmocka_unit_test(test_range),
    };
    return cmocka_run_group_tests_name("reveal_lengths", tests, setup, teardown);
}
