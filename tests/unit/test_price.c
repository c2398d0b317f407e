/* Prices of groups and plans against known values (tests/data/roofline.toml): the pricing itself, on circuits of boxes whose
 * bytes and flops are given. */
#define TRANSFERS MET_TEST_DATA_DIR "/roofline.toml"
#include "cost_known.h"

#include <jansson.h>

#include "circuits.h"
#include "plan/price.h"
#include "plan/roofline.h"

static met_device device_of(double bytes_per_s, double flops_per_s, double launch_s, met_device_level *ret_level)
{
    *ret_level = (met_device_level){ .name = "hbm", .capacity_bytes = 1, .bytes_per_s = bytes_per_s };
    return (met_device){ .id = "test", .level_count = 1, .levels = ret_level, .launch_s = launch_s,
                         .peak = { [MET_PEAK_BF16] = flops_per_s } };
}

/* --- One group --- */

static void group_time(context *c)
{
    met_device_level levels[MET_PRICE_LEVELS];
    const met_value *given = field(c->in, "levels");
    uint32_t count = (uint32_t)given->items.count;
    met_price price = { .launches = 1 };
    double compute = real(c, "flops") / (real(c, "TFLOPS") * 1e12), parts[MET_PRICE_LEVELS + 1] = { compute * 1e6 };
    for (uint32_t k = 0; k < count; k++) { /* listed from the outermost in */
        const met_value *level = given->items.at[k];
        uint32_t l = count - 1 - k;
        levels[l] = (met_device_level){ .name = met_arena_text(c->arena, string_field(level, "name").at, string_field(level, "name").length),
                                        .bytes_per_s = number_field(level, "GBps") * 1e9 };
        price.level_bytes[l] = number_field(level, "bytes");
        parts[1 + k] = price.level_bytes[l] / levels[l].bytes_per_s * 1e6;
    }
    met_device device = { .id = "test", .level_count = count, .levels = levels, .launch_s = real(c, "launch_us") / 1e6 };
    met_price_time(&device, compute, &price);
    expect(c, "us", price.seconds * 1e6);
    expect_list(c, "parts", count + 1, parts);
    assert_true(met_str_is(string_field(c->out, "bound"), met_price_bound_name(&price, &device)));
}

/* --- Plans of boxes --- */

enum { EDGES = 16, NODES = 8 };

typedef struct boxes {
    uint32_t edge_count, node_count;
    const met_value *tensors; /* a table: its keys in order are the edges */
    met_edge edges[EDGES];
    met_node nodes[NODES];
    met_node_work work[NODES];
    double bytes[EDGES];
    bool kept[EDGES];
    uint32_t reader_begin[EDGES + 1];
    met_node_id readers[EDGES * NODES];
    met_circuit circuit;
    met_derivation facts;
    met_workload workload;
} boxes;

static uint32_t number_of(const met_value *names, const char *in_list, met_str name)
{
    for (uint32_t i = 0; i < names->items.count; i++)
        if (met_str_equal(string_field(names->items.at[i], in_list), name))
            return i;
    fail_msg("no `%.*s`", MET_STR_ARGS(name));
    return 0;
}

static uint32_t tensor_number(const boxes *b, met_str name)
{
    for (uint32_t i = 0; i < b->tensors->entries.count; i++)
        if (met_str_equal(b->tensors->entries.at[i].key, name))
            return i;
    fail_msg("no tensor `%.*s`", MET_STR_ARGS(name));
    return 0;
}

static const met_edge_id *edges_of(context *c, const boxes *b, const met_value *names, uint32_t *ret_count)
{
    *ret_count = (uint32_t)names->items.count;
    met_edge_id *ids = MET_NEW_ARRAY(c->arena, met_edge_id, *ret_count);
    for (uint32_t i = 0; i < *ret_count; i++)
        ids[i].id = tensor_number(b, names->items.at[i]->string);
    return ids;
}

static void make_node(context *c, boxes *b, uint32_t n, const met_value *given)
{
    met_node *node = &b->nodes[n];
    node->ins = edges_of(c, b, field(given, "reads"), &node->in_count);
    node->outs = edges_of(c, b, field(given, "writes"), &node->out_count);
    double *in_bytes = MET_NEW_ARRAY(c->arena, double, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++)
        in_bytes[k] = b->bytes[node->ins[k].id];
    for (uint32_t k = 0; k < node->out_count; k++)
        b->edges[node->outs[k].id].producer.id = n;
    b->work[n] = (met_node_work){ .flops = number_field(given, "flops"), .in_bytes = in_bytes, .peak = MET_PEAK_BF16 };
}

static void find_readers(boxes *b)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < b->edge_count; e++) {
        b->reader_begin[e] = count;
        for (uint32_t n = 0; n < b->node_count; n++)
            for (uint32_t k = 0; k < b->nodes[n].in_count; k++)
                if (b->nodes[n].ins[k].id == e)
                    b->readers[count++].id = n;
    }
    b->reader_begin[b->edge_count] = count;
}

