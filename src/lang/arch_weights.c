/* Formats of parameters, by the last part of their names: what a model's file says of how its weights are stored. */
#include "lang/arch.h"

static met_str last_part(met_str name)
{
    size_t begin = name.length;
    while (begin > 0 && name.at[begin - 1] != '.')
        begin--;
    return (met_str){ name.at + begin, name.length - begin };
}

/* Whether nothing ties the format of what a node reads there to that of other arrays. */
static bool is_free(const met_circuit *circuit, met_edge_id edge)
{
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        for (uint32_t k = 0; k < node->in_count; k++)
            if (node->ins[k].id == edge.id && (!node->op || met_op_format_letter(node->op, false, k) != '-'))
                return false;
    }
    return true;
}

static bool read_format(const met_circuit *circuit, const met_entry *e, met_format *ret_format)
{
    if (e->value->kind == MET_VALUE_STRING && met_format_parse(e->value->string, ret_format) &&
        (!met_format_is_plain(*ret_format) || met_format_is_float(*ret_format)))
        return true;
    met_diag *d = met_diag_at(circuit->session, MET_DIAG_format, &e->value->place, "this is not a format that weights have");
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

/* Sets the format of every parameter of that name. */
static bool apply(const met_circuit *circuit, met_edge *edges, const met_entry *e, bool whole)
{
    met_format format;
    bool found = false;
    if (!read_format(circuit, e, &format))
        return false;
    for (uint32_t i = 0; i < circuit->parameter_count; i++) {
        met_edge *edge = &edges[circuit->parameters[i].id];
        if (!met_str_equal(last_part(met_sym_str(circuit->session, edge->name)), e->key))
            continue;
        if (!is_free(circuit, circuit->parameters[i])) {
            met_diag_at(circuit->session, MET_DIAG_format, &e->key_place, "the format of `%s` is tied to that of what reads it",
                        met_sym_text(circuit->session, edge->name));
            return false;
        }
        edge->format = format;
        edge->format_origin = MET_FORMAT_STATED;
        found = true;
    }
    if (!found && whole)
        met_diag_at(circuit->session, MET_DIAG_model, &e->key_place, "no parameter is called `%.*s`, or ends in it",
                    MET_STR_ARGS(e->key));
    return found || !whole;
}

met_circuit *met_arch_weights(const met_circuit *circuit, const met_value *table, bool whole)
{
    if (!met_value_expect(circuit->session, table, MET_VALUE_TABLE, "weights"))
        return NULL;
    met_circuit *to = met_arena_copy(circuit->arena, circuit, 1, sizeof *circuit);
    met_edge *edges = met_arena_copy(circuit->arena, circuit->edges, circuit->edge_count, sizeof *edges);
    to->edges = edges;
    bool good = true;
    for (size_t i = 0; i < table->entries.count; i++)
        good = apply(to, edges, &table->entries.at[i], whole) && good;
    return good ? to : NULL;
}
