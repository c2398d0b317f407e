#include "ir/check.h"

#include "base/diag.h"
#include "ir/affine.h"

static bool broken(const met_circuit *c, met_span span, const char *what)
{
    met_diag_add(c->session, MET_DIAG_circuit, span, "%s", what);
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
            return broken(c, edge->span, "an edge has an axis that does not exist");
    if (edge->rank > MET_RANK_LIMIT) {
        met_diag_add(c->session, MET_DIAG_rank, edge->span, "an array has more than %d axes", MET_RANK_LIMIT);
        return false;
    }
    bool made = edge->producer.id != MET_NONE;
    if (made && edge->producer.id >= c->node_count)
        return broken(c, edge->span, "an edge comes from a node that does not exist");
    if (made != (edge->role == MET_EDGE_VALUE) && !(edge->role == MET_EDGE_VALUE && !made && edge->rank == 0))
        return broken(c, edge->span, "an edge's role and its producer disagree");
    return check_format(c, edge);
}

static bool check_access(const met_circuit *c, const met_node *node, met_edge_id edge, const met_access *access)
{
    if (edge.id >= c->edge_count)
        return broken(c, node->span, "a node uses an edge that does not exist");
    if (access->rank != c->edges[edge.id].rank)
        return broken(c, node->span, "a node reads an edge with another rank than the edge has");
    for (uint32_t p = 0; p < access->rank; p++) {
        for (uint32_t t = 0; t < access->at[p].term_count; t++)
            if (access->at[p].terms[t].kind == MET_TERM_INDEX && access->at[p].terms[t].index >= node->index_count)
                return broken(c, node->span, "a node uses an index that it does not have");
        uint32_t index;
        bool direct = met_affine_is_index(access->at[p], &index);
        bool shifted = node->op && (node->op->form != MET_FORM_COMPOSITE || node->op->id == MET_OP_split);
        if (direct && !shifted && node->indices[index].axis.id != c->edges[edge.id].axes[p].id)
            return broken(c, node->span, "an index runs over another axis than the position that it reads");
    }
    return true;
}

static bool check_node(const met_circuit *c, uint32_t n)
{
    const met_node *node = &c->nodes[n];
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].axis.id >= c->axis_count)
            return broken(c, node->span, "an index runs over an axis that does not exist");
    for (uint32_t i = 0; i < node->in_count; i++) {
        if (!check_access(c, node, node->ins[i], &node->in_access[i]))
            return false;
        met_node_id producer = c->edges[node->ins[i].id].producer;
        if (producer.id != MET_NONE && producer.id >= n)
            return broken(c, node->span, "a node reads what is made after it");
    }
    for (uint32_t i = 0; i < node->out_count; i++) {
        if (!check_access(c, node, node->outs[i], &node->out_access[i]))
            return false;
        const met_edge *edge = &c->edges[node->outs[i].id];
        if (edge->producer.id != n || edge->producer_output != i)
            return broken(c, node->span, "a node and its output disagree");
        for (uint32_t p = 0; p < node->out_access[i].rank; p++)
            if (!met_affine_is_index(node->out_access[i].at[p], NULL))
                return broken(c, node->span, "an output is written at something else than an index");
    }
    for (uint32_t t = 0; t < node->target_count; t++)
        if (node->targets[t] >= node->index_count)
            return broken(c, node->span, "a target is not an index of its node");
    return node->block.id == MET_NONE || node->block.id < c->block_count || broken(c, node->span, "a node is in a block that does not exist");
}

static bool check_blocks(const met_circuit *c)
{
    for (uint32_t i = 0; i < c->block_count; i++) {
        const met_block *block = &c->blocks[i];
        if (block->node_begin >= block->node_end || block->node_end > c->node_count)
            return broken(c, (met_span){ 0 }, "a block does not cover an interval of nodes");
        if (block->parent.id == MET_NONE)
            continue;
        if (block->parent.id >= i)
            return broken(c, (met_span){ 0 }, "a block stands before the one around it");
        const met_block *parent = &c->blocks[block->parent.id];
        if (block->node_begin < parent->node_begin || block->node_end > parent->node_end)
            return broken(c, (met_span){ 0 }, "a block reaches out of the one around it");
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
                return broken(c, c->nodes[n].span, "two blocks overlap");
            innermost[n] = i;
        }
    }
    for (uint32_t n = 0; n < c->node_count; n++)
        if (innermost[n] != c->nodes[n].block.id)
            return broken(c, c->nodes[n].span, "a node stands among those of another block");
    return true;
}

static bool check_ids(const met_circuit *c)
{
    for (uint32_t i = 0; i < c->input_count; i++)
        if (c->inputs[i].id >= c->edge_count)
            return broken(c, (met_span){ 0 }, "an input does not exist");
    for (uint32_t i = 0; i < c->parameter_count; i++)
        if (c->parameters[i].id >= c->edge_count)
            return broken(c, (met_span){ 0 }, "a parameter does not exist");
    for (uint32_t i = 0; i < c->output_count; i++)
        if (c->outputs[i].id >= c->edge_count)
            return broken(c, (met_span){ 0 }, "an output does not exist");
    for (uint32_t i = 0; i < c->state_count; i++)
        if (c->states[i].in.id >= c->edge_count || c->states[i].out.id >= c->edge_count)
            return broken(c, (met_span){ 0 }, "a state does not exist");
    return true;
}

/* A size may come out as 0 only where it is computed: floor(n/16) with n = 8. */
static bool check_sizes(const met_circuit *c)
{
    uint64_t n;
    for (uint32_t i = 0; i < c->axis_count; i++) {
        if (!met_dim_is_constant(c->axes[i].size, &n) || n != 0)
            continue;
        met_diag_add(c->session, MET_DIAG_size_value, c->axes[i].span, "axis `%s` has size 0", met_sym_text(c->session, c->axes[i].name));
        return false;
    }
    return true;
}

bool met_circuit_check(const met_circuit *circuit)
{
    bool good = check_ids(circuit) && check_sizes(circuit) && check_blocks(circuit) && check_members(circuit);
    for (uint32_t i = 0; good && i < circuit->edge_count; i++)
        good = check_edge(circuit, &circuit->edges[i]);
    for (uint32_t n = 0; good && n < circuit->node_count; n++)
        good = check_node(circuit, n);
    return good;
}
