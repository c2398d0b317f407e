/* Models of toy size, end to end: a prompt in prefill, then token by token with a cache. Every way of running gives the
 * interpreter's bytes, and a prompt and steps give the bytes of a longer prompt. */
#include "models.h"

#include "host/generate.h"

static const char llama[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                            "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"rope_theta\": 10000}";
static const char qwen3[] = "{\"model_type\": \"qwen3\", \"hidden_size\": 12, \"intermediate_size\": 20, \"num_attention_heads\": 4, \"head_dim\": 4,"
                            "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 30, \"tie_word_embeddings\": true}";

static const char mixtral[] = "{\"model_type\": \"mixtral\", \"hidden_size\": 16, \"intermediate_size\": 12, \"num_hidden_layers\": 2, "
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"num_local_experts\": 4, "
    "\"num_experts_per_tok\": 2, \"vocab_size\": 40, \"rope_theta\": 10000}";
static const char deepseek_v3[] = "{\"model_type\": \"deepseek_v3\", \"hidden_size\": 16, \"intermediate_size\": 20, "
    "\"moe_intermediate_size\": 8, \"num_hidden_layers\": 2, \"first_k_dense_replace\": 1, "
    "\"num_attention_heads\": 2, \"num_key_value_heads\": 2, \"q_lora_rank\": 8, \"kv_lora_rank\": 6, "
    "\"qk_nope_head_dim\": 4, \"qk_rope_head_dim\": 4, \"v_head_dim\": 4, \"n_routed_experts\": 8, "
    "\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"n_group\": 4, \"topk_group\": 2, \"topk_method\": "
    "\"noaux_tc\", \"scoring_func\": \"sigmoid\", \"norm_topk_prob\": true, \"routed_scaling_factor\": 2.5, "
    "\"vocab_size\": 40, \"rope_theta\": 10000}";
static const char gemma2[] = "{\"model_type\": \"gemma2\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_hidden_layers\": 2, "
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"head_dim\": 4, \"vocab_size\": 40, "
    "\"rope_theta\": 10000, \"sliding_window\": 3, \"query_pre_attn_scalar\": 4, \"attn_logit_softcapping\": "
    "50.0, \"final_logit_softcapping\": 30.0, \"layer_types\": [\"sliding_attention\", \"full_attention\"], "
    "\"hidden_activation\": \"gelu_pytorch_tanh\"}";
static const char bamba[] = "{\"model_type\": \"bamba\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_hidden_layers\": 2, "
    "\"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"vocab_size\": 40, \"rope_theta\": 10000, "
    "\"layer_types\": [\"mamba\", \"attention\"], \"attn_rotary_emb\": 4, \"mamba_d_state\": 4, "
    "\"mamba_d_conv\": 3, \"mamba_n_heads\": 4, \"mamba_d_head\": 8, \"mamba_n_groups\": 1, \"mamba_expand\": "
    "2}";

static const struct {
    const char *name, *config;
    bool other; /* decode does other arithmetic than prefill: it multiplies queries rather than keys */
} models[] = { { "llama", llama, false },   { "qwen3", qwen3, false },
               { "mixtral", mixtral, false }, { "deepseek_v3", deepseek_v3, true },
               { "gemma2", gemma2, false },  { "bamba", bamba, false } };
enum { MODELS = sizeof models / sizeof *models, PROMPT = 5, STEPS = 4 };

static const char *const all_planners[] = { "none", "fused", "greedy", "exact", NULL };
static const char *const two_planners[] = { "none", "exact", NULL };

typedef struct model {
    met_session *session;
    const char *name, *config;
} model;

static const met_circuit *circuit_in_mode(void *context, const char *mode)
{
    const model *m = context;
    return read_model(m->session, m->name, m->config, mode, 0);
}

/* Every parameter from its name, for a model with n bound to something. */
static const arrays *weights_of(const model *m)
{
    return arrays_of(model_of(m->session, m->name, m->config, "prefill", "n=1"));
}

static met_generator *generator_of(const model *m, const char *dtype, const char *planner, const char *hardware)
{
    const arrays *weights = weights_of(m);
    met_generate_request request = { .circuit = circuit_in_mode, .context = (void *)(uintptr_t)m,
                                     .weight_count = weights->count - 1, .weights = weights->at + 1,
                                     .options = { .dtype = dtype },
                                     .way = { .planner = planner, .hardware = hardware, .threads = 2, .poison = true } };
    met_generator *generator = met_generator_new(m->session, &request);
    if (!generator)
        fail_msg("%s, %s@%s: %s", m->name, planner, hardware, met_session_diagnostics_text(m->session));
    return generator;
}

static void expect_run(const model *m, bool good)
{
    if (!good)
        fail_msg("%s: %s", m->name, met_session_diagnostics_text(m->session));
}

/* The scores after the prompt and after each step, one behind the other, and the tokens that they chose. */
typedef struct course {
    unsigned char scores[(STEPS + 1) * 64 * 4];
    size_t length;
    uint32_t tokens[STEPS + 1];
} course;

static void take_scores(const met_generator *generator, course *c, int step)
{
    size_t count;
    met_result_bytes row = met_generator_scores(generator, &count);
    assert_true(c->length + count * row.size <= sizeof c->scores);
    memcpy(c->scores + c->length, row.at, count * row.size);
    c->length += count * row.size;
    c->tokens[step] = met_generator_greedy(generator);
}

static const uint32_t prompt[PROMPT] = { 3, 17, 4, 25, 9 };

static course generate(const model *m, met_generator *generator)
{
    course c = { .length = 0 };
    expect_run(m, met_generator_prompt(generator, PROMPT, prompt));
    take_scores(generator, &c, 0);
    for (int step = 0; step < STEPS; step++) {
        expect_run(m, met_generator_step(generator, c.tokens[step]));
        take_scores(generator, &c, step + 1);
    }
    return c;
}

static void expect_same(const model *m, const char *what, const course *a, const course *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->tokens, b->tokens, sizeof a->tokens);
    for (size_t i = 0; i < a->length; i++)
        if (a->scores[i] != b->scores[i])
            fail_msg("%s, %s: byte %zu of the scores is %02x, not %02x", m->name, what, i, b->scores[i], a->scores[i]);
}

