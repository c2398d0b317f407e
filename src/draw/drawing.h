/* A drawing being made: layout and theme together. Printers turn it into text; tests inspect it. */
#ifndef MET_DRAW_DRAWING_H
#define MET_DRAW_DRAWING_H

#include "draw/figure.h"
#include "draw/theme.h"
#include "met/draw.h"

typedef struct met_drawing {
    const met_circuit *circuit;
    met_arena *arena; /* its own */
    met_outline outline;
    met_measure measure;
    met_theme theme;
    met_figure figure; /* the laid-out scene, margins not included */
    uint32_t *hue;     /* for each axis: its number in the order of first appearance */
} met_drawing;

/* NULL with diagnostics if the theme is wrong. */
met_drawing *met_drawing_new(const met_circuit *circuit, const met_draw_options *options);
/* The same of a kernel. */
met_drawing *met_drawing_tiled(const met_circuit *circuit, const met_tiling *tiling, const met_draw_options *options);
void met_drawing_free(met_drawing *drawing);

/* The whole way, as met_draw. */
const char *met_draw_tiled(const met_circuit *circuit, const met_tiling *tiling, const met_draw_options *options);

void met_svg_print(met_text *out, const met_drawing *drawing);
void met_html_print(met_text *out, const met_drawing *drawing);
void met_terminal_print(met_text *out, const met_drawing *drawing, bool ascii, bool colour);

/* svg_wires.c: a group with one path an axis. */
void met_svg_wires(met_text *out, const met_drawing *drawing);
/* Text for XML: markup escaped, bytes that XML cannot hold replaced by U+FFFD. */
void met_xml_put(met_text *out, met_str text);

#endif
