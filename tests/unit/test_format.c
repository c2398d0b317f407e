/* Formats: spellings, and stored bytes. */
#include "cases.h"

#include "type/format.h"

#define FORMATS MET_TEST_DATA_DIR "/formats.toml"
#define MORE MET_TEST_DATA_DIR "/formats_more.toml"

static void size_case(const test_case *test)
{
    met_format format;
    assert_true(met_format_parse(string_field(test->in, "format"), &format));
    bool weight = met_str_is(string_field(test->in, "use"), "weight");
    uint64_t bytes = 0;
    bool ok = met_format_bytes(format, weight ? MET_USE_WEIGHT : MET_USE_ACTIVATION,
                               (uint64_t)field(test->in, "rows")->integer, (uint64_t)field(test->in, "width")->integer,
                               &bytes);
    assert_int_equal(ok, field(test->out, "ok")->boolean);
    if (ok) {
        expect_bits(test, bytes, (uint64_t)field(test->out, "bytes")->integer);
    }
}

static void sizes(void **state)
{
    (void)state;
    each_case(FORMATS, "size", 14, size_case);
    each_case(MORE, "size", 12, size_case);
}

static void spellings_round_trip(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "f64",        "f32",      "bf16",     "f16",            "e5m2",      "e4m3",      "e3m2",       "e2m3",
        "e2m1",       "ue8m0",    "i32",      "i8",             "i8/tensor", "i8/token",  "i8/g32",     "i8/block1x65535",
        "fp8/tensor", "fp8/token", "fp8/g128", "fp8/block128x128", "nvfp4/g16", "mxfp4/g32", "mxfp8/g32",
    };
    met_arena *arena = met_arena_new();
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        met_format format;
        met_text text = met_text_new(arena);
        assert_true(met_format_parse(met_str_of(spellings[i]), &format));
        met_format_print(&text, format);
        assert_string_equal(met_text_done(&text), spellings[i]);
        assert_int_equal(met_format_is_plain(format), strchr(spellings[i], '/') == NULL);
        assert_true(met_format_equal(format, format));
    }
    met_arena_free(arena);
}

static void refused_spellings(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "",         "f",          "f32 ",     "F32",       "fp8",        "nvfp4",       "f32/tensor",       "fp8/",
        "fp8/g",    "fp8/g0",     "fp8/g01",  "fp8/g65536", "fp8/g12a",  "fp8/tensors", "fp8/block128",     "fp8/block0x1",
        "i8/g-1",   "nvfp4/g32",  "mxfp4/g16", "mxfp8/g0",  "mxfp8/token", "nvfp4/tensor", "fp8/block1x2x3", "/g32",
        "fp8/g99999999999999999999",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        met_format format;
        if (met_format_parse(met_str_of(spellings[i]), &format)) {
            fail_msg("accepted `%s`", spellings[i]);
        }
    }
}

static bool bytes_of(const char *spelling, met_use use, uint64_t rows, uint64_t width, uint64_t *ret_bytes)
{
    met_format format;
    assert_true(met_format_parse(met_str_of(spelling), &format));
    return met_format_bytes(format, use, rows, width, ret_bytes);
}

static void byte_edges(void **state)
{
    (void)state;
    uint64_t bytes = 1;
    assert_true(bytes_of("fp8/tensor", MET_USE_WEIGHT, 0, 7, &bytes) && bytes == 0);
    assert_true(bytes_of("nvfp4/g16", MET_USE_ACTIVATION, 7, 0, &bytes) && bytes == 0);
    assert_true(bytes_of("e2m1", MET_USE_WEIGHT, 3, 3, &bytes) && bytes == 5); /* 36 bits */
    assert_true(bytes_of("e3m2", MET_USE_WEIGHT, 1, 3, &bytes) && bytes == 3); /* 18 bits */
    assert_true(bytes_of("fp8/block128x128", MET_USE_WEIGHT, 129, 1, &bytes) && bytes == 129 + 8);
    assert_true(bytes_of("fp8/token", MET_USE_ACTIVATION, 3, 5, &bytes) && bytes == 15 + 12);
    assert_false(bytes_of("f64", MET_USE_WEIGHT, UINT64_MAX / 8, 2, &bytes));
    assert_false(bytes_of("f64", MET_USE_WEIGHT, UINT64_MAX / 4, 1, &bytes));
    assert_true(bytes_of("i8", MET_USE_WEIGHT, UINT64_MAX, 1, &bytes) && bytes == UINT64_MAX);
    assert_false(bytes_of("i8/tensor", MET_USE_WEIGHT, UINT64_MAX, 1, &bytes));
}

static void classes(void **state)
{
    (void)state;
    met_format format;
    assert_true(met_format_is_float(met_format_of(MET_E2M1)));
    assert_false(met_format_is_float(met_format_of(MET_I8)));
    assert_true(met_format_parse(met_str_of("fp8/g128"), &format));
    assert_false(met_format_is_float(format));
    assert_false(met_format_equal(format, met_format_of(MET_E4M3)));
    for (int dtype = 0; dtype < MET_DTYPE_COUNT; dtype++) {
        assert_non_null(strstr(met_format_spellings(), met_dtype_table[dtype].spelling));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),      cmocka_unit_test(spellings_round_trip), cmocka_unit_test(refused_spellings),
        cmocka_unit_test(byte_edges), cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
