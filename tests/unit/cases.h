/* Reading the known values under tests/data: a file of [[case]] tables, each with an id, a kind, `in` and `out`. */
#ifndef MET_TEST_CASES_H
#define MET_TEST_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "host/file.h"
#include "host/toml.h"

typedef struct test_case {
    const char *id;
    const met_value *in;
    const met_value *out;
} test_case;

typedef void (*case_fn)(const test_case *test);

static inline const met_value *field(const met_value *table, const char *key)
{
    const met_value *value = met_value_get(table, key);
    if (!value) {
        fail_msg("no field `%s`", key);
    }
    return value;
}

static inline met_str string_field(const met_value *table, const char *key)
{
    assert_int_equal(field(table, key)->kind, MET_VALUE_STRING);
    return field(table, key)->string;
}

/* Bits from hexadecimal digits. */
static inline uint64_t bits_of(const met_value *value)
{
    char digits[17] = {0};
    assert_int_equal(value->kind, MET_VALUE_STRING);
    assert_true(value->string.length < sizeof digits);
    memcpy(digits, value->string.at, value->string.length);
    return strtoull(digits, NULL, 16);
}

static inline uint64_t bits_field(const met_value *table, const char *key)
{
    return bits_of(field(table, key));
}

static inline double number_field(const met_value *table, const char *key)
{
    return field(table, key)->number;
}

/* The f32 of bits, as a double. */
static inline double f32_of(const met_value *value)
{
    uint32_t bits = (uint32_t)bits_of(value);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

/* Runs fn on every case of a kind; there must be `count` of them. */
static inline void each_case(const char *path, const char *kind, int count, case_fn fn)
{
    met_session *session = met_session_new();
    uint32_t source = met_file_source(session, path);
    assert_int_not_equal(source, 0);
    const met_value *root = met_toml_read(session, source);
    assert_non_null(root);
    const met_value *cases = field(root, "case");
    int seen = 0;
    for (size_t i = 0; i < cases->items.count; i++) {
        const met_value *item = cases->items.at[i];
        if (met_str_is(string_field(item, "kind"), kind)) {
            met_str id = string_field(item, "id");
            char name[64] = {0};
            memcpy(name, id.at, id.length < sizeof name ? id.length : sizeof name - 1);
            fn(&(test_case){name, field(item, "in"), field(item, "out")});
            seen++;
        }
    }
    assert_int_equal(seen, count);
    met_session_free(session);
}

/* Fails, naming the case, unless the two are equal. */
static inline void expect_bits(const test_case *test, uint64_t got, uint64_t want)
{
    if (got != want) {
        fail_msg("%s: got %llx, want %llx", test->id, (unsigned long long)got, (unsigned long long)want);
    }
}

static inline void expect_number(const test_case *test, double got, double want)
{
    if (!(got == want || (got != got && want != want))) {
        fail_msg("%s: got %.17g, want %.17g", test->id, got, want);
    }
}

#endif
