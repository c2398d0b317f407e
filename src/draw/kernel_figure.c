/* What a kernel's drawing has and a circuit's has not: hexagons and cylinders at the borders of plates, and the legend. */
#include "base/text.h"
#include "draw/kernel.h"

enum { PX = 16, OVER = 11 * PX /* of a cylinder, beyond its outer wires */ };

static met_note plain_note(met_face face, met_str text)
{
    return (met_note){ .face = face, .text = text, .node = MET_NONE, .axis = MET_NONE, .block = MET_NONE };
}

/* --- Hexagons --- */

static int32_t hexagon_width(const met_measure *m, met_str text)
{
    return met_measure_text(m, MET_FACE_TAG, text) + (m->cells ? 2 : 14 * PX);
}

/* Centred at height y; returns its width. */
static int32_t put_hexagon(const met_drafter *d, met_scene *scene, bool stream, met_str text, int32_t x, int32_t y)
{
    const met_measure *m = d->measure;
    int32_t width = hexagon_width(m, text), half = m->cells ? 0 : 13 * PX / 2;
    met_mark mark = { stream ? MET_GLYPH_stream : MET_GLYPH_group, { x, y - half, width, m->cells ? 1 : 2 * half },
                      MET_NONE, MET_NONE };
    MET_PUSH(scene->arena, &scene->marks, mark);
    int32_t inset = (width - met_measure_text(m, MET_FACE_TAG, text)) / 2;
    int32_t top = m->cells ? y : y - met_measure_height(m, MET_FACE_TAG) / 2;
    met_scene_text(scene, m, plain_note(MET_FACE_TAG, text), x + inset, top, 0);
    return width;
}

