/* Emulated runs: contractions of circuits against the units' records, and against recorded results. */
#include "circuits.h"

#include <stdio.h>

#include "host/recording.h"
#include "host/subject.h"
#include "number/matrix_unit.h"
#include "parity/numerics.h"

#include "on_blueprint.h"

static const met_outcome *emulate(const char *program, const char *sizes, const char *hardware, const met_eval_options *options,
                                  size_t count, const met_named_tensor *ins)
{
    const met_subject *subject = met_subject_new(circuit_of(session, program, sizes), options, count, ins);
    const met_way way = { .planner = "greedy", .hardware = hardware, .lkb = lkb, .emulate = true };
    const met_outcome *outcome = subject ? met_subject_run(subject, &way) : NULL;
    if (!outcome)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return outcome;
}

static met_tensor *matrix(const char *format, uint64_t rows, uint64_t columns)
{
    uint64_t shape[] = { rows, columns };
    met_tensor *tensor = met_tensor_new(session, format, 2, shape);
    assert_non_null(tensor);
    return tensor;
}

/* Numbers of a format over many exponents. */
static void scatter(met_tensor *tensor, met_dtype dtype, uint64_t seed)
{
    for (size_t i = 0; i < tensor->count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int exponent = (int)(seed >> 60) - 8;
        tensor->values[i] = met_round(dtype, ldexp((double)(int32_t)(seed >> 24) * 0x1p-31, exponent));
    }
}

static const met_lkb_unit *unit_of(const char *gpu, const char *input)
{
    const met_lkb_unit *unit = met_lkb_unit_of(lkb, gpu, input, false);
    assert_non_null(unit);
    return unit;
}

/* A matrix product whose k is no whole number of nodes, by the class and by the unit of a GPU of it. */
static void products_are_the_units(void **state)
{
    (void)state;
    static const struct {
        const char *hardware, *gpu, *format;
        met_dtype dtype;
    } cases[] = { { "h100-sxm", "h100", "bf16", MET_BF16 }, { "h100-sxm", "h100", "f16", MET_F16 }, { "b200", "b200", "bf16", MET_BF16 } };
    enum { N = 7, K = 44, M = 5 };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        met_tensor *x = matrix(cases[t].format, N, K), *w = matrix(cases[t].format, M, K);
        scatter(x, cases[t].dtype, 3);
        scatter(w, cases[t].dtype, 4);
        char program[128];
        snprintf(program, sizeof program, "x: %s[n k]\nw: %s[m k]\ny = einsum['n k, m k -> n m'](x, w) : f32", cases[t].format, cases[t].format);
        const met_named_tensor ins[] = { { "x", x }, { "w", w } };
        const met_outcome *outcome = emulate(program, "", cases[t].hardware, &(met_eval_options){ 0 }, 2, ins);
        assert_int_equal(outcome->emulated_count, 1);
        assert_null(outcome->emulated[0].why);
        const met_lkb_unit *unit = unit_of(cases[t].gpu, cases[t].format);
        size_t as_in_order = 0;
        for (size_t i = 0; i < (size_t)N * M; i++) {
            const double *a = x->values + i / M * K, *b = w->values + i % M * K;
            float chain = 0;
            for (size_t k = 0; k < K; k++)
                chain = fmaf((float)a[k], (float)b[k], chain);
            assert_true(outcome->result->arrays[0].tensor->values[i] == (double)met_matrix_run(&unit->instruction, K, a, b, 0));
            as_in_order += outcome->result->arrays[0].tensor->values[i] == (double)chain;
        }
        assert_true(as_in_order < (size_t)N * M / 2); /* the test would see an fma chain */
    }
}

/* c as a sum of three products of bf16 or f16 numbers of `bits` bits, exact in one node: the accumulator of the next. */
static void put_c(met_dtype dtype, int bits, float c, double *a, double *b)
{
    double rest = (double)c;
    for (int i = 0; i < 3 && rest != 0; i++) {
        int exponent = ilogb(rest);
        double piece = ldexp(trunc(ldexp(rest, bits - 1 - exponent)), exponent - bits + 1);
        a[i] = ldexp(piece, -(exponent / 2));
        b[i] = ldexp(1, exponent / 2);
        assert_true(met_round(dtype, a[i]) == a[i] && met_round(dtype, b[i]) == b[i]);
        rest -= piece;
    }
    assert_true(rest == 0);
}

