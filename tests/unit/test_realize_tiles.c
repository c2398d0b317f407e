/* Tile programs: whole circuits as one kernel, for several sizes of tiles, formats and classes, on plain and on hostile
 * numbers. All of it has the bits of the interpreter, which computes node by node. */
#include "compiled.h"
#include "derive/kernel.h"
#include "support/compile.h"
#include "support/random.h"

typedef struct tile_case {
    const char *program;
    const char *set;
    const char *tiles[3]; /* besides what is chosen */
} tile_case;

static const tile_case cases[] = {
    { "q: h q d, k: h x d, v: h x e\n"
      "'h q x, h x e -> h q e'(softmax[x](mask.causal[q x](scale('h q d, h x d -> h q x'(q, k), d^-0.5))), v)",
      "q=29,h=2,d=16,x=150,e=20", { "q=8,x=64", "q=5,x=128", "q=1" } },
    { "q: g r q d, k: g x d, v: g x e, b: q x\n"
      "s = map['g r q x, q x -> g r q x']('g r q d, g x d -> g r q x'(q, k), b, { a + b })\n"
      "'g r q x, g x e -> q g r e'(softmax[x](mask.window[q x](s, 50)), v)",
      "g=2,r=3,q=19,d=16,x=141,e=16", { "q=7,x=64", "r=1", NULL } },
    { "q: g r d, k: x g d, v: x g e\n"
      "'g r x, x g e -> g r e'(softmax[x]('g r d, x g d -> g r x'(q, k)), v)",
      "g=2,r=5,d=24,x=333,e=32", { "r=2,x=64", NULL, NULL } },
    { "q: q d, k: x d, v: x e\n'q x, x e -> q e'(softmax[x]('q d, x d -> q x'(q, k)), v)", "q=37,d=200,x=300,e=150",
      { "x=320", NULL, NULL } },
    { "q: q d, k: x d, v: x e\n'q x, x e -> q e'(l2norm[x]('q d, x d -> q x'(q, k)), v)", "q=9,d=8,x=99,e=5",
      { "q=4,x=64", NULL, NULL } },
    { "x: n m\nlinear[m -> f](rmsnorm[m](x, @g), @w)", "n=13,m=150,f=200", { "n=3,f=64,m=64", "n=1", NULL } },
    { "x: n m\nlinear[m -> h d](layernorm[m](x, @g, @c), @w)", "n=13,m=150,h=3,d=7", { "n=5", NULL, NULL } },
    { "x: n m\nlinear[f -> m](mul(silu(linear[m -> f](x, @w1)), linear[m -> f](x, @w3)), @w2)", "n=13,m=50,f=300",
      { "n=3,f=64", "n=7,f=128", NULL } },
    { "x: n m\nlogsumexp[v](linear[m -> v](x, @w))", "n=13,m=50,v=300", { "n=3,v=64", NULL, NULL } },
    { "x: n m, y: n m, g: m\nmul['n m, m -> n m'](add(x, gelu(y)), g)", "n=13,m=301", { "n=5", NULL, NULL } },
    { "x: n m\nsoftmax[m](mask.causal[n m](x))", "n=37,m=41", { "n=5", NULL, NULL } },
    { "x: b n m\nrmsnorm[m](x, @g)", "b=3,n=5,m=70", { "n=2", NULL, NULL } },
    { "x: n h d, w: m h d\n'n h d, m h d -> n m'(x, w)", "n=7,h=3,d=20,m=70", { "n=3,d=64,m=64", NULL, NULL } },
    { "x: n m, w: f m\nmax[f]('n m, f m -> n f'(x, w))", "n=7,m=33,f=90", { "n=3,f=64", NULL, NULL } },
    { "x: n\ny = view[n k <- n](x)\nz = view[n f <- n](x)\n-> y, z", "n=7,k=19,f=35", { "n=2", NULL, NULL } },
    { "x: q m\n'q m -> m q'(exp(x))", "q=18,m=21", { NULL, NULL, NULL } },
    { "x: n m, y: n m\nfold['n m, n m -> n'](x, y, { a*b })", "n=18,m=77", { "n=2", NULL, NULL } },
    { "x: n, y: m k\n'n, m k -> k n'(x, y, semiring=max_plus)", "n=5,m=77,k=3", { "n=2", NULL, NULL } },
        /* value 0: a number a row */
};

