/* The planner `fused`. Every node begins as a group of its own. Of all pairs of groups that an edge connects, the one whose
 * union saves most is merged, again and again, until none is left that derivation accepts, the realization accepts and
 * the estimate favours. What lies between the two is taken in, so that groups never wait for each other. Ties go to the
 * groups that come first, so the plan is a function of the circuit. */
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "plan/estimate.h"
#include "plan/planner.h"

enum { BETWEEN = 12 }; /* groups that one merge may take in */

typedef struct group {
    uint32_t count;           /* 0: it has become part of another */
    const met_node_id *nodes; /* ascending */
    met_estimate worth;
    uint32_t version;         /* counts merges */
} group;

/* A possible merge. */
typedef struct pair {
    uint32_t from, to; /* groups: `from` makes what `to` reads */
    double saved;      /* time; negative: not to be merged as things stand */
    uint32_t from_version, to_version;
} pair;

typedef struct fuser {
    const met_derivation *facts;
    const met_circuit *circuit;
    const met_plan_options *options;
    met_arena *arena;   /* of this planning */
    met_arena *scratch; /* of one merge that is tried */
    uint32_t *group_of; /* by node */
    group *groups;      /* by their first node */
    bool *ahead, *behind; /* by group, while a closure is found */
    MET_VEC(pair) pairs;
} fuser;

/* --- Groups between groups --- */

typedef struct group_list {
    MET_VEC(uint32_t) at;
} group_list;

typedef struct walk {
    fuser *x;
    bool *seen;
    group_list *list;
    uint32_t least, most; /* nodes beyond need not be looked at */
} walk;

static void visit(walk *w, uint32_t g)
{
    const group *own = &w->x->groups[g];
    if (w->seen[g] || own->nodes[0].id > w->most || own->nodes[own->count - 1].id < w->least)
        return;
    w->seen[g] = true;
    MET_PUSH(w->x->scratch, &w->list->at, g);
}

static void visit_producer(void *context, met_edge_id edge)
{
    walk *w = context;
    met_node_id producer = w->x->circuit->edges[edge.id].producer;
    if (producer.id != MET_NONE)
        visit(w, w->x->group_of[producer.id]);
}

static void visit_readers(walk *w, const met_node *node)
{
    const met_derivation *facts = w->x->facts;
    for (uint32_t k = 0; k < node->out_count; k++)
        for (uint32_t r = facts->reader_begin[node->outs[k].id]; r < facts->reader_begin[node->outs[k].id + 1]; r++)
            visit(w, w->x->group_of[facts->readers[r].id]);
}

/* All groups that can be reached from the two, forwards or backwards, among nodes least … most. */
static group_list reach(fuser *x, const pair *p, bool forwards, bool *seen, uint32_t least, uint32_t most)
{
    group_list list = { { 0 } };
    walk w = { x, seen, &list, least, most };
    visit(&w, p->from);
    visit(&w, p->to);
    for (size_t i = 0; i < list.at.count; i++) {
        const group *own = &x->groups[list.at.at[i]];
        for (uint32_t n = 0; n < own->count; n++) {
            const met_node *node = &x->circuit->nodes[own->nodes[n].id];
            if (forwards)
                visit_readers(&w, node);
            else
                met_node_reads(x->circuit, node, visit_producer, &w);
        }
    }
    return list;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The two groups and all that lie on ways between them, ascending. False if those are too many. */
static bool closure(fuser *x, const pair *p, group_list *ret_groups)
{
    const group *a = &x->groups[p->from], *b = &x->groups[p->to];
    uint32_t least = a->nodes[0].id < b->nodes[0].id ? a->nodes[0].id : b->nodes[0].id;
    uint32_t most = a->nodes[a->count - 1].id > b->nodes[b->count - 1].id ? a->nodes[a->count - 1].id : b->nodes[b->count - 1].id;
    group_list forwards = reach(x, p, true, x->ahead, 0, most), backwards = reach(x, p, false, x->behind, least, UINT32_MAX);
    group_list both = { { 0 } };
    for (size_t i = 0; i < forwards.at.count; i++)
        if (x->behind[forwards.at.at[i]])
            MET_PUSH(x->scratch, &both.at, forwards.at.at[i]);
    for (size_t i = 0; i < forwards.at.count; i++)
        x->ahead[forwards.at.at[i]] = false;
    for (size_t i = 0; i < backwards.at.count; i++)
        x->behind[backwards.at.at[i]] = false;
    qsort(both.at.at, both.at.count, sizeof *both.at.at, compare_numbers);
    *ret_groups = both;
    return both.at.count <= 2 + BETWEEN;
}

/* --- What a merge is worth --- */

static int compare_nodes(const void *a, const void *b)
{
    return compare_numbers(&((const met_node_id *)a)->id, &((const met_node_id *)b)->id);
}

static group union_of(fuser *x, const group_list *list, met_arena *arena)
{
    group whole = { .count = 0 };
    for (size_t i = 0; i < list->at.count; i++)
        whole.count += x->groups[list->at.at[i]].count;
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, whole.count);
    uint32_t count = 0;
    for (size_t i = 0; i < list->at.count; i++)
        for (uint32_t n = 0; n < x->groups[list->at.at[i]].count; n++)
            nodes[count++] = x->groups[list->at.at[i]].nodes[n];
    qsort(nodes, count, sizeof *nodes, compare_nodes);
    whole.nodes = nodes;
    return whole;
}

