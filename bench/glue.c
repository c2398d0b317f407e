#include "glue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "met_case.h"

/* The norm's eps, the rotary base: the defaults of the language. */
static const double eps = 1e-6, base = 10000;

static size_t out_count(const glue *w) { return w->n * (w->rotary ? w->f : w->m); }

glue *glue_new(size_t n, size_t m, size_t f, size_t d, bool rotary)
{
    glue *w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = (glue){ .n = n, .m = m, .f = f, .d = d, .rotary = rotary, .x = array_f32(n * m, 1), .g = array_f32(m, 2),
                 .gate = array_f32(f * m, 3), .u = array_new(n * m * sizeof(float)), .a = array_new(n * f * sizeof(float)) };
    if (!rotary) {
        w->up = array_f32(f * m, 4);
        w->down = array_f32(m * f, 5);
        w->b = array_new(n * f * sizeof(float));
        w->h = array_new(n * f * sizeof(float));
    }
    w->y = array_new(out_count(w) * sizeof(float));
    return w;
}

void glue_free(glue *w)
{
    size_t rows = w->n * w->f * sizeof(float), weights = w->f * w->m * sizeof(float);
    array_free(w->x, w->n * w->m * sizeof(float));
    array_free(w->g, w->m * sizeof(float));
    array_free(w->gate, weights);
    array_free(w->up, weights);
    array_free(w->down, weights);
    array_free(w->u, w->n * w->m * sizeof(float));
    array_free(w->a, rows);
    array_free(w->b, rows);
    array_free(w->h, rows);
    array_free(w->y, out_count(w) * sizeof(float));
    free(w);
}

double glue_flops(const glue *w) { return 2.0 * (double)w->n * (double)w->m * (double)w->f * (w->rotary ? 1 : 3); }

/* --- Whether the result is right: the value in double, and how wrong f32 may be. Bounds are to first order in u = 2^-24,
 * for sums in any order (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). --- */

typedef struct bounded {
    double value, error;
} bounded;

static const double u = 0x1p-24;

/* Row i of the norm: wrong by (m/2 + 4) u of each value, for the sum of squares, root, quotient and gain. */
static void exact_norm(const glue *w, size_t i, double *row)
{
    double squares = 0;
    for (size_t l = 0; l < w->m; l++)
        squares += (double)w->x[i * w->m + l] * (double)w->x[i * w->m + l];
    for (size_t l = 0; l < w->m; l++)
        row[l] = (double)w->x[i * w->m + l] / sqrt(squares / (double)w->m + eps) * (double)w->g[l];
}

static bounded exact_dot(const glue *w, const double *row, const float *weights)
{
    double sum = 0, magnitude = 0;
    for (size_t l = 0; l < w->m; l++) {
        sum += row[l] * (double)weights[l];
        magnitude += fabs(row[l] * (double)weights[l]);
    }
    return (bounded){ sum, (1.5 * (double)w->m + 5) * u * magnitude };
}

/* silu(a) = a / (1 + exp(-a)) changes by at most 1.1 times what a does, and is computed within 8 u of itself. */
static bounded exact_gate(bounded a, bounded b)
{
    double s = a.value / (1 + exp(-a.value)), wrong = 1.1 * a.error + 8 * u * fabs(s);
    return (bounded){ s * b.value, fabs(b.value) * wrong + fabs(s) * b.error + u * fabs(s * b.value) };
}

static bounded exact_down(const glue *w, const bounded *h, size_t j)
{
    bounded sum = { 0 };
    for (size_t l = 0; l < w->f; l++) {
        double weight = (double)w->down[j * w->f + l];
        sum.value += h[l].value * weight;
        sum.error += fabs(weight) * (h[l].error + ((double)w->f + 1) * u * fabs(h[l].value));
    }
    return sum;
}

/* Position j of row i: pairs of one head stand half a head apart, and turn by i · base^(-2p/d). The angle in f32 may be wrong
 * by 4 u of itself. */
static bounded exact_rope(const glue *w, const double *row, size_t i, size_t j)
{
    size_t half = w->d / 2, place = j % w->d, pair = place % half, first = j - place + pair;
    double angle = (double)i * pow(base, -2.0 * (double)pair / (double)w->d);
    bounded a = exact_dot(w, row, w->gate + first * w->m), b = exact_dot(w, row, w->gate + (first + half) * w->m);
    double value = place < half ? a.value * cos(angle) - b.value * sin(angle) : b.value * cos(angle) + a.value * sin(angle);
    return (bounded){ value, a.error + b.error + (4 * angle + 4) * u * (fabs(a.value) + fabs(b.value)) };
}

