/* Prices as text and as JSON: units, labels, and no number where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>

#include "base/session.h"
#include "plan/price_text.h"
#include "plan/roofline.h"

static const met_device_level levels[] = { { "l2", 1 << 20, 1e12 }, { "dram", 0, 1e10 } };
static const met_device device = { .level_count = 2, .levels = levels };

static void expect_amount(void (*put)(met_text *out, double amount), double amount, const char *want)
{
    met_arena *arena = met_arena_new();
    met_text out = met_text_new(arena);
    put(&out, amount);
    assert_string_equal(met_text_done(&out), want);
    met_arena_free(arena);
}

static void test_units(void **state)
{
    (void)state;
    expect_amount(met_put_bytes, 15558530052, "15.559 GB");
    expect_amount(met_put_bytes, 12, "12 B");
    expect_amount(met_put_bytes, 999999.9, "1 MB"); /* not 1000 kB */
    expect_amount(met_put_bytes, 0.5, "0.5 B");
    expect_amount(met_put_bytes, -8192, "-8.192 kB");
    expect_amount(met_put_flops, 0, "0 F");
    expect_amount(met_put_seconds, 0.004644337, "4.6443 ms");
    expect_amount(met_put_seconds, 3e-6, "3 us");
    expect_amount(met_put_seconds, INFINITY, "inf s");
}

static void test_energy_is_labelled(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    met_text out = met_text_new(arena);
    met_price price = { .bytes = 8192, .launches = 1, .seconds = 1e-6, .joules = NAN, .bound = 1 };
    met_price_print(&out, &price, &device);
    assert_string_equal(met_text_done(&out), "8.192 kB  0 F  1 launch  1 us (dram)  energy unavailable");
    price.joules = 0.25;
    price.joules_are = MET_JOULES_MODELLED;
    price.bound = MET_BOUND_LAUNCH;
    out = met_text_new(arena);
    met_price_print(&out, &price, &device);
    assert_string_equal(met_text_done(&out), "8.192 kB  0 F  1 launch  1 us (launch)  energy 250 mJ modelled");
    met_arena_free(arena);
}

static json_t *json_of(met_text *out)
{
    json_error_t error;
    json_t *json = json_loads(met_text_done(out), 0, &error);
    if (!json)
        fail_msg("%s: %s", error.text, met_text_done(out));
    return json;
}

static void test_json(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    met_text out = met_text_new(arena);
    met_price price = { .bytes = 0.1, .level_bytes = { 7, 0.1 }, .launches = 1, .seconds = 3e-6, .joules = NAN, .bound = -1 };
    met_price_json(&out, &price, &device);
    json_t *json = json_of(&out);
    assert_true(json_real_value(json_object_get(json, "bytes")) == 0.1); /* every digit */
    assert_true(json_is_null(json_object_get(json, "joules")));
    assert_string_equal(json_string_value(json_object_get(json, "joules_are")), "unavailable");
    assert_string_equal(json_string_value(json_object_get(json, "bound")), "compute");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "levels"), "l2")), 7);
    json_decref(json);

    met_memory memory = { .weights_read = 10, .weights_stored = 12 };
    met_fit fit = met_fit_of(&memory, 100, 0.5, 1, 4, 0); /* nothing for a sequence: as many as you like */
    out = met_text_new(arena);
    met_fit_json(&out, &memory, &fit);
    json = json_of(&out);
    assert_true(json_is_null(json_object_get(json, "max_sequences")) && json_is_true(json_object_get(json, "fits")));
    json_decref(json);

    met_roofline_node nodes[] = { { "q", 4, 2, 1 }, { "k", 4, 2, 3 }, { "q", 4, 2, 4 } };
    met_roofline roofline = { 3, nodes, 8, 12, 6 };
    out = met_text_new(arena);
    met_roofline_json(&out, arena, &roofline);
    json = json_of(&out);
    assert_int_equal(json_array_size(json_object_get(json, "sites")), 2);
    assert_true(json_number_value(json_object_get(json_array_get(json_object_get(json, "sites"), 0), "percent")) == 62.5);
    json_decref(json);
    met_arena_free(arena);
}

/* An unknown part makes the whole unknown; an empty sum is no part. */
static void test_sums_keep_their_labels(void **state)
{
    (void)state;
    met_price modelled = { .bytes = 1, .seconds = 1, .bound_s = 1, .joules = 2, .joules_are = MET_JOULES_MODELLED };
    met_price measured = { .bytes = 1, .seconds = 2, .bound_s = 2, .joules = 3, .joules_are = MET_JOULES_MEASURED, .bound = -2 };
    met_price unknown = { .bytes = 1, .seconds = 1, .joules = NAN }, sum = { 0 }, nothing = { 0 };
    met_price_add(&sum, &measured);
    met_price_add(&sum, &nothing);
    assert_int_equal(sum.joules_are, MET_JOULES_MEASURED);
    met_price_add(&sum, &modelled);
    assert_true(sum.joules_are == MET_JOULES_MODELLED && sum.joules == 5 && sum.bound == -2 && sum.seconds == 3);
    met_price_add(&sum, &unknown);
    assert_true(sum.joules_are == MET_JOULES_UNAVAILABLE && isnan(sum.joules) && sum.bytes == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_energy_is_labelled),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_sums_keep_their_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
