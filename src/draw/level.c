/* One level: figures of its items, then columns, order, heights, rows. Open blocks are levels of their own, set in a
 * plate. */
#include "draw/kernel.h"
#include "draw/level_parts.h"

enum { PX = 16 };

static met_port *one_port(const met_drafter *d, uint32_t edge)
{
    met_port *port = MET_NEW(d->arena, met_port);
    *port = met_port_make(d, edge, d->measure->above);
    return port;
}

static int32_t stack_height(const met_drafter *d, const met_port *port)
{
    return d->measure->above + (int32_t)(port->rows - 1) * d->measure->pitch + d->measure->below;
}

/* `under`: how far the wires reach back, under the outline of what they come from. */
static void labelled_wires(const met_drafter *d, met_figure *f, const met_port *port, int32_t x, int32_t under)
{
    int32_t end = x + met_port_label_width(d, port);
    int32_t tag = met_port_tag(d, &f->scene, port, x);
    end = x + tag > end ? x + tag : end;
    if (tag && !d->measure->cells)
        f->height += 6 * PX;
    for (uint32_t r = 0; r < port->rows; r++) {
        uint32_t axis = met_edge_axis(d->circuit, port->edge, r);
        met_wire wire = { .node = MET_NONE, .edge = port->edge, .position = r, .axis = axis };
        wire.touches = under > 0;
        met_scene_line(&f->scene, wire, x - under, end, port->y[r]);
        met_wire_label(d, &f->scene, axis, MET_NONE, x, port->y[r]);
    }
    f->width = end;
}

/* Values that nobody named are v0, v1, …; such names say nothing to a reader. */
static bool is_named(met_str name)
{
    if (name.length < 2 || name.at[0] != 'v')
        return name.length > 0;
    for (size_t i = 1; i < name.length; i++)
        if (name.at[i] < '0' || name.at[i] > '9')
            return true;
    return false;
}

/* Whether another array at the circuit's border would be called the same. */
static bool is_ambiguous(const met_drafter *d, uint32_t edge, met_str text, bool entering)
{
    const met_circuit *c = d->circuit;
    uint32_t plain = entering ? c->input_count : c->output_count;
    uint32_t states = entering ? 0 : c->state_count; /* those that enter are among the inputs */
    for (uint32_t i = 0; i < plain + states; i++) {
        uint32_t other = i >= plain ? c->states[i - plain].out.id : entering ? c->inputs[i].id : c->outputs[i].id;
        if (d->outline->same[other] != other || other == edge)
            continue;
        if (met_str_equal(met_short_name(met_sym_str(c->session, c->edges[other].name), 1), text))
            return true;
    }
    return false;
}

static met_str border_name(const met_drafter *d, uint32_t edge, met_str name)
{
    met_str text = met_short_name(name, 1);
    bool entering = d->circuit->edges[edge].producer.id == MET_NONE;
    bool more = d->circuit->edges[edge].role != MET_EDGE_PARAMETER && is_ambiguous(d, edge, text, entering);
    return more ? met_short_name(name, text.length + 1) : text;
}

static int32_t put_name(const met_drafter *d, met_figure *f, uint32_t edge, int32_t x, const met_port *port)
{
    const met_measure *m = d->measure;
    met_str name = met_sym_str(d->circuit->session, d->circuit->edges[edge].name);
    if (!is_named(name))
        return 0;
    met_note note = { .face = MET_FACE_NAME, .text = border_name(d, edge, name), .node = MET_NONE, .axis = MET_NONE, .block = MET_NONE };
    int32_t middle = (port->y[0] + port->y[port->rows - 1]) / 2;
    int32_t y = middle - met_measure_height(m, MET_FACE_NAME) / 2;
    int32_t width = met_scene_text(&f->scene, m, note, x, y, m->text_limit);
    met_note *put = &f->scene.notes.at[f->scene.notes.count - 1];
    put->clipped = put->clipped || note.text.length < name.length;
    put->whole = name;
    return width + 2 * m->pad;
}

static met_figure start_figure(const met_drafter *d)
{
    met_figure f = { 0 };
    met_scene_start(&f.scene, d->arena);
    return f;
}

