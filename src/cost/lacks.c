#include "cost/lacks.h"

met_loops met_cost_lacks(const met_cost_problem *p, const met_cost_array *array)
{
    met_loops own = met_cost_carries(&array->shape), lacks = 0;
    uint32_t covered = p->group_count;
    for (uint32_t i = covered; i < p->order_count; i++)
        if (own >> p->order[i] & 1)
            covered = i + 1;
    for (uint32_t i = 0; i < covered; i++)
        if (!(own >> p->order[i] & 1))
            lacks |= (met_loops)1 << p->order[i];
    return lacks;
}

met_loops met_cost_free_loops(const met_cost_problem *p)
{
    met_loops loops = 0;
    for (uint32_t a = 0; a < p->array_count; a++)
        loops |= met_cost_lacks(p, &p->arrays[a]);
    return loops;
}
