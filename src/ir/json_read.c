/* Reading the JSON form of circuits. The reader checks the file's shape; the checker checks the circuit. Guards are not
 * read but derived: they follow from the nodes. */
#include <string.h>

#include "base/value.h"
#include "ir/check.h"
#include "ir/json.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "met/circuit.h"

typedef struct reader {
    met_session *session;
    met_arena *arena;
    met_circuit *c;
    met_json_names names;
    const met_value *root;
    met_edge *edges;
} reader;

/* A table with these fields and no others: version 1 has no optional ones. */
static bool table_of(reader *r, const met_value *value, const char *what, const char *const *keys)
{
    size_t count = 0;
    while (keys[count])
        count++;
    return met_value_expect(r->session, value, MET_VALUE_TABLE, what) && met_value_only(r->session, value, keys, count);
}

static const char *const circuit_keys[] = { "schema", "version", "name", "default_format", "inputs", "parameters", "outputs", "states",
                                            "sizes", "axes", "edges", "blocks", "nodes", NULL };
static const char *const size_keys[] = { "name", "label", "value", NULL };
static const char *const axis_keys[] = { "name", "label", "size", NULL };
static const char *const edge_keys[] = { "name", "role", "format", "stated", "axes", "guards", NULL };
static const char *const index_keys[] = { "label", "axis", "target", "reduced", NULL };
static const char *const end_keys[] = { "edge", "at", NULL };
static const char *const option_keys[] = { "name", "given", "value", NULL };
static const char *const node_keys[] = { "op", "block", "indices", "inputs", "outputs", "targets", "results", "options", NULL };
static const char *const block_keys[] = { "name", "parent", "nodes", "family", "repeat", "repeat_count", NULL };
static const char *const state_keys[] = { "in", "out", NULL };

static const met_value *list_field(reader *r, const met_value *table, const char *key)
{
    const met_value *list = met_value_require(r->session, table, key);
    return list && met_value_expect(r->session, list, MET_VALUE_LIST, key) ? list : NULL;
}

static bool string_field(reader *r, const met_value *table, const char *key, met_sym *ret_sym)
{
    const met_value *value = met_value_require(r->session, table, key);
    met_str text;
    if (!value || !met_value_to_string(r->session, value, key, &text))
        return false;
    *ret_sym = met_intern(r->session, text);
    return true;
}

static bool bool_field(reader *r, const met_value *table, const char *key, bool *ret_bool)
{
    const met_value *value = met_value_require(r->session, table, key);
    return value && met_value_to_bool(r->session, value, key, ret_bool);
}

static bool number_of(reader *r, const met_value *value, const char *what, uint32_t *ret_n)
{
    int64_t n;
    if (!met_value_to_integer(r->session, value, what, &n))
        return false;
    if (n < 0 || n >= UINT32_MAX) {
        met_diag_at(r->session, MET_DIAG_circuit, &value->place, "%s is out of range", what);
        return false;
    }
    *ret_n = (uint32_t)n;
    return true;
}

static bool number_field(reader *r, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(r->session, table, key);
    return value && number_of(r, value, key, ret_n);
}

/* null or a number */
static bool optional_number(reader *r, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(r->session, table, key);
    *ret_n = MET_NONE;
    return value && (value->kind == MET_VALUE_NULL || number_of(r, value, key, ret_n));
}

