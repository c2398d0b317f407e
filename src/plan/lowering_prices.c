#include "plan/lower_parts.h"

void met_lowering_prices(const met_lowering *lowering, uint32_t count, const met_pricing *pricings, met_price *ret_prices)
{
    met_arena *scratch = met_arena_new();
    const met_workload *workload = pricings[0].workload;
    met_shapes *shapes = met_shapes_new(scratch, workload->facts, workload);
    met_map *known = met_map_new(scratch);
    met_text key = met_text_new(scratch);
    MET_VEC(met_price) prices = { 0 }; /* `count` for every kind of group */
    for (uint32_t d = 0; d < count; d++)
        ret_prices[d] = (met_price){ 0 };
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        met_priced_group priced = { group->node_count, group->nodes, group->repeat, group->chunk, lowering->rows, group->change_count, group->changes };
        uint32_t at;
        met_price_key(&key, lowering->circuit, shapes, &priced);
        met_str text = { key.at, key.length };
        if (!met_map_get(known, text, &at)) {
            at = (uint32_t)prices.count;
            met_map_set(known, text, at);
            for (uint32_t d = 0; d < count; d++)
                MET_PUSH(scratch, &prices, met_price_group(&pricings[d], &priced));
        }
        for (uint32_t d = 0; d < count; d++)
            met_price_add(&ret_prices[d], &prices.at[at + d]);
    }
    met_arena_free(scratch);
}
