/* Inside of drawing one op: shared by op.c (what stands where) and op_wires.c (how the wires run). */
#ifndef MET_DRAW_OP_PARTS_H
#define MET_DRAW_OP_PARTS_H

#include "draw/figure.h"
#include "draw/spread.h"

#define OP_SCALAR (MET_NONE - 1) /* the index of a scalar's wire */

/* One wire at the entrance or exit of the op. */
typedef struct op_row {
    uint32_t stack, position, edge, axis;
    uint32_t index; /* of the node, if the position is just that index; else MET_NONE */
    bool target;    /* ends (or starts) at the glyph */
    bool tied;      /* a target out of the glyph's reach */
    int32_t y;
} op_row;

typedef MET_VEC(op_row) op_rows;

typedef struct op_draft {
    const met_drafter *d;
    uint32_t id;
    const met_node *node;
    met_glyph glyph;
    const met_glyph_info *info;
    met_str words;
    op_rows ins, outs;
    uint32_t in_stacks, out_stacks;
    MET_VEC(uint32_t) slots; /* edges of parameters */
    int32_t slot_width;
    size_t group_begin, group_end; /* entering wires at which the glyph stands */
    int32_t glyph_x, glyph_w;
    int32_t glyph_y, glyph_rows; /* first wire of the glyph and how many it spans */
    int32_t exit_x, label_x, width;
    int32_t result_x; /* where the scalar left by a contraction starts */
    bool tagged;
    met_scene *scene;
} op_draft;

/* Whether an entering wire goes on as a leaving one without meeting the glyph. */
bool op_continues(const op_draft *o, size_t in, size_t out);
/* Whether a leaving wire is the scalar that a contraction leaves over. */
bool op_is_result(const op_draft *o, size_t out);
/* All wires up to the labels; decides the op's width. */
void op_put_wires(op_draft *o);
/* The straight ends of the leaving wires, with labels and tags. */
void op_put_tails(op_draft *o);

met_str op_slot_text(const op_draft *o, uint32_t edge);
int32_t op_slot_width(const op_draft *o, uint32_t edge);

#endif
