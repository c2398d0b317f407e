/* Revealing code that is not ours, from loading it to what is said of it: trees that are known because the test compiles
 * them, and code that has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "host/revealing.h"
#include "report/reveal.h"
#include "support/foreign.h"

static const char *sums, *flushing, *npy_sum;

static int begin(void **state)
{
    if (met_test_foreign_begin(state) != 0)
        return -1;
    sums = met_test_foreign(MET_TEST_DATA_DIR, "sums", "sums.so", "-shared");
    flushing = met_test_foreign(MET_TEST_DATA_DIR, "faults", "flushing.so", "-shared -DMET_FLUSHES");
    npy_sum = met_test_foreign(MET_TEST_DATA_DIR, "npy_sum", "npy_sum", "");
    return sums && flushing && npy_sum ? 0 : -1;
}

static const char *written(met_session *session, const met_reveal_case *c)
{
    met_text out = met_text_new(session->arena);
    met_reveal_print_tree(&out, c);
    return met_text_done(&out);
}

static met_revealing_request request_of(const char *symbol, const char *signature, uint64_t n)
{
    return (met_revealing_request){ .library = sums, .symbol = symbol, .signature = signature, .terms = { 1, { n } } };
}

/* --- Trees --- */

static void finds_known_trees(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *signature, *kind, *tree;
        int contraction; /* -1: there are no products, or they cannot be told */
        met_dtype precision;
    } cases[] = {
        { "in_order", "dot f32", NULL, "((((((0 1) 2) 3) 4) 5) 6)", MET_CONTRACT_MUL_ADD, MET_F32 },
        { "fused", "dot f32", NULL, "((((((0 1) 2) 3) 4) 5) 6)", MET_CONTRACT_FMA, MET_F32 },
        { "lanes4", "dot f32", NULL, "(((((0 2) (1 3)) 4) 5) 6)", MET_CONTRACT_MUL_ADD, MET_F32 },
        { "halves", "sum f32", NULL, "((0 (1 2)) ((3 4) (5 6)))", -1, MET_F32 },
        { "in_double", "dot f32", NULL, "((((((0 1) 2) 3) 4) 5) 6)", -1, MET_F64 },
        { "mean", "sum f32", "mean", "((((((0 1) 2) 3) 4) 5) 6)", -1, MET_DTYPE_COUNT },
        { "norm", "sum f32", "squares", "((((((0 1) 2) 3) 4) 5) 6)", -1, MET_DTYPE_COUNT },
        { "magnitudes", "float (int n, float *a, int)", "magnitudes", "((((((0 1) 2) 3) 4) 5) 6)", -1, MET_DTYPE_COUNT },
    };
    met_session *session = met_session_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_revealing_request request = request_of(cases[i].symbol, cases[i].signature, 7);
        request.kind = cases[i].kind;
        const met_revealing *found = met_revealing_run(session, &request);
        if (!found)
            fail_msg("%s: %s", cases[i].symbol, met_session_diagnostics_text(session));
        if (!met_revealing_is_tree(found))
            fail_msg("%s", met_revealing_conclusion_text(session, found));
        assert_string_equal(written(session, &found->cases[0]), cases[i].tree);
        if (cases[i].contraction >= 0)
            assert_int_equal(found->cases[0].revealed.tree.contraction, cases[i].contraction);
        if (cases[i].precision != MET_DTYPE_COUNT)
            assert_int_equal(found->cases[0].revealed.tree.precision, cases[i].precision);
    }
    met_session_free(session);
}

/* Where the result is added to what stands there. */
static void finds_where_c_joins(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_revealing_request request = request_of("rows_by_vector", OF_ROWS_BY_VECTOR, 7);
    request.row = 5;
    const met_revealing *found = met_revealing_run(session, &request);
    assert_non_null(found);
    assert_int_equal(found->cases[0].joint, MET_JOINT_LAST);
    request = request_of("product_", OF_PRODUCT, 7);
    request.rows = 3;
    request.columns = 2;
    request.column = 1;
    request.transpose = "a";
    found = met_revealing_run(session, &request);
    assert_non_null(found);
    assert_int_equal(found->cases[0].joint, MET_JOINT_FIRST);
    assert_string_equal(written(session, &found->cases[0]), "((((((0 1) 2) 3) 4) 5) 6)");
    met_session_free(session);
}

/* --- What has no tree --- */

static void says_what_is_no_tree(void **state)
{
    (void)state;
    static const struct {
        const char *symbol;
        met_reveal_verdict verdict;
    } cases[] = {
        { "compensated", MET_REVEAL_NOT_A_TREE }, { "largest_last", MET_REVEAL_NOT_A_TREE }, { "at_random", MET_REVEAL_UNSTABLE },
        { "mean", MET_REVEAL_NOT_A_TREE }, /* unless it is said that something divides */
    };
    met_session *session = met_session_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_revealing_request request = request_of(cases[i].symbol, "sum f32", 13);
        const met_revealing *found = met_revealing_run(session, &request);
        if (!found)
            fail_msg("%s", met_session_diagnostics_text(session));
        if (found->cases[0].revealed.verdict != cases[i].verdict)
            fail_msg("%s", met_revealing_conclusion_text(session, found));
        assert_false(met_revealing_is_tree(found));
        assert_int_equal(found->cases[0].alike, strcmp(cases[i].symbol, "at_random") != 0);
        assert_null(met_revealing_record(session, found));
    }
    met_session_free(session);
}

