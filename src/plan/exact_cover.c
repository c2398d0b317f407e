#include "plan/exact_cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "plan/exact_parts.h"

#define DEFAULT_STATE_LIMIT 4096
#define WORK ((uint64_t)1 << 23)  /* words of states: about what may be read and made in all */
#define STORED ((size_t)1 << 23)  /* words of states that may be kept */
#define STEP_WORK 16              /* of looking at a candidate */
#define SHARES 8                  /* how much more than an equal share of it one node may have */
#define MOST ((uint64_t)1 << 62)  /* no cover costs so many units */

/* A step from a state by a candidate. */
typedef struct step {
    uint32_t candidate, next;
} step;

typedef struct record {
    const uint32_t *words;
    uint64_t spent, ahead;           /* the least cost of a way to it; at least what a way on costs */
    uint32_t sibling;                /* next state at the same node, or MET_NONE */
    uint32_t step_begin, step_end;
    uint64_t cost;                   /* of the best way on; UINT64_MAX: there is none */
    uint32_t groups, best;           /* on that way; its first step */
} record;

typedef struct solver {
    const met_cover_problem *problem;
    met_arena *arena;        /* of the solving */
    uint32_t node_count;
    uint32_t *sorted;        /* candidates by first node, then by nodes */
    uint32_t *begin;         /* by node: where its candidates begin in `sorted` */
    double unit;
    uint64_t *costs;         /* by candidate, in units */
    met_map *known;          /* states by their words */
    MET_VEC(record) states;
    MET_VEC(step) steps;
    MET_VEC(uint32_t) visited; /* states in the order in which they were left: by node */
    uint32_t *heads, *tails;   /* by first node: the states there */
    uint32_t *counts;
    uint64_t *prices, *rest;   /* by node, in units: its price, and those of it and all later ones */
    uint64_t most;             /* what a cover may cost */
    uint64_t work;             /* that is left */
    size_t stored;
    bool limited;
} solver;

static int compare_nodes(const met_cover_candidate *a, const met_cover_candidate *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->nodes[i].id != b->nodes[i].id)
            return a->nodes[i].id < b->nodes[i].id ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

typedef struct sorted_candidate {
    const met_cover_candidate *candidate;
    uint32_t number;
} sorted_candidate;

static int compare_candidates(const void *a, const void *b)
{
    const sorted_candidate *x = a, *y = b;
    int order = compare_nodes(x->candidate, y->candidate);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void sort_candidates(solver *s)
{
    const met_cover_problem *problem = s->problem;
    sorted_candidate *all = MET_NEW_ARRAY(s->arena, sorted_candidate, problem->candidate_count);
    for (uint32_t c = 0; c < problem->candidate_count; c++)
        all[c] = (sorted_candidate){ &problem->candidates[c], c };
    qsort(all, problem->candidate_count, sizeof *all, compare_candidates);
    s->sorted = MET_NEW_ARRAY(s->arena, uint32_t, problem->candidate_count);
    s->begin = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)s->node_count + 1);
    for (uint32_t c = 0; c < problem->candidate_count; c++) {
        s->sorted[c] = all[c].number;
        s->begin[all[c].candidate->nodes[0].id + 1]++;
    }
    for (uint32_t n = 0; n < s->node_count; n++)
        s->begin[n + 1] += s->begin[n];
}

/* The unit is the power of two in which no cover reaches 2^MET_COVER_BITS: groups of a cover begin at different nodes. */
static void count_costs(solver *s)
{
    const met_cover_problem *problem = s->problem;
    double most = 0;
    for (uint32_t n = 0; n < s->node_count; n++) {
        double dearest = 0;
        for (uint32_t i = s->begin[n]; i < s->begin[n + 1]; i++)
            dearest = fmax(dearest, problem->candidates[s->sorted[i]].cost);
        most += dearest;
    }
    int exponent = 0;
    frexp(most, &exponent);
    s->unit = ldexp(1, exponent - MET_COVER_BITS);
    s->costs = MET_NEW_ARRAY(s->arena, uint64_t, problem->candidate_count);
    for (uint32_t c = 0; c < problem->candidate_count; c++)
        s->costs[c] = (uint64_t)llrint(ldexp(problem->candidates[c].cost, MET_COVER_BITS - exponent));
}

/* Prices as whole units, and what a cover may cost: no more than the one that is known. Rounding makes a price or a cost
 * half a unit less than it is at most, so that two a node are enough. */
