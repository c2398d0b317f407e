#include "plan/lower_flow.h"

#include <stdlib.h>

#include "base/vec.h"

typedef MET_VEC(met_flow_pair) pair_list;

static int compare_pairs(const void *a, const void *b)
{
    const met_flow_pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static uint32_t *sums(uint32_t *begin, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        begin[n + 1] += begin[n];
    return begin;
}

const met_flow *met_flow_of_pairs(met_arena *arena, uint32_t node_count, size_t pair_count, const met_flow_pair *pairs)
{
    met_flow_pair *sorted = met_arena_copy(arena, pairs, pair_count, sizeof *pairs);
    qsort(sorted, pair_count, sizeof *sorted, compare_pairs);
    uint32_t *pred_begin = MET_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 1);
    uint32_t *succ_begin = MET_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < pair_count; i++) {
        if (i > 0 && compare_pairs(&sorted[i], &sorted[i - 1]) == 0)
            continue;
        succ_begin[sorted[i].from + 1]++;
        pred_begin[sorted[i].to + 1]++;
        sorted[kept++] = sorted[i];
    }
    sums(pred_begin, node_count);
    sums(succ_begin, node_count);
    uint32_t *preds = MET_NEW_ARRAY(arena, uint32_t, kept), *succs = MET_NEW_ARRAY(arena, uint32_t, kept);
    uint32_t *filled = MET_NEW_ARRAY(arena, uint32_t, node_count);
    for (size_t i = 0; i < kept; i++) {
        succs[i] = sorted[i].to;
        preds[pred_begin[sorted[i].to] + filled[sorted[i].to]++] = sorted[i].from;
    }
    met_flow *flow = MET_NEW(arena, met_flow);
    *flow = (met_flow){ node_count, pred_begin, preds, succ_begin, succs };
    return flow;
}

/* --- Of a circuit --- */

typedef struct reader {
    met_arena *arena;
    const met_derivation *facts;
    pair_list pairs;
    uint32_t node;
} reader;

static void add_read(void *context, met_edge_id edge)
{
    reader *r = context;
    met_node_id producer = r->facts->circuit->edges[edge.id].producer;
    if (producer.id != MET_NONE)
        MET_PUSH(r->arena, &r->pairs, ((met_flow_pair){ producer.id, r->node }));
}

static void add_later_readers(void *context, met_edge_id edge)
{
    reader *r = context;
    for (uint32_t i = r->facts->reader_begin[edge.id]; i < r->facts->reader_begin[edge.id + 1]; i++)
        if (r->facts->readers[i].id > r->node)
            MET_PUSH(r->arena, &r->pairs, ((met_flow_pair){ r->node, r->facts->readers[i].id }));
}

const met_flow *met_flow_new(met_arena *arena, const met_derivation *facts)
{
    const met_circuit *circuit = facts->circuit;
    reader r = { .arena = arena, .facts = facts };
    for (r.node = 0; r.node < circuit->node_count; r.node++) {
        met_node_reads(circuit, &circuit->nodes[r.node], add_read, &r);
        if (circuit->nodes[r.node].out_count == 0)
            met_node_reads(circuit, &circuit->nodes[r.node], add_later_readers, &r);
    }
    return met_flow_of_pairs(arena, circuit->node_count, r.pairs.count, r.pairs.at);
}

/* --- Convexity --- */

typedef struct walk {
    const met_flow *flow;
    bool *marks; /* of the nodes themselves and of those that were seen */
    met_arena *scratch;
    MET_VEC(uint32_t) seen;
} walk;

/* Whether a way that has left the nodes leads back to one of them. */
static bool leads_back(walk *w, uint32_t count, const met_node_id *nodes, bool *inside)
{
    uint32_t last = nodes[count - 1].id;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = w->flow->succ_begin[nodes[i].id]; s < w->flow->succ_begin[nodes[i].id + 1]; s++)
            if (!w->marks[w->flow->succs[s]] && w->flow->succs[s] < last) {
                w->marks[w->flow->succs[s]] = true;
                MET_PUSH(w->scratch, &w->seen, w->flow->succs[s]);
            }
    for (size_t i = 0; i < w->seen.count; i++)
        for (uint32_t s = w->flow->succ_begin[w->seen.at[i]]; s < w->flow->succ_begin[w->seen.at[i] + 1]; s++) {
            uint32_t next = w->flow->succs[s];
            if (next > last)
                continue;
            if (inside[next - nodes[0].id])
                return true;
            if (!w->marks[next]) {
                w->marks[next] = true;
                MET_PUSH(w->scratch, &w->seen, next);
            }
        }
    return false;
}

