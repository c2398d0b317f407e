#include "host/sample.h"

#include <assert.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value a share of the way from the first to the last, between its neighbours. */
static double quantile(size_t count, const double *sorted, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double rest = at - (double)below;
    return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

met_sample met_sample_of(size_t count, double *values)
{
    assert(count > 0);
    qsort(values, count, sizeof *values, by_value);
    double median = quantile(count, values, 0.5);
    double distance = quantile(count, values, 0.75) - quantile(count, values, 0.25);
    return (met_sample){ values[0], median, median > 0 ? distance / median : 0, count };
}

/* A sample shorter than this is of several calls: the clock and its call take some tens of nanoseconds. */
#define SHORTEST 50e-6
enum { CALLS = 1 << 20 /* in one sample, at most */, LEAST = 3 };

static bool run_timed(met_sampler *sampler, size_t calls, double *ret_seconds)
{
    double begin = sampler->clock->seconds(sampler->clock->context);
    for (size_t i = 0; i < calls; i++)
        if (!sampler->run(sampler->context))
            return false;
    *ret_seconds = sampler->clock->seconds(sampler->clock->context) - begin;
    sampler->calls += calls;
    return true;
}

/* How many calls a sample takes; their first runs also bring code and data to where they stay. */
static bool choose_calls(met_sampler *sampler, size_t *ret_calls)
{
    double seconds = 0;
    *ret_calls = 1;
    while (*ret_calls < CALLS) {
        if (!run_timed(sampler, *ret_calls, &seconds))
            return false;
        if (seconds >= SHORTEST)
            break;
        *ret_calls *= 2;
    }
    return true;
}

bool met_sample_take(met_sampler *sampler, met_sample *ret_sample)
{
    double values[MET_SAMPLES], begin = sampler->clock->seconds(sampler->clock->context);
    size_t calls = 1, count = 0;
    assert(sampler->repeats >= 1 && sampler->repeats <= MET_SAMPLES);
    if (!sampler->prepare && !choose_calls(sampler, &calls))
        return false;
    sampler->calls = 0;
    while (count < sampler->repeats) {
        double seconds = 0;
        if (count >= LEAST && sampler->clock->seconds(sampler->clock->context) - begin > sampler->budget_s)
            break;
        if ((sampler->prepare && !sampler->prepare(sampler->context)) || !run_timed(sampler, calls, &seconds))
            return false;
        values[count++] = seconds / (double)calls;
    }
    *ret_sample = met_sample_of(count, values);
    return true;
}