static void count_prices(solver *s)
{
    double *prices = MET_NEW_ARRAY(s->arena, double, s->node_count), known = s->problem->known_cost / s->unit;
    met_cover_prices(s->problem, prices);
    s->prices = MET_NEW_ARRAY(s->arena, uint64_t, (size_t)s->node_count + 1);
    s->rest = MET_NEW_ARRAY(s->arena, uint64_t, (size_t)s->node_count + 1);
    for (uint32_t n = s->node_count; n-- > 0;) {
        s->prices[n] = (uint64_t)floor(prices[n] / s->unit);
        s->rest[n] = s->rest[n + 1] + s->prices[n];
    }
    s->most = s->problem->known_cost > 0 && known < (double)MOST ? (uint64_t)ceil(known) + 2 * (uint64_t)s->node_count : MOST;
}

/* At least what covers the nodes that the state leaves. */
static uint64_t least_ahead(const solver *s, const met_cover_state *state)
{
    uint64_t units = s->rest[state->first];
    for (uint32_t i = 0; i < state->ahead_count; i++)
        units -= s->prices[state->ahead[i].node];
    return units;
}

/* The number of a state, known or new. MET_NONE: it leads to nothing that costs less than what is known, or there is no room. */
static uint32_t state_number(solver *s, met_arena *scratch, const met_cover_state *state, uint64_t spent)
{
    uint32_t count = met_cover_words(state), number;
    uint64_t ahead = least_ahead(s, state);
    if (spent + ahead > s->most)
        return MET_NONE;
    uint32_t *words = MET_NEW_ARRAY(scratch, uint32_t, count);
    met_cover_pack(state, words);
    met_str key = { (const char *)words, count * sizeof *words };
    s->work -= s->work < count ? s->work : count;
    if (met_map_get(s->known, key, &number)) {
        if (spent < s->states.at[number].spent)
            s->states.at[number].spent = spent;
        return number;
    }
    if (s->stored + count > STORED) {
        s->limited = true;
        return MET_NONE;
    }
    s->stored += count;
    words = met_arena_copy(s->arena, words, count, sizeof *words);
    number = (uint32_t)s->states.count;
    met_map_set(s->known, key, number);
    MET_PUSH(s->arena, &s->states, ((record){ .words = words, .spent = spent, .ahead = ahead, .sibling = MET_NONE }));
    uint32_t first = state->first;
    if (s->counts[first]++ == 0)
        s->heads[first] = number;
    else
        s->states.at[s->tails[first]].sibling = number;
    s->tails[first] = number;
    return number;
}

static void leave_state(solver *s, uint32_t number)
{
    const met_cover_problem *problem = s->problem;
    met_arena *scratch = met_arena_new();
    met_cover_state state, next;
    met_cover_unpack(scratch, s->states.at[number].words, &state);
    uint32_t begin = (uint32_t)s->steps.count;
    for (uint32_t i = s->begin[state.first]; i < s->begin[state.first + 1]; i++) {
        uint32_t c = s->sorted[i];
        met_cover_step outcome = met_cover_next(scratch, problem, &state, &problem->candidates[c], &next);
        s->limited = s->limited || outcome == MET_COVER_TOO_MANY;
        s->work -= s->work < STEP_WORK ? s->work : STEP_WORK;
        if (outcome == MET_COVER_STEP) {
            uint32_t to = state_number(s, scratch, &next, s->states.at[number].spent + s->costs[c]);
            if (to != MET_NONE)
                MET_PUSH(s->arena, &s->steps, ((step){ c, to }));
        }
    }
    s->states.at[number].step_begin = begin;
    s->states.at[number].step_end = (uint32_t)s->steps.count;
    MET_PUSH(s->arena, &s->visited, number);
    met_arena_free(scratch);
}

