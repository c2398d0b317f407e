/* Lengths that cannot be written out: folds of a few terms among many are those of number/fold.h; what has one normal form by its
 * words has one by its steps; and comparisons there say what both records do, and say it with a few terms. */
#include <math.h>

#include "cases.h"

#include "number/fold.h"
#include "number/fold_few.h"
#include "number/tree_compare.h"
#include "number/tree_normal.h"
#include "random_records.h"

#include "on_arena.h"

enum { MOST = 24 };

static met_tree record_of(const char *text)
{
    met_tree tree;
    assert_true(met_tree_parse(met_str_of(text), MET_F32, &tree));
    return tree;
}

static double number(random_source *r)
{
    double value = ldexp((double)(int64_t)random_next(r), -63 - (int)random_below(r, 20));
    return random_below(r, 9) ? (double)(float)value : random_below(r, 2) ? -0.0 : 0;
}

static void expect_few(random_source *r, const met_tree *tree, uint32_t n, bool sum)
{
    uint64_t at[MOST];
    double a[MOST], b[MOST];
    uint32_t count = 0;
    met_fold *fold = met_fold_new(arena, tree, MET_MONOID_ADD, n);
    for (uint32_t i = 0; i < n && count < MOST; i++) {
        if (random_below(r, 1 + n / 16)) {
            continue;
        }
        at[count] = i;
        a[count] = number(r);
        b[count] = sum ? 1 : number(r);
        if (sum) {
            met_fold_push(fold, i, a[count]);
        } else {
            met_fold_push_product(fold, i, a[count], b[count]);
        }
        count++;
    }
    met_fold_few *few = met_fold_few_new(arena, tree, n, MOST);
    for (int again = 0; again < 2; again++) {
        double want = again ? met_fold_few_run(few, sum, count, at, a, b) : met_fold_end(fold), got = met_fold_few_run(few, sum, count, at, a, b);
        if (met_bits_f64(want) != met_bits_f64(got)) {
            met_text text = met_text_new(arena);
            met_tree_print(&text, tree, MET_F32);
            fail_msg("%s at %u, %u there: %a, not %a", met_text_done(&text), n, count, got, want);
        }
    }
}

static void few_terms_fold_as_all_do(void **state)
{
    enum { RECORDS = 8000 };
    random_source r = {5};
    (void)state;
    for (int i = 0; i < RECORDS; i++) {
        uint32_t n = 1 + (uint32_t)random_below(&r, random_below(&r, 3) ? 40 : 600);
        met_tree tree = random_record(&r, arena, n, false);
        if (!tree.written) {
            expect_few(&r, &tree, n, random_below(&r, 3) == 0);
        }
        if (i % 64 == 0) {
            teardown(NULL);
            setup(NULL);
        }
    }
}

/* Two records of which one is the other with another width, order, tail or contraction, now and then the same by its words. */
static met_tree changed(random_source *r, const met_tree *tree, uint32_t n)
{
    met_tree other = random_record(r, arena, n, false), made = *tree;
    int level = made.level_count ? (int)random_below(r, made.level_count) : 0;
    switch (random_below(r, 6)) {
    case 0:
        made.levels[level].width = 1 + random_below(r, n + 2);
        break;
    case 1:
        made.levels[level].layout ^= 1;
        break;
    case 2:
        made.levels[level].order = (uint8_t)random_below(r, 8);
        break;
    case 3:
        made.combine = (uint8_t)random_below(r, 8);
        break;
    case 4:
        memcpy(made.tails, other.tails, sizeof made.tails);
        made.tail_count = other.tail_count;
        break;
    default:
        made.contraction ^= 1;
        made.start ^= (uint8_t)random_below(r, 2);
    }
    return met_tree_valid(&made) ? made : *tree;
}

static void one_normal_form_is_one_record(void **state)
{
    enum { PAIRS = 12000 };
    static const met_dtype dtypes[] = {MET_F32, MET_F16, MET_BF16, MET_E4M3};
    random_source r = {11};
    uint32_t one = 0;
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        uint32_t n = 1 + (uint32_t)random_below(&r, 24);
        met_operands operands = {.dtype = dtypes[random_below(&r, 4)], .sum = random_below(&r, 4) == 0};
        met_tree a = random_record(&r, arena, n, false), b = changed(&r, &a, n);
        met_tree x = met_tree_normal(&a, n, operands), y = met_tree_normal(&b, n, operands);
        if (!a.written && !met_tree_equal(&a, &b) && met_tree_equal(&x, &y)) {
            one++;
            assert_int_equal(met_tree_compare_operands(arena, &a, &b, n, operands).verdict, MET_VERDICT_SAME);
        }
        if (i % 64 == 0) {
            teardown(NULL);
            setup(NULL);
        }
    }
    assert_true(one > PAIRS / 20);
}

typedef struct long_case {
    const char *a, *b;
    uint64_t n;
    met_dtype dtype;
    met_verdict verdict;
    met_tree_field field;
} long_case;

