#include "budget/amplify.h"

#include <math.h>
#include <string.h>

#include "budget/term.h"

enum { SIGNS = 8, GAUSSIAN = 8, RANDOM = SIGNS + GAUSSIAN, SIZES = 3, ITERATIONS = 40 };

static const double sizes[SIZES] = { 0x1p-6, 0x1p-9, 0x1p-12 };
/* Of the differences that the Jacobian is made of: far above what double rounds, far below what bends. */
#define SMALL 0x1p-20
/* A Jacobian takes a run for each element: only where that is quick, in scalar operations, and small, in numbers. */
#define JACOBIAN_WORK 2e8
#define JACOBIAN_NUMBERS ((size_t)1 << 22)
#define ACCEPTED 1.2

typedef struct array {
    const double *base; /* as it was */
    double *now;        /* the run's own */
    size_t count;
    double rms;
} array;

typedef struct probe {
    const met_amplify_group *group;
    met_arena *arena;
    array in;
    array *outs;
    double **directions; /* root mean square 1 */
    double **moved;      /* by direction: the change of result 0, over its size */
} probe;

static array array_of(probe *p, uint32_t edge)
{
    met_run *run = p->group->run;
    array a = { .now = run->values[edge], .count = (size_t)run->elements[edge] };
    a.base = met_arena_copy(p->arena, a.now, a.count, sizeof *a.now);
    a.rms = met_root_mean_square(a.count, a.base);
    return a;
}

/* Runs the group's nodes; what the loops need is gone afterwards. */
static bool run_group(const met_amplify_group *group)
{
    met_run *run = group->run;
    met_arena *arena = run->arena;
    run->arena = met_arena_new();
    bool good = true;
    for (uint32_t n = group->begin; good && n < group->end; n++)
        good = met_run_node(run, &run->circuit->nodes[n]);
    met_arena_free(run->arena);
    run->arena = arena;
    return good;
}

/* The group at base + step·direction, the step relative to the root mean square. What is not finite stays. */
static bool run_at(probe *p, const double *direction, double step)
{
    for (size_t i = 0; i < p->in.count; i++)
        p->in.now[i] = isfinite(p->in.base[i]) ? p->in.base[i] + step * p->in.rms * direction[i] : p->in.base[i];
    return run_group(p->group);
}

static double moved_by(const array *out)
{
    double sum = 0;
    for (size_t i = 0; i < out->count; i++) {
        double d = isfinite(out->base[i]) ? out->now[i] - out->base[i] : 0;
        sum += d * d;
    }
    return sqrt(sum / (double)out->count);
}

/* --- Directions --- */

static bool normalize(const probe *p, double *direction)
{
    for (size_t i = 0; i < p->in.count; i++)
        direction[i] = isfinite(p->in.base[i]) ? direction[i] : 0;
    double rms = met_root_mean_square(p->in.count, direction);
    for (size_t i = 0; i < p->in.count; i++)
        direction[i] = rms > 0 ? direction[i] / rms : 0;
    return rms > 0 && isfinite(rms);
}

static void draw_directions(probe *p)
{
    p->directions = MET_NEW_ARRAY(p->arena, double *, RANDOM + 1);
    p->moved = MET_NEW_ARRAY(p->arena, double *, RANDOM);
    for (size_t d = 0; d < RANDOM; d++) {
        p->directions[d] = MET_NEW_ARRAY(p->arena, double, p->in.count);
        p->moved[d] = MET_NEW_ARRAY(p->arena, double, p->outs[0].count);
        met_fill("normal", p->group->seed, d, 0, p->in.count, p->directions[d]);
        for (size_t i = 0; d < SIGNS && i < p->in.count; i++)
            p->directions[d][i] = p->directions[d][i] < 0 ? -1 : 1;
        normalize(p, p->directions[d]);
    }
}

/* The vector that a rows × columns matrix, kept column by column, makes longest: v ← MᵀM v. */
static void power_iteration(size_t rows, size_t columns, double *const *matrix, met_arena *arena, double *v)
{
    double *u = MET_NEW_ARRAY(arena, double, rows);
    for (size_t c = 0; c < columns; c++)
        v[c] = 1 + (double)(c % 7) / 8; /* orthogonal to nothing in particular */
    for (int k = 0; k < ITERATIONS; k++) {
        double norm = 0;
        memset(u, 0, rows * sizeof *u);
        for (size_t c = 0; c < columns; c++)
            for (size_t r = 0; r < rows; r++)
                u[r] += matrix[c][r] * v[c];
        for (size_t c = 0; c < columns; c++) {
            v[c] = 0;
            for (size_t r = 0; r < rows; r++)
                v[c] += matrix[c][r] * u[r];
            norm = fmax(norm, fabs(v[c]));
        }
        for (size_t c = 0; c < columns && norm > 0; c++)
            v[c] /= norm;
    }
}

static double work_of(const met_amplify_group *group)
{
    double work = 0;
    for (uint32_t n = group->begin; n < group->end; n++)
        work += (double)met_run_node_work(group->run, &group->run->circuit->nodes[n]);
    return work;
}

