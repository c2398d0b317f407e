/* SVG: every number is an integer in 1/16 px. The wires of one axis are one path, glyphs are defined once, all
 * looks are in one style block. */
#include <stdio.h>
#include <string.h>

#include "draw/drawing.h"

enum { PX = 16, SPAN_BAR = 3 * PX };

void met_xml_put(met_text *out, met_str text)
{
    size_t length;
    for (size_t i = 0; i < text.length; i += length) {
        uint32_t code = met_utf8_next(text, i, &length);
        bool bad = code == 0xFFFD || code == 0xFFFE || code == 0xFFFF || code == 0x7F ||
                   (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x80 && code < 0xA0);
        if (bad)
            met_text_put(out, "\xEF\xBF\xBD");
        else if (code == '&')
            met_text_put(out, "&amp;");
        else if (code == '<')
            met_text_put(out, "&lt;");
        else if (code == '>')
            met_text_put(out, "&gt;");
        else if (code == '"')
            met_text_put(out, "&quot;");
        else
            met_text_bytes(out, text.at + i, length);
    }
}

/* --- Style --- */

static void put_colour(met_text *out, const char *rule, uint32_t colour)
{
    met_text_format(out, "%s#%06x}", rule, (unsigned)colour);
}

static bool has_levels(const met_drawing *d)
{
    const met_scene *s = &d->figure.scene;
    for (size_t i = 0; i < s->plates.count; i++)
        if (s->plates.at[i].level)
            return true;
    return false;
}

static void put_palette(met_text *out, const met_drawing *d, const met_palette *p, const bool *used)
{
    const uint32_t *c = p->colour;
    met_text_format(out, ".t{fill:#%06x}.u{fill:#%06x}", (unsigned)c[MET_COLOUR_ink], (unsigned)c[MET_COLOUR_muted]);
    met_text_format(out, ".f{fill:#%06x;stroke:#%06x}", (unsigned)c[MET_COLOUR_glyph], (unsigned)c[MET_COLOUR_ink]);
    met_text_format(out, ".g{fill:#%06x;stroke:#%06x}", (unsigned)c[MET_COLOUR_weight], (unsigned)c[MET_COLOUR_ink]);
    put_colour(out, ".s{fill:", c[MET_COLOUR_shade]);
    put_colour(out, ".k{stroke:", c[MET_COLOUR_ink]);
    met_text_format(out, ".B{fill:#%06x;stroke:#%06x}", (unsigned)c[MET_COLOUR_block], (unsigned)c[MET_COLOUR_rim]);
    put_colour(out, ".P{fill:", c[MET_COLOUR_paper]);
    if (has_levels(d)) {
        put_colour(out, ".K1{fill:", c[MET_COLOUR_kernel]);
        put_colour(out, ".K2{fill:", c[MET_COLOUR_stream]);
    }
    put_colour(out, ".r{stroke:", c[MET_COLOUR_rule]);
    put_colour(out, ".h,.x{stroke:", c[MET_COLOUR_muted]);
    put_colour(out, ".o{fill:", c[MET_COLOUR_glyph]);
    for (uint32_t hue = 0; hue < MET_THEME_AXES; hue++) {
        bool any = false;
        for (uint32_t a = 0; a < d->circuit->axis_count; a++) {
            if (!used[a] || d->hue[a] % MET_THEME_AXES != hue)
                continue;
            met_text_format(out, "%s.a%u", any ? "," : "", a);
            any = true;
        }
        if (any)
            met_text_format(out, "{stroke:#%06x}", (unsigned)p->axes[hue]);
    }
}

/* Beyond eight axes colours repeat with dashes. */
static void put_dashes(met_text *out, const met_drawing *d, const bool *used)
{
    static const char *const dashes[] = { "112 48", "32 40", "128 40 32 40", "64 40" };
    for (uint32_t kind = 0; kind < 4; kind++) {
        bool any = false;
        for (uint32_t a = 0; a < d->circuit->axis_count; a++) {
            uint32_t round = d->hue[a] / MET_THEME_AXES;
            if (!used[a] || round == 0 || (round - 1) % 4 != kind)
                continue;
            met_text_format(out, "%s.w .a%u", any ? "," : "", a);
            any = true;
        }
        if (any)
            met_text_format(out, "{stroke-dasharray:%s}", dashes[kind]);
    }
}

