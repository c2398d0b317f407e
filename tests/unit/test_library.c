/* Calling code that is not ours: what signatures mean, in every element, layout and place; and what becomes of routines that
 * crash, hang, end the process or change how floating point works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/command.h"
#include "host/library.h"
#include "support/foreign.h"

static const char *sums, *faults, *leaving, *flushing, *npy_sum;

static int begin(void **state)
{
    if (met_test_foreign_begin(state) != 0)
        return -1;
    sums = met_test_foreign(MET_TEST_DATA_DIR, "sums", "sums.so", "-shared");
    faults = met_test_foreign(MET_TEST_DATA_DIR, "faults", "faults.so", "-shared");
    leaving = met_test_foreign(MET_TEST_DATA_DIR, "faults", "leaving.so", "-shared -DMET_EXITS");
    flushing = met_test_foreign(MET_TEST_DATA_DIR, "faults", "flushing.so", "-shared -DMET_FLUSHES");
    npy_sum = met_test_foreign(MET_TEST_DATA_DIR, "npy_sum", "npy_sum", "");
    return sums && faults && leaving && flushing && npy_sum ? 0 : -1;
}

static void expect_error(met_session *session, const char *words)
{
    const char *text = met_session_diagnostics_text(session);
    assert_int_equal(met_session_error_count(session), 1);
    if (!strstr(text, words))
        fail_msg("`%s` is not in %s", words, text);
    met_session_clear_diagnostics(session);
}

/* --- Signatures --- */

static void refuses_signatures(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "", "a type is missing" },
        { "float", "`(` is missing" },
        { "float *(int n)", "returns an address" },
        { "float (int n, float *a", "`,` or `)` is missing" },
        { "float (int n, float *a) x", "something behind" },
        { "float (int n, struct *a)", "no type that can be passed" },
        { "float (int n, float *aa)", "nothing of this name" },
        { "float (int n, float a)", "passed by its address" },
        { "float (int n, int *a)", "operands and results are" },
        { "float (int n, float *a, float *a)", "passed already" },
        { "float (int n, float *a, double *b)", "different formats" },
        { "float (int n)", "`a` is not passed" },
        { "float (float *a)", "`n` is not passed" },
        { "void (int n, float *a)", "there is no result" },
        { "int (int n, float *a)", "there is no result" },
        { "float (int n, void, float *a)", "as void" },
        { "float (int 1.5, int n, float *a)", "no such number" },
        { "float (short 70000, int n, float *a)", "no such number" },
        { "float (int 1e300, int n, float *a)", "no such number" },
        { "float (f32 1e39, int n, float *a)", "no such number" },
        { "float (float unsigned, int n, float *a)", "nothing of this name" },
        { "float (bf16, int n, float *a)", "by address only" },
        { "by rows float (int n, float *a)", "goes with `columns`" },
        { "dot f13", "there is no shape" },
        { "float (int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int n, float *a)",
          "too many" },
    };
    met_session *session = met_session_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (met_call_signature_parse(session, cases[i].text))
            fail_msg("`%s` is taken", cases[i].text);
        expect_error(session, cases[i].words);
    }
    assert_null(met_call_signature_of(session, "cblas_xdot"));
    expect_error(session, "is not known");
    met_session_free(session);
}

/* No beginning of a signature is one, and none does harm. */
static void refuses_beginnings(void **state)
{
    (void)state;
    static const char text[] = "by columns void (char *'N', int 101, int *n, float -1.5e0, const f16 *a, long long lda, bf16 *out)";
    met_session *session = met_session_new();
    for (size_t length = 0; length < sizeof text - 1; length++) {
        char part[sizeof text];
        memcpy(part, text, length);
        part[length] = 0;
        assert_null(met_call_signature_parse(session, part));
    }
    met_session_clear_diagnostics(session);
    const met_call_signature *whole = met_call_signature_parse(session, text);
    assert_non_null(whole);
    assert_int_equal(whole->input, MET_F16);
    assert_int_equal(whole->output, MET_BF16);
    met_session_free(session);
}

/* --- Calls --- */

static met_foreign *open_routine(met_session *session, const char *library, const char *symbol, const char *signature,
                                 const met_foreign_shape *shape, const char *transpose, uint64_t offset)
{
    met_routine_request *request = met_session_alloc(session, 1, sizeof *request);
    *request = (met_routine_request){ .library = library, .symbol = symbol, .shape = *shape, .offset = offset, .limit_s = 10,
                                      .transpose_a = strchr(transpose, 'a') != NULL, .transpose_b = strchr(transpose, 'b') != NULL };
    request->signature = signature ? met_call_signature_parse(session, signature) : met_call_signature_of(session, symbol);
    assert_non_null(request->signature);
    return met_routine_open(session, request);
}

