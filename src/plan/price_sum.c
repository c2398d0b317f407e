/* Sums and differences of prices, and their words. */
#include <math.h>

#include "plan/price.h"

static bool is_empty(const met_price *price)
{
    return price->bytes == 0 && price->flops == 0 && price->launches == 0 && price->seconds == 0;
}

void met_price_add(met_price *a, const met_price *b)
{
    if (is_empty(b))
        return;
    if (is_empty(a)) {
        *a = *b;
        return;
    }
    a->bytes += b->bytes;
    for (uint32_t l = 0; l < MET_PRICE_LEVELS; l++)
        a->level_bytes[l] += b->level_bytes[l];
    a->flops += b->flops;
    a->launches += b->launches;
    a->seconds += b->seconds;
    a->joules += b->joules; /* NaN stays NaN */
    a->joules_are = a->joules_are < b->joules_are ? a->joules_are : b->joules_are;
    a->modelled_s += b->modelled_s;
    a->measured = a->measured && b->measured;
    a->calibrated = a->calibrated || b->calibrated;
    if (b->bound_s > a->bound_s) {
        a->bound = b->bound;
        a->bound_s = b->bound_s;
    }
}

met_price met_price_parts(const met_pricing *pricing, uint32_t count, const met_node_id *nodes)
{
    met_price sum = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        met_price one = met_price_group(pricing, &(met_priced_group){ .count = 1, .nodes = &nodes[i] });
        met_price_add(&sum, &one);
    }
    return sum;
}

met_laxity met_price_laxity(const met_price *parts, const met_price *whole)
{
    met_joules are = parts->joules_are < whole->joules_are ? parts->joules_are : whole->joules_are;
    return (met_laxity){ parts->bytes - whole->bytes, parts->launches - whole->launches, parts->seconds - whole->seconds,
                         are == MET_JOULES_UNAVAILABLE ? NAN : parts->joules - whole->joules, are };
}

const char *met_price_bound_name(const met_price *price, const met_device *device)
{
    if (price->bound == MET_BOUND_COMPUTE)
        return "compute";
    return price->bound == MET_BOUND_LAUNCH ? "launch" : device->levels[price->bound].name;
}

const char *met_joules_name(met_joules joules)
{
    static const char *const names[] = { "unavailable", "modelled", "measured" };
    return names[joules];
}
