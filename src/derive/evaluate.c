/* Runs of stream terms: the order of things. What one state does is in evaluate_state.c. */
#include "derive/evaluate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "derive/evaluate_parts.h"

uint64_t met_points_count(const met_points *points, met_loops loops)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < points->loop_count; i++)
        if (loops >> i & 1)
            count *= points->sizes[i];
    return count;
}

uint64_t met_points_offset(const met_points *points, met_loops loops)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < points->loop_count; i++)
        if (loops >> i & 1)
            offset = offset * points->sizes[i] + points->at[i];
    return offset;
}

bool met_points_next(met_points *points, met_loops loops)
{
    for (uint32_t i = points->loop_count; i-- > 0;) {
        if (!(loops >> i & 1))
            continue;
        if (++points->at[i] < points->sizes[i])
            return true;
        points->at[i] = 0;
    }
    return false;
}

double met_points_eval(const met_points *points, const met_scalar *e)
{
    double of[3] = { 0, 0, 0 };
    uint64_t size;
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
        return e->number;
    case MET_SCALAR_INPUT:
        if (e->input == MET_REGION_STATE)
            return points->before;
        return points->arrays[e->input][met_points_offset(points, points->loops[e->input])];
    case MET_SCALAR_INDEX:
        return (double)points->at[e->index];
    case MET_SCALAR_SIZE: /* of a text: the product of loops' sizes; symbols are loops */
        size = 0;
        for (uint32_t i = 0; i < e->size->term_count; i++) {
            uint64_t product = e->size->terms[i].coefficient;
            for (uint32_t k = 0; k < e->size->terms[i].factor_count; k++)
                for (uint32_t n = 0; n < e->size->terms[i].factors[k].power; n++)
                    product *= points->sizes[e->size->terms[i].factors[k].symbol.id];
            size += product;
        }
        return (double)size;
    case MET_SCALAR_CALL:
        break;
    }
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            of[i] = met_points_eval(points, e->arguments[i]);
    return met_scalar_fn_apply(e->fn, of[0], of[1], of[2]);
}

bool met_points_live(const met_points *points, const met_scalar *live)
{
    return !live || met_points_eval(points, live) != 0;
}

double met_points_fold(met_points *points, met_monoid monoid, met_loops reduced, const met_scalar *e, const met_scalar *live)
{
    if (monoid == MET_MONOID_NONE)
        return met_points_eval(points, e);
    double folded = met_monoid_unit(monoid);
    do
        if (met_points_live(points, live))
            folded = met_monoid_step(monoid, folded, met_points_eval(points, e));
    while (met_points_next(points, reduced));
    return folded;
}

/* Elements above number `index` in falling order. */
static uint64_t rank_of(met_points *points, const met_pick *pick, uint64_t index, double value)
{
    uint64_t above = 0, at = 0;
    do {
        double other = met_points_live(points, pick->live) ? met_points_eval(points, pick->e) : NAN;
        above += other > value || (other == value && at < index);
        at++;
    } while (met_points_next(points, pick->reduced));
    return above;
}

void met_points_pick(met_points *points, const met_pick *pick, double *ret_values)
{
    size_t k = 0;
    do {
        uint64_t slot = met_points_offset(points, pick->slot_loop), index = 0;
        double found = pick->index ? -1 : -INFINITY;
        met_points there = *points; /* its own position along what is folded */
        do {
            double value = met_points_live(&there, pick->live) ? met_points_eval(&there, pick->e) : NAN;
            if (!isnan(value) && rank_of(points, pick, index, value) == slot)
                found = pick->index ? (double)index : value;
            index++;
        } while (met_points_next(&there, pick->reduced));
        ret_values[k++] = found;
    } while (met_points_next(points, pick->loops));
}

static met_loops stream_of(const met_stream_term *term)
{
    return (met_loops)1 << term->stream;
}

static size_t numbers_of(const met_stream_run *run, uint32_t state)
{
    const met_stream_state *s = &run->term->states[state];
    size_t count = (size_t)met_points_count(&run->points, s->loops);
    return s->kind == MET_STATE_SLOTS ? 2 * count * (size_t)met_slots_count(run, s) : count;
}

met_stream_run *met_stream_run_new(met_arena *arena, const met_stream_term *term, const uint64_t *sizes, const double *const *inputs)
{
    assert(term->streams);
    met_stream_run *run = MET_NEW(arena, met_stream_run);
    *run = (met_stream_run){ .arena = arena, .term = term, .stream = stream_of(term) };
    run->points = (met_points){ .loop_count = term->region->loop_count, .sizes = sizes };
    run->points.loops = MET_NEW_ARRAY(arena, met_loops, term->value_count);
    run->points.arrays = MET_NEW_ARRAY(arena, const double *, term->value_count);
    run->buffers = MET_NEW_ARRAY(arena, double *, term->value_count);
    for (uint32_t i = 0; i < term->value_count; i++) {
        const met_stream_value *value = &term->values[i];
        bool input = value->phase == MET_STREAM_INPUT;
        run->points.loops[i] = input ? value->loops : value->loops & ~run->stream;
        if (!input)
            run->buffers[i] = MET_NEW_ARRAY(arena, double, (size_t)met_points_count(&run->points, run->points.loops[i]));
        run->points.arrays[i] = input ? inputs[value->origin] : run->buffers[i];
    }
    run->offsets = MET_NEW_ARRAY(arena, size_t, term->state_count);
    for (uint32_t i = 0; i < term->state_count; i++) {
        run->offsets[i] = run->numbers;
        run->numbers += numbers_of(run, i);
    }
    run->old = MET_NEW_ARRAY(arena, double, run->numbers);
    run->merged = MET_NEW_ARRAY(arena, double, run->numbers);
    return run;
}

