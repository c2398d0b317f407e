/* Single nodes as kernels: every op of the vocabulary and the nodes of random circuits, compiled and compared with the
 * interpreter bit for bit. */
#include "compiled.h"
#include "support/random.h"

/* One program an op at least; sizes are ragged on purpose. */
static const char *const programs[] = {
    "a: q d, b: d f\n'q d, d f -> q f'(a, b)",
    "a: q d, b: d f\n'q d, d f -> q f'(a, b, semiring=max_plus)",
    "a: q d, b: d f\n'q d, d f -> q f'(a, b, semiring=max_times)",
    "a: q d, b: d f\n'q d, d f -> q f'(a, b, semiring=or_and)",
    "a: q d\n'q d -> d q'(a)",
    "a: q d\n'q d -> q'(a)",
    "a: q d, b: d, c: q\n'q d, d, q -> q'(a, b, c)",
    "x: n m\nlinear[m -> f](x, @w, @b)",
    "x: n\nexp(x)", "x: n\nexp2(x)", "x: n\nlog(abs(x))", "x: n\nsqrt(abs(x))", "x: n\nrsqrt(abs(x))", "x: n\nneg(x)",
    "x: n\nrecip(x)", "x: n\nsquare(x)", "x: n\nsin(x)", "x: n\ncos(x)", "x: n\nerf(x)", "x: n\nrelu(x)",
    "x: n\nrelu2(x)", "x: n\nsigmoid(x)", "x: n\nsilu(x)", "x: n\ngelu(x)", "x: n\ngelu_tanh(x)", "x: n\ntanh(x)",
    "x: n\nsoftcap(x, 2)", "x: n\nscale(x, n^-1)", "x: n\ncast(x, format=f16)", "x: n, y: n\nadd(x, y)",
    "x: n m, y: m\nadd['a b, b -> a b'](x, y)", "x: n, y: n\nsub(x, y)", "x: n, y: n\ndiv(x, y)",
    "x: n, y: n\npow(abs(x), y)", "x: n, y: n\nmaximum(x, y)", "x: n, y: n\nminimum(x, y)",
    "x: n m, y: n\nmap['a b, a -> a b'](x, y, { select(a < b && i_b <= i_a || a == 0, (a - b)*i_b + a, -b) })",
    "x: n m\nfold['a b -> a'](x, { a*i_b })", "x: n m\nfold['a b -> a'](x, { a*a })",
    "x: n m\nfold['a b -> a'](x, { abs(a) }, with=min)", "x: n m\nsum[m](x)", "x: n m\nsum[n m](x)",
    "x: n m\nmax[m](x)", "x: n m\nmin[m](x)", "x: n m\nprod[m](x)", "x: n m\nany[m](map['a b -> a b'](x, { floor(a) }))", "x: n m\nmean[m](x)",
    "x: n m\nlogsumexp[m](x)", "x: n m\nsoftmax[m](x)", "x: n m\nl1norm[m](x)", "x: n m\nl2norm[m](x)",
    "x: n m\nmaxnorm[m](x)", "x: n m\nrmsnorm[m](x, @g)", "x: n m\nlayernorm[m](x, @g, @b)",
    "x: n m\nsum[m](mask[n m](x, keep = { i_m <= i_n && i_m >= 1 }))", "x: n m\nsoftmax[m](mask.causal[n m](x))",
    "x: n m\nmax[m](mask.window[n m](x, 2))", "x: n m, l: i32[n]\nmax[m](mask.padding[n m](x, l))",
    "x: n m, l: i32[n]\nmask.padding[n m](x, l)", "x: n d\nrope[n d](x)", "x: n d\nrope[n d](x, style=interleaved)",
    "ids: i32[n]\nembed[v -> m](ids, @table)", "x: n m, i: i32[n]\ngather[m](x, i)",
    "x: n b, y: n m, z: n d\nconcat[k](x, y, z)", "x: q m\nu, v = split[m -> c=1, e=18](x)\n-> v",
    "x: m\nview[s=7 <- 2*s](x)", "x: m\nview[s=25 <- s - 1](x)", "x: m\nview[w=9 k=3 <- 2*w + k](x)",
    "x: m\nview[s=19 <- 18 - s](x)", "state x: n\ny: m\nkv_append[k](x, y)", "x: n m\ntop_k[m -> k=3](x)",
    "x: n m\nv, i = top_k[m -> k=8](mask.causal[n m](x))\n-> v, i", "x: n m\nargmax[m](x)",
    "x: n m, i: i32[n]\ncross_entropy[m](x, i)", "x: n b d\nv, i = top_k[b d -> k=5](x)\n-> i",
    "x: n v\nrouter[v -> k=3](x)", "x: n v\np, i = router[v -> k=3](x, @bias, scores=sigmoid, renormalize=yes, scale=2.5)\n-> p, i",
    "x: n d b\np, i = router[d b -> k=3](x, @bias, scores=sigmoid, top_groups=2, group_score=best_two)\n-> p, i",
    "x: n d b\np, i = router[d b -> k=3](x, top_groups=2, renormalize=yes)\n-> p, i",
    "x: n m, i: i32[n b]\ndispatch['n m, n b -> n b m'](x, i)",
    "x: n m, i: i32[n b]\nexpert['n m, n b, v f m -> n b f'](x, i, @w)",
    "x: n b m, i: i32[n b]\nexpert['n b m, n b, v f m -> n f'](x, i, @w)", /* an id a slot, and slots are folded */
    "x: n m, i: i32[m]\nexpert['n m, m, v f -> n f'](x, i, @w)",           /* an id a term */
    "x: n m, i: i32[n]\nexpert['n m, n, m v -> n m'](x, i, @w)",           /* nothing is folded */
    "x: n m, i: i32[n]\nexpert['n m, n, v f m -> n f'](mask[n m](x, keep = { i_m <= i_n }), i, @w)",
    "y: n b m, p: n b\ncombine['n b m, n b -> n m'](y, p)",
};

