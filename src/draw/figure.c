#include "draw/figure.h"

uint32_t met_edge_rows(const met_circuit *circuit, uint32_t edge)
{
    uint32_t rank = circuit->edges[edge].rank;
    return rank ? rank : 1;
}

uint32_t met_edge_axis(const met_circuit *circuit, uint32_t edge, uint32_t row)
{
    const met_edge *e = &circuit->edges[edge];
    return row < e->rank ? e->axes[row].id : MET_NONE;
}

met_port met_port_make(const met_drafter *d, uint32_t edge, int32_t y)
{
    met_port port = { .edge = edge, .rows = met_edge_rows(d->circuit, edge) };
    port.y = MET_NEW_ARRAY(d->arena, int32_t, port.rows);
    for (uint32_t r = 0; r < port.rows; r++)
        port.y[r] = y + (int32_t)r * d->measure->pitch;
    return port;
}

enum { LABEL_LIMIT_PX = 90 * 16, LABEL_LIMIT_CELLS = 12 };

static int32_t label_limit(const met_measure *measure)
{
    return measure->cells ? LABEL_LIMIT_CELLS : LABEL_LIMIT_PX;
}

int32_t met_port_label_width(const met_drafter *d, const met_port *port)
{
    int32_t widest = 0;
    for (uint32_t r = 0; r < port->rows; r++) {
        met_str text = met_axis_text(d, met_edge_axis(d->circuit, port->edge, r));
        int32_t width = met_measure_text(d->measure, MET_FACE_AXIS, text);
        width = width > label_limit(d->measure) ? label_limit(d->measure) : width;
        widest = width > widest ? width : widest;
    }
    return widest + 2 * d->measure->pad;
}

void met_wire_label(const met_drafter *d, met_scene *scene, uint32_t axis, uint32_t node, int32_t x, int32_t y)
{
    if (axis == MET_NONE)
        return;
    met_note note = { .face = MET_FACE_AXIS, .text = met_axis_text(d, axis), .node = node, .axis = axis, .block = MET_NONE };
    int32_t height = met_measure_height(d->measure, MET_FACE_AXIS);
    int32_t lift = d->measure->cells ? 1 : height + 2 * 16;
    met_scene_text(scene, d->measure, note, x + d->measure->pad, y - lift, label_limit(d->measure));
}

bool met_port_has_tag(const met_drafter *d, const met_port *port)
{
    return !met_format_equal(d->circuit->edges[port->edge].format, d->circuit->default_format);
}

static met_str tag_text(const met_drafter *d, const met_port *port)
{
    met_text text = met_text_new(d->arena);
    met_format_print(&text, d->circuit->edges[port->edge].format);
    return (met_str){ met_text_done(&text), text.length };
}

int32_t met_port_tag_width(const met_drafter *d, const met_port *port)
{
    if (!met_port_has_tag(d, port))
        return 0;
    return met_measure_text(d->measure, MET_FACE_TAG, tag_text(d, port)) + 2 * d->measure->pad;
}

int32_t met_port_tag(const met_drafter *d, met_scene *scene, const met_port *port, int32_t x)
{
    if (!met_port_has_tag(d, port))
        return 0;
    met_note note = { .face = MET_FACE_TAG, .text = tag_text(d, port), .node = MET_NONE, .axis = MET_NONE, .block = MET_NONE };
    int32_t drop = d->measure->cells ? 1 : 3 * 16;
    met_scene_text(scene, d->measure, note, x + d->measure->pad, port->y[port->rows - 1] + drop, 0);
    return met_port_tag_width(d, port);
}
