/* Drawing circuits: string diagrams as SVG, as a page, or as text for terminals. How to read them: docs/drawing.md. */
#ifndef MET_DRAW_H
#define MET_DRAW_H

#include "met/circuit.h"
#include "met/eval.h"

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

/* How a circuit is seen as one kernel. */
typedef struct met_kernel_view {
    met_eval_options point; /* dtype, numerics, tree, division and dot; the rest is not read */
    const char *stream;     /* name of the loop to stream; NULL: derivation chooses */
    const char *tiles;      /* sizes of tiles, "q=32,x=128", written on the hexagons; NULL: none are known */
    const char *hardware;   /* a class of kernels, "cpu-avx512": its choice of tiles, with those given; NULL: none. All sizes
                               must be bound, and the class must make this kernel */
} met_kernel_view;

/* The kernel that the whole circuit becomes, as a picture: plates for the kernel and for each pass over its stream,
 * hexagons on the wires that are partitioned at their borders, cylinders for what is kept between slices. As met_draw;
 * also NULL with diagnostics if the circuit is no kernel, or a tile is of no loop. `options->whole` has no effect. */
const char *met_draw_kernel(const met_circuit *circuit, const met_kernel_view *view, const met_draw_options *options);

/* The tree that a record (number/tree.h) gives for n terms, as SVG: leaves in the order in which they stand, nodes above them.
 * NULL with diagnostics: more terms than a page holds. */
struct met_tree;
const char *met_draw_tree(met_session *session, const struct met_tree *tree, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
