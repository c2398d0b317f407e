#include "cost/relax.h"

#include <math.h>

#include "cost/lacks.h"

/* Traffic is Σ gain/Π tile, memory Σ weight·Π tile. For a price of memory, the least traffic + price·memory has in each
 * tile the closed solution √(gains/(price·weights)), and going round the tiles comes to rest, as the sum is convex in the
 * logarithms. The price that fills the capacity is found by halving. */
typedef struct relaxation {
    const met_cost_problem *p;
    double capacity;
    bool clamp;
    uint32_t column;
    met_loops free;
    double tile[MET_KERNEL_LOOPS];
} relaxation;

enum { ROUNDS = 2000, HALVINGS = 200 };

static bool has(met_loops set, uint32_t loop)
{
    return set >> loop & 1;
}

static double shape_volume(const relaxation *r, const met_cost_shape *shape, const double *tile)
{
    double volume = 1;
    for (met_loops rest = shape->loops; rest; rest &= rest - 1)
        volume *= tile[__builtin_ctzll(rest)];
    for (uint32_t w = 0; w < shape->window_count; w++) { /* of one loop each */
        const met_cost_walk *walk = &shape->windows[w].walks[0];
        bool local = r->p->loops[walk->loop].partition == MET_PARTITION_LOCAL;
        double extent = 1 + (local ? (double)walk->coefficient : 1) * (tile[walk->loop] - 1);
        double limit = (double)shape->windows[w].limit;
        volume *= limit > 0 ? fmin(limit, extent) : extent;
    }
    return volume;
}

static double array_traffic(const relaxation *r, const met_cost_array *array)
{
    double whole[MET_KERNEL_LOOPS];
    for (uint32_t l = 0; l < r->p->loop_count; l++)
        whole[l] = (double)r->p->loops[l].size;
    double traffic = (double)array->weight * shape_volume(r, &array->shape, whole);
    traffic *= array->direction == MET_COST_UPDATE ? 2 : 1;
    for (met_loops rest = met_cost_lacks(r->p, array); rest; rest &= rest - 1)
        traffic *= whole[__builtin_ctzll(rest)] / r->tile[__builtin_ctzll(rest)];
    bool streams = false;
    for (uint32_t i = r->p->group_count; i < r->p->order_count; i++)
        streams = streams || (has(met_cost_carries(&array->shape), r->p->order[i]) &&
                              r->tile[r->p->order[i]] < whole[r->p->order[i]]);
    return streams ? traffic * array->passes : traffic;
}

static double traffic_of(const relaxation *r, met_loops lacking)
{
    double sum = 0;
    for (uint32_t a = 0; a < r->p->array_count; a++)
        if (!lacking || met_cost_lacks(r->p, &r->p->arrays[a]) & lacking)
            sum += array_traffic(r, &r->p->arrays[a]);
    return sum;
}

static double memory_of(const relaxation *r, met_loops having)
{
    double sum = 0;
    for (uint32_t k = 0; k < r->p->resident_count; k++) {
        const met_cost_resident *resident = &r->p->residents[k];
        if (resident->first > r->column || r->column > resident->last)
            continue;
        if (!having || met_cost_carries(&resident->shape) & having)
            sum += (double)resident->weight * shape_volume(r, &resident->shape, r->tile);
    }
    return sum;
}

static double clamped(const relaxation *r, uint32_t l, double tile)
{
    if (!r->clamp)
        return tile;
    double size = (double)r->p->loops[l].size;
    return tile < 1 ? 1 : tile > size ? size : tile;
}

/* The best tiles for a price of memory. */
static void settle(relaxation *r, double price)
{
    for (int round = 0; round < ROUNDS; round++) {
        double moved = 0;
        for (met_loops rest = r->free; rest; rest &= rest - 1) {
            uint32_t l = (uint32_t)__builtin_ctzll(rest);
            met_loops bit = (met_loops)1 << l;
            double old = r->tile[l], memory = memory_of(r, bit);
            double tile = memory > 0 ? old * sqrt(traffic_of(r, bit) / (price * memory)) : (double)r->p->loops[l].size;
            r->tile[l] = clamped(r, l, tile);
            moved = fmax(moved, fabs(r->tile[l] / old - 1));
        }
        if (moved < 4e-16) /* rounding may keep the last bit moving */
            break;
    }
}

static void start(relaxation *r)
{
    for (uint32_t l = 0; l < r->p->loop_count; l++) {
        const met_cost_loop *loop = &r->p->loops[l];
        bool local = loop->partition == MET_PARTITION_LOCAL;
        r->tile[l] = local ? (double)loop->size : has(r->free, l) ? 1 : (double)loop->granule;
    }
}

/* The best for one column of residents. */
static bool relax_column(relaxation *r)
{
    start(r);
    if (r->clamp && memory_of(r, 0) > r->capacity)
        return false;
    if (r->clamp) { /* everything whole */
        for (met_loops rest = r->free; rest; rest &= rest - 1)
            r->tile[__builtin_ctzll(rest)] = (double)r->p->loops[__builtin_ctzll(rest)].size;
        if (memory_of(r, 0) <= r->capacity)
            return true;
    }
    start(r);
    if (!r->free)
        return memory_of(r, 0) <= r->capacity;
    double low = -600, high = 600; /* logarithms of a price that is too low, and of one that is too high */
    for (int i = 0; i < HALVINGS && high - low > 0; i++) {
        double middle = low + (high - low) / 2;
        start(r);
        settle(r, exp(middle));
        if (middle == low || middle == high)
            break;
        if (memory_of(r, 0) > r->capacity)
            low = middle;
        else
            high = middle;
    }
    return isfinite(traffic_of(r, 0));
}

static bool any_overlap(const met_cost_shape *shape)
{
    for (uint32_t w = 0; w < shape->window_count; w++)
        if (shape->windows[w].walk_count > 1)
            return true;
    return false;
}

/* Whether a position that several loops walk together makes tiles overlap. */
static bool overlaps(const met_cost_problem *p)
{
    bool any = false;
    for (uint32_t a = 0; a < p->array_count; a++)
        any = any || any_overlap(&p->arrays[a].shape);
    for (uint32_t k = 0; k < p->resident_count; k++)
        any = any || any_overlap(&p->residents[k].shape);
    return any;
}

bool met_cost_relax(const met_cost_problem *p, double capacity, bool clamp, met_cost_relaxed *ret_relaxed)
{
    bool found = false;
    if (overlaps(p))
        return false;
    for (uint32_t column = 0; column < p->column_count; column++) {
        relaxation r = { .p = p, .capacity = capacity, .clamp = clamp, .column = column, .free = met_cost_free_loops(p) };
        if (!relax_column(&r))
            return false;
        double traffic = traffic_of(&r, 0);
        if (found && traffic <= ret_relaxed->traffic) /* every column must fit: the one that asks for most counts */
            continue;
        found = true;
        *ret_relaxed = (met_cost_relaxed){ .traffic = traffic };
        for (uint32_t l = 0; l < p->loop_count; l++)
            ret_relaxed->tile[l] = r.tile[l];
        for (met_loops rest = r.free; rest; rest &= rest - 1) {
            uint32_t l = (uint32_t)__builtin_ctzll(rest);
            ret_relaxed->clamped = ret_relaxed->clamped || r.tile[l] <= 1 || r.tile[l] >= (double)p->loops[l].size;
        }
    }
    return found;
}
