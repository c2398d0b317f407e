#include "contest.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

enum { ROUNDS_MOST = 31, ENTRANTS_MOST = 8, THREADS_MOST = 2 };
/* A sample takes at least this long: what is shorter runs several times. */
static const double sample_seconds = 2e-3;

/* What one entrant did on one number of threads. */
typedef struct line {
    const char *absent;
    const char *wrong;
    double median, least, share, ratio;
} line;

double contest_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool contest_quick(void)
{
    const char *quick = getenv("BENCH_QUICK");
    return quick && *quick && strcmp(quick, "0") != 0;
}

double contest_fma_f32(void *context, unsigned threads)
{
    (void)context;
    double start = contest_now(), flops = machine_fma_f32(threads);
    return flops / (contest_now() - start);
}

/* 0 if the CPU has none. */
static double dot_bf16(unsigned threads)
{
    double start = contest_now(), flops = machine_dot_bf16(threads);
    return flops / (contest_now() - start);
}

double contest_fma_bf16(void *context, unsigned threads)
{
    double single = contest_fma_f32(context, threads), dot = dot_bf16(threads);
    return dot > single ? dot : single;
}

double contest_read(void *context, unsigned threads)
{
    double start = contest_now(), bytes = machine_read(context, machine_round_bytes(), threads);
    return bytes / (contest_now() - start);
}

void contest_start(char **arguments)
{
    if (!getenv("OMP_PROC_BIND")) {
        /* Read by the thread library before main. Waiting threads spin for less than a millisecond, so that those of one
         * entrant are asleep when the next begins. */
        setenv("OMP_PROC_BIND", "true", 1);
        setenv("OMP_PLACES", "cores", 1);
        setenv("GOMP_SPINCOUNT", "10000", 0);
        execv("/proc/self/exe", arguments);
        perror("bench: cannot start anew with pinned threads");
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned threads = omp_get_num_procs() < THREADS_MOST ? 1 : THREADS_MOST;
    contest_fma_f32(NULL, threads); /* brings the threads up */
    printf("%s; %u threads: multiply-adds %.0f GF/s, bf16 dot products %.0f GF/s; largest cache %zu MiB\n",
           machine_name(), threads, 1e-9 * contest_fma_f32(NULL, threads), 1e-9 * dot_bf16(threads), machine_cache_bytes() >> 20);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t count, const double *values)
{
    double sorted[ROUNDS_MOST];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, by_size);
    return sorted[count / 2];
}

static double least(size_t count, const double *values)
{
    double best = values[0];
    for (size_t i = 1; i < count; i++)
        best = values[i] < best ? values[i] : best;
    return best;
}

/* Threads of the entrant before have gone to sleep, and this one's data are in the caches as far as they fit. */
static double sample(const entrant *e, unsigned repeats, bool warm)
{
    static const struct timespec pause = { .tv_nsec = 1000000 };
    nanosleep(&pause, NULL);
    if (warm)
        e->run(e->context);
    double start = contest_now();
    for (unsigned i = 0; i < repeats; i++)
        e->run(e->context);
    return (contest_now() - start) / repeats;
}

/* One pass that is not counted: results are checked, and how often to repeat is found. Returns the time of a round. */
static double try_all(const contest *c, unsigned threads, line *lines, unsigned *ret_repeats)
{
    double round = 0;
    for (size_t i = 0; i < c->count; i++) {
        const entrant *e = &c->entrants[i];
        lines[i] = (line){ .absent = e->absent };
        if (!e->absent && e->prepare)
            lines[i].absent = e->prepare(e->context, threads);
        if (lines[i].absent)
            continue;
        double once = sample(e, 1, false);
        lines[i].wrong = e->check ? e->check(e->context) : NULL;
        once = once < 20 * sample_seconds ? sample(e, 1, false) : once; /* what is short may have been slow at first */
        ret_repeats[i] = once < sample_seconds ? (unsigned)(sample_seconds / once) + 1 : 1;
        round += once * (ret_repeats[i] + (once < 20 * sample_seconds));
    }
    return round;
}

