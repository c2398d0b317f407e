/* The modes of serving agree byte for byte, in compiled kernels: sequences run together have the bytes of each run alone,
 * tokens run after a cache have those of the run that saw them all at once. */
#include <stdio.h>

#include "models.h"

#include "eval/settled.h"
#include "host/subject_parts.h"

enum { SEQUENCES = 3, CACHED = 4, TOKENS = 6, IDS = 30 };

static const char qwen2_tiny[] = "{\"model_type\": \"qwen2\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"tie_word_embeddings\": true}";

static const char mixtral_tiny[] = "{\"model_type\": \"mixtral\", \"hidden_size\": 16, \"intermediate_size\": 12, \"num_attention_heads\": 4,"
                                   "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"num_local_experts\": 5,"
                                   "\"num_experts_per_tok\": 2}";

static const char qwen3_moe_tiny[] =
    "{\"model_type\": \"qwen3_moe\", \"hidden_size\": 16, \"intermediate_size\": 24, \"moe_intermediate_size\": 10, \"num_attention_heads\": 4,"
    "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"num_experts\": 6, \"num_experts_per_tok\": 3,"
    "\"decoder_sparse_step\": 2, \"tie_word_embeddings\": true}";

static const char deepseek_tiny[] =
    "{\"model_type\": \"deepseek_v3\", \"hidden_size\": 16, \"intermediate_size\": 24, \"moe_intermediate_size\": 10, \"num_attention_heads\": 4,"
    "\"num_hidden_layers\": 2, \"first_k_dense_replace\": 1, \"vocab_size\": 40, \"q_lora_rank\": 10, \"kv_lora_rank\": 12, \"qk_nope_head_dim\": 6,"
    "\"qk_rope_head_dim\": 4, \"v_head_dim\": 5, \"n_routed_experts\": 8, \"num_experts_per_tok\": 3, \"n_shared_experts\": 2, \"n_group\": 4,"
    "\"topk_group\": 2, \"routed_scaling_factor\": 2.5}";

static const char gemma2_tiny[] =
    "{\"model_type\": \"gemma2\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4, \"num_key_value_heads\": 2,"
    "\"head_dim\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"sliding_window\": 3, \"query_pre_attn_scalar\": 8,"
    "\"attn_logit_softcapping\": 2.0, \"final_logit_softcapping\": 3.0}";

static const char bamba_tiny[] =
    "{\"model_type\": \"bamba\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4, \"num_key_value_heads\": 2,"
    "\"num_hidden_layers\": 3, \"vocab_size\": 40, \"attn_layer_indices\": [1], \"mamba_n_heads\": 4, \"mamba_n_groups\": 2,"
    "\"mamba_d_head\": 8, \"mamba_expand\": 2, \"mamba_d_state\": 5, \"mamba_d_conv\": 3}";

/* Architectures, and the example that gives their sizes (or those sizes). A prompt that has a form of its own, as latent
 * attention does, has the bytes of other modes over the reals only. */
static const struct {
    const char *arch, *example, *sizes;
    bool own_prompt;
} models[] = {
    { "llama", "llama-tiny", NULL, false }, { "mistral", "mistral-tiny", NULL, false }, { "qwen2", NULL, qwen2_tiny, false },
    { "qwen3", "qwen3-tiny", NULL, false }, { "mixtral", NULL, mixtral_tiny, false },
    { "qwen3_moe", NULL, qwen3_moe_tiny, false }, { "deepseek_v3", NULL, deepseek_tiny, true },
    { "gemma2", NULL, gemma2_tiny, false }, { "bamba", NULL, bamba_tiny, false },
};
enum { MODELS = sizeof models / sizeof *models };

/* Formats and planners: all of them for the first architecture, one for the others, since compiling takes its time. */
static const struct {
    const char *dtype, *planner;
} points[] = { { "f32", "fused" }, { "f32", "none" }, { "bf16", "fused" } };

static int points_of(int model)
{
    return model == 0 ? 3 : 1;
}

static const met_circuit *model_in(met_session *session, int model, const char *mode, const char *set)
{
    char path[512];
    snprintf(path, sizeof path, MET_ROOT_DIR "/examples/%s/config.json", models[model].example ? models[model].example : "");
    return model_of(session, models[model].arch, models[model].example ? text_of_file(session, path) : models[model].sizes, mode, set);
}

