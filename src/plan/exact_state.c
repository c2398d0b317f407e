#include "plan/exact_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct stepper {
    met_arena *arena;
    const met_flow *flow;
    const met_cover_state *old;
    const met_cover_candidate *candidate;
    uint32_t group;      /* number of the candidate among the open groups: the last */
    uint64_t leads_to;   /* open groups that read what the candidate makes */
    uint64_t from[MET_COVER_OPEN + 1]; /* of old open groups and of the candidate, in old numbers */
    met_cover_ahead *ahead; /* old ones and the candidate's, ascending */
    uint32_t ahead_count;
    uint32_t first;      /* of the new state */
} stepper;

static bool is_member(const met_cover_candidate *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->nodes[i].id == node)
            return true;
    return false;
}

/* The open group of a node ahead; MET_NONE if it is not covered. */
static uint32_t group_ahead(const met_cover_ahead *ahead, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count && ahead[i].node <= node; i++)
        if (ahead[i].node == node)
            return ahead[i].group;
    return MET_NONE;
}

static bool is_free(const stepper *s)
{
    for (uint32_t i = 0; i < s->candidate->count; i++)
        if (group_ahead(s->old->ahead, s->old->ahead_count, s->candidate->nodes[i].id) != MET_NONE)
            return false;
    return true;
}

/* Open groups that lead to a covered node. */
static uint64_t leading_to(const stepper *s, uint32_t node)
{
    uint32_t g = group_ahead(s->old->ahead, s->old->ahead_count, node);
    if (g != MET_NONE)
        return s->old->from[g];
    for (uint32_t i = 0; i < s->old->live_count && s->old->live[i].node <= node; i++)
        if (s->old->live[i].node == node)
            return s->old->live[i].from;
    return 0;
}

/* What leads to the candidate, and where it leads. False if that closes a cycle. */
static bool connect(stepper *s)
{
    const met_flow *flow = s->flow;
    uint64_t from = 0;
    for (uint32_t i = 0; i < s->candidate->count; i++) {
        uint32_t node = s->candidate->nodes[i].id;
        for (uint32_t p = flow->pred_begin[node]; p < flow->pred_begin[node + 1]; p++)
            if (!is_member(s->candidate, flow->preds[p]))
                from |= leading_to(s, flow->preds[p]);
        for (uint32_t n = flow->succ_begin[node]; n < flow->succ_begin[node + 1]; n++) {
            uint32_t g = group_ahead(s->old->ahead, s->old->ahead_count, flow->succs[n]);
            if (g != MET_NONE)
                s->leads_to |= (uint64_t)1 << g;
        }
    }
    if (from & s->leads_to)
        return false;
    memcpy(s->from, s->old->from, s->old->open_count * sizeof *s->from);
    s->from[s->group] = from | (uint64_t)1 << s->group;
    for (uint32_t g = 0; g < s->group; g++)
        if (s->from[g] & s->leads_to)
            s->from[g] |= s->from[s->group];
    return true;
}

