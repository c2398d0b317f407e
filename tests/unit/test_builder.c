/* Building circuits: lifting, parameters, scopes, formats, names, binding, and chains that must not take long. */
#include "terms.h"

#include "ir/affine.h"
#include "ir/check.h"
#include "met/diagnose.h"

static met_circuit *read(bench *t, const char *program)
{
    uint32_t source = met_session_add_source(t->session, "test", program, strlen(program));
    return met_circuit_read(t->session, source, NULL);
}

static met_circuit *good(bench *t, const char *program)
{
    met_circuit *circuit = read(t, program);
    if (!circuit)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(t->session));
    return circuit;
}

static void expect_refused(const char *program, const char *code)
{
    bench *t = bench_new();
    if (read(t, program) || !met_session_has_error(t->session, code))
        fail_msg("%s is not refused as `%s`\n%s", program, code, met_session_diagnostics_text(t->session));
    met_session_free(t->session);
}

/* The names of an edge's axes. */
static const char *edge_axes(const met_circuit *c, met_edge_id id)
{
    met_text text = met_text_new(c->arena);
    for (uint32_t p = 0; p < c->edges[id.id].rank; p++)
        met_text_format(&text, "%s%s", p ? " " : "", met_sym_text(c->session, c->axes[c->edges[id.id].axes[p].id].name));
    return met_text_done(&text);
}

static const met_node *node_of(const met_circuit *c, met_op_id op)
{
    for (uint32_t n = 0; n < c->node_count; n++)
        if (c->nodes[n].op && c->nodes[n].op->id == op)
            return &c->nodes[n];
    fail_msg("there is no node of `%s`", met_op_by_id(op)->name);
    return NULL;
}

/* --- Axes and indices --- */

/* Queries and keys of one array: one axis, and still two loops. */
static void self_attention(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_circuit *c = good(t, "copy(3) @ (linear[m -> h d] * linear[m -> h d] * linear[m -> h d]) @ 'q h d, x h d -> h q x' "
                             "@ mask.causal[q x] @ softmax[x]");
    const met_node *scores = node_of(c, MET_OP_einsum);
    const met_edge *out = &c->edges[scores->outs[0].id];
    uint32_t q, x;
    assert_int_equal(out->rank, 3);
    assert_int_equal(out->axes[1].id, out->axes[2].id);
    assert_true(met_affine_is_index(scores->out_access[0].at[1], &q));
    assert_true(met_affine_is_index(scores->out_access[0].at[2], &x));
    assert_int_not_equal(q, x);
    assert_int_equal(scores->indices[q].axis.id, scores->indices[x].axis.id);
    assert_string_equal(edge_axes(c, scores->ins[0]), edge_axes(c, scores->ins[1]));
    assert_true(met_affine_is_index(scores->in_access[0].at[0], &q) && met_affine_is_index(scores->in_access[1].at[0], &x));
    assert_int_not_equal(q, x);
    /* With equal sizes the causal guard is i_q - i_x >= 0, and it passes through the softmax. */
    const met_edge *last = &c->edges[c->outputs[0].id];
    assert_int_equal(last->guard_count, 1);
    assert_int_equal(last->guards[0].expression.term_count, 2);
    met_session_free(t->session);
}

static void parameters_are_not_lifted(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_circuit *c = good(t, "b c >> (linear[m -> d] @ rmsnorm[d])");
    const met_node *linear = node_of(c, MET_OP_linear), *norm = node_of(c, MET_OP_rmsnorm);
    assert_string_equal(edge_axes(c, c->inputs[0]), "b c m");
    assert_string_equal(edge_axes(c, c->outputs[0]), "b c d");
    assert_string_equal(edge_axes(c, linear->ins[1]), "d m");
    assert_string_equal(edge_axes(c, norm->ins[1]), "d");
    assert_int_equal(linear->in_access[1].rank, 2);
    /* A composition may lift once more what was lifted before. */
    c = good(t, "(b >> linear[m -> d]) @ softmax[x y z]");
    assert_string_equal(edge_axes(c, node_of(c, MET_OP_linear)->ins[1]), "d m");
    assert_int_equal(c->edges[c->inputs[0].id].rank, 3);
    met_session_free(t->session);
}

