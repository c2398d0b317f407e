/* Reading the JSON form of circuits. The reader checks the file's shape; the checker checks the circuit. Guards are not
 * read but derived: they follow from the nodes. */
#include <string.h>

#include "ir/check.h"
#include "ir/json_read_parts.h"
#include "ir/rewrite.h"
#include "met/circuit.h"

/* The fields of each table. Version 1 has no optional ones. */
static const char *const circuit_keys[] = { "schema", "version", "name", "default_format", "inputs", "parameters", "outputs", "states",
                                            "sizes", "axes", "edges", "blocks", "nodes", NULL };
static const char *const size_keys[] = { "name", "label", "value", NULL };
static const char *const axis_keys[] = { "name", "label", "size", NULL };
static const char *const edge_keys[] = { "name", "role", "format", "origin", "axes", "guards", NULL };
static const char *const block_keys[] = { "name", "parent", "nodes", "family", "repeat", "repeat_count", NULL };
static const char *const state_keys[] = { "in", "out", NULL };

/* --- Sizes, axes, edges --- */

static bool read_sizes(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "sizes");
    if (!list)
        return false;
    met_symbol *symbols = MET_NEW_ARRAY(r->arena, met_symbol, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        int64_t n;
        if (!met_json_table(r, item, "a size", size_keys) || !met_json_name(r, item, "name", &symbols[i].name) ||
            !met_json_name(r, item, "label", &symbols[i].label) || !met_json_declare(r, r->names.sizes, item, symbols[i].name, (uint32_t)i))
            return false;
        const met_value *value = met_value_require(r->session, item, "value");
        if (!value || (value->kind != MET_VALUE_NULL && !met_value_to_integer(r->session, value, "value", &n)))
            return false;
        if (value->kind == MET_VALUE_NULL)
            continue;
        if (n < 1) {
            met_diag_at(r->session, MET_DIAG_size_value, &value->place, "a size is a positive integer");
            return false;
        }
        symbols[i].value = met_dim_constant(r->arena, (uint64_t)n);
    }
    r->c->symbols = symbols;
    r->c->symbol_count = (uint32_t)list->items.count;
    return true;
}

static bool read_axes(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "axes");
    if (!list)
        return false;
    met_axis *axes = MET_NEW_ARRAY(r->arena, met_axis, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!met_json_table(r, item, "an axis", axis_keys) || !met_json_name(r, item, "name", &axes[i].name) ||
            !met_json_name(r, item, "label", &axes[i].label) || !met_json_declare(r, r->names.axes, item, axes[i].name, (uint32_t)i))
            return false;
        const met_value *size = met_value_require(r->session, item, "size");
        axes[i].size = size ? met_json_dim(&r->names, size) : NULL;
        if (!axes[i].size)
            return false;
    }
    r->c->axes = axes;
    r->c->axis_count = (uint32_t)list->items.count;
    return true;
}

static bool read_edge(met_json_reader *r, const met_value *item, uint32_t id)
{
    met_edge *edge = &r->edges[id];
    int role, origin;
    edge->producer.id = MET_NONE;
    if (!met_json_table(r, item, "an edge", edge_keys) || !met_json_name(r, item, "name", &edge->name) ||
        !met_json_declare(r, r->names.edges, item, edge->name, id) || !met_json_word(r, item, "role", met_role_names, 4, &role) ||
        !met_json_format(r, item, "format", &edge->format) || !met_json_word(r, item, "origin", met_origin_names, 3, &origin))
        return false;
    edge->role = (met_edge_role)role;
    edge->format_origin = (met_format_origin)origin;
    const met_value *list = met_json_list(r, item, "axes");
    if (!list)
        return false;
    met_axis_id *axes = MET_NEW_ARRAY(r->arena, met_axis_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_look_up(r, r->names.axes, list->items.at[i], "axis", &axes[i].id))
            return false;
    if (list->items.count > 32) {
        met_diag_at(r->session, MET_DIAG_rank, &list->place, "an edge has more than 32 axes");
        return false;
    }
    edge->rank = (uint32_t)list->items.count;
    edge->axes = axes;
    return true;
}

static bool read_edges(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "edges");
    if (!list)
        return false;
    r->edges = MET_NEW_ARRAY(r->arena, met_edge, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!read_edge(r, list->items.at[i], (uint32_t)i))
            return false;
    r->c->edges = r->edges;
    r->c->edge_count = (uint32_t)list->items.count;
    return true;
}

/* --- Blocks, ends, states --- */

