/* The JSON form of circuits, version 1. docs/formats/circuit-json.md describes it; json_read.c reads it back. Things are
 * referred to by their unique names, indices and blocks by number. One line an axis, edge, node. */
#include "base/json.h"
#include "ir/affine.h"
#include "ir/json.h"
#include "ir/print.h"
#include "met/circuit.h"

typedef struct writer {
    met_json json;
    const met_circuit *c;
} writer;

static void put_sym(writer *w, const char *key, met_sym sym)
{
    met_json_put_str(&w->json, key, met_sym_str(w->c->session, sym));
}

static void put_edge_name(writer *w, const char *key, met_edge_id edge)
{
    put_sym(w, key, w->c->edges[edge.id].name);
}

static void put_format(writer *w, const char *key, met_format format)
{
    met_text text = met_text_new(w->c->arena);
    met_format_print(&text, format);
    met_json_put_string(&w->json, key, met_text_done(&text));
}

static void open_object(writer *w, const char *key)
{
    met_json_open(&w->json, key, '{');
}

static void close_object(writer *w)
{
    met_json_close(&w->json, '}');
}

static void open_array(writer *w, const char *key)
{
    met_json_open(&w->json, key, '[');
}

static void close_array(writer *w)
{
    met_json_close(&w->json, ']');
}

/* --- Expressions --- */

static void put_dim(writer *w, const char *key, const met_dim *dim);

static void put_factor(writer *w, const met_factor *factor)
{
    open_object(w, NULL);
    if (factor->kind == MET_FACTOR_SYMBOL) {
        put_sym(w, "size", w->c->symbols[factor->symbol.id].name);
    } else {
        put_dim(w, factor->kind == MET_FACTOR_FLOOR ? "floor" : "ceil", factor->inner);
        met_json_put_integer(&w->json, "by", factor->divisor);
    }
    met_json_put_integer(&w->json, "power", factor->power);
    close_object(w);
}

static void put_dim_term(writer *w, const met_monomial *term)
{
    open_object(w, NULL);
    met_json_put_integer(&w->json, "coefficient", term->coefficient);
    open_array(w, "factors");
    for (uint32_t i = 0; i < term->factor_count; i++)
        put_factor(w, &term->factors[i]);
    close_array(w);
    close_object(w);
}

static void put_dim(writer *w, const char *key, const met_dim *dim)
{
    uint64_t n;
    met_size symbol;
    if (met_dim_is_constant(dim, &n)) {
        met_json_put_integer(&w->json, key, n);
        return;
    }
    if (met_dim_is_symbol(dim, &symbol)) {
        put_sym(w, key, w->c->symbols[symbol.id].name);
        return;
    }
    open_object(w, key);
    open_array(w, "sum");
    for (uint32_t i = 0; i < dim->term_count; i++)
        put_dim_term(w, &dim->terms[i]);
    close_array(w);
    close_object(w);
}

static void put_affine(writer *w, met_affine affine)
{
    uint32_t index;
    if (met_affine_is_index(affine, &index)) {
        met_json_put_integer(&w->json, NULL, index);
        return;
    }
    open_object(w, NULL);
    met_json_put_signed(&w->json, "constant", affine.constant);
    open_array(w, "terms");
    for (uint32_t i = 0; i < affine.term_count; i++) {
        const met_affine_term *term = &affine.terms[i];
        open_object(w, NULL);
        met_json_put_signed(&w->json, "coefficient", term->coefficient);
        if (term->kind == MET_TERM_INDEX)
            met_json_put_integer(&w->json, "index", term->index);
        else
            put_dim(w, "size", term->size);
        close_object(w);
    }
    close_array(w);
    close_object(w);
}