/* Whatever ran the tokens one by one, running them all at once gives the same scores. */
static void expect_prefix(const model *m, met_generator *generator, const course *c)
{
    course whole = { .length = 0 };
    uint32_t tokens[PROMPT + STEPS];
    memcpy(tokens, prompt, sizeof prompt);
    memcpy(tokens + PROMPT, c->tokens, STEPS * sizeof *tokens);
    for (int step = 0; step <= STEPS; step++) {
        expect_run(m, met_generator_prompt(generator, PROMPT + (size_t)step, tokens));
        take_scores(generator, &whole, step);
    }
    expect_same(m, "steps and one prompt", c, &whole);
}

static void every_way(const char *dtype, const char *const *planners)
{
    for (int k = 0; k < MODELS; k++) {
        model m = { met_session_new(), models[k].name, models[k].config };
        met_generator *reference = generator_of(&m, dtype, "none", "interpreter");
        course wanted = generate(&m, reference);
        if (!models[k].other)
            expect_prefix(&m, reference, &wanted);
        met_generator_free(reference);
        for (int p = 0; planners[p]; p++) {
            met_generator *generator = generator_of(&m, dtype, planners[p], "cpu");
            course got = generate(&m, generator);
            expect_same(&m, planners[p], &wanted, &got);
            met_generator_free(generator);
        }
        met_session_free(m.session);
    }
}

static void in_f32(void **state)
{
    (void)state;
    every_way("f32", all_planners);
}

static void in_bf16(void **state)
{
    (void)state;
    every_way("bf16", two_planners);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_f32), cmocka_unit_test(in_bf16) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
