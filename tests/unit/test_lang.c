/* Elaboration: what programs mean, and where and how they are refused. */
#include "lang_text.h"

/* The first diagnostic: its code, what it underlines and some of its words. */
static void refuse(const char *text, met_code code, const char *underlined, const char *words)
{
    const met_circuit *circuit = met_circuit_read(session, source_of(text), NULL);
    assert_null(circuit);
    assert_true(session->diags.count > 0);
    const met_diag *diag = session->diags.at[0];
    size_t length = diag->main.span.end - diag->main.span.begin;
    const char *at = diag->main.span.source ? text + diag->main.span.begin : "";
    bool same = diag->code == code && length == strlen(underlined) && strncmp(at, underlined, length) == 0 &&
                strstr(met_session_diagnostics_text(session), words);
    if (!same)
        print_error("%s\n%s", text, met_session_diagnostics_text(session));
    assert_true(same);
}

/* --- Programs --- */

#define ATTENTION "attention = " SCORES " @ mask.causal[q x] @ softmax[x] @ " MIX "\n"

static void attention(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit(ATTENTION);
    assert_string_equal(met_sym_text(session, c->name), "attention");
    assert_int_equal(c->node_count, 5);
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "in0: q h d", "in1: x h d", "in2: x h d.2", NULL });
    const met_attr *by = met_node_attr(c, &c->nodes[1], "by");
    assert_int_equal(by->scalar->fn, MET_FN_pow);
    met_size d;
    assert_true(met_dim_is_symbol(by->scalar->arguments[0]->size, &d));
    assert_true(met_dim_contains(met_edge_dim(c, &c->edges[c->inputs[0].id], 2), d)); /* the contracted one */
    assert_int_equal(c->block_count, 0);
}

static void blocks(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit(ATTENTION
        "mha = copy(3) @ (linear[m -> h d] * linear[m -> h d] * linear[m -> h d]) @ attention @ linear[h d -> m]\n"
        "block = copy(2) @ (id * (rmsnorm[m] @ mha)) @ add\n"
        "model = block ^ 2 @ block\n");
    assert_int_equal(c->parameter_count, 15);
    static const char *const names[] = { "block.0.rmsnorm.g",    "block.0.mha.linear.w",  "block.0.mha.linear.w.2",
                                         "block.0.mha.linear.w.3", "block.0.mha.linear.w.4", "block.1.rmsnorm.g" };
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(met_sym_text(session, c->edges[c->parameters[i].id].name), names[i]);
    assert_string_equal(met_sym_text(session, c->edges[c->parameters[10].id].name), "block.2.rmsnorm.g");
    assert_int_equal(c->block_count, 9);
    assert_string_equal(met_sym_text(session, c->blocks[0].name), "block");
    assert_int_equal(c->blocks[0].repeat_count, 2);
    assert_int_equal(c->blocks[3].repeat, 1);
    assert_int_equal(c->blocks[0].family, c->blocks[3].family);
    assert_int_equal(c->blocks[6].repeat_count, 1);
    assert_int_equal(c->blocks[1].parent.id, 0);
}

static void equations(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit(
        "x: n m\n"
        "u = rmsnorm[m](x, @g, eps=1e-5)\n"
        "y = linear[f -> m](mul(silu(linear[m -> f](u, @wg)), linear[m -> f](u, @wu)), @wd)\n"
        "z = add(x, y)\n");
    expect_edges(c, c->parameter_count, c->parameters, (const char *[]){ "g: m", "wg: f m", "wu: f m", "wd: m f", NULL });
    expect_edges(c, c->output_count, c->outputs, (const char *[]){ "z: n m", NULL });
    assert_true(met_node_attr(c, &c->nodes[0], "eps")->number == 1e-5);
    c = read_circuit("y = add(exp(b), exp(a)); z = mul(y, b)\n-> z, y"); /* inputs in order of first appearance */
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "b:", "a:", NULL });
    expect_edges(c, c->output_count, c->outputs, (const char *[]){ "z:", "y:", NULL });
    c = read_circuit("x: n m; y = linear[m -> f](linear[f -> m](linear[m -> f](x, @w), @v), @w)"); /* @w is one array */
    assert_int_equal(c->parameter_count, 2);
    c = read_circuit("a, b = split[x -> a=4, b=2*a](y); z = concat[x](b, a)");
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "y: x=2*a + 4", NULL });
}