static void put_scalar(writer *w, const char *key, const met_scalar *scalar)
{
    if (scalar->kind == MET_SCALAR_NUMBER) {
        met_json_put_real(&w->json, key, scalar->number);
        return;
    }
    open_object(w, key);
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        break;
    case MET_SCALAR_INPUT:
        met_json_put_integer(&w->json, "input", scalar->input);
        break;
    case MET_SCALAR_INDEX:
        met_json_put_integer(&w->json, "index", scalar->index);
        break;
    case MET_SCALAR_SIZE:
        put_dim(w, "size", scalar->size);
        break;
    case MET_SCALAR_CALL:
        met_json_put_string(&w->json, "call", met_scalar_fn_table[scalar->fn].spelling);
        open_array(w, "arguments");
        for (int i = 0; i < met_scalar_fn_table[scalar->fn].arity; i++)
            put_scalar(w, NULL, scalar->arguments[i]);
        close_array(w);
        break;
    }
    close_object(w);
}

/* --- Tables --- */

static void put_names(writer *w, const char *key, const met_edge_id *ids, uint32_t count)
{
    met_json_line(&w->json, 1);
    open_array(w, key);
    for (uint32_t i = 0; i < count; i++)
        put_edge_name(w, NULL, ids[i]);
    close_array(w);
}

/* A list of `count` things, one a line. */
static void put_table(writer *w, const char *key, uint32_t count, void (*put_members)(writer *w, uint32_t i))
{
    met_json_line(&w->json, 1);
    open_array(w, key);
    for (uint32_t i = 0; i < count; i++) {
        met_json_line(&w->json, 2);
        open_object(w, NULL);
        put_members(w, i);
        close_object(w);
    }
    if (count > 0)
        met_json_line(&w->json, 1);
    close_array(w);
}

static void put_size(writer *w, uint32_t i)
{
    const met_symbol *symbol = &w->c->symbols[i];
    put_sym(w, "name", symbol->name);
    put_sym(w, "label", symbol->label);
    if (symbol->value)
        put_dim(w, "value", symbol->value);
    else
        met_json_put_null(&w->json, "value");
}

static void put_axis(writer *w, uint32_t i)
{
    const met_axis *axis = &w->c->axes[i];
    put_sym(w, "name", axis->name);
    put_sym(w, "label", axis->label);
    put_dim(w, "size", axis->size);
}

static void put_edge(writer *w, uint32_t e)
{
    const met_edge *edge = &w->c->edges[e];
    put_sym(w, "name", edge->name);
    met_json_put_string(&w->json, "role", met_role_names[edge->role]);
    put_format(w, "format", edge->format);
    met_json_put_string(&w->json, "origin", met_origin_names[edge->format_origin]);
    open_array(w, "axes");
    for (uint32_t i = 0; i < edge->rank; i++)
        put_sym(w, NULL, w->c->axes[edge->axes[i].id].name);
    close_array(w);
    open_array(w, "guards");
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        met_text text = met_text_new(w->c->arena);
        met_guard_print(&text, w->c, edge, &edge->guards[g]);
        met_json_put_string(&w->json, NULL, met_text_done(&text));
    }
    close_array(w);
}

static void put_ends(writer *w, const char *key, const met_edge_id *edges, const met_access *accesses, uint32_t count)
{
    open_array(w, key);
    for (uint32_t i = 0; i < count; i++) {
        open_object(w, NULL);
        put_edge_name(w, "edge", edges[i]);
        open_array(w, "at");
        for (uint32_t p = 0; p < accesses[i].rank; p++)
            put_affine(w, accesses[i].at[p]);
        close_array(w);
        close_object(w);
    }
    close_array(w);
}

static void put_option(writer *w, const met_attr *attr)
{
    open_object(w, NULL);
    put_sym(w, "name", attr->key);
    met_json_put_flag(&w->json, "given", attr->given);
    switch (attr->kind) {
    case MET_ATTR_NUMBER: met_json_put_real(&w->json, "value", attr->number); break;
    case MET_ATTR_WORD: put_sym(w, "value", attr->word); break;
    case MET_ATTR_DIM: put_dim(w, "value", attr->dim); break;
    case MET_ATTR_FORMAT: put_format(w, "value", attr->format); break;
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS: put_scalar(w, "value", attr->scalar); break;
    }
    close_object(w);
}

