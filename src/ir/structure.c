/* The text that is digested, a line each:
 *
 *     edge 0 bf16 0:512 1:s2*64
 *     softmax | 0 1t | 1 | | 3 (i0, i1) -> 4 (i0, i1)
 *
 * an edge with its role, format and axes, by id and size; a node with its options, its indices by axis (t: target, r:
 * reduced), its targets and results, what it reads and makes and at which positions. Sizes are called s0, s1 … by id,
 * indices i0, i1 … */
#include <inttypes.h>

#include "base/digest.h"
#include "ir/affine.h"
#include "ir/structure.h"

typedef struct writer {
    const met_circuit *circuit;
    met_arena *arena; /* scratch */
    met_text out;
    met_scalar_names names;
} writer;

static met_str numbered(writer *w, char letter, uint32_t id)
{
    met_text text = met_text_new(w->arena);
    met_text_format(&text, "%c%" PRIu32, letter, id);
    return met_str_of(met_text_done(&text));
}

static met_str size_name(void *context, met_size symbol)
{
    return numbered(context, 's', symbol.id);
}

static met_str index_name(void *context, uint32_t index)
{
    return numbered(context, 'i', index);
}

static bool never_taken(void *context, met_str name)
{
    (void)context;
    (void)name;
    return false;
}

static void put_edge(writer *w, const met_edge *edge)
{
    met_text_format(&w->out, "edge %d ", (int)edge->role);
    met_format_print(&w->out, edge->format);
    for (uint32_t p = 0; p < edge->rank; p++) {
        met_text_format(&w->out, " %" PRIu32 ":", edge->axes[p].id);
        met_dim_print(&w->out, w->circuit->axes[edge->axes[p].id].size, size_name, w);
    }
    met_text_char(&w->out, '\n');
}

static void put_option(writer *w, const met_attr *attr)
{
    const met_session *session = w->circuit->session;
    met_text_char(&w->out, ' ');
    met_text_str(&w->out, met_sym_str(session, attr->key));
    met_text_char(&w->out, '=');
    switch (attr->kind) {
    case MET_ATTR_NUMBER: met_text_double(&w->out, attr->number); break;
    case MET_ATTR_WORD: met_text_str(&w->out, met_sym_str(session, attr->word)); break;
    case MET_ATTR_DIM: met_dim_print(&w->out, attr->dim, size_name, w); break;
    case MET_ATTR_FORMAT: met_format_print(&w->out, attr->format); break;
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS: met_scalar_print(&w->out, attr->scalar, &w->names); break;
    }
}

static void put_ends(writer *w, uint32_t count, const met_edge_id *edges, const met_access *accesses)
{
    for (uint32_t i = 0; i < count; i++) {
        met_text_format(&w->out, " %" PRIu32 " (", edges[i].id);
        for (uint32_t p = 0; p < accesses[i].rank; p++) {
            met_text_put(&w->out, p ? ", " : "");
            met_affine_print(&w->out, accesses[i].at[p], &w->names);
        }
        met_text_char(&w->out, ')');
    }
}

static void put_numbers(writer *w, uint32_t count, const uint32_t *numbers)
{
    met_text_put(&w->out, " |");
    for (uint32_t i = 0; i < count; i++)
        met_text_format(&w->out, " %" PRIu32, numbers[i]);
}

static void put_node(writer *w, const met_node *node)
{
    if (node->op)
        met_text_put(&w->out, node->op->name);
    else
        met_text_str(&w->out, met_sym_str(w->circuit->session, node->box_name));
    for (uint32_t i = 0; i < node->attr_count; i++)
        put_option(w, &node->attrs[i]);
    met_text_put(&w->out, " |");
    for (uint32_t i = 0; i < node->index_count; i++)
        met_text_format(&w->out, " %" PRIu32 "%s%s", node->indices[i].axis.id, node->indices[i].target ? "t" : "",
                        node->indices[i].reduced ? "r" : "");
    put_numbers(w, node->target_count, node->targets);
    put_numbers(w, node->result_count, node->results);
    met_text_put(&w->out, " |");
    put_ends(w, node->in_count, node->ins, node->in_access);
    met_text_put(&w->out, " ->");
    put_ends(w, node->out_count, node->outs, node->out_access);
    met_text_char(&w->out, '\n');
}

const char *met_circuit_structure(const met_circuit *circuit)
{
    met_arena *scratch = met_arena_new();
    writer w = { .circuit = circuit, .arena = scratch, .out = met_text_new(scratch) };
    w.names = (met_scalar_names){ &w, size_name, index_name, never_taken, NULL };
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        put_edge(&w, &circuit->edges[e]);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        put_node(&w, &circuit->nodes[n]);
    met_text_put(&w.out, "results");
    for (uint32_t i = 0; i < circuit->output_count; i++)
        met_text_format(&w.out, " %" PRIu32, circuit->outputs[i].id);
    met_text_put(&w.out, "\nstates");
    for (uint32_t i = 0; i < circuit->state_count; i++)
        met_text_format(&w.out, " %" PRIu32 ":%" PRIu32, circuit->states[i].in.id, circuit->states[i].out.id);
    met_text_done(&w.out);
    const char *digest = met_digest(circuit->session->arena, (met_str){ w.out.at, w.out.length });
    met_arena_free(scratch);
    return digest;
}
