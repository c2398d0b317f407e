#include "plan/exact_gather.h"

#include <math.h>

#include "plan/match.h"

met_gathering *met_gathering_new(met_lower_task *task)
{
    met_gathering *g = MET_NEW(task->arena, met_gathering);
    *g = (met_gathering){ .task = task, .known = met_map_new(task->arena), .single = MET_NEW_ARRAY(task->arena, double, task->circuit->node_count),
                          .contested = MET_NEW_ARRAY(task->arena, bool, task->circuit->edge_count) };
    for (uint32_t n = 0; n < task->circuit->node_count; n++)
        g->single[n] = INFINITY;
    return g;
}

/* --- Candidates --- */

/* Formats of others depend on the rule, or its place does on theirs. */
static bool minds_formats(const met_rule *rule)
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
    if (minds_formats(candidate->rule))
        met_text_put(&key, candidate->rule->id);
    return (met_str){ key.at, key.length };
}

void met_gathering_add(met_gathering *g, const met_candidate *candidate)
{
    met_str key = key_of(g, candidate);
    uint32_t number;
    if (candidate->count == 1 && !minds_formats(candidate->rule))
        g->single[candidate->nodes[0].id] = fmin(g->single[candidate->nodes[0].id], candidate->seconds);
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

/* --- Formats --- */

static uint32_t format_number(met_gathering *g, met_format format)
{
    uint32_t f = 0;
    while (f < g->formats.count && !met_format_equal(g->formats.at[f], format))
        f++;
    if (f == g->formats.count)
        MET_PUSH(g->task->arena, &g->formats, format);
    return f;
}

typedef MET_VEC(met_cover_fact) fact_list;

typedef struct written {
    met_gathering *g;
    const met_candidate *candidate;
    MET_VEC(met_edge_id) edges;
    MET_VEC(met_format) formats;
} written;

static void note_written(void *context, met_edge_id edge, met_format format)
{
    written *w = context;
    MET_PUSH(w->g->task->arena, &w->edges, edge);
    MET_PUSH(w->g->task->arena, &w->formats, format);
}

static met_format stored_by(const written *w, met_edge_id edge)
{
    for (size_t i = 0; i < w->edges.count; i++)
        if (w->edges.at[i].id == edge.id)
            return w->formats.at[i];
    return w->g->task->circuit->edges[edge.id].format;
}

static bool has_node(const met_candidate *candidate, uint32_t node)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->nodes[i].id == node)
            return true;
    return false;
}

static met_cover_fact fact_of(met_gathering *g, met_edge_id edge, met_format format)
{
    const met_derivation *facts = g->task->facts;
    uint32_t begin = facts->reader_begin[edge.id], end = facts->reader_begin[edge.id + 1];
    uint32_t last = end > begin ? facts->readers[end - 1].id : g->task->circuit->edges[edge.id].producer.id;
    return (met_cover_fact){ edge.id, format_number(g, format), met_format_is_plain(format), last };
}

static void add_makes(written *w, fact_list *makes)
{
    met_gathering *g = w->g;
    for (uint32_t i = 0; i < w->candidate->count; i++) {
        const met_node *node = &g->task->circuit->nodes[w->candidate->nodes[i].id];
        for (uint32_t k = 0; k < node->out_count; k++)
            if (g->contested[node->outs[k].id])
                MET_PUSH(g->task->arena, makes, fact_of(g, node->outs[k], stored_by(w, node->outs[k])));
    }
}

/* Whether the candidate can read what it reads; what depends on other groups is a demand. */
static bool add_demands(written *w, fact_list *demands)
{
    met_gathering *g = w->g;
    met_lower_task *task = g->task;
    uint32_t *elements = MET_NEW_ARRAY(task->arena, uint32_t, w->candidate->count);
    bool ruled = minds_formats(w->candidate->rule) && met_lower_elements(task, w->candidate, elements);
    for (uint32_t i = 0; i < w->candidate->count; i++) {
        const met_node *node = &task->circuit->nodes[w->candidate->nodes[i].id];
        if (node->in_count == 0)
            continue;
        met_edge_id edge = node->ins[0];
        uint32_t producer = task->circuit->edges[edge.id].producer.id;
        bool inside = producer != MET_NONE && has_node(w->candidate, producer);
        if (inside || !g->contested[edge.id]) {
            met_format stored = inside ? stored_by(w, edge) : task->circuit->edges[edge.id].format;
            if (!met_lower_reads_as(task, w->candidate, ruled ? elements : NULL, i, stored))
                return false;
            continue;
        }
        const met_rule_element *element = ruled ? &w->candidate->rule->elements[elements[i]] : NULL;
        met_format wanted = element && element->has_input ? element->input : task->nodes[w->candidate->nodes[i].id].input;
        met_cover_fact demand = fact_of(g, edge, wanted);
        if (!(element && element->has_input) && demand.plain)
            demand.format = MET_COVER_ANY_PLAIN;
        MET_PUSH(task->arena, demands, demand);
    }
    return true;
}

static void find_contested(met_gathering *g)
{
    const met_circuit *circuit = g->task->circuit;
    for (size_t c = 0; c < g->all.count; c++) {
        written w = { .g = g, .candidate = &g->all.at[c] };
        met_lower_writes(g->task, w.candidate, note_written, &w);
        for (size_t i = 0; i < w.edges.count; i++)
            if (!met_format_equal(w.formats.at[i], circuit->edges[w.edges.at[i].id].format))
                g->contested[w.edges.at[i].id] = true;
    }
}

/* --- The problem --- */

/* One by one its nodes cost less: then no best cover has it. */
static bool is_dear(const met_gathering *g, const met_candidate *candidate)
{
    double apart = 0;
    for (uint32_t i = 0; i < candidate->count; i++)
        apart += g->single[candidate->nodes[i].id];
    return candidate->count > 1 && !minds_formats(candidate->rule) && candidate->seconds > apart * (1 + 1e-12);
}

met_cover_problem met_gathering_problem(met_gathering *g, const met_candidate **ret_candidates)
{
    met_arena *arena = g->task->arena;
    met_cover_candidate *list = MET_NEW_ARRAY(arena, met_cover_candidate, g->all.count);
    uint32_t count = 0;
    find_contested(g);
    for (size_t c = 0; c < g->all.count; c++) {
        const met_candidate *candidate = &g->all.at[c];
        written w = { .g = g, .candidate = candidate };
        fact_list makes = { 0 }, demands = { 0 };
        met_lower_writes(g->task, candidate, note_written, &w);
        if (is_dear(g, candidate) || !add_demands(&w, &demands))
            continue;
        add_makes(&w, &makes);
        ret_candidates[count] = candidate;
        list[count++] = (met_cover_candidate){ candidate->count, candidate->nodes, candidate->seconds, (uint32_t)makes.count,
                                               (uint32_t)demands.count, makes.at, demands.at };
    }
    return (met_cover_problem){ .flow = g->task->flow, .candidate_count = count, .candidates = list };
}
