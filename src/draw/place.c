/* Heights: every cell is pulled to where its wires would be straight. */
#include "draw/level_parts.h"
#include "draw/spread.h"

/* Long wires should be straight first, then wires that pass round ops, then short ones. */
static int32_t link_weight(const met_cell *a, const met_cell *b)
{
    int lanes = (a->item == MET_NONE) + (b->item == MET_NONE);
    return lanes == 2 ? 8 : lanes == 1 ? 4 : 1;
}

typedef MET_VEC(met_pull) pull_list;

static void add_pulls(const met_draft *draft, const met_link *link, bool to_own, pull_list *pulls, met_arena *arena)
{
    const met_cell *from = &draft->cells.at[link->from];
    const met_cell *to = &draft->cells.at[link->to];
    const met_port *out = &from->figure.outs[link->from_port];
    const met_port *in = &to->figure.ins[link->to_port];
    for (uint32_t r = 0; r < out->rows && r < in->rows; r++) {
        met_pull pull = { .item = to_own ? to->order : from->order, .weight = link_weight(from, to) };
        pull.place = to_own ? from->y + out->y[r] - in->y[r] : to->y + in->y[r] - out->y[r];
        MET_PUSH(arena, pulls, pull);
    }
}

/* Pulls in the order of items, by counting. */
static met_pull *sorted(const pull_list *pulls, size_t items, met_arena *arena)
{
    size_t *start = MET_NEW_ARRAY(arena, size_t, items + 1);
    met_pull *result = MET_NEW_ARRAY(arena, met_pull, pulls->count);
    for (size_t i = 0; i < pulls->count; i++)
        start[pulls->at[i].item + 1]++;
    for (size_t i = 0; i < items; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < pulls->count; i++)
        result[start[pulls->at[i].item]++] = pulls->at[i];
    return result;
}

static void place_column(met_draft *draft, uint32_t column, bool left, bool right)
{
    met_arena *scratch = met_arena_new();
    const met_measure *m = draft->d->measure;
    met_column *c = &draft->columns[column];
    pull_list pulls = { 0 };
    if (left && column > 0)
        for (size_t i = 0; i < draft->columns[column - 1].links.count; i++)
            add_pulls(draft, &draft->columns[column - 1].links.at[i], true, &pulls, scratch);
    if (right)
        for (size_t i = 0; i < c->links.count; i++)
            add_pulls(draft, &c->links.at[i], false, &pulls, scratch);
    size_t count = c->cells.count;
    int32_t *distance = MET_NEW_ARRAY(scratch, int32_t, count + 1);
    int32_t *y = MET_NEW_ARRAY(scratch, int32_t, count + 1);
    for (size_t i = 1; i < count; i++)
        distance[i] = draft->cells.at[c->cells.at[i - 1]].figure.height + m->item_gap;
    met_spread(scratch, count, distance, pulls.count, sorted(&pulls, count, scratch), y);
    for (size_t i = 0; i < count; i++)
        draft->cells.at[c->cells.at[i]].y = y[i];
    met_arena_free(scratch);
}

void met_place_cells(met_draft *draft)
{
    uint32_t n = draft->column_count;
    for (uint32_t c = 0; c < n; c++)
        place_column(draft, c, true, false);
    for (uint32_t c = n; c-- > 0;)
        place_column(draft, c, false, true);
    for (int round = 0; round < 2; round++) {
        for (uint32_t c = 0; c < n; c++)
            place_column(draft, c, true, true);
        for (uint32_t c = n; c-- > 0;)
            place_column(draft, c, true, true);
    }
}