static const met_workload *workload_of(context *c, boxes *b)
{
    const met_value *nodes = field(c->in, "nodes"), *outputs = field(c->in, "outputs");
    b->tensors = field(c->in, "tensors");
    b->edge_count = (uint32_t)b->tensors->entries.count;
    b->node_count = (uint32_t)nodes->items.count;
    assert_true(b->edge_count <= EDGES && b->node_count <= NODES);
    for (uint32_t e = 0; e < b->edge_count; e++) {
        b->edges[e] = (met_edge){ .role = MET_EDGE_VALUE, .producer = { MET_NONE } };
        b->bytes[e] = b->tensors->entries.at[e].value->number;
    }
    for (uint32_t n = 0; n < b->node_count; n++)
        make_node(c, b, n, nodes->items.at[n]);
    for (size_t i = 0; i < outputs->items.count; i++)
        b->kept[tensor_number(b, outputs->items.at[i]->string)] = true;
    find_readers(b);
    b->circuit = (met_circuit){ .edge_count = b->edge_count, .edges = b->edges, .node_count = b->node_count, .nodes = b->nodes };
    b->facts = (met_derivation){ .circuit = &b->circuit, .reader_begin = b->reader_begin, .readers = b->readers, .kept = b->kept };
    b->workload = (met_workload){ &b->circuit, &b->facts, b->work, b->bytes, b->bytes, NULL };
    return &b->workload;
}

static void plan_of_groups(context *c)
{
    boxes b = { 0 };
    met_device_level level;
    met_device device = device_of(real(c, "GBps") * 1e9, real(c, "TFLOPS") * 1e12, real(c, "launch_us") / 1e6, &level);
    met_pricing pricing = { .workload = workload_of(c, &b), .device = &device };
    const met_value *groups = field(c->in, "groups"), *given = field(c->in, "nodes");
    met_price whole = { 0 }, parts = { 0 };
    double bytes[NODES], us[NODES];
    for (size_t g = 0; g < groups->items.count; g++) {
        met_node_id nodes[NODES];
        uint32_t count = (uint32_t)groups->items.at[g]->items.count;
        for (uint32_t i = 0; i < count; i++)
            nodes[i].id = number_of(given, "name", groups->items.at[g]->items.at[i]->string);
        met_price price = met_price_group(&pricing, &(met_priced_group){ .count = count, .nodes = nodes });
        met_price single = met_price_parts(&pricing, count, nodes);
        met_price_add(&whole, &price);
        met_price_add(&parts, &single);
        bytes[g] = price.bytes;
        us[g] = price.seconds * 1e6;
    }
    met_laxity laxity = met_price_laxity(&parts, &whole);
    expect_list(c, "group_bytes", groups->items.count, bytes);
    expect_list(c, "group_us", groups->items.count, us);
    expect(c, "us", whole.seconds * 1e6);
    expect(c, "laxity_bytes", laxity.bytes);
    expect(c, "laxity_launches", laxity.launches);
    expect(c, "laxity_us", laxity.seconds * 1e6);
    assert_true(isnan(whole.joules) && isnan(laxity.joules) && whole.joules_are == MET_JOULES_UNAVAILABLE);
}

/* --- Peaks, crossovers, experts --- */

/* A product with a weight or with another activation, of activations in a format. */
static void peak_of_node(context *c)
{
    static const struct {
        const char *name, *format;
    } formats[] = { { "bf16", "bf16" }, { "fp8", "fp8/token" }, { "nvfp4", "nvfp4/g16" }, { "f16", "f16" } };
    met_session *session = met_session_new();
    met_text text = met_text_new(session->arena);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (word_is(c, "activation", formats[i].name))
            met_text_format(&text, "x: %s[n=4 m=64]\n", formats[i].format);
    bool weights = field(c->in, "reads_weights")->boolean;
    met_text_put(&text, weights ? "linear[m -> f=32](x, @w)" : "'n m, k m -> n k'(x, x)");
    const met_workload *workload = met_workload_new(circuit_of(session, met_text_done(&text), ""));
    assert_non_null(workload);
    assert_int_equal(workload->nodes[0].reads_weights, weights);
    met_device device = { .peak = { [MET_PEAK_BF16] = real(c, "bf16"), [MET_PEAK_FP8] = real(c, "fp8"),
                                    [MET_PEAK_NVFP4] = real(c, "nvfp4") } };
    expect(c, "TFLOPS", met_device_peak(&device, (met_peak)workload->nodes[0].peak, !field(c->in, "fp4_unit")->boolean));
    met_session_free(session);
}

static void crossover(context *c)
{
    met_device_level level;
    met_device device = device_of(real(c, "GBps") * 1e9, real(c, "TFLOPS") * 1e12, 0, &level);
    double rows = met_crossover_rows(&device, MET_PEAK_BF16, 2, real(c, "in"), real(c, "out"));
    expect(c, "rows", rows);
    expect(c, "first_compute_bound", ceil(rows));
}

