#include "ir/point.h"

#include "base/diag.h"
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

bool met_point_equal(const met_point *a, const met_point *b)
{
    return a->dtype == b->dtype && a->numerics == b->numerics && a->division == b->division && a->dot == b->dot &&
           met_tree_equal(&a->contraction, &b->contraction) && met_tree_equal(&a->fold, &b->fold);
}

/* By node of the expanded circuit, the op that it comes from. */
static const met_op_id *origins_of(const met_circuit *circuit, const uint32_t *begin)
{
    met_op_id *origins = MET_NEW_ARRAY(circuit->arena, met_op_id, begin[circuit->node_count]);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        for (uint32_t k = begin[n]; k < begin[n + 1]; k++)
            origins[k] = circuit->nodes[n].op ? circuit->nodes[n].op->id : MET_OP_map;
    return origins;
}

static met_circuit *expand_and_place(const met_circuit *circuit, met_numerics numerics, bool polynomials,
                                     met_division division, const uint32_t **ret_begin)
{
    const uint32_t *expanded, *placed;
    met_circuit *to = met_expand_traced(circuit, numerics, &expanded);
    if (to && polynomials)
        to = met_settle_functions(to);
    to = to ? met_settle_divisions(to, division, origins_of(circuit, expanded), &placed) : NULL;
    if (!to)
        return NULL;
    uint32_t *begin = MET_NEW_ARRAY(circuit->arena, uint32_t, (size_t)circuit->node_count + 1);
    for (uint32_t n = 0; n <= circuit->node_count; n++)
        begin[n] = placed[expanded[n]];
    *ret_begin = begin;
    return to;
}

met_circuit *met_circuit_settle_traced(const met_circuit *circuit, const met_point *point, const uint32_t **ret_begin)
{
    bool polynomials = point->numerics == MET_NUMERICS_POW2 && point->dtype != MET_F64;
    circuit = met_circuit_with_default(circuit, met_format_of(point->dtype));
    return expand_and_place(circuit, point->numerics, polynomials, point->division, ret_begin);
}

met_circuit *met_circuit_settle(const met_circuit *circuit, const met_point *point)
{
    const uint32_t *ignored;
    return met_circuit_settle_traced(circuit, point, &ignored);
}

met_circuit *met_circuit_expand(const met_circuit *circuit, const char *numerics)
{
    met_numerics point;
    const uint32_t *ignored;
    if (!met_numerics_find(met_str_of(numerics), &point)) {
        met_diag *diag = met_diag_add(circuit->session, MET_DIAG_usage, (met_span){ 0, 0, 0 },
                                      "there is no numerics point `%s`", numerics);
        met_diag_help(diag, "the numerics points are `real`, `float` and `pow2`");
        return NULL;
    }
    return expand_and_place(circuit, point, false, MET_DIVISION_DEFAULT, &ignored);
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
    return node->op && ((node->op->id == MET_OP_einsum && node->in_count > 1) || node->op->id == MET_OP_expert) && reduces(node);
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