/* An input of the circuit with its name, or a wire that enters an open block. */
static met_figure source_figure(const met_drafter *d, uint32_t edge, bool top)
{
    met_figure f = start_figure(d);
    f.outs = one_port(d, edge);
    f.out_count = 1;
    f.height = stack_height(d, f.outs);
    if (!top)
        return f;
    int32_t x = 0;
    if (d->circuit->edges[edge].role == MET_EDGE_STATE) {
        int32_t middle = (f.outs->y[0] + f.outs->y[f.outs->rows - 1]) / 2;
        int32_t half = d->measure->cells ? 0 : 11 * PX;
        int32_t width = d->measure->cells ? 7 : 18 * PX;
        met_mark mark = { MET_GLYPH_state, { 0, middle - half, width, d->measure->cells ? 1 : 2 * half }, MET_NONE, MET_NONE };
        MET_PUSH(d->arena, &f.scene.marks, mark);
        x = width + d->measure->pad;
    }
    x += put_name(d, &f, edge, x, f.outs);
    labelled_wires(d, &f, f.outs, x, 0);
    return f;
}

static met_figure sink_figure(const met_drafter *d, uint32_t edge, bool top)
{
    met_figure f = start_figure(d);
    f.ins = one_port(d, edge);
    f.in_count = 1;
    f.height = stack_height(d, f.ins);
    if (!top)
        return f;
    labelled_wires(d, &f, f.ins, 0, 0);
    f.width += d->measure->pad;
    f.width += put_name(d, &f, edge, f.width, f.ins);
    return f;
}

/* A parameter that is read like any array: a small house with its name. */
static met_figure weight_figure(const met_drafter *d, uint32_t edge)
{
    const met_measure *m = d->measure;
    met_figure f = start_figure(d);
    f.outs = one_port(d, edge);
    f.out_count = 1;
    f.height = stack_height(d, f.outs);
    int32_t x = put_name(d, &f, edge, 0, f.outs);
    int32_t half = m->cells ? 0 : 8 * PX;
    int32_t width = m->cells ? 3 : 16 * PX;
    int32_t top = f.outs->y[0] - half;
    int32_t bottom = f.outs->y[f.outs->rows - 1] + half + (m->cells ? 1 : 0);
    met_mark mark = { MET_GLYPH_weight, { x, top, width, bottom - top }, MET_NONE, MET_NONE };
    MET_PUSH(d->arena, &f.scene.marks, mark);
    f.height += m->cells ? 0 : half - m->below;
    labelled_wires(d, &f, f.outs, x + width, m->cells ? 0 : width / 2);
    return f;
}

/* --- Blocks --- */

static met_str count_text(const met_drafter *d, uint32_t copies)
{
    met_text text = met_text_new(d->arena);
    met_text_format(&text, "[\xC3\x97%u]", copies);
    return (met_str){ met_text_done(&text), text.length };
}

static void put_title(const met_drafter *d, met_figure *f, uint32_t block, met_box box, bool open)
{
    const met_measure *m = d->measure;
    met_note title = { .face = MET_FACE_TITLE, .text = met_sym_str(d->circuit->session, d->circuit->blocks[block].name),
                       .node = MET_NONE, .axis = MET_NONE, .block = block };
    int32_t limit = box.w - 2 * m->pad;
    if (open) {
        met_scene_text(&f->scene, m, title, box.x + m->pad + (m->cells ? 1 : 4 * PX), box.y + (m->cells ? 0 : 5 * PX), limit);
    } else {
        bool clipped;
        met_str kept = met_measure_clip(m, MET_FACE_TITLE, title.text, limit, &clipped);
        int32_t width = clipped ? limit : met_measure_text(m, MET_FACE_TITLE, kept);
        int32_t y = box.y + (box.h - met_measure_height(m, MET_FACE_TITLE)) / 2;
        met_scene_text(&f->scene, m, title, box.x + (box.w - width) / 2, y, limit);
    }
    uint32_t copies = d->outline->copies[block];
    if (copies < 2)
        return;
    met_note count = { .face = MET_FACE_TAG, .text = count_text(d, copies), .node = MET_NONE, .axis = MET_NONE, .block = block };
    int32_t width = met_measure_text(m, MET_FACE_TAG, count.text);
    int32_t y = box.y + box.h - met_measure_height(m, MET_FACE_TAG) - (m->cells ? 0 : 3 * PX);
    met_scene_text(&f->scene, m, count, box.x + box.w - width - m->pad - (m->cells ? 1 : 2 * PX), y, 0);
}

