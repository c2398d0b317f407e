/* Matrix units: nodes in integers against nodes in exact arithmetic, what recordings say, and what they do not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/process.h"
#include "host/replay.h"
#include "number/matrix_unit.h"
#include "support/random.h"

#include "on_blueprint.h"

/* --- Integers --- */

static met_matrix_unit random_unit(random_source *r)
{
    met_matrix_unit unit = { .width = (uint8_t)(1 + random_below(r, 8)), .fraction = (uint8_t)random_below(r, 61), .half = random_below(r, 4) == 0 };
    unit.final = (uint8_t)random_below(r, 4);
    if (unit.final == MET_RZ && !unit.half)
        unit.keep = (uint8_t)random_below(r, 24);
    assert_true(met_matrix_unit_valid(&unit));
    return unit;
}

/* Some spread of exponents around a center: zeros, what cancels, what is cut away, the ends of the range. */
static double random_operand(random_source *r, int center, int spread)
{
    static const double special[] = { 0.0, -0.0, 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffep127, 1, -1 };
    if (random_below(r, 8) == 0)
        return special[random_below(r, sizeof special / sizeof *special)];
    double significand = 1 + (double)(random_next(r) >> 40 & (random_below(r, 2) ? 0xffffff : 0xe00000)) * 0x1p-24;
    int exponent = center + (int)random_below(r, (unsigned)(2 * spread + 1)) - spread;
    double value = (double)(float)ldexp(significand, exponent);
    return random_below(r, 2) ? value : -value;
}

static void integers_are_exact(void **state)
{
    (void)state;
    static const struct {
        int center, spread;
    } ranges[] = { { 0, 3 }, { 0, 15 }, { 0, 40 }, { -70, 10 }, { 60, 6 }, { -20, 130 } };
    random_source r = { 11 };
    for (int i = 0; i < 60000; i++) {
        met_matrix_unit unit = random_unit(&r);
        double a[MET_MATRIX_WIDTH], b[MET_MATRIX_WIDTH];
        int center = ranges[i % 6].center, spread = ranges[i % 6].spread;
        for (unsigned k = 0; k < unit.width; k++) {
            a[k] = random_operand(&r, center, spread);
            b[k] = random_operand(&r, center, spread);
            if (k > 0 && random_below(&r, 4) == 0) {
                a[k] = -a[k - 1];
                b[k] = b[k - 1];
            }
        }
        float acc = (float)random_operand(&r, 2 * center, spread);
        uint32_t want = met_bits_f32(met_matrix_node_exact(&unit, unit.width, a, b, acc));
        uint32_t got = met_bits_f32(met_matrix_node(&unit, unit.width, a, b, acc));
        if (got != want)
            fail_msg("case %d: width %u F%u final %u keep %u half %d: %08x, not %08x", i, unit.width, unit.fraction, unit.final, unit.keep,
                     unit.half, got, want);
    }
}

/* The header's word for what recordings do not show. */
static void what_no_recording_shows(void **state)
{
    (void)state;
    const met_matrix_unit unit = { .width = 4, .fraction = 24, .final = MET_RZ }, half = { .width = 4, .fraction = 24, .half = true };
    const double inf = (double)INFINITY, zeros[4] = { 0 }, minus[4] = { -0.0, -0.0, -0.0, -0.0 }, ones[4] = { 1, 1, 1, 1 };
    const double to_inf[4] = { inf, 1, 1, 1 }, both[4] = { inf, -inf, 1, 1 }, tiny[4] = { 0x1p-149, 0, 0, 0 }, huge[4] = { 0x1p127, 0x1p127, 0, 0 };
    assert_true(met_matrix_node(&unit, 4, to_inf, ones, 1) == INFINITY);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, both, ones, 1)), 0x7fc00000);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, to_inf, zeros, 1)), 0x7fc00000);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, ones, ones, NAN)), 0x7fc00000);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, minus, ones, -0.0f)), 0x80000000);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, minus, ones, 0)), 0);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, tiny, ones, 0)), 1);
    assert_int_equal(met_bits_f32(met_matrix_node(&unit, 4, huge, ones, 0)), 0x7f7fffff);
    assert_true(met_matrix_node(&half, 4, (double[]){ 65504, 16, 0, 0 }, ones, 0) == INFINITY);
    met_matrix_unit late = { .width = 4, .fraction = 24, .final = MET_RZ, .late = true };
    for (int k = 0; k < 2; k++, late = (met_matrix_unit){ .width = 4, .fraction = 24, .half = true, .late = true }) {
        assert_int_equal(met_bits_f32(met_matrix_dot(&late, 4, to_inf, ones, -INFINITY)), 0x7fc00000);
        assert_int_equal(met_bits_f32(met_matrix_dot(&late, 4, ones, ones, -NAN)), 0x7fc00000);
        assert_true(met_matrix_dot(&late, 4, ones, ones, -INFINITY) == -INFINITY);
    }
}

