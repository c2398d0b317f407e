/* The planner `fused`, and `whole`, which merges whatever it costs. Every node begins as a group of its own. Of all pairs of groups that an edge connects or that
 * read one array, the one whose union saves most is merged, again and again, until none is left that derivation accepts and
 * the estimate favours. What lies between the two is taken in, so that groups never wait for each other. Ties go to the pairs that come first, so the
 * plan is a function of the circuit.
 *
 * A realization may make the whole of something and not its halves. So it is asked about each merge that was done, not
 * about those that are tried; groups that it does not make are taken apart again, up to those that it makes; and from
 * there merging goes on with what it accepts alone. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "plan/estimate.h"
#include "plan/grouping.h"
#include "plan/planner.h"

enum {
    BETWEEN = 12, /* groups that one merge may take in */
    LARGEST = 256 /* nodes of a group */
};

/* A possible merge. */
typedef struct pair {
    uint32_t from, to; /* groups: `from` makes what `to` reads, or they are siblings that read one array */
    bool siblings;
    double saved;      /* time, if there is nothing against it */
    const char *why;   /* not; or NULL */
    uint32_t from_version, to_version;
} pair;

typedef struct fuser {
    met_grouping grouping;
    const met_circuit *circuit;
    const met_plan_options *options;
    met_planner planner;
    met_arena *arena;    /* of this planning */
    met_arena *scratch;  /* of one merge that is tried */
    uint32_t *version;   /* by group: merges that it has seen */
    bool strict;         /* only what the realization accepts */
    MET_VEC(pair) pairs; /* in order of the readers they began with */
} fuser;

/* --- What a merge is worth --- */

/* Reads by id, selections and what makes a new state stay by themselves. */
static bool may_join(const fuser *x, uint32_t g)
{
    const met_group *group = &x->grouping.groups[g];
    bool fold = x->grouping.facts->forms[group->nodes[0].id].form == MET_FORM_FOLD;
    return group->count > 1 || (fold && x->circuit->nodes[group->nodes[0].id].op->id != MET_OP_kv_append);
}

static bool all_may_join(const fuser *x, const met_group_list *list)
{
    for (size_t i = 0; i < list->at.count; i++)
        if (!may_join(x, list->at.at[i]))
            return false;
    return true;
}

/* Why a merge does not pay; NULL if it does. */
static const char *loss(fuser *x, const met_group_list *list, const met_estimate *whole, double *ret_saved)
{
    met_text text = met_text_new(x->scratch);
    met_estimate parts = { .bytes = 0 };
    for (size_t i = 0; i < list->at.count; i++) {
        parts.bytes += x->grouping.groups[list->at.at[i]].worth.bytes;
        parts.work += x->grouping.groups[list->at.at[i]].worth.work;
        parts.time += x->grouping.groups[list->at.at[i]].worth.time;
    }
    *ret_saved = parts.time - whole->time;
    if (x->planner == MET_PLANNER_WHOLE)
        return NULL;
    if (!whole->fits)
        met_text_format(&text, "its smallest tiles do not fit %llu bytes", (unsigned long long)x->options->capacity_bytes);
    else if (whole->bytes > parts.bytes)
        met_text_format(&text, "it would move %.0f bytes, apart they move %.0f", whole->bytes, parts.bytes);
    else if (*ret_saved < 0)
        met_text_put(&text, whole->work > parts.work ? "it would compute too much again"
                                                     : "it would leave too few independent units");
    return text.length ? met_text_done(&text) : NULL;
}

static bool accepts(const fuser *x, const met_kernel *kernel)
{
    return !x->options->accepts || x->options->accepts(x->options->context, kernel);
}

/* Tries a merge: which groups, their union's kernel, and what that is worth. NULL, or why it is not to be. Everything is in
 * the scratch arena. */