/* --- Runs --- */

typedef struct run {
    const char *what;
    const met_subject *subject;
    const met_outcome *outcome;
} run;

static run run_of(const char *what, arrays *a, const char *dtype, const char *planner)
{
    met_eval_options *options = met_arena_alloc(a->session->arena, 1, sizeof *options);
    *options = (met_eval_options){ .dtype = dtype };
    met_way way = { .planner = planner, .hardware = "cpu", .poison = true };
    run r = { what, met_subject_new(a->circuit, options, a->count, a->at), NULL };
    r.outcome = r.subject ? met_subject_run(r.subject, &way) : NULL;
    if (!r.outcome)
        fail_msg("%s, %s\n%s", what, planner, met_session_diagnostics_text(a->session));
    return r;
}

static size_t result_index(const run *r, const char *name)
{
    const met_eval_result *result = r->outcome->result;
    for (size_t i = 0; i < result->output_count + result->state_count; i++)
        if (strcmp(result->arrays[i].name, name) == 0)
            return i;
    fail_msg("%s: there is no result `%s`", r->what, name);
    return 0;
}

/* Elements [from, from + count) of one result are the elements from `at` on of another. */
static void expect_part(const run *whole, const char *name, size_t from, const run *part, const char *part_name, size_t at,
                        size_t count)
{
    const met_result_bytes *a = &whole->outcome->bytes[result_index(whole, name)];
    const met_result_bytes *b = &part->outcome->bytes[result_index(part, part_name)];
    assert_int_equal(a->size, b->size);
    if (memcmp(a->at + from * a->size, b->at + at * b->size, count * a->size) != 0)
        fail_msg("`%s` of %s (%s) has other bytes than `%s` of %s", name, whole->what, whole->outcome->name, part_name,
                 part->what);
}

static const met_tensor *tensor_of(const run *r, const char *name)
{
    return r->outcome->result->arrays[result_index(r, name)].tensor;
}

static size_t elements(const arrays *a, const char *name)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->at[i].name, name) == 0)
            return a->at[i].tensor->count;
    fail_msg("there is no array `%s`", name);
    return 0;
}

static const char *state_name(const met_circuit *circuit, uint32_t state)
{
    return met_sym_text(circuit->session, circuit->edges[circuit->states[state].in.id].name);
}

/* --- Filling --- */

static int id_at(int sequence, int position)
{
    return (7 * position * position + 5 * position + 11 * sequence + 3) % IDS;
}

static void give_ids(arrays *a, int sequence, int first, int count)
{
    for (int i = 0; i < count; i++)
        array(a, "ids")[i] = id_at(sequence, first + i);
}

/* What a sequence's caches hold before the run: any numbers. */
static void fill_state(double *at, size_t count, int sequence, uint32_t state)
{
    uint64_t x = 977u * (uint64_t)(sequence + 1) + 31u * state;
    for (size_t i = 0; i < count; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        at[i] = (double)(int64_t)(x >> 33) / 0x1p30 - 1;
    }
}

/* --- Sequences together and alone --- */

static void together_and_alone(int model, const char *dtype, const char *planner)
{
    met_session *session = met_session_new();
    arrays *all = arrays_of(model_in(session, model, "multi_seq", "b=3,c=4"));
    for (int s = 0; s < SEQUENCES; s++) {
        array(all, "ids")[s] = id_at(s, CACHED);
        for (uint32_t k = 0; k < all->circuit->state_count; k++) {
            const char *name = state_name(all->circuit, k);
            size_t count = elements(all, name) / SEQUENCES;
            fill_state(array(all, name) + (size_t)s * count, count, s, k);
        }
    }
    run together = run_of(models[model].arch, all, dtype, planner);
    size_t logits = tensor_of(&together, "logits")->count / SEQUENCES;
    for (int s = 0; s < SEQUENCES; s++) {
        arrays *one = arrays_of(model_in(session, model, "decode", "c=4"));
        give_ids(one, s, CACHED, 1);
        for (uint32_t k = 0; k < one->circuit->state_count; k++) {
            const char *name = state_name(one->circuit, k);
            fill_state(array(one, name), elements(one, name), s, k);
        }
        run alone = run_of("one sequence", one, dtype, planner);
        expect_part(&together, "logits", (size_t)s * logits, &alone, "logits", 0, logits);
        for (uint32_t k = 0; k < one->circuit->state_count; k++) {
            const char *name = state_name(one->circuit, k);
            size_t count = tensor_of(&alone, name)->count;
            expect_part(&together, name, (size_t)s * count, &alone, name, 0, count);
        }
    }
    met_session_free(session);
}

