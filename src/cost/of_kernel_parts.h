/* A problem while it is made from a kernel: of_kernel.c makes loops and puts it together, of_kernel_arrays.c makes arrays,
 * of_kernel_live.c what stands in the level. */
#ifndef MET_COST_OF_KERNEL_PARTS_H
#define MET_COST_OF_KERNEL_PARTS_H

#include "base/vec.h"
#include "cost/of_kernel.h"
#include "cost/ratio.h"

#define MET_COST_LOOP(l) ((met_loops)1 << (l))

typedef struct met_cost_draft {
    met_arena *arena;
    const met_kernel *kernel;
    const met_cost_view *view;
    met_cost_loop *loops;
    uint32_t *order, order_count, group_count;
    MET_VEC(met_cost_array) arrays;
    MET_VEC(met_cost_resident) residents;
    uint32_t *array_of; /* by value: the array whose tile holds it, or MET_NONE */
    uint64_t unit;
} met_cost_draft;

static inline const met_node *met_cost_step_node(const met_cost_draft *d, const met_kernel_step *step)
{
    return &d->kernel->circuit->nodes[step->node.id];
}

/* The unit in which every weight is whole; false if it is too fine. */
bool met_cost_find_unit(met_cost_draft *d);
void met_cost_add_arrays(met_cost_draft *d);
met_cost_shape met_cost_shape_of(met_cost_draft *d, const met_kernel_value *value);
/* Elements that are computed rather than stored. */
uint64_t met_cost_inner_weight(const met_cost_draft *d);
/* What stands in the level beside the tiles of arrays. */
void met_cost_add_live(met_cost_draft *d);

#endif