/* Recorded lines as a contraction of two arrays, on the class of their GPU: the hardware's results, bit for bit. */
static void expect_recorded(const char *directory, const char *format, met_dtype dtype, int bits)
{
    size_t count, checked = 0;
    enum { NODE = 16 };
    const met_recording *found = met_recordings_find(session, directory, &count);
    if (!found)
        fail_msg("%s", met_session_diagnostics_text(session));
    for (size_t r = 0; r < count; r++) {
        met_recorded lines;
        if (found[r].half)
            continue;
        assert_true(met_recording_read(session, &found[r], &lines));
        assert_int_equal(lines.terms, NODE);
        met_tensor *a = matrix(format, lines.lines, 2 * NODE), *b = matrix(format, lines.lines, 2 * NODE);
        for (size_t l = 0; l < lines.lines; l++) {
            double *x = a->values + l * 2 * NODE, *y = b->values + l * 2 * NODE;
            put_c(dtype, bits, met_value_f32(lines.c[l]), x, y);
            for (size_t k = 0; k < NODE; k++) {
                x[NODE + k] = (double)met_value_f32(lines.a[l * NODE + k]);
                y[NODE + k] = (double)met_value_f32(lines.b[l * NODE + k]);
            }
        }
        char program[128];
        snprintf(program, sizeof program, "a: %s[l k]\nb: %s[l k]\ny = einsum['l k, l k -> l'](a, b) : f32", format, format);
        const met_named_tensor ins[] = { { "a", a }, { "b", b } };
        const met_outcome *outcome = emulate(program, "", "h100-sxm", &(met_eval_options){ 0 }, 2, ins);
        for (size_t l = 0; l < lines.lines; l++, checked++)
            assert_int_equal(met_bits_f32((float)outcome->result->arrays[0].tensor->values[l]), lines.d[l]);
    }
    assert_true(checked > 0);
}

static void recorded_lines_come_out(void **state)
{
    (void)state;
    char path[1024];
    const char *root = getenv("MET_TESTDATA");
    expect_recorded(MET_TEST_DATA_DIR "/recorded/H100/bf16", "bf16", MET_BF16, 8);
    if (!root || !*root) {
        print_message("MET_TESTDATA is not set: lines of our own alone\n");
        return;
    }
    snprintf(path, sizeof path, "%s/tc_hw/sample/H100/bf16", root);
    expect_recorded(path, "bf16", MET_BF16, 8);
    snprintf(path, sizeof path, "%s/tc_hw/sample/H100/fp16", root);
    expect_recorded(path, "f16", MET_F16, 11);
}

/* Operands that the unit does not take go along the point's tree, with a word on it, and as the interpreter has them. */
static void others_are_listed(void **state)
{
    (void)state;
    static const char program[] = "x: n k\nlinear[k -> m](x)";
    const met_eval_options options = { .fill = "normal" };
    const met_outcome *outcome = emulate(program, "n=3,k=40,m=4", "h100-sxm", &options, 0, NULL);
    assert_int_equal(outcome->emulated_count, 1);
    assert_string_equal(outcome->emulated[0].why, "an operand is f32, and the unit takes f16, bf16");
    assert_null(outcome->emulated[0].tree_id);
    const met_subject *subject = met_subject_new(circuit_of(session, program, "n=3,k=40,m=4"), &options, 0, NULL);
    const met_outcome *plain = met_subject_run(subject, &(met_way){ .planner = "none", .hardware = "interpreter" });
    assert_memory_equal(outcome->bytes[0].at, plain->bytes[0].at, 12 * sizeof(float));
    for (uint32_t n = 0; n < outcome->numerics->settled->circuit->node_count; n++)
        assert_int_equal(outcome->numerics->nodes[n].source, MET_NUMERICS_UNDECLARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_units),
        cmocka_unit_test(recorded_lines_come_out),
        cmocka_unit_test(others_are_listed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
