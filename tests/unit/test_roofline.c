/* Rooflines, weights, caches and fits of real models against known values (tests/data/roofline.toml). The circuits are those
 * of kernels/circuits at the sizes that a case gives, and which nodes are one operation is said in kernels/SITES.toml. */
#define TRANSFERS MET_TEST_DATA_DIR "/roofline.toml"
#include "cost_known.h"

#include <stdio.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/json.h"
#include "met/model.h"
#include "plan/fit.h"
#include "plan/lower_sites.h"
#include "plan/roofline.h"

/* --- Circuits --- */

static const met_value *part_of(void *user, const char *path)
{
    met_session *session = user;
    char whole[512];
    snprintf(whole, sizeof whole, MET_ROOT_DIR "/kernels/circuits/%s", path);
    return met_toml_read(session, met_file_source(session, whole));
}

static bool has(const context *c, const char *key)
{
    return met_value_get(c->in, key) != NULL;
}

static const char *architecture(const context *c)
{
    bool qk_norm = field(c->in, "qk_norm")->boolean;
    if (has(c, "E"))
        return qk_norm ? "qwen3_moe" : "mixtral";
    return qk_norm ? "qwen3" : "llama";
}

static const char *config_of(const context *c)
{
    met_text out = met_text_new(c->arena);
    met_text_format(&out, "{\"model_type\": \"%s\", \"hidden_size\": %.0f, \"vocab_size\": %.0f, \"num_attention_heads\": %.0f, "
                    "\"num_key_value_heads\": %.0f, \"head_dim\": %.0f, \"num_hidden_layers\": %.0f, \"tie_word_embeddings\": %s",
                    architecture(c), real(c, "H"), real(c, "V"), real(c, "Q"), real(c, "K"), real(c, "D"), real(c, "L"),
                    field(c->in, "tied")->boolean ? "true" : "false");
    if (has(c, "I"))
        met_text_format(&out, ", \"intermediate_size\": %.0f", real(c, "I"));
    else
        met_text_format(&out, ", \"num_local_experts\": %.0f, \"num_experts_per_tok\": %.0f, \"intermediate_size\": %.0f",
                        real(c, "E"), real(c, "k"), real(c, "J"));
    met_text_put(&out, "}");
    return met_text_done(&out);
}

static const met_workload *workload_of(const context *c, met_session *session, const char *arch, const char *config, const char *mode,
                                       const char *set)
{
    char file[64];
    snprintf(file, sizeof file, "%s.toml", arch);
    met_model_options options = { .config = met_json_read(session, met_session_add_source(session, "config.json", config, strlen(config))),
                                 .mode = mode, .default_format = "bf16", .part = part_of, .part_context = session };
    const met_circuit *circuit = met_model_read(session, part_of(session, file), &options);
    circuit = circuit ? met_circuit_bind(circuit, set) : NULL;
    const met_workload *workload = circuit ? met_workload_new(circuit) : NULL;
    if (!workload)
        fail_msg("%s: %s", c->id, met_session_diagnostics_text(session));
    return workload;
}

/* In bf16. Mode decode with several rows is what the architectures call verify. */
static const met_workload *model_of(const context *c, met_session *session, const char *mode, uint64_t rows, uint64_t cached)
{
    char set[96];
    unsigned long long n = rows, ctx = cached;
    if (strcmp(mode, "multi_seq") == 0) {
        snprintf(set, sizeof set, "b=%llu,c=%llu", n, ctx);
    } else if (strcmp(mode, "prefill") == 0) {
        snprintf(set, sizeof set, "n=%llu", n);
    } else if (rows > 1) {
        mode = "verify";
        snprintf(set, sizeof set, "n=%llu,c=%llu", n, ctx);
    } else {
        snprintf(set, sizeof set, "c=%llu", ctx);
    }
    return workload_of(c, session, architecture(c), config_of(c), mode, set);
}

/* What is one operation is said in kernels/SITES.toml. */
static const met_roofline *roofline_of(const context *c, met_session *session, const met_pricing *pricing)
{
    uint32_t count = 0;
    const met_lkb *lkb = met_blueprint_load(session, &(met_blueprint_request){ .kernels = MET_ROOT_DIR "/kernels" });
    const met_site *sites = lkb ? met_lower_sites(pricing, lkb, &count) : NULL;
    if (!sites)
        fail_msg("%s: %s", c->id, met_session_diagnostics_text(session));
    return met_roofline_new(pricing, count, sites);
}

/* --- Kinds --- */