static bool format_field(reader *r, const met_value *table, const char *key, met_format *ret_format)
{
    const met_value *value = met_value_require(r->session, table, key);
    met_str text;
    if (!value || !met_value_to_string(r->session, value, key, &text))
        return false;
    if (met_format_parse(text, ret_format))
        return true;
    met_diag *d = met_diag_at(r->session, MET_DIAG_format, &value->place, "there is no format `%.*s`", MET_STR_ARGS(text));
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

static bool look_up(reader *r, met_map *map, const met_value *value, const char *what, uint32_t *ret_id)
{
    met_str name;
    if (!met_value_to_string(r->session, value, what, &name))
        return false;
    if (met_map_get(map, name, ret_id))
        return true;
    met_diag_at(r->session, MET_DIAG_circuit, &value->place, "there is no %s `%.*s`", what, MET_STR_ARGS(name));
    return false;
}

static bool declare(reader *r, met_map *map, const met_value *item, met_sym name, uint32_t id)
{
    if (met_map_get(map, met_sym_str(r->session, name), NULL)) {
        met_diag_at(r->session, MET_DIAG_duplicate_name, &item->place, "`%s` is there twice", met_sym_text(r->session, name));
        return false;
    }
    met_map_set(map, met_sym_str(r->session, name), id);
    return true;
}

/* --- Sizes, axes, edges --- */

static bool read_sizes(reader *r)
{
    const met_value *list = list_field(r, r->root, "sizes");
    if (!list)
        return false;
    met_symbol *symbols = MET_NEW_ARRAY(r->arena, met_symbol, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        int64_t n;
        if (!table_of(r, item, "a size", size_keys) || !string_field(r, item, "name", &symbols[i].name) ||
            !string_field(r, item, "label", &symbols[i].label) || !declare(r, r->names.sizes, item, symbols[i].name, (uint32_t)i))
            return false;
        const met_value *value = met_value_require(r->session, item, "value");
        if (!value || (value->kind != MET_VALUE_NULL && !met_value_to_integer(r->session, value, "value", &n)))
            return false;
        if (value->kind != MET_VALUE_NULL)
            symbols[i].value = met_dim_constant(r->arena, n > 0 ? (uint64_t)n : 0);
    }
    r->c->symbols = symbols;
    r->c->symbol_count = (uint32_t)list->items.count;
    return true;
}

static bool read_axes(reader *r)
{
    const met_value *list = list_field(r, r->root, "axes");
    if (!list)
        return false;
    met_axis *axes = MET_NEW_ARRAY(r->arena, met_axis, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!table_of(r, item, "an axis", axis_keys) || !string_field(r, item, "name", &axes[i].name) ||
            !string_field(r, item, "label", &axes[i].label) || !declare(r, r->names.axes, item, axes[i].name, (uint32_t)i))
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

static bool read_role(reader *r, const met_value *item, met_edge_role *ret_role)
{
    met_sym role;
    if (!string_field(r, item, "role", &role))
        return false;
    for (int k = 0; k < 4; k++) {
        if (met_str_is(met_sym_str(r->session, role), met_role_names[k])) {
            *ret_role = (met_edge_role)k;
            return true;
        }
    }
    met_diag_at(r->session, MET_DIAG_circuit, &item->place, "there is no role `%s`", met_sym_text(r->session, role));
    return false;
}

static bool read_edge(reader *r, const met_value *item, uint32_t id)
{
    met_edge *edge = &r->edges[id];
    edge->producer.id = MET_NONE;
    if (!table_of(r, item, "an edge", edge_keys) || !string_field(r, item, "name", &edge->name) ||
        !declare(r, r->names.edges, item, edge->name, id) || !read_role(r, item, &edge->role) ||
        !format_field(r, item, "format", &edge->format) || !bool_field(r, item, "stated", &edge->format_stated))
        return false;
    const met_value *list = list_field(r, item, "axes");
    if (!list)
        return false;
    met_axis_id *axes = MET_NEW_ARRAY(r->arena, met_axis_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!look_up(r, r->names.axes, list->items.at[i], "axis", &axes[i].id))
            return false;
    if (list->items.count > 32) {
        met_diag_at(r->session, MET_DIAG_rank, &list->place, "an edge has more than 32 axes");
        return false;
    }
    edge->rank = (uint32_t)list->items.count;
    edge->axes = axes;
    return true;
}

static bool read_edges(reader *r)
{
    const met_value *list = list_field(r, r->root, "edges");
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

/* --- Nodes --- */

static bool read_indices(reader *r, const met_value *item, met_node *node)
{
    const met_value *list = list_field(r, item, "indices");
    if (!list)
        return false;
    met_index *indices = MET_NEW_ARRAY(r->arena, met_index, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *index = list->items.at[i];
        if (!table_of(r, index, "an index", index_keys) || !string_field(r, index, "label", &indices[i].label) ||
            !bool_field(r, index, "target", &indices[i].target) || !bool_field(r, index, "reduced", &indices[i].reduced))
            return false;
        const met_value *axis = met_value_require(r->session, index, "axis");
        if (!axis || !look_up(r, r->names.axes, axis, "axis", &indices[i].axis.id))
            return false;
    }
    node->indices = indices;
    node->index_count = (uint32_t)list->items.count;
    return true;
}

static bool read_ends(reader *r, const met_value *item, const char *key, const met_edge_id **ret_edges,
                      const met_access **ret_accesses, uint32_t *ret_count)
{
    const met_value *list = list_field(r, item, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    met_access *accesses = MET_NEW_ARRAY(r->arena, met_access, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *end = list->items.at[i];
        if (!table_of(r, end, key, end_keys))
            return false;
        const met_value *edge = met_value_require(r->session, end, "edge");
        const met_value *at = list_field(r, end, "at");
        if (!edge || !at || !look_up(r, r->names.edges, edge, "edge", &edges[i].id))
            return false;
        met_affine *positions = MET_NEW_ARRAY(r->arena, met_affine, at->items.count);
        for (size_t p = 0; p < at->items.count; p++)
            if (!met_json_affine(&r->names, at->items.at[p], &positions[p]))
                return false;
        accesses[i] = (met_access){ (uint32_t)at->items.count, positions };
    }
    *ret_edges = edges;
    *ret_accesses = accesses;
    *ret_count = (uint32_t)list->items.count;
    return true;
}

static bool read_numbers(reader *r, const met_value *item, const char *key, const uint32_t **ret_numbers, uint32_t *ret_count)
{
    const met_value *list = list_field(r, item, key);
    if (!list)
        return false;
    uint32_t *numbers = MET_NEW_ARRAY(r->arena, uint32_t, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!number_of(r, list->items.at[i], key, &numbers[i]))
            return false;
    *ret_numbers = numbers;
    *ret_count = (uint32_t)list->items.count;
    return true;
}

static bool read_option_value(reader *r, const met_value *item, met_attr *attr)
{
    const met_value *value = met_value_require(r->session, item, "value");
    met_str word;
    if (!value)
        return false;
    switch (attr->kind) {
    case MET_ATTR_NUMBER:
        return met_json_number(&r->names, value, &attr->number);
    case MET_ATTR_WORD:
        if (!met_value_to_string(r->session, value, "value", &word))
            return false;
        attr->word = met_intern(r->session, word);
        return true;
    case MET_ATTR_DIM:
        attr->dim = met_json_dim(&r->names, value);
        return attr->dim != NULL;
    case MET_ATTR_FORMAT:
        return format_field(r, item, "value", &attr->format);
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        attr->scalar = met_json_scalar(&r->names, value);
        return attr->scalar != NULL;
    }
    return false;
}

static bool read_options(reader *r, const met_value *item, met_node *node)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(node->op, options);
    const met_value *list = list_field(r, item, "options");
    if (!list)
        return false;
    if (list->items.count != count) {
        met_diag_at(r->session, MET_DIAG_circuit, &list->place, "`%s` has %zu options, in the order of its row", node->op->name, count);
        return false;
    }
    met_attr *attrs = MET_NEW_ARRAY(r->arena, met_attr, count);
    for (size_t i = 0; i < count; i++) {
        const met_value *option = list->items.at[i];
        attrs[i].kind = options[i].kind;
        if (!table_of(r, option, "an option", option_keys) || !string_field(r, option, "name", &attrs[i].key) ||
            !bool_field(r, option, "given", &attrs[i].given))
            return false;
        if (!met_str_equal(met_sym_str(r->session, attrs[i].key), options[i].name)) {
            met_diag_at(r->session, MET_DIAG_circuit, &option->place, "option %zu of `%s` is `%.*s`", i, node->op->name, MET_STR_ARGS(options[i].name));
            return false;
        }
        if (!read_option_value(r, option, &attrs[i]))
            return false;
    }
    node->attrs = attrs;
    node->attr_count = (uint32_t)count;
    return true;
}

static bool read_op(reader *r, const met_value *item, met_node *node)
{
    const met_value *op = met_value_require(r->session, item, "op");
    met_str name;
    if (!op || !met_value_to_string(r->session, op, "op", &name))
        return false;
    node->op = met_op_find(name);
    if (!node->op)
        met_diag_at(r->session, MET_DIAG_unknown_name, &op->place, "there is no op `%.*s`", MET_STR_ARGS(name));
    return node->op != NULL;
}

static bool claim_outputs(reader *r, const met_value *item, const met_node *node, uint32_t id)
{
    for (uint32_t o = 0; o < node->out_count; o++) {
        met_edge *edge = &r->edges[node->outs[o].id];
        if (edge->producer.id != MET_NONE) {
            met_diag_at(r->session, MET_DIAG_circuit, &item->place, "edge `%s` has two producers", met_sym_text(r->session, edge->name));
            return false;
        }
        edge->producer.id = id;
        edge->producer_output = o;
    }
    return true;
}

static bool read_nodes(reader *r)
{
    const met_value *list = list_field(r, r->root, "nodes");
    if (!list)
        return false;
    met_node *nodes = MET_NEW_ARRAY(r->arena, met_node, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        met_node *node = &nodes[i];
        if (!table_of(r, item, "a node", node_keys) || !read_op(r, item, node) ||
            !optional_number(r, item, "block", &node->block.id) || !read_indices(r, item, node) ||
            !read_ends(r, item, "inputs", &node->ins, &node->in_access, &node->in_count) ||
            !read_ends(r, item, "outputs", &node->outs, &node->out_access, &node->out_count) ||
            !read_numbers(r, item, "targets", &node->targets, &node->target_count) ||
            !read_numbers(r, item, "results", &node->results, &node->result_count) || !read_options(r, item, node) ||
            !claim_outputs(r, item, node, (uint32_t)i))
            return false;
    }
    r->c->nodes = nodes;
    r->c->node_count = (uint32_t)list->items.count;
    return true;
}

/* --- Blocks, ends, states --- */

static bool read_blocks(reader *r)
{
    const met_value *list = list_field(r, r->root, "blocks");
    if (!list)
        return false;
    met_block *blocks = MET_NEW_ARRAY(r->arena, met_block, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        const uint32_t *ends;
        uint32_t count;
        if (!table_of(r, item, "a block", block_keys) || !string_field(r, item, "name", &blocks[i].name) ||
            !optional_number(r, item, "parent", &blocks[i].parent.id) || !read_numbers(r, item, "nodes", &ends, &count) ||
            !number_field(r, item, "family", &blocks[i].family) || !number_field(r, item, "repeat", &blocks[i].repeat) ||
            !number_field(r, item, "repeat_count", &blocks[i].repeat_count))
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

static bool read_edge_list(reader *r, const char *key, const met_edge_id **ret_edges, uint32_t *ret_count)
{
    const met_value *list = list_field(r, r->root, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!look_up(r, r->names.edges, list->items.at[i], "edge", &edges[i].id))
            return false;
    *ret_edges = edges;
    *ret_count = (uint32_t)list->items.count;
    return true;
}

static bool read_states(reader *r)
{
    const met_value *list = list_field(r, r->root, "states");
    if (!list)
        return false;
    met_state *states = MET_NEW_ARRAY(r->arena, met_state, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!table_of(r, item, "a state", state_keys))
            return false;
        const met_value *in = met_value_require(r->session, item, "in"), *out = met_value_require(r->session, item, "out");
        if (!in || !out || !look_up(r, r->names.edges, in, "edge", &states[i].in.id) ||
            !look_up(r, r->names.edges, out, "edge", &states[i].out.id))
            return false;
    }
    r->c->states = states;
    r->c->state_count = (uint32_t)list->items.count;
    return true;
}

static bool check_version(reader *r)
{
    met_sym schema;
    uint32_t version;
    if (!string_field(r, r->root, "schema", &schema) || !number_field(r, r->root, "version", &version))
        return false;
    if (met_str_is(met_sym_str(r->session, schema), MET_CIRCUIT_SCHEMA) && version == MET_CIRCUIT_VERSION)
        return true;
    met_diag *d = met_diag_at(r->session, MET_DIAG_circuit, &r->root->place, "this is `%s` version %u", met_sym_text(r->session, schema), version);
    met_diag_help(d, "this met reads `%s` version %d", MET_CIRCUIT_SCHEMA, MET_CIRCUIT_VERSION);
    return false;
}

/* The checker knows no places; the file is one. */
static void place_in_file(const reader *r, met_diag *diag)
{
    if (diag->main.span.source)
        return;
    diag->main.span = r->root->place.span;
    met_diag_path(diag, r->root->place.path ? r->root->place.path : "/");
}

met_circuit *met_circuit_from_json(met_session *session, const met_value *json)
{
    met_arena *arena = session->arena;
    reader *r = MET_NEW(arena, reader);
    *r = (reader){ .session = session, .arena = arena, .c = MET_NEW(arena, met_circuit), .root = json };
    r->names = (met_json_names){ session, met_map_new(arena), met_map_new(arena), met_map_new(arena) };
    *r->c = (met_circuit){ .session = session, .arena = arena };
    bool good = met_value_expect(session, json, MET_VALUE_TABLE, "a circuit") && check_version(r) && table_of(r, json, "a circuit", circuit_keys) &&
                string_field(r, json, "name", &r->c->name) && format_field(r, json, "default_format", &r->c->default_format) &&
                read_sizes(r) && read_axes(r) && read_edges(r) && read_blocks(r) && read_nodes(r) &&
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
