/* The JSON form of circuits, version 1. docs/formats/circuit-json.md describes it; json_read.c reads it back. Things are
 * referred to by their unique names, indices and blocks by number. One line an axis, edge, node. */
#include <inttypes.h>
#include <math.h>

#include "ir/affine.h"
#include "ir/json.h"
#include "ir/print.h"
#include "met/circuit.h"

typedef struct writer {
    met_text out;
    const met_circuit *c;
} writer;

static void put_sym(writer *w, met_sym sym)
{
    met_text_json_string(&w->out, met_sym_str(w->c->session, sym));
}

static void put_bool(writer *w, const char *key, bool value)
{
    met_text_format(&w->out, ", \"%s\": %s", key, value ? "true" : "false");
}

static void put_format(writer *w, met_format format)
{
    met_text_char(&w->out, '"');
    met_format_print(&w->out, format);
    met_text_char(&w->out, '"');
}

/* --- Expressions --- */

static void put_dim(writer *w, const met_dim *dim);

static void put_factor(writer *w, const met_factor *factor)
{
    if (factor->kind == MET_FACTOR_SYMBOL) {
        met_text_put(&w->out, "{\"size\": ");
        put_sym(w, w->c->symbols[factor->symbol.id].name);
    } else {
        met_text_put(&w->out, factor->kind == MET_FACTOR_FLOOR ? "{\"floor\": " : "{\"ceil\": ");
        put_dim(w, factor->inner);
        met_text_format(&w->out, ", \"by\": %" PRIu64, factor->divisor);
    }
    met_text_format(&w->out, ", \"power\": %u}", factor->power);
}

static void put_dim(writer *w, const met_dim *dim)
{
    uint64_t n;
    met_size symbol;
    if (met_dim_is_constant(dim, &n)) {
        met_text_format(&w->out, "%" PRIu64, n);
        return;
    }
    if (met_dim_is_symbol(dim, &symbol)) {
        put_sym(w, w->c->symbols[symbol.id].name);
        return;
    }
    met_text_put(&w->out, "{\"sum\": [");
    for (uint32_t i = 0; i < dim->term_count; i++) {
        met_text_format(&w->out, "%s{\"coefficient\": %" PRIu64 ", \"factors\": [", i ? ", " : "", dim->terms[i].coefficient);
        for (uint32_t j = 0; j < dim->terms[i].factor_count; j++) {
            met_text_put(&w->out, j ? ", " : "");
            put_factor(w, &dim->terms[i].factors[j]);
        }
        met_text_put(&w->out, "]}");
    }
    met_text_put(&w->out, "]}");
}

static void put_affine(writer *w, met_affine affine)
{
    uint32_t index;
    if (met_affine_is_index(affine, &index)) {
        met_text_format(&w->out, "%u", index);
        return;
    }
    met_text_format(&w->out, "{\"constant\": %" PRId64 ", \"terms\": [", affine.constant);
    for (uint32_t i = 0; i < affine.term_count; i++) {
        const met_affine_term *term = &affine.terms[i];
        met_text_format(&w->out, "%s{\"coefficient\": %" PRId64 ", ", i ? ", " : "", term->coefficient);
        if (term->kind == MET_TERM_INDEX) {
            met_text_format(&w->out, "\"index\": %u}", term->index);
            continue;
        }
        met_text_put(&w->out, "\"size\": ");
        put_dim(w, term->size);
        met_text_char(&w->out, '}');
    }
    met_text_put(&w->out, "]}");
}

static void put_number(writer *w, double number)
{
    if (isfinite(number))
        met_text_double(&w->out, number);
    else
        met_text_put(&w->out, isnan(number) ? "\"nan\"" : number < 0 ? "\"-inf\"" : "\"inf\"");
}

static void put_scalar(writer *w, const met_scalar *scalar)
{
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        put_number(w, scalar->number);
        break;
    case MET_SCALAR_INPUT:
        met_text_format(&w->out, "{\"input\": %u}", scalar->input);
        break;
    case MET_SCALAR_INDEX:
        met_text_format(&w->out, "{\"index\": %u}", scalar->index);
        break;
    case MET_SCALAR_SIZE:
        met_text_put(&w->out, "{\"size\": ");
        put_dim(w, scalar->size);
        met_text_char(&w->out, '}');
        break;
    case MET_SCALAR_CALL:
        met_text_format(&w->out, "{\"call\": \"%s\", \"arguments\": [", met_scalar_fn_table[scalar->fn].spelling);
        for (int i = 0; i < met_scalar_fn_table[scalar->fn].arity; i++) {
            met_text_put(&w->out, i ? ", " : "");
            put_scalar(w, scalar->arguments[i]);
        }
        met_text_put(&w->out, "]}");
        break;
    }
}

