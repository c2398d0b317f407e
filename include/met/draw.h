/* Drawing circuits: string diagrams as SVG, as a page, or as text for terminals. How to read them: docs/drawing.md. */
#ifndef MET_DRAW_H
#define MET_DRAW_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum met_draw_format {
    MET_DRAW_SVG,
    MET_DRAW_HTML,     /* a page of its own: the SVG, light and dark, highlighting and zoom where scripts run */
    MET_DRAW_TERMINAL, /* box-drawing characters */
    MET_DRAW_ASCII
} met_draw_format;

typedef struct met_draw_options {
    met_draw_format format;
    const met_value *theme; /* docs/formats/theme.md; NULL: the default, `paper` */
    int width;              /* rows wrap beyond it: px, or columns of a terminal; 0: 1400 px, 80 columns; < 0: never */
    bool whole;             /* all blocks open, every repetition drawn */
    bool colour;            /* TERMINAL: axes in colours of the 256-colour palette */
} met_draw_options;

/* The picture, NUL-terminated; lives as long as the circuit's session. The same circuit and options give the same bytes.
 * NULL with diagnostics if the theme is wrong. `options` may be NULL. */
const char *met_draw(const met_circuit *circuit, const met_draw_options *options);

#ifdef __cplusplus
}
#endif
#endif
