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
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_decided), cmocka_unit_test(undeclared_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