/* Small integers: any order of additions gives the exact sum, here 10 c + Σ (i + 1)(2 i − 3). */
static void expect_sum(met_foreign *foreign, double c)
{
    double a[16], b[16], sum = c, got;
    assert_non_null(foreign);
    for (int i = 0; i < (int)foreign->probe.n; i++) {
        a[i] = i + 1;
        b[i] = foreign->probe.kind == MET_PROBE_DOT ? 2 * i - 3 : 1;
        sum += a[i] * b[i];
    }
    assert_true(foreign->probe.run(foreign->probe.context, a, b, c, &got));
    if (got != sum)
        fail_msg("%g instead of %g", got, sum);
    foreign->close(foreign);
}

static void calls_as_signatures_say(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_foreign_shape one = { 1, 1, 0, 0, 11, false };
    expect_sum(open_routine(session, sums, "in_order", "dot f32", &one, "", 0), 0);
    expect_sum(open_routine(session, sums, "in_order", "float (int64_t n, const float *a, float const *b)", &one, "", 3), 0);
    expect_sum(open_routine(session, sums, "halves", "sum f32", &one, "", 1), 0);
    expect_sum(open_routine(session, sums, "rows_by_vector", OF_ROWS_BY_VECTOR, &one, "", 0), 0);
    met_session_free(session);
}

/* Every element of a product, whatever is stored how, and what else stands there does not matter. */
static void finds_every_element(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    for (uint64_t row = 0; row < 3; row++)
        for (int accumulates = 0; accumulates < 2; accumulates++) {
            met_foreign_shape shape = { 3, 1, row, 0, 5, accumulates };
            expect_sum(open_routine(session, sums, "rows_by_vector", OF_ROWS_BY_VECTOR, &shape, "", row), accumulates * 10);
            for (uint64_t column = 0; column < 2; column++) {
                shape = (met_foreign_shape){ 3, 2, row, column, 7, accumulates };
                expect_sum(open_routine(session, sums, "product_", OF_PRODUCT, &shape, column ? "a" : "", 0), accumulates * 10);
            }
        }
    met_session_free(session);
}

/* The same for a library, where there is one. */
static void calls_openblas(void **state)
{
    (void)state;
    static const char library[] = "libopenblas.so.0";
    static const char *const symbols[] = { "cblas_sgemm", "cblas_dgemm", "sgemm_", "dgemm_", "cblas_sgemv", "dgemv_" };
    met_session *session = met_session_new();
    const met_foreign_shape one = { 1, 1, 0, 0, 16, false };
    met_foreign *dot = open_routine(session, library, "cblas_sdot", NULL, &one, "", 0);
    if (!dot) {
        printf("skipped: %s\n", met_session_diagnostics_text(session));
        met_session_free(session);
        skip();
        return;
    }
    expect_sum(dot, 0);
    expect_sum(open_routine(session, library, "ddot_", NULL, &one, "", 1), 0);
    const met_foreign_shape started = { 1, 1, 0, 0, 16, true };
    expect_sum(open_routine(session, library, "cblas_sdsdot", NULL, &started, "", 0), 3);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        for (int t = 0; t < 8; t++) {
            bool product = strstr(symbols[i], "gemm") != NULL;
            met_foreign_shape shape = { 3, product ? 4 : 1, 2, product ? 1 : 0, 9, t & 4 };
            const char *transpose = (t & 3) == 3 ? "ab" : t & 2 ? "b" : t & 1 ? "a" : "";
            if (product || !strchr(transpose, 'b'))
                expect_sum(open_routine(session, library, symbols[i], NULL, &shape, transpose, 0), t & 4 ? 5 : 0);
        }
    met_session_free(session);
}

/* --- Faults --- */

static void expect_fault(const char *library, const char *symbol, double limit_s, const char *words)
{
    met_session *session = met_session_new();
    met_routine_request request = { .library = library, .symbol = symbol, .signature = met_call_signature_parse(session, "sum f32"),
                                    .shape = { 1, 1, 0, 0, 3, false }, .limit_s = limit_s };
    met_foreign *foreign = met_routine_open(session, &request);
    double a[3] = { 1, 2, 3 }, got;
    if (foreign) {
        assert_false(foreign->probe.run(foreign->probe.context, a, NULL, 0, &got));
        expect_error(session, words);
        assert_false(foreign->probe.run(foreign->probe.context, a, NULL, 0, &got)); /* and says it once */
        assert_int_equal(met_session_error_count(session), 0);
        foreign->close(foreign);
    } else {
        expect_error(session, words);
    }
    met_session_free(session);
}

