#include "ir/check.h"

#include <stddef.h>

#include "base/map.h"
#include "ir/check_parts.h"
#include "ir/names.h"

bool met_broken(const met_circuit *c, const char *what)
{
    met_diag_add(c->session, MET_DIAG_circuit, (met_span){ 0 }, "%s", what);
    return false;
}

bool met_broken_edge(const met_circuit *c, const met_edge *edge, const char *what)
{
    met_diag_add(c->session, MET_DIAG_circuit, edge->span, "edge %td, `%s`: %s", edge - c->edges, met_sym_text(c->session, edge->name), what);
    return false;
}

bool met_broken_node(const met_circuit *c, const met_node *node, const char *what)
{
    met_diag_add(c->session, MET_DIAG_circuit, node->span, "node %td, `%s`: %s", node - c->nodes,
                 node->op ? node->op->name : "a box", what);
    return false;
}

static bool check_format(const met_circuit *c, const met_edge *edge)
{
    uint64_t width = 0;
    met_format format = edge->format;
    bool blocks = format.granularity == MET_SCALE_GROUP || format.granularity == MET_SCALE_BLOCK;
    if (!blocks)
        return true;
    met_text text = met_text_new(c->arena);
    met_format_print(&text, format);
    uint32_t needed = format.granularity == MET_SCALE_BLOCK ? 2 : 1;
    if (edge->rank < needed) {
        met_diag_add(c->session, MET_DIAG_format, edge->span, "`%s` needs an array of rank %u or more", met_text_done(&text), needed);
        return false;
    }
    bool known = met_dim_is_constant(met_edge_dim(c, edge, edge->rank - 1), &width);
    if (known && format.granularity == MET_SCALE_GROUP && format.columns && width % format.columns != 0) {
        met_diag *d = met_diag_add(c->session, MET_DIAG_divide, edge->span, "groups of %u do not divide axis `%s` of size %llu",
                                   format.columns, met_sym_text(c->session, c->axes[edge->axes[edge->rank - 1].id].name),
                                   (unsigned long long)width);
        met_diag_label(d, "stored as `%s`", met_text_done(&text));
        return false;
    }
    return true;
}

static bool check_edge(const met_circuit *c, const met_edge *edge)
{
    for (uint32_t i = 0; i < edge->rank; i++)
        if (edge->axes[i].id >= c->axis_count)
            return met_broken_edge(c, edge, "it has an axis that does not exist");
    if (edge->rank > MET_RANK_LIMIT) {
        met_diag_add(c->session, MET_DIAG_rank, edge->span, "an array has more than %d axes", MET_RANK_LIMIT);
        return false;
    }
    bool made = edge->producer.id != MET_NONE;
    if (made != (edge->role == MET_EDGE_VALUE))
        return met_broken_edge(c, edge, "its role and its producer disagree");
    return check_format(c, edge);
}

static bool check_blocks(const met_circuit *c)
{
    for (uint32_t i = 0; i < c->block_count; i++) {
        const met_block *block = &c->blocks[i];
        if (block->node_begin >= block->node_end || block->node_end > c->node_count)
            return met_broken(c, "a block does not cover an interval of nodes");
        if (block->repeat >= block->repeat_count)
            return met_broken(c, "a block is a repetition beyond the last");
        if (i > 0 && block->node_begin < c->blocks[i - 1].node_begin)
            return met_broken(c, "blocks are not in the order of their nodes");
        if (block->parent.id == MET_NONE)
            continue;
        if (block->parent.id >= i)
            return met_broken(c, "a block stands before the one around it");
        const met_block *parent = &c->blocks[block->parent.id];
        if (block->node_begin < parent->node_begin || block->node_end > parent->node_end)
            return met_broken(c, "a block reaches out of the one around it");
    }
    return true;
}

/* The blocks that hold a node are the one it names and those around that one. */
static bool check_members(const met_circuit *c)
{
    uint32_t *innermost = MET_NEW_ARRAY(c->arena, uint32_t, c->node_count);
    for (uint32_t n = 0; n < c->node_count; n++)
        innermost[n] = MET_NONE;
    for (uint32_t i = 0; i < c->block_count; i++) {
        for (uint32_t n = c->blocks[i].node_begin; n < c->blocks[i].node_end; n++) {
            if (innermost[n] != c->blocks[i].parent.id)
                return met_broken_node(c, &c->nodes[n], "two blocks overlap at it");
            innermost[n] = i;
        }
    }
    for (uint32_t n = 0; n < c->node_count; n++)
        if (innermost[n] != c->nodes[n].block.id)
            return met_broken_node(c, &c->nodes[n], "it stands among those of another block");
    return true;
}

