#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

attention *attention_new(attention shape)
{
    attention *work = malloc(sizeof *work);
    if (!work)
        abort();
    *work = shape;
    work->q = array_f32(shape.n * shape.h * shape.d, 1);
    work->k = array_f32(shape.x * shape.g * shape.d, 2);
    work->v = array_f32(shape.x * shape.g * shape.d, 3);
    work->y = array_new(shape.n * shape.h * shape.d * sizeof(float));
    return work;
}

size_t attention_at(const attention *work, size_t x, size_t g)
{
    return (work->cache ? g * work->x + x : x * work->g + g) * work->d;
}

void attention_free(attention *work)
{
    array_free(work->q, work->n * work->h * work->d * sizeof(float));
    array_free(work->k, work->x * work->g * work->d * sizeof(float));
    array_free(work->v, work->x * work->g * work->d * sizeof(float));
    array_free(work->y, work->n * work->h * work->d * sizeof(float));
    free(work);
}

/* Keys that query i sees. */
static size_t seen(const attention *work, size_t i) { return work->causal ? work->x - work->n + i + 1 : work->x; }

double attention_flops(const attention *work)
{
    double pairs = 0;
    for (size_t i = 0; i < work->n; i++)
        pairs += (double)seen(work, i);
    return 4 * pairs * (double)work->h * (double)work->d;
}

/* Query i, head h, in double; position e of the result, and what its summands amount to. */
static double exact(const attention *work, size_t i, size_t h, size_t e, double *weights)
{
    size_t g = h / (work->h / work->g), count = seen(work, i);
    const float *q = work->q + (i * work->h + h) * work->d;
    double most = -INFINITY, total = 0, sum = 0;
    for (size_t x = 0; x < count; x++) {
        const float *k = work->k + attention_at(work, x, g);
        double dot = 0;
        for (size_t l = 0; l < work->d; l++)
            dot += (double)q[l] * (double)k[l];
        weights[x] = dot / sqrt((double)work->d);
        most = fmax(most, weights[x]);
    }
    for (size_t x = 0; x < count; x++) {
        double weight = exp(weights[x] - most);
        total += weight;
        sum += weight * (double)work->v[attention_at(work, x, g) + e];
    }
    return sum / total;
}

/* Values lie within 1/2 and scores within d/4 · d^-1/2, so in f32: scores are wrong by at most d u d/4 d^-1/2 and a rounding
 * of exp's argument, weights by that relatively and by what exp is wrong (8 u allowed), and both sums by x u: in all, half
 * of 2 (d^1.5/4 + x + 16) u. */
static double allowed(const attention *work)
{
    double d = (double)work->d;
    return (d * sqrt(d) / 4 + (double)work->x + 16) * 0x1p-24;
}

const char *attention_check(attention *work)
{
    enum { PROBES = 23 };
    static char wrong[128];
    double *weights = malloc(work->x * sizeof *weights);
    if (!weights)
        abort();
    const char *verdict = NULL;
    for (size_t p = 0; p < PROBES && !verdict; p++) {
        size_t i = p * (work->n - 1) / (PROBES - 1), h = p % work->h, e = p * 37 % work->d;
        double want = exact(work, i, h, e, weights), got = (double)work->y[(i * work->h + h) * work->d + e];
        if (!(fabs(got - want) <= allowed(work))) {
            snprintf(wrong, sizeof wrong, "at query %zu, head %zu, %zu: %g, not %g", i, h, e, got, want);
            verdict = wrong;
        }
    }
    free(weights);
    memset(work->y, 0xff, work->n * work->h * work->d * sizeof(float));
    return verdict;
}
