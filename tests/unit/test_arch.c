/* Architectures: every one types, expands and runs, and means what the published formulas say. */
#include "decoder.h"

#include "base/arena.h"

#include "on_session.h"

static const char *example(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, MET_ROOT_DIR "/examples/%s/config.json", name);
    return text_of_file(session, path);
}

static const char qwen2_tiny[] = "{\"model_type\": \"qwen2\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"tie_word_embeddings\": true}";

/* --- All of them --- */

static void all_type_and_expand(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        const char *modes[5];
    } all[] = {
        { "llama", { "prefill", "decode", "multi_seq", "verify" } },
        { "qwen2", { "prefill", "decode", "multi_seq", "verify" } },
        { "qwen3", { "prefill", "decode", "multi_seq", "verify" } },
        { "mistral", { "prefill", "decode", "multi_seq", "verify" } },
        { "bert", { "encode" } },
        { "spherical", { "prefill" } },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int k = 0; all[i].modes[k]; k++) {
            const met_circuit *c = model_of(session, all[i].arch, NULL, all[i].modes[k], "");
            assert_string_equal(met_sym_text(session, c->name), all[i].arch);
            assert_int_equal(c->output_count, 1);
            assert_int_equal(c->state_count, k > 0 ? 4 : 0); /* all modes but the first have a cache */
            assert_non_null(met_circuit_expand(c, "pow2"));
            assert_non_null(strstr(met_circuit_listing(c, false), all[i].arch));
        }
    }
    assert_int_equal(met_session_error_count(session), 0);
}

/* What a listing says reads back to the same circuit. */
static void listings_read_back(void **state)
{
    (void)state;
    static const char *const names[] = { "llama", "qwen3", "bert", "spherical" };
    for (size_t i = 0; i < 4; i++) {
        const char *text = met_circuit_listing(model_of(session, names[i], NULL, NULL, ""), true);
        const met_circuit *again = met_circuit_read(session, met_session_add_source(session, "listing", text, strlen(text)),
                                                    NULL);
        if (!again)
            fail_msg("%s", met_session_diagnostics_text(session));
    }
}

/* --- Decoders --- */

enum { TOKENS = 6 };
static const int ids[TOKENS] = { 7, 1, 19, 4, 4, 11 };

static void give_ids(arrays *a, int first, int count)
{
    for (int i = 0; i < count; i++)
        array(a, "ids")[i] = ids[first + i];
}

static void give_caches(const decoder *c, arrays *a, const caches *kept, int count)
{
    for (int layer = 0; layer < c->layers; layer++) {
        double *keys = (double *)layer_array(a, layer, "keys.cache"),
            *values = (double *)layer_array(a, layer, "values.cache");
        int row = c->g * c->d;
        for (int j = 0; j < count; j++) {
            memcpy(keys + j * row, kept->keys[layer][j], (size_t)row * sizeof(double));
            memcpy(values + j * row, kept->values[layer][j], (size_t)row * sizeof(double));
        }
    }
}

/* The states after a run: what was kept, and the new tokens' keys and values. */
static void expect_caches(const decoder *c, const met_eval_result *result, const caches *kept, int count)
{
    assert_int_equal(result->state_count, 2 * c->layers);
    for (int layer = 0; layer < c->layers; layer++) {
        for (int j = 0; j < count; j++) {
            const met_named_tensor *states = &result->arrays[result->output_count + 2 * (size_t)layer];
            size_t row = (size_t)(c->g * c->d);
            expect_near("keys", row, states[0].tensor->values + (size_t)j * row, kept->keys[layer][j]);
            expect_near("values", row, states[1].tensor->values + (size_t)j * row, kept->values[layer][j]);
        }
    }
}

