/* What one state does with a further position, and how two of its values come together: the laws of theory that tests are
 * about. A base that is still the unit of its extremum has seen nothing: sums relative to it are 0, and no difference of
 * infinities is formed. */
#include <math.h>
#include <string.h>

#include "derive/evaluate_parts.h"

static double number_of(const met_stream_run *run, const double *states, uint32_t state)
{
    const met_stream_state *s = &run->term->states[state];
    return states[run->offsets[state] + met_points_offset(&run->points, s->loops)];
}

/* delta(old, new) */
static double moved(const met_stream_run *run, const met_stream_state *s, double value, double old, double new)
{
    if (value == 0 || isinf(old))
        return 0;
    const double *arrays[2] = { &old, &new };
    met_loops loops[2] = { 0, 0 };
    met_points points = run->points;
    points.arrays = arrays;
    points.loops = loops;
    return value * met_points_eval(&points, s->delta);
}

/* Σ_j C(p, j)·d^(p-j)·T_j */
static double shifted(const met_stream_run *run, uint32_t state, const double *states, double d)
{
    const met_stream_state *s = &run->term->states[state];
    double sum = number_of(run, states, state), binomial = 1, power = 1;
    for (uint32_t j = s->power; j-- > 0;) {
        binomial = binomial * (j + 1) / (s->power - j);
        power *= d;
        if (s->lower[j] != MET_NONE)
            sum += binomial * power * number_of(run, states, s->lower[j]);
    }
    return sum;
}

static met_loops inner_loops(const met_stream_run *run, const met_stream_value *value)
{
    return value->reduced & ~run->stream;
}

static double mean_step(met_stream_run *run, const met_stream_state *s, double before, const double *now)
{
    const met_stream_value *value = &run->term->values[s->value];
    double count = number_of(run, now, s->count);
    double terms = count - number_of(run, run->old, s->count);
    double sum = met_points_fold(&run->points, MET_MONOID_ADD, inner_loops(run, value), value->e, value->live);
    return count > 0 ? before + (sum - terms * before) / count : 0;
}

double met_state_step(met_stream_run *run, uint32_t state, const double *now)
{
    const met_stream_state *s = &run->term->states[state];
    const met_stream_value *value = &run->term->values[s->value];
    met_loops reduced = inner_loops(run, value);
    double before = number_of(run, run->old, state);
    if (s->kind == MET_STATE_COUNT)
        return before + met_points_fold(&run->points, MET_MONOID_ADD, reduced, met_scalar_number(run->arena, 1), value->live);
    if (s->kind == MET_STATE_MEAN)
        return mean_step(run, s, before, now);
    if (s->kind == MET_STATE_REBASED && isinf(number_of(run, now, s->base)))
        return 0;
    run->points.before = before;
    met_monoid monoid = met_region_fold_table[value->fold].monoid;
    double term = met_points_fold(&run->points, monoid, reduced, value->e, value->live);
    switch (s->kind) {
    case MET_STATE_PLAIN:
        return met_monoid_step(monoid, before, term);
    case MET_STATE_REBASED:
        return moved(run, s, before, number_of(run, run->old, s->base), number_of(run, now, s->base)) + term;
    case MET_STATE_CENTRED:
        return shifted(run, state, run->old, number_of(run, run->old, s->base) - number_of(run, now, s->base)) + term;
    case MET_STATE_SCAN:
        return before * met_points_eval(&run->points, s->decay) + term;
    default:
        return term;
    }
}

double met_state_join(met_stream_run *run, uint32_t state, const double *left, const double *right, const double *now)
{
    const met_stream_state *s = &run->term->states[state];
    const met_stream_value *value = &run->term->values[s->value];
    double a = number_of(run, left, state), b = number_of(run, right, state);
    switch (s->kind) {
    case MET_STATE_REBASED:
        return moved(run, s, a, number_of(run, left, s->base), number_of(run, now, s->base)) +
               moved(run, s, b, number_of(run, right, s->base), number_of(run, now, s->base));
    case MET_STATE_COUNT:
        return a + b;
    case MET_STATE_MEAN: {
        double of_b = number_of(run, right, s->count), of_all = number_of(run, left, s->count) + of_b;
        return of_all > 0 ? a + (b - a) * (of_b / of_all) : 0;
    }
    case MET_STATE_CENTRED:
        return shifted(run, state, left, number_of(run, left, s->base) - number_of(run, now, s->base)) +
               shifted(run, state, right, number_of(run, right, s->base) - number_of(run, now, s->base));
    case MET_STATE_SCAN:
        return a * number_of(run, right, s->base) + b;
    default:
        return met_monoid_step(met_region_fold_table[value->fold].monoid, a, b);
    }
}

/* --- Slots: pairs of value and index, the largest first, ties to the lower index --- */

uint64_t met_slots_count(const met_stream_run *run, const met_stream_state *state)
{
    uint64_t n = 1;
    for (uint32_t i = 0; state->slots && i < run->points.loop_count; i++)
        if (met_dim_equal(state->slots, run->term->region->loops[i].size))
            n = run->points.sizes[i];
    return n;
}

void met_slots_insert(double *slots, uint64_t count, double value, double index)
{
    uint64_t at = 0;
    while (at < count && slots[2 * at + 1] >= 0 && (slots[2 * at] > value || (slots[2 * at] == value && slots[2 * at + 1] < index)))
        at++;
    if (at == count)
        return;
    memmove(slots + 2 * (at + 1), slots + 2 * at, (size_t)(count - at - 1) * 2 * sizeof *slots);
    slots[2 * at] = value;
    slots[2 * at + 1] = index;
}

void met_slots_fill(met_stream_run *run, uint32_t state, const double *from)
{
    const met_stream_state *s = &run->term->states[state];
    const met_stream_value *value = &run->term->values[s->value];
    uint64_t slots = met_slots_count(run, s);
    met_loops loops = run->points.loops[s->value];
    size_t k = 0;
    do {
        uint64_t slot = met_points_offset(&run->points, value->slot_loop);
        const double *pair = from + run->offsets[state] + 2 * (slots * met_points_offset(&run->points, s->loops) + slot);
        run->buffers[s->value][k++] = pair[value->fold == MET_REGION_ARGMAX];
    } while (met_points_next(&run->points, loops));
}
