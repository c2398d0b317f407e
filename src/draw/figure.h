/* Figures: the layout of one part of a picture (an op, a block, the whole), with ports at its left and right border where
 * wires enter and leave. Figures nest: a block's figure becomes one item of its parent's. */
#ifndef MET_DRAW_FIGURE_H
#define MET_DRAW_FIGURE_H

#include "draw/outline.h"
#include "draw/scene.h"

/* An array at a border: one wire for each axis (one thin wire for a scalar), from top to bottom. */
typedef struct met_port {
    uint32_t edge;
    uint32_t rows; /* from 1 */
    int32_t *y;    /* of each wire, from the figure's top */
} met_port;

typedef struct met_figure {
    int32_t width, height;
    uint32_t in_count, out_count;
    met_port *ins, *outs;
    met_scene scene;
} met_figure;

typedef struct met_tiling met_tiling; /* draw/kernel.h */

/* What all of one drawing shares. */
typedef struct met_drafter {
    const met_circuit *circuit;
    met_outline *outline;
    const met_measure *measure;
    met_arena *arena; /* lives as long as the drawing is being made */
    uint32_t *edge_scratch; /* three numbers for each edge, used while one level's columns are made */
    int32_t page;     /* rows of the whole picture wrap beyond this width; 0: never */
    const met_tiling *tiling; /* of the kernel that is drawn; NULL: a circuit */
} met_drafter;

/* Wires of an array: its rank, 1 for a scalar. */
uint32_t met_edge_rows(const met_circuit *circuit, uint32_t edge);
/* The axis of one wire, MET_NONE for a scalar's. */
uint32_t met_edge_axis(const met_circuit *circuit, uint32_t edge, uint32_t row);

/* A port whose wires stand at the measure's pitch, the first at y. */
met_port met_port_make(const met_drafter *d, uint32_t edge, int32_t y);

/* The text above a wire: `h`, or `h=8` once bound. */
met_str met_axis_text(const met_drafter *d, uint32_t axis);
/* Width that the labels of a port's wires need, padding included. */
int32_t met_port_label_width(const met_drafter *d, const met_port *port);
/* Puts the label of one wire above it, starting at x. */
void met_wire_label(const met_drafter *d, met_scene *scene, uint32_t axis, uint32_t node, int32_t x, int32_t y);
/* The small mark under an array: its format if it is not the default. Returns its width, padding included. */
int32_t met_port_tag_width(const met_drafter *d, const met_port *port);
int32_t met_port_tag(const met_drafter *d, met_scene *scene, const met_port *port, int32_t x);
bool met_port_has_tag(const met_drafter *d, const met_port *port);

/* One op. `label`: whether produced axes are labelled. */
void met_figure_op(const met_drafter *d, uint32_t node, met_figure *ret_figure);
/* One level of the outline: the whole circuit (MET_NONE) or an open block. */
void met_figure_level(const met_drafter *d, uint32_t block, int32_t page, uint32_t depth, met_figure *ret_figure);

/* The words in a node's glyph (`scale d^-0.5`), and its line in the description (`n3 softmax[x]: h q x -> h q x`). */
met_str met_node_words(const met_drafter *d, uint32_t node);
/* Whether a view reads an index at an axis other than the one it makes of it. */
bool met_view_renames(const met_circuit *circuit, const met_node *node, uint32_t index);
/* The last part of a dotted name that has at least `least` letters: `wq` of `layers.0.wq`, `linear.w` of `mha.linear.w`.
 * What stands before the number of a copy is left out in any case: `w1` of `layers.0.w1`, one letter or not. */
met_str met_short_name(met_str name, size_t least);
void met_node_line(const met_circuit *circuit, met_text *out, uint32_t node);

/* Room that bent wires need between two columns, and, in cells, their uprights. `wires` are the curves of one zone, whose
 * x0 is final; x1 and bends are filled in. */
int32_t met_route_width(const met_drafter *d, met_wire *const *wires, size_t count);

#endif