static const char *try_pair(fuser *x, const pair *p, met_group_list *ret_list, const met_kernel **ret_kernel,
                            met_estimate *ret_worth, double *ret_saved)
{
    met_refusal refusal;
    *ret_list = met_grouping_closure(&x->grouping, x->scratch, p->from, p->to);
    if (ret_list->at.count > 2 + BETWEEN)
        return "too much lies between them";
    if (!all_may_join(x, ret_list))
        return "reads by id, selections and new states stay by themselves";
    met_group whole = met_grouping_union(&x->grouping, x->scratch, ret_list);
    if (whole.count > LARGEST)
        return "they have too many nodes";
    *ret_kernel = met_derivation_kernel(x->grouping.facts, x->scratch, whole.count, whole.nodes, NULL, &refusal);
    if (!*ret_kernel)
        return refusal.reason;
    if (x->strict && !accepts(x, *ret_kernel))
        return "the class does not make such a kernel";
    *ret_worth = met_estimate_kernel(x->grouping.facts, x->scratch, *ret_kernel, x->options->capacity_bytes);
    return loss(x, ret_list, ret_worth, ret_saved);
}

static void rate(fuser *x, pair *p)
{
    met_group_list list;
    const met_kernel *kernel;
    met_estimate worth;
    x->scratch = met_arena_new();
    p->why = try_pair(x, p, &list, &kernel, &worth, &p->saved);
    if (p->why)
        p->why = met_arena_text(x->arena, p->why, strlen(p->why));
    met_arena_free(x->scratch);
    p->from_version = x->version[p->from];
    p->to_version = x->version[p->to];
}

/* --- Pairs --- */

typedef struct pairing {
    fuser *x;
    met_map *seen;
    uint32_t reader;
} pairing;

static void add_pair(const pairing *w, uint32_t from, uint32_t to, bool siblings)
{
    uint32_t known;
    if (from == to || met_map_get_pair(w->seen, from, to, &known))
        return;
    met_map_set_pair(w->seen, from, to, 1);
    pair p = { .from = from, .to = to, .siblings = siblings };
    rate(w->x, &p);
    MET_PUSH(w->x->arena, &w->x->pairs, p);
}

static void pair_with_producer(void *context, met_edge_id edge)
{
    const pairing *w = context;
    met_node_id producer = w->x->circuit->edges[edge.id].producer;
    if (producer.id != MET_NONE)
        add_pair(w, w->x->grouping.group_of[producer.id], w->x->grouping.group_of[w->reader], false);
}

/* Each reader of an array with the one before it; weights are not worth it. */
static void pair_siblings(const pairing *w)
{
    const met_derivation *facts = w->x->grouping.facts;
    for (uint32_t e = 0; e < w->x->circuit->edge_count; e++) {
        bool weight = w->x->circuit->edges[e].role == MET_EDGE_PARAMETER;
        for (uint32_t r = facts->reader_begin[e] + 1; r < facts->reader_begin[e + 1] && !weight; r++)
            add_pair(w, w->x->grouping.group_of[facts->readers[r - 1].id], w->x->grouping.group_of[facts->readers[r].id], true);
    }
}

/* All pairs of groups as they stand. */
static void make_pairs(fuser *x)
{
    x->pairs.count = 0;
    pairing w = { .x = x, .seen = met_map_new(x->arena) };
    for (w.reader = 0; w.reader < x->circuit->node_count; w.reader++)
        met_node_reads(x->circuit, &x->circuit->nodes[w.reader], pair_with_producer, &w);
    pair_siblings(&w);
}

/* Pairs follow their groups; those that have become one with an earlier pair, or lie within a group, go. */
static void renew_pairs(fuser *x)
{
    met_arena *scratch = met_arena_new();
    met_map *seen = met_map_new(scratch);
    size_t kept = 0;
    for (size_t i = 0; i < x->pairs.count; i++) {
        pair p = x->pairs.at[i];
        uint32_t known;
        p.from = x->grouping.group_of[p.from];
        p.to = x->grouping.group_of[p.to];
        if (p.from == p.to || met_map_get_pair(seen, p.from, p.to, &known))
            continue;
        met_map_set_pair(seen, p.from, p.to, 1);
        x->pairs.at[kept++] = p;
    }
    x->pairs.count = kept;
    met_arena_free(scratch);
    for (size_t i = 0; i < kept; i++) {
        pair *p = &x->pairs.at[i];
        if (p->from_version != x->version[p->from] || p->to_version != x->version[p->to])
            rate(x, p);
    }
}

static pair *best_pair(fuser *x)
{
    pair *best = NULL;
    for (size_t i = 0; i < x->pairs.count; i++)
        if (!x->pairs.at[i].why && (!best || x->pairs.at[i].saved > best->saved))
            best = &x->pairs.at[i];
    return best;
}

/* --- The course --- */

