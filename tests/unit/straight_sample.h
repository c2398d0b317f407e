/* Looking for the largest error of a straight-line program: random arguments, then neighbours of the worst. */
#ifndef MET_TEST_STRAIGHT_SAMPLE_H
#define MET_TEST_STRAIGHT_SAMPLE_H

#include "straight_run.h"

#include "met/straight.h"
#include "support/random.h"

/* In [lo, hi], with the ends now and then. */
static inline double sample(random_source *r, const met_straight_argument *arg)
{
    unsigned where = random_below(r, 16);
    double part = (double)(random_next(r) >> 11) * 0x1p-53;
    double x = where == 0 ? arg->lo : where == 1 ? arg->hi : arg->lo + part * (arg->hi - arg->lo);
    if (where > 1 && where < 6 && arg->worst_hi > arg->worst_lo)
        x = arg->worst_lo + part * (arg->worst_hi - arg->worst_lo);
    return x;
}

/* What samples of one program need. */
typedef struct sampler {
    random_source random;
    const met_straight_program *program;
    const met_source *source;
    const met_straight_answer *answer;
    double *machine;
    mpfr_t *exact;
    double best[MET_STRAIGHT_ARGS], largest; /* the largest error so far, and where */
} sampler;

/* Runs the program once: the result may not be beyond the bounds. */
static inline void try_point(sampler *s, const double *args)
{
    double relative, error = run_error(s->program, s->source, args, s->machine, s->exact, &relative);
    const met_straight_answer *answer = s->answer;
    if (error > answer->absolute || relative > answer->relative)
        fail_msg("%s: an error of %.17g (%.17g relative) is beyond the bounds %.17g (%.17g)", answer->name, error, relative,
                 answer->absolute, answer->relative);
    mpfr_t *result = &s->exact[s->program->result];
    if (error >= 0 && (mpfr_cmp_d(*result, answer->lo) < 0 || mpfr_cmp_d(*result, answer->hi) > 0))
        fail_msg("%s: the exact result is outside of [%.17g, %.17g]", answer->name, answer->lo, answer->hi);
    if (error > s->largest) {
        s->largest = error;
        memcpy(s->best, args, sizeof s->best);
    }
}

static inline double kept(const sampler *s, size_t i, double x)
{
    const met_straight_argument *arg = &s->answer->arguments[i];
    x = fmin(fmax(x, arg->lo), arg->hi);
    if (s->program->format->bits != 24)
        return x;
    float f = (float)x;
    return (double)((double)f < arg->lo ? nextafterf(f, INFINITY) : (double)f > arg->hi ? nextafterf(f, -INFINITY) : f);
}

/* The largest error of random arguments and then of neighbours, ever nearer ones, of the worst so far. */
static inline double largest_error(met_session *session, uint32_t source, const met_straight_program *program,
                            const met_straight_answer *answer, unsigned samples)
{
    sampler s = { { 0x5eed }, program, met_session_source(session, source), answer, NULL, NULL, { 0 }, -1 };
    s.machine = calloc(program->nodes.count, sizeof *s.machine);
    s.exact = calloc(program->nodes.count, sizeof *s.exact);
    for (size_t i = 0; i < program->nodes.count; i++)
        mpfr_init2(s.exact[i], RUN_BITS);
    for (unsigned n = 0; n < samples; n++) {
        double args[MET_STRAIGHT_ARGS] = { 0 }, reach = ldexp(1, -(int)random_below(&s.random, 40));
        for (size_t i = 0; i < program->arg_count; i++) {
            const met_straight_argument *arg = &answer->arguments[i];
            double part = (double)(random_next(&s.random) >> 11) * 0x1p-53;
            args[i] = kept(&s, i, s.largest < 0 || n % 2 == 0 ? sample(&s.random, arg)
                                                              : s.best[i] + (2 * part - 1) * reach * (arg->hi - arg->lo));
        }
        try_point(&s, args);
    }
    for (size_t i = 0; i < program->nodes.count; i++)
        mpfr_clear(s.exact[i]);
    free(s.exact);
    free(s.machine);
    return s.largest;
}

#endif
