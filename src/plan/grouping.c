#include "plan/grouping.h"

#include <stdlib.h>

met_grouping met_grouping_new(const met_derivation *facts, met_arena *arena)
{
    uint32_t count = facts->circuit->node_count;
    met_grouping grouping = { .facts = facts, .arena = arena, .group_of = MET_NEW_ARRAY(arena, uint32_t, count),
                              .groups = MET_NEW_ARRAY(arena, met_group, count), .ahead = MET_NEW_ARRAY(arena, bool, count),
                              .behind = MET_NEW_ARRAY(arena, bool, count) };
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, count);
    for (uint32_t n = 0; n < count; n++) {
        nodes[n].id = n;
        grouping.group_of[n] = n;
        grouping.groups[n] = (met_group){ .count = 1, .nodes = &nodes[n], .accepted = true, .merge = MET_NONE };
    }
    return grouping;
}

/* --- Between two groups --- */

typedef struct walk {
    const met_grouping *grouping;
    met_arena *scratch;
    bool *seen;
    met_group_list list;
    uint32_t least, most; /* groups whose nodes are all beyond these need not be looked at */
} walk;

static void visit(walk *w, uint32_t g)
{
    const met_group *group = &w->grouping->groups[g];
    if (w->seen[g] || group->nodes[0].id > w->most || group->nodes[group->count - 1].id < w->least)
        return;
    w->seen[g] = true;
    MET_PUSH(w->scratch, &w->list.at, g);
}

static void visit_producer(void *context, met_edge_id edge)
{
    walk *w = context;
    met_node_id producer = w->grouping->facts->circuit->edges[edge.id].producer;
    if (producer.id != MET_NONE)
        visit(w, w->grouping->group_of[producer.id]);
}

static void visit_readers(walk *w, const met_node *node)
{
    const met_derivation *facts = w->grouping->facts;
    for (uint32_t k = 0; k < node->out_count; k++)
        for (uint32_t r = facts->reader_begin[node->outs[k].id]; r < facts->reader_begin[node->outs[k].id + 1]; r++)
            visit(w, w->grouping->group_of[facts->readers[r].id]);
}

/* Goes on from the groups in the list till nothing is new. */
static void reach(walk *w, bool forwards)
{
    const met_circuit *circuit = w->grouping->facts->circuit;
    for (size_t i = 0; i < w->list.at.count; i++) {
        const met_group *group = &w->grouping->groups[w->list.at.at[i]];
        for (uint32_t n = 0; n < group->count; n++) {
            const met_node *node = &circuit->nodes[group->nodes[n].id];
            if (forwards)
                visit_readers(w, node);
            else
                met_node_reads(circuit, node, visit_producer, w);
        }
    }
}

static void forget(const walk *w)
{
    for (size_t i = 0; i < w->list.at.count; i++)
        w->seen[w->list.at.at[i]] = false;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

met_group_list met_grouping_closure(const met_grouping *grouping, met_arena *scratch, uint32_t a, uint32_t b)
{
    const met_group *first = &grouping->groups[a], *second = &grouping->groups[b];
    uint32_t least = first->nodes[0].id, most = first->nodes[first->count - 1].id;
    least = second->nodes[0].id < least ? second->nodes[0].id : least;
    most = second->nodes[second->count - 1].id > most ? second->nodes[second->count - 1].id : most;
    walk forwards = { grouping, scratch, grouping->ahead, { { 0 } }, 0, most };
    walk backwards = { grouping, scratch, grouping->behind, { { 0 } }, least, UINT32_MAX };
    walk *both[2] = { &forwards, &backwards };
    for (int i = 0; i < 2; i++) {
        visit(both[i], a);
        visit(both[i], b);
        reach(both[i], i == 0);
    }
    met_group_list list = { { 0 } };
    for (size_t i = 0; i < forwards.list.at.count; i++)
        if (grouping->behind[forwards.list.at.at[i]])
            MET_PUSH(scratch, &list.at, forwards.list.at.at[i]);
    forget(&forwards);
    forget(&backwards);
    qsort(list.at.at, list.at.count, sizeof *list.at.at, compare_numbers);
    return list;
}

/* --- Merging --- */

met_group met_grouping_union(const met_grouping *grouping, met_arena *arena, const met_group_list *list)
{
    uint32_t count = 0;
    for (size_t i = 0; i < list->at.count; i++)
        count += grouping->groups[list->at.at[i]].count;
    uint32_t *numbers = MET_NEW_ARRAY(arena, uint32_t, count);
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, count);
    count = 0;
    for (size_t i = 0; i < list->at.count; i++)
        for (uint32_t n = 0; n < grouping->groups[list->at.at[i]].count; n++)
            numbers[count++] = grouping->groups[list->at.at[i]].nodes[n].id;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (uint32_t n = 0; n < count; n++)
        nodes[n].id = numbers[n];
    return (met_group){ .count = count, .nodes = nodes };
}

