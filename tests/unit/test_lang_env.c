/* The language from C: building terms, environments of definitions. */
#include "lang_text.h"

static void building(void **state)
{
    (void)state;
    met_builder *b = met_builder_new(session);
    met_span nowhere = { 0 };
    met_term *scores = met_term_read(b, SCORES);
    met_term *mix = met_term_read(b, "softmax[x] @ " MIX);
    const met_circuit *c = met_term_circuit(b, met_term_compose(b, scores, mix, nowhere), "attention", NULL);
    assert_non_null(c);
    const char *built = met_circuit_listing(c, true);
    const char *text = met_circuit_listing(read_circuit("attention = " SCORES " @ softmax[x] @ " MIX), true);
    size_t skip = strcspn(built, "{"); /* the spelling of a block's title aside */
    assert_int_equal(strncmp(built, text, skip), 0);
    b = met_builder_new(session);
    met_term *pair = met_term_product(b, met_term_read(b, "exp"), met_term_read(b, "log"));
    c = met_term_circuit(b, pair, "pair", "bf16");
    assert_int_equal(c->output_count, 2);
    assert_int_equal(c->default_format.dtype, MET_BF16);
    assert_null(met_term_read(b, "softmax[x"));
    assert_null(met_term_compose(b, NULL, NULL, nowhere));
    assert_null(met_term_circuit(b, NULL, "none", NULL));
    assert_null(met_circuit_read(session, source_of("relu"), "f99"));
}

static met_span whole(const char *text)
{
    uint32_t id = source_of(text);
    return (met_span){ id, 0, (uint32_t)strlen(text) };
}

static met_sym sym(const char *text)
{
    return met_intern(session, met_str_of(text));
}

static void environments(void **state)
{
    (void)state;
    met_builder *b = met_builder_new(session);
    met_lang *lang = met_lang_new(b);
    assert_true(met_lang_define(lang, whole("layer(x: n m) -> y { u = norm(x); y = add(x, mlp(u)) }\nlet f = 4*m\n")));
    assert_true(met_lang_define_as(lang, sym("norm"), whole("(x: n m) -> y { y = rmsnorm[m](x, @g, eps=eps) }")));
    assert_true(met_lang_define_as(lang, sym("mlp"), whole("linear[m -> f] @ relu ^ times @ linear[f -> m]")));
    met_lang_signature signature;
    assert_true(met_lang_lookup(lang, sym("layer"), &signature));
    assert_true(signature.typed);
    assert_int_equal(signature.port_count, 1);
    assert_int_equal(signature.outputs[0].id, sym("y").id);
    assert_false(met_lang_lookup(lang, sym("f"), &signature));

    met_lang_constant eps = { .name = sym("eps"), .number = 1e-5 };
    met_lang_constant times = { .name = sym("times"), .number = 3 };
    met_lang_set(lang, &eps);
    met_lang_constant m = { .name = sym("m"), .kind = MET_LANG_SIZE, .size = met_dim_constant(met_builder_arena(b), 64) };
    met_lang_set(lang, &m);
    met_scope *scope = met_scope_new(b);
    met_array_spec spec = { .name = sym("x"), .role = MET_EDGE_INPUT, .any_rank = true };
    met_value_id value = met_scope_source(scope, &spec);
    for (uint32_t i = 0; i < 2; i++) {
        met_lang_use use = { .definition = sym("layer"), .path = sym(i ? "layers.1" : "layers.0"), .block = sym("layer"), .family = 77,
                             .repeat = i, .repeat_count = 2, .constant_count = 1, .constants = &times };
        uint32_t count;
        assert_true(met_lang_call(lang, scope, &use, 1, &value, NULL, 1, &value, &count));
        assert_int_equal(count, 1);
    }
    const met_circuit *c = met_builder_freeze(b, met_scope_close(scope, 1, &value), sym("model"), met_format_of(MET_F32));
    assert_non_null(c);
    assert_int_equal(c->node_count, 14);
    expect_edges(c, 3, c->parameters,
                 (const char *[]){ "layers.0.norm.g: m=64", "layers.0.mlp.linear.w: f=256 m=64", "layers.0.mlp.linear.w.2: m=64 f=256", NULL });
    assert_string_equal(met_sym_text(session, c->edges[c->parameters[3].id].name), "layers.1.norm.g");
    assert_true(met_node_attr(c, &c->nodes[0], "eps")->number == 1e-5);

    assert_false(met_lang_define(lang, whole("x: n\ny = exp(x)")));
    assert_int_equal(met_session_error_count(session), 2);
    met_session_clear_diagnostics(session);
    met_lang_use unknown = { .definition = sym("layr") };
    assert_null(met_lang_term(lang, &unknown));
    assert_non_null(strstr(met_session_diagnostics_text(session), "did you mean `layer`?"));
}

/* Constants of all kinds, and states that come with a call. */
static void constants(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit("f(x: n m) -> y { y = linear[m -> w](softcap(x, cap), @w) }\n"
                                        "x: n m; y = f(x, w=2*m, cap=30.5)");
    expect_edges(c, c->parameter_count, c->parameters, (const char *[]){ "f.w: w=2*m m", NULL });
    assert_true(met_node_attr(c, &c->nodes[0], "cap")->scalar->number == 30.5);
    c = read_circuit("g = f(k=7)\nf = top_k[x -> k] @ (id * drop)\n-> g");
    expect_edges(c, c->output_count, c->outputs, (const char *[]){ "v0: k=7", NULL });

    met_builder *b = met_builder_new(session);
    met_lang *lang = met_lang_new(b);
    met_lang_constant style = { .name = sym("style"), .kind = MET_LANG_WORD, .word = sym("interleaved") };
    met_lang_set(lang, &style);
    assert_true(met_lang_define(lang, whole("turn(x: n d, state k: p d) -> y {\n"
                                            "  y = kv_append[p d; p](k, rope[n d](x, style=style)) }")));
    met_scope *scope = met_scope_new(b);
    met_array_spec spec = { .name = sym("x"), .role = MET_EDGE_INPUT, .any_rank = true };
    met_value_id value = met_scope_source(scope, &spec);
    uint32_t count;
    met_lang_use use = { .definition = sym("turn"), .path = sym("layers.4") };
    assert_false(met_lang_call(lang, scope, &use, 1, &value, NULL, 0, &value, &count)); /* no room */
    scope = met_scope_new(b);
    value = met_scope_source(scope, &spec);
    met_session_clear_diagnostics(session);
    assert_true(met_lang_call(lang, scope, &use, 1, &value, NULL, 1, &value, &count));
    c = met_builder_freeze(b, met_scope_close(scope, 1, &value), sym("model"), met_format_of(MET_F32));
    assert_non_null(c);
    assert_string_equal(edge_text(c, c->inputs[1]), "layers.4.k: p d");
    assert_string_equal(met_sym_text(session, met_node_attr(c, &c->nodes[0], "style")->word), "interleaved");
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(building), TEST(environments), TEST(constants) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
