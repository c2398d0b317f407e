/* Columns: longest path from the left, then items move right where that shortens wires; lanes for wires that pass. */
#include "draw/level_parts.h"

/* What the level knows of each edge while columns are made. */
typedef struct reader {
    uint32_t item, port, next;
} reader;

typedef struct wiring {
    uint32_t *producer, *port; /* for each edge: the item and its out port; MET_NONE */
    uint32_t *first;           /* for each edge: its first reader in `readers` */
    MET_VEC(reader) readers;
} wiring;

static void forget(wiring *w, uint32_t count, const uint32_t *edges)
{
    for (uint32_t i = 0; i < count; i++) {
        w->producer[edges[i]] = MET_NONE;
        w->first[edges[i]] = MET_NONE;
    }
}

static void find_wiring(met_draft *draft, wiring *w)
{
    const met_circuit *c = draft->d->circuit;
    met_arena *arena = draft->d->arena;
    w->producer = draft->d->edge_scratch;
    w->first = w->producer + c->edge_count;
    w->port = w->first + c->edge_count;
    for (size_t i = 0; i < draft->level.items.count; i++) {
        const met_item_view *item = &draft->level.items.at[i];
        forget(w, item->in_count, item->ins);
        forget(w, item->out_count, item->outs);
    }
    for (size_t i = draft->level.items.count; i-- > 0;) { /* backwards, so that lists come out forwards */
        const met_item_view *item = &draft->level.items.at[i];
        for (uint32_t p = 0; p < item->out_count; p++) {
            w->producer[item->outs[p]] = (uint32_t)i;
            w->port[item->outs[p]] = p;
        }
        for (uint32_t p = item->in_count; p-- > 0;) {
            reader r = { (uint32_t)i, p, w->first[item->ins[p]] };
            w->first[item->ins[p]] = (uint32_t)w->readers.count;
            MET_PUSH(arena, &w->readers, r);
        }
    }
}

/* What stands in the last column. */
static bool is_end(const met_item_view *item) { return item->kind == MET_ITEM_SINK || item->kind == MET_ITEM_KEPT; }

static void longest_path(met_draft *draft, const wiring *w)
{
    uint32_t last = 0;
    size_t count = draft->level.items.count;
    for (size_t i = 0; i < count; i++) {
        const met_item_view *item = &draft->level.items.at[i];
        uint32_t column = item->kind == MET_ITEM_NODE || item->kind == MET_ITEM_BLOCK ? 1 : 0;
        for (uint32_t p = 0; p < item->in_count; p++) {
            uint32_t producer = w->producer[item->ins[p]];
            if (producer != MET_NONE && producer < i && draft->column_of[producer] >= column)
                column = draft->column_of[producer] + 1;
        }
        draft->column_of[i] = column;
        last = column > last && !is_end(item) ? column : last;
    }
    for (size_t i = 0; i < count; i++)
        if (is_end(&draft->level.items.at[i]))
            draft->column_of[i] = last + 1;
    draft->column_count = last + 2;
}

/* Wires that would get longer if the item moved right: those that nobody else reads as far right. */
static uint32_t dragged(const met_draft *draft, const wiring *w, uint32_t item)
{
    const met_item_view *view = &draft->level.items.at[item];
    uint32_t rows = 0;
    for (uint32_t p = 0; p < view->in_count; p++) {
        bool alone = true;
        for (uint32_t r = w->first[view->ins[p]]; r != MET_NONE; r = w->readers.at[r].next) {
            uint32_t other = w->readers.at[r].item;
            alone = alone && (other == item || draft->column_of[other] <= draft->column_of[item]);
        }
        rows += alone ? met_edge_rows(draft->d->circuit, view->ins[p]) : 0;
    }
    return rows;
}

