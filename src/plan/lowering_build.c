#include "plan/calibrate.h"

typedef struct maker {
    met_lower_task *task;
    const met_candidates *cover;
    met_lowering *lowering;
    const met_candidate **ordered; /* by group */
} maker;

/* --- Groups in order --- */

static void order_groups(maker *m)
{
    met_lower_task *task = m->task;
    uint32_t count = (uint32_t)m->cover->at.count;
    uint32_t *number = MET_NEW_ARRAY(task->arena, uint32_t, task->circuit->node_count), *order = MET_NEW_ARRAY(task->arena, uint32_t, count);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < m->cover->at.at[c].count; i++)
            number[m->cover->at.at[c].nodes[i].id] = c;
    if (!met_flow_order(task->flow, count, number, order))
        met_fatal("a planner left a cycle");
    m->ordered = MET_NEW_ARRAY(task->arena, const met_candidate *, count);
    uint32_t *group_of = MET_NEW_ARRAY(task->arena, uint32_t, task->circuit->node_count);
    for (uint32_t g = 0; g < count; g++) {
        m->ordered[g] = &m->cover->at.at[order[g]];
        for (uint32_t i = 0; i < m->ordered[g]->count; i++)
            group_of[m->ordered[g]->nodes[i].id] = g;
    }
    m->lowering->group_of = group_of;
    m->lowering->group_count = count;
}

static const char *placeholder_name(const met_lower_task *task, uint32_t n)
{
    met_text out = met_text_new(task->arena);
    const met_match_node *node = &task->nodes[n];
    met_text_format(&out, "novel.%s", task->circuit->nodes[n].op->name);
    if (node->has_input && !met_format_is_plain(node->input)) {
        met_text_char(&out, '.');
        met_format_print(&out, node->input);
    }
    return met_text_done(&out);
}

static met_name_list one_name(met_arena *arena, const char *name)
{
    const char **names = MET_NEW(arena, const char *);
    *names = name;
    return (met_name_list){ 1, names };
}

static void fill_source(maker *m, met_lowering_group *group, const met_candidate *candidate)
{
    met_lower_task *task = m->task;
    const met_rule *rule = candidate->rule;
    if (rule) {
        uint32_t place;
        group->kernels = rule->kernels;
        group->repeat = rule->repeat;
        group->chunk = rule->chunk;
        group->tag = rule->tag;
        group->lever = rule->lever;
        group->family = rule->kernels.count > 0 ? met_hardware_family(task->options->hardware, rule->kernels.names[0], &place) : NULL;
        return;
    }
    group->family = candidate->family;
    /* what derivation finds has the bytes of its parts */
    group->tag = candidate->family ? MET_TAG_BIT_IDENTICAL : MET_TAG_REFERENCE;
    group->kernels = one_name(task->arena, candidate->family ? candidate->family->derived : placeholder_name(task, candidate->nodes[0].id));
}

static void fill_groups(maker *m)
{
    met_lower_task *task = m->task;
    met_lowering_group *groups = MET_NEW_ARRAY(task->arena, met_lowering_group, m->lowering->group_count);
    for (uint32_t g = 0; g < m->lowering->group_count; g++) {
        const met_candidate *candidate = m->ordered[g];
        met_lowering_group *group = &groups[g];
        *group = (met_lowering_group){ .node_count = candidate->count, .nodes = candidate->nodes, .source = candidate->source,
                                       .rule = candidate->rule };
        fill_source(m, group, candidate);
        group->record = met_lower_record(task, candidate);
        if (task->changes_formats)
            group->change_count = met_lower_changes(task, candidate, m->lowering->stored, &group->changes);
        met_price price = met_lower_price_group(task, (met_priced_group){ candidate->count, candidate->nodes, group->repeat, group->chunk, 0,
                                                                          group->change_count, group->changes });
        group->price = met_lower_calibrated(task, candidate, price);
        for (uint32_t i = 0; i < candidate->count; i++) {
            met_price part = met_lower_calibrated(task, candidate, met_lower_price_node(task, &candidate->nodes[i]));
            met_price_add(&group->parts, &part);
        }
        met_price_add(&m->lowering->price, &group->price);
        met_price_add(&m->lowering->parts, &group->parts);
    }
    m->lowering->groups = groups;
}

/* --- Edges --- */

static void class_edges(maker *m)
{
    met_lower_task *task = m->task;
    met_edge_class *classes = MET_NEW_ARRAY(task->arena, met_edge_class, task->circuit->edge_count);
    met_arena *scratch = met_arena_new();
    for (uint32_t g = 0; g < m->lowering->group_count; g++) {
        const met_candidate *candidate = m->ordered[g];
        uint32_t *elements = MET_NEW_ARRAY(scratch, uint32_t, candidate->count);
        bool ruled = candidate->rule && candidate->count > 1 && met_lower_elements(task, candidate, elements);
        for (uint32_t i = 0; i < candidate->count; i++) {
            const met_node *node = &task->circuit->nodes[candidate->nodes[i].id];
            for (uint32_t k = 0; k < node->out_count; k++)
                if (met_lower_is_fused(task, candidate, ruled ? elements : NULL, node->outs[k]))
                    classes[node->outs[k].id] = MET_EDGE_FUSED;
        }
    }
    met_arena_free(scratch);
    m->lowering->edges = classes;
}

static bool derives(const met_lower_options *options)
{
    for (uint32_t f = 0; f < options->hardware->family_count && options->region; f++)
        if (options->hardware->families[f]->derived)
            return true;
    return false;
}

met_lowering *met_lowering_build(met_lower_task *task, met_lowerer planner, const met_candidates *cover)
{
    const met_lower_options *options = task->options;
    met_lowering *lowering = MET_NEW(task->arena, met_lowering);
    *lowering = (met_lowering){ .circuit = task->circuit, .lkb = options->lkb, .hardware = options->hardware,
                                .device = options->pricing ? options->pricing->device : NULL, .planner = planner,
                                .mode = options->mode, .rows = options->rows, .derives = derives(options) };
    maker m = { .task = task, .cover = cover, .lowering = lowering };
    met_conflict conflict;
    met_format *stored = MET_NEW_ARRAY(task->arena, met_format, task->circuit->edge_count);
    order_groups(&m);
    if (!met_lower_formats(task, (uint32_t)cover->at.count, cover->at.at, stored, &conflict))
        met_fatal("a planner left formats in conflict");
    lowering->stored = stored;
    fill_groups(&m);
    class_edges(&m);
    return lowering;
}
