#include "plan/shape.h"

#include "base/map.h"

typedef struct printer {
    met_text *out;
    const met_derivation *facts;
    const met_circuit *circuit;
    uint32_t count;
    const met_node_id *nodes;
    met_map *edge_numbers, *axis_numbers; /* by id */
    uint32_t edges, axes;
} printer;

static met_str size_name(void *context, met_size symbol)
{
    return met_circuit_size_name(context, symbol);
}

static void put_dim(printer *p, const met_dim *dim)
{
    met_dim_print(p->out, dim, size_name, (void *)p->circuit);
}

static void put_affine(printer *p, met_affine a)
{
    met_text_format(p->out, "(%lld", (long long)a.constant);
    for (uint32_t t = 0; t < a.term_count; t++) {
        const met_affine_term *term = &a.terms[t];
        met_text_format(p->out, " %lld*", (long long)term->coefficient);
        if (term->kind == MET_TERM_INDEX)
            met_text_format(p->out, "i%u", term->index);
        else
            put_dim(p, term->size);
    }
    met_text_char(p->out, ')');
}

static void put_scalar(printer *p, const met_scalar *e)
{
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
        met_text_format(p->out, "%a", e->number);
        return;
    case MET_SCALAR_INPUT:
        met_text_format(p->out, "x%u", e->input);
        return;
    case MET_SCALAR_INDEX:
        met_text_format(p->out, "i%u", e->index);
        return;
    case MET_SCALAR_SIZE:
        put_dim(p, e->size);
        return;
    case MET_SCALAR_CALL:
        met_text_format(p->out, "f%d(", (int)e->fn);
        for (int i = 0; i < 3 && e->arguments[i]; i++) {
            met_text_char(p->out, ' ');
            put_scalar(p, e->arguments[i]);
        }
        met_text_char(p->out, ')');
        return;
    }
}

static void put_attr(printer *p, const met_attr *attr)
{
    met_text_format(p->out, " o%d:", (int)attr->kind);
    switch (attr->kind) {
    case MET_ATTR_NUMBER:
        met_text_format(p->out, "%a", attr->number);
        return;
    case MET_ATTR_WORD:
        met_text_str(p->out, met_sym_str(p->circuit->session, attr->word));
        return;
    case MET_ATTR_DIM:
        put_dim(p, attr->dim);
        return;
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        put_scalar(p, attr->scalar);
        return;
    case MET_ATTR_FORMAT:
        met_format_print(p->out, attr->format);
        return;
    }
}

/* The number of an id in a table; new ones get the next. */
static uint32_t number_of(met_map *numbers, uint32_t id, uint32_t *next, bool *ret_new)
{
    uint32_t number;
    *ret_new = !met_map_get_pair(numbers, id, 0, &number);
    if (*ret_new) {
        number = (*next)++;
        met_map_set_pair(numbers, id, 0, number);
    }
    return number;
}

static void put_axis(printer *p, met_axis_id axis)
{
    bool fresh;
    met_text_format(p->out, " a%u", number_of(p->axis_numbers, axis.id, &p->axes, &fresh));
    if (!fresh)
        return;
    met_text_char(p->out, '=');
    put_dim(p, p->circuit->axes[axis.id].size);
}

static bool is_inside(const printer *p, met_node_id node)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->nodes[middle].id < node.id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count && p->nodes[low].id == node.id;
}

/* Kept by the circuit, or read by a node that is not one of these. */
static bool leaves(const printer *p, uint32_t edge)
{
    bool out = p->facts->kept[edge] || p->facts->reader_begin[edge] == p->facts->reader_begin[edge + 1];
    for (uint32_t r = p->facts->reader_begin[edge]; r < p->facts->reader_begin[edge + 1] && !out; r++)
        out = !is_inside(p, p->facts->readers[r]);
    return out;
}

static void put_edge(printer *p, met_edge_id id);

static void put_guard(printer *p, const met_guard *guard)
{
    met_text_put(p->out, " g");
    put_affine(p, guard->expression);
    if (guard->value.id == MET_NONE)
        return;
    met_text_format(p->out, "%+d", guard->value_sign);
    put_edge(p, guard->value);
    for (uint32_t v = 0; v < guard->value_rank; v++)
        put_affine(p, guard->value_at[v]);
}

/* All of an edge where it comes up first, afterwards its number. */
static void put_edge(printer *p, met_edge_id id)
{
    bool fresh;
    const met_edge *edge = &p->circuit->edges[id.id];
    met_text_format(p->out, " e%u", number_of(p->edge_numbers, id.id, &p->edges, &fresh));
    if (!fresh)
        return;
    bool inside = edge->producer.id != MET_NONE && is_inside(p, edge->producer);
    met_text_put(p->out, inside ? leaves(p, id.id) ? "{out " : "{in " : edge->role == MET_EDGE_PARAMETER ? "{weight " : "{from ");
    met_format_print(p->out, edge->format);
    for (uint32_t a = 0; a < edge->rank; a++)
        put_axis(p, edge->axes[a]);
    for (uint32_t g = 0; g < edge->guard_count; g++)
        put_guard(p, &edge->guards[g]);
    met_text_char(p->out, '}');
}

static void put_arrays(printer *p, uint32_t count, const met_edge_id *edges, const met_access *access)
{
    for (uint32_t k = 0; k < count; k++) {
        put_edge(p, edges[k]);
        for (uint32_t a = 0; a < access[k].rank; a++)
            put_affine(p, access[k].at[a]);
    }
}

static void put_node(printer *p, const met_node *node)
{
    met_text_format(p->out, "%d:", node->op ? (int)node->op->id : -1);
    for (uint32_t i = 0; i < node->index_count; i++) {
        put_axis(p, node->indices[i].axis);
        met_text_put(p->out, node->indices[i].reduced ? "r" : node->indices[i].target ? "t" : "");
    }
    for (uint32_t k = 0; k < node->attr_count; k++)
        put_attr(p, &node->attrs[k]);
    put_arrays(p, node->in_count, node->ins, node->in_access);
    met_text_put(p->out, " ->");
    put_arrays(p, node->out_count, node->outs, node->out_access);
    met_text_char(p->out, '\n');
}

void met_shape_print(met_text *out, const met_derivation *facts, uint32_t count, const met_node_id *nodes)
{
    met_arena *scratch = met_arena_new();
    printer p = { .out = out, .facts = facts, .circuit = facts->circuit, .count = count, .nodes = nodes,
                  .edge_numbers = met_map_new(scratch), .axis_numbers = met_map_new(scratch) };
    for (uint32_t n = 0; n < count; n++)
        put_node(&p, &p.circuit->nodes[nodes[n].id]);
    met_arena_free(scratch);
}
