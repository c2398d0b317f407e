#include "cost/problem.h"

static uint64_t trips_of(const met_cost_problem *p, const uint64_t *tile, uint32_t loop)
{
    return (p->loops[loop].size - 1) / tile[loop] + 1;
}

static bool has(met_loops set, uint32_t loop)
{
    return set >> loop & 1;
}

met_loops met_cost_carries(const met_cost_shape *shape)
{
    met_loops loops = shape->loops;
    for (uint32_t w = 0; w < shape->window_count; w++)
        for (uint32_t k = 0; k < shape->windows[w].walk_count; k++)
            loops |= (met_loops)1 << shape->windows[w].walks[k].loop;
    return loops;
}

/* --- Windows --- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A local loop of a window spans everything from its first to its last position; steps of a tiled one that are longer
 * than what lies under it leave gaps, which are not read. */
static uint64_t step_of(const met_cost_problem *p, const met_cost_walk *walk, uint64_t extent)
{
    bool local = p->loops[walk->loop].partition == MET_PARTITION_LOCAL;
    return local ? walk->coefficient : least(walk->coefficient, extent);
}

/* Under one full tile. */
static uint64_t window_tile(const met_cost_problem *p, const met_cost_window *window, const uint64_t *tile)
{
    uint64_t extent = 1;
    for (uint32_t k = 0; k < window->walk_count; k++) {
        const met_cost_walk *walk = &window->walks[k];
        extent = met_beyond_add(extent, met_beyond_mul(step_of(p, walk, extent), tile[walk->loop] - 1));
    }
    return window->limit ? least(extent, window->limit) : extent;
}

/* Over all tiles: the sum of 1 + Σ step·(g - 1), where the g of one loop add up to its size. */
static uint64_t window_total(const met_cost_problem *p, const met_cost_window *window, const uint64_t *tile)
{
    uint64_t trips = 1, extent = 1;
    for (uint32_t k = 0; k < window->walk_count; k++)
        trips = met_beyond_mul(trips, trips_of(p, tile, window->walks[k].loop));
    uint64_t total = trips;
    for (uint32_t k = 0; k < window->walk_count; k++) {
        const met_cost_walk *walk = &window->walks[k];
        uint64_t step = step_of(p, walk, extent), own = trips_of(p, tile, walk->loop);
        extent = met_beyond_add(extent, met_beyond_mul(step, tile[walk->loop] - 1));
        total = met_beyond_add(total, met_beyond_mul(met_beyond_mul(step, p->loops[walk->loop].size - own), trips / own));
    }
    bool once = window->walk_count == 1 || trips == 1;
    return once && window->limit ? least(total, window->limit) : total;
}

uint64_t met_cost_extent(uint64_t g, uint64_t w, uint64_t stride, uint64_t dilation)
{
    return met_beyond_add(met_beyond_add(met_beyond_mul(stride, g - 1), met_beyond_mul(dilation, w - 1)), 1);
}

/* --- Traffic --- */

static uint64_t volume_of(const met_cost_problem *p, const met_cost_shape *shape, const uint64_t *tile)
{
    uint64_t volume = 1;
    for (uint32_t l = 0; l < p->loop_count; l++)
        if (has(shape->loops, l))
            volume = met_beyond_mul(volume, p->loops[l].size);
    for (uint32_t w = 0; w < shape->window_count; w++)
        volume = met_beyond_mul(volume, window_total(p, &shape->windows[w], tile));
    return volume;
}

uint64_t met_cost_array_traffic(const met_cost_problem *p, const met_cost_array *array, const uint64_t *tile)
{
    met_loops own = met_cost_carries(&array->shape);
    uint32_t covered = p->group_count;
    for (uint32_t i = p->group_count; i < p->order_count; i++)
        if (has(own, p->order[i]) && trips_of(p, tile, p->order[i]) > 1)
            covered = i + 1;
    uint64_t visits = covered > p->group_count ? array->passes : 1;
    for (uint32_t i = 0; i < covered; i++)
        if (!has(own, p->order[i]))
            visits = met_beyond_mul(visits, trips_of(p, tile, p->order[i]));
    uint64_t weight = array->direction == MET_COST_UPDATE ? met_beyond_mul(array->weight, 2) : array->weight;
    return met_beyond_mul(met_beyond_mul(visits, weight), volume_of(p, &array->shape, tile));
}

