#include "ir/circuit.h"

const met_attr *met_node_attr(const met_circuit *circuit, const met_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (met_str_is(met_sym_str(circuit->session, node->attrs[i].key), name))
            return &node->attrs[i];
    return NULL;
}

const met_dim *met_edge_dim(const met_circuit *circuit, const met_edge *edge, uint32_t position)
{
    return circuit->axes[edge->axes[position].id].size;
}

bool met_circuit_size(const met_circuit *circuit, met_axis_id axis, uint64_t *ret_size)
{
    return met_dim_is_constant(circuit->axes[axis.id].size, ret_size);
}

met_str met_circuit_size_name(void *circuit, met_size symbol)
{
    const met_circuit *c = circuit;
    return met_sym_str(c->session, c->symbols[symbol.id].name);
}
