/* Revealing sums in which results of f32 meet in f64. */
#include "cases.h"

#include <math.h>

#include "number/bracketing.h"
#include "number/fold.h"
#include "random_records.h"
#include "reveal/reveal.h"

/* Blocks of 8 in four lanes of float; what is left over, and the whole, in double: as some libraries' sdot. */
static bool meets_in_double(void *context, const double *a, const double *b, double c, double *ret_result)
{
    uint64_t n = *(const uint64_t *)context, body = n - n % 8;
    float lane[4] = {0, 0, 0, 0};
    double rest = 0;
    (void)c;
    for (uint64_t i = 0; i < body; i++) {
        lane[i % 4] = fmaf((float)a[i], (float)b[i], lane[i % 4]);
    }
    for (uint64_t i = body; i < n; i++) {
        rest += (double)((float)a[i] * (float)b[i]);
    }
    *ret_result = (double)(float)((double)((lane[0] + lane[1]) + (lane[2] + lane[3])) + rest);
    return true;
}

static void test_meeting_in_double(void **state)
{
    static const uint64_t lengths[] = {6, 19, 60, 101};
    (void)state;
    met_arena *arena = met_arena_new();
    random_source r = {41};
    met_revealed got[4];
    for (size_t k = 0; k < 4; k++) {
        uint64_t n = lengths[k];
        met_black_box probe = {.kind = MET_PROBE_DOT, .n = n, .input = MET_F32, .output = MET_F32, .run = meets_in_double, .context = &n};
        got[k] = met_reveal(arena, &probe, MET_REVEAL_AUTO, 1);
        assert_int_equal(got[k].verdict, MET_REVEAL_TREE);
        assert_true(got[k].tree.combine_f64 && got[k].shape->leaf_count == n);
        for (int round = 0; round < 200; round++) {
            double a[101], b[101], result;
            for (uint64_t i = 0; i < n; i++) {
                a[i] = (double)(float)ldexp((double)(int64_t)random_next(&r), -60 - (int)random_below(&r, 8));
                b[i] = (double)(float)ldexp((double)(int64_t)random_next(&r), -60 - (int)random_below(&r, 8));
            }
            meets_in_double(&n, a, b, 0, &result);
            assert_int_equal(met_bits_f64(result), met_bits_f64(met_tree_dot(arena, &got[k].tree, n, a, b)));
        }
    }
    assert_non_null(got[0].tree.written); /* all of it is in double */
    met_tree rule;
    assert_true(met_reveal_rule(arena, 3, (const met_revealed *[]){&got[1], &got[2], &got[3]}, &rule));
    assert_int_equal(rule.tails[0].block, 8);
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meeting_in_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