static void distinct_experts(context *c)
{
    expect(c, "distinct", met_distinct_experts(real(c, "E"), real(c, "k"), real(c, "n")));
}

static void test_known_prices(void **state)
{
    (void)state;
    static const cost_kind kinds[] = {
        { "group", group_time }, { "plan", plan_of_groups }, { "peak", peak_of_node },
        { "crossover", crossover }, { "experts", distinct_experts },
    };
    run_kinds(kinds, sizeof kinds / sizeof *kinds);
}

/* --- Repeats, levels, energy --- */

static void test_repeats_read_weights_again(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_workload *workload = met_workload_new(circuit_of(session, "x: bf16[n=8 m=64]\nlinear[m -> f=32](x, @w)", ""));
    met_device_level level;
    met_device device = device_of(1e9, 1e12, 1e-6, &level);
    met_pricing pricing = { .workload = workload, .device = &device };
    met_node_id node = { 0 };
    /* 64 x 32 values of weights; 8 rows of 64 values in and of 32 out; two bytes each (the format of the weights is f32) */
    double weights = 64 * 32 * 4, rows = 8 * (64 + 32) * 2;
    met_price once = met_price_group(&pricing, &(met_priced_group){ 1, &node, MET_REPEAT_ONCE, 0, 8, 0, NULL });
    met_price each = met_price_group(&pricing, &(met_priced_group){ 1, &node, MET_REPEAT_PER_ROW, 0, 8, 0, NULL });
    met_price chunks = met_price_group(&pricing, &(met_priced_group){ 1, &node, MET_REPEAT_CHUNK, 3, 8, 0, NULL });
    met_price but_last = met_price_group(&pricing, &(met_priced_group){ 1, &node, MET_REPEAT_PER_ROW_BUT_LAST, 0, 8, 0, NULL });
    assert_true(once.bytes == weights + rows && once.launches == 1);
    assert_true(each.bytes == 8 * weights + rows && each.launches == 8 && each.flops == once.flops);
    assert_true(chunks.bytes == 3 * weights + rows && chunks.launches == 3);
    assert_true(but_last.bytes == 7 * weights + rows * 7 / 8 && but_last.launches == 7 && but_last.flops == once.flops * 7 / 8);
    met_price none = met_price_group(&pricing, &(met_priced_group){ 1, &node, MET_REPEAT_PER_ROW_BUT_LAST, 0, 1, 0, NULL });
    assert_true(none.bytes == 0 && none.seconds == 0 && none.launches == 0);
    met_session_free(session);
}

/* 512^3 in f32 through a level with room for 4096 values: 2*512^3/64 values at least, more than the three arrays have. The
 * outermost level moves the arrays once. */
static void test_inner_levels_are_bounded(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const char *program = "x: f32[a=512 b=512]\ny: f32[b=512 c=512]\n'a b, b c -> a c'(x, y)";
    const met_workload *workload = met_workload_new(circuit_of(session, program, ""));
    met_device_level levels[] = { { "l1", 4096 * 4, 1e12 }, { "l2", 1 << 20, 1e12 }, { "dram", 0, 2e10 } };
    met_device device = { .level_count = 3, .levels = levels, .peak = { [MET_PEAK_F32] = 1e12 },
                          .joule_per_byte = 2e-11, .joule_per_flop = 1e-12 };
    met_pricing pricing = { .workload = workload, .device = &device };
    met_price price = met_price_group(&pricing, &(met_priced_group){ .count = 1, .nodes = &(met_node_id){ 0 } });
    double arrays = 3 * 512 * 512 * 4, flops = 2.0 * 512 * 512 * 512;
    assert_true(price.bytes == arrays && price.level_bytes[2] == arrays && price.level_bytes[0] == arrays);
    assert_true(price.level_bytes[1] == 4 * flops / 64);
    assert_true(price.flops == flops && price.bound == MET_BOUND_COMPUTE);
    assert_true(price.joules_are == MET_JOULES_MODELLED && price.joules == arrays * 2e-11 + flops * 1e-12);
    met_session_free(session);
}

/* --- Sums and their text --- */

static void test_rooflines_as_json(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    met_roofline_node nodes[] = { { "q", 4, 2, 1 }, { "k", 4, 2, 3 }, { "q", 4, 2, 4 } };
    met_roofline roofline = { 3, nodes, 8, 12, 6 };
    json_t *json = json_loads(met_roofline_json(arena, &roofline), 0, NULL);
    assert_non_null(json);
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
        cmocka_unit_test(test_known_prices),
        cmocka_unit_test(test_repeats_read_weights_again),
        cmocka_unit_test(test_inner_levels_are_bounded),
        cmocka_unit_test(test_rooflines_as_json),
        cmocka_unit_test(test_sums_keep_their_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
