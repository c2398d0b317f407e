/* NumPy files: those that NumPy wrote, our own read back, and hostile ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/file.h"
#include "met/npy.h"

#include "on_session.h"

static const met_tensor *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/npy/%s", MET_TEST_DATA_DIR, name);
    const char *bytes;
    size_t length;
    assert_true(met_file_read(session, path, 1 << 20, &bytes, &length));
    return met_npy_read(session, name, bytes, length);
}

static void expect_values(const char *name, const char *format, size_t rank, const uint64_t *shape,
                          const double *values)
{
    const met_tensor *tensor = load(name);
    if (!tensor)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_string_equal(tensor->format, format);
    assert_int_equal(tensor->rank, rank);
    for (size_t i = 0; i < rank; i++)
        assert_int_equal(tensor->shape[i], shape[i]);
    for (size_t i = 0; i < tensor->count; i++)
        if (memcmp(&tensor->values[i], &values[i], sizeof(double)) != 0 && !(isnan(values[i]) && isnan(tensor->values[i])))
            fail_msg("%s: element %zu is %a, not %a", name, i, tensor->values[i], values[i]);
}

static void expect_error(const char *words)
{
    const char *said = met_session_diagnostics_text(session);
    if (met_session_error_count(session) == 0 || !strstr(said, words))
        fail_msg("expected `%s` in:\n%s", words, said);
    met_session_clear_diagnostics(session);
}

#define SHAPE(...) sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (uint64_t[]){ __VA_ARGS__ }
#define VALUES(...) (double[]){ __VA_ARGS__ }

static void numpy_files(void **state)
{
    (void)state;
    expect_values("f8.npy", "f64", SHAPE(2, 3), VALUES(1.5, -2.25, 3.0, 0.0, -0.0, 1e300));
    expect_values("f8_fortran.npy", "f64", SHAPE(2, 3), VALUES(1.5, -2.25, 3.0, 0.0, -0.0, 1e300));
    expect_values("f8_big.npy", "f64", SHAPE(2, 3), VALUES(1.5, -2.25, 3.0, 0.0, -0.0, 1e300));
    expect_values("f4.npy", "f32", SHAPE(4), VALUES((double)0.1f, -1, INFINITY, NAN));
    expect_values("f2.npy", "f16", SHAPE(4), VALUES(0x1.998p-4, 65504, 0x1p-24, -INFINITY));
    expect_values("i8.npy", "i32", SHAPE(2, 2), VALUES(1, -2, 3, 2147483647));
    expect_values("i2_big.npy", "i32", SHAPE(2), VALUES(-32768, 258));
    expect_values("i1.npy", "i8", SHAPE(2), VALUES(-128, 127));
    expect_values("u4.npy", "f64", SHAPE(1), VALUES(4294967295));
    expect_values("b1.npy", "i32", SHAPE(2), VALUES(1, 0));
    expect_values("scalar.npy", "f64", 0, NULL, VALUES(2.5));
    expect_values("empty.npy", "f32", SHAPE(0, 3), NULL);
    expect_values("v2.npy", "i32", SHAPE(2, 2), VALUES(0, 1, 2, 3));
    double counting[24]; /* written in Fortran order: the first index runs fastest */
    for (int i = 0; i < 24; i++)
        counting[(i % 2) * 12 + (i / 2 % 3) * 4 + i / 6] = i;
    expect_values("v3.npy", "f32", SHAPE(2, 3, 4), counting);
}

static void numpy_files_refused(void **state)
{
    (void)state;
    assert_null(load("i8_beyond.npy"));
    expect_error("byte 136: the integer is beyond 2^53");
    assert_null(load("structured.npy"));
    expect_error("a structured array");
    assert_null(load("complex.npy"));
    expect_error("byte 20: an element type");
    assert_null(load("object.npy"));
    expect_error("an element type");
}

