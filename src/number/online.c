#include "number/online.h"

#include <assert.h>

#include "number/exp2.h"

struct met_online {
    met_online_rule rule;
    uint64_t n, width;
    uint64_t at; /* terms so far */
    double base;
    met_fold *sum;
    met_fold **mix;
};

met_online *met_online_new(met_arena *arena, const met_online_rule *rule, uint64_t n, uint64_t width)
{
    assert(rule->mix.rescale != MET_RESCALE_NONE);
    met_online *online = MET_NEW(arena, met_online);
    *online = (met_online){.rule = *rule, .n = n, .width = width, .base = -(double)INFINITY};
    online->sum = met_fold_new(arena, &rule->sum, MET_MONOID_ADD, n);
    online->mix = MET_NEW_ARRAY(arena, met_fold *, width);
    for (uint64_t j = 0; j < width; j++) {
        online->mix[j] = met_fold_new(arena, &rule->mix, MET_MONOID_ADD, n);
    }
    return online;
}

/* factor · 2^difference or e^difference, in float; a difference beyond what an exponent holds counts as that. */
static float relative(const met_online *online, double factor, double difference)
{
    if (online->rule.mix.rescale == MET_RESCALE_FLOAT) {
        return online->rule.exponential((float)difference);
    }
    return met_ldexpf((float)factor, difference < -1000 ? -1000 : (int)difference);
}

static void move_base(met_online *online, double base)
{
    if (!(base > online->base)) {
        return;
    }
    if (online->base > -(double)INFINITY) {
        double ratio = (double)relative(online, 1, online->base - base);
        met_fold_scale(online->sum, ratio);
        for (uint64_t j = 0; j < online->width; j++) {
            met_fold_scale(online->mix[j], ratio);
        }
    }
    online->base = base;
}

void met_online_slice(met_online *online, uint64_t count, const double *base, const double *factor, const bool *live,
                      const double *values)
{
    double largest = online->base;
    assert(online->at + count <= online->n);
    for (uint64_t i = 0; i < count; i++) {
        largest = (!live || live[i]) && base[i] > largest ? base[i] : largest;
    }
    move_base(online, largest);
    for (uint64_t i = 0; i < count; i++, online->at++) {
        if (live && !live[i]) {
            continue;
        }
        double weight = (double)relative(online, factor ? factor[i] : 1, base[i] - online->base);
        met_fold_push(online->sum, online->at, weight);
        weight = met_round(online->rule.weights, weight);
        for (uint64_t j = 0; j < online->width; j++) {
            met_fold_push_product(online->mix[j], online->at, weight, values[i * online->width + j]);
        }
    }
}

void met_online_end(met_online *online, double *ret_base, double *ret_sum, double *ret_mix)
{
    *ret_base = online->base;
    *ret_sum = met_fold_end(online->sum);
    for (uint64_t j = 0; j < online->width; j++) {
        ret_mix[j] = met_fold_end(online->mix[j]);
    }
}
