/* Memory, lists, maps and text. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "base/vec.h"

#include "on_arena.h"

static void arena_memory(void **state)
{
    (void)state;
    assert_non_null(met_arena_alloc(arena, 0, 8));
    for (size_t size = 1; size < 300; size++) { /* aligned, zeroed, apart */
        unsigned char *at = met_arena_alloc(arena, size, 1);
        assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(at[i], 0);
        memset(at, 0xAA, size);
    }
    char *large = met_arena_alloc(arena, 5000000, 1);
    large[4999999] = 1;
    assert_true(met_arena_used(arena) >= 5000000);
    char *copy = met_arena_text(arena, "abc", 2);
    assert_string_equal(copy, "ab");
    met_arena_free(NULL);
}

static void vectors_grow(void **state)
{
    (void)state;
    MET_VEC(int) list = { 0 };
    for (int i = 0; i < 1000; i++)
        MET_PUSH(arena, &list, i);
    assert_int_equal(list.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list.at[i], i);
}

static void maps_hold(void **state)
{
    (void)state;
    met_map *map = met_map_new(arena);
    uint32_t value;
    assert_false(met_map_get(map, met_str_of("x"), &value));
    for (uint32_t i = 0; i < 5000; i++) {
        char key[16];
        int length = snprintf(key, sizeof key, "k%u", i % 2500); /* every key twice */
        met_map_set(map, (met_str){ key, (size_t)length }, i);
        met_map_set_pair(map, i, 4999 - i, i);
    }
    for (uint32_t i = 0; i < 2500; i++) {
        char key[16];
        int length = snprintf(key, sizeof key, "k%u", i);
        assert_true(met_map_get(map, (met_str){ key, (size_t)length }, &value));
        assert_int_equal(value, i + 2500);
        assert_true(met_map_get_pair(map, i, 4999 - i, &value));
        assert_int_equal(value, i);
        assert_false(met_map_get_pair(map, i, i + 1, &value) && value > 4999);
    }
    met_map_set(map, (met_str){ "a\0b", 3 }, 7); /* keys are bytes */
    assert_false(met_map_get(map, met_str_of("a"), &value));
    assert_true(met_map_get(map, (met_str){ "a\0b", 3 }, &value));
    met_map_set(map, (met_str){ "", 0 }, 9);
    assert_true(met_map_get(map, (met_str){ NULL, 0 }, &value));
}

static const char *as_text(double value)
{
    met_text text = met_text_new(arena);
    met_text_double(&text, value);
    return met_text_done(&text);
}

static void doubles_round_trip(void **state)
{
    (void)state;
    assert_string_equal(as_text(3), "3");
    assert_string_equal(as_text(-0.5), "-0.5");
    assert_string_equal(as_text(0.1), "0.1");
    assert_string_equal(as_text(-0.0), "-0");
    assert_string_equal(as_text(1e300), "1e300");
    assert_string_equal(as_text(1e-5), "1e-5");
    assert_string_equal(as_text(NAN), "nan");
    assert_string_equal(as_text(-INFINITY), "-inf");
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value, again;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value) || isinf(value))
            continue;
        assert_true(met_read_double(met_str_of(as_text(value)), &again));
        assert_memory_equal(&value, &again, sizeof value);
    }
    double again;
    assert_true(met_read_double(met_str_of(as_text(DBL_TRUE_MIN)), &again) && again == DBL_TRUE_MIN);
    assert_true(met_read_double(met_str_of(as_text(DBL_MAX)), &again) && again == DBL_MAX);
}

static void doubles_are_read_strictly(void **state)
{
    (void)state;
    static const char *const bad[] = { "", " 1", "1 ", "0x10", "nan", "inf", "1e", "1.2.3", "--1", "e5", "." };
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (met_read_double(met_str_of(bad[i]), &value))
            fail_msg("`%s` was read as a number", bad[i]);
    assert_false(met_read_double((met_str){ "1\0", 2 }, &value));
    assert_true(met_read_double((met_str){ "12345", 2 }, &value) && value == 12);
}

static void the_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pt_BR.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found)
        skip(); /* none installed */
    double value;
    assert_string_equal(as_text(1234.5), "1234.5");
    assert_true(met_read_double(met_str_of("1234.5"), &value) && value == 1234.5);
    setlocale(LC_NUMERIC, "C");
}

static void utf8_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = { { "a", 1 }, { "\xC3\xA9", 2 }, { "\xE2\x82\xAC", 3 }, { "\xF0\x9F\x98\x80", 4 }, { "\x80", 0 },
                  { "\xC3", 0 }, { "\xC0\x80", 0 }, { "\xE0\x80\x80", 0 }, { "\xED\xA0\x80", 0 },
                  { "\xF4\x90\x80\x80", 0 }, { "\xF8\x88\x80\x80\x80", 0 }, { "\xFF", 0 }, { "", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(met_utf8_length(met_str_of(cases[i].bytes)), cases[i].length);
}

static void strings_as_json_and_clean(void **state)
{
    (void)state;
    met_text text = met_text_new(arena);
    met_text_json_string(&text, (met_str){ "a\"\\\b\f\n\r\t\0\x1F\x7F\xC3\xA9\xFF/", 15 });
    assert_string_equal(met_text_done(&text), "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\xC3\xA9\xEF\xBF\xBD/\"");
    text = met_text_new(arena);
    met_text_clean(&text, met_str_of("a\tb\x1B[31m\xC2\x9B" "1\xFF\x80\xC3\xA9"));
    assert_string_equal(met_text_done(&text), "a b?[31m?1?\xC3\xA9");
    assert_int_equal(met_columns(met_str_of("a\tb\x1B[31m\xC2\x9B" "1\xFF\x80\xC3\xA9")), text.length - 1);
    assert_string_equal(met_text_done(&(met_text){ .arena = arena }), "");
}

static void text_building(void **state)
{
    (void)state;
    met_text text = met_text_new(arena);
    for (int i = 0; i < 500; i++)
        met_text_format(&text, "%d,", i);
    assert_int_equal(text.length, strlen(text.at));
    text = met_text_new(arena);
    met_text_put(&text, "é");
    met_text_pad(&text, 0, 3);
    met_text_char(&text, '|');
    met_text_repeat(&text, '-', 2);
    met_text_double_digits(&text, 1.0 / 3, 3);
    assert_string_equal(met_text_done(&text), "é  |--0.333");
    text = met_text_new(arena);
    met_text_double_above(&text, 0x1p-52, 4); /* 2.2204460…e-16 */
    met_text_char(&text, ' ');
    met_text_double_above(&text, 0.5, 4);
    met_text_char(&text, ' ');
    met_text_double_above(&text, 9.9999, 4);
    met_text_char(&text, ' ');
    met_text_double_above(&text, 0, 4);
    assert_string_equal(met_text_done(&text), "2.221e-16 0.5 10 0");
    assert_true(met_str_compare(met_str_of("ab"), met_str_of("abc")) < 0);
    assert_true(met_str_compare(met_str_of("b"), met_str_of("abc")) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arena_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_grow, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(doubles_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(doubles_are_read_strictly, setup, teardown),
        cmocka_unit_test_setup_teardown(the_locale_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(utf8_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_as_json_and_clean, setup, teardown),
        cmocka_unit_test_setup_teardown(text_building, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
