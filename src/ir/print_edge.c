/* Edges in listings: axes with their sizes, types, guards. */
#include "ir/affine.h"
#include "ir/print.h"

void met_circuit_dim_print(met_text *out, const met_circuit *circuit, const met_dim *dim)
{
    met_dim_print(out, dim, met_circuit_size_name, (void *)(uintptr_t)circuit);
}

void met_size_print(met_text *out, const met_circuit *c, met_axis_id axis)
{
    met_text_char(out, '=');
    met_text text = met_text_new(c->arena);
    met_circuit_dim_print(&text, c, c->axes[axis.id].size);
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] != ' ') /* one word: `m=h*d+1` */
            met_text_char(out, text.at[i]);
}

void met_axis_size_print(met_text *out, const met_circuit *c, met_axis_id axis, met_sym label)
{
    met_size symbol;
    const met_dim *size = c->axes[axis.id].size;
    if (met_dim_is_symbol(size, &symbol) && met_str_equal(met_circuit_size_name((void *)(uintptr_t)c, symbol), met_sym_str(c->session, label)))
        return;
    met_size_print(out, c, axis);
}

void met_edge_type_print(met_text *out, const met_circuit *circuit, const met_edge *edge)
{
    bool stated = edge->format_origin == MET_FORMAT_STATED;
    if (stated) {
        met_format_print(out, edge->format);
        met_text_char(out, '[');
    }
    for (uint32_t i = 0; i < edge->rank; i++) {
        met_text_put(out, i ? " " : "");
        met_sym name = circuit->axes[edge->axes[i].id].name;
        met_text_str(out, met_sym_str(circuit->session, name));
        met_axis_size_print(out, circuit, edge->axes[i], name);
    }
    met_text_put(out, stated ? "]" : "");
}

typedef struct edge_names {
    const met_circuit *c;
    const met_edge *edge;
} edge_names;

/* `i_q`, as formulas write an index; the second position of one axis is i_n'. */
static met_str position_name(void *context, uint32_t position)
{
    const edge_names *names = context;
    met_axis_id axis = names->edge->axes[position];
    met_text text = met_text_new(names->c->arena);
    met_text_format(&text, "i_%s", met_sym_text(names->c->session, names->c->axes[axis.id].name));
    for (uint32_t i = 0; i < position; i++)
        if (names->edge->axes[i].id == axis.id)
            met_text_char(&text, '\'');
    return (met_str){ met_text_done(&text), text.length };
}

static met_str guard_size_name(void *context, met_size symbol)
{
    const edge_names *names = context;
    return met_circuit_size_name((void *)(uintptr_t)names->c, symbol);
}

/* Positions are written i_x in guards, so that no size can be taken for one. */
static bool never_taken(void *context, met_str name)
{
    (void)context, (void)name;
    return false;
}

void met_guard_print(met_text *out, const met_circuit *circuit, const met_edge *edge, const met_guard *guard)
{
    edge_names context = { circuit, edge };
    met_scalar_names names = { &context, guard_size_name, position_name, never_taken, NULL };
    bool alone = guard->expression.term_count == 0 && guard->expression.constant == 0;
    if (guard->value.id == MET_NONE || !alone)
        met_affine_print(out, guard->expression, &names);
    if (guard->value.id != MET_NONE) {
        met_text_put(out, guard->value_sign < 0 ? (alone ? "-" : " - ") : alone ? "" : " + ");
        met_text_format(out, "%s[", met_sym_text(circuit->session, circuit->edges[guard->value.id].name));
        for (uint32_t i = 0; i < guard->value_rank; i++) {
            met_text_put(out, i ? ", " : "");
            met_affine_print(out, guard->value_at[i], &names);
        }
        met_text_char(out, ']');
    }
    met_text_put(out, " >= 0");
}
