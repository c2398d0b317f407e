#include "derive/derivation.h"

static void read_guards(const met_circuit *circuit, met_edge_id id, met_read_fn fn, void *context)
{
    const met_edge *edge = &circuit->edges[id.id];
    for (uint32_t g = 0; g < edge->guard_count; g++)
        if (edge->guards[g].value.id != MET_NONE)
            fn(context, edge->guards[g].value);
}

void met_node_reads(const met_circuit *circuit, const met_node *node, met_read_fn fn, void *context)
{
    for (uint32_t k = 0; k < node->in_count; k++)
        fn(context, node->ins[k]);
    for (uint32_t k = 0; k < node->in_count; k++)
        read_guards(circuit, node->ins[k], fn, context);
    for (uint32_t k = 0; k < node->out_count; k++)
        read_guards(circuit, node->outs[k], fn, context);
}

/* --- Readers --- */

typedef struct collector {
    uint32_t *count;    /* by edge */
    uint32_t *last;     /* by edge: the node that was counted last, so that each counts once */
    uint32_t node;
    const uint32_t *begin;
    met_node_id *readers; /* NULL while counting */
} collector;

static void take(void *context, met_edge_id edge)
{
    collector *c = context;
    if (c->last[edge.id] == c->node)
        return;
    c->last[edge.id] = c->node;
    if (c->readers)
        c->readers[c->begin[edge.id] + c->count[edge.id]] = (met_node_id){ c->node };
    c->count[edge.id]++;
}

static void collect(const met_circuit *circuit, collector *c)
{
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        c->count[e] = 0;
        c->last[e] = MET_NONE;
    }
    for (c->node = 0; c->node < circuit->node_count; c->node++)
        met_node_reads(circuit, &circuit->nodes[c->node], take, c);
}

static void find_readers(met_derivation *d)
{
    const met_circuit *circuit = d->circuit;
    met_arena *arena = circuit->arena;
    uint32_t *begin = MET_NEW_ARRAY(arena, uint32_t, (size_t)circuit->edge_count + 1);
    collector c = { .count = MET_NEW_ARRAY(arena, uint32_t, circuit->edge_count),
                    .last = MET_NEW_ARRAY(arena, uint32_t, circuit->edge_count), .begin = begin };
    collect(circuit, &c);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        begin[e + 1] = begin[e] + c.count[e];
    c.readers = MET_NEW_ARRAY(arena, met_node_id, begin[circuit->edge_count]);
    collect(circuit, &c);
    d->reader_begin = begin;
    d->readers = c.readers;
}

static const bool *find_kept(const met_circuit *circuit)
{
    bool *kept = MET_NEW_ARRAY(circuit->arena, bool, circuit->edge_count);
    for (uint32_t i = 0; i < circuit->output_count; i++)
        kept[circuit->outputs[i].id] = true;
    for (uint32_t i = 0; i < circuit->state_count; i++)
        kept[circuit->states[i].out.id] = true;
    return kept;
}

static bool has_form(const met_node *node)
{
    return node->op && node->op->form != MET_FORM_COMPOSITE;
}

const met_derivation *met_derivation_new(const met_circuit *circuit)
{
    met_derivation *d = MET_NEW(circuit->arena, met_derivation);
    d->circuit = circuit;
    met_primitive *forms = MET_NEW_ARRAY(circuit->arena, met_primitive, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        forms[n] = has_form(&circuit->nodes[n]) ? met_node_primitive(circuit, &circuit->nodes[n])
                                                : (met_primitive){ .form = MET_FORM_COMPOSITE };
    d->forms = forms;
    d->kept = find_kept(circuit);
    find_readers(d);
    return d;
}
