/* Budgets beside exact arithmetic: what both begin with, and how far they are apart. */
#ifndef MET_TEST_BUDGET_RUN_H
#define MET_TEST_BUDGET_RUN_H

#include "exact_run.h"

#include "budget/circuit.h"

static inline void keep_source(void *context, met_edge_id edge, size_t count, const double *values)
{
    double **sources = context;
    for (size_t i = 0; i < count; i++)
        sources[edge.id][i] = values[i];
}

/* The numbers that a run begins with, rounded to the formats of its point. */
static inline const double *const *sources_of(const met_circuit *settled, const met_eval_options *options)
{
    double **sources = MET_NEW_ARRAY(settled->arena, double *, settled->edge_count);
    for (uint32_t e = 0; e < settled->edge_count; e++) {
        uint64_t count = 1, size;
        for (uint32_t p = 0; settled->edges[e].producer.id == MET_NONE && p < settled->edges[e].rank; p++) {
            assert_true(met_circuit_size(settled, settled->edges[e].axes[p], &size));
            count *= size;
        }
        sources[e] = MET_NEW_ARRAY(settled->arena, double, count);
    }
    met_source_taker taker = { keep_source, sources };
    assert_true(met_eval_sources(settled, options, 0, NULL, &taker));
    return (const double *const *)sources;
}

static inline uint32_t edge_called(const met_circuit *circuit, const char *name)
{
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        if (strcmp(met_sym_text(circuit->session, circuit->edges[e].name), name) == 0)
            return e;
    return MET_NONE;
}

/* |run − exact|, rounded up; infinite where one of them is no number. */
static inline double farthest(const double *run, mpfr_t *exact, uint64_t count)
{
    double most = 0;
    mpfr_t d;
    mpfr_init2(d, EXACT_BITS);
    for (uint64_t i = 0; i < count; i++) {
        mpfr_sub_d(d, exact[i], run[i], MPFR_RNDN);
        double one = mpfr_inf_p(exact[i]) && mpfr_get_d(exact[i], MPFR_RNDN) == run[i] ? 0 : fabs(mpfr_get_d(d, MPFR_RNDA));
        most = isnan(one) || isinf(one) ? (double)INFINITY : one > most ? one : most;
    }
    mpfr_clear(d);
    return most;
}

#endif
