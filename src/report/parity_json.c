/* The comparison as JSON: {"verdict", "unless_underflow", "nodes": {…}, "groups": […], "changes": […]}. */
#include "base/json.h"
#include "report/parity.h"

static void put_tree(met_json *json, const met_tree *tree)
{
    met_text text = met_text_new(json->out->arena);
    met_tree_print(&text, tree, MET_F32);
    met_json_put_string(json, "tree", met_text_done(&text));
}

static void put_format(met_json *json, const met_plan_parity *parity, const met_parity_side *side, met_edge_id edge)
{
    met_text text = met_text_new(json->out->arena);
    met_format_print(&text, side->stored ? side->stored[edge.id] : parity->settled->written->edges[edge.id].format);
    met_json_put_string(json, "format", met_text_done(&text));
}

static void put_numerics(met_json *json, const met_node_numerics *n, bool tree)
{
    met_json_put_string(json, "kernel", n->kernel);
    met_json_put_string(json, "source", met_numerics_source_name(n->source));
    if (tree && n->folds && n->source != MET_NUMERICS_UNDECLARED)
        put_tree(json, &n->tree);
    if (n->why)
        met_json_put_string(json, "why", n->why);
    if (n->tree_id)
        met_json_put_string(json, "tree_id", n->tree_id);
}

static void put_side(met_json *json, const char *key, const met_plan_parity *parity, const met_parity_side *side,
                     const met_node_parity *node)
{
    met_json_open(json, key, '{');
    if (node->cause == MET_PARITY_FORMAT)
        put_format(json, parity, side, node->edge);
    else
        put_numerics(json, &side->numerics->nodes[node->node.id], node->cause == MET_PARITY_TREE);
    met_json_close(json, '}');
}

static void put_witness(met_json *json, const met_witness *witness)
{
    met_json_open(json, "witness", '{');
    met_json_put_integer(json, "plus", witness->plus);
    met_json_put_integer(json, "minus", witness->minus);
    met_json_put_integer(json, "one", witness->one);
    met_json_put_integer(json, "a", witness->first);
    met_json_put_integer(json, "b", !witness->first);
    met_json_close(json, '}');
}

static void put_line(met_json *json, const met_plan_parity *parity, const met_parity_line *line)
{
    const met_node_parity *node = &parity->nodes[line->written];
    const met_op *op = parity->settled->written->nodes[line->written].op;
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "op", op ? op->name : "box");
    met_json_put_integer(json, "node", line->written);
    met_json_put_integer(json, "count", line->count);
    met_json_put_string(json, "weights", line->weights);
    met_json_put_string(json, "verdict", met_verdict_name(node->verdict));
    met_json_put_string(json, "cause", met_parity_cause_name(node->cause));
    met_json_put_string(json, "field", met_tree_field_name(node->trees.field));
    if (node->node.id != MET_NONE)
        met_json_put_integer(json, "terms", parity->a.numerics->nodes[node->node.id].terms);
    put_side(json, "a", parity, &parity->a, node);
    put_side(json, "b", parity, &parity->b, node);
    if (node->trees.has_witness)
        put_witness(json, &node->trees.witness);
    met_json_close(json, '}');
}

static void put_remedy(met_json *json, const met_remedy *remedy)
{
    static const char *const prices[] = { "family", "f32_peak", "written", "no_unit", "no_device" };
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "side", remedy->of_a ? "a" : "b");
    met_json_put_string(json, "ops", remedy->ops);
    put_tree(json, &remedy->tree);
    met_json_put_integer(json, "nodes", remedy->count);
    met_json_put_string(json, "verdict", met_verdict_name(remedy->verdict));
    met_json_put_integer(json, "left", remedy->left);
    met_json_put_string(json, "price", prices[remedy->price]);
    if (remedy->price <= MET_REMEDY_WRITTEN)
        met_json_put_number(json, "seconds", remedy->seconds);
    met_json_close(json, '}');
}

static void put_option(met_json *json, const met_parity_option *option)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "option", option->name);
    if (option->side)
        met_json_put_string(json, "side", option->side);
    met_json_put_string(json, "verdict", met_verdict_name(option->verdict));
    met_json_put_integer(json, "left", option->left);
    if (option->priced) {
        met_json_put_number(json, "a_seconds", option->a_seconds);
        met_json_put_number(json, "b_seconds", option->b_seconds);
    }
    met_json_close(json, '}');
}

const char *met_parity_json(const met_parity_report *report)
{
    const met_plan_parity *parity = report->parity;
    const met_parity_line *lines;
    uint32_t count = met_parity_lines(report, &lines);
    met_text out = met_text_new(parity->settled->circuit->arena);
    met_json json = met_json_new_compact(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "verdict", met_verdict_name(parity->verdict));
    met_json_put_flag(&json, "unless_underflow", parity->unless_underflow);
    met_json_open(&json, "nodes", '{');
    met_json_put_integer(&json, "same", parity->counts[MET_VERDICT_SAME]);
    met_json_put_integer(&json, "different", parity->counts[MET_VERDICT_DIFFERENT]);
    met_json_put_integer(&json, "unknown", parity->counts[MET_VERDICT_UNKNOWN]);
    met_json_close(&json, '}');
    met_json_open(&json, "groups", '[');
    for (uint32_t k = 0; k < count; k++)
        put_line(&json, parity, &lines[k]);
    met_json_close(&json, ']');
    met_json_open(&json, "changes", '[');
    for (uint32_t k = 0; k < report->option_count; k++)
        put_option(&json, &report->options[k]);
    for (uint32_t k = 0; k < report->remedies.count; k++)
        put_remedy(&json, &report->remedies.at[k]);
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_text_done(&out);
}