static const char *check(void *context)
{
    glue *w = context;
    enum { PROBES = 16 };
    static char wrong[96];
    const char *verdict = NULL;
    double *row = malloc(w->m * sizeof *row);
    bounded *h = malloc(w->f * sizeof *h);
    if (!row || !h)
        abort();
    for (size_t i = 0; i < w->n && !verdict; i += w->n > 1 ? w->n - 1 : 1) {
        exact_norm(w, i, row);
        for (size_t l = 0; !w->rotary && l < w->f; l++)
            h[l] = exact_gate(exact_dot(w, row, w->gate + l * w->m), exact_dot(w, row, w->up + l * w->m));
        size_t width = w->rotary ? w->f : w->m;
        for (size_t p = 0; p < PROBES && !verdict; p++) {
            size_t j = (p * 7919 + 13) % width;
            bounded want = w->rotary ? exact_rope(w, row, i, j) : exact_down(w, h, j);
            double got = (double)w->y[i * width + j];
            if (!(fabs(got - want.value) <= 1.01 * want.error)) {
                snprintf(wrong, sizeof wrong, "at row %zu, column %zu: %g, not %g", i, j, got, want.value);
                verdict = wrong;
            }
        }
    }
    free(row);
    free(h);
    memset(w->y, 0xff, out_count(w) * sizeof(float));
    return verdict;
}

/* --- Entrants --- */

entrant met_glue(glue *w, const char *planner)
{
    size_t weights = w->f * w->m * sizeof(float);
    met_case_plan plan = {
        .name = planner ? "met, not fused" : "met", .dtype = "f32", .planner = planner, .in_count = w->rotary ? 3 : 5,
        .program = w->rotary ? "x: n m\ny = rope[n h d; n d](linear[m -> h d](rmsnorm[m](x, @g), @gate))\n-> y\n"
                             : "x: n m\nu = rmsnorm[m](x, @g)\n"
                               "y = linear[f -> m](mul(silu(linear[m -> f](u, @gate)), linear[m -> f](u, @up)), @down)\n-> y\n",
        .ins = { { .name = "x", .data = w->x, .bytes = w->n * w->m * sizeof(float) },
                 { .name = "g", .data = w->g, .bytes = w->m * sizeof(float) },
                 { .name = "gate", .data = w->gate, .bytes = weights },
                 { .name = "up", .data = w->up, .bytes = weights },
                 { .name = "down", .data = w->down, .bytes = weights } },
        .out = w->y, .out_bytes = out_count(w) * sizeof(float), .check = check, .work = w,
    };
    if (w->rotary)
        snprintf(plan.sizes, sizeof plan.sizes, "n=%zu,m=%zu,h=%zu,d=%zu", w->n, w->m, w->f / w->d, w->d);
    else
        snprintf(plan.sizes, sizeof plan.sizes, "n=%zu,m=%zu,f=%zu", w->n, w->m, w->f);
    return met_entrant(&plan);
}

typedef struct glued {
    glue *work;
    void *weights[3];
    matmul parts[3];
    entrant matmuls[3];
    size_t count;
} glued;

static const char *prepare(void *context, unsigned threads)
{
    glued *g = context;
    const char *why = NULL;
    for (size_t i = 0; i < g->count && !why; i++)
        why = g->matmuls[i].absent ? g->matmuls[i].absent : g->matmuls[i].prepare(g->matmuls[i].context, threads);
    return why;
}

static void run(void *context)
{
    glued *g = context;
    plain_rmsnorm(g->work);
    g->matmuls[0].run(g->matmuls[0].context);
    if (g->work->rotary) {
        plain_rope(g->work);
        return;
    }
    g->matmuls[1].run(g->matmuls[1].context);
    plain_gate(g->work);
    g->matmuls[2].run(g->matmuls[2].context);
}

static const char *check_glued(void *context) { return check(((glued *)context)->work); }

static void close_glued(entrant *e)
{
    glued *g = e->context;
    for (size_t i = 0; i < g->count; i++)
        if (g->matmuls[i].close)
            g->matmuls[i].close(&g->matmuls[i]);
    free(g);
}

entrant peer_glue(glue *w)
{
    glued *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->work = w;
    g->count = w->rotary ? 1 : 3;
    float *weights[] = { w->gate, w->up, w->down }, *from[] = { w->u, w->u, w->h }, *to[] = { w->a, w->b, w->y };
    for (size_t i = 0; i < g->count; i++) {
        g->weights[i] = weights[i];
        g->parts[i] = (matmul){ .m = w->n, .k = i == 2 ? w->f : w->m, .n = i == 2 ? w->m : w->f,
                                .outputs_first = true, .copies = 1, .x = from[i], .w = &g->weights[i], .y = to[i] };
        g->matmuls[i] = peer_onednn(&g->parts[i], true);
    }
    return (entrant){ .name = "oneDNN and loops", .context = g, .run = run, .prepare = prepare, .check = check_glued,
                      .close = close_glued };
}
