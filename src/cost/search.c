#include "cost/search.h"

#include <string.h>

static const met_cost_loop *loop_of(const met_cost_search *s, uint32_t loop)
{
    return &s->problem->loops[loop];
}

/* --- The tiles of a loop --- */

/* Tiles are multiples of a step, and the whole loop where that is a multiple of its granule. */
static uint64_t step_of(const met_cost_search *s, uint32_t l)
{
    return s->step ? s->step[l] : loop_of(s, l)->granule;
}

static bool whole_allowed(const met_cost_search *s, uint32_t l)
{
    return loop_of(s, l)->size < loop_of(s, l)->granule || loop_of(s, l)->size % loop_of(s, l)->granule == 0;
}

/* The least tile that is allowed and no smaller than `tile`; beyond the loop's size if there is none. */
static uint64_t allowed(const met_cost_search *s, uint32_t l, uint64_t tile)
{
    uint64_t step = step_of(s, l), size = loop_of(s, l)->size, up = step;
    if (size < step)
        return size;
    if (!s->powers) {
        up = (tile - 1) / step * step + step;
        return up > size && tile <= size && whole_allowed(s, l) ? size : up;
    }
    while (up < tile && up <= size / 2)
        up *= 2;
    return up < tile ? size + 1 : up;
}

uint64_t met_cost_tile_least(const met_cost_search *s, uint32_t l)
{
    return allowed(s, l, s->minimum && s->minimum[l] > 1 ? s->minimum[l] : 1);
}

/* The largest that is no larger than `tile`, of those from the least on. */
static uint64_t allowed_under(const met_cost_search *s, uint32_t l, uint64_t tile)
{
    uint64_t step = step_of(s, l), least = met_cost_tile_least(s, l), down = tile / step * step;
    if (s->powers)
        for (down = step; down <= tile / 2;)
            down *= 2;
    return down > least ? down : least;
}

uint64_t met_cost_tile_most(const met_cost_search *s, uint32_t l)
{
    uint64_t size = loop_of(s, l)->size;
    return whole_allowed(s, l) && !s->powers ? size : allowed_under(s, l, size);
}

/* The least tile with as many trips. */
static uint64_t canonical(const met_cost_search *s, uint32_t l, uint64_t tile)
{
    uint64_t size = loop_of(s, l)->size, least = met_cost_tile_least(s, l);
    if (s->powers || s->every_tile)
        return tile;
    uint64_t trips = (size - 1) / tile + 1;
    uint64_t smallest = allowed(s, l, (size - 1) / trips + 1);
    return smallest > least ? smallest : least;
}

uint64_t met_cost_tile_next(const met_cost_search *s, uint32_t l, uint64_t tile)
{
    return tile <= met_cost_tile_least(s, l) ? 0 : canonical(s, l, allowed_under(s, l, tile - 1));
}

static bool fits(const met_cost_search *s)
{
    return met_cost_memory(s->problem, s->tile) <= s->capacity;
}

bool met_cost_search_fill(met_cost_search *s, uint32_t l)
{
    uint64_t least = met_cost_tile_least(s, l), most = met_cost_tile_most(s, l);
    s->tile[l] = most;
    if (least <= loop_of(s, l)->size && fits(s)) {
        s->tile[l] = canonical(s, l, most);
        return true;
    }
    s->tile[l] = least;
    if (least > loop_of(s, l)->size || !fits(s))
        return false;
    uint64_t fitting = least, beyond = most; /* fitting does, beyond does not */
    for (;;) {
        uint64_t middle = allowed_under(s, l, fitting + (beyond - fitting) / 2);
        if (middle == fitting)
            middle = allowed(s, l, fitting + 1);
        if (middle >= beyond)
            break;
        s->tile[l] = middle;
        if (fits(s))
            fitting = middle;
        else
            beyond = middle;
    }
    s->tile[l] = canonical(s, l, fitting);
    return true;
}

/* --- The loops that matter --- */

/* Whether an array's traffic may change with the tile of loop order[at]. */
static bool matters_to(const met_cost_problem *p, const met_cost_array *array, uint32_t at)
{
    uint32_t l = p->order[at];
    met_loops own = met_cost_carries(&array->shape);
    if (own >> l & 1) {
        bool grouped = at < p->group_count, windowed = !(array->shape.loops >> l & 1);
        bool under = false; /* a stream that the array lacks runs outside this one */
        for (uint32_t i = p->group_count; i < at; i++)
            under = under || !(own >> p->order[i] & 1);
        return windowed || (!grouped && (under || array->passes > 1));
    }
    bool over = at < p->group_count;
    for (uint32_t i = at + 1; i < p->order_count; i++)
        over = over || own >> p->order[i] & 1;
    return over;
}

static uint64_t tile_count(const met_cost_search *s, uint32_t l)
{
    return met_cost_tile_most(s, l) / step_of(s, l);
}