static void ranks_are_limited(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_term *term = box(t, "f", "a", "");
    met_axis_id axes[16];
    for (uint32_t i = 0; i < 16; i++)
        axes[i] = met_builder_axis(t->b, name_of(t, "z"), NULL, (met_span){ 0 });
    assert_non_null(met_term_lift(t->b, 16, axes, term));
    assert_non_null(met_term_lift(t->b, 15, axes, term));
    assert_null(met_term_lift(t->b, 1, axes, term));
    assert_true(met_session_has_error(t->session, "rank"));
    assert_null(met_term_lift(t->b, 1, axes, NULL));
    assert_non_null(freeze(t, term));
    met_session_free(t->session);
}

/* What nothing says the rank of is a scalar. */
static void wires_alone(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_circuit *c = frozen(t, compose(t, met_term_id(t->b, (met_span){ 0 }), met_term_copy(t->b, 2, (met_span){ 0 })));
    assert_int_equal(c->input_count, 1);
    assert_int_equal(c->output_count, 2);
    assert_int_equal(c->edges[0].rank, 0);
    c = frozen(t, met_term_drop(t->b, (met_span){ 0 }));
    assert_int_equal(c->output_count, 0);
    assert_null(met_term_permute(t->b, 2, (const uint32_t[]){ 1, 1 }, (met_span){ 0 }));
    assert_null(compose(t, NULL, box(t, "f", "a", "a")));
    assert_null(met_term_product(t->b, box(t, "f", "a", "a"), NULL));
    met_session_free(t->session);
}

static void sizes_meet(void **state)
{
    (void)state;
    bench *t = bench_new();
    /* n = n + 1 has no solution. */
    met_axis_id a = met_builder_axis(t->b, name_of(t, "a"), dim_text(t, "n"), (met_span){ 0 });
    met_axis_id b = met_builder_axis(t->b, name_of(t, "b"), dim_text(t, "n + 1"), (met_span){ 0 });
    assert_false(met_unify_axes(t->b, a.id, b.id, (met_span){ 0 }));
    assert_true(met_session_has_error(t->session, "size"));
    /* k = 2*m, then m = k' with k' = 2*k: k would contain itself. */
    met_axis_id k = met_builder_axis(t->b, name_of(t, "k"), dim_text(t, "k"), (met_span){ 0 });
    met_axis_id m = met_builder_axis(t->b, name_of(t, "m"), dim_text(t, "2*m"), (met_span){ 0 });
    assert_true(met_unify_axes(t->b, k.id, m.id, (met_span){ 0 }));
    met_axis_id p = met_builder_axis(t->b, name_of(t, "p"), dim_text(t, "m"), (met_span){ 0 });
    met_axis_id q = met_builder_axis(t->b, name_of(t, "q"), dim_text(t, "2*k"), (met_span){ 0 });
    assert_false(met_unify_axes(t->b, p.id, q.id, (met_span){ 0 }));
    met_session_free(t->session);
}

/* --- Scopes --- */

