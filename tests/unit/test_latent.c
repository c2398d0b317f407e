/* Latent attention: the naive and the absorbed form are the same over the reals, and what a latent cache gives is what a
 * prompt gives. The forms are the texts of kernels/circuits/blocks/attention_mla.toml. */
#include "circuits.h"

#include "eval/settled.h"
#include "models.h"

enum { HEADS = 3, TOKENS = 4, KEYS = 6, RANK = 5, NOPE = 4, ROPE = 2, VALUE = 3 };

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 33) / 0x1p30 - 1;
}

/* `form` applied to inputs of its own, as a program. */
static const met_circuit *form_of(met_session *session, const char *form)
{
    static const char types[] = "(qn: n h dn, qr: n h dr, l: x rk, kr: x dr, uk: h dn rk, uv: h dv rk)";
    const met_value *blocks = met_value_get(part_from_file(session, "blocks/attention_mla.toml"), "blocks");
    met_text program = met_text_new(session->arena);
    const char *const names[] = { "tempered", form };
    for (int i = 0; i < 2; i++) {
        const met_value *text = met_value_get(blocks, names[i]);
        assert_non_null(text);
        met_text_format(&program, "%s%.*s\n", names[i], (int)strcspn(text->string.at, "}") + 1, text->string.at + strspn(text->string.at, "\n"));
    }
    met_text_format(&program, "circuit main%s -> y { y = %s(qn, qr, l, kr, uk, uv, mscale_all=1, factor=40) }\n", types, form);
    return circuit_of(session, met_text_done(&program), "n=4,h=3,dn=4,dr=2,x=6,rk=5,dv=3");
}

/* Over small integers all contractions up to the scores are exact, so both forms have the same scores and weights p. What
 * differs is the order in which p, latent vectors c and the values' projection v are summed: naive is Σ_x p (Σ_l c v),
 * absorbed Σ_l (Σ_x p c) v. Either is off by at most (KEYS + RANK) u Σ p |c| |v| to first order (Higham 2002, section 3.1),
 * and weights sum to 1 up to (KEYS + 1) u. With |c|, |v| <= 3 that is below 2 (KEYS + RANK + 2) u RANK 9, taken twice for the
 * higher orders. */
static void naive_is_absorbed(void **state)
{
    (void)state;
    static double arrays_in[6][256];
    const size_t counts[6] = { TOKENS * HEADS * NOPE, TOKENS * HEADS * ROPE, KEYS * RANK, KEYS * ROPE, HEADS * NOPE * RANK, HEADS * VALUE * RANK };
    const double *ins[6];
    uint64_t seed = 3;
    for (int k = 0; k < 6; k++) {
        ins[k] = arrays_in[k];
        for (size_t i = 0; i < counts[k]; i++)
            arrays_in[k][i] = rint(3 * noise(&seed));
    }
    met_session *session = met_session_new();
    const met_tensor *naive = run_flat(form_of(session, "naive"), NULL, 6, ins)->arrays[0].tensor;
    const met_tensor *absorbed = run_flat(form_of(session, "absorbed"), NULL, 6, ins)->arrays[0].tensor;
    double spread = 0;
    assert_int_equal(naive->count, TOKENS * HEADS * VALUE);
    for (size_t i = 0; i < naive->count; i++)
        spread = fmax(spread, fabs(naive->values[i]));
    assert_true(spread > 1);
    expect_close("absorbed", naive->count, absorbed->values, naive->values, 4 * (KEYS + RANK + 2) * 0x1p-53 * RANK * 9);
    met_session_free(session);
}

/* --- The cache --- */

/* The form of a prompt is the one of the other modes: then the bytes are the same as well. */
#define MODEL "[arch]\nname = 'latent'\nsummary = 'for tests'\n" \
              "use = ['blocks/decoder.toml', 'blocks/attention_mla.toml', 'blocks/mlp_gated.toml']\n" \
              "[blocks.attend]\nby = 'mode'\nprefill = '%s'\ndecode = '%s'\nmulti_seq = '%s'\nverify = '%s'\n"

