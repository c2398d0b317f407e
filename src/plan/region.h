/* Groups of a settled circuit as kernels: inside of plan/of_lowering.h. */
#ifndef MET_PLAN_REGION_H
#define MET_PLAN_REGION_H

#include "base/map.h"
#include "derive/derivation.h"
#include "plan/of_lowering.h"

struct met_region_judge {
    const met_settled *settled;
    const met_derivation *facts; /* of the settled circuit */
    met_plan_options options;
    met_map *answers;            /* by shape: 0 or 1 */
    met_map *record_numbers;     /* by shape */
    MET_VEC(const char *) records;
};

/* The nodes as one kernel, made in the arena. NULL with a refusal, also if the realization cannot make it or it does not fit. */
const met_kernel *met_region_kernel(const met_derivation *facts, const met_plan_options *options, met_arena *arena,
                                    uint32_t count, const met_node_id *nodes, met_refusal *ret_refusal);

typedef struct met_kernel_list {
    MET_VEC(const met_kernel *) at;
} met_kernel_list;

/* The nodes as kernels, in an order in which they can run: one if that can be, otherwise each as long as it can be. False with
 * a refusal if some node is no kernel by itself. */
bool met_region_kernels(const met_derivation *facts, const met_plan_options *options, met_arena *arena, uint32_t count,
                        const met_node_id *nodes, met_kernel_list *list, met_refusal *ret_refusal);

#endif
