/* The exact planner: of all covers by matches, derived regions and single nodes the one that costs least. */
#include <math.h>

#include "plan/calibrate.h"
#include "plan/exact_gather.h"
#include "plan/match.h"

/* --- Candidates of rules --- */

static bool add_match(void *context, const met_match *match)
{
    met_gathering *g = context;
    met_lower_task *task = g->task;
    if (met_match_leak(task, match).id != MET_NONE)
        return true;
    met_candidate candidate = { .source = MET_GROUP_RULE, .rule = match->rule };
    candidate.count = met_match_nodes(task->arena, match, &candidate.nodes);
    if (!met_flow_is_convex(task->flow, candidate.count, candidate.nodes, task->marks))
        return true;
    candidate.seconds = met_lower_price(task, &candidate, NULL).seconds;
    met_gathering_add(g, &candidate);
    return true;
}

static void gather(met_gathering *g)
{
    const met_lower_task *task = g->task;
    for (uint32_t r = 0; r < task->rule_count; r++)
        for (uint32_t n = 0; n < task->circuit->node_count; n++)
            met_match_each(task, task->rules[r], n, NULL, add_match, g);
    for (uint32_t n = 0; n < task->circuit->node_count && task->options->region; n++)
        met_gathering_grow(g, n);
}

/* Where some were measured, what others cost follows from that. */
static void calibrate(met_gathering *g)
{
    met_lower_calibrate(g->task, g->all.count, g->all.at);
    for (uint32_t n = 0; n < g->task->circuit->node_count && g->task->scales; n++)
        g->single[n] = INFINITY;
    for (size_t c = 0; c < g->all.count && g->task->scales; c++)
        met_gathering_note_single(g, &g->all.at[c]);
}

/* --- What nothing covers --- */

/* By node: whether no candidate has it. True if there is such a node. */
static bool find_bare(const met_gathering *g, bool *ret_bare)
{
    uint32_t node_count = g->task->circuit->node_count;
    bool any = false;
    for (uint32_t n = 0; n < node_count; n++)
        ret_bare[n] = true;
    for (size_t c = 0; c < g->all.count; c++)
        for (uint32_t i = 0; i < g->all.at[c].count; i++)
            ret_bare[g->all.at[c].nodes[i].id] = false;
    for (uint32_t n = 0; n < node_count; n++)
        any = any || ret_bare[n];
    return any;
}

static void add_placeholders(met_gathering *g, const bool *where)
{
    for (uint32_t n = 0; n < g->task->circuit->node_count; n++)
        if (!where || where[n]) {
            met_candidate candidate = met_lower_placeholder(g->task, n);
            met_gathering_add(g, &candidate);
        }
}

/* --- Solving --- */

typedef struct solution {
    const met_candidate *const *candidates;
    met_cover_result result;
} solution;

static bool solve(met_gathering *g, solution *s)
{
    met_cover_problem problem = met_gathering_problem(g, &s->candidates);
    bool found = met_cover_solve(g->task->arena, &problem, &s->result);
    s->result.proven = s->result.proven && !g->limited;
    s->result.bound = g->limited ? 0 : s->result.bound;
    return found;
}

/* Nodes that candidates have, and yet no cover: groups that fit each other are missing. */
static bool report_no_cover(const met_lower_task *task, const solution *s)
{
    met_diag *diag = met_diag_add(task->session, MET_DIAG_uncovered, (met_span){ 0 }, "no groups of `%s` cover the circuit together",
                                  task->options->hardware->id);
    met_diag_help(diag, s->result.proven ? "the rules that match overlap, wait for each other or disagree about formats; --partial leaves nodes open" :
                                           "none was found within the limit on states; --planner greedy may find one");
    return false;
}

bool met_lower_exact(met_lower_task *task, met_candidates *cover, double *ret_bound, bool *ret_proven)
{
    met_gathering *g = met_gathering_new(task);
    bool *bare = MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), partial = task->options->partial;
    solution s;
    gather(g);
    calibrate(g);
    if (find_bare(g, bare) && !partial) {
        met_lower_report_uncovered(task, bare);
        return false;
    }
    if (partial)
        add_placeholders(g, bare);
    bool found = solve(g, &s);
    if (!found && partial) {
        add_placeholders(g, NULL);
        found = solve(g, &s);
    }
    if (!found)
        return report_no_cover(task, &s);
    for (uint32_t i = 0; i < s.result.count; i++)
        MET_PUSH(task->arena, &cover->at, *s.candidates[s.result.chosen[i]]);
    *ret_bound = s.result.bound;
    *ret_proven = s.result.proven;
    return true;
}