/* --- Tables --- */

static void put_names(writer *w, const char *key, const met_edge_id *ids, uint32_t count)
{
    met_text_format(&w->out, " \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        met_text_put(&w->out, i ? ", " : "");
        put_sym(w, w->c->edges[ids[i].id].name);
    }
    met_text_put(&w->out, "],\n");
}

static void open_list(writer *w, const char *key)
{
    met_text_format(&w->out, " \"%s\": [", key);
}

static void next_item(writer *w, uint32_t i)
{
    met_text_put(&w->out, i ? ",\n  " : "\n  ");
}

static void close_list(writer *w, uint32_t count, const char *after)
{
    met_text_format(&w->out, "%s]%s\n", count ? "\n " : "", after);
}

static void put_sizes(writer *w)
{
    open_list(w, "sizes");
    for (uint32_t i = 0; i < w->c->symbol_count; i++) {
        const met_symbol *symbol = &w->c->symbols[i];
        next_item(w, i);
        met_text_put(&w->out, "{\"name\": ");
        put_sym(w, symbol->name);
        met_text_put(&w->out, ", \"label\": ");
        put_sym(w, symbol->label);
        met_text_put(&w->out, ", \"value\": ");
        if (symbol->value)
            put_dim(w, symbol->value);
        else
            met_text_put(&w->out, "null");
        met_text_char(&w->out, '}');
    }
    close_list(w, w->c->symbol_count, ",");
}

static void put_axes(writer *w)
{
    open_list(w, "axes");
    for (uint32_t i = 0; i < w->c->axis_count; i++) {
        const met_axis *axis = &w->c->axes[i];
        next_item(w, i);
        met_text_put(&w->out, "{\"name\": ");
        put_sym(w, axis->name);
        met_text_put(&w->out, ", \"label\": ");
        put_sym(w, axis->label);
        met_text_put(&w->out, ", \"size\": ");
        put_dim(w, axis->size);
        met_text_char(&w->out, '}');
    }
    close_list(w, w->c->axis_count, ",");
}

static void put_edge(writer *w, const met_edge *edge)
{
    met_text_put(&w->out, "{\"name\": ");
    put_sym(w, edge->name);
    met_text_format(&w->out, ", \"role\": \"%s\", \"format\": ", met_role_names[edge->role]);
    put_format(w, edge->format);
    met_text_format(&w->out, ", \"origin\": \"%s\", \"axes\": [", met_origin_names[edge->format_origin]);
    for (uint32_t i = 0; i < edge->rank; i++) {
        met_text_put(&w->out, i ? ", " : "");
        put_sym(w, w->c->axes[edge->axes[i].id].name);
    }
    met_text_put(&w->out, "], \"guards\": [");
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        met_text text = met_text_new(w->c->arena);
        met_guard_print(&text, w->c, edge, &edge->guards[g]);
        met_text_put(&w->out, g ? ", " : "");
        met_text_json_string(&w->out, (met_str){ met_text_done(&text), text.length });
    }
    met_text_put(&w->out, "]}");
}

static void put_ends(writer *w, const char *key, const met_edge_id *edges, const met_access *accesses, uint32_t count)
{
    met_text_format(&w->out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        met_text_put(&w->out, i ? ", {\"edge\": " : "{\"edge\": ");
        put_sym(w, w->c->edges[edges[i].id].name);
        met_text_put(&w->out, ", \"at\": [");
        for (uint32_t p = 0; p < accesses[i].rank; p++) {
            met_text_put(&w->out, p ? ", " : "");
            put_affine(w, accesses[i].at[p]);
        }
        met_text_put(&w->out, "]}");
    }
    met_text_char(&w->out, ']');
}

static void put_numbers(writer *w, const char *key, const uint32_t *numbers, uint32_t count)
{
    met_text_format(&w->out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++)
        met_text_format(&w->out, i ? ", %u" : "%u", numbers[i]);
    met_text_char(&w->out, ']');
}

static void put_options(writer *w, const met_node *node)
{
    met_text_put(&w->out, ", \"options\": [");
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const met_attr *attr = &node->attrs[i];
        met_text_put(&w->out, i ? ", {\"name\": " : "{\"name\": ");
        put_sym(w, attr->key);
        put_bool(w, "given", attr->given);
        met_text_put(&w->out, ", \"value\": ");
        switch (attr->kind) {
        case MET_ATTR_NUMBER: put_number(w, attr->number); break;
        case MET_ATTR_WORD: put_sym(w, attr->word); break;
        case MET_ATTR_DIM: put_dim(w, attr->dim); break;
        case MET_ATTR_FORMAT: put_format(w, attr->format); break;
        case MET_ATTR_SCALAR:
        case MET_ATTR_GUARDS: put_scalar(w, attr->scalar); break;
        }
        met_text_char(&w->out, '}');
    }
    met_text_char(&w->out, ']');
}

