/* The models under kernels/models: their files read, every mode has a circuit, and the numbers of parameters are those that
 * are published. */
#include "circuits.h"

#include "host/model.h"

static const struct {
    const char *name, *mode, *set;
    uint64_t parameters;
} models[] = {
    { "bamba-9b", "decode", "c=7", 9780235392 },
    { "bert-base", "encode", "b=1,n=1", 108891648 },
    { "deepseek-v3", "decode", "c=7", 671026419200 },
    { "gemma-2-9b", "decode", "c=7", 9241705984 },
    { "llama-3.1-8b", "decode", "c=7", 8030261248 },
    { "llama-3.1-70b", "decode", "c=7", 70553706496 },
    { "mistral-7b-v0.3", "decode", "c=7", 7248023552 },
    { "mixtral-8x7b", "decode", "c=7", 46702792704 },
    { "qwen3-8b", "decode", "c=7", 8190735360 },
    { "qwen3-30b-a3b", "decode", "c=7", 30532122624 },
};
enum { MODELS = sizeof models / sizeof *models };

static const met_circuit *load(met_session *session, const char *name, const char *mode, const char *set, const char *layers)
{
    met_model_request request = { .name = name, .kernels = MET_ROOT_DIR "/kernels", .mode = mode, .layers = layers };
    met_circuit *circuit = met_model_load(session, &request);
    circuit = circuit && *set ? met_circuit_bind(circuit, set) : circuit;
    if (!circuit)
        fail_msg("%s, %s\n%s", name, mode, met_session_diagnostics_text(session));
    return circuit;
}

static void parameters(void **state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        met_session *session = met_session_new();
        uint64_t count;
        assert_true(met_circuit_parameter_count(load(session, models[k].name, models[k].mode, models[k].set, NULL), &count));
        if (count != models[k].parameters)
            fail_msg("%s has %llu parameters", models[k].name, (unsigned long long)count);
        met_session_free(session);
    }
}

static void every_mode(void **state)
{
    (void)state;
    static const char *const modes[] = { "prefill", "decode", "multi_seq", "verify" };
    for (int k = 0; k < MODELS; k++) {
        met_session *session = met_session_new();
        for (int m = 0; m < 4 && strcmp(models[k].mode, "encode") != 0; m++)
            assert_non_null(load(session, models[k].name, modes[m], "", "2"));
        met_session_free(session);
    }
}

/* Layers 9, 18 and 27 of Bamba have attention, and so caches; all others have the states of three convolutions and of the
 * recurrence. Every other layer of Gemma 2 has a window, the first one too. */
static void layers_of_their_kinds(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = load(session, "bamba-9b", "decode", "", NULL);
    assert_int_equal(circuit->state_count, 3 * 2 + 29 * 4);
    unsigned attention = 0;
    for (uint32_t s = 0; s < circuit->state_count; s++)
        attention += strstr(met_sym_text(session, circuit->edges[circuit->states[s].in.id].name), "keys.cache") != NULL;
    assert_int_equal(attention, 3);
    circuit = load(session, "gemma-2-9b", "prefill", "", NULL);
    unsigned windows = 0, causal = 0;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        windows += circuit->nodes[n].op->id == MET_OP_mask_window;
        causal += circuit->nodes[n].op->id == MET_OP_mask_causal;
        assert_true(windows >= causal);
    }
    assert_int_equal(windows, 21);
    assert_int_equal(causal, 21);
    met_session_free(session);
}

static void formats(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = load(session, "deepseek-v3", "decode", "", "4");
    met_format bf16 = met_format_of(MET_BF16), fp8;
    assert_true(met_format_parse(met_str_of("fp8/block128x128"), &fp8));
    assert_true(met_format_equal(circuit->default_format, bf16));
    for (uint32_t i = 0; i < circuit->parameter_count; i++) {
        const met_edge *edge = &circuit->edges[circuit->parameters[i].id];
        const char *name = met_sym_text(session, edge->name);
        if (strstr(name, "expert_up") || strstr(name, "kv_a") == name + strlen("layers.0."))
            assert_true(met_format_equal(edge->format, strstr(name, "norm") ? bf16 : fp8));
        if (strstr(name, "embeddings") || strstr(name, ".router"))
            assert_false(met_format_equal(edge->format, fp8));
    }
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters),
        cmocka_unit_test(every_mode),
        cmocka_unit_test(layers_of_their_kinds),
        cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