static void put_style(met_text *out, const met_drawing *d, const bool *used)
{
    const int32_t *stroke = d->theme.stroke;
    static const char *const names[MET_FACE_COUNT] = { "A", "N", "G", "L", "T", "F" };
    met_text_put(out, "<style>text{font-family:");
    met_text_str(out, d->theme.font);
    met_text_put(out, "}");
    for (int f = 0; f < MET_FACE_COUNT; f++)
        met_text_format(out, ".%s{font-size:%dpx%s}", names[f], met_measure_size((met_face)f) * PX,
                        met_measure_bold((met_face)f) ? ";font-weight:700" : "");
    met_text_format(out, "path{fill:none}.w path{stroke-width:%d}.x,.w .x{stroke-width:%d}.d{stroke-width:%d;stroke-linecap:round}",
                    stroke[MET_STROKE_wire], stroke[MET_STROKE_tether], stroke[MET_STROKE_dot]);
    met_text_format(out, ".f,.g,.k,.o,.B{stroke-width:%d;stroke-linejoin:round}.k{stroke-linecap:round}", stroke[MET_STROKE_glyph]);
    met_text_format(out, ".r{stroke-width:%d;stroke-dasharray:64 48}.h{stroke-width:%d}", stroke[MET_STROKE_rule],
                    stroke[MET_STROKE_tether]);
    put_palette(out, d, &d->theme.light, used);
    put_dashes(out, d, used);
    if (memcmp(&d->theme.light, &d->theme.dark, sizeof d->theme.light) != 0) {
        met_text_put(out, "@media(prefers-color-scheme:dark){");
        put_palette(out, d, &d->theme.dark, used);
        met_text_put(out, "}");
    }
    met_text_put(out, "</style>\n");
}

/* --- Dots, tethers, rules, plates --- */

static void put_dot(met_text *out, const met_scene_dot *dot)
{
    char class[24] = "x";
    if (dot->axis != MET_NONE)
        snprintf(class, sizeof class, "a%u", (unsigned)dot->axis);
    if (dot->kind == MET_DOT_FULL)
        met_text_format(out, "<path class=\"d %s\" d=\"M%d %dh0\"/>", class, dot->x, dot->y);
    else
        met_text_format(out, "<circle class=\"o %s\" cx=\"%d\" cy=\"%d\" r=\"52\"/>", class, dot->x, dot->y);
}

static void put_rules(met_text *out, const met_scene *s)
{
    if (s->rules.count == 0)
        return;
    met_text_put(out, "<path class=\"r\" d=\"");
    for (size_t i = 0; i < s->rules.count; i++) {
        const met_rule *r = &s->rules.at[i];
        met_text_format(out, "M%d %d%c%d", r->x0, r->y0, r->x0 == r->x1 ? 'V' : 'H', r->x0 == r->x1 ? r->y1 : r->x1);
    }
    met_text_put(out, "\"/>\n");
}

static void put_note(met_text *out, const met_drawing *d, const met_note *note)
{
    static const char *const classes[MET_FACE_COUNT] = { "u A", "t N", "t G", "t L", "t T", "u F" };
    met_text_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\"", classes[note->face], note->box.x,
                    note->box.y + met_measure_ascent(&d->measure, note->face));
    if (note->axis != MET_NONE)
        met_text_format(out, " data-axis=\"%u\"", note->axis);
    met_text_put(out, ">");
    if (note->clipped) {
        met_text_put(out, "<title>");
        met_xml_put(out, note->whole);
        met_text_put(out, "</title>");
    }
    met_xml_put(out, note->text);
    met_text_put(out, "</text>");
}

/* --- Glyphs --- */

typedef struct shape {
    met_glyph glyph;
    int32_t w, h;
} shape;

typedef MET_VEC(shape) shape_list;

static size_t find_shape(const shape_list *shapes, const met_mark *mark)
{
    size_t i = 0;
    while (i < shapes->count && (shapes->at[i].glyph != mark->glyph || shapes->at[i].w != mark->box.w ||
                                 shapes->at[i].h != mark->box.h))
        i++;
    return i;
}

static void put_path(met_text *out, const char *class, const met_path *path, int32_t w, int32_t h)
{
    if (path->count == 0)
        return;
    met_text_format(out, "<path class=\"%s\" d=\"", class);
    met_path_print(out, path, w, h);
    met_text_put(out, "\"/>");
}

static shape_list put_defs(met_text *out, const met_drawing *d)
{
    shape_list shapes = { 0 };
    const met_scene *s = &d->figure.scene;
    met_text_put(out, "<defs>");
    for (size_t i = 0; i < s->marks.count; i++) {
        const met_mark *mark = &s->marks.at[i];
        if (find_shape(&shapes, mark) < shapes.count)
            continue;
        const met_theme_glyph *g = &d->theme.glyphs[mark->glyph];
        met_text_format(out, "<g id=\"g%zu\">", shapes.count);
        put_path(out, g->weighty ? "g" : "f", &g->outline, mark->box.w, mark->box.h);
        put_path(out, "s", &g->shade, mark->box.w, mark->box.h);
        put_path(out, "k", &g->detail, mark->box.w, mark->box.h);
        met_text_put(out, "</g>");
        shape made = { mark->glyph, mark->box.w, mark->box.h };
        MET_PUSH(d->arena, &shapes, made);
    }
    met_text_put(out, "</defs>\n");
    return shapes;
}

