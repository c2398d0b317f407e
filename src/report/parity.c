#include "report/parity.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"

const char *met_verdict_name(met_verdict verdict)
{
    static const char *const names[] = { "same", "different", "unknown" };
    return names[verdict];
}

const char *met_parity_cause_name(met_parity_cause cause)
{
    static const char *const names[] = { "", "tree", "format", "scales", "undeclared" };
    return names[cause];
}

const char *met_numerics_source_name(met_numerics_source source)
{
    static const char *const names[] = { "point", "schedule", "family", "undeclared" };
    return names[source];
}

bool met_parity_promised(const met_parity_report *report)
{
    return report->parity->verdict == MET_VERDICT_SAME;
}

/* --- Lines --- */

typedef struct line {
    uint32_t written, count;
    met_text weights;
} line;

typedef struct liner {
    const met_parity_report *report;
    met_arena *arena;
    met_map *numbers;
    MET_VEC(line) lines;
} liner;

static void put_side_key(met_text *key, const met_parity_side *side, const met_node_parity *node)
{
    if (node->node.id != MET_NONE) {
        const met_node_numerics *n = &side->numerics->nodes[node->node.id];
        met_text_format(key, "|%s|%d|", n->kernel, (int)n->source);
        if (node->cause == MET_PARITY_TREE)
            met_tree_print(key, &n->tree, MET_F32);
        met_text_put(key, n->why ? n->why : "");
    }
    if (node->edge.id != MET_NONE && side->stored) {
        met_text_char(key, '|');
        met_format_print(key, side->stored[node->edge.id]);
    }
}

static const char *key_of(const liner *l, uint32_t n)
{
    const met_plan_parity *parity = l->report->parity;
    const met_node_parity *node = &parity->nodes[n];
    const met_op *op = parity->settled->written->nodes[n].op;
    met_text key = met_text_new(l->arena);
    met_text_format(&key, "%s|%d|%d|%d", op ? op->name : "box", (int)node->verdict, (int)node->cause, (int)node->trees.field);
    put_side_key(&key, &parity->a, node);
    put_side_key(&key, &parity->b, node);
    if (node->trees.has_witness)
        met_text_format(&key, "|%llu", (unsigned long long)parity->a.numerics->nodes[node->node.id].terms);
    return met_text_done(&key);
}

/* The last parts of names of what the node reads of the parameters, each once. */
static void add_weights(met_text *weights, const met_circuit *circuit, const met_node *node)
{
    for (uint32_t k = 0; k < node->in_count; k++) {
        const met_edge *edge = &circuit->edges[node->ins[k].id];
        const char *name = edge->role == MET_EDGE_PARAMETER ? met_sym_text(circuit->session, edge->name) : NULL;
        const char *last = name ? strrchr(name, '.') : NULL;
        last = last ? last + 1 : name;
        met_text padded = met_text_new(weights->arena), all = met_text_new(weights->arena);
        met_text_format(&padded, " %s ", last ? last : "");
        met_text_format(&all, " %s ", met_text_done(weights));
        if (last && !strstr(met_text_done(&all), met_text_done(&padded)))
            met_text_format(weights, "%s%s", weights->length ? " " : "", last);
    }
}

uint32_t met_parity_lines(const met_parity_report *report, const met_parity_line **ret_lines)
{
    const met_circuit *written = report->parity->settled->written;
    liner l = { .report = report, .arena = report->parity->settled->circuit->arena };
    l.numbers = met_map_new(l.arena);
    for (uint32_t n = 0; n < written->node_count; n++) {
        uint32_t number;
        if (report->parity->nodes[n].verdict == MET_VERDICT_SAME)
            continue;
        met_str key = met_str_of(key_of(&l, n));
        if (!met_map_get(l.numbers, key, &number)) {
            number = (uint32_t)l.lines.count;
            met_map_set(l.numbers, key, number);
            MET_PUSH(l.arena, &l.lines, ((line){ n, 0, met_text_new(l.arena) }));
        }
        l.lines.at[number].count++;
        add_weights(&l.lines.at[number].weights, written, &written->nodes[n]);
    }
    met_parity_line *lines = MET_NEW_ARRAY(l.arena, met_parity_line, l.lines.count + 1);
    for (size_t k = 0; k < l.lines.count; k++)
        lines[k] = (met_parity_line){ l.lines.at[k].written, l.lines.at[k].count, met_text_done(&l.lines.at[k].weights) };
    *ret_lines = lines;
    return (uint32_t)l.lines.count;
}
