#include "ir/settle_trace.h"

#include "ir/settle.h"

/* Settling goes through the nodes in order and never moves one past another, so what a written node became is a stretch. */
const met_settled *met_settled_new(const met_circuit *written, const met_point *point)
{
    const uint32_t *begin;
    const met_circuit *circuit = met_circuit_settle_traced(written, point, &begin);
    if (!circuit)
        return NULL;
    uint32_t *origin = MET_NEW_ARRAY(written->arena, uint32_t, circuit->node_count);
    met_node_id *nodes = MET_NEW_ARRAY(written->arena, met_node_id, circuit->node_count);
    for (uint32_t w = 0; w < written->node_count; w++) {
        for (uint32_t n = begin[w]; n < begin[w + 1]; n++) {
            origin[n] = w;
            nodes[n].id = n;
        }
    }
    met_settled *settled = MET_NEW(written->arena, met_settled);
    *settled = (met_settled){ written, circuit, *point, origin, begin, nodes };
    return settled;
}

uint32_t met_settled_nodes(const met_settled *settled, uint32_t count, const met_node_id *written, met_node_id *ret_nodes)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = settled->begin[written[i].id]; k < settled->begin[written[i].id + 1]; k++, total++)
            if (ret_nodes)
                ret_nodes[total] = settled->nodes[k];
    return total;
}