static void put_mark(met_text *out, const shape_list *shapes, const met_mark *mark)
{
    met_text_format(out, "<use href=\"#g%zu\" x=\"%d\" y=\"%d\"/>", find_shape(shapes, mark), mark->box.x, mark->box.y);
}

/* --- What belongs to which node or block --- */

/* Numbers 0..count-1 listed by owner. Owners beyond the last (MET_NONE) come together at the end. */
typedef struct owned {
    size_t *start; /* of each owner's list in `items`; one more for the end */
    size_t *items;
} owned;

static owned group_by(met_arena *arena, size_t owners, size_t count, const uint32_t *owner)
{
    owned o = { MET_NEW_ARRAY(arena, size_t, owners + 2), MET_NEW_ARRAY(arena, size_t, count) };
    size_t *fill = MET_NEW_ARRAY(arena, size_t, owners + 2);
    for (size_t i = 0; i < count; i++)
        o.start[(owner[i] < owners ? owner[i] : owners) + 1]++;
    for (size_t k = 0; k <= owners; k++)
        o.start[k + 1] += o.start[k];
    memcpy(fill, o.start, (owners + 2) * sizeof *fill);
    for (size_t i = 0; i < count; i++)
        o.items[fill[owner[i] < owners ? owner[i] : owners]++] = i;
    return o;
}

#define OWNERS(list, field)                                                    \
    uint32_t *owners_##list = MET_NEW_ARRAY(d->arena, uint32_t, s->list.count); \
    for (size_t i = 0; i < s->list.count; i++)                                 \
    owners_##list[i] = s->list.at[i].field

typedef struct parts {
    owned notes, marks, dots, tethers, plates; /* by node */
    owned titles;                              /* notes by block */
} parts;

static parts find_parts(const met_drawing *d)
{
    const met_scene *s = &d->figure.scene;
    size_t nodes = d->circuit->node_count;
    OWNERS(notes, node);
    OWNERS(marks, node);
    OWNERS(dots, node);
    OWNERS(tethers, node);
    OWNERS(plates, node);
    parts p = { .notes = group_by(d->arena, nodes, s->notes.count, owners_notes),
                .marks = group_by(d->arena, nodes, s->marks.count, owners_marks),
                .dots = group_by(d->arena, nodes, s->dots.count, owners_dots),
                .tethers = group_by(d->arena, nodes, s->tethers.count, owners_tethers),
                .plates = group_by(d->arena, nodes, s->plates.count, owners_plates) };
    for (size_t i = 0; i < s->notes.count; i++)
        owners_notes[i] = s->notes.at[i].block;
    p.titles = group_by(d->arena, d->circuit->block_count, s->notes.count, owners_notes);
    return p;
}

#define EACH(i, group, owner) \
    size_t k_ = (group).start[owner], i; k_ < (group).start[(owner) + 1] && (i = (group).items[k_], true); k_++

static void put_blocks(met_text *out, const met_drawing *d, const parts *own)
{
    const met_scene *s = &d->figure.scene;
    for (size_t i = 0; i < s->plates.count; i++) {
        const met_plate *p = &s->plates.at[i];
        if (p->kind == MET_PLATE_SLOT)
            continue;
        met_text_format(out, "<g id=\"b%u\"><title>", p->block);
        met_xml_put(out, met_sym_str(d->circuit->session, d->circuit->blocks[p->block].name));
        static const char *const levels[] = { "", " K1", " K2" };
        met_text_format(out, "</title><rect class=\"B%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>",
                        p->level ? levels[p->level] : p->kind == MET_PLATE_OPEN && p->depth % 2 ? " P" : "", p->box.x, p->box.y, p->box.w, p->box.h,
                        6 * PX);
        for (EACH(n, own->titles, p->block))
            put_note(out, d, &s->notes.at[n]);
        met_text_put(out, "</g>\n");
    }
}

