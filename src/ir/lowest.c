#include "ir/lowest.h"

#include "ir/primitive.h"

const bool *met_lowest_edges(met_arena *arena, const met_circuit *circuit)
{
    bool *lowest = MET_NEW_ARRAY(arena, bool, circuit->edge_count);
    for (uint32_t n = circuit->node_count; n-- > 0;) {
        const met_node *node = &circuit->nodes[n];
        if (!node->op || node->op->form != MET_FORM_FOLD)
            continue;
        met_monoid monoid = met_node_primitive(circuit, node).monoid;
        bool lower = monoid == MET_MONOID_MAX || (monoid == MET_MONOID_NONE && lowest[node->outs[0].id]);
        for (uint32_t k = 0; lower && k < node->in_count; k++)
            lowest[node->ins[k].id] = true;
    }
    return lowest;
}