static void scopes(void **state)
{
    (void)state;
    bench *t = bench_new();
    /* Two parts that become one, and are lifted together afterwards. */
    met_circuit *c = good(t, "u = exp(x)\nv = log(y)\nw = add(u, v)\nz = softmax[k](w)\n-> z");
    assert_int_equal(c->node_count, 4);
    met_session_free(t->session);
    /* The declared type of an input stands within its definition, and is lifted by what uses the whole. */
    t = bench_new();
    c = good(t, "norm(x: m) -> y { y = rmsnorm[m](x) }\nb n >> norm");
    assert_string_equal(edge_axes(c, c->inputs[0]), "b n m");
    c = good(t, "norm(x: m) -> y { y = rmsnorm[m](x) }\nnorm @ softmax[n m]");
    assert_string_equal(edge_axes(c, c->inputs[0]), "n m");
    c = good(t, "norm(x: m) -> y { y = rmsnorm[m](x) }\nu = norm(a)\nv = softmax[n m](u)\n-> v");
    assert_string_equal(edge_axes(c, c->inputs[0]), "n m");
    met_session_free(t->session);
    expect_refused("x: m\ny = softmax[n m](x)\n-> y", "rank");
    /* A value made from parameters alone is a part of its own. */
    t = bench_new();
    c = good(t, "x: n m\n@w: m\nu = exp(@w)\ny = mul['n m, m -> n m'](x, u)\n-> y");
    assert_int_equal(c->parameter_count, 1);
    assert_string_equal(edge_axes(c, c->parameters[0]), "m");
    met_session_free(t->session);
}

static void parameters_given(void **state)
{
    (void)state;
    bench *t = bench_new();
    /* The first array that can be lifted decides, and if there are only parameters the first of those. */
    met_circuit *c = good(t, "@u: m\n@v: m\ny = mul(@u, @v)\n-> y");
    assert_string_equal(edge_axes(c, c->outputs[0]), "m");
    /* A parameter that is itself a result. */
    met_scope *scope = met_scope_new(t->b);
    met_axis_id axis = met_builder_axis(t->b, name_of(t, "m"), NULL, (met_span){ 0 });
    met_array_spec spec = { .role = MET_EDGE_PARAMETER, .name = name_of(t, "w"), .rank = 1, .axes = &axis };
    met_value_id w = met_scope_source(scope, &spec);
    c = frozen(t, met_scope_close(scope, 1, &w));
    assert_int_equal(c->parameter_count, 1);
    assert_int_equal(c->outputs[0].id, c->parameters[0].id);
    /* An option that leaves the first slot out leaves the array to the second. */
    c = good(t, "x: n m\n@b: m\ny = layernorm[m](x, @b, gain=no)\n-> y");
    assert_int_equal(c->nodes[0].in_count, 2);
    /* Names that end in numbers stay as they are written. */
    c = good(t, "x: n m\n@w.7: m\ny = rmsnorm[m](x, @w.7)\n-> y");
    assert_string_equal(met_sym_text(t->session, c->edges[c->parameters[0].id].name), "w.7");
    met_session_free(t->session);
    expect_refused("x: n m\n@b: m\ny = layernorm[m](x, @b, gain=no, bias=no)\n-> y", "unknown-option");
}

/* --- Signatures that mean nothing --- */

static void refused_signatures(void **state)
{
    (void)state;
    expect_refused("view[t <- t, k]", "label");
    expect_refused("add['a b, b -> a']", "label");
    expect_refused("gather['a, b -> a']", "label");
    expect_refused("gather[x y]", "label");
    expect_refused("linear[m -> m]", "label");
    expect_refused("linear[q m; m -> d]", "label");
    expect_refused("'a -> a a'", "label");
    expect_refused("concat[x=8](a, b)", "label");
    bench *t = bench_new();
    met_circuit *c = good(t, "gather['v d, n -> n d']");
    assert_int_equal(c->nodes[0].index_count, 3);
    c = good(t, "linear[q m h; m -> d q h]");
    assert_string_equal(edge_axes(c, c->outputs[0]), "d q h");
    assert_string_equal(edge_axes(c, c->parameters[0]), "d m");
    met_session_free(t->session);
}

/* --- Formats --- */

/* A contraction's result is stored like its first operand, and so is an input that must agree with it. */
static void formats_settle_together(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_circuit *c = good(t, "x: bf16[a b], w: bf16[b c], r: a c\ny = 'a b, b c -> a c'(x, w)\nz = add(y, r)\n-> z");
    for (uint32_t e = 0; e < c->edge_count; e++)
        assert_int_equal(c->edges[e].format.dtype, MET_BF16);
    met_session_free(t->session);
    expect_refused("x: bf16[a]\ny: f16[a]\nz = add(x, y)\n-> z", "format");
}

