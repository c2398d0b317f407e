#include <stdlib.h>
#include <string.h>

#include "plan/exact_gather.h"

typedef struct node_set {
    uint32_t count;
    met_node_id nodes[MET_REGION_NODES]; /* ascending */
} node_set;

typedef struct grower {
    met_gathering *g;
    met_lower_task *task;
    met_arena *scratch;
    uint32_t seed;
    met_map *seen;
    MET_VEC(node_set) sets; /* convex ones, in the order in which they were found */
    uint32_t looked_at;
    uint64_t work; /* that is left */
} grower;

static bool is_heavy(const met_lower_task *task, uint32_t node)
{
    return task->options->pricing && task->options->pricing->workload->nodes[node].reads_weights;
}

static bool contains(const node_set *set, uint32_t node)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->nodes[i].id == node)
            return true;
    return false;
}

/* Nodes that read weights go together only if they read the same. */
static bool bears(const grower *w, const node_set *set, uint32_t node)
{
    const met_circuit *circuit = w->task->circuit;
    for (uint32_t i = 0; i < set->count && is_heavy(w->task, node); i++)
        if (is_heavy(w->task, set->nodes[i].id) && circuit->nodes[set->nodes[i].id].ins[0].id != circuit->nodes[node].ins[0].id)
            return false;
    return true;
}

/* Some family takes kernels of all these ops: if none does, none takes more of them. */
static bool has_family(const grower *w, const node_set *set)
{
    const met_hardware *hardware = w->task->options->hardware;
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        bool all = family->derived != NULL;
        for (uint32_t i = 0; i < set->count && all; i++) {
            bool has = false;
            for (uint32_t o = 0; o < family->op_count; o++)
                has = has || family->ops[o].op == w->task->nodes[set->nodes[i].id].op;
            all = has;
        }
        if (all)
            return true;
    }
    return false;
}

static node_set with(const node_set *set, uint32_t node)
{
    node_set larger = { .count = set->count + 1 };
    uint32_t i = 0;
    for (; i < set->count && set->nodes[i].id < node; i++)
        larger.nodes[i] = set->nodes[i];
    larger.nodes[i].id = node;
    for (; i < set->count; i++)
        larger.nodes[i + 1] = set->nodes[i];
    return larger;
}

static uint64_t arrays_of(const grower *w, const node_set *set)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const met_node *node = &w->task->circuit->nodes[set->nodes[i].id];
        count += 1 + (uint64_t)node->in_count + node->out_count;
    }
    return count;
}

/* False if the limit on work is hit. */
static bool spend(grower *w, uint64_t work)
{
    if (w->work < work) {
        w->g->limited = true;
        return false;
    }
    w->work -= work;
    return true;
}

static void consider(grower *w, const node_set *set, uint32_t node)
{
    uint32_t ignored;
    if (node <= w->seed || contains(set, node) || !spend(w, 1) || !bears(w, set, node))
        return;
    node_set larger = with(set, node);
    met_str key = { (const char *)larger.nodes, larger.count * sizeof *larger.nodes };
    if (met_map_get(w->seen, key, &ignored))
        return;
    if (w->looked_at == MET_REGION_SETS)
        w->g->limited = true;
    if (w->looked_at == MET_REGION_SETS || !spend(w, arrays_of(w, &larger)))
        return;
    met_map_set(w->seen, key, 1);
    w->looked_at++;
    if (has_family(w, &larger) && met_flow_is_convex(w->task->flow, larger.count, larger.nodes, w->task->marks))
        MET_PUSH(w->scratch, &w->sets, larger);
}

static void consider_neighbours(grower *w, const node_set *set, uint32_t node)
{
    const met_flow *flow = w->task->flow;
    const met_derivation *facts = w->task->facts;
    for (uint32_t p = flow->pred_begin[node]; p < flow->pred_begin[node + 1]; p++)
        consider(w, set, flow->preds[p]);
    for (uint32_t s = flow->succ_begin[node]; s < flow->succ_begin[node + 1]; s++)
        consider(w, set, flow->succs[s]);
    if (!is_heavy(w->task, node))
        return;
    uint32_t edge = w->task->circuit->nodes[node].ins[0].id;
    for (uint32_t r = facts->reader_begin[edge]; r < facts->reader_begin[edge + 1]; r++)
        if (is_heavy(w->task, facts->readers[r].id))
            consider(w, set, facts->readers[r].id);
}

void met_gathering_grow(met_gathering *g, uint32_t seed)
{
    uint64_t share = g->region_work / (g->task->circuit->node_count - seed) * MET_REGION_SHARES;
    grower w = { .g = g, .task = g->task, .scratch = met_arena_new(), .seed = seed };
    w.work = share < g->region_work ? share : g->region_work;
    g->region_work -= w.work;
    w.seen = met_map_new(w.scratch);
    MET_PUSH(w.scratch, &w.sets, ((node_set){ 1, { { seed } } }));
    for (size_t i = 0; i < w.sets.count; i++) {
        node_set set = w.sets.at[i];
        met_candidate candidate;
        if (met_lower_derived(w.task, set.count, set.nodes, &candidate))
            met_gathering_add(g, &candidate);
        for (uint32_t n = 0; n < set.count && set.count < MET_REGION_NODES; n++)
            consider_neighbours(&w, &set, set.nodes[n].id);
    }
    g->region_work += w.work;
    met_arena_free(w.scratch);
}
