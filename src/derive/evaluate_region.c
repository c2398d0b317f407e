/* A region as it is written: every value whole, every fold in order. */
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

static void pick(whole *w, uint32_t i)
{
    const met_region_value *value = &w->region->values[i];
    met_pick all = { value->loops, value->reduced, value->slot_loop, value->e, value->live, value->picks_index };
    met_points_pick(&w->points, &all, w->buffers[i]);
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