static const long_case long_cases[] = {
    {"lanes16", "lanes32", (1 << 20) + 1, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_LEVELS},
    {"lanes16", "lanes32", UINT64_C(1) << 60, MET_E5M2, MET_VERDICT_DIFFERENT, MET_FIELD_LEVELS},
    {"pairwise", "lanes16", UINT64_C(1) << 40, MET_BF16, MET_VERDICT_DIFFERENT, MET_FIELD_LEVELS},
    {"halves", "halves_up", 3000001, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_COMBINE},
    {"halves", "adjacent", UINT64_C(1) << 30, MET_F32, MET_VERDICT_SAME, MET_FIELD_NONE},
    {"contiguous n/256 sequential split then pairwise", "contiguous 16384 sequential split then butterfly", 1 << 22, MET_F32, MET_VERDICT_SAME, MET_FIELD_NONE},
    {"contiguous n/256 sequential split then pairwise", "contiguous 16384 sequential split then butterfly", (1 << 22) + 1, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_LEVELS},
    {"lanes16, tail after 16", "lanes16", UINT64_C(1) << 50, MET_F32, MET_VERDICT_SAME, MET_FIELD_NONE},
    {"lanes16, tail after 16", "lanes16, tail apart 16", (UINT64_C(1) << 50) + 5, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_TAIL},
    {"sequential, mul_add", "sequential", 1 << 24, MET_F16, MET_VERDICT_SAME, MET_FIELD_NONE},
    {"sequential, mul_add", "sequential", 1 << 30, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_CONTRACTION},
    {"sequential, matrix 16 F25 rz", "sequential, matrix 8 F25 rz", 1 << 30, MET_F16, MET_VERDICT_DIFFERENT, MET_FIELD_MMA},
    {"lanes8, store bf16", "lanes8", 1 << 30, MET_F16, MET_VERDICT_DIFFERENT, MET_FIELD_ROUNDING},
    {"lanes16, first", "lanes16", 2000000, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_START}, /* if all terms are −0 */
    {"lanes16, flush", "lanes16", 2000000, MET_F32, MET_VERDICT_DIFFERENT, MET_FIELD_FLUSH},
    {"lanes16, rescale pow2", "lanes16", 1 << 30, MET_F32, MET_VERDICT_SAME, MET_FIELD_NONE},
};

static void expect_long(const long_case *of)
{
    met_tree a = record_of(of->a), b = record_of(of->b);
    met_comparison got = met_tree_compare_operands(arena, &a, &b, of->n, (met_operands){.dtype = of->dtype});
    const met_witness_run *run = &got.run;
    if (got.verdict != of->verdict || got.field != of->field) {
        fail_msg("%s, %s: %d, %s", of->a, of->b, got.verdict, met_tree_field_name(got.field));
    }
    assert_int_equal(got.has_run, of->verdict == MET_VERDICT_DIFFERENT);
    for (uint64_t i = 0; i < run->count; i++) {
        assert_true(run->at[i] < of->n && (i == 0 || run->at[i] > run->at[i - 1]));
        assert_true(met_round(of->dtype, run->a[i]) == run->a[i] && met_round(of->dtype, run->b[i]) == run->b[i]);
    }
}

/* Every term of the input, by number/fold.h. */
static double run_all(const met_tree *tree, uint64_t n, const met_witness_run *run)
{
    met_fold *fold = met_fold_new(arena, tree, MET_MONOID_ADD, n);
    for (uint64_t i = 0, next = 0; i < n; i++) {
        bool live = next < run->count && run->at[next] == i;
        met_fold_push_product(fold, i, live ? run->a[next] : run->rest, live ? run->b[next] : 1);
        next += live;
    }
    return met_fold_end(fold);
}

static void long_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++) {
        expect_long(&long_cases[i]);
    }
}

/* All terms are run, zeros included: what the result says of them holds. */
static void long_inputs_hold(void **state)
{
    enum { PAIRS = 24 };
    random_source r = {3};
    uint32_t different = 0;
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        uint64_t n = MET_BRACKETING_LEAVES + 1 + random_below(&r, 20);
        met_tree a = random_record(&r, arena, 64, false), b = changed(&r, &a, 64);
        met_comparison got = a.written ? (met_comparison){0} : met_tree_compare(arena, &a, &b, n);
        if (got.has_run && got.field != MET_FIELD_RESCALE) {
            different++;
            double x = run_all(&a, n, &got.run), y = run_all(&b, n, &got.run);
            if (met_bits_f64(x) != met_bits_f64(got.run.result_a) || met_bits_f64(y) != met_bits_f64(got.run.result_b)) {
                met_text text = met_text_new(arena);
                met_tree_print(&text, &a, MET_F32);
                met_text_put(&text, " and ");
                met_tree_print(&text, &b, MET_F32);
                fail_msg("%s at %llu: %a, %a, not %a, %a", met_text_done(&text), (unsigned long long)n, x, y, got.run.result_a, got.run.result_b);
            }
        }
        teardown(NULL);
        setup(NULL);
    }
    assert_true(different > PAIRS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_terms_fold_as_all_do), cmocka_unit_test(one_normal_form_is_one_record),
        cmocka_unit_test(long_lengths),             cmocka_unit_test(long_inputs_hold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
