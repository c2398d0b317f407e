#include "met/draw.h"

#include <string.h>

#include "draw/drawing.h"
#include "draw/kernel.h"

enum { PAGE_PX = 1400, PAGE_CELLS = 80, PX = 16, LARGEST = 100000 };

/* Axes take their colours in the order in which edges first show them, whatever part of the circuit a picture shows. */
static uint32_t *number_hues(const met_circuit *c, met_arena *arena)
{
    uint32_t *hue = MET_NEW_ARRAY(arena, uint32_t, c->axis_count);
    for (uint32_t a = 0; a < c->axis_count; a++)
        hue[a] = MET_NONE;
    uint32_t next = 0;
    for (uint32_t e = 0; e < c->edge_count; e++)
        for (uint32_t p = 0; p < c->edges[e].rank; p++)
            if (hue[c->edges[e].axes[p].id] == MET_NONE)
                hue[c->edges[e].axes[p].id] = next++;
    for (uint32_t a = 0; a < c->axis_count; a++)
        if (hue[a] == MET_NONE)
            hue[a] = next++;
    return hue;
}

static int32_t page_of(const met_draw_options *options, const met_measure *measure)
{
    int width = options->width > LARGEST ? LARGEST : options->width;
    if (width < 0)
        return 0;
    if (measure->cells)
        return width ? width : PAGE_CELLS;
    return (width ? width : PAGE_PX) * PX - 2 * measure->margin;
}

met_drawing *met_drawing_tiled(const met_circuit *circuit, const met_tiling *tiling, const met_draw_options *options)
{
    met_theme theme;
    if (!options->theme)
        met_theme_default(circuit->session->arena, &theme);
    else if (!met_theme_read(circuit->session, options->theme, &theme))
        return NULL;
    met_arena *arena = met_arena_new();
    met_drawing *d = MET_NEW(arena, met_drawing);
    d->circuit = circuit;
    d->arena = arena;
    d->theme = theme;
    bool cells = options->format == MET_DRAW_TERMINAL || options->format == MET_DRAW_ASCII;
    d->measure = cells ? met_measure_cells : met_measure_pixels;
    if (!cells)
        d->measure.mono = theme.mono;
    d->hue = number_hues(circuit, arena);
    met_outline_make(&d->outline, circuit, arena, options->whole);
    d->outline.kept = tiling ? tiling->kept : NULL;
    met_drafter drafter = { .circuit = circuit, .outline = &d->outline, .measure = &d->measure, .arena = arena, .tiling = tiling };
    drafter.edge_scratch = MET_NEW_ARRAY(arena, uint32_t, 3 * (size_t)circuit->edge_count);
    met_figure_level(&drafter, MET_NONE, page_of(options, &d->measure), 0, &d->figure);
    if (tiling)
        met_kernel_legend(&drafter, &d->figure);
    return d;
}

met_drawing *met_drawing_new(const met_circuit *circuit, const met_draw_options *options)
{
    return met_drawing_tiled(circuit, NULL, options);
}

void met_drawing_free(met_drawing *drawing)
{
    if (drawing)
        met_arena_free(drawing->arena);
}

const char *met_draw(const met_circuit *circuit, const met_draw_options *options)
{
    static const met_draw_options defaults = { .format = MET_DRAW_SVG };
    return met_draw_tiled(circuit, NULL, options ? options : &defaults);
}

const char *met_draw_tiled(const met_circuit *circuit, const met_tiling *tiling, const met_draw_options *options)
{
    met_drawing *drawing = met_drawing_tiled(circuit, tiling, options);
    if (!drawing)
        return NULL;
    met_text text = met_text_new(drawing->arena);
    switch (options->format) {
    case MET_DRAW_SVG:
        met_svg_print(&text, drawing);
        break;
    case MET_DRAW_HTML:
        met_html_print(&text, drawing);
        break;
    case MET_DRAW_TERMINAL:
    case MET_DRAW_ASCII:
        met_terminal_print(&text, drawing, options->format == MET_DRAW_ASCII, options->colour);
        break;
    }
    const char *result = met_arena_text(circuit->session->arena, met_text_done(&text), text.length);
    met_drawing_free(drawing);
    return result;
}
