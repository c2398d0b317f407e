/* The comparison as JSON: {"verdict", "unless_underflow", "nodes": {…}, "groups": […], "changes": […]}. */
#include "report/parity.h"

static void put_string(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\":", key);
    met_text_json_string(out, met_str_of(value));
}

static void put_tree(met_text *out, const met_tree *tree)
{
    met_text text = met_text_new(out->arena);
    met_tree_print(&text, tree, MET_F32);
    put_string(out, "tree", met_text_done(&text));
}

static void put_side(met_text *out, const char *key, const met_plan_parity *parity, const met_parity_side *side,
                     const met_node_parity *node)
{
    met_text_format(out, ",\"%s\":{", key);
    if (node->cause == MET_PARITY_FORMAT) {
        met_text text = met_text_new(out->arena);
        met_format_print(&text, side->stored ? side->stored[node->edge.id] : parity->settled->written->edges[node->edge.id].format);
        put_string(out, "format", met_text_done(&text));
    } else {
        const met_node_numerics *n = &side->numerics->nodes[node->node.id];
        put_string(out, "kernel", n->kernel);
        met_text_char(out, ',');
        put_string(out, "source", met_numerics_source_name(n->source));
        met_text_char(out, n->folds && n->source != MET_NUMERICS_UNDECLARED ? ',' : ' ');
        if (n->folds && n->source != MET_NUMERICS_UNDECLARED)
            put_tree(out, &n->tree);
        if (n->why) {
            met_text_char(out, ',');
            put_string(out, "why", n->why);
        }
        if (n->tree_id) {
            met_text_char(out, ',');
            put_string(out, "tree_id", n->tree_id);
        }
    }
    met_text_char(out, '}');
}

static void put_line(met_text *out, const met_plan_parity *parity, const met_parity_line *line)
{
    const met_node_parity *node = &parity->nodes[line->written];
    const met_op *op = parity->settled->written->nodes[line->written].op;
    met_text_char(out, '{');
    put_string(out, "op", op ? op->name : "box");
    met_text_format(out, ",\"node\":%u,\"count\":%u,", line->written, line->count);
    put_string(out, "weights", line->weights);
    met_text_char(out, ',');
    put_string(out, "verdict", met_verdict_name(node->verdict));
    met_text_char(out, ',');
    put_string(out, "cause", met_parity_cause_name(node->cause));
    met_text_char(out, ',');
    put_string(out, "field", met_tree_field_name(node->trees.field));
    if (node->node.id != MET_NONE)
        met_text_format(out, ",\"terms\":%llu", (unsigned long long)parity->a.numerics->nodes[node->node.id].terms);
    put_side(out, "a", parity, &parity->a, node);
    put_side(out, "b", parity, &parity->b, node);
    if (node->trees.has_witness)
        met_text_format(out, ",\"witness\":{\"plus\":%u,\"minus\":%u,\"one\":%u,\"a\":%d,\"b\":%d}", node->trees.witness.plus,
                        node->trees.witness.minus, node->trees.witness.one, node->trees.witness.first, !node->trees.witness.first);
    met_text_char(out, '}');
}

static void put_remedy(met_text *out, const met_remedy *remedy)
{
    static const char *const prices[] = { "family", "f32_peak", "written", "no_unit", "no_device" };
    met_text_format(out, "{\"side\":\"%s\",", remedy->of_a ? "a" : "b");
    put_string(out, "ops", remedy->ops);
    met_text_char(out, ',');
    put_tree(out, &remedy->tree);
    met_text_format(out, ",\"nodes\":%u,\"verdict\":\"%s\",\"left\":%u,\"price\":\"%s\"", remedy->count,
                    met_verdict_name(remedy->verdict), remedy->left, prices[remedy->price]);
    if (remedy->price <= MET_REMEDY_WRITTEN) {
        met_text_put(out, ",\"seconds\":");
        met_text_double(out, remedy->seconds);
    }
    met_text_char(out, '}');
}

static void put_option(met_text *out, const met_parity_option *option)
{
    met_text_char(out, '{');
    put_string(out, "option", option->name);
    if (option->side)
        met_text_format(out, ",\"side\":\"%s\"", option->side);
    met_text_format(out, ",\"verdict\":\"%s\",\"left\":%u", met_verdict_name(option->verdict), option->left);
    if (option->priced) {
        met_text_put(out, ",\"a_seconds\":");
        met_text_double(out, option->a_seconds);
        met_text_put(out, ",\"b_seconds\":");
        met_text_double(out, option->b_seconds);
    }
    met_text_char(out, '}');
}

const char *met_parity_json(const met_parity_report *report)
{
    const met_plan_parity *parity = report->parity;
    const met_parity_line *lines;
    uint32_t count = met_parity_lines(report, &lines), changes = 0;
    met_text out = met_text_new(parity->settled->circuit->arena);
    met_text_format(&out, "{\"verdict\":\"%s\",\"unless_underflow\":%s,\"nodes\":{\"same\":%u,\"different\":%u,\"unknown\":%u},\"groups\":[",
                    met_verdict_name(parity->verdict), parity->unless_underflow ? "true" : "false", parity->counts[MET_VERDICT_SAME],
                    parity->counts[MET_VERDICT_DIFFERENT], parity->counts[MET_VERDICT_UNKNOWN]);
    for (uint32_t k = 0; k < count; k++) {
        met_text_put(&out, k ? "," : "");
        put_line(&out, parity, &lines[k]);
    }
    met_text_put(&out, "],\"changes\":[");
    for (uint32_t k = 0; k < report->option_count; k++) {
        met_text_put(&out, changes++ ? "," : "");
        put_option(&out, &report->options[k]);
    }
    for (uint32_t k = 0; k < report->remedies.count; k++) {
        met_text_put(&out, changes++ ? "," : "");
        put_remedy(&out, &report->remedies.at[k]);
    }
    met_text_put(&out, "]}");
    return met_text_done(&out);
}
