/* What the generator can make, as a list: every launch of every program is in it, and every point of it is reached by some
 * program, for every class. */
#include "models.h"

#include "realize/form.h"

typedef struct sample {
    const char *program, *set;
} sample;

static const sample samples[] = {
    { "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'", "q=20,x=70,d=8" },
    { "x: q d\nm = mask.causal[q x]('q d, x d -> q x'(x, @k))\n'q x, x d -> q d'(softmax[x](m), @v)", "q=20,x=70,d=8" },
    { "q: q d, k: f16[x d], v: x d\n'q x, x d -> q d'(softmax[x]('q d, x d -> q x'(q, k)), v)", "q=20,x=70,d=8" },
    { "x: n m\nlogsumexp[v](linear[m -> v](x, @w))", "n=5,m=24,v=90" },
    { "x: n m\nlinear[m -> f](rmsnorm[m](x, @gain), @w)", "n=5,m=24,f=90" },
    { "x: n m\nrmsnorm[m](x, @gain)", "n=5,m=24" },
    { "x: n m\nlogsumexp[m](x)", "n=5,m=24" },
    { "x: i32[n m]\nlogsumexp[m](cast(x, f32))", "n=5,m=24" },
    { "x: n m, w: m f\n'n m, m f -> n f'(x, w)", "n=5,m=24,f=90" },
    { "x: n m\nlinear[m -> f](x, @w)", "n=5,m=24,f=90" },
    { "x: n m\nsilu(x)", "n=5,m=24" },
    { "x: i32[n m]\nsilu(cast(x, f32))", "n=5,m=24" },
    { "x: n m\nsum[m](x)", "n=5,m=24" },
    { "x: i32[n m]\nmax[m](x)", "n=5,m=24" },
    { "x: n m, y: m k, z: k\n'n m, m k, k -> n'(x, y, z)", "n=5,m=24,k=3" },
    { "x: i32[n m], y: i32[m k], z: i32[k]\n'n m, m k, k -> n'(x, y, z)", "n=5,m=24,k=3" },
    { "x: n m\nview[n k m <- n + k, m](x)", "n=5,m=24,k=3" },
    { "x: i32[n m]\nview[n k m <- n + k, m](x)", "n=5,m=24,k=3" },
    { "x: n m\ntop_k[m -> k](x)", "n=5,m=24,k=3" },
    { "x: i32[n m]\ntop_k[m -> k](x)", "n=5,m=24,k=3" },
    { "h: d, x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, x)\n-> y", "n=5,d=24" },
    { "h: i32[d], x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, x)\n-> y", "n=5,d=24" },
    { "ids: i32[n]\nembed[v -> m](ids, @table)", "n=5,m=24,v=9" },
    { "x: i32[n m], i: i32[n]\ngather[m](x, i)", "n=5,m=24" },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static bool same_point(const met_form_point *a, const met_form_point *b)
{
    bool same = strcmp(a->form, b->form) == 0 && a->param_count == b->param_count;
    for (uint32_t p = 0; same && p < a->param_count; p++)
        same = strcmp(a->params[p], b->params[p]) == 0 && strcmp(a->values[p], b->values[p]) == 0;
    return same;
}

static const char *point_text(met_session *session, const met_form_point *point)
{
    met_text text = met_text_new(session->arena);
    met_text_put(&text, point->form);
    for (uint32_t p = 0; p < point->param_count; p++)
        met_text_format(&text, " %s=%s", point->params[p], point->values[p]);
    return met_text_done(&text);
}

typedef struct tally {
    met_session *session;
    const met_class *class;
    uint32_t count;
    const met_form_point *points;
    bool *reached;
} tally;

static void count_forms(tally *t, const char *name, const met_program *program)
{
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_form_point *point = met_form_of(program, l);
        uint32_t p = 0;
        while (p < t->count && !same_point(point, &t->points[p]))
            p++;
        if (p == t->count)
            fail_msg("%s: launch %u is `%s`, which is not in the list", name, (unsigned)l, point_text(t->session, point));
        t->reached[p] = true;
    }
}

static void count_ways(tally *t, const char *name, const met_circuit *circuit, const met_point *point)
{
    static const met_planner planners[] = { MET_PLANNER_NONE, MET_PLANNER_FUSED, MET_PLANNER_WHOLE };
    const met_circuit *settled = met_circuit_settle(circuit, point);
    met_realize_request request = { t->class, point };
    met_plan_options options = { t->class->l2_bytes, met_realize_accepts_at, &request };
    for (int p = 0; p < 3; p++) {
        const met_plan *plan = settled ? met_plan_make(settled, point, planners[p], &options) : NULL;
        const met_program *program = plan ? met_realize(plan, t->class, NULL) : NULL;
        if (!program)
            fail_msg("%s: %s", name, met_session_diagnostics_text(t->session));
        count_forms(t, name, program);
    }
}

static const met_circuit *circuit_of(met_session *session, const sample *s)
{
    uint32_t source = met_session_add_source(session, "test", s->program, strlen(s->program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    circuit = circuit ? met_circuit_bind(circuit, s->set) : NULL;
    if (!circuit)
        fail_msg("%s\n%s", s->program, met_session_diagnostics_text(session));
    return circuit;
}

static void count_samples(tally *t)
{
    static const met_dtype dtypes[] = { MET_F32, MET_BF16, MET_F16 };
    for (size_t s = 0; s < SAMPLES; s++) {
        for (int d = 0; d < 3; d++) {
            met_point point = met_point_of(dtypes[d]);
            const met_circuit *circuit = circuit_of(t->session, &samples[s]);
            count_ways(t, samples[s].program, circuit, &point);
            point.numerics = MET_NUMERICS_FLOAT;
            count_ways(t, samples[s].program, circuit, &point);
            point.dot = MET_DOT_PAIRS;
            count_ways(t, samples[s].program, circuit, &point);
            point.numerics = MET_NUMERICS_POW2;
            count_ways(t, samples[s].program, circuit, &point);
        }
    }
}

static void count_models(tally *t)
{
    static const char *const modes[] = { "prefill", "decode" };
    static const char config[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 1, \"vocab_size\": 40, \"rope_theta\": 10000}";
    for (int m = 0; m < 2; m++) {
        met_point point = met_point_of(MET_BF16);
        count_ways(t, modes[m], model_of(t->session, "llama", config, modes[m], m ? "c=5" : "n=6"), &point);
    }
}

static void both_ways(void **state)
{
    (void)state;
    for (size_t c = 0; c < met_class_count; c++) {
        met_session *session = met_session_new();
        tally t = { .session = session, .class = &met_class_table[c] };
        t.count = met_form_points(t.class, &t.points, session->arena);
        t.reached = met_arena_alloc(session->arena, t.count, sizeof *t.reached);
        count_samples(&t);
        count_models(&t);
        met_text missing = met_text_new(session->arena);
        for (uint32_t p = 0; p < t.count; p++)
            if (!t.reached[p])
                met_text_format(&missing, "\n  %s", point_text(session, &t.points[p]));
        if (missing.length)
            fail_msg("%s: nothing reaches%s", t.class->name, met_text_done(&missing));
        met_session_free(session);
    }
}

/* No point is listed twice. */
static void points_differ(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    const met_form_point *points;
    uint32_t count = met_form_points(&met_class_table[0], &points, arena);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_false(same_point(&points[a], &points[b]));
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(points_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