/* Room left for what stands beside a plate in its row: the stubs of wires that are cut there, at least. */
static int32_t beside(const met_measure *m, int32_t page, uint32_t depth)
{
    int32_t room = page / (depth ? 12 : 6);
    int32_t most = (depth ? 50 : 100) * PX;
    return !m->cells && room > most ? most : room;
}

static met_figure open_figure(const met_drafter *d, uint32_t block, int32_t page, uint32_t depth)
{
    const met_measure *m = d->measure;
    met_figure inner;
    met_figure_level(d, block, page > 0 ? page - beside(m, page, depth) - 2 * m->plate_pad : 0, depth + 1, &inner);
    met_figure f = start_figure(d);
    int32_t foot = m->plate_foot + (d->outline->copies[block] > 1 && !m->cells ? 6 * PX : 0);
    int32_t least = met_measure_text(m, MET_FACE_TITLE, met_sym_str(d->circuit->session, d->circuit->blocks[block].name)) +
                    4 * m->plate_pad;
    least = least > 3 * m->text_limit ? 3 * m->text_limit : least;
    f.width = inner.width + 2 * m->plate_pad;
    f.width = f.width < least ? least : f.width;
    f.height = inner.height + m->plate_top + foot;
    uint32_t level = !d->tiling ? 0 : depth ? 2 : 1;
    met_plate plate = { MET_PLATE_OPEN, { 0, 0, f.width, f.height }, block, MET_NONE, depth, level };
    MET_PUSH(d->arena, &f.scene.plates, plate);
    met_scene_embed(&f.scene, &inner.scene, m->plate_pad, m->plate_top);
    put_title(d, &f, block, plate.box, true);
    for (int side = 0; side < 2; side++) {
        met_port *ports = side ? inner.outs : inner.ins;
        uint32_t count = side ? inner.out_count : inner.in_count;
        for (uint32_t p = 0; p < count; p++) {
            for (uint32_t r = 0; r < ports[p].rows; r++) {
                ports[p].y[r] += m->plate_top;
                met_wire wire = { .node = MET_NONE, .edge = ports[p].edge, .position = r,
                                  .axis = met_edge_axis(d->circuit, ports[p].edge, r) };
                met_scene_line(&f.scene, wire, side ? m->plate_pad + inner.width : 0, side ? f.width : m->plate_pad,
                               ports[p].y[r]);
            }
        }
    }
    f.ins = inner.ins;
    f.in_count = inner.in_count;
    f.outs = inner.outs;
    f.out_count = inner.out_count;
    return f;
}

static int32_t stack_ports(const met_drafter *d, const uint32_t *edges, uint32_t count, met_port **ret_ports)
{
    const met_measure *m = d->measure;
    *ret_ports = MET_NEW_ARRAY(d->arena, met_port, count);
    int32_t y = m->above;
    int32_t bottom = y;
    for (uint32_t i = 0; i < count; i++) {
        (*ret_ports)[i] = met_port_make(d, edges[i], y);
        bottom = (*ret_ports)[i].y[(*ret_ports)[i].rows - 1];
        y = bottom + m->inner_gap;
    }
    return bottom;
}

static bool axis_enters(const met_drafter *d, const met_item_view *item, uint32_t axis)
{
    for (uint32_t i = 0; i < item->in_count; i++)
        for (uint32_t r = 0; r < met_edge_rows(d->circuit, item->ins[i]); r++)
            if (met_edge_axis(d->circuit, item->ins[i], r) == axis)
                return true;
    return false;
}