static const met_circuit *latent_model(met_session *session, const char *form, const char *mode)
{
    char text[1024];
    snprintf(text, sizeof text, MODEL, form, form, form, form);
    met_model_options options = { .mode = mode, .toy = true, .part = part_from_file, .part_context = session };
    const met_circuit *c = met_model_read(session, toml_of(session, text), &options);
    if (!c)
        fail_msg("%s", met_session_diagnostics_text(session));
    return c;
}

typedef struct prompt {
    const met_circuit *settled;
    const met_tensor *const *edges;
    const met_tensor *logits;
} prompt;

static const met_tensor *edge_named(const prompt *p, const char *name)
{
    for (uint32_t e = 0; e < p->settled->edge_count; e++)
        if (strcmp(met_sym_text(p->settled->session, p->settled->edges[e].name), name) == 0)
            return p->edges[e];
    fail_msg("no edge is called `%s`", name);
    return NULL;
}

enum { LENGTH = 12, CACHED = 7 }; /* the toy's cache */

static prompt run_prompt(met_session *session, const char *form, const char *dtype)
{
    /* the toy's prompt is shorter: bound anew, sizes are those of the text */
    char text[1200];
    snprintf(text, sizeof text, MODEL "[toy]\nn = 12\n", form, form, form, form);
    met_model_options options = { .mode = "prefill", .toy = true, .part = part_from_file, .part_context = session };
    const met_circuit *c = met_model_read(session, toml_of(session, text), &options);
    assert_non_null(c);
    arrays *a = arrays_of(c);
    for (int i = 0; i < LENGTH; i++)
        array(a, "ids")[i] = (5 * i + 3) % 30;
    met_eval_options run = { .dtype = dtype };
    met_point point;
    assert_true(met_eval_point(session, &run, &point));
    prompt p = { .settled = met_circuit_settle(c, &point) };
    const met_eval_result *result = met_eval_settled(p.settled, &point, NULL, &run, a->count, a->at, &p.edges);
    assert_non_null(result);
    p.logits = result->arrays[0].tensor;
    return p;
}

static void cache_is_prompt(void **state)
{
    (void)state;
    static const char *const dtypes[] = { "f32", "bf16" }, *const forms[] = { "naive", "absorbed" };
    static const char *const modes[] = { "verify", "decode" };
    for (int i = 0; i < 8; i++) {
        const char *form = forms[i & 1], *dtype = dtypes[i >> 1 & 1], *mode = modes[i >> 2];
        met_session *session = met_session_new();
        prompt p = run_prompt(session, form, dtype);
        arrays *a = arrays_of(latent_model(session, form, mode));
        size_t tokens = a->at[0].tensor->count, row = p.logits->count / LENGTH;
        assert_int_equal(tokens, i >> 2 ? 1 : 5);
        for (size_t k = 0; k < tokens; k++)
            array(a, "ids")[k] = (double)((5 * (CACHED + k) + 3) % 30);
        for (uint32_t s = 0; s < a->circuit->state_count; s++) {
            const char *name = met_sym_text(session, a->circuit->edges[a->circuit->states[s].in.id].name);
            char edge[64];
            snprintf(edge, sizeof edge, "layers.%c.%c", name[7], strstr(name, "latents") ? 'l' : 'k');
            const met_tensor *kept = edge_named(&p, edge);
            memcpy(array(a, name), kept->values, kept->count / LENGTH * CACHED * sizeof(double));
        }
        met_eval_options options = { .dtype = dtype };
        const met_tensor *logits = run_with(a->circuit, &options, a->count, a->at)->arrays[0].tensor;
        if (memcmp(logits->values, p.logits->values + CACHED * row, tokens * row * sizeof(double)) != 0)
            fail_msg("%s %s %s: other bytes than those of the prompt", form, dtype, mode);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(naive_is_absorbed), cmocka_unit_test(cache_is_prompt) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