static void put_indices(writer *w, const met_node *node)
{
    met_sym *labels = MET_NEW_ARRAY(w->c->arena, met_sym, node->index_count);
    met_node_labels(w->c, node, labels);
    open_array(w, "indices");
    for (uint32_t i = 0; i < node->index_count; i++) {
        open_object(w, NULL);
        put_sym(w, "label", labels[i]);
        put_sym(w, "axis", w->c->axes[node->indices[i].axis.id].name);
        met_json_put_flag(&w->json, "target", node->indices[i].target);
        met_json_put_flag(&w->json, "reduced", node->indices[i].reduced);
        close_object(w);
    }
    close_array(w);
}

static void put_block_id(writer *w, const char *key, met_block_id block)
{
    if (block.id == MET_NONE)
        met_json_put_null(&w->json, key);
    else
        met_json_put_integer(&w->json, key, block.id);
}

static void put_node(writer *w, uint32_t i)
{
    const met_node *node = &w->c->nodes[i];
    met_json_put_string(&w->json, "op", node->op ? node->op->name : NULL);
    put_block_id(w, "block", node->block);
    put_indices(w, node);
    put_ends(w, "inputs", node->ins, node->in_access, node->in_count);
    put_ends(w, "outputs", node->outs, node->out_access, node->out_count);
    met_json_put_u32s(&w->json, "targets", node->target_count, node->targets);
    met_json_put_u32s(&w->json, "results", node->result_count, node->results);
    open_array(w, "options");
    for (uint32_t a = 0; a < node->attr_count; a++)
        put_option(w, &node->attrs[a]);
    close_array(w);
}

static void put_block(writer *w, uint32_t i)
{
    static const met_json_field fields[] = {
        { "family", offsetof(met_block, family), MET_JSON_U32 },
        { "repeat", offsetof(met_block, repeat), MET_JSON_U32 },
        { "repeat_count", offsetof(met_block, repeat_count), MET_JSON_U32 },
        { 0 },
    };
    const met_block *block = &w->c->blocks[i];
    put_sym(w, "name", block->name);
    put_block_id(w, "parent", block->parent);
    met_json_put_u32s(&w->json, "nodes", 2, (const uint32_t[]){ block->node_begin, block->node_end });
    met_json_put_fields(&w->json, fields, block);
}

static void put_state(writer *w, uint32_t i)
{
    put_edge_name(w, "in", w->c->states[i].in);
    put_edge_name(w, "out", w->c->states[i].out);
}

const char *const met_origin_names[3] = { "default", "stated", "inner" };
const char *const met_role_names[4] = { "input", "parameter", "state", "value" };

const char *met_circuit_json(const met_circuit *circuit)
{
    met_text out = met_text_new(circuit->arena);
    writer writer_of = { met_json_new(&out), circuit }, *w = &writer_of;
    open_object(w, NULL);
    met_json_line(&w->json, 1);
    met_json_put_string(&w->json, "schema", MET_CIRCUIT_SCHEMA);
    met_json_line(&w->json, 1);
    met_json_put_integer(&w->json, "version", MET_CIRCUIT_VERSION);
    met_json_line(&w->json, 1);
    put_sym(w, "name", circuit->name);
    met_json_line(&w->json, 1);
    put_format(w, "default_format", circuit->default_format);
    put_names(w, "inputs", circuit->inputs, circuit->input_count);
    put_names(w, "parameters", circuit->parameters, circuit->parameter_count);
    put_names(w, "outputs", circuit->outputs, circuit->output_count);
    put_table(w, "states", circuit->state_count, put_state);
    put_table(w, "sizes", circuit->symbol_count, put_size);
    put_table(w, "axes", circuit->axis_count, put_axis);
    put_table(w, "edges", circuit->edge_count, put_edge);
    put_table(w, "blocks", circuit->block_count, put_block);
    put_table(w, "nodes", circuit->node_count, put_node);
    met_json_line(&w->json, 0);
    close_object(w);
    return met_json_done(&w->json);
}
