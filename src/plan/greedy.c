/* The greedy planner: rules by priority from high to low, then by id; each is tried at every free node in order; a match that
 * may be a group is one, and nothing is ever taken back. In partial plans a rule whose formats do not agree with its
 * neighbours' is dropped, one at a time, and all begins anew. */
#include <string.h>

#include "plan/match.h"

typedef struct greedy {
    met_lower_task *task;
    const bool *dropped; /* by rule of the task */
    bool *taken;         /* by node */
    met_quotient *quotient;
    met_candidates *cover;
} greedy;

static void try_at(greedy *g, const met_rule *rule, uint32_t start, met_match *match)
{
    const met_node_id *nodes;
    if (!met_match_first(g->task, rule, start, g->taken, match) || met_match_leak(g->task, match).id != MET_NONE)
        return;
    uint32_t count = met_match_nodes(g->task->arena, match, &nodes);
    if (!met_quotient_merge(g->quotient, count, nodes))
        return;
    for (uint32_t i = 0; i < count; i++)
        g->taken[nodes[i].id] = true;
    MET_PUSH(g->task->arena, &g->cover->at, ((met_candidate){ .count = count, .nodes = nodes, .source = MET_GROUP_RULE, .rule = rule }));
}

static void run(greedy *g)
{
    met_lower_task *task = g->task;
    uint32_t node_count = task->circuit->node_count;
    memset(g->taken, 0, node_count * sizeof *g->taken);
    g->cover->at.count = 0;
    g->quotient = met_quotient_new(task->arena, task->flow);
    for (uint32_t r = 0; r < task->rule_count; r++) {
        if (g->dropped[r])
            continue;
        met_match match = { .nodes = MET_NEW_ARRAY(task->arena, uint32_t, task->rules[r]->element_count) };
        for (uint32_t n = 0; n < node_count; n++)
            if (!g->taken[n])
                try_at(g, task->rules[r], n, &match);
    }
}

/* Placeholders for what is left over, where plans may be partial. False if something stays bare. */
static bool fill_up(greedy *g, bool *left)
{
    met_lower_task *task = g->task;
    bool any = false;
    for (uint32_t n = 0; n < task->circuit->node_count; n++) {
        left[n] = !g->taken[n];
        any = any || left[n];
        if (left[n] && task->options->partial)
            MET_PUSH(task->arena, &g->cover->at, met_lower_placeholder(task, n));
    }
    return !any || task->options->partial;
}

static void drop(const met_lower_task *task, bool *dropped, const met_rule *rule)
{
    for (uint32_t r = 0; r < task->rule_count; r++)
        dropped[r] = dropped[r] || task->rules[r] == rule;
}

/* The rule that gives way: the writer's if it changed the format, otherwise the reader's. NULL: neither has one. */
static const met_rule *culprit(const met_candidates *cover, const met_conflict *conflict)
{
    const met_rule *writer = conflict->writer == MET_NONE ? NULL : cover->at.at[conflict->writer].rule;
    return writer ? writer : cover->at.at[conflict->reader].rule;
}

/* Without diagnostics: what is in the way is in `left` (something is true) or `conflict`. */
static bool find_cover(met_lower_task *task, met_candidates *cover, bool *left, met_conflict *conflict)
{
    bool *dropped = MET_NEW_ARRAY(task->arena, bool, task->rule_count);
    greedy g = { .task = task, .dropped = dropped, .taken = MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), .cover = cover };
    met_format *stored = MET_NEW_ARRAY(task->arena, met_format, task->circuit->edge_count);
    for (;;) {
        run(&g);
        if (!fill_up(&g, left))
            return false;
        memset(left, 0, task->circuit->node_count * sizeof *left);
        if (met_lower_formats(task, (uint32_t)cover->at.count, cover->at.at, stored, conflict))
            return true;
        const met_rule *rule = culprit(cover, conflict);
        if (!task->options->partial || !rule)
            return false;
        drop(task, dropped, rule);
    }
}

bool met_lower_greedy_quiet(met_lower_task *task, met_candidates *cover)
{
    met_conflict conflict;
    return find_cover(task, cover, MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), &conflict);
}

bool met_lower_greedy(met_lower_task *task, met_candidates *cover)
{
    bool *left = MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), bare = false;
    met_conflict conflict;
    if (find_cover(task, cover, left, &conflict))
        return true;
    for (uint32_t n = 0; n < task->circuit->node_count; n++)
        bare = bare || left[n];
    if (bare)
        met_lower_report_uncovered(task, left);
    else
        met_lower_report_conflict(task, cover->at.at, &conflict);
    return false;
}
