/* The JSON writer: commas, breaks and nulls in both spacings; and that a reader of JSON finds what was written. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"

#include "on_arena.h"

static met_text out;

static int start(void **state)
{
    int failed = setup(state);
    out = met_text_new(arena);
    return failed;
}

/* An object that holds every kind of thing, empty ones and nested ones too. */
static void put_all(met_json *json)
{
    static const char *const names[] = { "one", NULL };
    met_json_open(json, NULL, '{');
    met_json_open(json, "nothing", '[');
    met_json_close(json, ']');
    met_json_open(json, "list", '[');
    met_json_open(json, NULL, '{');
    met_json_close(json, '}');
    met_json_open(json, NULL, '[');
    met_json_put_integer(json, NULL, UINT64_MAX);
    met_json_put_flag(json, NULL, false);
    met_json_close(json, ']');
    met_json_close(json, ']');
    met_json_put_strings(json, "names", 2, names);
    met_text_put(met_json_value(json, "own"), "[0.50]");
    met_json_put_null(json, "none");
    met_json_close(json, '}');
}

static void spaced(void **state)
{
    (void)state;
    met_json json = met_json_new(&out);
    put_all(&json);
    assert_string_equal(met_text_done(&out), "{\"nothing\": [], \"list\": [{}, [18446744073709551615, false]], \"names\": [\"one\", null], "
                                             "\"own\": [0.50], \"none\": null}");
}

static void compact(void **state)
{
    (void)state;
    met_json json = met_json_new_compact(&out);
    put_all(&json);
    assert_string_equal(met_text_done(&out), "{\"nothing\":[],\"list\":[{},[18446744073709551615,false]],\"names\":[\"one\",null],"
                                             "\"own\":[0.50],\"none\":null}");
}

/* A break stands behind the comma, or, of the first item and of the bracket that closes, alone; it is asked for once for each. */
static void lines(void **state)
{
    (void)state;
    met_json json = met_json_new(&out);
    met_text_put(&out, "x = ");
    met_json_open(&json, NULL, '[');
    met_json_line(&json, 2);
    met_json_put_integer(&json, NULL, 1);
    met_json_put_integer(&json, NULL, 2);
    met_json_line(&json, 2);
    met_json_put_integer(&json, NULL, 3);
    met_json_line(&json, 0);
    met_json_close(&json, ']');
    assert_string_equal(met_text_done(&out), "x = [\n  1, 2,\n  3\n]");
}

static void fields(void **state)
{
    (void)state;
    typedef struct sample {
        double number, infinite;
        const char *string, *none;
        bool flag;
        size_t size;
        uint32_t u32;
        uint64_t u64;
    } sample;
    static const met_json_field list[] = {
        { "u64", offsetof(sample, u64), MET_JSON_U64 },
        { "number", offsetof(sample, number), MET_JSON_NUMBER },
        { "infinite", offsetof(sample, infinite), MET_JSON_NUMBER },
        { "string", offsetof(sample, string), MET_JSON_STRING },
        { "none", offsetof(sample, none), MET_JSON_STRING },
        { "flag", offsetof(sample, flag), MET_JSON_FLAG },
        { "size", offsetof(sample, size), MET_JSON_SIZE },
        { "u32", offsetof(sample, u32), MET_JSON_U32 },
        { 0 },
    };
    const sample s = { 0.1, -INFINITY, "a", NULL, true, SIZE_MAX, UINT32_MAX, 1ull << 40 };
    met_json json = met_json_new_compact(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_fields(&json, list, &s);
    met_json_close(&json, '}');
    assert_string_equal(met_text_done(&out), "{\"u64\":1099511627776,\"number\":0.1,\"infinite\":null,\"string\":\"a\",\"none\":null,"
                                             "\"flag\":true,\"size\":18446744073709551615,\"u32\":4294967295}");
}

/* Numbers that JSON does not have are null or words, as the writer asks; lists of integers; a document ends with a line break. */
static void numbers(void **state)
{
    (void)state;
    met_json json = met_json_new_compact(&out);
    met_json_open(&json, NULL, '[');
    met_json_put_real(&json, NULL, 0.1);
    met_json_put_real(&json, NULL, NAN);
    met_json_put_real(&json, NULL, INFINITY);
    met_json_put_real(&json, NULL, -INFINITY);
    met_json_put_signed(&json, NULL, INT64_MIN);
    met_json_put_u32s(&json, NULL, 2, (const uint32_t[]){ 0, UINT32_MAX });
    met_json_put_u64s(&json, NULL, 1, (const uint64_t[]){ UINT64_MAX });
    met_json_put_u32s(&json, NULL, 0, NULL);
    met_json_close(&json, ']');
    assert_string_equal(met_json_done(&json), "[0.1,\"nan\",\"inf\",\"-inf\",-9223372036854775808,[0,4294967295],[18446744073709551615],[]]\n");
}

/* Keys and strings are escaped alike, and what is no number is null. */
static void reads_back(void **state)
{
    (void)state;
    const char *odd = "a \"quoted\" \\ \n key \xc3\xa9";
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, odd, odd);
    met_json_put_str(&json, "part", (met_str){ odd, 1 });
    met_json_put_number(&json, "tiny", 0x1p-1074);
    met_json_put_number(&json, "nan", NAN);
    met_json_close(&json, '}');
    json_t *read = json_loads(met_text_done(&out), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(read);
    assert_string_equal(json_string_value(json_object_get(read, odd)), odd);
    assert_string_equal(json_string_value(json_object_get(read, "part")), "a");
    assert_true(json_real_value(json_object_get(read, "tiny")) == 0x1p-1074);
    assert_true(json_is_null(json_object_get(read, "nan")));
    json_decref(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spaced, start, teardown),
        cmocka_unit_test_setup_teardown(compact, start, teardown),
        cmocka_unit_test_setup_teardown(lines, start, teardown),
        cmocka_unit_test_setup_teardown(fields, start, teardown),
        cmocka_unit_test_setup_teardown(numbers, start, teardown),
        cmocka_unit_test_setup_teardown(reads_back, start, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
