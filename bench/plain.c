/* Compiled for the machine it is built on: see bench/CMakeLists.txt. */
#include <math.h>
#include <stdlib.h>

#include "attention.h"
#include "glue.h"

/* The vector form that comes with the C library. */
#pragma omp declare simd notinbranch
extern float expf(float);

static float dot(const float *a, const float *b, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void attend(const attention *w, size_t query, size_t head, float *weights)
{
    size_t group = head / (w->h / w->g), count = w->causal ? w->x - w->n + query + 1 : w->x;
    size_t start = attention_at(w, 0, group), step = attention_at(w, 1, 0);
    const float *q = w->q + (query * w->h + head) * w->d, *k = w->k + start, *v = w->v + start;
    float *y = w->y + (query * w->h + head) * w->d, scale = 1 / sqrtf((float)w->d), most = -INFINITY, total = 0;
    for (size_t x = 0; x < count; x++) {
        weights[x] = scale * dot(q, k + x * step, w->d);
        most = weights[x] > most ? weights[x] : most;
    }
#pragma omp simd reduction(+ : total)
    for (size_t x = 0; x < count; x++) {
        weights[x] = expf(weights[x] - most);
        total += weights[x];
    }
    for (size_t e = 0; e < w->d; e++)
        y[e] = 0;
    for (size_t x = 0; x < count; x++)
        for (size_t e = 0; e < w->d; e++)
            y[e] += weights[x] * v[x * step + e];
    for (size_t e = 0; e < w->d; e++)
        y[e] /= total;
}

static void run(void *context)
{
    const attention *w = context;
#pragma omp parallel
    {
        float *weights = malloc(w->x * sizeof *weights);
        if (!weights)
            abort();
#pragma omp for collapse(2) schedule(static)
        for (size_t query = 0; query < w->n; query++)
            for (size_t head = 0; head < w->h; head++)
                attend(w, query, head, weights);
        free(weights);
    }
}

static const char *check(void *context) { return attention_check(context); }

entrant plain_attention(attention *work)
{
    return (entrant){ .name = "dot products by head", .context = work, .run = run, .check = check };
}

/* --- What stands between matmuls --- */

void plain_rmsnorm(const glue *w)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < w->n; i++) {
        const float *x = w->x + i * w->m;
        float root = sqrtf(dot(x, x, w->m) / (float)w->m + 1e-6f);
        for (size_t l = 0; l < w->m; l++)
            w->u[i * w->m + l] = x[l] / root * w->g[l];
    }
}

void plain_gate(const glue *w)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < w->n * w->f; i++)
        w->h[i] = w->a[i] / (1 + expf(-w->a[i])) * w->b[i];
}

/* Pairs half a head apart; an angle serves all heads. */
void plain_rope(const glue *w)
{
    size_t half = w->d / 2;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < w->n; i++)
        for (size_t pair = 0; pair < half; pair++) {
            float angle = (float)i * powf(10000, -2 * (float)pair / (float)w->d), c = cosf(angle), s = sinf(angle);
            for (size_t head = 0; head < w->f; head += w->d) {
                float a = w->a[i * w->f + head + pair], b = w->a[i * w->f + head + half + pair];
                w->y[i * w->f + head + pair] = a * c - b * s;
                w->y[i * w->f + head + half + pair] = b * c + a * s;
            }
        }
}