bool met_flow_is_convex(const met_flow *flow, uint32_t count, const met_node_id *nodes, bool *marks)
{
    if (count < 2 || nodes[count - 1].id - nodes[0].id == count - 1)
        return true; /* nothing stands between them */
    walk w = { .flow = flow, .marks = marks, .scratch = met_arena_new() };
    bool *inside = MET_NEW_ARRAY(w.scratch, bool, nodes[count - 1].id - nodes[0].id + 1);
    for (uint32_t i = 0; i < count; i++)
        inside[nodes[i].id - nodes[0].id] = marks[nodes[i].id] = true;
    bool back = leads_back(&w, count, nodes, inside);
    for (uint32_t i = 0; i < count; i++)
        marks[nodes[i].id] = false;
    for (size_t i = 0; i < w.seen.count; i++)
        marks[w.seen.at[i]] = false;
    met_arena_free(w.scratch);
    return !back;
}

/* --- Order --- */

/* A heap of groups by lowest node. */
typedef struct heap {
    uint32_t count;
    uint32_t *at;
    const uint32_t *lowest;
} heap;

static void heap_push(heap *h, uint32_t group)
{
    uint32_t i = h->count++;
    for (; i > 0 && h->lowest[h->at[(i - 1) / 2]] > h->lowest[group]; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = group;
}

static uint32_t heap_pop(heap *h)
{
    uint32_t top = h->at[0], last = h->at[--h->count], i = 0;
    for (uint32_t child = 1; child < h->count; child = 2 * i + 1) {
        if (child + 1 < h->count && h->lowest[h->at[child + 1]] < h->lowest[h->at[child]])
            child++;
        if (h->lowest[h->at[child]] > h->lowest[last])
            break;
        h->at[i] = h->at[child];
        i = child;
    }
    h->at[i] = last;
    return top;
}

/* The groups' own flow; a group that does not wait for itself has no way to. */
static const met_flow *quotient_flow(met_arena *arena, const met_flow *flow, uint32_t group_count, const uint32_t *group_of)
{
    uint32_t *begin = MET_NEW_ARRAY(arena, uint32_t, (size_t)group_count + 1);
    for (uint32_t n = 0; n < flow->node_count; n++)
        begin[group_of[n] + 1] += flow->succ_begin[n + 1] - flow->succ_begin[n];
    sums(begin, group_count);
    uint32_t *succs = MET_NEW_ARRAY(arena, uint32_t, begin[group_count]), *filled = MET_NEW_ARRAY(arena, uint32_t, group_count);
    for (uint32_t n = 0; n < flow->node_count; n++)
        for (uint32_t s = flow->succ_begin[n]; s < flow->succ_begin[n + 1]; s++)
            succs[begin[group_of[n]] + filled[group_of[n]]++] = group_of[flow->succs[s]];
    met_flow *quotient = MET_NEW(arena, met_flow);
    *quotient = (met_flow){ .node_count = group_count, .succ_begin = begin, .succs = succs };
    return quotient;
}

bool met_flow_order(const met_flow *flow, uint32_t group_count, const uint32_t *group_of, uint32_t *ret_order)
{
    met_arena *scratch = met_arena_new();
    const met_flow *quotient = quotient_flow(scratch, flow, group_count, group_of);
    uint32_t *waits = MET_NEW_ARRAY(scratch, uint32_t, group_count), *lowest = MET_NEW_ARRAY(scratch, uint32_t, group_count);
    for (uint32_t n = flow->node_count; n-- > 0;)
        lowest[group_of[n]] = n;
    for (uint32_t g = 0; g < group_count; g++)
        for (uint32_t s = quotient->succ_begin[g]; s < quotient->succ_begin[g + 1]; s++)
            waits[quotient->succs[s]] += quotient->succs[s] != g;
    heap ready = { 0, MET_NEW_ARRAY(scratch, uint32_t, group_count), lowest };
    for (uint32_t g = 0; g < group_count; g++)
        if (waits[g] == 0)
            heap_push(&ready, g);
    uint32_t done = 0;
    while (ready.count > 0) {
        uint32_t g = ret_order[done++] = heap_pop(&ready);
        for (uint32_t s = quotient->succ_begin[g]; s < quotient->succ_begin[g + 1]; s++)
            if (quotient->succs[s] != g && --waits[quotient->succs[s]] == 0)
                heap_push(&ready, quotient->succs[s]);
    }
    met_arena_free(scratch);
    return done == group_count;
}
