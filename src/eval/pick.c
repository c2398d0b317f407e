/* top_k and argmax: the largest of a row and where they are. A NaN counts as the largest, as in `max`; among equals the
 * lower index comes first. Guarded-out positions take no part; when a row has fewer than k live ones, the rest of its
 * results is -inf with index -1, which nothing reads. */
#include <math.h>

#include "eval/run.h"

typedef struct row {
    uint64_t count;
    double *value;
    bool *gone; /* guarded out, or picked already */
} row;

static bool precedes(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

static void load_row(met_loop *loop, row *r)
{
    uint64_t n = 0;
    const met_reader *in = &loop->in[0];
    do {
        met_strip point = { .lo = 0, .hi = 1 };
        met_strip_inside(loop, in, &point);
        met_strip_gates(loop, &loop->in_gates, &point);
        r->gone[n] = point.lo >= point.hi || (point.masked && !point.live[0]);
        r->value[n] = r->gone[n] ? 0 : in->values[met_linear_at(loop, &in->offset)];
        n++;
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
}

/* Index of the best that is left, or -1. */
static int64_t take_best(row *r)
{
    int64_t best = -1;
    for (uint64_t i = 0; i < r->count; i++)
        if (!r->gone[i] && (best < 0 || precedes(r->value[i], r->value[best])))
            best = (int64_t)i;
    if (best >= 0)
        r->gone[best] = true;
    return best;
}

static void store(const met_loop *loop, uint32_t output, double value)
{
    loop->out[output].values[met_linear_at(loop, &loop->out[output].offset)] =
        met_run_round(loop->run, loop->node->outs[output], value);
}

/* top_k's index over the picked: the target that its results keep. MET_NONE for argmax. */
static uint32_t rank_index(const met_loop *loop)
{
    for (uint32_t k = 0; k < loop->kept_count; k++)
        if (loop->node->indices[loop->kept[k]].target)
            return loop->kept[k];
    return MET_NONE;
}

void met_run_pick(met_loop *loop)
{
    row r = { .count = 1 };
    for (uint32_t k = 0; k < loop->fold_count; k++)
        r.count *= (uint64_t)loop->size[loop->folded[k]];
    r.value = MET_NEW_ARRAY(loop->run->arena, double, r.count);
    r.gone = MET_NEW_ARRAY(loop->run->arena, bool, r.count);
    uint32_t rank = rank_index(loop);
    uint32_t *rows = MET_NEW_ARRAY(loop->run->arena, uint32_t, loop->kept_count);
    uint32_t row_count = 0;
    for (uint32_t k = 0; k < loop->kept_count; k++)
        if (loop->kept[k] != rank)
            rows[row_count++] = loop->kept[k];
    loop->strip = MET_NONE;
    int64_t picks = rank == MET_NONE ? 1 : loop->size[rank];
    do {
        load_row(loop, &r);
        for (int64_t k = 0; k < picks; k++) {
            int64_t best = take_best(&r);
            if (rank != MET_NONE)
                loop->counter[rank] = k;
            if (loop->node->out_count > 1)
                store(loop, 0, best < 0 ? -INFINITY : r.value[best]);
            store(loop, loop->node->out_count - 1, (double)best);
        }
        if (rank != MET_NONE)
            loop->counter[rank] = 0;
    } while (met_loop_next(loop, row_count, rows));
}