/* Reads by id, selections and what makes a new state stay by themselves. */
static bool may_join(const fuser *x, const group *g)
{
    const met_node *node = &x->circuit->nodes[g->nodes[0].id];
    return g->count > 1 || (x->facts->forms[g->nodes[0].id].form == MET_FORM_FOLD && node->op->id != MET_OP_kv_append);
}

static bool worth_it(fuser *x, const group_list *list, const group *whole, double *ret_saved)
{
    met_estimate parts = { .bytes = 0 };
    for (size_t i = 0; i < list->at.count; i++) {
        const group *part = &x->groups[list->at.at[i]];
        if (!may_join(x, part))
            return false;
        parts.bytes += part->worth.bytes;
        parts.time += part->worth.time;
    }
    *ret_saved = parts.time - whole->worth.time;
    return whole->worth.fits && whole->worth.bytes <= parts.bytes && *ret_saved >= 0;
}

/* Tries a merge: which groups, and the union with its estimate. Everything is in the scratch arena. */
static bool try_pair(fuser *x, const pair *p, group_list *ret_list, group *ret_whole, double *ret_saved)
{
    met_refusal refusal;
    if (!may_join(x, &x->groups[p->from]) || !may_join(x, &x->groups[p->to]) || !closure(x, p, ret_list))
        return false;
    *ret_whole = union_of(x, ret_list, x->scratch);
    const met_kernel *kernel = met_derivation_kernel(x->facts, x->scratch, ret_whole->count, ret_whole->nodes, NULL, &refusal);
    if (!kernel || (x->options->accepts && !x->options->accepts(x->options->context, kernel)))
        return false;
    ret_whole->worth = met_estimate_kernel(x->facts, x->scratch, kernel, x->options->capacity_bytes);
    return worth_it(x, ret_list, ret_whole, ret_saved);
}

static void rate(fuser *x, pair *p)
{
    group_list list;
    group whole;
    x->scratch = met_arena_new();
    if (!try_pair(x, p, &list, &whole, &p->saved))
        p->saved = -1;
    met_arena_free(x->scratch);
    p->from_version = x->groups[p->from].version;
    p->to_version = x->groups[p->to].version;
}

/* --- The course --- */

/* Merges the groups into the first of them; false if the merge no longer holds. */
static bool merge(fuser *x, const pair *p)
{
    group_list list;
    group whole;
    double saved;
    x->scratch = met_arena_new();
    bool good = try_pair(x, p, &list, &whole, &saved);
    if (good) {
        group *into = &x->groups[list.at.at[0]];
        whole.nodes = met_arena_copy(x->arena, whole.nodes, whole.count, sizeof *whole.nodes);
        whole.version = into->version + 1;
        for (size_t i = 0; i < list.at.count; i++)
            x->groups[list.at.at[i]].count = 0;
        for (uint32_t n = 0; n < whole.count; n++)
            x->group_of[whole.nodes[n].id] = list.at.at[0];
        *into = whole;
    }
    met_arena_free(x->scratch);
    return good;
}

/* Pairs follow their groups; those that have become one with an earlier pair, or lie within a group, go. */
static void renew_pairs(fuser *x)
{
    met_map *seen;
    size_t kept = 0;
    x->scratch = met_arena_new();
    seen = met_map_new(x->scratch);
    for (size_t i = 0; i < x->pairs.count; i++) {
        pair p = x->pairs.at[i];
        uint32_t known;
        p.from = x->group_of[p.from];
        p.to = x->group_of[p.to];
        if (p.from == p.to || met_map_get_pair(seen, p.from, p.to, &known))
            continue;
        met_map_set_pair(seen, p.from, p.to, 1);
        x->pairs.at[kept++] = p;
    }
    x->pairs.count = kept;
    met_arena_free(x->scratch);
    for (size_t i = 0; i < kept; i++) {
        pair *p = &x->pairs.at[i];
        if (p->from_version != x->groups[p->from].version || p->to_version != x->groups[p->to].version)
            rate(x, p);
    }
}

static pair *best_pair(fuser *x)
{
    pair *best = NULL;
    for (size_t i = 0; i < x->pairs.count; i++)
        if (x->pairs.at[i].saved >= 0 && (!best || x->pairs.at[i].saved > best->saved))
            best = &x->pairs.at[i];
    return best;
}

