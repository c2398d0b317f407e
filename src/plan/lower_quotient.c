/* An order of the quotient is kept as groups are made. What could close a cycle with a new group stands between its first
 * and its last node in that order, so no more is looked at, and no more is moved. (After D. J. Pearce and P. H. J. Kelly, A
 * dynamic topological sort algorithm for directed acyclic graphs, 2006, who move what lies between for single edges.) */
#include "base/vec.h"
#include "plan/lower_flow.h"

typedef struct item {
    uint32_t count;
    const met_node_id *nodes;
    uint32_t place; /* in the order */
} item;

struct met_quotient {
    met_arena *arena;
    const met_flow *flow;
    uint32_t *item_of; /* by node */
    item *items;       /* by their lowest node */
    uint32_t *order;   /* by place: an item, or MET_NONE where one has become part of another */
    bool *behind;      /* by item, while a merge is looked at: the new group waits for it */
    bool *member;      /* by node, likewise */
};

met_quotient *met_quotient_new(met_arena *arena, const met_flow *flow)
{
    met_quotient *q = MET_NEW(arena, met_quotient);
    uint32_t count = flow->node_count;
    *q = (met_quotient){ arena, flow, MET_NEW_ARRAY(arena, uint32_t, count), MET_NEW_ARRAY(arena, item, count),
                         MET_NEW_ARRAY(arena, uint32_t, count), MET_NEW_ARRAY(arena, bool, count), MET_NEW_ARRAY(arena, bool, count) };
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, count);
    for (uint32_t n = 0; n < count; n++) {
        nodes[n].id = q->item_of[n] = q->order[n] = n;
        q->items[n] = (item){ 1, &nodes[n], n };
    }
    return q;
}

typedef struct window {
    met_quotient *q;
    met_arena *scratch;
    uint32_t first, last;       /* places between which the new group stands */
    MET_VEC(uint32_t) behind;   /* items outside of the group that it waits for, from those places */
    bool cycle;                 /* one of them waits for the group */
} window;

static void look_behind(window *w, uint32_t node)
{
    met_quotient *q = w->q;
    for (uint32_t p = q->flow->pred_begin[node]; p < q->flow->pred_begin[node + 1]; p++) {
        uint32_t i = q->item_of[q->flow->preds[p]];
        if (q->member[q->flow->preds[p]] || q->behind[i] || q->items[i].place < w->first)
            continue;
        q->behind[i] = true;
        MET_PUSH(w->scratch, &w->behind, i);
    }
}

static bool waits_for_members(const met_quotient *q, uint32_t node)
{
    for (uint32_t p = q->flow->pred_begin[node]; p < q->flow->pred_begin[node + 1]; p++)
        if (q->member[q->flow->preds[p]])
            return true;
    return false;
}

static void find_behind(window *w, uint32_t count, const met_node_id *nodes)
{
    for (uint32_t i = 0; i < count; i++)
        look_behind(w, nodes[i].id);
    for (size_t i = 0; i < w->behind.count && !w->cycle; i++) {
        const item *it = &w->q->items[w->behind.at[i]];
        for (uint32_t n = 0; n < it->count; n++) {
            w->cycle = w->cycle || waits_for_members(w->q, it->nodes[n].id);
            look_behind(w, it->nodes[n].id);
        }
    }
}

static void put(met_quotient *q, uint32_t place, uint32_t i)
{
    q->order[place] = i;
    q->items[i].place = place;
}

/* What the group waits for, then the group, then the rest; each of the two in the order that it had. */
static void reorder(window *w, uint32_t group)
{
    met_quotient *q = w->q;
    MET_VEC(uint32_t) rest = { 0 };
    uint32_t place = w->first;
    for (uint32_t p = w->first; p <= w->last; p++) {
        uint32_t i = q->order[p];
        q->order[p] = MET_NONE;
        if (i == MET_NONE || q->member[i])
            continue;
        if (q->behind[i])
            put(q, place++, i);
        else
            MET_PUSH(w->scratch, &rest, i);
    }
    put(q, place++, group);
    for (size_t i = 0; i < rest.count; i++)
        put(q, place++, rest.at[i]);
}

bool met_quotient_merge(met_quotient *q, uint32_t count, const met_node_id *nodes)
{
    if (count == 1)
        return true;
    window w = { .q = q, .scratch = met_arena_new(), .first = UINT32_MAX };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = q->items[nodes[i].id].place;
        w.first = place < w.first ? place : w.first;
        w.last = place > w.last ? place : w.last;
        q->member[nodes[i].id] = true;
    }
    find_behind(&w, count, nodes);
    if (!w.cycle) {
        reorder(&w, nodes[0].id);
        q->items[nodes[0].id].count = count;
        q->items[nodes[0].id].nodes = met_arena_copy(q->arena, nodes, count, sizeof *nodes);
    }
    for (uint32_t i = 0; i < count; i++) {
        q->member[nodes[i].id] = false;
        q->item_of[nodes[i].id] = w.cycle ? nodes[i].id : nodes[0].id;
    }
    for (size_t i = 0; i < w.behind.count; i++)
        q->behind[w.behind.at[i]] = false;
    met_arena_free(w.scratch);
    return !w.cycle;
}