static const met_roofline *step_in_mode(const context *c, met_session *session, const char *mode)
{
    met_device_level *level = MET_NEW(session->arena, met_device_level);
    met_device *device = MET_NEW(session->arena, met_device);
    *level = (met_device_level){ .name = "hbm", .bytes_per_s = has(c, "GBps") ? real(c, "GBps") * 1e9 : 1 };
    *device = (met_device){ .level_count = 1, .levels = level, .launch_s = 1,
                            .peak = { [MET_PEAK_BF16] = has(c, "TFLOPS") ? real(c, "TFLOPS") * 1e12 : 1 } };
    met_pricing pricing = { .workload = model_of(c, session, mode, whole(c, "n"), whole(c, "ctx")), .device = device };
    return roofline_of(c, session, &pricing);
}

static const met_roofline *step_of(const context *c, met_session *session)
{
    return step_in_mode(c, session, word_is(c, "mode", "multi_seq") ? "multi_seq" : "decode");
}

/* Until kernels/SITES.toml says which ops of experts are one operation. */
static bool has_sites(const context *c, met_session *session)
{
    const met_lkb *lkb = met_blueprint_load(session, &(met_blueprint_request){ .kernels = MET_ROOT_DIR "/kernels" });
    for (uint32_t s = 0; lkb && s < lkb->site_count; s++)
        if (strcmp(lkb->sites[s].id, "expert_gate_up") == 0)
            return true;
    return !has(c, "E");
}

/* A prompt of n tokens has n/2 cached positions by this measure: then the circuit without a cache costs the same. */
static void step(context *c)
{
    met_session *session = met_session_new();
    if (!has_sites(c, session)) {
        met_session_free(session);
        return;
    }
    const met_roofline *roofline = step_of(c, session);
    expect(c, "ms", roofline->seconds * 1e3);
    expect(c, "tokens_per_second", real(c, "n") / roofline->seconds);
    if (whole(c, "n") == 2 * whole(c, "ctx"))
        expect(c, "ms", step_in_mode(c, session, "prefill")->seconds * 1e3);
    met_session_free(session);
}

static void bytes_of_step(context *c)
{
    met_session *session = met_session_new();
    const met_roofline *roofline = step_of(c, session);
    expect(c, "bytes", roofline->bytes);
    expect(c, "flops", roofline->flops);
    met_session_free(session);
}

static void shares(context *c)
{
    met_session *session = met_session_new();
    const met_roofline *sum = met_roofline_by_site(session->arena, step_of(c, session));
    const met_value *percent = field(c->out, "percent");
    assert_int_equal(sum->node_count, percent->entries.count);
    for (uint32_t i = 0; i < sum->node_count; i++)
        expect_near(c, sum->nodes[i].site, 100 * sum->nodes[i].seconds / sum->seconds, number_field(percent, sum->nodes[i].site), 0);
    met_session_free(session);
}

static void weights(context *c)
{
    met_session *session = met_session_new();
    met_memory memory = met_memory_of(model_of(c, session, "decode", 1, 64), 1);
    expect(c, "floor", memory.weights_read);
    expect(c, "stored", memory.weights_stored);
    expect(c, "cache_per_token", memory.token_bytes);
    assert_true(memory.sequence_bytes == 0);
    met_session_free(session);
}

static void fit(context *c)
{
    met_session *session = met_session_new();
    met_memory memory = met_memory_of(model_of(c, session, "decode", 1, 64), 1);
    met_fit fit = met_fit_of(&memory, real(c, "visible_gib") * 0x1p30, real(c, "usable"), real(c, "sequences"), real(c, "ctx"), 0);
    expect(c, "needed", fit.needed);
    expect(c, "usable_bytes", fit.usable);
    expect(c, "max_sequences", fit.most_sequences);
    assert_int_equal(fit.fits, field(c->out, "fits")->boolean);
    met_session_free(session);
}

/* Caches of attention whose heads share keys, and of one that keeps a latent vector and a rotary key: of a model with these
 * sizes and layers, and small ones elsewhere. */
