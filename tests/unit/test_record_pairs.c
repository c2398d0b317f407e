/* Pairs of random records: whatever is said of them is true, and something is said of each. tests/slow/record_pairs.c does many more. */
#include "cases.h"

#include "record_pairs.h"

static void pairs_are_decided(void **state)
{
    (void)state;
    pair_counts counts = {0};
    assert_true(compare_pairs(5, 3000, 40, false, &counts));
    assert_true(counts.same > 500 && counts.different > 500);
}

/* Identities and differences that random pairs meet once in many thousands. */
static void rare_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        uint32_t n;
        met_dtype dtype;
        bool sum;
        met_verdict verdict;
    } cases[] = {
        {"sequential, flush inputs", "sequential, first, flush inputs", 4, MET_F32, true, MET_VERDICT_DIFFERENT},
        {"sequential, store f16, flush inputs", "sequential, store f16, flush", 6, MET_F32, true, MET_VERDICT_SAME},
        {"(2! (0! 1!)), store f16, flush inputs", "(2! (0! 1!)), store f16, flush", 3, MET_F32, true, MET_VERDICT_SAME},
        {"(2 (0! 1!)), flush inputs", "(2 (0! 1)), flush inputs", 3, MET_F32, true, MET_VERDICT_SAME},
        {"((0! 1!) 2!), flush inputs", "((0! 1!) 2), flush inputs", 3, MET_F32, true, MET_VERDICT_DIFFERENT},
        {"contiguous 5 sequential lane then halves, tail apart 3, mul_add, combine f64",
         "contiguous 5 sequential lane then halves, tail apart 3, combine f64", 5, MET_F32, false, MET_VERDICT_SAME},
        {"sequential, matrix 2+c F23 rz", "sequential, rz", 1, MET_F32, false, MET_VERDICT_SAME},
        {"sequential, matrix 2+c F22 rz", "sequential, rz", 1, MET_F32, false, MET_VERDICT_DIFFERENT},
        {"(0 (1 2)), matrix 4 F60 rz keep 1", "(0 (2! 1)), matrix 4 F60 rz keep 1", 3, MET_E5M2, false, MET_VERDICT_SAME},
        {"(0 (1 2)), matrix 4 F13 rz keep 2", "(0 (2! 1)), matrix 4 F13 rz keep 2", 3, MET_E5M2, false, MET_VERDICT_SAME},
        {"(0 (1 2)), matrix 4 F60 rz keep 3", "(0 (2! 1)), matrix 4 F60 rz keep 3", 3, MET_E5M2, false, MET_VERDICT_DIFFERENT},
        {"((1! 4! 6! (8 0)) 7 2 3 5), matrix 3+c F10 rz keep 13", "((1! 4! 6! (8 0)) 7 2 3 5), matrix 2+c F10 rne", 9, MET_F16, false,
         MET_VERDICT_DIFFERENT},
        {"(1 0! 2), matrix 5 F7 rz f16", "sequential, matrix 5 F7 rz f16", 3, MET_F16, true, MET_VERDICT_SAME},
        {"((((0! 1!) 2!) 3) 4)", "sequential, tail after 3 fma, mul_add", 5, MET_F32, false, MET_VERDICT_DIFFERENT},
        {"((((0! 1!) 2!) 3) 4)", "sequential, tail after 3 fma, mul_add", 5, MET_F16, false, MET_VERDICT_SAME},
        {"((0 1) (2 3)), store f16, flush results", "((0 1) (2 3)), store f16", 4, MET_F32, false, MET_VERDICT_DIFFERENT},
        {"(0 1), combine f64", "(0! 1), mul_add", 2, MET_F32, false, MET_VERDICT_SAME},
        {"(1! 0), mul_add, combine f64", "(1! 0), mul_add", 2, MET_F32, false, MET_VERDICT_SAME},
        {"contiguous n/1 sequential block then pairwise, first, ru, store f16",
         "contiguous n/1 sequential block then pairwise, first, store f16", 9, MET_BF16, false, MET_VERDICT_SAME},
    };
    met_arena *arena = met_arena_new();
    random_source r = {3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        met_tree a, b;
        pair_counts counts = {0};
        met_operands operands = {.dtype = cases[i].dtype, .sum = cases[i].sum};
        assert_true(met_tree_read(arena, met_str_of(cases[i].a), MET_F32, NULL, &a, NULL));
        assert_true(met_tree_read(arena, met_str_of(cases[i].b), MET_F32, NULL, &b, NULL));
        const char *fault = pair_fault(arena, &r, &a, &b, cases[i].n, operands, 2000, &counts);
        if (fault || (counts.same == 1) != (cases[i].verdict == MET_VERDICT_SAME)) {
            fail_msg("%s | %s: %s", cases[i].a, cases[i].b, fault ? fault : "the other verdict");
        }
    }
    met_arena_free(arena);
}

static void undeclared_fields(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        met_verdict verdict;
        met_tree_field field;
    } cases[] = {
        {"lanes4, undeclared start", "lanes4", MET_VERDICT_UNKNOWN, MET_FIELD_START},
        {"lanes4, undeclared start", "pairwise, undeclared contraction", MET_VERDICT_DIFFERENT, MET_FIELD_LEVELS},
        {"pairwise, undeclared start contraction", "butterfly", MET_VERDICT_SAME, MET_FIELD_NONE},
        {"lanes4, undeclared flush rounding", "lanes4, first", MET_VERDICT_UNKNOWN, MET_FIELD_ROUNDING},
        {"lanes4, undeclared levels", "lanes4", MET_VERDICT_UNKNOWN, MET_FIELD_LEVELS},
    };
    met_arena *arena = met_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        met_tree a, b;
        assert_true(met_tree_parse(met_str_of(cases[i].a), MET_F32, &a) && met_tree_parse(met_str_of(cases[i].b), MET_F32, &b));
        for (int turn = 0; turn < 2; turn++) {
            met_comparison got = turn ? met_tree_compare(arena, &b, &a, 24) : met_tree_compare(arena, &a, &b, 24);
            if (got.verdict != cases[i].verdict || got.field != cases[i].field) {
                fail_msg("%s | %s: %d, %s", cases[i].a, cases[i].b, (int)got.verdict, met_tree_field_name(got.field));
            }
        }
    }
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_decided), cmocka_unit_test(rare_pairs), cmocka_unit_test(undeclared_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