/* The widest hexagon of an array at a border; 0 if it has none. */
static int32_t hexagons_width(const met_drafter *d, uint32_t block, const met_port *port)
{
    int32_t widest = 0;
    for (uint32_t r = 0; r < port->rows; r++) {
        const met_tile *tile = met_tiling_at(d->tiling, block, port->edge, r);
        int32_t width = tile ? hexagon_width(d->measure, tile->text) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void put_hexagons(const met_drafter *d, met_scene *scene, uint32_t block, const met_port *port, int32_t x, int32_t width)
{
    for (uint32_t r = 0; r < port->rows; r++) {
        const met_tile *tile = met_tiling_at(d->tiling, block, port->edge, r);
        if (tile)
            put_hexagon(d, scene, tile->stream, tile->text, x + (width - hexagon_width(d->measure, tile->text)) / 2, port->y[r]);
    }
}

/* --- Accumulators --- */

met_str met_fold_word(met_monoid monoid)
{
    static const char *const words[] = { [MET_MONOID_NONE] = "", [MET_MONOID_ADD] = "sum", [MET_MONOID_MUL] = "prod",
                                         [MET_MONOID_MAX] = "max", [MET_MONOID_MIN] = "min", [MET_MONOID_OR] = "any" };
    return met_str_of(words[monoid]);
}

static uint32_t accumulator_edge(const met_kernel *k, uint32_t accumulator)
{
    return k->values[k->accumulators[accumulator].value].edge.id;
}

/* `2 sum`; the legend says more of the number. */
static met_str accumulator_word(const met_drafter *d, uint32_t edge)
{
    const met_kernel *k = d->tiling->kernel;
    uint32_t a = 0;
    while (accumulator_edge(k, a) != edge)
        a++;
    met_text text = met_text_new(d->arena);
    met_text_format(&text, "%u ", a + 1);
    met_text_str(&text, met_fold_word(k->accumulators[a].monoid));
    return (met_str){ met_text_done(&text), text.length };
}

static int32_t put_cylinder(const met_drafter *d, met_scene *scene, met_str word, const int32_t *y, uint32_t rows, int32_t x)
{
    const met_measure *m = d->measure;
    int32_t text = met_measure_text(m, MET_FACE_TAG, word), width = text + (m->cells ? 2 : 10 * PX);
    int32_t over = m->cells ? 0 : OVER, low = y[rows - 1];
    met_mark mark = { MET_GLYPH_state, { x, y[0] - over, width, low - y[0] + (m->cells ? 1 : 2 * over) }, MET_NONE, MET_NONE };
    MET_PUSH(scene->arena, &scene->marks, mark);
    int32_t middle = (y[0] + low) / 2;
    /* under the lid, which takes a third of a low cylinder and little of a high one */
    int32_t top = m->cells ? middle : middle - met_measure_height(m, MET_FACE_TAG) / 2 + (rows == 1 ? 7 * PX / 2 : PX);
    met_scene_text(scene, m, plain_note(MET_FACE_TAG, word), x + (width - text) / 2, top, 0);
    return width;
}

/* --- Borders --- */

met_figure met_border_figure(const met_drafter *d, uint32_t block, uint32_t edge, met_item_kind kind)
{
    const met_measure *m = d->measure;
    met_figure f = { 0 };
    met_scene_start(&f.scene, d->arena);
    met_port *port = MET_NEW(d->arena, met_port);
    *port = met_port_make(d, edge, m->above);
    f.height = m->above + (int32_t)(port->rows - 1) * m->pitch + m->below;
    bool entering = kind == MET_ITEM_SOURCE;
    if (entering) {
        f.outs = port;
        f.out_count = 1;
    } else {
        f.ins = port;
        f.in_count = 1;
    }
    bool kept = !entering && block > 0 && d->tiling->kept[edge];
    f.height += kept && !m->cells ? OVER - m->below : 0;
    int32_t hexagons = kind == MET_ITEM_KEPT ? 0 : hexagons_width(d, block, port), x = 0;
    if (kept)
        x = m->lead + put_cylinder(d, &f.scene, accumulator_word(d, edge), port->y, port->rows, m->lead);
    if (hexagons) {
        put_hexagons(d, &f.scene, block, port, x + m->lead, hexagons);
        x += m->lead + hexagons + m->lead;
    }
    f.width = x;
    int32_t end = kind == MET_ITEM_KEPT ? m->lead + (x - m->lead) / 2 : x;
    for (uint32_t r = 0; r < port->rows; r++) {
        met_wire wire = { .node = MET_NONE, .edge = edge, .position = r, .axis = met_edge_axis(d->circuit, edge, r) };
        met_scene_line(&f.scene, wire, 0, end, port->y[r]);
    }
    return f;
}

/* --- The legend --- */

static met_str no_index(void *context, uint32_t index)
{
    (void)context;
    (void)index;
    return met_str_of("?"); /* corrections read no index */
}

/* `2  v2_sum: sum, relative to 1: times ldexp(1, a - b) when that moves from a to b, exactly` */
static met_str accumulator_text(const met_drafter *d, uint32_t number)
{
    const met_kernel *k = d->tiling->kernel;
    const met_kernel_accumulator *a = &k->accumulators[number];
    met_text text = met_text_new(d->arena);
    met_text_format(&text, "%u  %s: ", number + 1, met_sym_text(k->circuit->session, k->circuit->edges[accumulator_edge(k, number)].name));
    met_text_str(&text, met_fold_word(a->monoid));
    if (a->base != MET_NONE) {
        const met_scalar_names names = { .context = (void *)(uintptr_t)k->circuit, .size = met_circuit_size_name, .index = no_index };
        met_text_format(&text, ", relative to %u: times ", a->base + 1);
        met_scalar_print(&text, a->delta, &names);
        met_text_put(&text, " when that moves from a to b");
        met_text_put(&text, a->exact ? ", exactly" : "");
    }
    return (met_str){ met_text_done(&text), text.length };
}

typedef struct legend {
    const met_drafter *d;
    met_figure *figure;
    int32_t x, y, line; /* pen, and the height of a line */
} legend;

static void put_words(legend *l, const char *words)
{
    const met_measure *m = l->d->measure;
    int32_t top = m->cells ? l->y : l->y - met_measure_height(m, MET_FACE_TAG) / 2;
    l->x += met_scene_text(&l->figure->scene, m, plain_note(MET_FACE_TAG, met_str_of(words)), l->x, top, 0) +
            (m->cells ? 3 : 18 * PX);
}

static void put_partition(legend *l, bool stream)
{
    l->x += put_hexagon(l->d, &l->figure->scene, stream, met_str_of(stream ? "s" : "g"), l->x, l->y);
    l->x += l->d->measure->cells ? 1 : 5 * PX;
}

static void end_line(legend *l)
{
    l->figure->width = l->x > l->figure->width ? l->x : l->figure->width;
    l->x = 0;
    l->y += l->line;
}

void met_kernel_legend(const met_drafter *d, met_figure *figure)
{
    const met_measure *m = d->measure;
    const met_kernel *k = d->tiling->kernel;
    legend l = { d, figure, 0, figure->height + (m->cells ? 1 : 22 * PX), m->cells ? 1 : 15 * PX };
    if (met_kernel_loops_of(k, MET_PARTITION_GROUP)) {
        put_partition(&l, false);
        put_words(&l, "grouped: tiles by themselves");
    }
    if (k->stream != MET_NONE) {
        put_partition(&l, true);
        put_words(&l, "streamed: slice after slice");
    }
    if (k->accumulator_count) {
        l.x += put_cylinder(d, &figure->scene, met_str_of("1"), &l.y, 1, l.x) + (m->cells ? 1 : 5 * PX);
        put_words(&l, "kept from slice to slice");
    }
    if (l.x == 0)
        return;
    end_line(&l);
    l.y += m->cells ? 0 : 5 * PX;
    for (uint32_t a = 0; a < k->accumulator_count; a++) {
        met_str text = accumulator_text(d, a);
        put_words(&l, text.at);
        end_line(&l);
    }
    if (d->tiling->chosen.length) {
        put_words(&l, d->tiling->chosen.at);
        end_line(&l);
    }
    figure->height = l.y;
}