void met_cost_search_start(met_cost_search *s)
{
    const met_cost_problem *p = s->problem;
    s->count = 0;
    for (uint32_t l = 0; l < p->loop_count; l++)
        s->tile[l] = loop_of(s, l)->partition == MET_PARTITION_LOCAL ? loop_of(s, l)->size : met_cost_tile_least(s, l);
    for (uint32_t at = 0; at < p->order_count; at++) {
        bool matters = false;
        for (uint32_t a = 0; a < p->array_count; a++)
            matters = matters || matters_to(p, &p->arrays[a], at);
        if (!matters)
            continue;
        uint32_t k = s->count++; /* those with more tiles further back: the last one is not enumerated */
        for (; k > 0 && tile_count(s, s->loops[k - 1]) > tile_count(s, p->order[at]); k--)
            s->loops[k] = s->loops[k - 1];
        s->loops[k] = p->order[at];
    }
}

/* --- The search --- */

static uint64_t traffic_of(met_cost_search *s)
{
    s->steps++;
    return met_cost_traffic(s->problem, s->tile);
}

static void reset_from(met_cost_search *s, uint32_t depth)
{
    for (uint32_t k = depth; k < s->count; k++)
        s->tile[s->loops[k]] = met_cost_tile_least(s, s->loops[k]);
}

/* No choice for the loops from `depth` on, the others being as they are, has less traffic: each of them is as large as it
 * fits while the rest are least. */
static uint64_t bound_from(met_cost_search *s, uint32_t depth)
{
    uint64_t most[MET_KERNEL_LOOPS];
    for (uint32_t k = depth; k < s->count; k++) {
        uint32_t l = s->loops[k];
        if (!met_cost_search_fill(s, l))
            return MET_BEYOND;
        most[k] = s->tile[l];
        s->tile[l] = met_cost_tile_least(s, l);
    }
    for (uint32_t k = depth; k < s->count; k++)
        s->tile[s->loops[k]] = most[k];
    uint64_t bound = traffic_of(s);
    reset_from(s, depth);
    return bound;
}

/* The last loop takes the fewest trips that fit, and of the tiles with that traffic the least. */
static void settle_last(met_cost_search *s, uint32_t l)
{
    if (!met_cost_search_fill(s, l))
        return;
    uint64_t low = met_cost_tile_least(s, l), high = s->tile[l]; /* low - 1 may do, high does */
    uint64_t traffic = traffic_of(s);
    while (low < high) {
        s->tile[l] = allowed_under(s, l, low + (high - low) / 2);
        if (traffic_of(s) == traffic)
            high = s->tile[l];
        else
            low = allowed(s, l, s->tile[l] + 1);
    }
    s->tile[l] = high;
    s->visit(s, traffic);
}

/* The deeper loops as large as they can ever be: each while all others are least. */
static void fill_free(met_cost_search *s, uint32_t depth, uint64_t *ret_most)
{
    for (uint32_t k = depth; k < s->count; k++) {
        ret_most[k] = met_cost_search_fill(s, s->loops[k]) ? s->tile[s->loops[k]] : loop_of(s, s->loops[k])->size;
        s->tile[s->loops[k]] = met_cost_tile_least(s, s->loops[k]);
    }
}

/* Whether this tile is too small already, whatever the deeper loops do; then smaller ones are as well. */
static bool too_small(met_cost_search *s, uint32_t depth, const uint64_t *most)
{
    for (uint32_t k = depth; k < s->count; k++)
        s->tile[s->loops[k]] = most[k];
    uint64_t traffic = traffic_of(s);
    reset_from(s, depth);
    return s->useless(s, traffic, 0);
}

static void search_from(met_cost_search *s, uint32_t depth)
{
    uint32_t l = s->loops[depth];
    bool last = depth + 1 == s->count;
    if (last && !s->every_choice) {
        settle_last(s, l);
        return;
    }
    uint64_t most[MET_KERNEL_LOOPS];
    fill_free(s, depth + 1, most);
    if (!met_cost_search_fill(s, l))
        return;
    for (uint64_t tile = s->tile[l]; tile != 0 && s->steps < s->step_limit; tile = met_cost_tile_next(s, l, tile)) {
        s->tile[l] = tile;
        if (too_small(s, depth + 1, most))
            break;
        uint64_t bound = bound_from(s, depth + 1);
        if (s->useless(s, bound, met_cost_memory(s->problem, s->tile)))
            continue;
        if (last)
            s->visit(s, bound);
        else
            search_from(s, depth + 1);
    }
    s->tile[l] = met_cost_tile_least(s, l);
    reset_from(s, depth + 1);
}

bool met_cost_search_run(met_cost_search *s)
{
    if (met_cost_memory(s->problem, s->tile) > s->capacity)
        return true;
    for (uint32_t l = 0; l < s->problem->loop_count; l++)
        if (s->tile[l] > loop_of(s, l)->size)
            return true;
    if (s->count == 0)
        s->visit(s, traffic_of(s));
    else
        search_from(s, 0);
    return s->steps < s->step_limit;
}
