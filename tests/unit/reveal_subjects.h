/* Subjects of revealing: records that are run, and sums in plain C that are no trees, or are. */
#ifndef MET_TEST_REVEAL_SUBJECTS_H
#define MET_TEST_REVEAL_SUBJECTS_H

#include "cases.h"

#include <math.h>

#include "number/fold.h"
#include "reveal/reveal.h"

/* A record along which the fold goes; with c as its last term. */
typedef struct record_subject {
    met_fold *fold;
    met_black_box probe;
} record_subject;

static inline bool run_record(void *context, const double *a, const double *b, double c, double *ret_result)
{
    record_subject *s = context;
    met_fold_begin(s->fold);
    for (uint64_t i = 0; i < s->probe.n; i++) {
        if (b) {
            met_fold_push_product(s->fold, i, a[i], b[i]);
        } else {
            met_fold_push(s->fold, i, a[i]);
        }
    }
    if (s->probe.accumulates && b) {
        met_fold_push_product(s->fold, s->probe.n, c, 1);
    } else if (s->probe.accumulates) {
        met_fold_push(s->fold, s->probe.n, c);
    }
    *ret_result = met_round(s->probe.output, met_fold_end(s->fold));
    return true;
}

static inline record_subject *subject_of(met_arena *arena, const met_tree *tree, met_black_box probe)
{
    record_subject *s = MET_NEW(arena, record_subject);
    s->probe = probe;
    s->probe.run = run_record;
    s->probe.context = s;
    s->fold = met_fold_new(arena, tree, MET_MONOID_ADD, probe.n + probe.accumulates);
    return s;
}

#endif