static void definitions(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit(
        "mlp(x: n m) -> y { t = relu @ neg; @up: f m; y = add(x, linear[f -> m](t(linear[m -> f](x, @up)), @down)) }\n"
        "x: n m; a = mlp(x); b = mlp(a)");
    expect_edges(c, c->parameter_count, c->parameters,
                 (const char *[]){ "mlp.up: f m", "mlp.down: m f", "mlp.2.up: f.2 m", "mlp.2.down: m f.2", NULL });
    c = read_circuit("mlp(x: n m) { linear[m -> f](x, @up) }\nnet = mlp @ mlp");
    expect_edges(c, c->parameter_count, c->parameters, (const char *[]){ "mlp.up: f.2 m", "mlp.2.up: f f.2", NULL });
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "x: n m", NULL });
    c = read_circuit("circuit first(x: n m) -> y { y = softmax[m](x) }\nsecond = relu");
    assert_string_equal(met_sym_text(session, c->name), "first");
    c = read_circuit("f = exp @ log\ng = log\n-> f");
    assert_int_equal(c->node_count, 2);
    c = read_circuit("q: a h d, k: x h d, v: x h e\n" SCORES " @ softmax[x] @ " MIX); /* a term on declared inputs */
    expect_edges(c, c->output_count, c->outputs, (const char *[]){ "v3: a h e", NULL });
}

static void sizes(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit("let f = 4*m\nx: bf16[n m=64], y: m\nz = linear[m -> f](x, @w)\n-> z, y");
    expect_edges(c, c->parameter_count, c->parameters, (const char *[]){ "w: f=256 m=64", NULL });
    assert_int_equal(c->edges[c->inputs[0].id].format.dtype, MET_BF16);
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "x: n m=64", "y: m=64", NULL });
    c = read_circuit("linear[m -> f=4*m + floor(m/16)*2 + ceil(m/3)]");
    assert_non_null(strstr(edge_text(c, c->outputs[0]), "4*m"));
    assert_int_equal(c->symbol_count, 1); /* the op's own m */
    c = read_circuit("linear[8 -> 8]"); /* two axes */
    assert_int_equal(c->axis_count, 2);
    c = read_circuit("x: n n; y = exp(x)"); /* one axis, twice */
    assert_int_equal(c->axis_count, 1);
    c = read_circuit("[b=2 h=2*b] >> softmax[x]");
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "in0: b=2 h=4 x", NULL });
    c = read_circuit("b h >> softmax[x]");
    expect_edges(c, c->input_count, c->inputs, (const char *[]){ "in0: b h x", NULL });
    c = read_circuit("mask.window[q x](w + 1)");
    assert_int_equal(c->symbol_count, 3);
}

