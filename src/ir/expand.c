#include "ir/expand.h"

#include <assert.h>

#include "base/diag.h"
#include "ir/expand_part.h"
#include "met/circuit.h"

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
    [MET_OP_rope] = met_expand_rope,           [MET_OP_split] = met_expand_split,
};

/* A guard may name an integer edge, whose number may have changed. */
static void renumber_guards(const met_expander *x, met_edge *edge)
{
    met_guard *guards = met_arena_copy(x->arena, edge->guards, edge->guard_count, sizeof *guards);
    for (uint32_t g = 0; g < edge->guard_count; g++)
        if (guards[g].value.id != MET_NONE)
            guards[g].value = x->edge_of[guards[g].value.id];
    edge->guards = guards;
}

/* A node that stays as it is, on the new edges. */
static void copy_node(met_expander *x, const met_node *node)
{
    met_node copy = *node;
    met_edge_id *ins = MET_NEW_ARRAY(x->arena, met_edge_id, node->in_count);
    met_edge_id *outs = MET_NEW_ARRAY(x->arena, met_edge_id, node->out_count);
    for (uint32_t k = 0; k < node->in_count; k++)
        ins[k] = x->edge_of[node->ins[k].id];
    for (uint32_t k = 0; k < node->out_count; k++) {
        outs[k].id = (uint32_t)x->edges.count;
        x->edge_of[node->outs[k].id] = outs[k];
        met_edge edge = x->from->edges[node->outs[k].id];
        edge.producer.id = (uint32_t)x->nodes.count;
        renumber_guards(x, &edge);
        MET_PUSH(x->arena, &x->edges, edge);
    }
    copy.ins = ins;
    copy.outs = outs;
    MET_PUSH(x->arena, &x->nodes, copy);
}

static void expand_node(met_expander *x, const met_node *node)
{
    assert(expansions[node->op->id]);
    x->node = node;
    x->name_count = 0;
    expansions[node->op->id](x);
}

static void copy_edges(met_expander *x)
{
    const met_circuit *from = x->from;
    x->edge_of = MET_NEW_ARRAY(x->arena, met_edge_id, from->edge_count);
    x->names = met_map_new(x->arena);
    for (uint32_t e = 0; e < from->edge_count; e++) {
        met_map_set_pair(x->names, from->edges[e].name.id, 0, 1);
        if (from->edges[e].producer.id == MET_NONE) {
            x->edge_of[e].id = (uint32_t)x->edges.count;
            MET_PUSH(x->arena, &x->edges, from->edges[e]);
        }
    }
    for (size_t e = 0; e < x->edges.count; e++)
        renumber_guards(x, &x->edges.at[e]);
}

static const met_edge_id *map_edges(const met_expander *x, uint32_t count, const met_edge_id *edges)
{
    met_edge_id *mapped = MET_NEW_ARRAY(x->arena, met_edge_id, count);
    for (uint32_t i = 0; i < count; i++)
        mapped[i] = x->edge_of[edges[i].id];
    return mapped;
}

static void copy_blocks(const met_expander *x, const uint32_t *node_begin, met_circuit *to)
{
    met_block *blocks = met_arena_copy(x->arena, to->blocks, to->block_count, sizeof *blocks);
    for (uint32_t b = 0; b < to->block_count; b++) {
        blocks[b].node_begin = node_begin[blocks[b].node_begin];
        blocks[b].node_end = node_begin[blocks[b].node_end];
    }
    met_state *states = MET_NEW_ARRAY(x->arena, met_state, to->state_count);
    for (uint32_t s = 0; s < to->state_count; s++)
        states[s] = (met_state){ x->edge_of[to->states[s].in.id], x->edge_of[to->states[s].out.id] };
    to->blocks = blocks;
    to->states = states;
}

met_circuit *met_expand(const met_circuit *circuit, met_numerics numerics)
{
    const uint32_t *ignored;
    return met_expand_traced(circuit, numerics, &ignored);
}

met_circuit *met_expand_traced(const met_circuit *circuit, met_numerics numerics, const uint32_t **ret_begin)
{
    met_expander x = { .from = circuit, .arena = circuit->arena, .numerics = numerics,
                       .fresh = met_inner_format(circuit->default_format) };
    copy_edges(&x);
    uint32_t *node_begin = MET_NEW_ARRAY(x.arena, uint32_t, circuit->node_count + 1);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        node_begin[n] = (uint32_t)x.nodes.count;
        if (circuit->nodes[n].op && circuit->nodes[n].op->form == MET_FORM_COMPOSITE)
            expand_node(&x, &circuit->nodes[n]);
        else
            copy_node(&x, &circuit->nodes[n]);
    }
    node_begin[circuit->node_count] = (uint32_t)x.nodes.count;

    met_circuit *to = met_arena_copy(x.arena, circuit, 1, sizeof *circuit);
    to->edges = x.edges.at;
    to->edge_count = (uint32_t)x.edges.count;
    to->nodes = x.nodes.at;
    to->node_count = (uint32_t)x.nodes.count;
    to->inputs = map_edges(&x, circuit->input_count, circuit->inputs);
    to->parameters = map_edges(&x, circuit->parameter_count, circuit->parameters);
    to->outputs = map_edges(&x, circuit->output_count, circuit->outputs);
    copy_blocks(&x, node_begin, to);
    *ret_begin = node_begin;
    return x.failed ? NULL : to;
}

met_circuit *met_circuit_expand(const met_circuit *circuit, const char *numerics)
{
    met_numerics point;
    if (!met_numerics_find(met_str_of(numerics), &point)) {
        met_diag *diag = met_diag_add(circuit->session, MET_DIAG_usage, (met_span){ 0, 0, 0 },
                                      "there is no numerics point `%s`", numerics);
        met_diag_help(diag, "the numerics points are `real`, `float` and `pow2`");
        return NULL;
    }
    return met_expand(circuit, point);
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
