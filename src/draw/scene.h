/* Scenes: what a layout yields and what the printers draw. Rectangles, wires and texts in integer coordinates; no colour,
 * no font, no drawing call. Tests inspect scenes. */
#ifndef MET_DRAW_SCENE_H
#define MET_DRAW_SCENE_H

#include "base/vec.h"
#include "draw/glyph.h"
#include "draw/measure.h"
#include "ir/circuit.h"

typedef struct met_box {
    int32_t x, y, w, h;
} met_box;

/* A piece of an axis wire. LINE: straight and level. CURVE: from (x0, y0) to (x1, y1), level at both ends. CUP: from
 * (x0, y0) round a bracket whose back stands at x1 to (x0, y1). */
typedef enum met_wire_kind { MET_WIRE_LINE, MET_WIRE_CURVE, MET_WIRE_CUP } met_wire_kind;
typedef struct met_wire {
    met_wire_kind kind;
    int32_t x0, y0, x1, y1;
    uint32_t axis; /* MET_NONE: the one wire of a scalar */
    uint32_t edge, position;
    uint32_t node;  /* within whose op it runs, or MET_NONE */
    bool touches;   /* it ends at the glyph of that op */
    uint32_t zone;  /* curves of one zone run side by side, between the same two x */
    int32_t bend;   /* cells: x of the upright */
    int32_t jog_y;  /* cells: a second upright at jog_x, reached along row jog_y; jog_x < 0: none */
    int32_t jog_x;
} met_wire;

typedef enum met_dot_kind { MET_DOT_FULL, MET_DOT_OPEN } met_dot_kind;
typedef struct met_scene_dot {
    met_dot_kind kind;
    int32_t x, y;
    uint32_t axis, edge, node;
} met_scene_dot;

/* A thin upright: from a glyph to a wire that it reads elsewhere, or to a parameter's slot, or (a span) across all wires
 * of the arrays above or below that the glyph acts on. */
typedef enum met_reach { MET_REACH_NONE, MET_REACH_UP, MET_REACH_DOWN } met_reach;
typedef struct met_tether {
    int32_t x, y0, y1;
    uint32_t node;
    met_reach reach;
} met_tether;

typedef struct met_mark { /* a placed glyph */
    met_glyph glyph;
    met_box box;
    uint32_t node, block; /* one of them is MET_NONE, or both for sources */
} met_mark;

typedef struct met_note { /* a placed text; the box is as wide as the text */
    met_box box;
    met_face face;
    met_str text;
    bool clipped;
    met_str whole; /* if clipped */
    uint32_t node, axis, block;
} met_note;

typedef enum met_plate_kind { MET_PLATE_OPEN, MET_PLATE_CLOSED, MET_PLATE_SLOT } met_plate_kind;
typedef struct met_plate {
    met_plate_kind kind;
    met_box box;
    uint32_t block, node, depth;
    uint32_t level; /* 1: a kernel, 2: a pass over its stream; 0: neither */
} met_plate;

typedef struct met_rule { /* the dashed line between two arrays of a tuple; upright where a wrapped row is cut */
    int32_t x0, y0, x1, y1;
} met_rule;

typedef struct met_scene {
    met_arena *arena;
    MET_VEC(met_wire) wires;
    MET_VEC(met_scene_dot) dots;
    MET_VEC(met_tether) tethers;
    MET_VEC(met_mark) marks;
    MET_VEC(met_note) notes;
    MET_VEC(met_plate) plates;
    MET_VEC(met_rule) rules;
    uint32_t zone_count;
    uint64_t crossings; /* counted while laying out: pairs of wires that cross */
} met_scene;

void met_scene_start(met_scene *scene, met_arena *arena);
/* Adds a copy of `part`, moved by (dx, dy). */
void met_scene_embed(met_scene *scene, const met_scene *part, int32_t dx, int32_t dy);
void met_scene_line(met_scene *scene, met_wire like, int32_t x0, int32_t x1, int32_t y);
/* Adds a text whose box starts at (x, y), shortened to `limit` (0: not at all). Returns its width. */
int32_t met_scene_text(met_scene *scene, const met_measure *measure, met_note like, int32_t x, int32_t y,
                       int32_t limit);

/* Pairs (from[i], to[i]), sorted here by from: how many pairs of them are in opposite order, that is, cross. Pairs that
 * share an end do not. O(n log n). */
typedef struct met_pair {
    int32_t from, to;
} met_pair;
uint64_t met_count_crossings(met_arena *scratch, met_pair *pairs, size_t count);

#endif