static void formulas(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit("map['h q x, h q -> h q x'](s, m, { exp(a - b)*2 + i_x })");
    const met_scalar *e = met_node_attr(c, &c->nodes[0], "e")->scalar;
    assert_int_equal(e->fn, MET_FN_add);
    assert_int_equal(e->arguments[1]->kind, MET_SCALAR_INDEX);
    assert_int_equal(c->nodes[0].indices[e->arguments[1]->index].label.id, met_intern(session, met_str_of("x")).id);
    assert_int_equal(e->arguments[0]->arguments[0]->arguments[0]->arguments[1]->input, 1);
    c = read_circuit("map['k (t + 1) -> t k']({ a*i_t })"); /* positions refer to the result's labels, so those come first */
    e = met_node_attr(c, &c->nodes[0], "e")->scalar;
    assert_int_equal(c->nodes[0].indices[e->arguments[1]->index].label.id, met_intern(session, met_str_of("t")).id);
    c = read_circuit("mask[q x](s, { i_x <= i_q && 2*i_x >= i_q })");
    assert_int_equal(c->edges[c->outputs[0].id].guard_count, 2);
    c = read_circuit("map({ max(a, b)/2 })");
    assert_int_equal(c->input_count, 2);
    c = read_circuit("softcap(x, 30) ; ");
    assert_true(met_node_attr(c, &c->nodes[0], "cap")->scalar->number == 30);
    c = read_circuit("'a b, b c -> a c'(semiring=max_plus)");
    assert_string_equal(met_sym_text(session, met_node_attr(c, &c->nodes[0], "semiring")->word), "max_plus");
    c = read_circuit("x: n f; quantize[f](cast(x, bf16), fp8/g128)");
    assert_int_equal(c->edges[c->outputs[0].id].format.columns, 128);
    c = read_circuit("relu @ cast(bf16)");
    assert_int_equal(c->node_count, 2);
}

static void states(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit(
        "attn(x: n m, state kc: p g d) -> y {\n"
        "  k = kv_append[p g d; p](kc, linear[m -> g d](x, @wk))\n"
        "  y = 'n m, p g d -> n m g d'(x, k)\n"
        "}\n"
        "x: n m\na = attn(x)\nb = attn('n m g d -> n m'(a))");
    assert_int_equal(c->state_count, 2);
    assert_int_equal(c->input_count, 3);
    expect_edges(c, c->input_count, c->inputs,
                 (const char *[]){ "x: n m", "attn.kc: p g d", "attn.2.kc: p.2 g.2 d.2", NULL });
    assert_int_equal(c->edges[c->states[0].in.id].role, MET_EDGE_STATE);
    assert_string_equal(met_sym_text(session, c->edges[c->states[0].out.id].name), "attn.k");
}

static void rearrangements(void **state)
{
    (void)state;
    const met_circuit *c = read_circuit("copy @ (id * neg) @ swap @ sub @ copy(3) @ permute(2, 0, 1) @ (drop * id * drop)");
    assert_int_equal(c->node_count, 2);
    assert_int_equal(c->output_count, 1);
    assert_int_equal(c->nodes[1].ins[1].id, c->inputs[0].id);
    c = read_circuit("a, b = swap(x, y); z = sub(a, b)");
    assert_int_equal(c->nodes[0].ins[0].id, c->inputs[1].id);
    c = read_circuit("view[t k <- 2*t + k - 1] @ max[k]");
    assert_int_equal(c->edges[c->nodes[0].outs[0].id].guard_count, 2);
}

