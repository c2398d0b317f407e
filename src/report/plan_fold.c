/* Layers are alike: groups that come again with the same kernels, ops and prices are told of once. */
#include "base/map.h"
#include "report/plan.h"

enum { LONGEST = 512 }; /* groups of a stretch */

typedef struct folder {
    const met_lowering *lowering;
    met_arena *arena;
    uint32_t *kinds; /* by group: equal for groups that look alike */
} folder;

static void put_kind(met_text *out, const met_lowering *lowering, const met_lowering_group *group)
{
    for (uint32_t k = 0; k < group->kernels.count; k++)
        met_text_format(out, "%s ", group->kernels.names[k]);
    for (uint32_t i = 0; i < group->node_count; i++)
        met_text_format(out, "%s ", lowering->circuit->nodes[group->nodes[i].id].op->name);
    met_text_format(out, "%d %d %a %a %a %d %s", (int)group->repeat, (int)group->source, group->price.bytes, group->price.flops,
                    group->price.seconds, group->price.bound, group->record);
}

static void find_kinds(folder *f)
{
    met_map *numbers = met_map_new(f->arena);
    f->kinds = MET_NEW_ARRAY(f->arena, uint32_t, f->lowering->group_count);
    uint32_t count = 0;
    for (uint32_t g = 0; g < f->lowering->group_count; g++) {
        met_text text = met_text_new(f->arena);
        put_kind(&text, f->lowering, &f->lowering->groups[g]);
        if (!met_map_get(numbers, met_str_of(met_text_done(&text)), &f->kinds[g])) {
            f->kinds[g] = count;
            met_map_set(numbers, met_str_of(text.at), count++);
        }
    }
}

/* How often the `length` groups from `begin` on come one after another. */
static uint32_t times_of(const folder *f, uint32_t begin, uint32_t length)
{
    uint32_t at = begin + length;
    while (at < f->lowering->group_count && f->kinds[at] == f->kinds[at - length])
        at++;
    return (at - begin) / length;
}

/* The stretch at a group that says most at once: the one whose repetitions are longest, then the shortest. */
static met_plan_stretch stretch_at(const folder *f, uint32_t begin)
{
    met_plan_stretch best = { begin, 1, 1 };
    uint32_t left = f->lowering->group_count - begin;
    for (uint32_t length = 1; length <= left / 2 && length <= LONGEST; length++) {
        if (f->kinds[begin] != f->kinds[begin + length])
            continue;
        uint32_t times = times_of(f, begin, length);
        if (times > 1 && times * length > best.times * best.length)
            best = (met_plan_stretch){ begin, length, times };
    }
    return best;
}

const met_plan_stretch *met_plan_stretches(const met_lowering *lowering, uint32_t *ret_count)
{
    met_arena *scratch = met_arena_new();
    folder f = { .lowering = lowering, .arena = scratch };
    met_plan_stretch *all = MET_NEW_ARRAY(lowering->circuit->session->arena, met_plan_stretch, lowering->group_count);
    uint32_t count = 0;
    find_kinds(&f);
    for (uint32_t g = 0; g < lowering->group_count;) {
        met_plan_stretch next = stretch_at(&f, g);
        g += next.length * next.times;
        if (next.times == 1 && count > 0 && all[count - 1].times == 1)
            all[count - 1].length++;
        else
            all[count++] = next;
    }
    met_arena_free(scratch);
    *ret_count = count;
    return all;
}