static met_figure closed_figure(const met_drafter *d, const met_item_view *item)
{
    const met_measure *m = d->measure;
    met_figure f = start_figure(d);
    f.in_count = item->in_count;
    f.out_count = item->out_count;
    int32_t left = stack_ports(d, item->ins, item->in_count, &f.ins);
    int32_t right = stack_ports(d, item->outs, item->out_count, &f.outs);
    int32_t bottom = (left > right ? left : right) + (m->cells ? 1 : 12 * PX);
    met_str name = met_sym_str(d->circuit->session, d->circuit->blocks[item->block].name);
    int32_t width = met_measure_text(m, MET_FACE_TITLE, name);
    width = (width > 2 * m->text_limit ? 2 * m->text_limit : width) + 2 * m->pad + (m->cells ? 2 : 16 * PX);
    bool counted = d->outline->copies[item->block] > 1;
    bottom += counted ? (m->cells ? 1 : 8 * PX) : 0;
    met_plate plate = { MET_PLATE_CLOSED, { m->lead, 0, width, bottom + (m->cells ? 1 : 0) }, item->block, MET_NONE, 0, 0 };
    MET_PUSH(d->arena, &f.scene.plates, plate);
    put_title(d, &f, item->block, plate.box, false);
    f.height = plate.box.h;
    f.width = m->lead + width;
    int32_t labels = m->lead;
    for (uint32_t p = 0; p < f.out_count; p++) {
        int32_t wanted = met_port_label_width(d, &f.outs[p]);
        labels = wanted > labels ? wanted : labels;
    }
    for (uint32_t p = 0; p < f.in_count; p++)
        for (uint32_t r = 0; r < f.ins[p].rows; r++)
            met_scene_line(&f.scene, (met_wire){ .node = MET_NONE, .edge = f.ins[p].edge, .position = r,
                           .axis = met_edge_axis(d->circuit, f.ins[p].edge, r) }, 0, m->lead, f.ins[p].y[r]);
    for (uint32_t p = 0; p < f.out_count; p++) {
        for (uint32_t r = 0; r < f.outs[p].rows; r++) {
            uint32_t axis = met_edge_axis(d->circuit, f.outs[p].edge, r);
            met_scene_line(&f.scene, (met_wire){ .node = MET_NONE, .edge = f.outs[p].edge, .position = r, .axis = axis },
                           f.width, f.width + labels, f.outs[p].y[r]);
            if (!axis_enters(d, item, axis))
                met_wire_label(d, &f.scene, axis, MET_NONE, f.width, f.outs[p].y[r]);
        }
    }
    f.width += labels;
    return f;
}

void met_figure_level(const met_drafter *d, uint32_t block, int32_t page, uint32_t depth, met_figure *ret_figure)
{
    met_draft draft = { .d = d, .block = block, .depth = depth, .page = page };
    met_outline_level(d->outline, block, &draft.level);
    size_t count = draft.level.items.count;
    met_figure *figures = MET_NEW_ARRAY(d->arena, met_figure, count);
    bool top = block == MET_NONE, tiled = d->tiling && !top;
    for (size_t i = 0; i < count; i++) {
        const met_item_view *item = &draft.level.items.at[i];
        switch (item->kind) {
        case MET_ITEM_SOURCE:
            figures[i] = tiled ? met_border_figure(d, block, item->outs[0], item->kind) : source_figure(d, item->outs[0], top);
            break;
        case MET_ITEM_SINK:
        case MET_ITEM_KEPT:
            figures[i] = tiled ? met_border_figure(d, block, item->ins[0], item->kind) : sink_figure(d, item->ins[0], top);
            break;
        case MET_ITEM_WEIGHT:
            figures[i] = weight_figure(d, item->outs[0]);
            break;
        case MET_ITEM_NODE:
            met_figure_op(d, item->node, &figures[i]);
            break;
        case MET_ITEM_BLOCK:
            if (d->outline->open[item->block])
                figures[i] = open_figure(d, item->block, page, depth);
            else
                figures[i] = closed_figure(d, item);
            break;
        }
    }
    met_columns_assign(&draft, figures);
    met_order_columns(&draft);
    met_rows_emit(&draft, ret_figure);
}
