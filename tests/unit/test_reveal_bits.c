/* What is called a tree or a rule gives the bits of the subject: black boxes that are nearly a record, and are none or another
 * one. */
#include "reveal_subjects.h"

#include "number/tree_compare.h"

#include "on_arena.h"

typedef bool (*box_fn)(void *context, const double *a, const double *b, double c, double *ret_result);

static met_revealed reveal_box(box_fn run, met_probe_kind kind, uint64_t n)
{
    met_black_box probe = {.kind = kind, .n = n, .input = MET_F32, .output = MET_F32, .run = run, .context = &n};
    return met_reveal(arena, &probe, MET_REVEAL_AUTO, 7);
}

static uint64_t length_of(const void *context)
{
    return *(const uint64_t *)context;
}

/* A term's product in double, where it is exact. */
static double term(const double *a, const double *b, uint64_t i)
{
    return a[i] * (b ? b[i] : 1);
}

/* --- Rules --- */

static bool every_third_rounded(void *context, const double *a, const double *b, double c, double *ret_result)
{
    float sum = 0;
    (void)c;
    for (uint64_t i = 0; i < length_of(context); i++) {
        volatile float product = (float)a[i] * (float)b[i];
        sum = i % 3 ? fmaf((float)a[i], (float)b[i], sum) : sum + product;
    }
    *ret_result = (double)sum;
    return true;
}

static bool last_to_first(void *context, const double *a, const double *b, double c, double *ret_result)
{
    float sum = 0;
    (void)c;
    for (uint64_t i = length_of(context); i-- > 0;) {
        volatile float product = (float)a[i] * (b ? (float)b[i] : 1);
        sum += product;
    }
    *ret_result = (double)sum;
    return true;
}

/* Stored in bf16 after every step, and before the first. */
static bool stored(void *context, const double *a, const double *b, double c, double *ret_result)
{
    double sum = 0;
    (void)c;
    for (uint64_t i = 0; i < length_of(context); i++) {
        double product = met_round(MET_BF16, met_round(MET_F32, term(a, b, i)));
        sum = i == 0 ? product : met_round(MET_BF16, met_round(MET_F32, sum + product));
    }
    *ret_result = sum;
    return true;
}

static void assert_same(const met_tree *rule, const met_revealed *got)
{
    met_tree x = *rule, y = got->tree;
    x.undeclared = y.undeclared = 0; /* as of sums, whose products nobody can tell */
    met_comparison found = met_tree_compare_operands(arena, &x, &y, got->shape->leaf_count, got->operands);
    bool open = got->tree.undeclared >> MET_FIELD_START & 1, sign = found.has_run && found.run.result_a == 0 && found.run.result_b == 0;
    if (found.verdict != MET_VERDICT_SAME && !(open && (found.only_below || sign))) {
        met_text text = met_text_new(arena);
        met_tree_print(&text, rule, MET_F32);
        met_text_put(&text, " is not ");
        met_tree_print(&text, &got->tree, MET_F32);
        fail_msg("%s: %s", met_text_done(&text), met_tree_field_name(found.field));
    }
}

/* A rule has the bits of the tree that it is said of, at one length and at several. */
static void test_rule_is_the_tree(void **state)
{
    static const struct {
        box_fn run;
        bool has_rule; /* at lengths from 8 on */
    } boxes[] = {{every_third_rounded, false}, {last_to_first, true}, {stored, true}};
    (void)state;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        for (int kind = boxes[i].run == every_third_rounded ? MET_PROBE_DOT : MET_PROBE_SUM; kind <= MET_PROBE_DOT; kind++) {
            met_revealed got[9];
            const met_revealed *at[9];
            met_tree rule;
            for (uint64_t n = 2; n < 9; n++) {
                got[n] = reveal_box(boxes[i].run, (met_probe_kind)kind, n);
                at[n] = &got[n];
                assert_int_equal(got[n].verdict, MET_REVEAL_TREE);
                if (met_reveal_rule(arena, 1, &at[n], &rule)) {
                    assert_same(&rule, &got[n]);
                }
            }
            assert_int_equal(met_reveal_rule(arena, 1, &at[8], &rule), boxes[i].has_rule);
            assert_int_equal(met_reveal_rule(arena, 2, &at[7], &rule), boxes[i].has_rule);
            if (boxes[i].has_rule) {
                assert_same(&rule, &got[7]);
                assert_same(&rule, &got[8]);
            }
        }
    }
}