static void cache_of_token(context *c)
{
    met_session *session = met_session_new();
    met_text text = met_text_new(session->arena);
    bool latent = word_is(c, "form", "latent");
    if (latent)
        met_text_format(&text, "{\"model_type\": \"deepseek_v3\", \"hidden_size\": 64, \"vocab_size\": 32, \"num_attention_heads\": 4, "
                        "\"intermediate_size\": 96, \"first_k_dense_replace\": %.0f, \"num_hidden_layers\": %.0f, \"kv_lora_rank\": %.0f, "
                        "\"qk_rope_head_dim\": %.0f, \"qk_nope_head_dim\": 32, \"v_head_dim\": 32, \"n_routed_experts\": 4, "
                        "\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"n_group\": 2, \"topk_group\": 1, "
                        "\"moe_intermediate_size\": 32}", real(c, "L") - 1, real(c, "L"), real(c, "latent"), real(c, "rope"));
    else
        met_text_format(&text, "{\"model_type\": \"llama\", \"hidden_size\": 64, \"vocab_size\": 32, \"num_attention_heads\": %.0f, "
                        "\"num_key_value_heads\": %.0f, \"head_dim\": %.0f, \"num_hidden_layers\": %.0f, \"intermediate_size\": 96}",
                        2 * real(c, "K"), real(c, "K"), real(c, "D"), real(c, "L"));
    met_memory memory = met_memory_of(workload_of(c, session, latent ? "deepseek_v3" : "llama", met_text_done(&text), "decode", "c=5"), 1);
    expect(c, "bytes", memory.token_bytes);
    expect(c, "values", memory.token_bytes / 2);
    met_session_free(session);
}

static void test_known_steps(void **state)
{
    (void)state;
    static const cost_kind kinds[] = {
        { "step", step }, { "share", shares }, { "bytes", bytes_of_step }, { "weights", weights },
        { "fit", fit }, { "cache_token", cache_of_token },
    };
    run_kinds(kinds, sizeof kinds / sizeof *kinds);
}

/* --- Latent attention --- */

enum { HEADS = 4, RANK = 16, ROPE = 8, NOPE = 32, VALUE = 24, LAYERS = 2, CACHED = 48, MATRICES = HEADS * (NOPE + VALUE) * RANK };
#define LATENT "{\"model_type\": \"deepseek_v3\", \"hidden_size\": 64, \"vocab_size\": 32, \"num_attention_heads\": 4, " \
               "\"intermediate_size\": 96, \"first_k_dense_replace\": 1, \"num_hidden_layers\": 2, \"kv_lora_rank\": 16, " \
               "\"qk_rope_head_dim\": 8, \"qk_nope_head_dim\": 32, \"v_head_dim\": 24, \"n_routed_experts\": 4, " \
               "\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"n_group\": 2, \"topk_group\": 1, \"moe_intermediate_size\": 32}"

static void expect_site(const char *mode, const char *set, const char *site, double bytes, double flops)
{
    met_session *session = met_session_new();
    const context c = { .id = mode };
    met_device_level level = { .name = "hbm", .bytes_per_s = 1 };
    met_device device = { .level_count = 1, .levels = &level, .peak = { [MET_PEAK_BF16] = 1 } };
    met_pricing pricing = { .workload = workload_of(&c, session, "deepseek_v3", LATENT, mode, set), .device = &device };
    const met_roofline *sum = met_roofline_by_site(session->arena, roofline_of(&c, session, &pricing));
    uint32_t i = 0;
    while (i < sum->node_count && strcmp(sum->nodes[i].site, site) != 0)
        i++;
    if (i == sum->node_count)
        fail_msg("%s: no site `%s`", mode, site);
    if (sum->nodes[i].bytes != LAYERS * bytes || sum->nodes[i].flops != LAYERS * flops)
        fail_msg("%s, %s: %g B, %g flop instead of %g, %g", mode, site, sum->nodes[i].bytes, sum->nodes[i].flops, LAYERS * bytes, LAYERS * flops);
    met_session_free(session);
}

/* In bf16: queries, latent vectors and shared keys, both matrices, results. Flops of every head: to the latent space and back,
 * scores and sums over RANK + ROPE and RANK values of each cached position; or keys and values of every new token, scores and
 * sums over NOPE + ROPE and VALUE of half a prompt, of which the cache would hold half. */
static void test_latent_attention(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n += 2) {
        double bytes = 2.0 * (n * HEADS * (NOPE + ROPE + VALUE) + (CACHED + n) * (RANK + ROPE) + MATRICES);
        double flops = 2.0 * n * (MATRICES + HEADS * CACHED * (2 * RANK + ROPE));
        expect_site(n == 1 ? "decode" : "verify", n == 1 ? "c=48" : "n=3,c=48", "attend", bytes, flops);
    }
    enum { N = 6 };
    double bytes = 2.0 * (N * HEADS * (NOPE + ROPE + VALUE) + (N + N / 2) * (RANK + ROPE) + MATRICES);
    double flops = 2.0 * N * (MATRICES + HEADS * N / 2 * (NOPE + ROPE + VALUE));
    expect_site("prefill", "n=6", "attend", bytes, flops);
    expect_site("prefill", "n=6", "kv_write", 2.0 * N * (RANK + ROPE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_known_steps), cmocka_unit_test(test_latent_attention) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
