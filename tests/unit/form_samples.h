/* Programs by which the generator makes everything that it can: circuits, at several points, by several planners. */
#ifndef MET_TEST_FORM_SAMPLES_H
#define MET_TEST_FORM_SAMPLES_H

#include "circuits.h"

#include "plan/plan.h"
#include "realize/form.h"
#include "realize/program.h"

typedef struct form_sample {
    const char *program, *set;
} form_sample;

static const form_sample form_samples[] = {
    { "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'", "q=20,x=70,d=8" },
    { "x: q d\nm = mask.causal[q x]('q d, x d -> q x'(x, @k))\n'q x, x d -> q d'(softmax[x](m), @v)", "q=20,x=70,d=8" },
    { "q: bf16[q d], k: bf16[x d], v: x d\n'q x, x d -> q d'(softmax[x]('q d, x d -> q x'(q, k)), v)", "q=20,x=70,d=8" },
    { "x: bf16[n m], w: bf16[m v]\nsum[v]('n m, m v -> n v'(x, w))", "n=5,m=37,v=90" },
    { "x: f16[n m], w: f16[m v]\nsum[v]('n m, m v -> n v'(x, w))", "n=5,m=37,v=90" },
    { "q: q d, k: f16[x d], v: x d\n'q x, x d -> q d'(softmax[x]('q d, x d -> q x'(q, k)), v)", "q=20,x=70,d=8" },
    { "x: n m\nlogsumexp[v](linear[m -> v](x, @w))", "n=5,m=37,v=90" },
    { "x: n m\nlinear[m -> f](rmsnorm[m](x, @gain), @w)", "n=5,m=37,f=90" },
    { "x: n m\nrmsnorm[m](x, @gain)", "n=5,m=37" },
    { "x: n m\nlogsumexp[m](x)", "n=5,m=37" },
    { "x: i32[n m]\nlogsumexp[m](cast(x, f32))", "n=5,m=37" },
    { "x: n m, w: m f\n'n m, m f -> n f'(x, w)", "n=5,m=37,f=90" },
    { "x: n m\nlinear[m -> f](x, @w)", "n=5,m=37,f=90" },
    { "x: n m\nsilu(x)", "n=5,m=37" },
    { "x: i32[n m]\nsilu(cast(x, f32))", "n=5,m=37" },
    { "x: n m\nsum[m](x)", "n=5,m=37" },
    { "x: i32[n m]\nmax[m](x)", "n=5,m=37" },
    { "x: n m, y: m k, z: k\n'n m, m k, k -> n'(x, y, z)", "n=5,m=37,k=3" },
    { "x: i32[n m], y: i32[m k], z: i32[k]\n'n m, m k, k -> n'(x, y, z)", "n=5,m=37,k=3" },
    { "x: n m\nview[n k m <- n + k, m](x)", "n=5,m=37,k=3" },
    { "x: i32[n m]\nview[n k m <- n + k, m](x)", "n=5,m=37,k=3" },
    { "x: n m\ntop_k[m -> k](x)", "n=5,m=37,k=3" },
    { "x: i32[n m]\ntop_k[m -> k](x)", "n=5,m=37,k=3" },
    { "h: d, x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, x)\n-> y", "n=5,d=37" },
    { "h: i32[d], x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, x)\n-> y", "n=5,d=37" },
    { "ids: i32[n]\nembed[v -> m](ids, @table)", "n=5,m=37,v=9" },
    { "x: i32[n m], i: i32[n]\ngather[m](x, i)", "n=5,m=37" },
};
enum { FORM_SAMPLES = sizeof form_samples / sizeof *form_samples };

static inline bool same_point(const met_form_point *a, const met_form_point *b)
{
    bool same = strcmp(a->form, b->form) == 0 && a->param_count == b->param_count;
    for (uint32_t p = 0; same && p < a->param_count; p++)
        same = strcmp(a->params[p], b->params[p]) == 0 && strcmp(a->values[p], b->values[p]) == 0;
    return same;
}

static inline const char *point_text(met_session *session, const met_form_point *point)
{
    met_text text = met_text_new(session->arena);
    met_text_put(&text, point->form);
    for (uint32_t p = 0; p < point->param_count; p++)
        met_text_format(&text, " %s=%s", point->params[p], point->values[p]);
    return met_text_done(&text);
}

/* Who takes the programs. */
typedef struct form_taker {
    met_session *session;
    const met_class *class;
    void (*take)(void *context, const char *name, const met_program *program);
    void *context;
} form_taker;

static inline void each_planner(const form_taker *t, const char *name, const met_circuit *circuit, const met_point *point)
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
        t->take(t->context, name, program);
    }
}

static inline void each_sample(const form_taker *t)
{
    static const met_dtype dtypes[] = { MET_F32, MET_BF16, MET_F16 };
    for (size_t s = 0; s < FORM_SAMPLES; s++)
        for (int d = 0; d < 3; d++) {
            met_point point = met_point_of(dtypes[d]);
            const met_circuit *circuit = circuit_of(t->session, form_samples[s].program, form_samples[s].set);
            each_planner(t, form_samples[s].program, circuit, &point);
            point.numerics = MET_NUMERICS_FLOAT;
            each_planner(t, form_samples[s].program, circuit, &point);
            point.dot = MET_DOT_PAIRS;
            each_planner(t, form_samples[s].program, circuit, &point);
            point.numerics = MET_NUMERICS_POW2;
            each_planner(t, form_samples[s].program, circuit, &point);
        }
}

#endif