static void put_node(met_text *out, const met_drawing *d, const shape_list *shapes, const parts *own, uint32_t node)
{
    const met_scene *s = &d->figure.scene;
    met_text_format(out, "<g id=\"n%u\"><title>", node);
    met_text line = met_text_new(d->arena);
    met_node_line(d->circuit, &line, node);
    met_xml_put(out, (met_str){ met_text_done(&line), line.length });
    met_text_put(out, "</title>");
    bool tied = false;
    for (EACH(i, own->tethers, node)) {
        const met_tether *t = &s->tethers.at[i];
        met_text_format(out, "%sM%d %dV%d", tied ? "" : "<path class=\"h\" d=\"", t->x, t->y0, t->y1);
        tied = true;
        if (t->reach != MET_REACH_NONE) /* a short bar at the far end */
            met_text_format(out, "M%d %dh%d", t->x - SPAN_BAR, t->reach == MET_REACH_UP ? t->y0 : t->y1, 2 * SPAN_BAR);
    }
    met_text_put(out, tied ? "\"/>" : "");
    for (EACH(i, own->plates, node)) {
        met_box box = s->plates.at[i].box;
        met_text_format(out, "<rect class=\"g\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"48\"/>", box.x, box.y,
                        box.w, box.h);
    }
    for (EACH(i, own->marks, node))
        put_mark(out, shapes, &s->marks.at[i]);
    for (EACH(i, own->dots, node))
        put_dot(out, &s->dots.at[i]);
    for (EACH(i, own->notes, node))
        put_note(out, d, &s->notes.at[i]);
    met_text_put(out, "</g>\n");
}

/* Notes and marks of no node and no block: names of inputs, labels of their wires. */
static void put_rest(met_text *out, const met_drawing *d, const shape_list *shapes, const parts *own)
{
    const met_scene *s = &d->figure.scene;
    uint32_t none = d->circuit->node_count;
    for (EACH(i, own->marks, none))
        put_mark(out, shapes, &s->marks.at[i]);
    for (EACH(i, own->notes, none))
        if (s->notes.at[i].block == MET_NONE)
            put_note(out, d, &s->notes.at[i]);
    met_text_char(out, '\n');
}

/* --- The whole --- */

static bool *used_axes(const met_drawing *d)
{
    bool *used = MET_NEW_ARRAY(d->arena, bool, d->circuit->axis_count);
    const met_scene *s = &d->figure.scene;
    for (size_t i = 0; i < s->wires.count; i++)
        if (s->wires.at[i].axis != MET_NONE)
            used[s->wires.at[i].axis] = true;
    return used;
}

static void put_names(met_text *out, const met_drawing *d)
{
    met_str name = met_sym_str(d->circuit->session, d->circuit->name);
    met_text_put(out, "<title>");
    met_xml_put(out, name.length ? name : met_str_of("circuit"));
    met_text_put(out, "</title><desc>String diagram, read from left to right: one wire for each axis.</desc>\n");
}

static void put_forks(met_text *out, const met_drawing *d, const parts *own)
{
    const met_scene *s = &d->figure.scene;
    met_text_put(out, "<g class=\"d\">");
    for (EACH(i, own->dots, d->circuit->node_count)) {
        const met_scene_dot *dot = &s->dots.at[i];
        bool again = false;
        for (size_t back = 1; back <= 64 && back <= i; back++) /* each branch of a fork brought one */
            again = again || (dot[-(ptrdiff_t)back].x == dot->x && dot[-(ptrdiff_t)back].y == dot->y);
        if (!again)
            put_dot(out, dot);
    }
    met_text_put(out, "</g>\n");
}

void met_svg_print(met_text *out, const met_drawing *d)
{
    int32_t margin = d->measure.margin;
    int32_t width = (d->figure.width + 2 * margin + PX - 1) / PX;
    int32_t height = (d->figure.height + 2 * margin + PX - 1) / PX;
    met_text_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n",
                    width, height, -margin, -margin, width * PX, height * PX);
    put_names(out, d);
    put_style(out, d, used_axes(d));
    parts own = find_parts(d);
    shape_list shapes = put_defs(out, d);
    met_text_format(out, "<rect class=\"P\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", -margin, -margin, width * PX,
                    height * PX);
    put_blocks(out, d, &own);
    put_rules(out, &d->figure.scene);
    met_svg_wires(out, d);
    put_forks(out, d, &own);
    bool *shown = MET_NEW_ARRAY(d->arena, bool, d->circuit->node_count);
    for (size_t i = 0; i < d->figure.scene.wires.count; i++)
        if (d->figure.scene.wires.at[i].node != MET_NONE)
            shown[d->figure.scene.wires.at[i].node] = true;
    for (uint32_t n = 0; n < d->circuit->node_count; n++)
        if (shown[n])
            put_node(out, d, &shapes, &own, n);
    put_rest(out, d, &shapes, &own);
    met_text_put(out, "</svg>\n");
}