static void place_group(met_grouping *grouping, const met_group *group)
{
    uint32_t number = group->nodes[0].id;
    for (uint32_t n = 0; n < group->count; n++)
        grouping->group_of[group->nodes[n].id] = number;
    grouping->groups[number] = *group;
}

met_group *met_grouping_merge(met_grouping *grouping, const met_group_list *list)
{
    met_group whole = met_grouping_union(grouping, grouping->arena, list);
    met_group *parts = MET_NEW_ARRAY(grouping->arena, met_group, list->at.count);
    for (size_t i = 0; i < list->at.count; i++) {
        parts[i] = grouping->groups[list->at.at[i]];
        grouping->groups[list->at.at[i]].count = 0;
    }
    whole.merge = (uint32_t)grouping->merges.count;
    MET_PUSH(grouping->arena, &grouping->merges, ((met_merge){ (uint32_t)list->at.count, parts }));
    place_group(grouping, &whole);
    return &grouping->groups[list->at.at[0]];
}

void met_grouping_split(met_grouping *grouping)
{
    /* a merge's parts were made by earlier ones, so one walk from the last merge to the first undoes all */
    for (size_t m = grouping->merges.count; m-- > 0;) {
        const met_merge *merge = &grouping->merges.at[m];
        const met_group *whole = &grouping->groups[merge->parts[0].nodes[0].id];
        if (whole->count == 0 || whole->merge != m || whole->accepted)
            continue;
        for (uint32_t i = 0; i < merge->part_count; i++)
            place_group(grouping, &merge->parts[i]);
    }
}

/* --- Order --- */

typedef struct waiting {
    const met_grouping *grouping;
    uint32_t group;
    const bool *done;
    bool waits;
} waiting;

static void wait_for(void *context, met_edge_id edge)
{
    waiting *w = context;
    met_node_id producer = w->grouping->facts->circuit->edges[edge.id].producer;
    uint32_t g = producer.id == MET_NONE ? w->group : w->grouping->group_of[producer.id];
    w->waits = w->waits || (g != w->group && !w->done[g]);
}

static bool is_ready(const met_grouping *grouping, uint32_t g, const bool *done)
{
    waiting w = { grouping, g, done, false };
    const met_circuit *circuit = grouping->facts->circuit;
    for (uint32_t n = 0; n < grouping->groups[g].count && !w.waits; n++)
        met_node_reads(circuit, &circuit->nodes[grouping->groups[g].nodes[n].id], wait_for, &w);
    return !w.waits;
}

met_group_list met_grouping_order(const met_grouping *grouping)
{
    uint32_t node_count = grouping->facts->circuit->node_count, first = 0;
    bool *done = MET_NEW_ARRAY(grouping->arena, bool, node_count);
    met_group_list order = { { 0 } };
    while (first < node_count) {
        uint32_t g = first;
        while (done[g] || grouping->groups[g].count == 0 || !is_ready(grouping, g, done))
            g++;
        done[g] = true;
        MET_PUSH(grouping->arena, &order.at, g);
        while (first < node_count && (done[first] || grouping->groups[first].count == 0))
            first++;
    }
    return order;
}
