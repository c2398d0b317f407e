#include "ir/expand.h"

#include <assert.h>

#include "ir/expand_part.h"

bool met_numerics_find(met_str name, met_numerics *ret_numerics)
{
    static const char *const names[] = { "real", "float", "pow2" };
    for (size_t i = 0; i < 3; i++) {
        if (met_str_is(name, names[i])) {
            *ret_numerics = (met_numerics)i;
            return true;
        }
    }
    return false;
}

/* Every composite op of the table. */
static void (*const expansions[MET_OP_COUNT])(met_expander *x) = {
    [MET_OP_mean] = met_expand_mean,           [MET_OP_logsumexp] = met_expand_logsumexp,
    [MET_OP_softmax] = met_expand_softmax,     [MET_OP_l1norm] = met_expand_l1norm,
    [MET_OP_l2norm] = met_expand_l2norm,       [MET_OP_maxnorm] = met_expand_maxnorm,
    [MET_OP_rmsnorm] = met_expand_rmsnorm,     [MET_OP_layernorm] = met_expand_layernorm,
    [MET_OP_linear] = met_expand_linear,       [MET_OP_cross_entropy] = met_expand_cross_entropy,
    [MET_OP_gated_rmsnorm] = met_expand_gated_rmsnorm,
    [MET_OP_rope] = met_expand_rope,           [MET_OP_split] = met_expand_split,
    [MET_OP_router] = met_expand_router,       [MET_OP_dispatch] = met_expand_dispatch,
    [MET_OP_combine] = met_expand_combine,
    [MET_OP_gated_decay] = met_expand_gated_decay, [MET_OP_ssm] = met_expand_ssm,
    [MET_OP_delta_rule] = met_expand_delta_rule,   [MET_OP_causal_conv] = met_expand_causal_conv,
};

static void expand_node(met_expander *x, const met_node *node)
{
    assert(expansions[node->op->id]);
    met_node copy = *node;
    x->node = &copy;
    x->name_count = 0;
    expansions[node->op->id](x);
}

met_circuit *met_expand(const met_circuit *circuit, met_numerics numerics)
{
    const uint32_t *ignored;
    return met_expand_traced(circuit, numerics, &ignored);
}

met_circuit *met_expand_traced(const met_circuit *circuit, met_numerics numerics, const uint32_t **ret_begin)
{
    met_expander x = { .to = met_rebuild_begin(circuit), .numerics = numerics,
                       .fresh = met_inner_format(circuit->default_format) };
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        met_rebuild_at(&x.to, n);
        if (circuit->nodes[n].op && circuit->nodes[n].op->form == MET_FORM_COMPOSITE)
            expand_node(&x, &circuit->nodes[n]);
        else
            met_rebuild_copy(&x.to, &circuit->nodes[n], false);
    }
    *ret_begin = x.to.node_begin;
    return met_rebuild_end(&x.to);
}

met_format met_inner_format(met_format default_format)
{
    return met_format_of(default_format.dtype == MET_F64 ? MET_F64 : MET_F32);
}

met_circuit *met_circuit_with_default(const met_circuit *circuit, met_format format)
{
    met_circuit *to = met_arena_copy(circuit->arena, circuit, 1, sizeof *circuit);
    met_edge *edges = met_arena_copy(circuit->arena, circuit->edges, circuit->edge_count, sizeof *edges);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        if (edges[e].format_origin == MET_FORMAT_DEFAULT)
            edges[e].format = format;
        else if (edges[e].format_origin == MET_FORMAT_INNER)
            edges[e].format = met_inner_format(format);
    to->edges = edges;
    to->default_format = format;
    return to;
}
