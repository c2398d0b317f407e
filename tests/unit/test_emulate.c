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

/* What no recording shows is what the header of the unit says, in circuits too: a NaN, infinities that do not agree and zero times
 * one are the canonical NaN, and stay in their own results; sums too large are the largest number, as they are cut. */
static void what_is_not_finite(void **state)
{
    (void)state;
    enum { ROWS = 5, K = 40 };
    static const uint32_t wanted[ROWS] = { 0x7fc00000, 0x7fc00000, 0x7f800000, 0x7f7fffff, 0x42200000 };
    met_tensor *x = matrix("bf16", ROWS, K), *w = matrix("bf16", 1, K);
    for (size_t i = 0; i < (size_t)ROWS * K; i++)
        x->values[i] = w->values[i % K] = 1;
    x->values[20] = (double)-NAN;
    x->values[K + 3] = (double)INFINITY;
    x->values[K + 30] = (double)-INFINITY;
    x->values[2 * K + 30] = (double)INFINITY;
    x->values[3 * K] = x->values[3 * K + 1] = 0x1p127;
    const met_named_tensor ins[] = { { "x", x }, { "w", w } };
    const met_outcome *outcome = emulate("x: bf16[n k]\nw: bf16[m k]\ny = einsum['n k, m k -> n m'](x, w) : f32", "", "h100-sxm", &(met_eval_options){ 0 }, 2, ins);
    assert_null(outcome->emulated[0].why);
    for (size_t n = 0; n < ROWS; n++) {
        uint32_t bits;
        memcpy(&bits, outcome->bytes[0].at + n * sizeof bits, sizeof bits);
        assert_int_equal(bits, wanted[n]);
    }
}

/* --- Codes --- */

/* Values of codes and scales, such that quantizing them finds both again: every group holds the largest code, and, under second
 * scales, every row a group with the largest scale. */
typedef struct coded {
    double *codes, *scales, *seconds;
    met_tensor *values;
} coded;

static uint64_t step(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

typedef enum above { NO_SECOND, ONE_A_ROW, ONE_IN_ALL } above;

static coded make_codes(const char *format, met_dtype element, above second, size_t rows, size_t columns, size_t tall, size_t wide, uint64_t seed)
{
    coded c = { MET_NEW_ARRAY(session->arena, double, rows *columns), MET_NEW_ARRAY(session->arena, double, rows *columns),
                MET_NEW_ARRAY(session->arena, double, rows *columns), matrix(format, rows, columns) };
    double largest = met_dtype_limits(element).max;
    for (size_t row = 0; row < rows; row += tall)
        for (size_t column = 0; column < columns; column += wide) {
            double scale = (double)(float)((double)(step(&seed) + 1) * 0x1p-34);
            double over = second == ONE_A_ROW ? (double)(0.0123f + (float)row) : second == ONE_IN_ALL ? (double)0.0777f : 1;
            if (second)
                scale = column == 0 ? 448 : met_round(MET_E4M3, (double)(step(&seed) % 400 + 1));
            for (size_t r = row; r < row + tall && r < rows; r++)
                for (size_t k = column; k < column + wide && k < columns; k++) {
                    size_t i = r * columns + k;
                    c.codes[i] = r == row && k == column + 3 ? largest : met_round(element, ldexp((double)step(&seed) * 0x1p-30 - 1, (int)(step(&seed) % 5) - 2));
                    c.scales[i] = scale;
                    c.seconds[i] = over;
                    c.values->values[i] = c.codes[i] * scale * over;
                }
        }
    return c;
}

/* One result by hand: groups of codes in whole instructions from zero, scaled in f32 where they join. */
static float by_groups(const met_lkb_unit *unit, const coded *x, size_t at, const coded *w, size_t of, size_t terms, size_t group)
{
    float sum = 0;
    for (size_t k = 0; k < terms; k += group) {
        float part = met_matrix_run(&unit->instruction, group, x->codes + at + k, w->codes + of + k, 0);
        sum = fmaf((float)(x->scales[at + k] * w->scales[of + k]), part, sum);
    }
    return sum * (float)(x->seconds[at] * w->seconds[of]);
}

/* Operands with scales go as families say: fp8 in groups and blocks, by row, as a whole; nvfp4, of which e4m3 holds the codes. */
static void codes_are_scaled_by_groups(void **state)
{
    (void)state;
    enum { N = 3, K = 384, M = 4, ALL = 1000 };
    static const struct {
        const char *device, *gpu, *activation, *weight;
        met_dtype element;
        size_t x_tall, x_wide, w_tall, w_wide, group;
        bool second;
    } cases[] = {
        { "h100-sxm", "h100", "fp8/g128", "fp8/block128x128", MET_E4M3, 1, 128, 128, 128, 128, false },
        { "h100-sxm", "h100", "fp8/token", "fp8/token", MET_E4M3, 1, K, 1, K, K, false },
        { "h100-sxm", "h100", "fp8/tensor", "fp8/tensor", MET_E4M3, ALL, ALL, ALL, ALL, K, false },
        { "b200", "b200", "fp8/g128", "fp8/block128x128", MET_E4M3, 1, 128, 128, 128, 128, false },
        { "h100-sxm", "h100", "nvfp4/g16", "nvfp4/g16", MET_E2M1, 1, 16, 1, 16, 16, true },
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        const met_lkb_unit *unit = unit_of(cases[t].gpu, "e4m3");
        coded x = make_codes(cases[t].activation, cases[t].element, cases[t].second ? ONE_A_ROW : NO_SECOND, N, K, cases[t].x_tall, cases[t].x_wide, 5);
        coded w = make_codes(cases[t].weight, cases[t].element, cases[t].second ? ONE_IN_ALL : NO_SECOND, M, K, cases[t].w_tall, cases[t].w_wide, 6);
        char program[160];
        snprintf(program, sizeof program, "x: %s[n k]\n@w: %s[m k]\ny = linear[k -> m](x, @w) : f32", cases[t].activation, cases[t].weight);
        const met_named_tensor ins[] = { { "x", x.values }, { "w", w.values } };
        const met_outcome *outcome = emulate(program, "", cases[t].device, &(met_eval_options){ .dtype = "bf16" }, 2, ins);
        assert_int_equal(outcome->emulated_count, 1);
        assert_null(outcome->emulated[0].why);
        size_t as_values = 0;
        for (size_t i = 0; i < (size_t)N * M; i++) {
            size_t at = i / M * K, of = i % M * K;
            float wanted = by_groups(unit, &x, at, &w, of, K, cases[t].group);
            assert_int_equal(met_bits_f32((float)outcome->result->arrays[0].tensor->values[i]), met_bits_f32(wanted));
            as_values += wanted == met_matrix_run(&unit->instruction, K, x.values->values + at, w.values->values + of, 0);
        }
        assert_true(as_values < (size_t)N * M); /* the test would see products of values */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_units),
        cmocka_unit_test(recorded_lines_come_out),
        cmocka_unit_test(others_are_listed),
        cmocka_unit_test(what_is_not_finite),
        cmocka_unit_test(codes_are_scaled_by_groups),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
