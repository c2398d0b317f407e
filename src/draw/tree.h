/* Pictures of bracketings: leaves in the order in which they stand, nodes above them. */
#ifndef MET_DRAW_TREE_H
#define MET_DRAW_TREE_H

#include "number/bracketing.h"

/* SVG with a title. Lives in the arena. Of trees that a page can hold: some hundred leaves. */
const char *met_draw_tree_svg(met_arena *arena, const met_bracketing *tree, const char *title);

#endif