static bool read_blocks(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "blocks");
    if (!list)
        return false;
    met_block *blocks = MET_NEW_ARRAY(r->arena, met_block, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        const uint32_t *ends;
        uint32_t count;
        if (!met_json_table(r, item, "a block", block_keys) || !met_json_name(r, item, "name", &blocks[i].name) ||
            !met_json_optional(r, item, "parent", &blocks[i].parent.id) || !met_json_numbers(r, item, "nodes", &ends, &count) ||
            !met_json_natural_field(r, item, "family", &blocks[i].family) || !met_json_natural_field(r, item, "repeat", &blocks[i].repeat) ||
            !met_json_natural_field(r, item, "repeat_count", &blocks[i].repeat_count))
            return false;
        if (count != 2) {
            met_diag_at(r->session, MET_DIAG_circuit, &item->place, "`nodes` of a block is its first node and the one after its last");
            return false;
        }
        blocks[i].node_begin = ends[0];
        blocks[i].node_end = ends[1];
    }
    r->c->blocks = blocks;
    r->c->block_count = (uint32_t)list->items.count;
    return true;
}

static bool read_edge_list(met_json_reader *r, const char *key, const met_edge_id **ret_edges, uint32_t *ret_count)
{
    const met_value *list = met_json_list(r, r->root, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_look_up(r, r->names.edges, list->items.at[i], "edge", &edges[i].id))
            return false;
    *ret_edges = edges;
    *ret_count = (uint32_t)list->items.count;
    return true;
}

static bool read_states(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "states");
    if (!list)
        return false;
    met_state *states = MET_NEW_ARRAY(r->arena, met_state, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!met_json_table(r, item, "a state", state_keys))
            return false;
        const met_value *in = met_value_require(r->session, item, "in"), *out = met_value_require(r->session, item, "out");
        if (!in || !out || !met_json_look_up(r, r->names.edges, in, "edge", &states[i].in.id) ||
            !met_json_look_up(r, r->names.edges, out, "edge", &states[i].out.id))
            return false;
    }
    r->c->states = states;
    r->c->state_count = (uint32_t)list->items.count;
    return true;
}

static bool check_version(met_json_reader *r)
{
    met_sym schema;
    uint32_t version;
    if (!met_json_string(r, r->root, "schema", &schema) || !met_json_natural_field(r, r->root, "version", &version))
        return false;
    if (met_str_is(met_sym_str(r->session, schema), MET_CIRCUIT_SCHEMA) && version == MET_CIRCUIT_VERSION)
        return true;
    met_diag *d = met_diag_at(r->session, MET_DIAG_circuit, &r->root->place, "this is `%s` version %u", met_sym_text(r->session, schema), version);
    met_diag_help(d, "this met reads `%s` version %d", MET_CIRCUIT_SCHEMA, MET_CIRCUIT_VERSION);
    return false;
}

/* The checker knows no places; the file is one. */
static void place_in_file(const met_json_reader *r, met_diag *diag)
{
    if (diag->main.span.source)
        return;
    diag->main.span = r->root->place.span;
    met_diag_path(diag, r->root->place.path ? r->root->place.path : "/");
}

met_circuit *met_circuit_from_json(met_session *session, const met_value *json)
{
    met_arena *arena = session->arena;
    met_json_reader *r = MET_NEW(arena, met_json_reader);
    *r = (met_json_reader){ .session = session, .arena = arena, .c = MET_NEW(arena, met_circuit), .root = json };
    r->names = (met_json_names){ session, met_map_new(arena), met_map_new(arena), met_map_new(arena) };
    *r->c = (met_circuit){ .session = session, .arena = arena };
    bool good = met_value_expect(session, json, MET_VALUE_TABLE, "a circuit") && check_version(r) && met_json_table(r, json, "a circuit", circuit_keys) &&
                met_json_name(r, json, "name", &r->c->name) && met_json_format(r, json, "default_format", &r->c->default_format) &&
                read_sizes(r) && read_axes(r) && read_edges(r) && read_blocks(r) && met_json_nodes(r) &&
                read_edge_list(r, "inputs", &r->c->inputs, &r->c->input_count) &&
                read_edge_list(r, "parameters", &r->c->parameters, &r->c->parameter_count) &&
                read_edge_list(r, "outputs", &r->c->outputs, &r->c->output_count) && read_states(r);
    size_t told = session->diags.count;
    good = good && met_circuit_check(r->c) &&
           met_circuit_derive_guards(session, r->c->axes, r->edges, r->c->nodes, r->c->node_count);
    for (size_t i = told; i < session->diags.count; i++)
        place_in_file(r, session->diags.at[i]);
    return good ? r->c : NULL;
}