static bool jacobian(probe *p, double **columns)
{
    double *direction = MET_NEW_ARRAY(p->arena, double, p->in.count);
    const array *out = &p->outs[0];
    for (size_t c = 0; c < p->in.count; c++) {
        columns[c] = MET_NEW_ARRAY(p->arena, double, out->count);
        direction[c] = 1;
        if (!run_at(p, direction, SMALL))
            return false;
        direction[c] = 0;
        for (size_t r = 0; r < out->count; r++)
            columns[c][r] = isfinite(out->base[r]) ? (out->now[r] - out->base[r]) / SMALL : 0;
    }
    return true;
}

/* Sets the last direction. False with diagnostics. */
static bool singular_direction(probe *p)
{
    size_t n = p->in.count, m = p->outs[0].count;
    double *v = MET_NEW_ARRAY(p->arena, double, n), *c = MET_NEW_ARRAY(p->arena, double, RANDOM);
    p->directions[RANDOM] = v;
    if (n <= MET_AMPLIFY_JACOBIAN && n * m <= JACOBIAN_NUMBERS && work_of(p->group) * (double)n <= JACOBIAN_WORK) {
        double **columns = MET_NEW_ARRAY(p->arena, double *, n);
        if (!jacobian(p, columns))
            return false;
        power_iteration(m, n, columns, p->arena, v);
    } else {
        power_iteration(m, RANDOM, p->moved, p->arena, c);
        for (size_t d = 0; d < RANDOM; d++)
            for (size_t i = 0; i < n; i++)
                v[i] += c[d] * p->directions[d][i];
    }
    normalize(p, v);
    return true;
}

/* --- Ratios --- */

/* By result: the ratio at the smallest size, or −1 where sizes disagree. */
static bool try_direction(probe *p, size_t d, double *ret_ratios)
{
    uint32_t count = p->group->result_count;
    double least[64], most[64];
    for (int s = 0; s < SIZES; s++) {
        if (!run_at(p, p->directions[d], sizes[s]))
            return false;
        for (uint32_t k = 0; k < count; k++) {
            double ratio = p->outs[k].rms > 0 ? moved_by(&p->outs[k]) / p->outs[k].rms / sizes[s] : 0;
            least[k] = s == 0 ? ratio : fmin(least[k], ratio);
            most[k] = s == 0 ? ratio : fmax(most[k], ratio);
            ret_ratios[k] = ratio;
        }
    }
    for (size_t i = 0; d < RANDOM && i < p->outs[0].count; i++)
        p->moved[d][i] = isfinite(p->outs[0].base[i]) ? (p->outs[0].now[i] - p->outs[0].base[i]) / sizes[SIZES - 1] : 0;
    /* what does not move at all is linear: below the last bits of double there is nothing to see */
    for (uint32_t k = 0; k < count; k++)
        if (!(most[k] <= ACCEPTED * least[k] || most[k] < 0x1p-30) || !isfinite(most[k]))
            ret_ratios[k] = -1;
    return true;
}

static met_amplification summary(const double *ratios)
{
    double kept[RANDOM + 1];
    size_t count = 0;
    met_amplification found = { .directions = RANDOM + 1 };
    for (size_t d = 0; d <= RANDOM; d++)
        if (ratios[d] >= 0)
            kept[count++] = ratios[d];
    found.rejected = RANDOM + 1 - (uint32_t)count;
    found.singular = ratios[RANDOM] >= 0 ? ratios[RANDOM] : 0;
    if (count == 0)
        return found;
    found.max = met_quantile(count, kept, 1);
    found.q99 = met_quantile(count, kept, 0.99);
    found.median = met_quantile(count, kept, 0.5);
    found.spread = found.median > 0 ? (met_quantile(count, kept, 0.75) - met_quantile(count, kept, 0.25)) / found.median : 0;
    return found;
}

static bool measure(probe *p, met_amplification *ret_found)
{
    uint32_t count = p->group->result_count;
    double *ratios = MET_NEW_ARRAY(p->arena, double, (size_t)count * (RANDOM + 1));
    double one[64];
    draw_directions(p);
    for (size_t d = 0; d <= RANDOM; d++) {
        if ((d == RANDOM && !singular_direction(p)) || !try_direction(p, d, one))
            return false;
        for (uint32_t k = 0; k < count; k++)
            ratios[k * (RANDOM + 1) + d] = one[k];
    }
    for (uint32_t k = 0; k < count; k++)
        if (p->outs[k].rms > 0)
            ret_found[k] = summary(&ratios[k * (RANDOM + 1)]);
    return true;
}

bool met_amplify(const met_amplify_group *group, met_amplification *ret_found)
{
    memset(ret_found, 0, group->result_count * sizeof *ret_found);
    if (group->result_count == 0 || group->result_count > 64)
        return true;
    probe p = { .group = group, .arena = met_arena_new() };
    p.in = array_of(&p, group->read);
    p.outs = MET_NEW_ARRAY(p.arena, array, group->result_count);
    for (uint32_t k = 0; k < group->result_count; k++)
        p.outs[k] = array_of(&p, group->results[k]);
    bool good = !(p.in.rms > 0) || measure(&p, ret_found);
    memcpy(p.in.now, p.in.base, p.in.count * sizeof *p.in.now);
    good = run_group(group) && good;
    met_arena_free(p.arena);
    return good;
}
