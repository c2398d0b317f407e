/* The state of freezing one term, shared by freeze.c and freeze_sizes.c. */
#ifndef MET_IR_FREEZE_PARTS_H
#define MET_IR_FREEZE_PARTS_H

#include "ir/builder_parts.h"
#include "ir/names.h"

typedef struct met_freezer {
    met_builder *b;
    met_arena *arena;
    met_term *term;
    met_circuit *circuit;
    met_ids order;        /* draft nodes, topologically */
    uint32_t *edge_ids;   /* draft edge root → edge */
    uint32_t *axis_ids;   /* draft axis root → axis */
    uint32_t *symbol_ids; /* draft symbol → symbol + 1 */
    MET_VEC(met_axis) axes;
    MET_VEC(met_edge) edges;
    MET_VEC(met_symbol) symbols;
    met_namer *edge_names, *axis_names, *symbol_names;
} met_freezer;

/* Resolves the sizes of all axes and numbers the symbols that are left. False with diagnostics. */
bool met_freeze_sizes(met_freezer *f);
/* Puts the final symbols into axes and nodes, then names the axes. False with diagnostics. */
bool met_freeze_rewrite(met_freezer *f, met_node *nodes);

#endif