static void round_trip(const char *format, const char *returned, const char *descr, size_t count, const double *values)
{
    uint64_t shape[] = { count };
    met_tensor *tensor = met_tensor_new(session, format, 1, shape);
    assert_non_null(tensor);
    memcpy(tensor->values, values, count * sizeof *values);
    size_t length;
    const char *bytes = met_npy_write(session, tensor, &length);
    assert_int_equal((uint8_t)bytes[6], 1);
    size_t header = 10u + (uint8_t)bytes[8] + 256u * (uint8_t)bytes[9];
    assert_int_equal(header % 64, 0);
    assert_non_null(strstr(bytes + 10, descr));
    met_tensor *again = met_npy_read(session, "again", bytes, length);
    if (!again)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_string_equal(again->format, returned);
    assert_int_equal(again->count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(memcmp(&again->values[i], &values[i], sizeof(double)) == 0 ||
                    (isnan(values[i]) && isnan(again->values[i])));
}

static void round_trips(void **state)
{
    (void)state;
    static const double odd[] = { 0.1, -0.0, 1e-320, 1.7976931348623157e308, -INFINITY, NAN };
    static const double small[] = { 1.5, -0.0, 0x1p-24, 65504, INFINITY, NAN };
    static const double tiny_f32[] = { 0x1p-149, 0x1.fffffep127 };
    static const double whole[] = { -2147483648.0, 2147483647, 0 };
    round_trip("f64", "f64", "'<f8'", 6, odd);
    round_trip("f32", "f32", "'<f4'", 2, tiny_f32);
    round_trip("bf16", "f32", "'<f4'", 6, small);
    round_trip("f16", "f16", "'<f2'", 6, small);
    round_trip("e4m3", "f32", "'<f4'", 1, small);
    round_trip("i32", "i32", "'<i4'", 3, whole);
    round_trip("i8", "f32", "'<f4'", 1, whole);
    round_trip("f32", "f64", "'<f8'", 6, odd); /* no value may change */
    round_trip("f16", "f64", "'<f8'", 2, tiny_f32);
    round_trip("i32", "f64", "'<f8'", 6, small);
    round_trip("f32", "f32", "'<f4'", 0, odd);
}

static void shapes_round_trip(void **state)
{
    (void)state;
    uint64_t shape[MET_RANK_LIMIT + 1] = { 0 };
    for (size_t rank = 0; rank <= MET_RANK_LIMIT; rank++) {
        for (size_t i = 0; i < rank; i++)
            shape[i] = i % 7 == 3 ? 2 : 1;
        met_tensor *tensor = met_tensor_new(session, "f32", rank, shape);
        size_t length;
        const char *bytes = met_npy_write(session, tensor, &length);
        met_tensor *again = met_npy_read(session, "again", bytes, length);
        assert_non_null(again);
        assert_int_equal(again->rank, rank);
        for (size_t i = 0; i < rank; i++)
            assert_int_equal(again->shape[i], shape[i]);
    }
    assert_null(met_tensor_new(session, "f32", MET_RANK_LIMIT + 1, shape));
    expect_error("33 axes");
    uint64_t huge[] = { (uint64_t)1 << 40, (uint64_t)1 << 40 };
    assert_null(met_tensor_new(session, "f32", 2, huge));
    expect_error("more than");
    huge[1] = 0;
    assert_int_equal(met_tensor_new(session, "f32", 2, huge)->count, 0);
}

static void refuse_header(const char *dict, size_t data, const char *words)
{
    char file[512] = "\x93NUMPY\x01";
    size_t length = strlen(dict);
    assert_true(10 + length + data <= sizeof file);
    file[8] = (char)length;
    memcpy(file + 10, dict, length);
    memset(file + 10 + length, 2, data);
    assert_null(met_npy_read(session, "bad.npy", file, 10 + length + data));
    expect_error(words);
}

static void hostile_headers(void **state)
{
    (void)state;
    refuse_header("", 0, "`{` is expected");
    refuse_header("{}\n", 0, "missing");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 7, "asks for 8 bytes of data, and there are 7");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 9, "asks for 8 bytes");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2), }\n", 8, "needs a comma");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,,), }\n", 8, "a size is expected");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }\n", 8, "a size is expected");
    refuse_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }\n", 8, "True or False");
    refuse_header("{'descr': '|f4', 'fortran_order': False, 'shape': (2,), }\n", 8, "an element type");
    refuse_header("{'descr': '<f4', 'descr': '<f4', 'shape': (2,), }\n", 8, "twice");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}\n", 8, "a key other than");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8, "line feed");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x\n", 8, "line feed");
    refuse_header("{'descr': '<f4", 0, "no end");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}\n", 0, "beyond 64 bits");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}\n", 0, "larger than any memory");
    refuse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}\n", 0, "larger than any memory");
    refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                  "1,1,1,1,1,1,1)}\n", 4, "more axes");
    refuse_header("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }\n", 1, "neither 0 nor 1");
}

static void hostile_frames(void **state)
{
    (void)state;
    static const char good[] = "\x93NUMPY\x01\x00\x3A\x00{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n";
    size_t length = sizeof good - 1;
    assert_non_null(met_npy_read(session, "good", good, length));
    for (size_t cut = 0; cut < length; cut++) { /* every prefix is refused */
        char copy[sizeof good];
        memcpy(copy, good, cut);
        assert_null(met_npy_read(session, "cut", copy, cut));
        expect_error("`cut`, byte");
    }
    char copy[sizeof good];
    memcpy(copy, good, sizeof good);
    copy[6] = 4;
    assert_null(met_npy_read(session, "v4", copy, length));
    expect_error("byte 6: a version");
    copy[6] = 2; /* the length field becomes "\x3A\0{'" */
    assert_null(met_npy_read(session, "v2", copy, length));
    expect_error("longer than the file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numpy_files, setup, teardown),
        cmocka_unit_test_setup_teardown(numpy_files_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(round_trips, setup, teardown),
        cmocka_unit_test_setup_teardown(shapes_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_frames, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
