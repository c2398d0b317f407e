/* From placed cells to a scene: gaps between columns, wrapping into rows, wires. */
#include <stdlib.h>

#include "draw/level_parts.h"

enum { PX = 16 };

static int32_t least_gap(const met_measure *m)
{
    return m->cells ? 1 : 16 * PX;
}

/* Ends of each wire of a gap, and the edge whose axes it shows. */
static met_wire gap_wire(const met_draft *draft, const met_link *link, uint32_t row)
{
    const met_cell *from = &draft->cells.at[link->from];
    const met_cell *to = &draft->cells.at[link->to];
    const met_port *out = &from->figure.outs[link->from_port];
    const met_port *in = &to->figure.ins[link->to_port];
    met_wire wire = { .kind = MET_WIRE_CURVE, .node = MET_NONE, .edge = out->edge, .position = row, .jog_x = -1 };
    wire.axis = met_edge_axis(draft->d->circuit, out->edge, row);
    wire.y0 = from->y + out->y[row];
    wire.y1 = to->y + in->y[row];
    return wire;
}

typedef struct gap_wires {
    MET_VEC(met_wire) wires;
    MET_VEC(bool) forks; /* does its source have several readers here? */
} gap_wires;

static gap_wires gather_gap(const met_draft *draft, uint32_t column)
{
    const met_column *c = &draft->columns[column];
    gap_wires gap = { 0 };
    for (size_t i = 0; i < c->links.count; i++) {
        const met_link *link = &c->links.at[i];
        bool fork = (i > 0 && c->links.at[i - 1].from == link->from && c->links.at[i - 1].from_port == link->from_port) ||
                    (i + 1 < c->links.count && c->links.at[i + 1].from == link->from &&
                     c->links.at[i + 1].from_port == link->from_port);
        for (uint32_t r = 0; r < draft->cells.at[link->from].figure.outs[link->from_port].rows; r++) {
            MET_PUSH(draft->d->arena, &gap.wires, gap_wire(draft, link, r));
            MET_PUSH(draft->d->arena, &gap.forks, fork);
        }
    }
    return gap;
}

static void measure_gaps(met_draft *draft)
{
    const met_measure *m = draft->d->measure;
    for (uint32_t c = 0; c < draft->column_count; c++) {
        met_column *column = &draft->columns[c];
        column->width = column->gap = column->fork = 0;
        for (size_t i = 0; i < column->cells.count; i++) {
            int32_t width = draft->cells.at[column->cells.at[i]].figure.width;
            column->width = width > column->width ? width : column->width;
        }
        if (c + 1 == draft->column_count)
            break;
        gap_wires gap = gather_gap(draft, c);
        met_wire **list = MET_NEW_ARRAY(draft->d->arena, met_wire *, gap.wires.count);
        for (size_t i = 0; i < gap.wires.count; i++) {
            list[i] = &gap.wires.at[i];
            if (gap.forks.at[i])
                column->fork = m->cells ? 1 : 8 * PX;
        }
        int32_t width = met_route_width(draft->d, list, gap.wires.count);
        column->gap = width > least_gap(m) ? width : least_gap(m);
    }
}

/* --- Wrapping: cut where few wires are cut and rows come out full, by dynamic programming --- */

typedef struct row_plan {
    uint32_t *start; /* first column of each row */
    uint32_t count;
} row_plan;

/* A page of px may be exceeded a little where that saves a row; a terminal's width is hard. */
static int64_t row_cost(const met_measure *m, int64_t page, int64_t width, bool last)
{
    int64_t strictness = m->cells ? 10000 : 6;
    int64_t over = width > page ? (width - page) * 100 / page + 1 : 0;
    int64_t slack = width < page ? (page - width) * 100 / page : 0;
    if (last) /* may be short, but should not be nearly empty */
        slack = slack > 60 ? 2 * (slack - 60) : 0;
    return 1500 + over * over * strictness + slack * slack / 4;
}

static bool has_block(const met_draft *draft, uint32_t column)
{
    const met_column *c = &draft->columns[column];
    for (size_t i = 0; i < c->cells.count; i++) {
        uint32_t item = draft->cells.at[c->cells.at[i]].item;
        if (item != MET_NONE && draft->level.items.at[item].kind == MET_ITEM_BLOCK)
            return true;
    }
    return false;
}