/* What the listing prints reads back to the same listing. */
static void round_trips(void **state)
{
    (void)state;
    static const char *const programs[] = {
        SCORES " @ softmax[x] @ " MIX,
        SCORES " @ mask.causal[q x] @ softmax[x] @ " MIX,
        SCORES " @ l2norm[x] @ " MIX,
        "x: n m; linear[m -> f](rmsnorm[m](x, @g, eps=1e-5), @w)",
        "x: n m; linear[m -> f](layernorm[m](x, @g, @b, eps=1e-5), @w)",
        "x: n m; linear[f -> m](mul(silu(linear[m -> f](x, @wg)), linear[m -> f](x, @wu)), @wd)",
        "x: t c; 'w k c, o k c -> w o'(view[w k c <- w + k, c](x), @w)",
        "q: q h d, k: x h d, v: x h e\n"
        "a = exp(q); b = exp(k); y = div['q h e, q h -> q h e']('q h d, x h d, x h e -> q h e'(a, b, v), 'q h d, x h d -> q h'(a, b))",
        "x: n m\n"
        "u = rmsnorm[m](x, @attn_norm, eps=1e-5)\n"
        "q = rope[n g r d; n d](linear[m -> g r d](u, @wq), theta=10000, style=half)\n"
        "k = rope[n g d; n d](linear[m -> g d](u, @wk), theta=10000, style=half)\n"
        "v = linear[m -> g d](u, @wv)\n"
        "s = mask.causal[n x](scale('n g r d, x g d -> g r n x'(q, k), d^-0.5))\n"
        "o = 'g r n x, x g d -> n g r d'(softmax[x](s), v)\n"
        "h = add(x, linear[g r d -> m](o, @wo))\n"
        "w = rmsnorm[m](h, @ffn_norm, eps=1e-5)\n"
        "y = add(h, linear[f -> m](mul(silu(linear[m -> f](w, @wg)), linear[m -> f](w, @wu)), @wd))\n",
        "'a b, b c -> a c'",
        "'a a ->'",
        "x: t, w: k; 't k, k -> t'(view[t k <- t + k - 2](x), w)",
        "view[t k <- 2*t + k - 1] @ max[k]",
        "view[t k <- t + k - 1] @ prod[k]",
        "x: m, gain: m; rmsnorm[m](x, gain, eps=1e-6)",
        "silu * id @ mul",
        "rope[p d](theta=10000, style=interleaved, offset=3)",
        "logsumexp[x]",
        "softcap(30)",
        "gather['v m, n -> n m'] @ sum[n]",
        "mask.window[q x](2) @ softmax[x]",
        "x: bf16[n m]; state kc: p g d; k = kv_append[p g d; p](kc, cast(linear[m -> g d](x), f32))",
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *first = met_circuit_listing(read_circuit(programs[i]), true);
        const char *second = met_circuit_listing(read_circuit(first), true);
        assert_string_equal(first, second);
    }
}

/* The examples of the manual, and that it has every op. */
static void manual(void **state)
{
    (void)state;
    FILE *file = fopen(MET_ROOT_DIR "/docs/language.md", "rb");
    assert_non_null(file);
    static char text[1 << 17];
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    for (int i = 0; i < MET_OP_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "| `%s", met_op_table[i].name);
        assert_true(i == MET_OP_einsum || strstr(text, name));
    }
    int examples = 0;
    for (char *at = text; (at = strstr(at, "```met\n")); examples++) {
        at += 7;
        char *stop = strstr(at, "```");
        assert_non_null(stop);
        *stop = 0;
        const char *first = met_circuit_listing(read_circuit(at), true);
        assert_non_null(met_circuit_read(session, source_of(first), NULL));
        at = stop + 1;
    }
    assert_true(examples >= 7);
}

/* --- Refusals --- */

static void unknown_names(void **state)
{
    (void)state;
    refuse("y = sofmax[x](s)", MET_DIAG_unknown_name, "sofmax[x]", "did you mean `softmax`?");
    refuse("gate = relu\nnet = gaet @ exp", MET_DIAG_unknown_name, "gaet", "nothing is called");
    refuse("attention = relu\nnet = atention @ exp", MET_DIAG_unknown_name, "atention", "did you mean `attention`?");
    refuse("f(alpha: n) { y = exp(alph) }\nx: n; z = f(x)", MET_DIAG_unknown_name, "alph", "did you mean `alpha`?");
    refuse("x: n; y = exp(x)\n-> z", MET_DIAG_unknown_name, "z", "the output `z` is given no value");
    refuse("x: n; y = exp(x, epz=3)", MET_DIAG_unknown_option, "epz=3", "no options");
    refuse("x: n; y = l2norm[n](x, epss=3)", MET_DIAG_unknown_option, "epss=3", "did you mean `eps`?");
    refuse("f = relu\nx: n; y = exp(f)", MET_DIAG_unknown_name, "f", "`f` is a definition");
    refuse("x: n; y = relu(x); z = y @ exp\n-> z", MET_DIAG_unknown_name, "y", "this is an array");
    refuse("map['q x -> q x'](s, { a + i_z })", MET_DIAG_formula, "i_z", "no label");
    refuse("map['q x -> q x'](s, { frob(a) })", MET_DIAG_formula, "frob", "no function `frob`");
    refuse("map['q x -> q x'](s, { exp(a, a) })", MET_DIAG_formula, "exp(a, a)", "takes 1 argument, not 2");
}