static void check_decoder(const char *arch, const char *config, decoder c)
{
    static caches kept;
    double logits[TOKENS][WIDTH], prefilled[WIDTH];
    arrays *a = arrays_of(model_of(session, arch, config, NULL, "n=6"));
    c.weights = a;
    for (int i = 0; i < TOKENS; i++)
        ref_token(&c, i, ids[i], &kept, logits[i]);
    give_ids(a, 0, TOKENS);
    const double *got = run_arrays(a)->arrays[0].tensor->values;
    for (int i = 0; i < TOKENS; i++)
        expect_near("prefill", (size_t)c.v, got + i * c.v, logits[i]);
    memcpy(prefilled, got + (TOKENS - 1) * c.v, (size_t)c.v * sizeof(double));

    a = arrays_of(model_of(session, arch, config, "decode", "c=5"));
    give_ids(a, TOKENS - 1, 1);
    give_caches(&c, a, &kept, TOKENS - 1);
    const met_eval_result *result = run_arrays(a);
    expect_near("decode", (size_t)c.v, result->arrays[0].tensor->values, prefilled);
    expect_caches(&c, result, &kept, TOKENS);

    a = arrays_of(model_of(session, arch, config, "verify", "c=2,n=4"));
    give_ids(a, 2, 4);
    give_caches(&c, a, &kept, 2);
    result = run_arrays(a);
    for (int i = 0; i < 4; i++)
        expect_near("verify", (size_t)c.v, result->arrays[0].tensor->values + i * c.v, logits[2 + i]);
    expect_caches(&c, result, &kept, TOKENS);
}

/* Wavelengths of the four pairs: one is left alone, one partly stretched, two stretched in full. */
static void llama(void **state)
{
    (void)state;
    check_decoder("llama", example("llama-tiny"),
                  (decoder){ .layers = 2, .m = 16, .g = 2, .r = 2, .d = 8, .f = 24, .v = 40, .eps = 1e-5, .theta = 10000,
                            .factor = 8,
                             .low = 1, .high = 4, .original = 64 });
}

static void qwen2(void **state)
{
    (void)state;
    check_decoder("qwen2", qwen2_tiny, (decoder){ .layers = 2, .m = 16, .g = 2, .r = 2, .d = 4, .f = 24, .v = 40, .eps = 1e-6,
                                                 .theta = 10000,
                                                  .biases = true, .tied = true });
}

static void qwen3(void **state)
{
    (void)state;
    check_decoder("qwen3", example("qwen3-tiny"), (decoder){ .layers = 2, .m = 12, .g = 2, .r = 2, .d = 4, .f = 20, .v = 30,
                                                            .eps = 1e-6,
                                                             .theta = 1e6, .head_norms = true, .tied = true });
}

static void mistral(void **state)
{
    (void)state;
    check_decoder("mistral", example("mistral-tiny"), (decoder){ .layers = 2, .m = 16, .g = 2, .r = 2, .d = 4, .f = 24,
                                                                .v = 40, .eps = 1e-5,
                                                                 .theta = 1e6, .window = 3 });
}

/* Half of what config.json may say of rotation, on one layer: linear scaling divides every frequency. */
static void linear_scaling(void **state)
{
    (void)state;
    static caches kept;
    double logits[WIDTH];
    const char *config = "{\"model_type\": \"llama\", \"hidden_size\": 8, \"intermediate_size\": 4, \"num_attention_heads\": 2, \"num_hidden_layers\": 1,"
                         "\"vocab_size\": 20, \"rope_theta\": 100, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.5}}";
    arrays *a = arrays_of(model_of(session, "llama", config, NULL, "n=6"));
    /* llama3 scaling with no wavelength spared is linear scaling */
    decoder c = { .layers = 1, .m = 8, .g = 2, .r = 1, .d = 4, .f = 4, .v = 20, .eps = 1e-6, .theta = 100, .factor = 2.5,
                 .low = 1, .high = 1,
                  .original = 1e-9, .weights = a };
    give_ids(a, 0, TOKENS);
    const double *got = run_arrays(a)->arrays[0].tensor->values;
    for (int i = 0; i < TOKENS; i++) {
        ref_token(&c, i, ids[i], &kept, logits);
        expect_near("linear", 20, got + i * 20, logits);
    }
}

