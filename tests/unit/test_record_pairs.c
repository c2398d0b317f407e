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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_decided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