/* Numbers that hurt, for array `array`: cancellation and zeros of both signs; infinities and NaN; subnormals. */
static double hostile(random_source *r, unsigned kind)
{
    static const double tables[3][8] = {
        { 1e8, -1e8, 0.0, -0.0, 1, -1, 3e-8, 0.5 },
        { INFINITY, -INFINITY, NAN, 0.0, -0.0, 1, -2, 0.25 },
        { 1e-40, -3e-42, 1.5e-45, 0.0, 1, 1e-38, -1, 0.5 },
    };
    unsigned pick = random_below(r, kind == 1 ? 200 : 12); /* few infinities, so that some rows stay finite */
    return pick < 8 ? tables[kind][pick] : (double)random_below(r, 4001) / 1000 - 2;
}

static const met_named_tensor *hostile_inputs(const met_circuit *circuit, unsigned kind, size_t *ret_count)
{
    met_session *session = circuit->session;
    size_t count = circuit->input_count + circuit->parameter_count;
    met_named_tensor *ins = MET_NEW_ARRAY(session->arena, met_named_tensor, count);
    random_source r = { 11 + kind };
    for (uint32_t k = 0; k < count; k++) {
        met_edge_id id = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        const met_edge *edge = &circuit->edges[id.id];
        uint64_t shape[MET_RANK_LIMIT];
        for (uint32_t p = 0; p < edge->rank; p++)
            assert_true(met_circuit_size(circuit, edge->axes[p], &shape[p]));
        met_tensor *tensor = met_tensor_new(session, "f64", edge->rank, shape);
        for (size_t i = 0; i < tensor->count; i++)
            tensor->values[i] = hostile(&r, kind);
        ins[k] = (met_named_tensor){ met_sym_text(session, edge->name), tensor };
    }
    *ret_count = count;
    return ins;
}

/* The settled circuit as one kernel. */
static const met_plan *one_kernel(const met_circuit *settled, const met_point *point)
{
    met_arena *arena = settled->arena;
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, settled->node_count);
    for (uint32_t n = 0; n < settled->node_count; n++)
        nodes[n].id = n;
    met_refusal refusal;
    static const met_derive_options options;
    const met_kernel **groups = MET_NEW_ARRAY(arena, const met_kernel *, 1);
    groups[0] = met_kernel_derive(settled, settled->node_count, nodes, &options, &refusal);
    if (!groups[0])
        fail_msg("%s", refusal.reason);
    bool *stored = MET_NEW_ARRAY(arena, bool, settled->edge_count);
    for (uint32_t v = 0; v < groups[0]->value_count; v++)
        stored[groups[0]->values[v].edge.id] = groups[0]->values[v].is_output;
    met_plan *plan = MET_NEW(arena, met_plan);
    *plan = (met_plan){ .circuit = settled, .point = *point, .planner = MET_PLANNER_FUSED, .group_count = 1, .groups = groups,
                        .stored = stored };
    return plan;
}

static bool rescales(const met_plan *plan)
{
    for (uint32_t a = 0; a < plan->groups[0]->accumulator_count; a++)
        if (plan->groups[0]->accumulators[a].base != MET_NONE)
            return true;
    return false;
}