static void survives_faults(void **state)
{
    (void)state;
    expect_fault(faults, "crashes", 10, "`crashes` crashed in a call: Segmentation fault");
    expect_fault(faults, "hangs", 0.2, "`hangs` took more than 0.2 s in a call");
    expect_fault(faults, "exits", 10, "`exits` ended the process in a call, with status 7");
    expect_fault(faults, "complains", 10, "it said: the operand? is wrong\n");
    expect_fault(leaving, "plain", 10, "`plain` ended the process while it was loaded, with status 5");
    expect_fault(faults, "absent", 10, "has no `absent`");
    expect_fault("/no/such/library.so", "plain", 10, "cannot load `/no/such/library.so`");
}

static void prints_nothing_of_theirs(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_foreign_shape one = { 1, 1, 0, 0, 11, false };
    expect_sum(open_routine(session, faults, "prints", "sum f32", &one, "", 0), 0);
    met_session_free(session);
}

static void sees_flushing(void **state)
{
    (void)state;
#ifndef __SSE2__
    skip();
#else
    met_session *session = met_session_new();
    const met_foreign_shape one = { 1, 1, 0, 0, 2, false };
    double a[2] = { 0x1p-130, 0 }, got;
    met_foreign *plain = open_routine(session, faults, "plain", "sum f32", &one, "", 0);
    met_foreign *flushed = open_routine(session, flushing, "plain", "sum f32", &one, "", 0);
    met_foreign *later = open_routine(session, faults, "flushes_later", "sum f32", &one, "", 0);
    assert_true(plain->probe.run(plain->probe.context, a, NULL, 0, &got));
    assert_true(got == 0x1p-130);
    assert_null(plain->fault_loaded(plain));
    assert_null(plain->fault_called(plain));
    assert_true(flushed->probe.run(flushed->probe.context, a, NULL, 0, &got));
    assert_true(got == 0);
    assert_non_null(flushed->fault_loaded(flushed));
    assert_null(flushed->fault_called(flushed));
    assert_true(later->probe.run(later->probe.context, a, NULL, 0, &got));
    assert_null(later->fault_loaded(later));
    assert_non_null(later->fault_called(later));
    plain->close(plain);
    flushed->close(flushed);
    later->close(later);
    met_session_free(session);
#endif
}

/* --- Programs --- */

static met_foreign *open_program(met_session *session, const char *arguments, double limit_s, uint64_t calls, bool accumulates)
{
    char line[256];
    snprintf(line, sizeof line, "'%s' %s", npy_sum, arguments);
    char *kept = met_session_alloc(session, strlen(line) + 1, 1);
    strcpy(kept, line);
    met_command_request *request = met_session_alloc(session, 1, sizeof *request);
    *request = (met_command_request){ .command = kept, .shape = { 1, 1, 0, 0, 11, accumulates }, .dtype = MET_F32,
                                      .call_limit = calls, .limit_s = limit_s };
    return met_command_open(session, request);
}

static void runs_programs(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *words;
    } wrong[] = {
        { "bad {in} {out}", "no such thing" },      { "many {in} {out}", "2 elements instead of 1" },
        { "slow {in} {out}", "did not end within" }, { "{out}", "reads nothing" },
        { "{in}", "writes nothing" },                { "'{in} {out}", "open quote" },
        { "/dev/null {out} {in}", "ended with status 9" },
    };
    met_session *session = met_session_new();
    expect_sum(open_program(session, "{in} {out}", 10, 9, false), 0);
    expect_sum(open_program(session, "{a} {b} {c} {out}", 10, 9, true), 5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(open_program(session, wrong[i].arguments, 0.3, 9, false));
        expect_error(session, wrong[i].words);
    }
    met_foreign *twice = open_program(session, "{in} {out}", 10, 2, false);
    double a[11] = { 0 }, got;
    assert_true(twice->probe.run(twice->probe.context, a, NULL, 0, &got));
    assert_false(twice->probe.run(twice->probe.context, a, NULL, 0, &got));
    expect_error(session, "2 calls of");
    twice->close(twice);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_signatures),   cmocka_unit_test(refuses_beginnings), cmocka_unit_test(calls_as_signatures_say),
        cmocka_unit_test(finds_every_element),  cmocka_unit_test(calls_openblas),     cmocka_unit_test(survives_faults),
        cmocka_unit_test(prints_nothing_of_theirs), cmocka_unit_test(sees_flushing),  cmocka_unit_test(runs_programs),
    };
    return cmocka_run_group_tests(tests, begin, met_test_foreign_end);
}