static void measure(const contest *c, unsigned threads, line *lines)
{
    unsigned repeats[ENTRANTS_MOST];
    double round = try_all(c, threads, lines, repeats);
    size_t least_rounds = contest_quick() || round > 1 ? 3 : 5;
    double wanted = (contest_quick() ? 0.12 : 1.5) / (round + sample_seconds);
    size_t rounds = wanted > ROUNDS_MOST ? ROUNDS_MOST : wanted < (double)least_rounds ? least_rounds : (size_t)wanted | 1;

    static double times[ENTRANTS_MOST][ROUNDS_MOST], shares[ENTRANTS_MOST][ROUNDS_MOST], ratios[ENTRANTS_MOST][ROUNDS_MOST];
    for (size_t r = 0; r < rounds; r++) {
        double most = c->measure(c->measure_context, threads);
        for (size_t k = 0; k < c->count; k++) {
            size_t i = (k + r) % c->count; /* no one is always the first */
            if (!lines[i].absent)
                times[i][r] = sample(&c->entrants[i], repeats[i], repeats[i] > 1 || round < 20 * sample_seconds);
        }
        for (size_t i = 0; i < c->count; i++) {
            shares[i][r] = most > 0 ? c->work / times[i][r] / most : 0;
            ratios[i][r] = lines[0].absent ? 0 : times[i][r] / times[0][r];
        }
    }
    for (size_t i = 0; i < c->count; i++)
        if (!lines[i].absent) {
            lines[i].median = median(rounds, times[i]);
            lines[i].least = least(rounds, times[i]);
            lines[i].share = median(rounds, shares[i]);
            lines[i].ratio = median(rounds, ratios[i]);
        }
}

/* Four digits of a time, in milliseconds; 9 columns. */
static void put_time(double seconds)
{
    int decimals = seconds >= 1 ? 0 : seconds >= 0.1 ? 1 : seconds >= 0.01 ? 2 : 3;
    printf(" %8.*f", decimals, 1e3 * seconds);
}

static void put_line(const contest *c, const line *l)
{
    put_time(l->median);
    put_time(l->least);
    double rate = 1e-9 * c->work / l->median;
    printf(" %7.*f", rate < 10 ? 2 : 1, rate);
    printf(l->share > 0 ? " %5.2f" : "     -", l->share);
    printf(l->ratio > 0 ? " %5.2f" : "     -", l->ratio);
}

static void print(const contest *c, unsigned threads, line lines[][ENTRANTS_MOST])
{
    printf("\n%-42.42s %s\n%-22s", c->title, threads > 1 ? "  on 1 thread                           on 2" : "", "");
    for (unsigned t = 1; t <= threads; t++)
        printf("  med[ms]  min[ms] %7s share x met", c->unit);
    printf("\n");
    for (size_t i = 0; i < c->count; i++) {
        const line *first = &lines[0][i];
        printf("%-22s", c->entrants[i].name);
        if (first->absent)
            printf("  absent: %s", first->absent);
        for (unsigned t = 0; t < threads && !first->absent; t++)
            put_line(c, &lines[t][i]);
        printf(first->wrong ? "\n    WRONG %s\n" : "\n", first->wrong);
    }
}

void contest_run(const contest *c)
{
    static line lines[THREADS_MOST][ENTRANTS_MOST];
    unsigned threads = omp_get_num_procs() < THREADS_MOST ? 1 : THREADS_MOST;
    for (unsigned t = 1; t <= threads; t++) {
        omp_set_num_threads((int)t);
        measure(c, t, lines[t - 1]);
    }
    print(c, threads, lines);
}

void contest_close(const contest *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->entrants[i].close)
            c->entrants[i].close(&c->entrants[i]);
}