/* --- A layer that others have computed: tests/data/blocks.toml, llama_block_half --- */

static void known_layer(void **state)
{
    (void)state;
    const char *arch = "[arch]\nname = 'block'\nsummary = 'one layer'\nuse = ['blocks/attention_gqa.toml', 'blocks/mlp_gated.toml']\n"
                       "[dims]\nn = { size = 'tokens' }\nm = { size = 'width' }\neps = { number = 'of norms', default = 1e-5 }\n"
                       "layers = { count = 'layers', default = 1 }\n[modes.prefill]\nsummary = 'all at once'\n"
                       "[model]\nmode = 'prefill'\ninputs.x = { axes = ['n', 'm'] }\nstream = 'x'\n"
                       "[layers]\ncount = 'layers'\npath = 'layers'\nkinds.layer = ['attention', 'mlp']\n";
    static const double first[] = { 0.05918108727090981, 0.351336984324582, 0.4843256313822883, 0.4136873587685886 };
    const met_circuit *c = model_of(session, arch, NULL, NULL, "n=5,m=8,g=2,r=2,d=4,f=12");
    met_eval_options options = { .fill = "wave" };
    const met_eval_result *result = met_eval_run(c, &options, 0, NULL);
    assert_non_null(result);
    const met_tensor *y = result->arrays[0].tensor;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < y->count; i++) {
        sum += y->values[i];
        squares += y->values[i] * y->values[i];
    }
    expect_near("layer", 4, y->values, first);
    expect_near("sum", 1, &sum, (double[]){ 1.3107916194682516 });
    squares = sqrt(squares);
    expect_near("l2", 1, &squares, (double[]){ 2.247774206247123 });
}

/* --- Size of things --- */

static void layers_are_linear(void **state)
{
    (void)state;
    size_t used[3];
    static const uint32_t counts[] = { 126, 500, 1000 };
    for (int i = 0; i < 3; i++) {
        met_session *own = met_session_new();
        const met_circuit *c = read_model(own, "llama", example("llama-3.1-8b"), "decode", counts[i]);
        assert_non_null(c);
        assert_int_equal(c->node_count, counts[i] * 22 + 3);
        assert_int_equal(c->state_count, counts[i] * 2);
        assert_non_null(met_circuit_listing(c, false));
        used[i] = met_arena_used(own->arena);
        met_session_free(own);
    }
    assert_true((double)used[2] < 2.2 * (double)used[1]);
    assert_true((double)used[1] < 4.4 * (double)used[0]);
}

static void blocks_are_families(void **state)
{
    (void)state;
    const met_circuit *c = read_model(session, "llama", NULL, NULL, 5);
    uint32_t layers = 0, family = MET_NONE;
    for (uint32_t i = 0; i < c->block_count; i++) {
        const met_block *block = &c->blocks[i];
        if (strcmp(met_sym_text(session, block->name), "layer") != 0)
            continue;
        assert_true(family == MET_NONE || family == block->family);
        family = block->family;
        assert_int_equal(block->repeat, layers++);
        assert_int_equal(block->repeat_count, 5);
        assert_int_equal(block->node_end - block->node_begin, 20);
    }
    assert_int_equal(layers, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_type_and_expand, setup, teardown),
        cmocka_unit_test_setup_teardown(listings_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(llama, setup, teardown),
        cmocka_unit_test_setup_teardown(qwen2, setup, teardown),
        cmocka_unit_test_setup_teardown(qwen3, setup, teardown),
        cmocka_unit_test_setup_teardown(mistral, setup, teardown),
        cmocka_unit_test_setup_teardown(linear_scaling, setup, teardown),
        cmocka_unit_test_setup_teardown(known_layer, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_are_linear, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_are_families, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