static void pull_right(met_draft *draft, const wiring *w)
{
    for (size_t i = draft->level.items.count; i-- > 0;) {
        const met_item_view *item = &draft->level.items.at[i];
        if (item->kind == MET_ITEM_SOURCE || is_end(item))
            continue;
        uint32_t limit = MET_NONE;
        uint32_t rows = 0;
        for (uint32_t p = 0; p < item->out_count; p++) {
            uint32_t r = w->first[item->outs[p]];
            rows += r != MET_NONE ? met_edge_rows(draft->d->circuit, item->outs[p]) : 0;
            for (; r != MET_NONE; r = w->readers.at[r].next) {
                uint32_t column = draft->column_of[w->readers.at[r].item];
                limit = column - 1 < limit ? column - 1 : limit;
            }
        }
        if (limit == MET_NONE || limit <= draft->column_of[i])
            continue;
        if (rows > 2 * dragged(draft, w, (uint32_t)i)) /* a small gain is not worth tearing q, k and v apart */
            draft->column_of[i] = limit;
    }
}

static uint32_t add_cell(met_draft *draft, met_column *column, met_cell cell)
{
    uint32_t id = (uint32_t)draft->cells.count;
    MET_PUSH(draft->d->arena, &draft->cells, cell);
    MET_PUSH(draft->d->arena, &column->cells, id);
    return id;
}

uint32_t met_lane_add(met_draft *draft, met_column *column, uint32_t edge)
{
    const met_measure *m = draft->d->measure;
    met_cell lane = { .item = MET_NONE };
    met_port *port = MET_NEW(draft->d->arena, met_port);
    *port = met_port_make(draft->d, edge, m->above);
    lane.figure.in_count = lane.figure.out_count = 1;
    lane.figure.ins = lane.figure.outs = port;
    lane.figure.height = m->above + (int32_t)(port->rows - 1) * m->pitch + m->below;
    return add_cell(draft, column, lane);
}

/* Follows one array from its producer through lanes to its last reader. */
static void thread_edge(met_draft *draft, const wiring *w, const uint32_t *cell_of, uint32_t item, uint32_t port)
{
    uint32_t edge = draft->level.items.at[item].outs[port];
    uint32_t last = 0;
    for (uint32_t r = w->first[edge]; r != MET_NONE; r = w->readers.at[r].next) {
        uint32_t column = draft->column_of[w->readers.at[r].item];
        last = column > last ? column : last;
    }
    uint32_t from = cell_of[item];
    for (uint32_t c = draft->column_of[item]; c < last; c++, port = 0) {
        for (uint32_t r = w->first[edge]; r != MET_NONE; r = w->readers.at[r].next) {
            const reader *to = &w->readers.at[r];
            if (draft->column_of[to->item] != c + 1)
                continue;
            met_link link = { from, port, cell_of[to->item], to->port };
            MET_PUSH(draft->d->arena, &draft->columns[c].links, link);
        }
        if (c + 1 == last)
            break;
        met_link link = { from, port, met_lane_add(draft, &draft->columns[c + 1], edge), 0 };
        MET_PUSH(draft->d->arena, &draft->columns[c].links, link);
        from = link.to;
    }
}

void met_columns_assign(met_draft *draft, const met_figure *figures)
{
    met_arena *arena = draft->d->arena;
    size_t count = draft->level.items.count;
    wiring w = { 0 };
    find_wiring(draft, &w);
    draft->column_of = MET_NEW_ARRAY(arena, uint32_t, count);
    longest_path(draft, &w);
    pull_right(draft, &w);
    draft->columns = MET_NEW_ARRAY(arena, met_column, draft->column_count);
    uint32_t *cell_of = MET_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        cell_of[i] = add_cell(draft, &draft->columns[draft->column_of[i]], (met_cell){ .item = i, .figure = figures[i] });
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 0; p < draft->level.items.at[i].out_count; p++)
            if (w.producer[draft->level.items.at[i].outs[p]] == i)
                thread_edge(draft, &w, cell_of, i, p);
    draft->columns[0].fixed = true;
    draft->columns[draft->column_count - 1].fixed = true;
}