/* --- Binding --- */

static const char *bound_sizes(const met_circuit *circuit, const char *set)
{
    met_circuit *c = met_circuit_bind(circuit, set);
    if (!c)
        return NULL;
    met_text text = met_text_new(c->arena);
    const met_edge *edge = &c->edges[c->inputs[0].id];
    for (uint32_t p = 0; p < edge->rank; p++) {
        met_text_put(&text, p ? " " : "");
        met_dim_print(&text, met_edge_dim(c, edge, p), met_circuit_size_name, c);
    }
    return met_text_done(&text);
}

static void binding(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_array_spec spec = { .rank = 4 };
    met_axis_id axes[4];
    for (uint32_t i = 0; i < 3; i++)
        axes[i] = met_builder_axis(t->b, name_of(t, "d"), NULL, (met_span){ 0 });
    axes[3] = met_builder_axis(t->b, name_of(t, "n"), dim_text(t, "floor(n/16)"), (met_span){ 0 });
    spec.axes = axes;
    met_circuit *c = frozen(t, met_term_box(t->b, name_of(t, "f"), 1, &spec, 0, NULL, (met_span){ 0 }));
    assert_string_equal(bound_sizes(c, "d=4"), "4 4 4 floor(n/16)");
    assert_string_equal(bound_sizes(c, "d=4,d.2=5"), "4 5 4 floor(n/16)");
    assert_string_equal(bound_sizes(c, " d.2 = 5 , d = 4 ,n=40"), "4 5 4 2");
    assert_string_equal(bound_sizes(c, "d.3=7"), "d d.2 7 floor(n/16)");
    assert_string_equal(bound_sizes(c, ""), "d d.2 d.3 floor(n/16)");
    met_circuit *later = met_circuit_bind(c, "d.2=5");
    assert_string_equal(bound_sizes(later, "d=6"), "6 5 6 floor(n/16)");
    assert_int_equal(met_session_error_count(t->session), 0);
    static const char *const wrong[] = { "d=0", "d=-1", "d=", "=3", "d", "d=4,d=4", "d=4,,n=16", "d=1e3", "d=99999999999999999999999", "n=3" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        met_session_clear_diagnostics(t->session);
        if (bound_sizes(c, wrong[i]) || !met_session_has_error(t->session, "size-value"))
            fail_msg("`%s`: %s", wrong[i], met_session_diagnostics_text(t->session));
    }
    met_session_clear_diagnostics(t->session);
    assert_null(bound_sizes(c, "d.1=4"));
    assert_null(bound_sizes(later, "d.2=4"));
    assert_true(met_session_has_error(t->session, "unknown-size"));
    met_session_free(t->session);
}

/* Formats with groups ask for a division; a size that is still open is asked when it is bound. */
static void divisions(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_circuit *c = good(t, "x: i8/g16[n m]\ny = dequantize(x)\n-> y");
    assert_non_null(met_circuit_bind(c, "m=48"));
    assert_non_null(met_circuit_bind(c, "n=5"));
    assert_null(met_circuit_bind(c, "n=16,m=40"));
    assert_true(met_session_has_error(t->session, "divide"));
    met_session_free(t->session);
}

/* --- Long chains: each of these takes minutes if a step looks at what came before it --- */

enum { LONG = 20000 };

static met_term *step(bench *t, uint32_t ins, uint32_t outs)
{
    met_array_spec specs[4];
    met_axis_id *axes = MET_NEW_ARRAY(t->session->arena, met_axis_id, 4);
    for (uint32_t i = 0; i < ins + outs; i++) {
        axes[i] = met_builder_axis(t->b, name_of(t, "n"), NULL, (met_span){ 0 });
        specs[i] = (met_array_spec){ .rank = 1, .axes = &axes[i] };
    }
    return met_term_box(t->b, name_of(t, "f"), ins, specs, outs, specs + ins, (met_span){ 0 });
}