static void put_node(writer *w, const met_node *node)
{
    met_text_put(&w->out, "{\"op\": ");
    if (node->op)
        met_text_json_string(&w->out, met_str_of(node->op->name));
    else
        met_text_put(&w->out, "null");
    if (node->block.id == MET_NONE)
        met_text_put(&w->out, ", \"block\": null, \"indices\": [");
    else
        met_text_format(&w->out, ", \"block\": %u, \"indices\": [", node->block.id);
    met_sym *labels = MET_NEW_ARRAY(w->c->arena, met_sym, node->index_count);
    met_node_labels(w->c, node, labels);
    for (uint32_t i = 0; i < node->index_count; i++) {
        met_text_put(&w->out, i ? ", {\"label\": " : "{\"label\": ");
        put_sym(w, labels[i]);
        met_text_put(&w->out, ", \"axis\": ");
        put_sym(w, w->c->axes[node->indices[i].axis.id].name);
        put_bool(w, "target", node->indices[i].target);
        put_bool(w, "reduced", node->indices[i].reduced);
        met_text_char(&w->out, '}');
    }
    met_text_char(&w->out, ']');
    put_ends(w, "inputs", node->ins, node->in_access, node->in_count);
    put_ends(w, "outputs", node->outs, node->out_access, node->out_count);
    put_numbers(w, "targets", node->targets, node->target_count);
    put_numbers(w, "results", node->results, node->result_count);
    put_options(w, node);
    met_text_char(&w->out, '}');
}

static void put_blocks(writer *w)
{
    open_list(w, "blocks");
    for (uint32_t i = 0; i < w->c->block_count; i++) {
        const met_block *block = &w->c->blocks[i];
        next_item(w, i);
        met_text_put(&w->out, "{\"name\": ");
        put_sym(w, block->name);
        if (block->parent.id == MET_NONE)
            met_text_put(&w->out, ", \"parent\": null");
        else
            met_text_format(&w->out, ", \"parent\": %u", block->parent.id);
        met_text_format(&w->out, ", \"nodes\": [%u, %u], \"family\": %u, \"repeat\": %u, \"repeat_count\": %u}", block->node_begin,
                        block->node_end, block->family, block->repeat, block->repeat_count);
    }
    close_list(w, w->c->block_count, ",");
}

static void put_states(writer *w)
{
    open_list(w, "states");
    for (uint32_t i = 0; i < w->c->state_count; i++) {
        next_item(w, i);
        met_text_put(&w->out, "{\"in\": ");
        put_sym(w, w->c->edges[w->c->states[i].in.id].name);
        met_text_put(&w->out, ", \"out\": ");
        put_sym(w, w->c->edges[w->c->states[i].out.id].name);
        met_text_char(&w->out, '}');
    }
    close_list(w, w->c->state_count, ",");
}

const char *const met_origin_names[3] = { "default", "stated", "inner" };
const char *const met_role_names[4] = { "input", "parameter", "state", "value" };

const char *met_circuit_json(const met_circuit *circuit)
{
    writer w = { met_text_new(circuit->arena), circuit };
    met_text_format(&w.out, "{\n \"schema\": \"%s\",\n \"version\": %d,\n \"name\": ", MET_CIRCUIT_SCHEMA, MET_CIRCUIT_VERSION);
    put_sym(&w, circuit->name);
    met_text_put(&w.out, ",\n \"default_format\": ");
    put_format(&w, circuit->default_format);
    met_text_put(&w.out, ",\n");
    put_names(&w, "inputs", circuit->inputs, circuit->input_count);
    put_names(&w, "parameters", circuit->parameters, circuit->parameter_count);
    put_names(&w, "outputs", circuit->outputs, circuit->output_count);
    put_states(&w);
    put_sizes(&w);
    put_axes(&w);
    open_list(&w, "edges");
    for (uint32_t i = 0; i < circuit->edge_count; i++) {
        next_item(&w, i);
        put_edge(&w, &circuit->edges[i]);
    }
    close_list(&w, circuit->edge_count, ",");
    put_blocks(&w);
    open_list(&w, "nodes");
    for (uint32_t i = 0; i < circuit->node_count; i++) {
        next_item(&w, i);
        put_node(&w, &circuit->nodes[i]);
    }
    close_list(&w, circuit->node_count, "");
    met_text_put(&w.out, "}\n");
    return met_text_done(&w.out);
}
