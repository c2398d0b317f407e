/* A region as it is written: every value whole, every fold in order. */
#include <math.h>

#include "derive/evaluate_parts.h"

typedef struct whole {
    met_arena *arena;
    const met_region *region;
    met_points points;
    double **buffers;
} whole;

static void fold(whole *w, uint32_t i)
{
    const met_region_value *value = &w->region->values[i];
    size_t k = 0;
    do
        w->buffers[i][k++] = met_points_fold(&w->points, met_region_fold_table[value->fold].monoid, value->reduced, value->e, value->live);
    while (met_points_next(&w->points, value->loops));
}

static void scan(whole *w, uint32_t i)
{
    const met_region_value *value = &w->region->values[i];
    size_t k = 0;
    do {
        w->points.before = 0;
        do
            w->points.before = met_points_eval(&w->points, value->e);
        while (met_points_next(&w->points, value->reduced));
        w->buffers[i][k++] = w->points.before;
    } while (met_points_next(&w->points, value->loops));
}

/* The element that stands at place `slot` in falling order, ties by position; false if there are too few. */
static bool element_at(whole *w, const met_region_value *value, uint64_t slot, double *ret_value, double *ret_index)
{
    uint64_t count = met_points_count(&w->points, value->reduced), index = 0;
    double *all = MET_NEW_ARRAY(w->arena, double, count);
    do
        all[index++] = met_points_eval(&w->points, value->e);
    while (met_points_next(&w->points, value->reduced));
    for (uint64_t a = 0; a < count; a++) {
        uint64_t above = 0;
        for (uint64_t b = 0; b < count; b++)
            above += all[b] > all[a] || (all[b] == all[a] && b < a);
        if (above == slot) {
            *ret_value = all[a];
            *ret_index = (double)a;
            return true;
        }
    }
    return false;
}

static void pick(whole *w, uint32_t i)
{
    const met_region_value *value = &w->region->values[i];
    met_loops slot_loop = 0;
    for (uint32_t l = 0; value->slots && l < w->region->loop_count; l++)
        if (met_dim_equal(w->region->loops[l].size, value->slots))
            slot_loop = (met_loops)1 << l;
    size_t k = 0;
    do {
        double number = -INFINITY, index = -1;
        element_at(w, value, met_points_offset(&w->points, slot_loop), &number, &index);
        w->buffers[i][k++] = value->picks_index ? index : number;
    } while (met_points_next(&w->points, value->loops));
}

const double *met_region_evaluate(met_arena *arena, const met_region *region, const uint64_t *sizes, const double *const *inputs,
                                  uint32_t value)
{
    whole w = { arena, region, { .loop_count = region->loop_count, .sizes = sizes }, MET_NEW_ARRAY(arena, double *, region->value_count) };
    w.points.loops = MET_NEW_ARRAY(arena, met_loops, region->value_count);
    w.points.arrays = MET_NEW_ARRAY(arena, const double *, region->value_count);
    for (uint32_t i = 0; i <= value; i++) {
        const met_region_value *at = &region->values[i];
        w.points.loops[i] = at->loops;
        if (!at->input)
            w.buffers[i] = MET_NEW_ARRAY(arena, double, met_points_count(&w.points, at->loops));
        w.points.arrays[i] = at->input ? inputs[i] : w.buffers[i];
        if (at->fold == MET_REGION_SCAN)
            scan(&w, i);
        else if (at->fold == MET_REGION_TOP_K || at->fold == MET_REGION_ARGMAX)
            pick(&w, i);
        else if (!at->input)
            fold(&w, i);
    }
    return w.points.arrays[value];
}