static void long_chains(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_term *left = step(t, 1, 1), **steps = MET_NEW_ARRAY(t->session->arena, met_term *, LONG);
    for (int i = 1; i < LONG; i++)
        left = compose(t, left, step(t, 1, 1));
    met_circuit *c = frozen(t, left);
    assert_int_equal(c->node_count, LONG);
    assert_int_equal(c->axis_count, LONG + 1);
    assert_non_null(met_circuit_bind(c, "n=4"));
    for (int i = 0; i < LONG; i++)
        steps[i] = step(t, 1, 1);
    met_term *right = steps[LONG - 1];
    for (int i = LONG - 1; i-- > 0;)
        right = compose(t, steps[i], right);
    assert_int_equal(frozen(t, right)->node_count, LONG);
    met_session_free(t->session);
}

/* Identities whose sizes are made one from the last to the first: a chain of symbols that stand for each other. */
static void long_size_chain(void **state)
{
    (void)state;
    bench *t = bench_new();
    uint32_t first = (uint32_t)t->b->axes.count;
    for (int i = 0; i < LONG; i++)
        met_builder_axis(t->b, name_of(t, "n"), NULL, (met_span){ 0 });
    for (uint32_t i = LONG - 1; i > 0; i--)
        assert_true(met_unify_axes(t->b, first + i - 1, first + i, (met_span){ 0 }));
    for (uint32_t i = 0; i < LONG; i++)
        assert_ptr_equal(met_builder_axis_size(t->b, (met_axis_id){ first + i }), met_builder_axis_size(t->b, (met_axis_id){ first }));
    met_session_free(t->session);
}

/* Many arrays pass by at every step; and every step adds one that passes by. */
static void long_side(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_term *term = met_term_copy(t->b, 4096, (met_span){ 0 });
    for (int i = 0; i < LONG; i++)
        term = compose(t, term, step(t, 1, 1));
    assert_int_equal(met_term_out_count(term), 4096);
    met_term *growing = step(t, 1, 1);
    for (int i = 0; i < LONG; i++)
        growing = compose(t, growing, step(t, 1, 2));
    assert_int_equal(met_term_out_count(growing), LONG + 1);
    met_term *shrinking = step(t, 2, 1);
    for (int i = 1; i < LONG; i++)
        shrinking = compose(t, shrinking, step(t, 2, 1));
    met_term *both = compose(t, growing, shrinking);
    assert_int_equal(met_term_out_count(both), 1);
    assert_int_equal(frozen(t, both)->node_count, 2 * LONG + 1);
    assert_true(met_arena_used(t->session->arena) < (size_t)400 << 20);
    met_session_free(t->session);
}

static void long_scope(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_scope *scope = met_scope_new(t->b);
    met_array_spec spec = { .role = MET_EDGE_INPUT, .any_rank = true, .name = name_of(t, "x") };
    met_value_id value = met_scope_source(scope, &spec), values[2];
    for (int i = 0; i < LONG; i++) {
        values[0] = values[1] = value;
        assert_true(met_scope_apply(scope, step(t, 2, 1), 2, values, NULL, (met_span){ 0 }, &value));
    }
    met_circuit *c = frozen(t, met_scope_close(scope, 1, &value));
    assert_int_equal(c->node_count, LONG);
    assert_int_equal(c->input_count, 1);
    met_session_free(t->session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_attention),   cmocka_unit_test(parameters_are_not_lifted), cmocka_unit_test(ranks_are_limited),
        cmocka_unit_test(wires_alone),      cmocka_unit_test(sizes_meet),                cmocka_unit_test(scopes),
        cmocka_unit_test(parameters_given), cmocka_unit_test(refused_signatures),        cmocka_unit_test(formats_settle_together),
        cmocka_unit_test(binding),          cmocka_unit_test(divisions), cmocka_unit_test(long_chains),               cmocka_unit_test(long_size_chain),
        cmocka_unit_test(long_side),        cmocka_unit_test(long_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