static void add_case(kernel_batch *batch, const tile_case *c, const met_circuit *circuit, const met_class *class,
                     met_dtype dtype, met_division division, met_dot dot)
{
    met_point point = met_point_of(dtype);
    point.division = division;
    point.dot = dot;
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    const met_plan *plan = one_kernel(settled, &point);
    met_realize_request request = { class, &point };
    if (!met_realize_accepts_at(&request, plan->groups[0])) {
        assert_true(dot == MET_DOT_PAIRS && strstr(c->program, "mask")); /* pairs are not cut by guards */
        return;
    }
    static const char *const fills[] = { "normal", "wave" };
    for (unsigned kind = 0; kind < 5; kind++) { /* two fills, then what is hostile */
        if (BATCH_SANITIZED && (kind == 1 || kind == 4))
            continue;
        const char *tiles = kind == 0 || kind > 3 ? NULL : c->tiles[kind - 1];
        met_realize_options options = { .threads = 1 + kind % 2, .tiles = tiles };
        kernel_case made = { .name = c->program, .program = met_realize(plan, class, &options),
                            .rescales = rescales(plan) };
        if (!made.program)
            fail_msg("%s\n%s", c->program, met_session_diagnostics_text(circuit->session));
        met_eval_options run = { .fill = kind < 2 ? fills[kind] : NULL, .seed = batch->count };
        size_t count = 0;
        const met_named_tensor *ins = kind < 2 ? NULL : hostile_inputs(settled, kind - 2, &count);
        assert_non_null(met_eval_settled(settled, &point, NULL, &run, count, ins, &made.edges));
        assert_true(batch->count < KERNEL_CASES);
        batch->cases[batch->count++] = made;
    }
}

static void check_class(const char *name, met_dtype dtype, met_division division, met_dot dot, size_t step)
{
    static kernel_batch batch;
    batch.count = 0;
    const met_class *class = met_class_find(name);
    if (!met_test_cpu_has(class->features)) {
        print_message("this CPU has no %s\n", class->features);
        skip();
    }
    met_session *session = met_session_new();
    /* sanitized, a case is for plain C or for vectors: the texts differ in their lanes only */
    size_t first = BATCH_SANITIZED && !strcmp(name, "cpu-scalar");
    for (size_t k = first; k < sizeof cases / sizeof *cases; k += BATCH_SANITIZED ? 4 : step)
        add_case(&batch, &cases[k], circuit_of(session, cases[k].program, cases[k].set), class, dtype, division, dot);
    compile_batch(&batch, class->flags);
    size_t compared = 0;
    for (size_t k = 0; k < batch.count; k++)
        compared += expect_interpreter(&batch, &batch.cases[k], 1 + (int64_t)k % 3);
    assert_true(compared * 10 >= batch.count * 8);
    close_batch(&batch);
    met_session_free(session);
}

/* Rows whose maximum is -inf for some slices, or to the end, or +inf, or NaN; and infinite values under weights that vanish. */
static void infinite_scores(void **state)
{
    (void)state;
    static kernel_batch batch;
    const met_class *class = met_class_find("cpu-scalar");
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session,
                                            "s: q x, v: x e\n'q x, x e -> q e'(softmax[x](mask.causal[q x](s)), v)",
                                            "q=9,x=80,e=3");
    static double scores[9 * 80], values[80 * 3];
    for (int q = 0; q < 9; q++)
        for (int x = 0; x < 80; x++) {
            bool low = q == 0 || (q == 1 && x < 40) || (q == 2 && x >= 16) || (q == 3 && x != 70) || (q == 8 && x < 71);
            scores[q * 80 + x] = low ? -HUGE_VAL : q == 4 && x == 20 ? HUGE_VAL : q == 5 && x == 3 ? (double)NAN
                : (double)((x * 7 + q) % 11) / 4;
        }
    for (int i = 0; i < 80 * 3; i++)
        values[i] = i == 50 ? HUGE_VAL : (double)((i * 5) % 13 - 6);
    batch.count = 0;
    met_point point = met_point_of(MET_F32);
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    for (int t = 0; t < 3; t++) {
        met_realize_options options = { .tiles = (const char *[]){ "x=16", "x=32,q=2", NULL }[t] };
        kernel_case made = { .name = "infinite scores", .program = met_realize(one_kernel(settled, &point), class,
                                                                               &options) };
        met_tensor *s = met_tensor_new(session, "f64", 2, (uint64_t[]){ 9, 80 }),
            *v = met_tensor_new(session, "f64", 2, (uint64_t[]){ 80, 3 });
        memcpy(s->values, scores, sizeof scores);
        memcpy(v->values, values, sizeof values);
        met_named_tensor ins[] = { { "s", s }, { "v", v } };
        assert_non_null(made.program);
        static const met_eval_options run;
        assert_non_null(met_eval_settled(settled, &point, NULL, &run, 2, ins, &made.edges));
        batch.cases[batch.count++] = made;
    }
    compile_batch(&batch, class->flags);
    for (size_t k = 0; k < batch.count; k++)
        assert_true(expect_interpreter(&batch, &batch.cases[k], 1));
    close_batch(&batch);
    met_session_free(session);
}

