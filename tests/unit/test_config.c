/* Configurations: what config.json may say, what is refused and how, and totals that the world knows. */
#include "models.h"

#include "ir/flops.h"

#include "on_session.h"

/* --- Diagnostics --- */

#define LLAMA                                                                                                                       \
    "\"model_type\": \"llama\", \"hidden_size\": 8, \"intermediate_size\": 12, \"num_attention_heads\": 4, \"num_hidden_layers\": 2, " \
    "\"vocab_size\": 20"

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *config;
        met_code code;
        const char *words[3]; /* all of them are said */
    } cases[] = {
        { "llama", "{" LLAMA ", \"rms_norm_epsilon\": 1e-5}", MET_DIAG_config_key,
         { "at /rms_norm_epsilon", "`llama` has no rule", "did you mean `rms_norm_eps`?" } },
        { "llama", "{" LLAMA ", \"alibi\": true}", MET_DIAG_config_key,
         { "at /alibi", "may change what the model computes" } },
        { "llama", "{" LLAMA ", \"attention_bias\": true}", MET_DIAG_config_key, { "at /attention_bias", "have no biases" } },
        { "llama", "{" LLAMA ", \"mlp_bias\": true}", MET_DIAG_config_key, { "at /mlp_bias", "have no biases" } },
        { "llama", "{" LLAMA ", \"hidden_act\": \"mish\"}", MET_DIAG_config_key,
         { "at /hidden_act", "this is `mish`", "it knows silu" } },
        { "llama", "{" LLAMA ", \"hidden_act\": 3}", MET_DIAG_config_key, { "at /hidden_act", "it knows silu" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4}}", MET_DIAG_config_key,
         { "at /rope_scaling/rope_type", "`yarn`", "llama3" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": {\"type\": \"longrope\"}}", MET_DIAG_config_key,
         { "at /rope_scaling/type", "`longrope`" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2, \"rope_type\": \"llama3\"}}", MET_DIAG_model,
         { "two different values", "/rope_scaling/" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": {\"factr\": 4}}", MET_DIAG_config_key,
         { "at /rope_scaling/factr", "did you mean `factor`?" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": {\"type\": \"linear\"}}", MET_DIAG_config_key,
          { "at /rope_scaling/type", "`factor` is missing, which `linear` wants beside it" } },
        { "llama", "{" LLAMA ", \"rope_parameters\": {\"rope_type\": \"llama3\", \"factor\": 2, \"low_freq_factor\": null}}",
          MET_DIAG_config_key, { "`low_freq_factor` is missing", "`high_freq_factor` is missing", "`original_max_position_embeddings` is" } },
        { "llama", "{" LLAMA ", \"rope_theta\": 100, \"rope_parameters\": {\"rope_theta\": 10}}", MET_DIAG_model,
          { "`theta` is given two different values", "/rope_theta" } },
        { "llama", "{" LLAMA ", \"rope_scaling\": 4}", MET_DIAG_field, { "at /rope_scaling", "must be a table" } },
        { "llama", "{" LLAMA ", \"quantization_config\": {}}", MET_DIAG_config_key,
         { "at /quantization_config", "quantized checkpoint" } },
        { "llama", "{" LLAMA ", \"num_key_value_heads\": 3}", MET_DIAG_divide,
         { "4 is not a multiple of 3", "at /num_attention_heads\n   = `heads` is 4", "/num_key_value_heads" } },
        { "llama", "{" LLAMA ", \"head_dim\": 3}", MET_DIAG_divide, { "`d` is 3", "rotary positions turn pairs" } },
        { "llama", "{" LLAMA ", \"num_key_value_heads\": 0}", MET_DIAG_model,
         { "at /num_key_value_heads", "`g` must be a positive integer" } },
        { "llama", "{" LLAMA ", \"num_key_value_heads\": 2.5}", MET_DIAG_model,
         { "at /num_key_value_heads", "must be a positive integer" } },
        { "llama", "{" LLAMA ", \"rms_norm_eps\": \"small\"}", MET_DIAG_model,
         { "at /rms_norm_eps", "`eps` must be a number" } },
        { "llama", "{" LLAMA ", \"tie_word_embeddings\": 1}", MET_DIAG_model,
         { "at /tie_word_embeddings", "must be true or false" } },
        { "llama", "{\"model_type\": \"llama\", \"hidden_size\": 8, \"num_attention_heads\": 2}", MET_DIAG_config_key,
         { "`vocab_size` is missing", "`num_hidden_layers` is missing", "`intermediate_size` is missing" } },
        { "llama", "{\"model_type\": \"qwen2\"}", MET_DIAG_model,
         { "at /model_type", "a model of type `qwen2`", "reads configurations of type llama" } },
        { "llama", "{\"hidden_size\": 8}", MET_DIAG_config_key, { "`model_type` is missing" } },
        { "llama", "[]", MET_DIAG_field, { "a configuration must be a table" } },
        { "spherical", "{" LLAMA "}", MET_DIAG_model, { "does not read configurations" } },
        { "qwen3", "{\"model_type\": \"qwen3\", \"use_sliding_window\": true}", MET_DIAG_config_key,
         { "at /use_sliding_window", "layers with a window" } },
        { "qwen3", "{\"model_type\": \"qwen3\", \"layer_types\": [\"full_attention\", \"sliding_attention\"]}",
         MET_DIAG_config_key, { "at /layer_types" } },
        { "bert", "{\"model_type\": \"bert\", \"position_embedding_type\": \"relative_key\"}", MET_DIAG_config_key,
         { "at /position_embedding_type", "come from a table" } },
        { "bert",
         "{\"model_type\": \"bert\", \"hidden_size\": 10, \"num_attention_heads\": 4, \"intermediate_size\": 8, \"num_hidden_layers\": 1,"
                  "\"vocab_size\": 9, \"type_vocab_size\": 2, \"max_position_embeddings\": 8}", MET_DIAG_divide,
                      { "10 is not a multiple of 4", "/hidden_size", "/num_attention_heads" } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *own = met_session_new();
        if (read_model(own, cases[i].arch, cases[i].config, NULL, 0))
            fail_msg("%s was accepted", cases[i].config);
        for (int w = 0; w < 3 && cases[i].words[w]; w++)
            expect_diag(own, cases[i].code, cases[i].words[w]);
        met_session_free(own);
    }
}

/* --- What is accepted --- */

static uint64_t size_named(const met_circuit *c, const char *parameter, uint32_t position)
{
    for (uint32_t i = 0; i < c->parameter_count; i++) {
        const met_edge *e = &c->edges[c->parameters[i].id];
        uint64_t n;
        if (strcmp(met_sym_text(c->session, e->name), parameter) == 0 && met_circuit_size(c, e->axes[position], &n))
            return n;
    }
    fail_msg("no size %u of %s", position, parameter);
    return 0;
}

static void defaults(void **state)
{
    (void)state;
    /* as many key/value heads as query heads, heads that share the width; null is as good as absent */
    const met_circuit *c = model_of(session, "llama", "{" LLAMA ", \"num_key_value_heads\": null, \"rope_scaling\": null}",
                                    NULL, "");
    assert_int_equal(size_named(c, "layers.1.wq", 0), 4); /* g r d m */
    assert_int_equal(size_named(c, "layers.1.wq", 1), 1);
    assert_int_equal(size_named(c, "layers.1.wq", 2), 2);
    c = model_of(session, "llama", "{" LLAMA ", \"head_dim\": 6, \"num_key_value_heads\": 2}", NULL, "");
    assert_int_equal(size_named(c, "layers.0.wq", 0), 2);
    assert_int_equal(size_named(c, "layers.0.wq", 1), 2);
    assert_int_equal(size_named(c, "layers.0.wq", 2), 6);
    assert_int_equal(met_session_error_count(session), 0);
}

static bool has_op(const met_circuit *c, met_op_id op)
{
    for (uint32_t i = 0; i < c->node_count; i++)
        if (c->nodes[i].op && c->nodes[i].op->id == op)
            return true;
    return false;
}

#define MISTRAL                                                                                                                         \
    "\"model_type\": \"mistral\", \"hidden_size\": 8, \"intermediate_size\": 12, \"num_attention_heads\": 4, \"num_hidden_layers\": 2, " \
    "\"vocab_size\": 20"

static void switches(void **state)
{
    (void)state;
    assert_true(has_op(model_of(session, "mistral", "{" MISTRAL ", \"sliding_window\": 3}", NULL, ""), MET_OP_mask_window));
    const met_circuit *c = model_of(session, "mistral", "{" MISTRAL ", \"sliding_window\": null}", NULL, "");
    assert_true(has_op(c, MET_OP_mask_causal) && !has_op(c, MET_OP_mask_window));
    c = model_of(session, "llama", "{" LLAMA ", \"hidden_act\": \"gelu_pytorch_tanh\"}", NULL, "");
    assert_true(has_op(c, MET_OP_gelu_tanh) && !has_op(c, MET_OP_silu));
    /* a tied head reads the token table: one parameter less, read twice */
    const met_circuit *free = model_of(session, "llama", "{" LLAMA "}", NULL, "");
    c = model_of(session, "llama", "{" LLAMA ", \"tie_word_embeddings\": true}", NULL, "");
    assert_int_equal(c->parameter_count + 1, free->parameter_count);
}

/* --- Totals --- */

static const char *preset(const char *name)
{
    const char *root = getenv("MET_TESTDATA");
    char path[1024];
    if (!root || !*root)
        return NULL;
    snprintf(path, sizeof path, "%s/llm_presets/%s.json", root, name);
    return text_of_file(session, path);
}

static void presets(void **state)
{
    (void)state;
    static const struct {
        const char *file, *arch;
        uint64_t parameters;
    } known[] = {
        { "llama3_1_8b", "llama", 8030261248 },   { "llama3_2_1b", "llama", 1235814400 },
            { "smollm2_135m", "llama", 134515008 },
        { "mistral_7b_v03", "mistral", 7248023552 }, { "qwen3_0.6b", "qwen3", 596049920 },
             { "qwen2.5_3b", "qwen2", 3085938688 },
        { "Mixtral-8x7B-v0.1", "mixtral", 46702792704 }, { "qwen2moe", "qwen2_moe", 14315784192 },
        { "deepseek_v2_lite", "deepseek_v2", 15706484224 },
    };
    if (!preset("llama3_1_8b")) {
        print_message("MET_TESTDATA is not set: no presets\n");
        skip();
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t count;
        assert_true(met_circuit_parameter_count(model_of(session, known[i].arch, preset(known[i].file), NULL, ""), &count));
        assert_int_equal(count, known[i].parameters);
    }
}

static void bert_total(void **state)
{
    (void)state;
    const char *config = preset("snowflake-arctic-embed-m");
    uint64_t count, m = 768, f = 3072, v = 30522, p = 512, t = 2;
    if (!config) { /* the same sizes */
        config = "{\"model_type\": \"bert\", \"hidden_size\": 768, \"intermediate_size\": 3072, \"num_attention_heads\": 12, \"num_hidden_layers\": 12,"
                 "\"vocab_size\": 30522, \"max_position_embeddings\": 512, \"type_vocab_size\": 2}";
    }
    uint64_t norm = 2 * m, layer = 4 * (m * m + m) + (m * f + f) + (f * m + m) + 2 * norm;
    assert_true(met_circuit_parameter_count(model_of(session, "bert", config, NULL, ""), &count));
    assert_int_equal(count, (v + p + t) * m + norm + 12 * layer);
}

/* Bytes of the arrays that linear maps read as weights. */
static uint64_t weight_bytes(const met_circuit *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->node_count; i++) {
        if (!c->nodes[i].op || c->nodes[i].op->id != MET_OP_linear)
            continue;
        const met_edge *w = &c->edges[c->nodes[i].ins[1].id];
        uint64_t elements = 1, n;
        for (uint32_t p = 0; p < w->rank; p++) {
            assert_true(met_circuit_size(c, w->axes[p], &n));
            elements *= n;
        }
        assert_true(met_format_bytes(w->format, MET_USE_WEIGHT, 1, elements, &n));
        bytes += n;
    }
    return bytes;
}

static uint64_t state_bytes(const met_circuit *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->state_count; i++) {
        const met_edge *e = &c->edges[c->states[i].in.id];
        uint64_t elements = 1, n;
        for (uint32_t p = 0; p < e->rank; p++) {
            assert_true(met_circuit_size(c, e->axes[p], &n));
            elements *= n;
        }
        assert_true(met_format_bytes(e->format, MET_USE_ACTIVATION, 1, elements, &n));
        bytes += n;
    }
    return bytes;
}

static void llama_bytes(void **state)
{
    (void)state;
    uint64_t count;
    met_model_options options = { .config = json_of(session,
                                                    text_of_file(session, MET_ROOT_DIR "/examples/llama-3.1-8b/config.json")),
                                  .mode = "decode", .default_format = "bf16", .part = part_from_file,
                                      .part_context = session };
    const met_circuit *c = met_model_read(session, part_from_file(session, "llama.toml"), &options);
    assert_non_null(c);
    assert_true(met_circuit_parameter_count(c, &count));
    assert_int_equal(count, 8030261248);
    assert_int_equal(weight_bytes(c), 15009316864);
    assert_int_equal(state_bytes(met_circuit_bind(c, "c=1")), 131072);
    assert_int_equal(state_bytes(met_circuit_bind(c, "c=1000")), 131072000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
               cmocka_unit_test_setup_teardown(defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(switches, setup, teardown),
               cmocka_unit_test_setup_teardown(presets, setup, teardown),
        cmocka_unit_test_setup_teardown(bert_total, setup, teardown),
             cmocka_unit_test_setup_teardown(llama_bytes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
