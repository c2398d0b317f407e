/* The order of cells within their columns: barycentre sweeps over whole cells, crossings counted exactly, the best order
 * kept. Ties keep the order before, so the result depends on nothing but the circuit. */
#include <stdlib.h>
#include <string.h>

#include "draw/level_parts.h"

enum { SWEEPS = 10, SCALE = 256 };

void met_order_number(met_draft *draft, uint32_t column)
{
    uint32_t in = 0;
    uint32_t out = 0;
    const met_column *c = &draft->columns[column];
    for (size_t i = 0; i < c->cells.count; i++) {
        met_cell *cell = &draft->cells.at[c->cells.at[i]];
        cell->order = (uint32_t)i;
        cell->in_base = in;
        cell->out_base = out;
        for (uint32_t p = 0; p < cell->figure.in_count; p++)
            in += cell->figure.ins[p].rows;
        for (uint32_t p = 0; p < cell->figure.out_count; p++)
            out += cell->figure.outs[p].rows;
    }
}

/* Number of a port's first wire in its column. */
static uint32_t port_number(const met_cell *cell, uint32_t port, bool out)
{
    const met_port *ports = out ? cell->figure.outs : cell->figure.ins;
    uint32_t number = out ? cell->out_base : cell->in_base;
    /* Within a port, wires may stand in any order only if its heights rise, which they do. */
    for (uint32_t p = 0; p < port; p++)
        number += ports[p].rows;
    return number;
}

static uint32_t link_rows(const met_draft *draft, const met_link *link)
{
    return draft->cells.at[link->from].figure.outs[link->from_port].rows;
}

static uint64_t gap_crossings(const met_draft *draft, uint32_t column, met_arena *scratch)
{
    const met_column *c = &draft->columns[column];
    size_t count = 0;
    for (size_t i = 0; i < c->links.count; i++)
        count += link_rows(draft, &c->links.at[i]);
    met_pair *pairs = MET_NEW_ARRAY(scratch, met_pair, count);
    size_t n = 0;
    for (size_t i = 0; i < c->links.count; i++) {
        const met_link *link = &c->links.at[i];
        uint32_t from = port_number(&draft->cells.at[link->from], link->from_port, true);
        uint32_t to = port_number(&draft->cells.at[link->to], link->to_port, false);
        for (uint32_t r = 0; r < link_rows(draft, link); r++)
            pairs[n++] = (met_pair){ (int32_t)(from + r), (int32_t)(to + r) };
    }
    return met_count_crossings(scratch, pairs, n);
}

uint64_t met_order_crossings(const met_draft *draft, met_arena *scratch)
{
    uint64_t crossings = 0;
    for (uint32_t c = 0; c + 1 < draft->column_count; c++)
        crossings += gap_crossings(draft, c, scratch);
    return crossings;
}

typedef struct sort_entry {
    int64_t key;
    uint32_t order, cell;
} sort_entry;