uint64_t met_cost_traffic(const met_cost_problem *p, const uint64_t *tile)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < p->array_count; a++)
        sum = met_beyond_add(sum, met_cost_array_traffic(p, &p->arrays[a], tile));
    return sum;
}

uint64_t met_cost_compulsory(const met_cost_problem *p)
{
    uint64_t whole[MET_KERNEL_LOOPS], sum = 0;
    for (uint32_t l = 0; l < p->loop_count; l++)
        whole[l] = p->loops[l].size;
    for (uint32_t a = 0; a < p->array_count; a++) {
        met_cost_array once = p->arrays[a];
        if (once.direction == MET_COST_UPDATE) /* held until it is done: written, not read */
            once.direction = MET_COST_OUT;
        sum = met_beyond_add(sum, met_cost_array_traffic(p, &once, whole));
    }
    return sum;
}

/* --- Memory --- */

static uint64_t padded(const met_cost_loop *loop, uint64_t tile)
{
    return tile < loop->granule && loop->partition != MET_PARTITION_LOCAL ? loop->granule : tile;
}

static uint64_t resident_memory(const met_cost_problem *p, const met_cost_resident *resident, const uint64_t *tile)
{
    uint64_t memory = resident->weight;
    for (met_loops rest = resident->shape.loops; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctzll(rest);
        memory = met_beyond_mul(memory, padded(&p->loops[l], tile[l]));
    }
    for (uint32_t w = 0; w < resident->shape.window_count; w++)
        memory = met_beyond_mul(memory, window_tile(p, &resident->shape.windows[w], tile));
    return memory;
}

uint64_t met_cost_memory(const met_cost_problem *p, const uint64_t *tile)
{
    uint64_t largest = 0;
    for (uint32_t column = 0; column < p->column_count; column++) {
        uint64_t sum = 0;
        for (uint32_t r = 0; r < p->resident_count; r++)
            if (p->residents[r].first <= column && column <= p->residents[r].last)
                sum = met_beyond_add(sum, resident_memory(p, &p->residents[r], tile));
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

/* --- Check --- */

static const char *check_shape(const met_cost_problem *p, const met_cost_shape *shape)
{
    if (p->loop_count < MET_KERNEL_LOOPS && shape->loops >> p->loop_count)
        return "a shape has a loop that the problem lacks";
    for (uint32_t w = 0; w < shape->window_count; w++)
        for (uint32_t k = 0; k < shape->windows[w].walk_count; k++)
            if (shape->windows[w].walks[k].loop >= p->loop_count || shape->windows[w].walks[k].coefficient == 0)
                return "a window walks along no loop of the problem";
    return NULL;
}

static const char *check_order(const met_cost_problem *p)
{
    met_loops seen = 0;
    for (uint32_t i = 0; i < p->order_count; i++) {
        uint32_t l = p->order[i];
        if (l >= p->loop_count || has(seen, l))
            return "the order names a loop twice, or one that is not there";
        seen |= (met_loops)1 << l;
        if (p->loops[l].partition != (i < p->group_count ? MET_PARTITION_GROUP : MET_PARTITION_STREAM))
            return "the order has streams among its groups, or local loops";
    }
    for (uint32_t l = 0; l < p->loop_count; l++) {
        if (!has(seen, l) && p->loops[l].partition != MET_PARTITION_LOCAL)
            return "a tiled loop is not in the order";
        if (p->loops[l].granule == 0)
            return "a granule is 0";
        if (p->loops[l].like > l || p->loops[p->loops[l].like].size != p->loops[l].size)
            return "loops of one axis have two sizes";
    }
    return NULL;
}

const char *met_cost_problem_check(const met_cost_problem *p)
{
    if (p->loop_count > MET_KERNEL_LOOPS || p->group_count > p->order_count || p->unit == 0 || p->column_count == 0)
        return "counts do not fit";
    const char *wrong = check_order(p);
    for (uint32_t a = 0; !wrong && a < p->array_count; a++) {
        wrong = check_shape(p, &p->arrays[a].shape);
        if (p->arrays[a].passes == 0)
            wrong = "an array is read in no pass";
    }
    for (uint32_t r = 0; !wrong && r < p->resident_count; r++) {
        wrong = check_shape(p, &p->residents[r].shape);
        if (p->residents[r].first > p->residents[r].last || p->residents[r].last >= p->column_count)
            wrong = "a resident stands in no column";
    }
    return wrong;
}
