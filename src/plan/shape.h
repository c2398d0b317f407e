/* Shapes of regions: text that is the same for two sets of nodes iff derivation, planning and writing see no difference
 * between them. Layers of a model have equal shapes, so what was found out about one holds for all. Nothing of it is a
 * name: nodes, edges and axes are numbered as they come up. */
#ifndef MET_PLAN_SHAPE_H
#define MET_PLAN_SHAPE_H

#include "base/text.h"
#include "derive/derivation.h"

/* Nodes ascending, of the circuit of the facts. */
void met_shape_print(met_text *out, const met_derivation *facts, uint32_t count, const met_node_id *nodes);

#endif
