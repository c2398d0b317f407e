#include "plan/lower_parts.h"

#include <string.h>

#include "base/digest.h"
#include "number/tree.h"

/* --- Nodes --- */

static met_match_node match_node(const met_lower_task *task, const met_node *node)
{
    const met_circuit *circuit = task->circuit;
    met_match_node result = { .op = node->op->id, .has_input = node->in_count > 0 };
    if (node->in_count > 0)
        result.input = circuit->edges[node->ins[0].id].format;
    if (node->out_count > 0)
        result.makes = circuit->edges[node->outs[0].id].format;
    for (uint32_t k = 0; k < node->in_count && !result.has_weight; k++) {
        const met_edge *edge = &circuit->edges[node->ins[k].id];
        if (edge->role != MET_EDGE_PARAMETER)
            continue;
        result.has_weight = true;
        result.weight = edge->format;
        result.role = met_lkb_role(task->options->lkb, met_sym_str(task->session, edge->name));
    }
    return result;
}

static bool find_nodes(met_lower_task *task)
{
    const met_circuit *circuit = task->circuit;
    met_match_node *nodes = MET_NEW_ARRAY(task->arena, met_match_node, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (!circuit->nodes[n].op) {
            met_diag_add(task->session, MET_DIAG_plan, circuit->nodes[n].span, "a box has no meaning, so nothing can be planned for it");
            return false;
        }
        nodes[n] = match_node(task, &circuit->nodes[n]);
    }
    task->nodes = nodes;
    return true;
}

static void find_rules(met_lower_task *task)
{
    const met_hardware *hardware = task->options->hardware;
    const met_rule **rules = MET_NEW_ARRAY(task->arena, const met_rule *, hardware->rule_count);
    for (uint32_t r = 0; r < hardware->rule_count; r++)
        if (!met_lower_bars(task->arena, task->options, hardware->rules[r]))
            rules[task->rule_count++] = hardware->rules[r];
    task->rules = rules;
    for (uint32_t r = 0; r < task->rule_count; r++)
        task->changes_formats = task->changes_formats || met_rule_changes_formats(rules[r]);
}

met_lower_task *met_lower_task_bare(met_arena *arena, const met_circuit *circuit, const met_lower_options *options)
{
    met_lower_task *task = MET_NEW(arena, met_lower_task);
    *task = (met_lower_task){ .circuit = circuit, .options = options, .session = circuit->session, .arena = arena };
    if (!find_nodes(task))
        return NULL;
    task->facts = options->pricing ? options->pricing->workload->facts : met_derivation_new(circuit);
    task->flow = met_flow_new(arena, task->facts);
    task->marks = MET_NEW_ARRAY(arena, bool, circuit->node_count);
    task->only = MET_NEW_ARRAY(arena, bool, circuit->node_count);
    return task;
}

met_lower_task *met_lower_task_new(const met_circuit *circuit, const met_lower_options *options)
{
    met_arena *arena = circuit->session->arena;
    met_lower_task *task = met_lower_settings_check(circuit, options) ? met_lower_task_bare(arena, circuit, options) : NULL;
    if (!task)
        return NULL;
    find_rules(task);
    task->shapes = met_shapes_new(arena, task->facts, options->pricing ? options->pricing->workload : NULL);
    task->prices = met_map_new(arena);
    task->key = met_text_new(arena);
    task->regions = met_map_new(arena);
    task->records = met_map_new(arena);
    return task;
}

/* --- Answers by shape --- */

static bool takes_op(const met_family *family, const met_match_node *node)
{
    for (uint32_t i = 0; i < family->op_count; i++)
        if (family->ops[i].op == node->op &&
            (family->ops[i].roles.count == 0 || (node->role && met_name_list_has(&family->ops[i].roles, node->role))))
            return true;
    return false;
}

/* Families that say nothing of formats with scales hold none, neither those that are contracted nor those that are made. */
static bool holds_scaled(const met_match_node *node)
{
    return (node->has_input && !met_format_is_plain(node->input)) || !met_format_is_plain(node->makes);
}

