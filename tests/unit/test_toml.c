/* The TOML reader: values, order, and above all places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "host/toml.h"

static met_session *session;
static const char *text;

static const met_value *read_bytes(const char *bytes, size_t length)
{
    session = met_session_new();
    text = bytes;
    uint32_t source = met_session_add_source(session, "t.toml", bytes, length);
    return met_toml_read(session, source);
}

static const met_value *read_text(const char *bytes)
{
    return read_bytes(bytes, strlen(bytes));
}

static const met_value *get(const met_value *table, const char *key)
{
    const met_value *value = met_value_get(table, key);
    assert_non_null(value);
    return value;
}

static void expect_span(met_span span, const char *words)
{
    assert_true(span.end >= span.begin && span.end <= strlen(text));
    assert_int_equal(span.end - span.begin, strlen(words));
    assert_memory_equal(text + span.begin, words, strlen(words));
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

static void kinds(void **state)
{
    (void)state;
    const met_value *root = read_text("i = -42\nh = 0xff\nf = 2.5\nn = nan\nt = true\ns = 'x'\nl = [1, 2]\nm = { a = 1 }\n"
                                      "big = 9223372036854775807\n");
    assert_non_null(root);
    assert_int_equal(get(root, "i")->integer, -42);
    assert_int_equal(get(root, "h")->integer, 255);
    assert_int_equal(get(root, "big")->integer, INT64_MAX);
    assert_true(get(root, "f")->number == 2.5);
    assert_true(isnan(get(root, "n")->number));
    assert_true(get(root, "t")->boolean);
    assert_true(met_str_is(get(root, "s")->string, "x"));
    assert_int_equal(get(root, "l")->items.count, 2);
    assert_int_equal(get(get(root, "m"), "a")->kind, MET_VALUE_INTEGER);
    expect_span(get(root, "i")->place.span, "-42");
    expect_span(get(root, "l")->place.span, "[1, 2]");
    expect_span(get(root, "l")->items.at[1]->place.span, "2");
    expect_span(get(root, "m")->place.span, "{ a = 1 }");
    met_session_free(session);
}

static void order_is_source_order(void **state)
{
    (void)state;
    const met_value *root = read_text("z = 1\na = 2\n[m]\ny = 1\n\"b c\" = 2\nd.e = 3\n[[l]]\nq = 1\n[b]\n[[l]]\nq = 2\n");
    assert_non_null(root);
    static const char *const keys[] = { "z", "a", "m", "l", "b" };
    assert_int_equal(root->entries.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(met_str_is(root->entries.at[i].key, keys[i]));
    const met_value *m = get(root, "m");
    expect_span(m->place.span, "[m]");
    expect_span(m->entries.at[1].key_place.span, "\"b c\"");
    expect_span(m->entries.at[2].key_place.span, "d");
    expect_span(get(m, "d")->entries.at[0].key_place.span, "e");
    assert_int_equal(get(root, "l")->items.count, 2);
    expect_span(get(root, "l")->items.at[0]->place.span, "[[l]]");
    met_session_free(session);
}

static void strings_keep_their_places(void **state)
{
    (void)state;
    const met_value *root = read_text("a = \"héé\" # €\nb = \"\"\"\nx @ y\nz\"\"\"\nc = '''q'''\nd = \"t\\tb\"\n"
                                      "e = \"\"\nf = \"\"\"two\\\n  lines\"\"\"\ng = ['é', '']\nh = \"\"\"\"in\"\"\"\"");
    assert_non_null(root);
    expect_span(get(root, "a")->place.span, "\"héé\"");
    expect_span(get(root, "a")->place.content, "héé");
    expect_span(get(root, "b")->place.content, "x @ y\nz");
    expect_span(get(root, "c")->place.content, "q");
    expect_span(get(root, "d")->place.span, "\"t\\tb\"");
    expect_span(get(root, "d")->place.content, "");
    expect_span(get(root, "e")->place.content, "");
    expect_span(get(root, "f")->place.content, "");
    expect_span(get(root, "g")->items.at[0]->place.content, "é");
    expect_span(get(root, "g")->items.at[1]->place.span, "''");
    expect_span(get(root, "h")->place.content, "\"in\"");
    met_session_free(session);
}

static void long_lines_and_marks(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    met_text toml = met_text_new(arena);
    met_text_put(&toml, "\xEF\xBB\xBFl = [");
    for (int i = 0; i < 1000; i++)
        met_text_format(&toml, "'é%d', ", i);
    met_text_put(&toml, "]\nlast = 'x'\r\nend = 7");
    const met_value *root = read_text(met_text_done(&toml));
    assert_non_null(root);
    for (size_t i = 0; i < 1000; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "'é%zu'", i);
        expect_span(get(root, "l")->items.at[i]->place.span, wanted);
    }
    expect_span(get(root, "last")->place.content, "x");
    expect_span(get(root, "end")->place.span, "7");
    met_session_free(session);
    met_arena_free(arena);
}

static void refusals(void **state)
{
    (void)state;
    expect_refusal("a = 1\nb = [1,\n", 14, "error[toml]");
    expect_refusal("a = 1\na = 2\n", 12, "t.toml:2:");
    expect_refusal("x = 1\né = 1\n", 13, "t.toml:2:1");
    expect_refusal("a = 1979-05-27\n", 15, "dates and times");
    expect_refusal("a = 07:32:00\n", 13, "t.toml:1:5");
    expect_refusal("a = 9223372036854775808\n", 24, "error[toml]");
    expect_refusal("a = \"\xFF\"\n", 9, "the byte 0xFF is not UTF-8");
    expect_refusal("a = \"\xC3", 6, "t.toml:1:6");
    expect_refusal("a = \"x\0y\"\n", 10, "a NUL byte");
}

static void bounds(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    char *bytes = malloc(LONG);
    assert_non_null(bytes);
    memset(bytes, '[', LONG);
    memcpy(bytes, "a = ", 4);
    expect_refusal(bytes, LONG, "error[toml]");
    for (size_t i = 0; i < LONG; i++)
        bytes[i] = i % 2 ? '.' : 'a';
    expect_refusal(bytes, LONG, "too-deep");
    for (size_t i = 0; i < LONG; i++) /* quoted parts count as well */
        bytes[i] = "'a'."[i % 4];
    expect_refusal(bytes, LONG, "too-deep");
    memset(bytes, '.', LONG); /* dots in strings and comments do not */
    memcpy(bytes, "a='", 3);
    memcpy(bytes + LONG / 2, "' #", 3);
    assert_non_null(read_bytes(bytes, LONG));
    met_session_free(session);
    free(bytes);
    bytes = calloc(MET_TOML_LIMIT + 1, 1);
    assert_non_null(bytes);
    expect_refusal(bytes, MET_TOML_LIMIT + 1, "input-too-large");
    free(bytes);
    assert_non_null(read_text(""));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(order_is_source_order),
        cmocka_unit_test(strings_keep_their_places),
        cmocka_unit_test(long_lines_and_marks),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
