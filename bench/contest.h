/* Contests: several ways to do the same work, timed side by side. In every round each entrant runs once, right after the
 * others, so that what the machine does meanwhile falls on all alike; the yardstick, what the machine can do at most, runs
 * in the same rounds. Printed are the median and the least time of each, its rate, that rate as a share of the yardstick's
 * (median of the rounds), and how many times as long as met it took (likewise).
 *
 * Every program starts with contest_start. Environment: BENCH_QUICK=1 takes fewer rounds and leaves out the large cases. */
#ifndef MET_BENCH_CONTEST_H
#define MET_BENCH_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

/* One way to do the work. */
typedef struct entrant {
    const char *name;
    void *context;
    void (*run)(void *context);                              /* what is timed */
    const char *(*prepare)(void *context, unsigned threads); /* not timed, before runs on that many threads; NULL, or why not */
    const char *(*check)(void *context);                     /* after the first run: NULL, or what is wrong with the result */
    void (*close)(struct entrant *e);                        /* frees the context; NULL: nothing to free */
    const char *absent;                                      /* why it does not run; NULL: it does */
} entrant;

/* What the machine does at most, measured anew: flops or bytes in a second. */
typedef double (*yardstick)(void *context, unsigned threads);

typedef struct contest {
    const char *title;
    const char *unit;   /* "GF/s", "GB/s": of 1e9 */
    double work;        /* flops or bytes of one run, or 1e9 to print runs in a second */
    yardstick measure;
    void *measure_context;
    size_t count;
    entrant *entrants;  /* the first is met: what the others are compared with */
} contest;

/* Pins threads by running the program anew where the environment does not say so yet, and prints what the machine is. */
void contest_start(char **arguments);
bool contest_quick(void);
void contest_run(const contest *c);
/* Closes all entrants. */
void contest_close(const contest *c);

/* Seconds of a clock that only goes forward. */
double contest_now(void);

/* The yardsticks: multiply-adds in f32; the same or bf16 dot products, whichever is faster here; reading, whose context is
 * an array of machine_round_bytes(). */
double contest_fma_f32(void *context, unsigned threads);
double contest_fma_bf16(void *context, unsigned threads);
double contest_read(void *context, unsigned threads);

#endif
