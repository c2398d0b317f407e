#include "ir/flops.h"

#include "ir/expand.h"
#include "ir/primitive.h"

/* Scalar operations at one point of the iteration space. A contraction of k operands multiplies k - 1 times and, if
 * something is reduced, adds once; a transpose only moves data. */
static uint64_t flops_per_point(const met_circuit *circuit, const met_node *node)
{
    bool reduces = false;
    for (uint32_t i = 0; i < node->index_count; i++)
        reduces = reduces || node->indices[i].reduced;
    if (node->op->form == MET_FORM_SCAN) {
        met_primitive scan = met_node_primitive(circuit, node);
        uint64_t folds = node->out_access[0].rank < node->index_count; /* an index of the state is summed over */
        bool recalls = scan.recall->kind != MET_SCALAR_NUMBER;
        return met_scalar_flops(scan.e) + met_scalar_flops(scan.read) + folds + (recalls ? met_scalar_flops(scan.recall) + folds : 0);
    }
    switch (node->op->flops) {
    case MET_FLOPS_FORMULA:
        return met_scalar_flops(met_node_primitive(circuit, node).e) + reduces;
    case MET_FLOPS_CONTRACTION:
        return node->op->id == MET_OP_expert ? 1 + (uint64_t)(met_node_primitive(circuit, node).monoid != MET_MONOID_NONE)
                                             : node->in_count - 1 + (uint64_t)reduces;
    case MET_FLOPS_NONE:
    case MET_FLOPS_EXPANSION:
        break;
    }
    return 0;
}

static const met_dim *primitive_flops(const met_circuit *circuit, const met_node *node)
{
    met_arena *arena = circuit->arena;
    const met_dim *flops = met_dim_constant(arena, node->op ? flops_per_point(circuit, node) : 0);
    if (flops->term_count == 0)
        return flops;
    uint32_t read = met_node_primitive(circuit, node).read_index; /* no loop */
    for (uint32_t i = 0; i < node->index_count; i++)
        flops = i == read ? flops : met_dim_mul(arena, flops, circuit->axes[node->indices[i].axis.id].size);
    return flops;
}

const met_dim *const *met_circuit_node_flops(const met_circuit *circuit)
{
    const uint32_t *begin;
    const met_circuit *expanded = met_expand_traced(circuit, MET_NUMERICS_REAL, &begin);
    const met_dim **flops = MET_NEW_ARRAY(circuit->arena, const met_dim *, circuit->node_count);
    for (uint32_t n = 0; expanded && n < circuit->node_count; n++) {
        flops[n] = met_dim_constant(circuit->arena, 0);
        for (uint32_t k = begin[n]; k < begin[n + 1]; k++)
            flops[n] = met_dim_add(circuit->arena, flops[n], primitive_flops(expanded, &expanded->nodes[k]));
    }
    return flops;
}

static const met_dim *symbol_value(void *context, met_size symbol)
{
    const met_circuit *const *circuit = context;
    return (*circuit)->symbols[symbol.id].value;
}

static bool add_bound(const met_circuit *circuit, const met_dim *dim, uint64_t *sum)
{
    uint64_t n;
    dim = dim ? met_dim_substitute(circuit->arena, dim, symbol_value, &circuit) : NULL;
    return dim && met_dim_is_constant(dim, &n) && !__builtin_add_overflow(*sum, n, sum);
}

bool met_circuit_flops(const met_circuit *circuit, uint64_t *ret_flops)
{
    const met_dim *const *flops = met_circuit_node_flops(circuit);
    *ret_flops = 0;
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (!add_bound(circuit, flops[n], ret_flops))
            return false;
    return true;
}

bool met_circuit_parameter_count(const met_circuit *circuit, uint64_t *ret_count)
{
    *ret_count = 0;
    for (uint32_t k = 0; k < circuit->parameter_count; k++) {
        const met_edge *edge = &circuit->edges[circuit->parameters[k].id];
        const met_dim *size = met_dim_constant(circuit->arena, 1);
        for (uint32_t p = 0; p < edge->rank; p++)
            size = met_dim_mul(circuit->arena, size, circuit->axes[edge->axes[p].id].size);
        if (!add_bound(circuit, size, ret_count))
            return false;
    }
    return true;
}
