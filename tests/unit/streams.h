/* Region texts in tests: read, derived, given arrays by name, and run slice by slice. */
#ifndef MET_TEST_STREAMS_H
#define MET_TEST_STREAMS_H

#include <math.h>
#include <stdio.h>

#include "cases.h"

#include "base/diag.h"
#include "derive/evaluate.h"
#include "derive/stream.h"

typedef struct stream_test {
    met_session *session;
    met_arena *arena;
    const met_region *region;
    const met_stream_term *term;
    uint64_t sizes[MET_KERNEL_LOOPS];
    const double **inputs;
    met_stream_run *run;
    double *state;
} stream_test;

static inline stream_test stream_open(met_str text, const char *axis, uint32_t static_count, const char *const *statics)
{
    stream_test test = { .session = met_session_new() };
    test.arena = test.session->arena;
    uint32_t source = met_session_add_source(test.session, "region", text.at, text.length);
    met_region_rules rules = { axis, static_count, statics };
    test.region = met_region_read(test.session, (met_span){ source, 0, (uint32_t)text.length }, &rules);
    if (!test.region)
        fail_msg("%s", met_session_diagnostics_text(test.session));
    test.inputs = MET_NEW_ARRAY(test.arena, const double *, test.region->value_count);
    for (uint32_t i = 0; i < test.region->loop_count; i++)
        test.sizes[i] = 1;
    test.term = met_stream_derive(test.region, met_region_loop_find(test.region, axis));
    return test;
}

static inline stream_test stream_of(const char *text, const char *axis)
{
    return stream_open(met_str_of(text), axis, 0, NULL);
}

static inline void stream_close(stream_test *test)
{
    met_session_free(test->session);
}

static inline void stream_size(stream_test *test, const char *loop, uint64_t size)
{
    uint32_t number = met_region_loop_find(test->region, loop);
    assert_int_not_equal(number, MET_NONE);
    test->sizes[number] = size;
}

static inline uint32_t region_value(const stream_test *test, const char *name)
{
    for (uint32_t i = 0; i < test->region->value_count; i++)
        if (strcmp(test->region->values[i].name, name) == 0)
            return i;
    fail_msg("no value %s", name);
    return 0;
}

static inline void stream_bind(stream_test *test, const char *name, const double *array)
{
    test->inputs[region_value(test, name)] = array;
}

static inline void stream_start(stream_test *test)
{
    if (!test->term->streams)
        fail_msg("%s", test->term->reason);
    test->run = met_stream_run_new(test->arena, test->term, test->sizes, test->inputs);
    test->state = MET_NEW_ARRAY(test->arena, double, met_stream_run_numbers(test->run));
    met_stream_run_begin(test->run, test->state);
}

/* An output (or another value of the tail) of the region from a state. */
static inline const double *stream_result(stream_test *test, const char *name)
{
    uint32_t value = region_value(test, name);
    for (uint32_t i = 0; i < test->term->value_count; i++)
        if (test->term->values[i].origin == value)
            return met_stream_run_value(test->run, test->state, i);
    fail_msg("the term has no value %s", name);
    return NULL;
}

/* Numbers of a list, of a list of lists, …, one after another. */
static inline void flatten_into(const met_value *value, double *at, size_t *count)
{
    if (value->kind != MET_VALUE_LIST) {
        at[(*count)++] = value->number;
        return;
    }
    for (size_t i = 0; i < value->items.count; i++)
        flatten_into(value->items.at[i], at, count);
}

static inline const double *flatten(met_arena *arena, const met_value *value, size_t *ret_count)
{
    double *at = MET_NEW_ARRAY(arena, double, 4096);
    *ret_count = 0;
    flatten_into(value, at, ret_count);
    return at;
}

/* Equal up to `tol` times the larger of the number's own magnitude and the largest of the list. */
static inline void expect_close(const char *id, const double *got, const double *want, size_t count, double tol)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(want[i]) && fabs(want[i]) > largest)
            largest = fabs(want[i]);
    for (size_t i = 0; i < count; i++)
        if (!(got[i] == want[i] || fabs(got[i] - want[i]) <= tol * largest))
            fail_msg("%s: number %zu is %.17g, not %.17g", id, i, got[i], want[i]);
}

/* A small generator of its own: the same numbers everywhere. */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t roll(dice *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state * 0x2545f4914f6cdd1du >> 11;
}

/* In [low, high), in steps of 1/64. */
static inline double roll_number(dice *d, int low, int high)
{
    return low + (double)(roll(d) % ((uint64_t)(high - low) * 64)) / 64;
}

/* The state of [begin, end) made of the states of random parts, combined in a random bracketing. */
static inline double *rebracketed(stream_test *test, dice *d, uint64_t begin, uint64_t end)
{
    double *state = MET_NEW_ARRAY(test->arena, double, met_stream_run_numbers(test->run));
    met_stream_run_begin(test->run, state);
    if (end - begin < 2 || roll(d) % 4 == 0) {
        met_stream_run_push(test->run, state, begin, end);
        return state;
    }
    uint64_t middle = begin + roll(d) % (end - begin + 1);
    if (middle == begin || middle == end) { /* an empty part is a unit */
        met_stream_run_push(test->run, state, begin, end);
        double *unit = MET_NEW_ARRAY(test->arena, double, met_stream_run_numbers(test->run));
        met_stream_run_begin(test->run, unit);
        if (middle == begin) {
            met_stream_run_combine(test->run, unit, state);
            return unit;
        }
        met_stream_run_combine(test->run, state, unit);
        return state;
    }
    double *left = rebracketed(test, d, begin, middle);
    const double *right = rebracketed(test, d, middle, end);
    met_stream_run_combine(test->run, left, right);
    return left;
}

#endif
