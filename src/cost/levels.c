#include "cost/levels.h"

#include <math.h>

met_cost_time met_cost_time_of(uint32_t level_count, const double *seconds, double compute)
{
    met_cost_time time = { compute, compute };
    for (uint32_t l = 0; l < level_count; l++) {
        time.overlapped = fmax(time.overlapped, seconds[l]);
        time.serial += seconds[l];
    }
    return time;
}

double met_cost_virtual_capacity(double capacity, uint64_t children)
{
    return capacity * (double)children;
}

double met_cost_exchange(double parent, double exchange, double beta, double units)
{
    return (1 / parent - 1 / exchange) * (1 - pow(units, -beta));
}

double met_cost_requantized(double factor, double beta)
{
    return pow(factor, 1 + beta);
}

double met_cost_least_capacity(double peak, double rate, double streamed)
{
    double left = rate / peak - 1 / (2 * streamed);
    return left > 0 ? 1 / (left * left) : (double)INFINITY;
}

double met_cost_least_stream(double peak, double rate, double capacity)
{
    double left = rate / peak - 1 / sqrt(capacity);
    return left > 0 ? 1 / (2 * left) : (double)INFINITY;
}

uint64_t met_cost_groups_held(const met_cost_resource *r)
{
    double groups = floor((r->capacity - r->per_block) / r->per_group);
    return groups > 0 && groups < 1e18 ? (uint64_t)groups : groups > 0 ? MET_BEYOND : 0;
}

uint64_t met_cost_occupancy(uint32_t count, const met_cost_resource *resources)
{
    uint64_t least = MET_BEYOND;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t groups = met_cost_groups_held(&resources[i]);
        least = groups < least ? groups : least;
    }
    return least;
}

uint64_t met_cost_split(uint64_t state_words, uint64_t splits)
{
    return met_beyond_mul(2, met_beyond_mul(state_words, splits));
}

met_cost_problem met_cost_turned(met_arena *arena, const met_cost_problem *p)
{
    met_cost_problem turned = *p;
    met_cost_loop *loops = met_arena_copy(arena, p->loops, p->loop_count, sizeof *loops);
    uint32_t *order = MET_NEW_ARRAY(arena, uint32_t, p->order_count);
    met_loops groups = 0;
    turned.group_count = p->order_count - p->group_count;
    for (uint32_t i = 0; i < p->order_count; i++) {
        bool was_group = i < p->group_count;
        uint32_t l = p->order[i];
        order[was_group ? turned.group_count + i : i - p->group_count] = l;
        loops[l].partition = was_group ? MET_PARTITION_STREAM : MET_PARTITION_GROUP;
        groups |= was_group ? 0 : (met_loops)1 << l;
    }
    met_cost_array *arrays = met_arena_copy(arena, p->arrays, p->array_count, sizeof *arrays);
    for (uint32_t a = 0; a < p->array_count; a++)
        if (arrays[a].direction == MET_COST_OUT && (met_cost_carries(&arrays[a].shape) & groups) != groups)
            arrays[a].direction = MET_COST_UPDATE;
    turned.loops = loops;
    turned.order = order;
    turned.arrays = arrays;
    return turned;
}