static void several_at_once(void **state)
{
    (void)state;
    assert_null(met_circuit_read(session, source_of("x: n\na = foo(x)\nb = bar(a)\nc = baz(x)\nd = exp(c)"), NULL));
    assert_int_equal(met_session_error_count(session), 3); /* d and b's argument are no errors of their own */
    assert_null(met_circuit_read(session, source_of("a = foo @ exp @ bar * baz"), NULL));
    assert_int_equal(met_session_error_count(session), 3);
}

static void doubled_names(void **state)
{
    (void)state;
    refuse("a = relu\na = exp", MET_DIAG_duplicate_name, "a", "defined twice");
    refuse("x: n; y = exp(x); y = log(x)", MET_DIAG_duplicate_name, "y", "already has a value");
    refuse("x: n; z = exp(y); y = log(x)", MET_DIAG_duplicate_name, "y", "already has a value");
    refuse("relu = exp @ log", MET_DIAG_duplicate_name, "relu", "name of an op");
    refuse("x: n, x: m; y = exp(x)", MET_DIAG_duplicate_name, "x", "already has a value");
    refuse("circuit a(x: n) { exp(x) }\ncircuit b(x: n) { exp(x) }", MET_DIAG_duplicate_name, "b", "one circuit");
    refuse("x: n; y = exp(x)\n-> y\n-> x", MET_DIAG_duplicate_name, "-> x", "twice");
    refuse("(id * @w) @ 'a b, b c -> a c' @ (id * @w) @ 'a b, b c -> a c'", MET_DIAG_duplicate_name, "@w", "twice");
}

static void shapes_of_programs(void **state)
{
    (void)state;
    refuse("", MET_DIAG_syntax, "", "nothing here defines a circuit");
    refuse("let f = 3", MET_DIAG_syntax, "", "nothing here defines a circuit");
    refuse("relu\nexp", MET_DIAG_syntax, "relu", "without a name");
    refuse("x: n; y = exp(x); relu", MET_DIAG_syntax, "relu", "without a name");
    refuse("f(x: n) { z: m; y = exp(x) }\nx: n; y = f(x)", MET_DIAG_syntax, "z", "header");
    refuse("a, b = relu(x)", MET_DIAG_arity, "a", "2 names for 1 array");
    refuse("y = mul(split[x -> a, b](z), z)", MET_DIAG_arity, "split[x -> a, b](z)", "2 arrays where one is wanted");
    refuse("f(x: n, y: n) { add(x, y) }\nx: n; z = f(x)", MET_DIAG_arity, "f(x)", "2 arrays are wanted here, and 1 given");
    refuse("y = relu(x) @ exp", MET_DIAG_syntax, "relu(x)", "a call with arrays is a value");
    refuse("y = 3 + x", MET_DIAG_syntax, "3 + x", "not a term");
    refuse("x: n; y = add(x, 3 + x)", MET_DIAG_syntax, "3 + x", "not an array");
    refuse("f(x: n) { }\nx: n; y = f(x)", MET_DIAG_arity, "f", "no outputs");
}