typedef struct ranked {
    uint64_t cost; /* at least that of covers through it */
    uint32_t number;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t open_groups(const solver *s, uint32_t number)
{
    return s->states.at[number].words[4];
}

/* Puts the state with the fewest open groups, the cheapest one of these, second: groups that are open may turn out to wait for
 * each other, so that none of those that promise most may lead anywhere. */
static void keep_safest(const solver *s, ranked *all, uint32_t count)
{
    uint32_t safest = 0;
    for (uint32_t i = 1; i < count; i++)
        if (open_groups(s, all[i].number) < open_groups(s, all[safest].number))
            safest = i;
    if (safest < 2)
        return;
    ranked kept = all[safest];
    memmove(&all[2], &all[1], (safest - 1) * sizeof *all);
    all[1] = kept;
}

/* Leaves the states at a node, the most promising ones first: all, or as many as the limit and its share of the work allow,
 * but one and a safe one. */
static void leave_node(solver *s, uint32_t node)
{
    uint32_t limit = s->problem->state_limit ? s->problem->state_limit : DEFAULT_STATE_LIMIT, count = s->counts[node];
    uint64_t share = s->work / (s->node_count - node) * SHARES, reserve = s->work > share ? s->work - share : 0;
    ranked *all = MET_NEW_ARRAY(s->arena, ranked, count);
    uint32_t number = count ? s->heads[node] : MET_NONE;
    for (uint32_t i = 0; i < count; i++, number = s->states.at[number].sibling)
        all[i] = (ranked){ s->states.at[number].spent + s->states.at[number].ahead, number };
    qsort(all, count, sizeof *all, compare_ranked);
    keep_safest(s, all, count);
    for (uint32_t i = 0; i < count; i++)
        if (i < limit && (i < 2 || s->work > reserve))
            leave_state(s, all[i].number);
        else
            s->limited = true;
}

/* The best way on from every state, the last ones first. Steps stand in the order of candidates' nodes, so that the first of
 * the best ones leads to the lexicographically least cover. */
static void look_back(solver *s)
{
    for (size_t i = 0; i < s->states.count; i++) {
        bool end = s->states.at[i].words[0] == s->node_count;
        s->states.at[i].cost = end ? 0 : UINT64_MAX;
    }
    for (size_t v = s->visited.count; v-- > 0;) {
        record *from = &s->states.at[s->visited.at[v]];
        for (uint32_t i = from->step_begin; i < from->step_end; i++) {
            const record *to = &s->states.at[s->steps.at[i].next];
            if (to->cost == UINT64_MAX)
                continue;
            uint64_t cost = to->cost + s->costs[s->steps.at[i].candidate];
            if (cost > from->cost || (cost == from->cost && to->groups + 1 >= from->groups))
                continue;
            from->cost = cost;
            from->groups = to->groups + 1;
            from->best = i;
        }
    }
}

static bool read_off(const solver *s, met_arena *arena, met_cover_result *result)
{
    uint32_t number = 0;
    const record *at = s->states.at;
    if (!at || at->cost == UINT64_MAX)
        return false;
    uint32_t *chosen = MET_NEW_ARRAY(arena, uint32_t, at->groups);
    for (; at->words[0] != s->node_count; at = &s->states.at[number]) {
        chosen[result->count++] = s->steps.at[at->best].candidate;
        number = s->steps.at[at->best].next;
    }
    result->chosen = chosen;
    for (uint32_t i = 0; i < result->count; i++)
        result->cost += s->problem->candidates[chosen[i]].cost;
    return true;
}

bool met_cover_solve(met_arena *arena, const met_cover_problem *problem, met_cover_result *ret_result)
{
    met_arena *scratch = met_arena_new();
    uint32_t nodes = problem->flow->node_count;
    solver s = { .problem = problem, .arena = scratch, .node_count = nodes, .known = met_map_new(scratch),
                 .heads = MET_NEW_ARRAY(scratch, uint32_t, (size_t)nodes + 1), .tails = MET_NEW_ARRAY(scratch, uint32_t, (size_t)nodes + 1),
                 .counts = MET_NEW_ARRAY(scratch, uint32_t, (size_t)nodes + 1), .work = WORK };
    sort_candidates(&s);
    count_costs(&s);
    count_prices(&s);
    met_cover_state start = { 0 };
    state_number(&s, scratch, &start, 0);
    for (uint32_t n = 0; n < nodes; n++)
        leave_node(&s, n);
    look_back(&s);
    *ret_result = (met_cover_result){ .proven = !s.limited };
    bool found = read_off(&s, arena, ret_result);
    /* another cover of fewer units may look dearer by half a unit a group, and so may this one */
    ret_result->bound = s.limited ? met_cover_bound(problem) :
                        found     ? fmax(0, ret_result->cost - (double)nodes * s.unit) :
                                    problem->known_cost;
    met_arena_free(scratch);
    return found;
}