/* --- Additions that no record has --- */

static double flushed(double value)
{
    return fabs(value) < 0x1p-126 ? copysign(0, value) : value;
}

/* As code with -ffast-math: operands and result lose their subnormals where they are converted. */
static bool flushed_double(void *context, const double *a, const double *b, double c, double *ret_result)
{
    double sum = 0;
    (void)c;
    for (uint64_t i = 0; i < length_of(context); i++) {
        sum += flushed(a[i]) * (b ? flushed(b[i]) : 1);
    }
    *ret_result = flushed((double)(float)sum);
    return true;
}

static void test_no_record(void **state)
{
    (void)state;
    for (uint64_t n = 2; n < 12; n += 3) {
        met_revealed got = reveal_box(flushed_double, MET_PROBE_DOT, n);
        assert_int_equal(got.verdict, MET_REVEAL_NOT_A_TREE);
        assert_string_equal(got.why, "a sum in f64 of which subnormals of f32 are flushed");
    }
}

/* --- Trees on most inputs --- */

static double sum_of(const void *context, const double *a, const double *b, double (*step)(double sum, double product))
{
    double sum = 0;
    for (uint64_t i = 0; i < length_of(context); i++) {
        sum = step(sum, met_round(MET_F32, term(a, b, i)));
    }
    return sum;
}

static double saturated(double sum, double product)
{
    return fmin(fmax(met_round(MET_F32, sum + product), -1e30), 1e30);
}

/* Toward zero, from what double has: it has lost what is far below. */
static double cut_in_double(double sum, double product)
{
    double exact = sum + product, nearest = (double)(float)exact;
    return fabs(nearest) > fabs(exact) ? (double)nextafterf((float)exact, 0) : nearest;
}

static double flushed_early(double sum, double product)
{
    double next = met_round(MET_F32, sum + product);
    return fabs(next) < 0x1p-120 ? 0 : next;
}

static double plain(double sum, double product)
{
    return met_round(MET_F32, sum + product);
}

static double fixed_point(double sum, double product)
{
    return sum + nearbyint(product * 0x1p12) * 0x1p-12;
}

static bool saturates(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)c;
    *ret_result = sum_of(context, a, b, saturated);
    return true;
}

static bool cuts_in_double(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)c;
    *ret_result = sum_of(context, a, b, cut_in_double);
    return true;
}

static bool flushes_early(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)c;
    *ret_result = sum_of(context, a, b, flushed_early);
    return true;
}

static bool there_and_back(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)c;
    volatile float up = (float)sum_of(context, a, b, plain) * 1.0000001f;
    *ret_result = (double)(up / 1.0000001f);
    return true;
}

static bool in_fixed_point(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)c;
    *ret_result = met_round(MET_F32, sum_of(context, a, b, fixed_point));
    return true;
}

static bool never_a_number(void *context, const double *a, const double *b, double c, double *ret_result)
{
    (void)context, (void)a, (void)b, (void)c;
    *ret_result = (double)NAN;
    return true;
}

/* Each is a tree on ordinary inputs, or none at all; the order of none depends on the data. */
static void test_nearly_trees(void **state)
{
    static const box_fn boxes[] = {saturates, cuts_in_double, flushes_early, there_and_back, in_fixed_point, never_a_number};
    (void)state;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        for (int kind = MET_PROBE_SUM; kind <= MET_PROBE_DOT; kind++) {
            met_revealed got = reveal_box(boxes[i], (met_probe_kind)kind, 9);
            if (got.verdict != MET_REVEAL_NOT_A_TREE || strstr(got.why, "order depends") || strstr(got.why, "as good as exact")) {
                fail_msg("box %zu, kind %d: %s", i, kind, got.why ? got.why : "a tree");
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule_is_the_tree),
        cmocka_unit_test(test_no_record),
        cmocka_unit_test(test_nearly_trees),
    };
    return cmocka_run_group_tests_name("reveal_bits", tests, setup, teardown);
}
