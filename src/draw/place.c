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

static void place_column(const met_draft *draft, uint32_t column, bool left, bool right, bool pin_lanes)
{
    met_arena *scratch = met_arena_new();
    const met_measure *m = draft->d->measure;
    met_column *c = &draft->columns[column];
    pull_list pulls = { 0 };
    if (left)
        for (size_t i = 0; i < draft->columns[column - 1].links.count; i++)
            add_pulls(draft, &draft->columns[column - 1].links.at[i], true, &pulls, scratch);
    if (right)
        for (size_t i = 0; i < c->links.count; i++)
            add_pulls(draft, &c->links.at[i], false, &pulls, scratch);
    for (size_t i = 0; pin_lanes && i < c->cells.count; i++) {
        const met_cell *cell = &draft->cells.at[c->cells.at[i]];
        met_pull pin = { cell->order, cell->y, 1000 };
        if (cell->item == MET_NONE)
            MET_PUSH(scratch, &pulls, pin);
    }
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

/* Between which heights a cell can move while its neighbours stay. */
static void free_range(const met_draft *draft, uint32_t column, const met_cell *cell, int32_t *low, int32_t *high)
{
    const met_column *c = &draft->columns[column];
    int32_t gap = draft->d->measure->item_gap;
    *low = INT32_MIN;
    *high = INT32_MAX;
    if (cell->order > 0) {
        const met_cell *above = &draft->cells.at[c->cells.at[cell->order - 1]];
        *low = above->y + above->figure.height + gap;
    }
    if (cell->order + 1 < c->cells.count)
        *high = draft->cells.at[c->cells.at[cell->order + 1]].y - gap - cell->figure.height;
}

/* The lane that goes on from a cell in the next column, or MET_NONE. */
static uint32_t next_lane(const met_draft *draft, uint32_t column, uint32_t cell)
{
    const met_column *c = &draft->columns[column];
    uint32_t edge = draft->cells.at[cell].figure.outs[0].edge;
    for (size_t i = 0; i < c->links.count; i++) {
        const met_cell *to = &draft->cells.at[c->links.at[i].to];
        if (c->links.at[i].from == cell && to->item == MET_NONE && to->figure.ins[0].edge == edge)
            return c->links.at[i].to;
    }
    return MET_NONE;
}

/* Columns settle one at a time, so a lane may be left with steps that no single column can remove. Where the whole lane,
 * or a stretch of it, has room for one height, it takes it. */
static void straighten(met_draft *draft, uint32_t column, uint32_t end, uint32_t first, bool *done)
{
    uint32_t cell = first;
    while (cell != MET_NONE) {
        int32_t low = INT32_MIN;
        int32_t high = INT32_MAX;
        uint32_t begin = cell;
        uint32_t begin_column = column;
        int64_t sum = 0;
        int64_t count = 0;
        while (cell != MET_NONE) {
            const met_cell *c = &draft->cells.at[cell];
            int32_t own_low, own_high;
            free_range(draft, column, c, &own_low, &own_high);
            int32_t both_low = own_low > low ? own_low : low;
            int32_t both_high = own_high < high ? own_high : high;
            if (both_low > both_high && count > 0)
                break;
            low = both_low;
            high = both_high;
            sum += c->y;
            count++;
            done[cell] = true;
            cell = column + 1 < end ? next_lane(draft, column, cell) : MET_NONE;
            column++;
        }
        int32_t y = (int32_t)(sum / count);
        y = y < low ? low : y > high ? high : y;
        for (int64_t i = 0; i < count; i++) {
            draft->cells.at[begin].y = y;
            begin = next_lane(draft, begin_column++, begin);
        }
    }
}

static void straighten_lanes(met_draft *draft, uint32_t begin, uint32_t end)
{
    bool *done = MET_NEW_ARRAY(draft->d->arena, bool, draft->cells.count);
    for (uint32_t c = begin; c < end; c++) {
        for (size_t i = 0; i < draft->columns[c].cells.count; i++) {
            uint32_t cell = draft->columns[c].cells.at[i];
            if (draft->cells.at[cell].item == MET_NONE && !done[cell])
                straighten(draft, c, end, cell, done);
        }
    }
}

void met_place_cells(met_draft *draft, uint32_t begin, uint32_t end)
{
    for (uint32_t c = begin; c < end; c++)
        place_column(draft, c, c > begin, false, false);
    for (uint32_t c = end; c-- > begin;)
        place_column(draft, c, false, c + 1 < end, false);
    for (int round = 0; round < 4; round++) {
        bool pinned = round >= 2;
        if (pinned)
            straighten_lanes(draft, begin, end);
        for (uint32_t c = begin; c < end; c++)
            place_column(draft, c, c > begin, c + 1 < end, pinned);
        for (uint32_t c = end; c-- > begin;)
            place_column(draft, c, c > begin, c + 1 < end, pinned);
    }
}
