/* Outlines: what a picture shows of a circuit. Blocks are open or closed; consecutive copies of one repetition are
 * shown once. An outline answers, for a level (the whole, or one open block): which items does it hold, and which
 * arrays go in and out. */
#ifndef MET_DRAW_OUTLINE_H
#define MET_DRAW_OUTLINE_H

#include "base/vec.h"
#include "ir/circuit.h"

typedef enum met_item_kind {
    MET_ITEM_SOURCE, /* an array that comes into the level */
    MET_ITEM_SINK,   /* one that leaves it */
    MET_ITEM_KEPT,   /* one that is kept from slice to slice of a stream, and does not leave */
    MET_ITEM_WEIGHT, /* a parameter that is read like any array */
    MET_ITEM_NODE,
    MET_ITEM_BLOCK
} met_item_kind;

typedef struct met_item_view {
    met_item_kind kind;
    uint32_t node, block; /* MET_NONE where they do not apply */
    uint32_t in_count, out_count;
    uint32_t *ins, *outs; /* edges; a node's outs are all its outputs, a block's only those read outside */
} met_item_view;

typedef struct met_level {
    MET_VEC(met_item_view) items; /* sources first, then in node order, sinks last */
} met_level;

typedef struct met_outline {
    const met_circuit *circuit;
    met_arena *arena;
    uint32_t *same;      /* for each edge: the edge of the first copy that stands for it */
    bool *hidden;        /* for each node: in a later copy */
    bool *open;          /* for each block */
    uint32_t *copies;    /* for each block: how many it stands for; 0 if it is hidden */
    uint32_t *last_read; /* for each edge: last shown node that reads it, plus 1; 0 if none */
    bool *is_output;     /* for each edge: leaves the circuit */
    const bool *kept;    /* for each edge: an accumulator of a kernel; NULL: a circuit has none */
    uint32_t *stamp;     /* scratch: for each edge, the last list it was put into */
    uint32_t stamp_now;
    uint32_t *weight_level; /* scratch: for each parameter, the last level that got a source for it */
    uint32_t level_now;
    uint32_t glyph_count; /* shown */
} met_outline;

/* About this many glyphs are shown open. */
#define MET_OUTLINE_GLYPHS 40

void met_outline_make(met_outline *outline, const met_circuit *circuit, met_arena *arena, bool whole);
/* The items of a level; block MET_NONE is the whole circuit. */
void met_outline_level(met_outline *outline, uint32_t block, met_level *ret_level);
/* True if input `index` of the node is a parameter shown in a slot of its glyph. */
bool met_node_slot(const met_circuit *circuit, const met_node *node, uint32_t index);

#endif
