/* Diagnostics: what people and programs see, whatever the source holds. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"

#include "on_session.h"

static uint32_t source_of(const char *text)
{
    return met_session_add_source(session, "t.met", text, strlen(text));
}

static void expect_text(const char *wanted)
{
    assert_string_equal(met_session_diagnostics_text(session), wanted);
}

static void underlines(void **state)
{
    (void)state;
    uint32_t s = source_of("first\n\té = softmax[x y]\r\nlast");
    met_diag *diag = met_diag_add(session, MET_DIAG_label, (met_span){ s, 12, 24 }, "wrong labels for `%s`", "softmax");
    met_diag_label(diag, "takes %d", 1);
    met_diag_note(diag, (met_span){ s, 0, 5 }, "defined here");
    met_diag_note(diag, (met_span){ 0, 0, 0 }, "no place");
    met_diag_help(diag, "leave one out");
    expect_text("error[label]: wrong labels for `softmax`\n"
                "  --> t.met:2:6\n"
                "    2 |  é = softmax[x y]\n"
                "      |      ^^^^^^^^^^^^ takes 1\n"
                "  --> t.met:1:1\n"
                "    1 | first\n"
                "      | ----- defined here\n"
                "   = no place\n"
                "   = help: leave one out\n");
    assert_int_equal(met_session_error_count(session), 1);
    met_session_clear_diagnostics(session);
    expect_text("");
    assert_int_equal(met_session_error_count(session), 0);
}

static void places_at_the_edges(void **state)
{
    (void)state;
    uint32_t s = source_of("ab\ncd");
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, 5, 5 }, "end");
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, 900, 1000 }, "beyond");
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, 1, 5 }, "over lines");
    met_diag_add(session, MET_DIAG_note, (met_span){ s, 2, 1 }, "backwards");
    expect_text("error[syntax]: end\n  --> t.met:2:3\n    2 | cd\n      |   ^\n"
                "error[syntax]: beyond\n  --> t.met:2:3\n    2 | cd\n      |   ^\n"
                "error[syntax]: over lines\n  --> t.met:1:2\n    1 | ab\n      |  ^\n"
                "warning[note]: backwards\n  --> t.met:1:3\n    1 | ab\n      |   ^\n");
    assert_int_equal(met_session_warning_count(session), 1);
    uint32_t empty = source_of("");
    met_session_clear_diagnostics(session);
    met_diag_add(session, MET_DIAG_syntax, (met_span){ empty, 0, 0 }, "empty");
    expect_text("error[syntax]: empty\n  --> t.met:1:1\n    1 | \n      | ^\n");
}

/* No line of a rendering may be long or hold a byte that a terminal would obey. */
static void expect_tame(const char *text)
{
    size_t width = 0;
    for (met_str left = met_str_of(text); left.length > 0;) {
        size_t step = met_utf8_length(left);
        assert_true(step > 0);
        unsigned char c = (unsigned char)left.at[0];
        assert_true(c == '\n' || (c >= 0x20 && c != 0x7F));
        assert_false(c == 0xC2 && (unsigned char)left.at[1] < 0xA0);
        width = c == '\n' ? 0 : width + 1;
        assert_true(width < 700);
        left.at += step;
        left.length -= step;
    }
}

static void hostile_bytes(void **state)
{
    (void)state;
    char bytes[512];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37);
    uint32_t s = met_session_add_source(session, "evil\x1B[2J\xFF\nname", bytes, sizeof bytes);
    for (uint32_t i = 0; i < 40; i++) {
        met_diag *diag = met_diag_add(session, MET_DIAG_encoding, (met_span){ s, i * 12, i * 12 + i }, "%.*s", 40,
                                      bytes + i + 3);
        met_diag_label(diag, "%.*s", 20, bytes + i * 3 + 7);
        if (i % 3 == 0)
            met_diag_path(diag, "/\x1B\x9B");
    }
    expect_tame(met_session_diagnostics_text(session));
    json_error_t error;
    json_t *json = json_loads(met_session_diagnostics_json(session), 0, &error);
    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(json_array_size(json), 40);
    json_decref(json);
}

static void long_lines(void **state)
{
    (void)state;
    enum { LONG = 300000 };
    char *line = malloc(LONG + 1);
    assert_non_null(line);
    for (size_t i = 0; i < LONG; i++)
        line[i] = "é"[i % 2]; /* two bytes each */
    line[LONG] = 0;
    uint32_t s = source_of(line);
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, LONG / 2, LONG }, "middle %s", line);
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, 0, 2 }, "begin");
    met_diag_add(session, MET_DIAG_syntax, (met_span){ s, LONG - 2, LONG }, "end");
    const char *text = met_session_diagnostics_text(session);
    assert_true(strlen(text) < 2500);
    expect_tame(text);
    assert_non_null(strstr(text, "t.met:1:75001\n"));
    assert_non_null(strstr(text, "t.met:1:150000\n"));
    free(line);
}

static void too_many(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        met_diag *diag = met_diag_add(session, MET_DIAG_usage, (met_span){ 0, 0, 0 }, "n %d", i);
        met_diag_help(diag, "h"); /* also where it is no longer kept */
    }
    assert_int_equal(met_session_error_count(session), 60);
    const char *text = met_session_diagnostics_text(session);
    assert_non_null(strstr(text, "n 49\n"));
    assert_null(strstr(text, "n 50\n"));
    assert_non_null(strstr(text, "and 10 more\n"));
}

static void near_names(void **state)
{
    (void)state;
    static const char *const names[] = { "softmax", "linear", "scale" };
    assert_string_equal(met_nearest(met_str_of("softmx"), names, 3), "softmax");
    assert_string_equal(met_nearest(met_str_of("Scale"), names, 3), "scale");
    assert_null(met_nearest(met_str_of("zzz"), names, 3));
    assert_null(met_nearest(met_str_of(""), names, 0));
}

static void fields_of_values(void **state)
{
    (void)state;
    uint32_t s = source_of("size = 'x'");
    met_place place = { .span = { s, 7, 10 } };
    met_value *table = met_value_table(session, (met_place){ .span = { s, 0, 0 } });
    met_value_add(session, table, "size", 4, (met_place){ .span = { s, 0, 4 } },
                  met_value_string(session, place, "x", 1));
    int64_t integer;
    assert_false(met_value_to_integer(session, met_value_get(table, "size"), "size", &integer));
    assert_non_null(strstr(met_session_diagnostics_text(session), "size must be an integer, not a string"));
    assert_null(met_value_require(session, table, "name"));
    static const char *const known[] = { "sizes" };
    assert_false(met_value_only(session, table, known, 1));
    assert_non_null(strstr(met_session_diagnostics_text(session), "did you mean `sizes`?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(underlines, setup, teardown),
        cmocka_unit_test_setup_teardown(places_at_the_edges, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(long_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many, setup, teardown),
        cmocka_unit_test_setup_teardown(near_names, setup, teardown),
        cmocka_unit_test_setup_teardown(fields_of_values, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