/* Merges a pair, if what lies between its groups has not changed so that it no longer holds. */
static bool merge(fuser *x, const pair *p)
{
    met_group_list list;
    const met_kernel *kernel;
    met_estimate worth;
    double saved;
    x->scratch = met_arena_new();
    bool good = !try_pair(x, p, &list, &kernel, &worth, &saved);
    if (good) {
        met_group *whole = met_grouping_merge(&x->grouping, &list);
        whole->worth = worth;
        whole->accepted = accepts(x, kernel);
        for (size_t i = 0; i < list.at.count; i++)
            x->version[list.at.at[i]]++;
    }
    met_arena_free(x->scratch);
    return good;
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
                rate(x, p);
            }
        }
        for (size_t i = 0; i < x->pairs.count && changed; i++)
            rate(x, &x->pairs.at[i]);
    }
}

/* Groups that the realization does not make come apart; then what it makes is merged as far as it pays. */
static void accept_all(fuser *x)
{
    met_grouping_split(&x->grouping);
    x->strict = true;
    make_pairs(x);
    merge_all(x);
}

/* Every node by itself: what it is worth. */
static bool rate_nodes(fuser *x)
{
    for (uint32_t n = 0; n < x->circuit->node_count; n++) {
        met_refusal refusal;
        x->scratch = met_arena_new();
        const met_kernel *kernel =
            met_derivation_kernel(x->grouping.facts, x->scratch, 1, x->grouping.groups[n].nodes, NULL, &refusal);
        if (kernel)
            x->grouping.groups[n].worth = met_estimate_kernel(x->grouping.facts, x->scratch, kernel, x->options->capacity_bytes);
        else
            met_plan_report(x->circuit, &refusal);
        met_arena_free(x->scratch);
        if (!kernel)
            return false;
    }
    return true;
}

/* --- The plan --- */

static int compare_notes(const void *a, const void *b)
{
    const met_plan_note *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to) : (x->from > y->from) - (x->from < y->from);
}

/* Why the groups that are left stay apart, by their places in the plan. */
static void add_notes(const fuser *x, const uint32_t *place, met_plan *plan)
{
    met_arena *arena = x->circuit->arena;
    met_plan_note *notes = MET_NEW_ARRAY(arena, met_plan_note, x->pairs.count);
    for (size_t i = 0; i < x->pairs.count; i++) {
        const pair *p = &x->pairs.at[i];
        if (!p->siblings)
            notes[plan->note_count++] =
                (met_plan_note){ place[p->from], place[p->to], met_arena_text(arena, p->why, strlen(p->why)) };
    }
    qsort(notes, plan->note_count, sizeof *notes, compare_notes);
    plan->notes = notes;
}

static const met_plan *plan_of(fuser *x, const met_point *point)
{
    met_arena *arena = x->circuit->arena;
    met_group_list order = met_grouping_order(&x->grouping);
    const met_kernel **kernels = MET_NEW_ARRAY(arena, const met_kernel *, order.at.count);
    uint32_t *place = MET_NEW_ARRAY(x->arena, uint32_t, x->circuit->node_count);
    for (uint32_t i = 0; i < order.at.count; i++) {
        met_refusal refusal;
        const met_group *group = &x->grouping.groups[order.at.at[i]];
        kernels[i] = met_derivation_kernel(x->grouping.facts, arena, group->count, group->nodes, NULL, &refusal);
        place[order.at.at[i]] = i;
    }
    met_plan *plan = met_plan_of_groups(x->grouping.facts, point, x->planner, (uint32_t)order.at.count, kernels);
    add_notes(x, place, plan);
    return plan;
}

const met_plan *met_plan_fused(const met_derivation *facts, const met_point *point, met_planner planner,
                               const met_plan_options *options)
{
    uint32_t node_count = facts->circuit->node_count;
    met_arena *arena = met_arena_new();
    fuser x = { .grouping = met_grouping_new(facts, arena), .circuit = facts->circuit, .options = options, .planner = planner, .arena = arena,
                .version = MET_NEW_ARRAY(arena, uint32_t, node_count) };
    const met_plan *plan = NULL;
    if (rate_nodes(&x)) {
        make_pairs(&x);
        merge_all(&x);
        if (options->accepts)
            accept_all(&x);
        plan = plan_of(&x, point);
    }
    met_arena_free(arena);
    return plan;
}
