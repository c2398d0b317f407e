/* Nodes in the JSON form: op, indices, ends, options. */
#include "ir/json_read_parts.h"

static const char *const index_keys[] = { "label", "axis", "target", "reduced", NULL };
static const char *const end_keys[] = { "edge", "at", NULL };
static const char *const option_keys[] = { "name", "given", "value", NULL };
static const char *const node_keys[] = { "op", "block", "indices", "inputs", "outputs", "targets", "results", "options", NULL };

static bool read_indices(met_json_reader *r, const met_value *item, met_node *node)
{
    const met_value *list = met_json_list(r, item, "indices");
    if (!list)
        return false;
    met_index *indices = MET_NEW_ARRAY(r->arena, met_index, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *index = list->items.at[i];
        if (!met_json_table(r, index, "an index", index_keys) || !met_json_name(r, index, "label", &indices[i].label) ||
            !met_json_bool(r, index, "target", &indices[i].target) || !met_json_bool(r, index, "reduced", &indices[i].reduced))
            return false;
        const met_value *axis = met_value_require(r->session, index, "axis");
        if (!axis || !met_json_look_up(r, r->names.axes, axis, "axis", &indices[i].axis.id))
            return false;
    }
    node->indices = indices;
    node->index_count = (uint32_t)list->items.count;
    return true;
}

static bool read_ends(met_json_reader *r, const met_value *item, const char *key, const met_edge_id **ret_edges,
                      const met_access **ret_accesses, uint32_t *ret_count)
{
    const met_value *list = met_json_list(r, item, key);
    if (!list)
        return false;
    met_edge_id *edges = MET_NEW_ARRAY(r->arena, met_edge_id, list->items.count);
    met_access *accesses = MET_NEW_ARRAY(r->arena, met_access, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *end = list->items.at[i];
        if (!met_json_table(r, end, key, end_keys))
            return false;
        const met_value *edge = met_value_require(r->session, end, "edge");
        const met_value *at = met_json_list(r, end, "at");
        if (!edge || !at || !met_json_look_up(r, r->names.edges, edge, "edge", &edges[i].id))
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

static bool read_option_value(met_json_reader *r, const met_value *item, met_attr *attr)
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
        return met_json_format(r, item, "value", &attr->format);
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        attr->scalar = met_json_scalar(&r->names, value);
        return attr->scalar != NULL;
    }
    return false;
}

static bool read_options(met_json_reader *r, const met_value *item, met_node *node)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(node->op, options);
    const met_value *list = met_json_list(r, item, "options");
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
        if (!met_json_table(r, option, "an option", option_keys) || !met_json_string(r, option, "name", &attrs[i].key) ||
            !met_json_bool(r, option, "given", &attrs[i].given))
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

static bool read_op(met_json_reader *r, const met_value *item, met_node *node)
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

static bool claim_outputs(met_json_reader *r, const met_value *item, const met_node *node, uint32_t id)
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

bool met_json_nodes(met_json_reader *r)
{
    const met_value *list = met_json_list(r, r->root, "nodes");
    if (!list)
        return false;
    met_node *nodes = MET_NEW_ARRAY(r->arena, met_node, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        met_node *node = &nodes[i];
        if (!met_json_table(r, item, "a node", node_keys) || !read_op(r, item, node) ||
            !met_json_optional(r, item, "block", &node->block.id) || !read_indices(r, item, node) ||
            !read_ends(r, item, "inputs", &node->ins, &node->in_access, &node->in_count) ||
            !read_ends(r, item, "outputs", &node->outs, &node->out_access, &node->out_count) ||
            !met_json_numbers(r, item, "targets", &node->targets, &node->target_count) ||
            !met_json_numbers(r, item, "results", &node->results, &node->result_count) || !read_options(r, item, node) ||
            !claim_outputs(r, item, node, (uint32_t)i))
            return false;
    }
    r->c->nodes = nodes;
    r->c->node_count = (uint32_t)list->items.count;
    return true;
}