static int compare_ahead(const void *a, const void *b)
{
    const met_cover_ahead *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static void go_ahead(stepper *s)
{
    uint32_t count = s->old->ahead_count;
    s->ahead = MET_NEW_ARRAY(s->arena, met_cover_ahead, (size_t)count + s->candidate->count);
    if (count > 0)
        memcpy(s->ahead, s->old->ahead, count * sizeof *s->ahead);
    for (uint32_t i = 1; i < s->candidate->count; i++)
        s->ahead[count++] = (met_cover_ahead){ s->candidate->nodes[i].id, s->group };
    qsort(s->ahead, count, sizeof *s->ahead, compare_ahead);
    s->ahead_count = count;
    s->first = s->old->first + 1;
    for (uint32_t i = 0; i < count && s->ahead[i].node == s->first; i++)
        s->first++;
}

static bool is_covered(const stepper *s, uint32_t node)
{
    return node < s->first || group_ahead(s->ahead, s->ahead_count, node) != MET_NONE;
}

static bool has_uncovered_reader(const stepper *s, uint32_t node)
{
    for (uint32_t n = s->flow->succ_begin[node]; n < s->flow->succ_begin[node + 1]; n++)
        if (!is_covered(s, s->flow->succs[n]))
            return true;
    return false;
}

/* Numbers of the groups that stay open, by old number; others MET_NONE. */
static uint32_t renumber(const stepper *s, uint32_t *numbers)
{
    uint32_t open = 0;
    for (uint32_t g = 0; g <= s->group; g++)
        numbers[g] = MET_NONE;
    for (uint32_t i = 0; i < s->ahead_count; i++)
        if (s->ahead[i].node > s->first && numbers[s->ahead[i].group] == MET_NONE)
            numbers[s->ahead[i].group] = open++;
    return open;
}

static uint64_t renumbered(uint64_t mask, const uint32_t *numbers)
{
    uint64_t result = 0;
    for (uint32_t g = 0; mask != 0; g++, mask >>= 1)
        if ((mask & 1) && numbers[g] != MET_NONE)
            result |= (uint64_t)1 << numbers[g];
    return result;
}

static void add_live(const stepper *s, met_cover_state *state, uint32_t node, uint64_t from, const uint32_t *numbers)
{
    uint64_t mask = renumbered(from, numbers);
    if (mask != 0 && has_uncovered_reader(s, node))
        state->live[state->live_count++] = (met_cover_live){ node, mask };
}

/* Nodes up to the new first one that are still read, in ascending order: those that were before, the old first one, and those
 * that have been ahead. */
static void find_live(const stepper *s, met_cover_state *state, const uint32_t *numbers)
{
    state->live = MET_NEW_ARRAY(s->arena, met_cover_live, (size_t)s->old->live_count + s->ahead_count + 1);
    for (uint32_t i = 0; i < s->old->live_count; i++) {
        uint64_t from = s->old->live[i].from;
        add_live(s, state, s->old->live[i].node, from & s->leads_to ? from | s->from[s->group] : from, numbers);
    }
    add_live(s, state, s->old->first, s->from[s->group], numbers);
    for (uint32_t i = 0; i < s->ahead_count && s->ahead[i].node < s->first; i++)
        add_live(s, state, s->ahead[i].node, s->from[s->ahead[i].group], numbers);
}

/* --- Formats --- */

static bool agree(const met_cover_fact *made, const met_cover_fact *demand)
{
    return demand->format == MET_COVER_ANY_PLAIN ? made->plain : made->format == demand->format;
}

static bool terms_agree(const stepper *s)
{
    const met_cover_candidate *c = s->candidate;
    for (uint32_t t = 0; t < s->old->term_count; t++) {
        const met_cover_term *term = &s->old->terms[t];
        for (uint32_t i = 0; i < c->demand_count && !term->demand; i++)
            if (c->demands[i].edge == term->fact.edge && !agree(&term->fact, &c->demands[i]))
                return false;
        for (uint32_t i = 0; i < c->make_count && term->demand; i++)
            if (c->makes[i].edge == term->fact.edge && !agree(&c->makes[i], &term->fact))
                return false;
    }
    return true;
}

static int compare_terms(const void *a, const void *b)
{
    const met_cover_term *x = a, *y = b;
    if (x->fact.edge != y->fact.edge)
        return x->fact.edge < y->fact.edge ? -1 : 1;
    if (x->demand != y->demand)
        return x->demand ? 1 : -1;
    return (x->fact.format > y->fact.format) - (x->fact.format < y->fact.format);
}

static void add_term(const stepper *s, met_cover_state *state, met_cover_fact fact, bool demand)
{
    if (fact.last >= s->first)
        state->terms[state->term_count++] = (met_cover_term){ fact, demand };
}

static void find_terms(const stepper *s, met_cover_state *state)
{
    const met_cover_candidate *c = s->candidate;
    state->terms = MET_NEW_ARRAY(s->arena, met_cover_term, (size_t)s->old->term_count + c->make_count + c->demand_count);
    for (uint32_t t = 0; t < s->old->term_count; t++)
        add_term(s, state, s->old->terms[t].fact, s->old->terms[t].demand);
    for (uint32_t i = 0; i < c->make_count; i++)
        add_term(s, state, c->makes[i], false);
    for (uint32_t i = 0; i < c->demand_count; i++)
        add_term(s, state, c->demands[i], true);
    qsort(state->terms, state->term_count, sizeof *state->terms, compare_terms);
    uint32_t count = 0;
    for (uint32_t t = 0; t < state->term_count; t++)
        if (count == 0 || compare_terms(&state->terms[count - 1], &state->terms[t]) != 0)
            state->terms[count++] = state->terms[t];
    state->term_count = count;
}

met_cover_step met_cover_next(met_arena *arena, const met_cover_problem *problem, const met_cover_state *state,
                              const met_cover_candidate *candidate, met_cover_state *ret_state)
{
    stepper s = { .arena = arena, .flow = problem->flow, .old = state, .candidate = candidate,
                  .group = state->open_count };
    if (!is_free(&s) || !terms_agree(&s))
        return MET_COVER_NO_STEP;
    if (state->open_count == MET_COVER_OPEN)
        return MET_COVER_TOO_MANY;
    if (!connect(&s))
        return MET_COVER_NO_STEP;
    go_ahead(&s);
    uint32_t numbers[MET_COVER_OPEN + 1];
    *ret_state = (met_cover_state){ .first = s.first };
    ret_state->open_count = renumber(&s, numbers);
    for (uint32_t g = 0; g <= s.group; g++)
        if (numbers[g] != MET_NONE)
            ret_state->from[numbers[g]] = renumbered(s.from[g], numbers);
    find_live(&s, ret_state, numbers);
    ret_state->ahead = s.ahead;
    for (uint32_t i = 0; i < s.ahead_count; i++)
        if (s.ahead[i].node > s.first)
            ret_state->ahead[ret_state->ahead_count++] = (met_cover_ahead){ s.ahead[i].node, numbers[s.ahead[i].group] };
    find_terms(&s, ret_state);
    return MET_COVER_STEP;
}

/* --- States as words --- */

uint32_t met_cover_words(const met_cover_state *state)
{
    return 5 + 2 * state->ahead_count + 3 * state->live_count + 4 * state->term_count + 2 * state->open_count;
}

static uint32_t *pack_mask(uint32_t *at, uint64_t mask)
{
    *at++ = (uint32_t)mask;
    *at++ = (uint32_t)(mask >> 32);
    return at;
}

void met_cover_pack(const met_cover_state *state, uint32_t *at)
{
    *at++ = state->first;
    *at++ = state->ahead_count;
    *at++ = state->live_count;
    *at++ = state->term_count;
    *at++ = state->open_count;
    for (uint32_t i = 0; i < state->ahead_count; i++) {
        *at++ = state->ahead[i].node;
        *at++ = state->ahead[i].group;
    }
    for (uint32_t i = 0; i < state->live_count; i++) {
        *at++ = state->live[i].node;
        at = pack_mask(at, state->live[i].from);
    }
    for (uint32_t i = 0; i < state->term_count; i++) {
        *at++ = state->terms[i].fact.edge;
        *at++ = state->terms[i].fact.format;
        *at++ = state->terms[i].fact.last;
        *at++ = (uint32_t)state->terms[i].fact.plain | (uint32_t)state->terms[i].demand << 1;
    }
    for (uint32_t g = 0; g < state->open_count; g++)
        at = pack_mask(at, state->from[g]);
}

static uint64_t unpack_mask(const uint32_t *at)
{
    return at[0] | (uint64_t)at[1] << 32;
}

void met_cover_unpack(met_arena *arena, const uint32_t *at, met_cover_state *state)
{
    *state = (met_cover_state){ .first = at[0], .ahead_count = at[1], .live_count = at[2], .term_count = at[3], .open_count = at[4] };
    at += 5;
    state->ahead = MET_NEW_ARRAY(arena, met_cover_ahead, state->ahead_count);
    state->live = MET_NEW_ARRAY(arena, met_cover_live, state->live_count);
    state->terms = MET_NEW_ARRAY(arena, met_cover_term, state->term_count);
    for (uint32_t i = 0; i < state->ahead_count; i++, at += 2)
        state->ahead[i] = (met_cover_ahead){ at[0], at[1] };
    for (uint32_t i = 0; i < state->live_count; i++, at += 3)
        state->live[i] = (met_cover_live){ at[0], unpack_mask(at + 1) };
    for (uint32_t i = 0; i < state->term_count; i++, at += 4)
        state->terms[i] = (met_cover_term){ { at[0], at[1], at[3] & 1, at[2] }, at[3] >> 1 };
    for (uint32_t g = 0; g < state->open_count; g++, at += 2)
        state->from[g] = unpack_mask(at);
}
