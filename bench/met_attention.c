/* met on the work of attention.h: the definition of attention, and nothing else. */
#include <stdio.h>

#include "attention.h"
#include "met_case.h"

#define SCORES "s = scale('n g r d, x g d -> g r n x'(q, k), d^-0.5)\n"
#define CACHED "s = scale('n g r d, g x d -> g r n x'(q, k), d^-0.5)\n"
#define WEIGHTS "p = softmax[x](s)\n"
#define MASKED "p = softmax[x](mask.causal[n x](s))\n"

static const char *program_of(const attention *work)
{
    if (work->cache)
        return "q: n g r d, k: g x d, v: g x d\n" CACHED WEIGHTS "y = 'g r n x, g x d -> n g r d'(p, v)\n-> y\n";
    if (work->causal)
        return "q: n g r d, k: x g d, v: x g d\n" SCORES MASKED "y = 'g r n x, x g d -> n g r d'(p, v)\n-> y\n";
    return "q: n g r d, k: x g d, v: x g d\n" SCORES WEIGHTS "y = 'g r n x, x g d -> n g r d'(p, v)\n-> y\n";
}

static const char *check(void *work) { return attention_check(work); }

entrant met_attention(attention *work, const char *planner)
{
    size_t queries = work->n * work->h * work->d * sizeof(float), keys = work->x * work->g * work->d * sizeof(float);
    met_case_plan plan = {
        .name = planner ? "met, not fused" : "met", .program = program_of(work), .dtype = "f32", .planner = planner,
        .in_count = 3, .ins = { { .name = "q", .data = work->q, .bytes = queries },
                                { .name = "k", .data = work->k, .bytes = keys },
                                { .name = "v", .data = work->v, .bytes = keys } },
        .out = work->y, .out_bytes = queries, .check = check, .work = work,
    };
    snprintf(plan.sizes, sizeof plan.sizes, "n=%zu,x=%zu,g=%zu,r=%zu,d=%zu", work->n, work->x, work->g,
             work->h / work->g, work->d);
    return met_entrant(&plan);
}