static void values_of_options(void **state)
{
    (void)state;
    refuse("l2norm[x](eps=d)", MET_DIAG_formula, "d", "a number is needed");
    refuse("mask.window[q x](m/2)", MET_DIAG_formula, "m/2", "not a size");
    refuse("mask.window[q x](2.5)", MET_DIAG_formula, "2.5", "not a size");
    refuse("linear[m -> f=m - 1]", MET_DIAG_formula, "m - 1", "not a size");
    refuse("linear[m -> f=floor(m/n)]", MET_DIAG_formula, "n", "positive integer");
    refuse("linear[m -> f=floor(m/0)]", MET_DIAG_formula, "0", "positive integer");
    refuse("linear[m -> f=18446744073709551615*m*2]", MET_DIAG_input_too_large, "18446744073709551615*m*2", "too large");
    refuse("cast(f99)", MET_DIAG_format, "f99", "there is no format `f99`");
    refuse("x: f99[n]; y = exp(x)", MET_DIAG_format, "f99", "there is no format `f99`");
    refuse("rope[n d](style=quarter)", MET_DIAG_unknown_option, "style=quarter", "half");
    refuse("view[t <- t*t](x)", MET_DIAG_label, "t*t", "sum of labels");
    refuse("let a = b\nlet b = a\nlinear[m -> a]", MET_DIAG_recursion, "a", "defined by itself");
    refuse("x: n m=3, y: m=4; z = exp(x)", MET_DIAG_size, "m=4", "another size");
}

static void state_refusals(void **state)
{
    (void)state;
    refuse("x: n, y: n; z = kv_append[n](x, y)", MET_DIAG_state, "x", "this is none");
    refuse("state k: n; x: n; z = exp(x)", MET_DIAG_state, "k", "never gets a new value");
    refuse("state k: n; x: n; z = kv_append[n](k, x); w = kv_append[n](k, x)", MET_DIAG_state, "k", "second new value");
    refuse("kv_append[n]", MET_DIAG_state, "kv_append[n]", "in an equation");
    refuse("f(x: n, state k: n) { kv_append[n](k, x) }\ng = f @ exp", MET_DIAG_state, "f", "called in an equation");
}

static void explosions(void **state)
{
    (void)state;
    refuse("a = a @ relu", MET_DIAG_recursion, "a", "contains itself");
    refuse("a = b\nb = c\nc = relu @ a\n-> a", MET_DIAG_recursion, "a", "contains itself");
    refuse("f(x: n) { y = f(x) }\nx: n; z = f(x)", MET_DIAG_recursion, "f(x)", "contains itself");
    refuse("a = relu ^ 1000\nb = a ^ 1000\nc = b ^ 1000", MET_DIAG_input_too_large, "c", "more than");
    refuse("relu ^ 18446744073709551615", MET_DIAG_input_too_large, "relu ^ 18446744073709551615", "more than");
    refuse("relu ^ 0", MET_DIAG_arity, "0", "once or more");
    refuse("relu ^ n", MET_DIAG_formula, "n", "without free sizes");
    refuse("copy(5000)", MET_DIAG_input_too_large, "copy(5000)", "4096");
    met_text text = met_text_new(session->arena);
    met_text_put(&text, "a0 = relu\n");
    for (int i = 1; i < 60; i++)
        met_text_format(&text, "a%d = a%d @ a%d\n", i, i - 1, i - 1);
    assert_null(met_circuit_read(session, source_of(met_text_done(&text)), NULL));
    assert_int_equal(session->diags.at[0]->code, MET_DIAG_input_too_large);
    text = met_text_new(session->arena);
    met_text_put(&text, "a0 = relu\n");
    for (int i = 1; i < 300; i++)
        met_text_format(&text, "a%d = a%d @ exp\n", i, i - 1);
    assert_null(met_circuit_read(session, source_of(met_text_done(&text)), NULL));
    assert_int_equal(session->diags.at[0]->code, MET_DIAG_too_deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attention),       TEST(blocks),         TEST(equations),     TEST(definitions),        TEST(sizes),
        TEST(formulas),        TEST(states),         TEST(rearrangements), TEST(round_trips),     TEST(manual),
        TEST(unknown_names),
        TEST(several_at_once), TEST(doubled_names),  TEST(shapes_of_programs), TEST(values_of_options), TEST(state_refusals),
        TEST(explosions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