size_t met_stream_run_numbers(const met_stream_run *run)
{
    return run->numbers;
}

size_t met_stream_run_offset(const met_stream_run *run, uint32_t state)
{
    return run->offsets[state];
}

static double unit_of(const met_stream_run *run, uint32_t state)
{
    const met_stream_state *s = &run->term->states[state];
    met_monoid monoid = met_region_fold_table[run->term->values[s->value].fold].monoid;
    return s->kind == MET_STATE_PLAIN && monoid != MET_MONOID_NONE ? met_monoid_unit(monoid) : 0;
}

void met_stream_run_begin(const met_stream_run *run, double *state)
{
    for (uint32_t i = 0; i < run->term->state_count; i++)
        for (size_t k = 0; k < numbers_of(run, i); k++)
            state[run->offsets[i] + k] = run->term->states[i].kind != MET_STATE_SLOTS ? unit_of(run, i) : k % 2 ? -1 : -INFINITY;
}

static void compute(met_stream_run *run, uint32_t value)
{
    const met_stream_value *v = &run->term->values[value];
    size_t k = 0;
    if (v->fold == MET_REGION_TOP_K || v->fold == MET_REGION_ARGMAX) {
        met_pick pick = { run->points.loops[value], v->reduced, v->slot_loop, v->e, v->live, v->fold == MET_REGION_ARGMAX };
        met_points_pick(&run->points, &pick, run->buffers[value]);
        return;
    }
    do
        run->buffers[value][k++] = met_points_fold(&run->points, met_region_fold_table[v->fold].monoid, v->reduced, v->e, v->live);
    while (met_points_next(&run->points, run->points.loops[value]));
}

/* The array that formulas read for a state. */
static void show(met_stream_run *run, uint32_t state, const double *from)
{
    const met_stream_state *s = &run->term->states[state];
    if (s->kind == MET_STATE_SLOTS)
        met_slots_fill(run, state, from);
    else
        memcpy(run->buffers[s->value], from + run->offsets[state], numbers_of(run, state) * sizeof(double));
}

static void step(met_stream_run *run, uint32_t state, double *now)
{
    const met_stream_state *s = &run->term->states[state];
    double *at = now + run->offsets[state];
    do {
        if (s->kind == MET_STATE_SLOTS) {
            uint64_t slots = met_slots_count(run, s);
            double *own = at + 2 * slots * met_points_offset(&run->points, s->loops);
            const met_stream_value *value = &run->term->values[s->value];
            if (met_points_live(&run->points, value->live))
                met_slots_insert(own, slots, met_points_eval(&run->points, value->e), (double)run->points.at[run->term->stream]);
        } else {
            at[met_points_offset(&run->points, s->loops)] = met_state_step(run, state, now);
        }
    } while (met_points_next(&run->points, s->loops));
    show(run, state, now);
}

static void compute_phase(met_stream_run *run, met_stream_phase phase)
{
    for (uint32_t i = 0; i < run->term->value_count; i++)
        if (run->term->values[i].phase == phase)
            compute(run, i);
}

void met_stream_run_push(met_stream_run *run, double *state, uint64_t begin, uint64_t end)
{
    const met_stream_term *term = run->term;
    compute_phase(run, MET_STREAM_HEAD);
    for (uint64_t x = begin; x < end; x++) {
        run->points.at[term->stream] = x;
        memcpy(run->old, state, run->numbers * sizeof(double));
        for (uint32_t i = 0, s = 0; i < term->value_count; i++) {
            if (term->values[i].phase == MET_STREAM_BODY)
                compute(run, i);
            else if (term->values[i].phase == MET_STREAM_STATE)
                step(run, s++, state);
        }
    }
    run->points.at[term->stream] = 0;
}

static void join_slots(const met_stream_run *run, const met_stream_state *s, double *left, const double *right)
{
    uint64_t slots = met_slots_count(run, s);
    for (uint64_t row = 0; row < met_points_count(&run->points, s->loops); row++)
        for (uint64_t k = 0; k < slots; k++)
            if (right[2 * (row * slots + k) + 1] >= 0)
                met_slots_insert(left + 2 * row * slots, slots, right[2 * (row * slots + k)], right[2 * (row * slots + k) + 1]);
}

void met_stream_run_combine(met_stream_run *run, double *left, const double *right)
{
    assert(run->term->monoid);
    memcpy(run->merged, left, run->numbers * sizeof(double));
    for (uint32_t i = 0; i < run->term->state_count; i++) {
        const met_stream_state *s = &run->term->states[i];
        if (s->kind == MET_STATE_SLOTS) {
            join_slots(run, s, run->merged + run->offsets[i], right + run->offsets[i]);
            continue;
        }
        do
            run->merged[run->offsets[i] + met_points_offset(&run->points, s->loops)] = met_state_join(run, i, left, right, run->merged);
        while (met_points_next(&run->points, s->loops));
    }
    memcpy(left, run->merged, run->numbers * sizeof(double));
}

const double *met_stream_run_value(met_stream_run *run, const double *state, uint32_t value)
{
    for (uint32_t i = 0; i < run->term->state_count; i++)
        show(run, i, state);
    compute_phase(run, MET_STREAM_HEAD);
    compute_phase(run, MET_STREAM_TAIL);
    return run->buffers[value];
}