static bool takes(const met_lower_task *task, const met_family *family, uint32_t count, const met_node_id *nodes)
{
    bool core = family->core.count == 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!takes_op(family, &task->nodes[nodes[i].id]) || holds_scaled(&task->nodes[nodes[i].id]))
            return false;
        core = core || met_name_list_has(&family->core, task->circuit->nodes[nodes[i].id].op->name);
    }
    return core && family->derived && !met_hardware_lacks(task->options->hardware, family->derived);
}

/* The first family in the order of the files. */
static const met_family *derived_family(const met_lower_task *task, uint32_t count, const met_node_id *nodes)
{
    const met_hardware *hardware = task->options->hardware;
    for (uint32_t f = 0; f < hardware->family_count; f++)
        if (takes(task, hardware->families[f], count, nodes))
            return hardware->families[f];
    return NULL;
}

bool met_lower_derived(met_lower_task *task, uint32_t count, const met_node_id *nodes, met_candidate *ret_candidate)
{
    const met_lower_options *options = task->options;
    const met_family *family = options->region ? derived_family(task, count, nodes) : NULL;
    if (!family)
        return false;
    uint32_t shape = met_shape_number(task->shapes, count, nodes), accepted;
    if (!met_map_get_pair(task->regions, shape, 0, &accepted)) {
        accepted = options->region(options->region_context, count, nodes);
        met_map_set_pair(task->regions, shape, 0, accepted);
    }
    *ret_candidate = (met_candidate){ .count = count, .nodes = nodes, .source = MET_GROUP_DERIVED, .family = family };
    ret_candidate->seconds = accepted ? met_lower_price(task, ret_candidate, NULL).seconds : 0;
    return accepted;
}

/* --- Records --- */

static const char *kernel_name(const met_candidate *candidate, uint32_t k)
{
    return candidate->rule ? candidate->rule->kernels.names[k] : candidate->family->derived;
}

static const met_lkb_tree *tree_of(const met_lkb *lkb, const char *id)
{
    for (uint32_t t = 0; t < lkb->tree_count; t++)
        if (met_str_is(met_str_of(lkb->trees[t].id), id))
            return &lkb->trees[t];
    return NULL;
}

/* What the families declare of the kernels: trees and pipelines. NULL: something is undeclared. */
static const char *declared_record(const met_lower_task *task, const met_candidate *candidate)
{
    met_text out = met_text_new(task->arena);
    met_tree_names names = met_lkb_sizes(task->options->lkb);
    uint32_t kernels = candidate->rule ? candidate->rule->kernels.count : 1;
    for (uint32_t k = 0; k < kernels; k++) {
        uint32_t place;
        const met_family *family = met_hardware_family(task->options->hardware, kernel_name(candidate, k), &place);
        const char *id = family && family->trees ? family->trees[place] : NULL;
        const met_lkb_tree *tree = id ? tree_of(task->options->lkb, id) : NULL;
        if (!tree)
            return NULL;
        met_tree_print_named(&out, &tree->tree, MET_F32, &names); /* of one shape, so that widths of one text are one number */
        for (uint32_t s = 0; s < family->step_count; s++)
            met_text_format(&out, "\n%s %s %s", met_op_by_id(family->steps[s].op)->name, family->steps[s].step, family->steps[s].precision);
        met_text_put(&out, family->scales_groups ? "\nscales groups\n" : "\n");
    }
    return met_text_done(&out);
}

const char *met_lower_record(met_lower_task *task, const met_candidate *candidate)
{
    const met_lower_options *options = task->options;
    if (candidate->source == MET_GROUP_PLACEHOLDER)
        return "undeclared";
    met_text key = met_text_new(task->arena);
    uint32_t number;
    met_text_format(&key, "%u %s", met_shape_number(task->shapes, candidate->count, candidate->nodes),
                    candidate->rule ? candidate->rule->id : "");
    if (met_map_get(task->records, met_str_of(met_text_done(&key)), &number))
        return task->record_list.at[number];
    const char *text = options->record ? options->record(options->record_context, candidate->count, candidate->nodes) : NULL;
    if (!text)
        text = declared_record(task, candidate);
    const char *digest = text ? met_digest(task->arena, met_str_of(text)) : "undeclared";
    met_map_set(task->records, met_str_of(met_text_done(&key)), (uint32_t)task->record_list.count);
    MET_PUSH(task->arena, &task->record_list, digest);
    return digest;
}