/* --- Recordings --- */

static size_t replay_all(const char *directory, const char *unit, size_t *ret_lines)
{
    size_t count, matches = 0;
    const met_replayed *replayed = met_replay(session, lkb, directory, unit, &count);
    if (!replayed)
        fail_msg("%s", met_session_diagnostics_text(session));
    *ret_lines = 0;
    for (size_t i = 0; i < count; i++) {
        if (unit == NULL && replayed[i].matches != replayed[i].lines)
            fail_msg("%s", met_replay_text(session, 1, &replayed[i]));
        *ret_lines += replayed[i].lines;
        matches += replayed[i].matches;
    }
    return matches;
}

/* Lines of our own, whose results rational arithmetic gave. Another unit does not have them: its nodes are of another size, or
 * keep other bits. */
static void own_lines(void **state)
{
    (void)state;
    static const char own[] = MET_TEST_DATA_DIR "/recorded";
    size_t lines;
    assert_int_equal(replay_all(own, NULL, &lines), 42);
    assert_int_equal(lines, 42);
    assert_true(replay_all(MET_TEST_DATA_DIR "/recorded/H100/E4M3", "l40s.e4m3", &lines) < lines);
    assert_true(replay_all(MET_TEST_DATA_DIR "/recorded/A2/bf16", "h100.bf16", &lines) < lines);
    assert_true(replay_all(MET_TEST_DATA_DIR "/recorded/V100/fp16", "a100.f16", &lines) < lines);
}

/* Runs `tar` for an archive into a directory; false if it cannot. */
static bool unpack(const char *archive, const char *directory)
{
    char *argv[] = { "tar", "xJf", (char *)(uintptr_t)archive, "-C", (char *)(uintptr_t)directory, NULL };
    met_process process = { .argv = argv };
    met_processes_run(1, &process, 1);
    return process.status == 0;
}

static void remove_all(const char *directory)
{
    char *argv[] = { "rm", "-rf", (char *)(uintptr_t)directory, NULL };
    met_process process = { .argv = argv };
    met_processes_run(1, &process, 1);
}

/* Every line of every recorded case: nine with results in f32, and five in f16. */
static void recorded_lines(void **state)
{
    (void)state;
    static const char *const archives[] = { "V100", "A100", "H100" };
    const char *root = getenv("MET_TESTDATA");
    char directory[] = "/tmp/met-recorded-XXXXXX", path[1024];
    if (!root || !*root) {
        print_message("MET_TESTDATA is not set: no recordings\n");
        skip();
    }
    assert_non_null(mkdtemp(directory));
    bool unpacked = true;
    for (size_t i = 0; i < 3 && unpacked; i++) {
        snprintf(path, sizeof path, "%s/tc_hw/%s.tar.xz", root, archives[i]);
        unpacked = unpack(path, directory);
    }
    size_t lines = 0, matches = unpacked ? replay_all(directory, NULL, &lines) : 0;
    remove_all(directory);
    if (!unpacked) {
        print_message("%s cannot be unpacked with tar and xz\n", path);
        skip();
    }
    assert_int_equal(lines, 14 * 5000);
    assert_int_equal(matches, lines);
}

/* --- The blueprint --- */

/* Trees of matrix units say whose they are, and the reader holds them to it. */
static void trees_name_units(void **state)
{
    (void)state;
    unsigned count = 0;
    for (uint32_t t = 0; t < lkb->tree_count; t++) {
        if (lkb->trees[t].tree.node != MET_NODE_MATRIX)
            continue;
        count++;
        assert_non_null(lkb->trees[t].unit);
    }
    assert_true(count >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact), cmocka_unit_test(what_no_recording_shows), cmocka_unit_test(own_lines),
        cmocka_unit_test(recorded_lines),     cmocka_unit_test(trees_name_units),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