/* At the point `float` a base moves by rounded exponentials: the bytes depend on the slices, and the record says so. In a
 * single slice nothing moves. */
static void float_rescaling(void **state)
{
    (void)state;
    static kernel_batch batch;
    batch.count = 0;
    met_session *session = met_session_new();
    met_point point = met_point_of(MET_F32);
    point.numerics = MET_NUMERICS_FLOAT;
    const met_class *class = met_class_find("cpu-scalar");
    const char *program = "q: q d, k: x d, v: x e\n'q x, x e -> q e'(softmax[x]('q d, x d -> q x'(q, k)), v)";
    const met_circuit *settled = met_circuit_settle(circuit_of(session, program, "q=40,x=200,d=8,e=8"), &point);
    static const char *const tiles[] = { "x=208", "x=64", "x=32" };
    met_eval_options run = { .fill = "normal", .seed = 3 };
    for (int t = 0; t < 3; t++) {
        met_realize_options options = { .tiles = tiles[t] };
        kernel_case made = { .name = tiles[t], .program = met_realize(one_kernel(settled, &point), class, &options) };
        assert_non_null(made.program);
        assert_non_null(met_eval_settled(settled, &point, NULL, &run, 0, NULL, &made.edges));
        batch.cases[batch.count++] = made;
        const met_launch *launch = &made.program->launches[made.program->launch_count - 1];
        unsigned rescaled = 0;
        for (uint32_t r = 0; r < launch->record_count; r++)
            rescaled += launch->records[r].tree.rescale == MET_RESCALE_FLOAT &&
                launch->records[r].tree.slice == (t ? 128u >> t : 208);
        assert_int_equal(rescaled, 2); /* the sum of weights, and the contraction */
    }
    compile_batch(&batch, class->flags);
    assert_true(expect_interpreter(&batch, &batch.cases[0], 1));
    uint32_t out = settled->outputs[0].id;
    unsigned char **buffers[3];
    for (int t = 0; t < 3; t++)
        buffers[t] = run_program(&batch, &batch.cases[t], 1);
    for (int t = 1; t < 3; t++) {
        const met_program *made = batch.cases[t].program;
        uint32_t b = made->buffer_of[out];
        assert_memory_not_equal(buffers[t][b], buffers[t - 1][b], made->buffers[b].bytes);
    }
    for (int t = 0; t < 3; t++)
        free_buffers(batch.cases[t].program, buffers[t]);
    close_batch(&batch);
    met_session_free(session);
}

static void avx512_f32(void **state)
{
    (void)state;
    check_class("cpu-avx512", MET_F32, MET_DIVISION_DEFAULT, MET_DOT_F32, 1);
}

static void avx2_bf16(void **state)
{
    (void)state;
    check_class("cpu-avx2", MET_BF16, MET_DIVISION_DEFAULT, MET_DOT_F32, 2);
}

static void scalar_f32(void **state)
{
    (void)state;
    check_class("cpu-scalar", MET_F32, MET_DIVISION_DEFAULT, MET_DOT_F32, 1);
}

static void avx512_pairs(void **state)
{
    (void)state;
    check_class("cpu-avx512", MET_BF16, MET_DIVISION_DEFAULT, MET_DOT_PAIRS, 2);
}

static void scalar_bf16_eager(void **state)
{
    (void)state;
    check_class("cpu-scalar", MET_BF16, MET_DIVISION_EAGER, MET_DOT_F32, 3);
}

/* An argument names the tests to run, as a pattern. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infinite_scores),
        cmocka_unit_test(float_rescaling),
        cmocka_unit_test(avx512_f32),
        cmocka_unit_test(avx2_bf16),
        cmocka_unit_test(scalar_f32),
        cmocka_unit_test(scalar_bf16_eager),
        cmocka_unit_test(avx512_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