static int by_key(const void *a, const void *b)
{
    const sort_entry *p = a;
    const sort_entry *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* Sorts a column by the mean wire that its cells are linked to on one side. */
static void sort_column(met_draft *draft, uint32_t column, bool by_left, met_arena *scratch)
{
    met_column *c = &draft->columns[column];
    if (c->fixed || c->cells.count < 2)
        return;
    int64_t *sum = MET_NEW_ARRAY(scratch, int64_t, draft->cells.count);
    int64_t *weight = MET_NEW_ARRAY(scratch, int64_t, draft->cells.count);
    const met_column *side = by_left ? &draft->columns[column - 1] : c;
    for (size_t i = 0; i < side->links.count; i++) {
        const met_link *link = &side->links.at[i];
        uint32_t own = by_left ? link->to : link->from;
        const met_cell *far = &draft->cells.at[by_left ? link->from : link->to];
        int64_t rows = link_rows(draft, link);
        int64_t first = port_number(far, by_left ? link->from_port : link->to_port, by_left);
        sum[own] += rows * (2 * first + rows - 1) * (SCALE / 2);
        weight[own] += rows;
    }
    sort_entry *entries = MET_NEW_ARRAY(scratch, sort_entry, c->cells.count);
    int64_t before = 0; /* a cell without links stays behind its predecessor */
    for (size_t i = 0; i < c->cells.count; i++) {
        uint32_t cell = c->cells.at[i];
        before = weight[cell] ? sum[cell] / weight[cell] : before;
        entries[i] = (sort_entry){ before, (uint32_t)i, cell };
    }
    qsort(entries, c->cells.count, sizeof *entries, by_key);
    for (size_t i = 0; i < c->cells.count; i++)
        c->cells.at[i] = entries[i].cell;
    met_order_number(draft, column);
}

/* The cells of all columns, one after the other. */
static void save_order(const met_draft *draft, uint32_t *order)
{
    for (uint32_t c = 0; c < draft->column_count; c++) {
        if (draft->columns[c].cells.count > 0)
            memcpy(order, draft->columns[c].cells.at, draft->columns[c].cells.count * sizeof *order);
        order += draft->columns[c].cells.count;
    }
}

static void restore_order(met_draft *draft, const uint32_t *order)
{
    for (uint32_t c = 0; c < draft->column_count; c++) {
        if (draft->columns[c].cells.count > 0)
            memcpy(draft->columns[c].cells.at, order, draft->columns[c].cells.count * sizeof *order);
        order += draft->columns[c].cells.count;
        met_order_number(draft, c);
    }
}

static uint64_t around(const met_draft *draft, uint32_t column, met_arena *scratch)
{
    uint64_t crossings = column > 0 ? gap_crossings(draft, column - 1, scratch) : 0;
    return crossings + (column + 1 < draft->column_count ? gap_crossings(draft, column, scratch) : 0);
}

enum { SWAP_CELLS = 24 };

/* Exchanges neighbours where that removes crossings; for columns small enough to be looked at closely. */
static void swap_neighbours(met_draft *draft)
{
    for (uint32_t c = 0; c < draft->column_count; c++) {
        met_column *column = &draft->columns[c];
        if (column->fixed || column->cells.count > SWAP_CELLS)
            continue;
        for (size_t i = 0; i + 1 < column->cells.count; i++) {
            met_arena *scratch = met_arena_new();
            uint64_t before = around(draft, c, scratch);
            uint32_t upper = column->cells.at[i];
            column->cells.at[i] = column->cells.at[i + 1];
            column->cells.at[i + 1] = upper;
            met_order_number(draft, c);
            if (before > 0 && around(draft, c, scratch) < before) {
                met_arena_free(scratch);
                continue;
            }
            column->cells.at[i + 1] = column->cells.at[i];
            column->cells.at[i] = upper;
            met_order_number(draft, c);
            met_arena_free(scratch);
        }
    }
}

void met_order_columns(met_draft *draft)
{
    uint32_t *best = MET_NEW_ARRAY(draft->d->arena, uint32_t, draft->cells.count);
    for (uint32_t c = 0; c < draft->column_count; c++)
        met_order_number(draft, c);
    for (uint32_t c = 1; c < draft->column_count; c++) { /* lanes were appended: bring them to where they come from */
        met_arena *scratch = met_arena_new();
        sort_column(draft, c, true, scratch);
        met_arena_free(scratch);
    }
    save_order(draft, best);
    uint64_t least = UINT64_MAX;
    for (int sweep = 0; sweep <= SWEEPS; sweep++) {
        met_arena *scratch = met_arena_new();
        for (uint32_t k = 1; sweep > 0 && k < draft->column_count; k++) {
            bool left = sweep % 2 == 0;
            sort_column(draft, left ? k : draft->column_count - 1 - k, left, scratch);
        }
        uint64_t crossings = met_order_crossings(draft, scratch);
        met_arena_free(scratch);
        if (crossings < least) {
            least = crossings;
            save_order(draft, best);
        }
        if (least == 0)
            break;
    }
    restore_order(draft, best);
    if (least > 0) {
        swap_neighbours(draft);
        swap_neighbours(draft);
    }
}