static bool check_name(const met_circuit *c, met_map *taken, met_sym name)
{
    if (met_map_get_pair(taken, name.id, 0, &(uint32_t){ 0 }) || !met_name_valid(met_sym_str(c->session, name)))
        return false;
    met_map_set_pair(taken, name.id, 0, 1);
    return true;
}

/* Edges stand in the order that circuit.h states: inputs, parameters, what the nodes make. */
static bool check_order(const met_circuit *c)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->input_count; i++, next++)
        if (c->inputs[i].id != next || next >= c->edge_count || (c->edges[next].role != MET_EDGE_INPUT && c->edges[next].role != MET_EDGE_STATE))
            return met_broken(c, "the inputs are not the first edges, in their order");
    for (uint32_t i = 0; i < c->parameter_count; i++, next++)
        if (c->parameters[i].id != next || next >= c->edge_count || c->edges[next].role != MET_EDGE_PARAMETER)
            return met_broken(c, "the parameters are not the edges after the inputs, in their order");
    for (uint32_t n = 0; n < c->node_count; n++)
        for (uint32_t k = 0; k < c->nodes[n].out_count; k++, next++)
            if (c->nodes[n].outs[k].id != next || next >= c->edge_count || c->edges[next].role != MET_EDGE_VALUE)
                return met_broken_node(c, &c->nodes[n], "its outputs are not the next edges, in their order");
    return next == c->edge_count || met_broken_edge(c, &c->edges[next], "nothing makes it");
}

/* Every state has one new value, and only states have. */
static bool check_ends(const met_circuit *c)
{
    bool *kept = MET_NEW_ARRAY(c->arena, bool, c->edge_count);
    for (uint32_t i = 0; i < c->output_count; i++)
        if (c->outputs[i].id >= c->edge_count)
            return met_broken(c, "an output does not exist");
    for (uint32_t i = 0; i < c->state_count; i++) {
        met_state state = c->states[i];
        if (state.in.id >= c->edge_count || state.out.id >= c->edge_count)
            return met_broken(c, "a state does not exist");
        if (c->edges[state.in.id].role != MET_EDGE_STATE || kept[state.in.id])
            return met_broken_edge(c, &c->edges[state.in.id], "it is no state, or gets two new values");
        kept[state.in.id] = true;
    }
    for (uint32_t e = 0; e < c->edge_count; e++)
        if (c->edges[e].role == MET_EDGE_STATE && !kept[e])
            return met_broken_edge(c, &c->edges[e], "this state gets no new value");
    return true;
}

static bool check_names(const met_circuit *c)
{
    met_map *edges = met_map_new(c->arena), *axes = met_map_new(c->arena), *sizes = met_map_new(c->arena);
    const char *twice = "a name stands twice, or is none that the language can write";
    bool good = true;
    for (uint32_t i = 0; good && i < c->edge_count; i++)
        good = check_name(c, edges, c->edges[i].name) || met_broken_edge(c, &c->edges[i], twice);
    for (uint32_t i = 0; good && i < c->axis_count; i++)
        good = check_name(c, axes, c->axes[i].name) || met_broken(c, twice);
    for (uint32_t i = 0; good && i < c->symbol_count; i++)
        good = check_name(c, sizes, c->symbols[i].name) || met_broken(c, twice);
    return good;
}

bool met_circuit_check(const met_circuit *circuit)
{
    bool good = check_order(circuit) && check_ends(circuit) && check_names(circuit) && met_check_sizes(circuit) &&
                check_blocks(circuit) && check_members(circuit);
    for (uint32_t i = 0; good && i < circuit->edge_count; i++)
        good = check_edge(circuit, &circuit->edges[i]);
    for (uint32_t n = 0; good && n < circuit->node_count; n++)
        good = met_check_node(circuit, n);
    return good;
}
