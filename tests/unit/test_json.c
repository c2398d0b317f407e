/* The JSON reader: values, order, pointers, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "host/json.h"

static met_session *session;

static const met_value *read_bytes(const char *bytes, size_t length)
{
    session = met_session_new();
    return met_json_read(session, met_session_add_source(session, "t.json", bytes, length));
}

static void expect_refusal(const char *bytes, size_t length, const char *words)
{
    assert_null(read_bytes(bytes, length));
    assert_true(met_session_error_count(session) > 0);
    const char *said = met_session_diagnostics_text(session);
    if (!strstr(said, words))
        fail_msg("expected `%s` in:\n%s", words, said);
    met_session_free(session);
}

static void refuse_text(const char *text, const char *words)
{
    expect_refusal(text, strlen(text), words);
}

static void values_and_pointers(void **state)
{
    (void)state;
    static const char text[] = "{\"z\": [1, 2.5, {\"a/b~c\": null}], \"a\": \"x\\ty\", \"m\": true, \"\": -9223372036854775808}";
    const met_value *root = read_bytes(text, strlen(text));
    assert_non_null(root);
    assert_int_equal(root->entries.count, 4);
    assert_true(met_str_is(root->entries.at[0].key, "z"));
    assert_true(met_str_is(root->entries.at[2].key, "m"));
    assert_string_equal(root->place.path, "");
    const met_value *z = met_value_get(root, "z");
    assert_int_equal(z->items.at[0]->integer, 1);
    assert_true(z->items.at[1]->number == 2.5);
    assert_string_equal(z->items.at[2]->entries.at[0].value->place.path, "/z/2/a~1b~0c");
    assert_string_equal(z->items.at[2]->entries.at[0].key_place.path, "/z/2/a~1b~0c");
    assert_string_equal(met_value_get(root, "m")->place.path, "/m");
    assert_true(met_str_is(met_value_get(root, "a")->string, "x\ty"));
    assert_int_equal(met_value_get(root, "")->integer, INT64_MIN);
    met_diag_at(session, MET_DIAG_field, &z->items.at[1]->place, "here");
    assert_non_null(strstr(met_session_diagnostics_text(session), "t.json, at /z/1"));
    met_session_free(session);
    assert_int_equal(read_bytes("3", 1)->integer, 3);
    met_session_free(session);
}

static void refusals(void **state)
{
    (void)state;
    refuse_text("{\"a\": 1,\n \"b\": nil}", "t.json:2:7");
    refuse_text("{\"a\": 1,\n \"a\": 2}", "t.json:2:");
    refuse_text("{\"a\": 9223372036854775808}", "beyond what 64 bits hold");
    refuse_text("[1e999]", "beyond what 64 bits hold");
    refuse_text("[NaN]", "t.json:1:2");
    refuse_text("", "error[json]");
    refuse_text("[1, 2", "t.json:1:6");
    refuse_text("[] x", "t.json:1:4");
    refuse_text("[\"\\u0000\"]", "error[json]");
    refuse_text("[\"\xC0\x80\"]", "error[encoding]");
    expect_refusal("[\0]", 3, "a NUL byte");
}

static void bounds(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    char *bytes = malloc(LONG + 2);
    assert_non_null(bytes);
    memset(bytes, '[', LONG);
    expect_refusal(bytes, LONG, "too-deep");
    memset(bytes + MET_JSON_DEPTH, ']', MET_JSON_DEPTH);
    assert_non_null(read_bytes(bytes, 2 * MET_JSON_DEPTH));
    met_session_free(session);
    memset(bytes, '[', MET_JSON_DEPTH + 1);
    memset(bytes + MET_JSON_DEPTH + 1, ']', MET_JSON_DEPTH + 1);
    expect_refusal(bytes, 2 * MET_JSON_DEPTH + 2, "too-deep");
    met_text long_key = met_text_new(met_arena_new());
    met_text_put(&long_key, "{\"x");
    for (int i = 0; i < 1000; i++)
        met_text_put(&long_key, "é");
    met_text_put(&long_key, "\": [1, 2]}");
    const met_value *root = read_bytes(long_key.at, long_key.length);
    assert_non_null(root);
    const char *path = root->entries.at[0].value->items.at[1]->place.path;
    assert_true(strlen(path) < 250);
    for (met_str left = met_str_of(path); left.length > 0;) { /* cut between code points */
        size_t step = met_utf8_length(left);
        assert_true(step > 0);
        left.at += step;
        left.length -= step;
    }
    met_session_free(session);
    met_arena_free(long_key.arena);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_pointers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
