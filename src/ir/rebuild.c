#include "ir/rebuild.h"

#include "ir/guard.h"

/* A guard may name an integer edge, whose number may have changed. */
static void renumber_guards(const met_rebuild *r, met_edge *edge)
{
    met_guard *guards = met_arena_copy(r->arena, edge->guards, edge->guard_count, sizeof *guards);
    for (uint32_t g = 0; g < edge->guard_count; g++)
        if (guards[g].value.id != MET_NONE)
            guards[g].value = r->edge_of[guards[g].value.id];
    edge->guards = guards;
}

met_rebuild met_rebuild_begin(const met_circuit *from)
{
    met_rebuild r = { .from = from, .arena = from->arena };
    r.edge_of = MET_NEW_ARRAY(r.arena, met_edge_id, from->edge_count);
    r.node_begin = MET_NEW_ARRAY(r.arena, uint32_t, from->node_count + 1);
    r.names = met_map_new(r.arena);
    for (uint32_t e = 0; e < from->edge_count; e++) {
        met_map_set_pair(r.names, from->edges[e].name.id, 0, 1);
        if (from->edges[e].producer.id == MET_NONE) {
            r.edge_of[e].id = (uint32_t)r.edges.count;
            MET_PUSH(r.arena, &r.edges, from->edges[e]);
        }
    }
    for (size_t e = 0; e < r.edges.count; e++)
        renumber_guards(&r, &r.edges.at[e]);
    return r;
}

void met_rebuild_at(met_rebuild *r, uint32_t node)
{
    r->node_begin[node] = (uint32_t)r->nodes.count;
}

static void derive_guards(met_rebuild *r, const met_node *node, uint32_t output, met_edge *edge)
{
    met_guard_view view = { r->from->session, r->arena, r->from->axes, r->edges.at };
    r->failed = !met_guards_derive(&view, node, output, &edge->guards, &edge->guard_count) || r->failed;
}

void met_rebuild_copy(met_rebuild *r, const met_node *node, bool guards)
{
    met_node copy = *node;
    met_edge_id *ins = MET_NEW_ARRAY(r->arena, met_edge_id, node->in_count);
    met_edge_id *outs = MET_NEW_ARRAY(r->arena, met_edge_id, node->out_count);
    for (uint32_t k = 0; k < node->in_count; k++)
        ins[k] = r->edge_of[node->ins[k].id];
    copy.ins = ins;
    copy.outs = outs;
    for (uint32_t k = 0; k < node->out_count; k++) {
        outs[k].id = (uint32_t)r->edges.count;
        r->edge_of[node->outs[k].id] = outs[k];
        met_edge edge = r->from->edges[node->outs[k].id];
        edge.producer.id = (uint32_t)r->nodes.count;
        if (guards)
            derive_guards(r, &copy, k, &edge);
        else
            renumber_guards(r, &edge);
        MET_PUSH(r->arena, &r->edges, edge);
    }
    MET_PUSH(r->arena, &r->nodes, copy);
}

const met_edge_id *met_rebuild_add_all(met_rebuild *r, met_node node, uint32_t count, const met_edge *outs)
{
    met_edge_id *ids = MET_NEW_ARRAY(r->arena, met_edge_id, count);
    for (uint32_t k = 0; k < count; k++)
        ids[k].id = (uint32_t)r->edges.count + k;
    node.outs = ids;
    node.out_count = count;
    for (uint32_t k = 0; k < count; k++) {
        met_edge out = outs[k];
        derive_guards(r, &node, k, &out);
        out.producer.id = (uint32_t)r->nodes.count;
        out.producer_output = k;
        MET_PUSH(r->arena, &r->edges, out);
    }
    MET_PUSH(r->arena, &r->nodes, node);
    return ids;
}

met_edge_id met_rebuild_add(met_rebuild *r, met_node node, met_edge out)
{
    return *met_rebuild_add_all(r, node, 1, &out);
}

met_sym met_rebuild_name(met_rebuild *r, met_sym result, const char *name)
{
    met_text text = met_text_new(r->arena);
    met_text_str(&text, met_sym_str(r->from->session, result));
    met_text_format(&text, "_%s", name);
    size_t length = text.length;
    for (unsigned n = 2;; n++) {
        met_sym sym = met_intern(r->from->session, met_str_of(met_text_done(&text)));
        uint32_t ignored;
        if (!met_map_get_pair(r->names, sym.id, 0, &ignored)) {
            met_map_set_pair(r->names, sym.id, 0, 1);
            return sym;
        }
        text.length = length;
        met_text_format(&text, "%u", n);
    }
}

static const met_edge_id *map_edges(const met_rebuild *r, uint32_t count, const met_edge_id *edges)
{
    met_edge_id *mapped = MET_NEW_ARRAY(r->arena, met_edge_id, count);
    for (uint32_t i = 0; i < count; i++)
        mapped[i] = r->edge_of[edges[i].id];
    return mapped;
}

met_circuit *met_rebuild_end(met_rebuild *r)
{
    const met_circuit *from = r->from;
    met_circuit *to = met_arena_copy(r->arena, from, 1, sizeof *from);
    met_block *blocks = met_arena_copy(r->arena, from->blocks, from->block_count, sizeof *blocks);
    met_state *states = MET_NEW_ARRAY(r->arena, met_state, from->state_count);
    met_rebuild_at(r, from->node_count);
    for (uint32_t b = 0; b < from->block_count; b++) {
        blocks[b].node_begin = r->node_begin[blocks[b].node_begin];
        blocks[b].node_end = r->node_begin[blocks[b].node_end];
    }
    for (uint32_t s = 0; s < from->state_count; s++)
        states[s] = (met_state){ r->edge_of[from->states[s].in.id], r->edge_of[from->states[s].out.id] };
    to->blocks = blocks;
    to->states = states;
    to->edges = r->edges.at;
    to->edge_count = (uint32_t)r->edges.count;
    to->nodes = r->nodes.at;
    to->node_count = (uint32_t)r->nodes.count;
    to->inputs = map_edges(r, from->input_count, from->inputs);
    to->parameters = map_edges(r, from->parameter_count, from->parameters);
    to->outputs = map_edges(r, from->output_count, from->outputs);
    return r->failed ? NULL : to;
}
