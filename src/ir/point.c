#include "ir/point.h"

#include "ir/primitive.h"
#include "ir/settle.h"

met_point met_point_of(met_dtype dtype)
{
    met_dtype precision = dtype == MET_F64 ? MET_F64 : MET_F32;
    met_tree sequential = met_tree_sequential(precision);
    return (met_point){ .dtype = dtype,
                        .numerics = dtype == MET_F64 ? MET_NUMERICS_REAL : MET_NUMERICS_POW2,
                        .contraction = sequential,
                        .fold = dtype == MET_F64 ? sequential : met_tree_lanes(MET_F32, 16) };
}

met_circuit *met_circuit_settle(const met_circuit *circuit, const met_point *point)
{
    met_circuit *to = met_expand(met_circuit_with_default(circuit, met_format_of(point->dtype)), point->numerics);
    return to && point->numerics == MET_NUMERICS_POW2 && point->dtype != MET_F64 ? met_settle_functions(to) : to;
}

static bool reduces(const met_node *node)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced)
            return true;
    return false;
}

static bool holds(const met_circuit *circuit, met_edge_id edge, met_dtype dtype)
{
    met_format format = circuit->edges[edge.id].format;
    return met_format_is_plain(format) && format.dtype == dtype;
}

bool met_node_is_contraction(const met_node *node)
{
    return node->op && node->op->id == MET_OP_einsum && node->in_count > 1 && reduces(node);
}

met_tree met_point_tree(const met_point *point, const met_circuit *circuit, const met_node *node)
{
    if (!met_node_is_contraction(node))
        return point->fold;
    met_tree tree = point->contraction;
    bool pairs = point->dot == MET_DOT_PAIRS && point->dtype != MET_F64 && node->in_count == 2 &&
                 met_node_primitive(circuit, node).monoid == MET_MONOID_ADD &&
                 holds(circuit, node->ins[0], MET_BF16) && holds(circuit, node->ins[1], MET_BF16);
    if (pairs)
        tree.node = MET_NODE_PAIRS;
    return tree;
}
