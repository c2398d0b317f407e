/* Nodes that have nothing to do with each other in one launch: both rotations of a layer, both of its caches. */
#include "derive/derivation.h"
#include "realize/generic.h"

typedef struct reader {
    const met_draft *draft;
    uint32_t count;
    const met_node_id *nodes;
    bool reads;
} reader;

static void look(void *context, met_edge_id edge)
{
    reader *r = context;
    for (uint32_t k = 0; k < r->count; k++)
        r->reads = r->reads || r->draft->circuit->edges[edge.id].producer.id == r->nodes[k].id;
}

static bool is_map_from_beyond(met_draft *draft, met_node_id id)
{
    const met_node *node = &draft->circuit->nodes[id.id];
    if (met_generic_refusal(draft->circuit, draft->point, id) || node->op->form != MET_FORM_FOLD)
        return false;
    const met_generic *g = met_generic_new(draft, id);
    bool beyond = false;
    for (uint32_t k = 0; k < node->in_count; k++)
        beyond = beyond || g->in[k].inside.count > 0;
    return beyond && g->fold_count == 0;
}

const char *met_several_refusal(met_draft *draft, uint32_t count, const met_node_id *nodes)
{
    reader r = { .draft = draft, .count = count, .nodes = nodes };
    for (uint32_t k = 0; k < count; k++) {
        if (!is_map_from_beyond(draft, nodes[k]))
            return "it has nodes that are made each by itself";
        met_node_reads(draft->circuit, &draft->circuit->nodes[nodes[k].id], look, &r);
    }
    return r.reads ? "it has nodes that are made one after the other" : NULL;
}

void met_write_several(met_draft *draft, uint32_t count, const met_node_id *nodes)
{
    met_writer *w = draft->writer;
    met_number first = met_literal(0);
    for (uint32_t k = 0; k < count; k++) {
        met_generic *g = met_generic_new(draft, nodes[k]);
        draft->failed = __builtin_add_overflow(draft->units, met_generic_units(g), &draft->units) || draft->failed;
        met_number next = met_argument(w, draft->units, "units");
        const char *from = met_number_text(w->arena, first);
        met_put_open(w, "if (begin < %s && end > %s)", next.name, from);
        met_put(w, "const int64_t from = begin > %s ? begin - %s : 0, to = (end < %s ? end : %s) - %s;", from, from, next.name,
                next.name, from);
        g->begin = "from";
        g->end = "to";
        met_generic_put(g);
        met_put_close(w);
        first = next;
    }
}
