/* Repeated measurements, and what is said of them: the least, the median, and how far the quartiles are apart. */
#ifndef MET_HOST_SAMPLE_H
#define MET_HOST_SAMPLE_H

#include <stddef.h>

#include "host/machine.h"

#define MET_SAMPLES 101 /* at most */

typedef struct met_sample {
    double min, median;
    double spread;  /* (third quartile - first quartile) / median: of repeats, not of the machine from day to day */
    size_t repeats;
} met_sample;

/* Of `count` values, at least 1, which are sorted. Quartiles between two values are interpolated. */
met_sample met_sample_of(size_t count, double *values);

/* Takes times of `run`, each of so many calls in a row that the clock can tell, and stops after `repeats` samples, or after
 * `budget` seconds if there are three by then. Before each sample `prepare`, if there is one, runs untimed, and the sample
 * is of one call. Times are of one call. False as soon as a call returns false. */
typedef struct met_sampler {
    const met_clock *clock;
    size_t repeats; /* 1 to MET_SAMPLES */
    double budget_s;
    bool (*prepare)(void *context);
    bool (*run)(void *context);
    void *context;
    size_t calls; /* out: of `run`, in all samples */
} met_sampler;
bool met_sample_take(met_sampler *sampler, met_sample *ret_sample);

#endif