static void sequences_together_are_sequences_alone(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++)
        for (int p = 0; p < points_of(m); p++)
            together_and_alone(m, points[p].dtype, points[p].planner);
}

/* --- After a cache and at once --- */

/* What a prompt's run leaves but keeps nowhere is found by the name of the state that keeps it elsewhere. */
static bool keeps(const char *state, const char *edge)
{
    static const struct {
        const char *state, *edge;
    } names[] = { { "keys.cache", "k" }, { "keys.cache", "rotate_k.y" }, { "values.cache", "v" }, { ".before", ".last" },
                  { ".h", ".last" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t stem = strlen(state) - strlen(names[i].state);
        if (strcmp(state + stem, names[i].state) == 0 && strncmp(state, edge, stem) == 0 && strcmp(edge + stem, names[i].edge) == 0)
            return true;
    }
    return false;
}

/* The states after a prompt of some tokens, in the interpreter, rounded as stored. */
static void give_states(arrays *a, int model, const char *dtype, int cached)
{
    char set[16];
    snprintf(set, sizeof set, "n=%d", cached);
    arrays *start = arrays_of(model_in(a->session, model, "prefill", set));
    give_ids(start, 0, 0, cached);
    met_eval_options options = { .dtype = dtype };
    const met_subject *subject = met_subject_new(start->circuit, &options, start->count, start->at);
    const met_tensor *const *edges;
    assert_non_null(subject);
    assert_non_null(met_eval_settled(subject->circuit, &subject->point, NULL, &options, start->count, start->at, &edges));
    for (uint32_t k = 0; k < a->circuit->state_count; k++) {
        const char *name = state_name(a->circuit, k);
        uint32_t e = 0;
        while (e < subject->circuit->edge_count && !keeps(name, met_sym_text(a->session, subject->circuit->edges[e].name)))
            e++;
        if (e == subject->circuit->edge_count)
            fail_msg("no edge of a prompt is what `%s` keeps", name);
        assert_int_equal(edges[e]->count, elements(a, name));
        memcpy(array(a, name), edges[e]->values, edges[e]->count * sizeof(double));
    }
}

/* The tokens from `cached` on, after those before them. */
static void tail_of_prompt(int model, const run *prompt, const char *planner, const char *mode, int cached, int tokens)
{
    met_session *session = prompt->subject->session;
    const char *dtype = prompt->subject->options.dtype;
    char set[32];
    snprintf(set, sizeof set, strcmp(mode, "decode") ? "c=%d,n=%d" : "c=%d", cached, tokens);
    arrays *a = arrays_of(model_in(session, model, mode, set));
    give_ids(a, 0, cached, tokens);
    give_states(a, model, dtype, cached);
    run tail = run_of(mode, a, dtype, planner);
    size_t row = tensor_of(prompt, "logits")->count / TOKENS;
    expect_part(prompt, "logits", (size_t)cached * row, &tail, "logits", 0, (size_t)tokens * row);
}

static void tails_are_those_of_prompts(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        for (int p = 0; p < points_of(m) && !models[m].own_prompt; p++) {
            const char *planner = points[p].planner;
            met_session *session = met_session_new();
            arrays *a = arrays_of(model_in(session, m, "prefill", "n=6"));
            give_ids(a, 0, 0, TOKENS);
            run prompt = run_of(models[m].arch, a, points[p].dtype, "fused");
            tail_of_prompt(m, &prompt, planner, "verify", 2, 4);
            tail_of_prompt(m, &prompt, planner, "verify", 5, 1);
            tail_of_prompt(m, &prompt, planner, "decode", 5, 1);
            met_session_free(session);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_together_are_sequences_alone),
        cmocka_unit_test(tails_are_those_of_prompts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