static const char sizes[] = "q=5,d=6,f=3,n=13,m=19,v=7,b=2";

/* The case of a program at a dtype, filled; false if kernels do not hold one of its formats. */
static bool add_case(kernel_batch *batch, met_session *session, const met_circuit *circuit, met_dtype dtype, met_dot dot,
                     const char *fill, const char *name)
{
    met_point point = met_point_of(dtype);
    point.dot = dot;
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    assert_non_null(settled);
    const met_plan *plan = met_plan_make(settled, &point, MET_PLANNER_NONE, NULL);
    assert_non_null(plan);
    const met_program *program = met_realize(plan, NULL, NULL);
    if (!program) {
        bool format = strstr(met_session_diagnostics_text(session), "which kernels do not hold") != NULL;
        if (!format)
            fail_msg("%s\n%s", name, met_session_diagnostics_text(session));
        return false;
    }
    kernel_case c = { .name = name, .program = program };
    met_eval_options options = { .fill = fill, .seed = batch->count };
    if (!met_eval_settled(settled, &point, NULL, &options, 0, NULL, &c.edges))
        fail_msg("%s\n%s", name, met_session_diagnostics_text(session));
    assert_true(batch->count < KERNEL_CASES);
    batch->cases[batch->count++] = c;
    return true;
}

/* Those of the sizes that the circuit has free. */
static const char *bound(const met_circuit *circuit, char *set, size_t room)
{
    size_t length = 0;
    set[0] = 0;
    for (const char *s = sizes; *s;) {
        size_t item = strcspn(s, ",");
        for (uint32_t k = 0; k < circuit->symbol_count; k++) {
            met_str label = met_sym_str(circuit->session, circuit->symbols[k].label);
            bool own = !circuit->symbols[k].value && label.length == 1 && label.at[0] == s[0];
            if (own && length + item + 2 < room) {
                length += (size_t)snprintf(set + length, room - length, "%s%.*s", length ? "," : "", (int)item, s);
                break;
            }
        }
        s += item + (s[item] == ',');
    }
    return set;
}

static const met_circuit *ready(met_session *session, const char *program)
{
    char set[128];
    const met_circuit *circuit = circuit_of(session, program, "");
    bound(circuit, set, sizeof set);
    return *set ? met_circuit_bind(circuit, set) : circuit;
}

static void every_op(void **state)
{
    (void)state;
    static kernel_batch batch;
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const met_circuit *circuit = ready(session, programs[k]);
        assert_true(add_case(&batch, session, circuit, MET_F32, MET_DOT_F32, "normal", programs[k]));
        if (strstr(programs[k], "'q d, d f -> q f'(a, b)") || strstr(programs[k], "linear"))
            assert_true(add_case(&batch, session, circuit, MET_BF16, MET_DOT_PAIRS, "normal", programs[k]));
        if (k % 4 == 0)
            assert_true(add_case(&batch, session, circuit, k % 8 ? MET_BF16 : MET_F16, MET_DOT_F32, "wave", programs[k]));
    }
    compile_batch(&batch, "");
    for (size_t k = 0; k < batch.count; k++)
        expect_interpreter(&batch, &batch.cases[k], 1 + (int64_t)k % 3);
    close_batch(&batch);
    met_session_free(session);
}

static void random_circuits(void **state)
{
    (void)state;
    static kernel_batch batch;
    static char text[32768];
    met_session *session = met_session_new();
    unsigned made = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_equations(seed, 6, text, sizeof text);
        const char *name = met_arena_text(session->arena, text, strlen(text));
        const met_circuit *circuit = circuit_of(session, name, "");
        const char *set = random_sizes_of(circuit);
        made += add_case(&batch, session, *set ? met_circuit_bind(circuit, set) : circuit, MET_F32, MET_DOT_F32, "normal", name);
    }
    assert_true(made > 20);
    compile_batch(&batch, "");
    for (size_t k = 0; k < batch.count; k++)
        expect_interpreter(&batch, &batch.cases[k], 2);
    close_batch(&batch);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op),
        cmocka_unit_test(random_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
