#include "number/stream.h"

#include <assert.h>

#include "number/exp2.h"

struct met_stream {
    met_stream_rule rule;
    uint64_t n, width;
    uint64_t at; /* terms so far */
    double base;
    met_fold *sum;
    met_fold **mix;
};

met_stream *met_stream_new(met_arena *arena, const met_stream_rule *rule, uint64_t n, uint64_t width)
{
    assert(rule->mix.rescale != MET_RESCALE_NONE);
    met_stream *stream = MET_NEW(arena, met_stream);
    *stream = (met_stream){.rule = *rule, .n = n, .width = width, .base = -(double)INFINITY};
    stream->sum = met_fold_new(arena, &rule->sum, MET_MONOID_ADD, n);
    stream->mix = MET_NEW_ARRAY(arena, met_fold *, width);
    for (uint64_t j = 0; j < width; j++) {
        stream->mix[j] = met_fold_new(arena, &rule->mix, MET_MONOID_ADD, n);
    }
    return stream;
}

/* factor · 2^difference or e^difference, in float; a difference beyond what an exponent holds counts as that. */
static float relative(const met_stream *stream, double factor, double difference)
{
    if (stream->rule.mix.rescale == MET_RESCALE_FLOAT) {
        return stream->rule.exponential((float)difference);
    }
    return met_ldexpf((float)factor, difference < -1000 ? -1000 : (int)difference);
}

static void move_base(met_stream *stream, double base)
{
    if (!(base > stream->base)) {
        return;
    }
    if (stream->base > -(double)INFINITY) {
        double ratio = (double)relative(stream, 1, stream->base - base);
        met_fold_scale(stream->sum, ratio);
        for (uint64_t j = 0; j < stream->width; j++) {
            met_fold_scale(stream->mix[j], ratio);
        }
    }
    stream->base = base;
}

void met_stream_slice(met_stream *stream, uint64_t count, const double *base, const double *factor, const bool *live,
                      const double *values)
{
    double largest = stream->base;
    assert(stream->at + count <= stream->n);
    for (uint64_t i = 0; i < count; i++) {
        largest = (!live || live[i]) && base[i] > largest ? base[i] : largest;
    }
    move_base(stream, largest);
    for (uint64_t i = 0; i < count; i++, stream->at++) {
        if (live && !live[i]) {
            continue;
        }
        double weight = (double)relative(stream, factor ? factor[i] : 1, base[i] - stream->base);
        met_fold_push(stream->sum, stream->at, weight);
        weight = met_round(stream->rule.weights, weight);
        for (uint64_t j = 0; j < stream->width; j++) {
            met_fold_push_product(stream->mix[j], stream->at, weight, values[i * stream->width + j]);
        }
    }
}

void met_stream_end(met_stream *stream, double *ret_base, double *ret_sum, double *ret_mix)
{
    *ret_base = stream->base;
    *ret_sum = met_fold_end(stream->sum);
    for (uint64_t j = 0; j < stream->width; j++) {
        ret_mix[j] = met_fold_end(stream->mix[j]);
    }
}
