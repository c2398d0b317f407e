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

/* --- Sizes, axes, edges --- */

static bool read_sizes(reader *r)
{
    const met_value *list = met_json_list(r->session, r->root, "sizes");
    if (!list)
        return false;
    met_symbol *symbols = MET_NEW_ARRAY(r->arena, met_symbol, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        int64_t n;
        if (!met_json_table(r->session, item, "a size", size_keys) || !met_json_name(r->session, item, "name", &symbols[i].name) ||
            !met_json_name(r->session, item, "label", &symbols[i].label) || !met_json_declare(r->session, r->names.sizes, item, symbols[i].name, (uint32_t)i))
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

static bool read_axes(reader *r)
{
    const met_value *list = met_json_list(r->session, r->root, "axes");
    if (!list)
        return false;
    met_axis *axes = MET_NEW_ARRAY(r->arena, met_axis, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!met_json_table(r->session, item, "an axis", axis_keys) || !met_json_name(r->session, item, "name", &axes[i].name) ||
            !met_json_name(r->session, item, "label", &axes[i].label) || !met_json_declare(r->session, r->names.axes, item, axes[i].name, (uint32_t)i))
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
    if (!met_json_string(r->session, item, "role", &role))
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
    if (!met_json_table(r->session, item, "an edge", edge_keys) || !met_json_name(r->session, item, "name", &edge->name) ||
        !met_json_declare(r->session, r->names.edges, item, edge->name, id) || !read_role(r, item, &edge->role) ||
        !met_json_format(r->session, item, "format", &edge->format) || !met_json_bool(r->session, item, "stated", &edge->format_stated))
        return false;
    const met_value *list = met_json_list(r->session, item, "axes");
    if (!list)
        return false;
    met_axis_id *axes = MET_NEW_ARRAY(r->arena, met_axis_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_look_up(r->session, r->names.axes, list->items.at[i], "axis", &axes[i].id))
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
    const met_value *list = met_json_list(r->session, r->root, "edges");
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
    const met_value *list = met_json_list(r->session, item, "indices");
    if (!list)
        return false;
    met_index *indices = MET_NEW_ARRAY(r->arena, met_index, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *index = list->items.at[i];
        if (!met_json_table(r->session, index, "an index", index_keys) || !met_json_name(r->session, index, "label", &indices[i].label) ||
            !met_json_bool(r->session, index, "target", &indices[i].target) || !met_json_bool(r->session, index, "reduced", &indices[i].reduced))
            return false;
        const met_value *axis = met_value_require(r->session, index, "axis");
        if (!axis || !met_json_look_up(r->session, r->names.axes, axis, "axis", &indices[i].axis.id))
            return false;
    }
    node->indices = indices;
    node->index_count = (uint32_t)list->items.count;
    return true;
}

static bool read_ends(reader *r, const met_value *item, const char *key, const met_edge_id **ret_edges,
                      const met_access **ret_accesses, uint32_t *ret_count)
{
    const met_value *list = met_json_list(r->session, item, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    met_access *accesses = MET_NEW_ARRAY(r->arena, met_access, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *end = list->items.at[i];
        if (!met_json_table(r->session, end, key, end_keys))
            return false;
        const met_value *edge = met_value_require(r->session, end, "edge");
        const met_value *at = met_json_list(r->session, end, "at");
        if (!edge || !at || !met_json_look_up(r->session, r->names.edges, edge, "edge", &edges[i].id))
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
    const met_value *list = met_json_list(r->session, item, key);
    if (!list)
        return false;
    uint32_t *numbers = MET_NEW_ARRAY(r->arena, uint32_t, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_count(r->session, list->items.at[i], key, &numbers[i]))
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
        return met_json_format(r->session, item, "value", &attr->format);
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
    const met_value *list = met_json_list(r->session, item, "options");
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
        if (!met_json_table(r->session, option, "an option", option_keys) || !met_json_name(r->session, option, "name", &attrs[i].key) ||
            !met_json_bool(r->session, option, "given", &attrs[i].given))
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
    const met_value *list = met_json_list(r->session, r->root, "nodes");
    if (!list)
        return false;
    met_node *nodes = MET_NEW_ARRAY(r->arena, met_node, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        met_node *node = &nodes[i];
        if (!met_json_table(r->session, item, "a node", node_keys) || !read_op(r, item, node) ||
            !met_json_optional(r->session, item, "block", &node->block.id) || !read_indices(r, item, node) ||
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
    const met_value *list = met_json_list(r->session, r->root, "blocks");
    if (!list)
        return false;
    met_block *blocks = MET_NEW_ARRAY(r->arena, met_block, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        const uint32_t *ends;
        uint32_t count;
        if (!met_json_table(r->session, item, "a block", block_keys) || !met_json_name(r->session, item, "name", &blocks[i].name) ||
            !met_json_optional(r->session, item, "parent", &blocks[i].parent.id) || !read_numbers(r, item, "nodes", &ends, &count) ||
            !met_json_count_field(r->session, item, "family", &blocks[i].family) || !met_json_count_field(r->session, item, "repeat", &blocks[i].repeat) ||
            !met_json_count_field(r->session, item, "repeat_count", &blocks[i].repeat_count))
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
    const met_value *list = met_json_list(r->session, r->root, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_look_up(r->session, r->names.edges, list->items.at[i], "edge", &edges[i].id))
            return false;
    *ret_edges = edges;
    *ret_count = (uint32_t)list->items.count;
    return true;
}

static bool read_states(reader *r)
{
    const met_value *list = met_json_list(r->session, r->root, "states");
    if (!list)
        return false;
    met_state *states = MET_NEW_ARRAY(r->arena, met_state, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        if (!met_json_table(r->session, item, "a state", state_keys))
            return false;
        const met_value *in = met_value_require(r->session, item, "in"), *out = met_value_require(r->session, item, "out");
        if (!in || !out || !met_json_look_up(r->session, r->names.edges, in, "edge", &states[i].in.id) ||
            !met_json_look_up(r->session, r->names.edges, out, "edge", &states[i].out.id))
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
    if (!met_json_string(r->session, r->root, "schema", &schema) || !met_json_count_field(r->session, r->root, "version", &version))
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
    bool good = met_value_expect(session, json, MET_VALUE_TABLE, "a circuit") && check_version(r) && met_json_table(r->session, json, "a circuit", circuit_keys) &&
                met_json_name(r->session, json, "name", &r->c->name) && met_json_format(r->session, json, "default_format", &r->c->default_format) &&
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