/* --- Changes --- */

/* The numbers of the cases that every case is like. */
static void expect_like(const met_revealing *found, size_t count, const size_t *like)
{
    assert_non_null(found);
    assert_int_equal(found->case_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(found->cases[i].like, like[i]);
}

static void sees_what_a_tree_depends_on(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_revealing_request request = request_of("by_place", "sum f32", 9);
    request.offsets = (met_counts){ 4, { 0, 1, 4, 5 } };
    const met_revealing *found = met_revealing_run(session, &request);
    expect_like(found, 4, (size_t[]){ 0, 1, 0, 1 });
    assert_non_null(strstr(met_revealing_conclusion_text(session, found), "first at n = 9, offset 1\n"));
    request = request_of("by_threads", "sum f32", 9);
    request.threads = (met_counts){ 2, { 1, 2 } };
    expect_like(met_revealing_run(session, &request), 2, (size_t[]){ 0, 1 });
    request = request_of("in_order", "dot f32", 9);
    request.threads = request.offsets = (met_counts){ 2, { 1, 2 } };
    expect_like(met_revealing_run(session, &request), 4, (size_t[]){ 0, 0, 0, 0 });
    met_session_free(session);
}

static void sees_where_rules_change(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_revealing_request request = request_of("by_length", "sum f32", 0);
    request.terms = (met_counts){ 5, { 5, 30, 31, 33, 63 } };
    const met_revealing *found = met_revealing_run(session, &request);
    assert_non_null(found);
    assert_int_equal(found->span_count, 2);
    assert_int_equal(found->spans[0].last, 2);
    assert_int_equal(found->spans[1].first, 3);
    assert_true(found->spans[0].has_rule && found->spans[1].has_rule);
    assert_int_equal(found->spans[0].rule.level_count, 0);
    assert_int_equal(met_tree_part_count(&found->spans[1].rule, 63), 2);
    request = request_of("lanes4", "dot f32", 0);
    request.terms = (met_counts){ 4, { 16, 19, 64, 65 } };
    found = met_revealing_run(session, &request);
    assert_non_null(found);
    assert_int_equal(found->span_count, 1);
    assert_true(found->spans[0].has_rule);
    assert_int_equal(found->spans[0].rule.tails[0].rule, MET_TAIL_AFTER);
    met_session_free(session);
}

static void sees_flushing(void **state)
{
    (void)state;
#ifndef __SSE2__
    skip();
#else
    met_session *session = met_session_new();
    met_revealing_request request = request_of("plain", "sum f32", 9);
    request.library = flushing;
    const met_revealing *found = met_revealing_run(session, &request);
    assert_non_null(found);
    assert_string_equal(found->cases[0].fault_loaded,
                        "subnormal operands are taken for zeros, and subnormal results flushed to zero");
    assert_int_equal(found->cases[0].revealed.tree.flush, MET_FLUSH_BOTH);
    met_session_free(session);
#endif
}

/* --- A library and a program --- */

static void reveals_openblas(void **state)
{
    (void)state;
    static const char *const symbols[] = { "cblas_sdot", "cblas_sgemv", "cblas_sgemm" };
    met_session *session = met_session_new();
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        met_revealing_request request = { .library = "libopenblas.so.0", .symbol = symbols[i], .terms = { 2, { 16, 100 } },
                                          .threads = { 1, { 1 } } };
        const met_revealing *found = met_revealing_run(session, &request);
        if (!found && i == 0) {
            printf("skipped: %s\n", met_session_diagnostics_text(session));
            met_session_free(session);
            skip();
            return;
        }
        assert_non_null(found);
        if (!met_revealing_is_tree(found))
            fail_msg("%s", met_revealing_conclusion_text(session, found));
    }
    met_session_free(session);
}

static void reveals_a_program(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    char line[256];
    snprintf(line, sizeof line, "%s {a} {b} {c} {out}", npy_sum);
    met_revealing_request request = { .command = line, .terms = { 1, { 5 } } };
    const met_revealing *found = met_revealing_run(session, &request);
    if (!found)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_true(met_revealing_is_tree(found));
    assert_string_equal(written(session, &found->cases[0]), "((((0 1) 2) 3) 4)");
    assert_int_equal(found->cases[0].joint, MET_JOINT_FIRST);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_trees),       cmocka_unit_test(finds_where_c_joins),
        cmocka_unit_test(says_what_is_no_tree),    cmocka_unit_test(sees_what_a_tree_depends_on),
        cmocka_unit_test(sees_where_rules_change), cmocka_unit_test(sees_flushing),
        cmocka_unit_test(reveals_openblas),        cmocka_unit_test(reveals_a_program),
    };
    return cmocka_run_group_tests(tests, begin, met_test_foreign_end);
}
