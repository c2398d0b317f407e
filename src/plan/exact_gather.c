#include "plan/exact_gather.h"

#include <math.h>

#include "plan/match.h"

met_gathering *met_gathering_new(met_lower_task *task)
{
    met_gathering *g = MET_NEW(task->arena, met_gathering);
    *g = (met_gathering){ .task = task, .known = met_map_new(task->arena), .single = MET_NEW_ARRAY(task->arena, double, task->circuit->node_count),
                          .stored = MET_NEW_ARRAY(task->arena, met_format_set *, task->circuit->edge_count),
                          .match_work = MET_MATCH_WORK, .region_work = MET_REGION_WORK(task->circuit->node_count),
                          .at_hand = MET_NEW_ARRAY(task->arena, met_format, task->circuit->edge_count) };
    for (uint32_t e = 0; e < task->circuit->edge_count; e++)
        g->at_hand[e] = task->circuit->edges[e].format;
    for (uint32_t n = 0; n < task->circuit->node_count; n++)
        g->single[n] = INFINITY;
    return g;
}

/* --- Candidates --- */

bool met_rule_minds_formats(const met_rule *rule)
{
    for (uint32_t e = 0; rule && e < rule->element_count; e++) {
        const met_rule_element *element = &rule->elements[e];
        if (element->has_writes || element->has_holds || element->has_input || element->stored)
            return true;
    }
    return false;
}

static met_str key_of(met_gathering *g, const met_candidate *candidate)
{
    met_text key = met_text_new(g->task->arena);
    met_text_bytes(&key, (const char *)candidate->nodes, candidate->count * sizeof *candidate->nodes);
    if (met_rule_minds_formats(candidate->rule) || (candidate->rule && g->task->changes_formats))
        met_text_put(&key, candidate->rule->id);
    return (met_str){ key.at, key.length };
}

void met_gathering_note_single(met_gathering *g, const met_candidate *candidate)
{
    if (candidate->count == 1 && !met_rule_minds_formats(candidate->rule))
        g->single[candidate->nodes[0].id] = fmin(g->single[candidate->nodes[0].id], candidate->seconds);
}

void met_gathering_add(met_gathering *g, const met_candidate *candidate)
{
    met_str key = key_of(g, candidate);
    uint32_t number;
    met_gathering_note_single(g, candidate);
    if (met_map_get(g->known, key, &number)) {
        /* rules come in their order and derived regions after them, so the first of equal price stays */
        met_candidate *old = &g->all.at[number];
        if (candidate->seconds < old->seconds) {
            const met_node_id *nodes = old->nodes;
            *old = *candidate;
            old->nodes = nodes;
        }
        return;
    }
    met_map_set(g->known, key, (uint32_t)g->all.count);
    MET_PUSH(g->task->arena, &g->all, *candidate);
    g->all.at[g->all.count - 1].nodes =
        met_arena_copy(g->task->arena, candidate->nodes, candidate->count, sizeof *candidate->nodes);
}
