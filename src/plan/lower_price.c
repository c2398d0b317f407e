/* Prices of groups: what their rules and those of their neighbours change of the formats in which edges are stored and handed
 * on, and prices by shape. */
#include "plan/calibrate.h"

/* --- What is not as the circuit says --- */

typedef struct change_list {
    const met_lower_task *task;
    MET_VEC(met_edge_change) at;
} change_list;

static void add_written(void *context, met_edge_change change)
{
    change_list *list = context;
    const met_format said = list->task->circuit->edges[change.edge.id].format;
    if (change.stored || !met_format_equal(change.format, said))
        MET_PUSH(list->task->arena, &list->at, change);
}

static bool is_listed(const change_list *list, met_edge_id edge)
{
    for (size_t i = 0; i < list->at.count; i++)
        if (list->at.at[i].edge.id == edge.id)
            return true;
    return false;
}

uint32_t met_lower_changes(const met_lower_task *task, const met_candidate *candidate, const met_format *stored,
                           const met_edge_change **ret_changes)
{
    const met_circuit *circuit = task->circuit;
    change_list list = { .task = task };
    met_lower_writes(task, candidate, add_written, &list);
    for (uint32_t i = 0; stored && i < candidate->count; i++) {
        const met_node *node = &circuit->nodes[candidate->nodes[i].id];
        for (uint32_t k = 0; k < node->in_count; k++) {
            met_edge_id edge = node->ins[k];
            if (!met_format_equal(stored[edge.id], circuit->edges[edge.id].format) && !is_listed(&list, edge))
                MET_PUSH(task->arena, &list.at, ((met_edge_change){ edge, stored[edge.id], false }));
        }
    }
    *ret_changes = list.at.at;
    return (uint32_t)list.at.count;
}

/* --- By shape --- */

/* The first place where the group has the edge: its member, and the number among what that reads and makes. */
static void put_place(met_text *out, const met_circuit *circuit, const met_priced_group *group, met_edge_id edge)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const met_node *node = &circuit->nodes[group->nodes[i].id];
        for (uint32_t k = 0; k < node->in_count + node->out_count; k++) {
            met_edge_id at = k < node->in_count ? node->ins[k] : node->outs[k - node->in_count];
            if (at.id == edge.id) {
                met_text_format(out, " %u.%u ", i, k);
                return;
            }
        }
    }
}

void met_price_key(met_text *key, const met_circuit *circuit, met_shapes *shapes, const met_priced_group *group)
{
    uint32_t words[3] = { met_shape_number(shapes, group->count, group->nodes), (uint32_t)group->repeat, group->chunk };
    key->length = 0;
    met_text_bytes(key, (const char *)words, sizeof words);
    for (uint32_t i = 0; i < group->change_count; i++) {
        put_place(key, circuit, group, group->changes[i].edge);
        met_format_print(key, group->changes[i].format);
        met_text_put(key, group->changes[i].stored ? "!" : "");
    }
}

met_price met_lower_price_group(met_lower_task *task, met_priced_group group)
{
    const met_lower_options *options = task->options;
    uint32_t number;
    if (!options->pricing)
        return (met_price){ 0 };
    group.rows = options->rows;
    met_price_key(&task->key, task->circuit, task->shapes, &group);
    met_str key = { task->key.at, task->key.length };
    if (!met_map_get(task->prices, key, &number)) {
        number = (uint32_t)task->price_list.count;
        met_map_set(task->prices, key, number);
        MET_PUSH(task->arena, &task->price_list, met_price_group(options->pricing, &group));
    }
    return task->price_list.at[number];
}

met_price met_lower_price(met_lower_task *task, const met_candidate *candidate, const met_format *stored)
{
    met_priced_group group = { .count = candidate->count, .nodes = candidate->nodes };
    if (candidate->rule) {
        group.repeat = candidate->rule->repeat;
        group.chunk = candidate->rule->chunk;
    }
    if (task->changes_formats && task->options->pricing)
        group.change_count = met_lower_changes(task, candidate, stored, &group.changes);
    return met_lower_calibrated(task, candidate, met_lower_price_group(task, group));
}

met_price met_lower_price_node(met_lower_task *task, const met_node_id *node)
{
    return met_lower_price_group(task, (met_priced_group){ .count = 1, .nodes = node });
}