static int64_t cut_cost(const met_draft *draft, uint32_t column)
{
    int64_t wires = 0;
    uint64_t before = UINT64_MAX;
    const met_column *c = &draft->columns[column];
    for (size_t i = 0; i < c->links.count; i++) {
        uint64_t stack = (uint64_t)c->links.at[i].from << 32 | c->links.at[i].from_port;
        if (stack != before)
            wires += draft->cells.at[c->links.at[i].from].figure.outs[c->links.at[i].from_port].rows;
        before = stack;
    }
    bool between = column + 1 == draft->column_count || has_block(draft, column) || has_block(draft, column + 1);
    return wires * 60 + (between ? 0 : 300); /* rather before or behind a block */
}

static int32_t stub_width(const met_draft *draft, uint32_t c)
{
    int32_t widest = draft->d->measure->lead;
    for (size_t i = 0; i < draft->columns[c].links.count; i++) {
        const met_link *link = &draft->columns[c].links.at[i];
        int32_t width = met_port_label_width(draft->d, &draft->cells.at[link->from].figure.outs[link->from_port]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static row_plan plan_rows(met_draft *draft)
{
    uint32_t n = draft->column_count;
    met_arena *arena = draft->d->arena;
    row_plan plan = { MET_NEW_ARRAY(arena, uint32_t, n), 1 };
    int64_t total = 0;
    for (uint32_t c = 0; c < n; c++)
        total += draft->columns[c].width + draft->columns[c].gap + draft->columns[c].fork;
    if (draft->page <= 0 || total <= draft->page)
        return plan;
    int64_t *cost = MET_NEW_ARRAY(arena, int64_t, n + 1);
    uint32_t *cut = MET_NEW_ARRAY(arena, uint32_t, n + 1);
    for (uint32_t end = 1; end <= n; end++) {
        int64_t width = 0;
        cost[end] = INT64_MAX;
        for (uint32_t start = end; start-- > 0;) {
            width += draft->columns[start].width + draft->columns[start].gap + draft->columns[start].fork;
            if (start + 1 < end && width > 2 * (int64_t)draft->page)
                break;
            int64_t stubs = start > 0 ? stub_width(draft, start - 1) + draft->columns[start - 1].gap : 0;
            stubs += end < n ? stub_width(draft, end - 1) - draft->columns[end - 1].gap : 0;
            int64_t c = cost[start] + row_cost(draft->d->measure, draft->page, width + stubs, end == n) +
                        (end < n ? cut_cost(draft, end - 1) : 0);
            if (c < cost[end]) {
                cost[end] = c;
                cut[end] = start;
            }
        }
    }
    plan.count = 0;
    for (uint32_t end = n; end > 0; end = cut[end])
        plan.start[plan.count++] = cut[end];
    for (uint32_t i = 0; i < plan.count / 2; i++) {
        uint32_t other = plan.start[i];
        plan.start[i] = plan.start[plan.count - 1 - i];
        plan.start[plan.count - 1 - i] = other;
    }
    return plan;
}

/* Starts every row but the first with a column of stubs: lanes for the wires that come from the row before. */
static void insert_stubs(met_draft *draft, row_plan *plan)
{
    met_arena *arena = draft->d->arena;
    uint32_t old_count = draft->column_count;
    met_column *old = draft->columns;
    draft->column_count = old_count + plan->count - 1;
    draft->columns = MET_NEW_ARRAY(arena, met_column, draft->column_count);
    for (uint32_t c = 0, row = 0; c < old_count; c++) {
        if (row + 1 < plan->count && c == plan->start[row + 1]) {
            row++;
            met_column *stubs = &draft->columns[c + row - 1];
            met_column *before = stubs - 1;
            *stubs = (met_column){ .fixed = true };
            stubs->links.at = before->links.at; /* the stubs take over the links; the column before links to stubs */
            stubs->links.count = before->links.count;
            before->links.at = NULL;
            before->links.count = before->links.room = 0;
            for (size_t i = 0; i < stubs->links.count; i++) {
                met_link *link = &stubs->links.at[i];
                size_t last = before->links.count;
                bool same = last > 0 && before->links.at[last - 1].from == link->from &&
                            before->links.at[last - 1].from_port == link->from_port;
                if (!same) {
                    const met_port *port = &draft->cells.at[link->from].figure.outs[link->from_port];
                    met_link to_stub = { link->from, link->from_port, met_lane_add(draft, stubs, port->edge), 0 };
                    MET_PUSH(arena, &before->links, to_stub);
                }
                link->from = before->links.at[before->links.count - 1].to;
                link->from_port = 0;
            }
            plan->start[row] = c + row - 1;
        }
        draft->columns[c + row] = old[c];
    }
}

/* --- Emission --- */

typedef struct emitter {
    met_draft *draft;
    met_scene scene;
    int32_t x, dy; /* of the present row: pen, and what is added to heights */
    int32_t stub;  /* width of the stubs at a cut */
} emitter;

static met_wire port_wire(const emitter *e, const met_port *port, uint32_t row)
{
    return (met_wire){ .node = MET_NONE, .edge = port->edge, .position = row, .jog_x = -1,
                       .axis = met_edge_axis(e->draft->d->circuit, port->edge, row) };
}

static void extend_port(emitter *e, const met_cell *cell, const met_port *port, int32_t x0, int32_t x1)
{
    for (uint32_t r = 0; r < port->rows; r++)
        met_scene_line(&e->scene, port_wire(e, port, r), x0, x1, cell->y + port->y[r] + e->dy);
}

/* Items that belong together stand left-aligned, so that their glyphs do; beside an open block they stand in its middle. */
static int32_t cell_offset(const emitter *e, const met_column *column, const met_cell *cell)
{
    if (cell->item == MET_NONE)
        return 0;
    const met_item_view *item = &e->draft->level.items.at[cell->item];
    bool weight = item->kind == MET_ITEM_WEIGHT || item->kind == MET_ITEM_SOURCE;
    if (weight)
        return column->width - cell->figure.width;
    int32_t slack = column->width - cell->figure.width;
    return slack > column->width / 2 && item->kind == MET_ITEM_NODE ? slack / 2 : 0;
}

/* Where the whole begins and ends, arrays side by side are told apart by a dashed line. */
static void emit_column(emitter *e, uint32_t c)
{
    const met_column *column = &e->draft->columns[c];
    int32_t gap = e->draft->d->measure->item_gap;
    for (size_t i = 0; i < column->cells.count; i++) {
        met_cell *cell = &e->draft->cells.at[column->cells.at[i]];
        int32_t left = e->x + cell_offset(e, column, cell);
        int32_t right = left + (cell->item == MET_NONE ? column->width : cell->figure.width);
        if (cell->item == MET_NONE) {
            extend_port(e, cell, &cell->figure.ins[0], left, right);
        } else {
            met_scene_embed(&e->scene, &cell->figure.scene, left, cell->y + e->dy);
            for (uint32_t p = 0; p < cell->figure.in_count; p++)
                extend_port(e, cell, &cell->figure.ins[p], e->x, left);
            if (e->draft->block != MET_NONE && e->draft->level.items.at[cell->item].kind == MET_ITEM_SOURCE)
                extend_port(e, cell, &cell->figure.outs[0], e->x, left); /* from the plate's border */
            if (e->draft->block != MET_NONE && e->draft->level.items.at[cell->item].kind == MET_ITEM_SINK)
                extend_port(e, cell, &cell->figure.ins[0], right, e->x + column->width); /* to it */
            for (uint32_t p = 0; p < cell->figure.out_count; p++)
                extend_port(e, cell, &cell->figure.outs[p], right, e->x + column->width);
        }
        if (i == 0)
            continue;
        const met_cell *above = &e->draft->cells.at[column->cells.at[i - 1]];
        int32_t y = (above->y + above->figure.height + cell->y + 2 * e->dy) / 2; /* never negative */
        bool border = e->draft->block == MET_NONE && (c == 0 || c + 1 == e->draft->column_count);
        if (border && cell->y - above->y - above->figure.height >= gap && column->width > 0) {
            met_rule rule = { e->x, y, e->x + column->width, y };
            MET_PUSH(e->scene.arena, &e->scene.rules, rule);
        }
    }
    e->x += column->width;
}

static void emit_gap(emitter *e, uint32_t c)
{
    met_draft *draft = e->draft;
    const met_column *column = &draft->columns[c];
    gap_wires gap = gather_gap(draft, c);
    size_t count = gap.wires.count;
    met_arena *arena = draft->d->arena;
    met_wire **list = MET_NEW_ARRAY(arena, met_wire *, count);
    met_pair *pairs = MET_NEW_ARRAY(arena, met_pair, count);
    for (size_t i = 0; i < count; i++) {
        met_wire *wire = &gap.wires.at[i];
        pairs[i] = (met_pair){ wire->y0, wire->y1 };
        wire->x0 = e->x + column->fork;
        wire->y0 += e->dy;
        wire->y1 += e->dy;
        wire->zone = e->scene.zone_count;
        list[i] = wire;
    }
    met_route_width(draft->d, list, count);
    e->scene.crossings += met_count_crossings(arena, pairs, count);
    e->scene.zone_count++;
    for (size_t i = 0; i < count; i++) {
        met_wire wire = gap.wires.at[i];
        wire.x1 = wire.x0 + column->gap;
        met_scene_line(&e->scene, wire, e->x, wire.x0, wire.y0);
        if (gap.forks.at[i]) {
            met_scene_dot dot = { MET_DOT_FULL, wire.x0, wire.y0, wire.axis, wire.edge, MET_NONE };
            MET_PUSH(arena, &e->scene.dots, dot);
        }
        MET_PUSH(arena, &e->scene.wires, wire);
    }
    e->x += column->fork + column->gap;
}

static bool is_linked(const met_column *column, uint32_t cell, uint32_t port)
{
    for (size_t i = 0; i < column->links.count; i++)
        if (column->links.at[i].from == cell && column->links.at[i].from_port == port)
            return true;
    return false;
}

static void emit_stub_wires(emitter *e, const met_cell *cell, const met_port *port)
{
    extend_port(e, cell, port, e->x, e->x + e->stub);
    for (uint32_t r = 0; r < port->rows; r++)
        met_wire_label(e->draft->d, &e->scene, met_edge_axis(e->draft->d->circuit, port->edge, r), MET_NONE, e->x,
                       cell->y + port->y[r] + e->dy);
}

/* The wires that leave a column, straight, with labels: at the end of one row, and, from its stubs, at the start of the
 * next. */
static void emit_stub(emitter *e, uint32_t c, bool ending)
{
    const met_column *column = &e->draft->columns[c];
    bool first = true;
    int32_t low = 0;
    int32_t high = 0;
    for (size_t i = 0; i < column->cells.count; i++) {
        const met_cell *cell = &e->draft->cells.at[column->cells.at[i]];
        for (uint32_t p = 0; p < cell->figure.out_count; p++) {
            const met_port *port = &cell->figure.outs[p];
            if (!is_linked(column, column->cells.at[i], p))
                continue;
            emit_stub_wires(e, cell, port);
            int32_t top = cell->y + port->y[0] + e->dy;
            met_rule between = { e->x, (high + top) / 2, e->x + e->stub, (high + top) / 2 };
            if (!first && top - high > e->draft->d->measure->pitch)
                MET_PUSH(e->scene.arena, &e->scene.rules, between);
            low = first ? top : low;
            high = cell->y + port->y[port->rows - 1] + e->dy;
            first = false;
        }
    }
    int32_t x = ending ? e->x + e->stub : e->x;
    int32_t over = e->draft->d->measure->cells ? 0 : 6 * PX;
    if (!first) {
        met_rule rule = { x, low - over, x, high + over };
        MET_PUSH(e->scene.arena, &e->scene.rules, rule);
    }
    e->x += e->stub;
}

/* Heights that a row takes. */
static void row_extent(const met_draft *draft, uint32_t begin, uint32_t end, int32_t *ret_top, int32_t *ret_bottom)
{
    int32_t top = INT32_MAX;
    int32_t bottom = INT32_MIN;
    for (uint32_t c = begin; c < end; c++) {
        for (size_t i = 0; i < draft->columns[c].cells.count; i++) {
            const met_cell *cell = &draft->cells.at[draft->columns[c].cells.at[i]];
            top = cell->y < top ? cell->y : top;
            bottom = cell->y + cell->figure.height > bottom ? cell->y + cell->figure.height : bottom;
        }
    }
    *ret_top = top > bottom ? 0 : top;
    *ret_bottom = top > bottom ? 0 : bottom;
}

/* The ports of the level itself: its sources in the first row, its sinks in the last. */
static void border_ports(met_draft *draft, met_figure *figure, uint32_t column, int32_t dy, met_item_kind kind)
{
    const met_column *c = &draft->columns[column];
    met_port *ports = MET_NEW_ARRAY(draft->d->arena, met_port, c->cells.count);
    uint32_t count = 0;
    for (size_t i = 0; i < c->cells.count; i++) {
        const met_cell *cell = &draft->cells.at[c->cells.at[i]];
        if (cell->item == MET_NONE || draft->level.items.at[cell->item].kind != kind)
            continue;
        const met_port *own = kind == MET_ITEM_SOURCE ? cell->figure.outs : cell->figure.ins;
        ports[count] = met_port_make(draft->d, own->edge, 0);
        for (uint32_t r = 0; r < own->rows; r++)
            ports[count].y[r] = cell->y + own->y[r] + dy;
        count++;
    }
    if (kind == MET_ITEM_SOURCE) {
        figure->ins = ports;
        figure->in_count = count;
    } else {
        figure->outs = ports;
        figure->out_count = count;
    }
}

/* Cells of stubs are as many as the wires that are cut; order them as the column before has them. */
static void order_stubs(met_draft *draft, uint32_t column)
{
    met_column *stubs = &draft->columns[column];
    const met_column *before = &draft->columns[column - 1];
    size_t n = 0;
    for (size_t i = 0; i < before->cells.count; i++)
        for (size_t k = 0; k < before->links.count; k++)
            if (before->links.at[k].from == before->cells.at[i])
                stubs->cells.at[n++] = before->links.at[k].to;
}

static row_plan wrap(met_draft *draft)
{
    met_place_cells(draft, 0, draft->column_count);
    measure_gaps(draft);
    row_plan plan = plan_rows(draft);
    if (plan.count < 2)
        return plan;
    insert_stubs(draft, &plan);
    for (uint32_t row = 0; row < plan.count; row++) {
        uint32_t end = row + 1 < plan.count ? plan.start[row + 1] : draft->column_count;
        if (row > 0)
            order_stubs(draft, plan.start[row]);
        for (uint32_t c = plan.start[row]; c < end; c++)
            met_order_number(draft, c);
        met_place_cells(draft, plan.start[row], end);
    }
    measure_gaps(draft);
    return plan;
}

static void emit_row(emitter *e, uint32_t begin, uint32_t end)
{
    e->x = 0;
    for (uint32_t c = begin; c < end; c++) {
        if (begin > 0 && c == begin) {
            e->stub = stub_width(e->draft, begin);
            emit_stub(e, begin, false);
        } else {
            emit_column(e, c);
        }
        if (c + 1 < end)
            emit_gap(e, c);
    }
    if (end < e->draft->column_count) {
        e->stub = stub_width(e->draft, end - 1);
        emit_stub(e, end - 1, true);
    }
}

void met_rows_emit(met_draft *draft, met_figure *ret_figure)
{
    row_plan plan = wrap(draft);
    emitter e = { .draft = draft };
    met_scene_start(&e.scene, draft->d->arena);
    int32_t y = 0;
    int32_t width = 0;
    *ret_figure = (met_figure){ 0 };
    for (uint32_t row = 0; row < plan.count; row++) {
        uint32_t begin = plan.start[row];
        uint32_t end = row + 1 < plan.count ? plan.start[row + 1] : draft->column_count;
        int32_t top, bottom;
        row_extent(draft, begin, end, &top, &bottom);
        e.dy = y - top;
        if (begin == 0)
            border_ports(draft, ret_figure, 0, e.dy, MET_ITEM_SOURCE);
        emit_row(&e, begin, end);
        if (end == draft->column_count)
            border_ports(draft, ret_figure, end - 1, e.dy, MET_ITEM_SINK);
        width = e.x > width ? e.x : width;
        y += bottom - top + (row + 1 < plan.count ? draft->d->measure->row_gap : 0);
    }
    bool extend = draft->block != MET_NONE && e.x < width; /* the last row's wires go on to the plate's border */
    for (uint32_t p = 0; extend && p < ret_figure->out_count; p++)
        for (uint32_t r = 0; r < ret_figure->outs[p].rows; r++)
            met_scene_line(&e.scene, port_wire(&e, &ret_figure->outs[p], r), e.x, width, ret_figure->outs[p].y[r]);
    ret_figure->width = width;
    ret_figure->height = y;
    ret_figure->scene = e.scene;
}
