#include <string.h>

#include "plan/lower_parts.h"

static const char *const names[] = { [MET_LOWER_NONE] = "none", [MET_LOWER_GREEDY] = "greedy", [MET_LOWER_EXACT] = "exact" };

bool met_lowerer_find(met_str name, met_lowerer *ret_planner)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (met_str_is(name, names[i])) {
            *ret_planner = (met_lowerer)i;
            return true;
        }
    return false;
}

const char *met_lowerer_name(met_lowerer planner)
{
    return names[planner];
}

/* --- Diagnostics --- */

met_candidate met_lower_placeholder(met_lower_task *task, uint32_t node)
{
    met_node_id *nodes = MET_NEW(task->arena, met_node_id);
    nodes->id = node;
    return (met_candidate){ .count = 1, .nodes = nodes, .source = MET_GROUP_PLACEHOLDER,
                            .seconds = met_lower_price_node(task, nodes).seconds };
}

/* The op, and the format that it reads if that has scales. */
static const char *kind_of(const met_lower_task *task, uint32_t n)
{
    met_text out = met_text_new(task->arena);
    const met_match_node *node = &task->nodes[n];
    met_text_format(&out, "`%s`", task->circuit->nodes[n].op->name);
    if (node->has_input && !met_format_is_plain(node->input)) {
        met_text_put(&out, " of ");
        met_format_print(&out, node->input);
    }
    return met_text_done(&out);
}

void met_lower_report_uncovered(const met_lower_task *task, const bool *marks)
{
    const met_circuit *circuit = task->circuit;
    uint32_t first = MET_NONE, count = 0, ignored;
    met_map *seen = met_map_new(task->arena);
    met_text ops = met_text_new(task->arena);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (!marks[n])
            continue;
        first = count++ == 0 ? n : first;
        const char *kind = kind_of(task, n);
        if (met_map_get(seen, met_str_of(kind), &ignored))
            continue;
        met_text_format(&ops, "%s%s", ops.length ? ", " : "", kind);
        met_map_set(seen, met_str_of(kind), 1);
    }
    met_diag *diag = met_diag_add(task->session, MET_DIAG_uncovered, circuit->nodes[first].span,
                                  "no rule of `%s` covers %u node%s in mode `%s`: %s", task->options->hardware->id, count,
                                  count == 1 ? "" : "s", task->options->mode, met_text_done(&ops));
    met_diag_help(diag, "--partial leaves them without a kernel");
}

static const char *format_name(met_arena *arena, met_format format)
{
    met_text out = met_text_new(arena);
    met_format_print(&out, format);
    return met_text_done(&out);
}

void met_lower_report_conflict(const met_lower_task *task, const met_candidate *candidates, const met_conflict *conflict)
{
    const met_edge *edge = &task->circuit->edges[conflict->edge.id];
    const met_rule *reader = candidates[conflict->reader].rule;
    const met_rule *writer = conflict->writer == MET_NONE ? NULL : candidates[conflict->writer].rule;
    met_diag *diag = met_diag_add(task->session, MET_DIAG_format_conflict, edge->span, "`%s` is stored as `%s`, and %s%s%s reads another format",
                                  met_sym_text(task->session, edge->name), format_name(task->arena, conflict->stored),
                                  reader ? "rule `" : "a kernel that derivation finds", reader ? reader->id : "", reader ? "`" : "");
    if (writer)
        met_diag_note(diag, writer->span, "rule `%s` stores it so", writer->id);
    if (reader)
        met_diag_note(diag, reader->span, "and rule `%s` reads it", reader->id);
    met_diag_help(diag, "--partial drops such rules, one after another");
}

/* --- Lowering --- */

static bool refuse(const met_circuit *circuit, const char *what)
{
    met_diag_add(circuit->session, MET_DIAG_plan, (met_span){ 0 }, "%s", what);
    return false;
}

static bool check_request(const met_circuit *circuit, met_lowerer planner, const met_lower_options *options)
{
    if (circuit->node_count == 0)
        return refuse(circuit, "the circuit has no nodes, so there is nothing to plan");
    if (options->rows == 0)
        return refuse(circuit, "a plan is for at least one row");
    if (planner == MET_LOWER_EXACT && !options->pricing)
        return refuse(circuit, "the planner `exact` compares prices, so it needs a device");
    return true;
}

const met_lowering *met_lower(const met_circuit *circuit, met_lowerer planner, const met_lower_options *options)
{
    met_lower_task *task = check_request(circuit, planner, options) ? met_lower_task_new(circuit, options) : NULL;
    if (!task)
        return NULL;
    met_candidates cover = { { 0 } };
    double bound = 0;
    bool proven = false;
    bool good = planner == MET_LOWER_NONE     ? met_lower_none(task, &cover)
                : planner == MET_LOWER_GREEDY ? met_lower_greedy(task, &cover)
                                              : met_lower_exact(task, &cover, &bound, &proven);
    if (!good)
        return NULL;
    met_lowering *lowering = met_lowering_build(task, planner, &cover);
    lowering->bound_s = bound;
    lowering->proven = proven;
    if (options->explain)
        met_lowering_explain(task, lowering);
    return lowering;
}