/* Merges while it pays. What one merge makes possible elsewhere is seen when all pairs are rated again. */
static void merge_all(fuser *x)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (pair *p; (p = best_pair(x));) {
            if (merge(x, p)) {
                changed = true;
                renew_pairs(x);
            } else {
                p->saved = -1;
            }
        }
        for (size_t i = 0; i < x->pairs.count && changed; i++)
            rate(x, &x->pairs.at[i]);
    }
}

typedef struct pairing {
    fuser *x;
    met_map *seen;
    uint32_t node;
} pairing;

static void pair_up(void *context, met_edge_id edge)
{
    pairing *w = context;
    met_node_id producer = w->x->circuit->edges[edge.id].producer;
    uint32_t known;
    if (producer.id == MET_NONE || met_map_get_pair(w->seen, producer.id, w->node, &known))
        return;
    met_map_set_pair(w->seen, producer.id, w->node, 1);
    pair p = { .from = producer.id, .to = w->node };
    rate(w->x, &p);
    MET_PUSH(w->x->arena, &w->x->pairs, p);
}

static bool begin(fuser *x)
{
    met_node_id *nodes = MET_NEW_ARRAY(x->arena, met_node_id, x->circuit->node_count);
    for (uint32_t n = 0; n < x->circuit->node_count; n++) {
        met_refusal refusal;
        nodes[n].id = n;
        x->group_of[n] = n;
        x->scratch = met_arena_new();
        const met_kernel *kernel = met_derivation_kernel(x->facts, x->scratch, 1, &nodes[n], NULL, &refusal);
        if (!kernel)
            met_plan_report(x->circuit, &refusal);
        else
            x->groups[n] = (group){ 1, &nodes[n], met_estimate_kernel(x->facts, x->scratch, kernel, x->options->capacity_bytes), 0 };
        met_arena_free(x->scratch);
        if (!kernel)
            return false;
    }
    return true;
}

/* --- The plan --- */

/* Groups in an order in which they can run: again and again the first one (by its first node) that waits for nothing. */
typedef struct order {
    fuser *x;
    uint32_t group;
    bool waits;
    const bool *done;
} order;

static void wait_for(void *context, met_edge_id edge)
{
    order *o = context;
    met_node_id producer = o->x->circuit->edges[edge.id].producer;
    uint32_t g = producer.id == MET_NONE ? o->group : o->x->group_of[producer.id];
    o->waits = o->waits || (g != o->group && !o->done[g]);
}

static bool ready(fuser *x, uint32_t g, const bool *done)
{
    order o = { x, g, false, done };
    for (uint32_t n = 0; n < x->groups[g].count && !o.waits; n++)
        met_node_reads(x->circuit, &x->circuit->nodes[x->groups[g].nodes[n].id], wait_for, &o);
    return !o.waits;
}

static const met_plan *plan_of(fuser *x, const met_point *point)
{
    met_arena *arena = x->circuit->arena;
    uint32_t node_count = x->circuit->node_count, count = 0, first = 0;
    const met_kernel **kernels = MET_NEW_ARRAY(arena, const met_kernel *, node_count);
    bool *done = MET_NEW_ARRAY(x->arena, bool, node_count);
    while (first < node_count) {
        uint32_t g = first;
        while (done[g] || x->groups[g].count == 0 || !ready(x, g, done))
            g++;
        met_refusal refusal;
        met_node_id *nodes = met_arena_copy(arena, x->groups[g].nodes, x->groups[g].count, sizeof *nodes);
        kernels[count++] = met_derivation_kernel(x->facts, arena, x->groups[g].count, nodes, NULL, &refusal);
        done[g] = true;
        while (first < node_count && (done[first] || x->groups[first].count == 0))
            first++;
    }
    return met_plan_of_groups(x->facts, point, MET_PLANNER_FUSED, count, kernels);
}

const met_plan *met_plan_fused(const met_derivation *facts, const met_point *point, const met_plan_options *options)
{
    uint32_t node_count = facts->circuit->node_count;
    met_arena *arena = met_arena_new();
    fuser x = { .facts = facts, .circuit = facts->circuit, .options = options, .arena = arena,
                .group_of = MET_NEW_ARRAY(arena, uint32_t, node_count), .groups = MET_NEW_ARRAY(arena, group, node_count),
                .ahead = MET_NEW_ARRAY(arena, bool, node_count), .behind = MET_NEW_ARRAY(arena, bool, node_count) };
    const met_plan *plan = NULL;
    if (begin(&x)) {
        pairing w = { .x = &x, .seen = met_map_new(arena) };
        for (w.node = 0; w.node < node_count; w.node++)
            met_node_reads(x.circuit, &x.circuit->nodes[w.node], pair_up, &w);
        merge_all(&x);
        plan = plan_of(&x, point);
    }
    met_arena_free(arena);
    return plan;
}
