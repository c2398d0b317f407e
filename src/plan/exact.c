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
    uint64_t cost = met_rule_minds_formats(match->rule) ? MET_MINDING_COST : MET_MATCH_COST;
    g->match_work -= g->match_work < cost ? g->match_work : cost;
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

/* Of one rule from one node; a limit on what that takes, and on what all take. */
static void gather_matches(met_gathering *g, const met_rule *rule, uint32_t start)
{
    uint64_t allowed = g->match_work < MET_MATCH_STEPS ? g->match_work : MET_MATCH_STEPS, steps = allowed;
    bool all = met_match_each(g->task, rule, start, NULL, &steps, add_match, g);
    g->match_work -= g->match_work < allowed - steps ? g->match_work : allowed - steps;
    g->limited = g->limited || !all;
}

static void gather(met_gathering *g, const met_candidates *greedy)
{
    const met_lower_task *task = g->task;
    for (uint32_t r = 0; r < task->rule_count; r++)
        for (uint32_t n = 0; n < task->circuit->node_count; n++)
            gather_matches(g, task->rules[r], n);
    for (size_t i = 0; i < greedy->at.count; i++)
        if (greedy->at.at[i].source == MET_GROUP_RULE)
            met_gathering_add(g, &greedy->at.at[i]);
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

/* By node: whether no candidate has it. How many there are. */
static uint32_t find_bare(const met_gathering *g, bool *ret_bare)
{
    uint32_t node_count = g->task->circuit->node_count, count = 0;
    for (uint32_t n = 0; n < node_count; n++)
        ret_bare[n] = true;
    for (size_t c = 0; c < g->all.count; c++)
        for (uint32_t i = 0; i < g->all.at[c].count; i++)
            ret_bare[g->all.at[c].nodes[i].id] = false;
    for (uint32_t n = 0; n < node_count; n++)
        count += ret_bare[n];
    return count;
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
    met_candidates cover;
    double bound;
    bool proven;
} solution;

/* The least cover of the candidates that costs no more than `known` (0: any). False if there is none, or none was found. */
static bool solve(met_gathering *g, double known, solution *s)
{
    const met_candidate *const *candidates;
    met_cover_problem problem = met_gathering_problem(g, &candidates);
    met_cover_result result;
    problem.known_cost = known;
    bool found = met_cover_solve(g->task->arena, &problem, &result);
    s->proven = result.proven && !g->limited;
    s->bound = g->limited ? 0 : result.bound;
    for (uint32_t i = 0; i < result.count; i++)
        MET_PUSH(g->task->arena, &s->cover.at, *candidates[result.chosen[i]]);
    return found;
}

/* Nodes that candidates have, and yet no cover: groups that fit each other are missing. */
static bool report_no_cover(const met_lower_task *task, const solution *s)
{
    met_diag *diag = met_diag_add(task->session, MET_DIAG_uncovered, (met_span){ 0 }, "no groups of `%s` cover the circuit together",
                                  task->options->hardware->id);
    met_diag_help(diag, s->proven ? "the rules that match overlap, wait for each other or disagree about formats; --partial leaves nodes open" :
                                    "none was found within the limits; --planner greedy may find one");
    return false;
}

/* --- Greedy's cover: nothing dearer is looked for, and where limits are hit it may be the best that is known --- */

static double price_of(met_lower_task *task, const met_candidates *cover)
{
    met_conflict conflict;
    met_format *stored = MET_NEW_ARRAY(task->arena, met_format, task->circuit->edge_count);
    double seconds = 0;
    if (!met_lower_formats(task, (uint32_t)cover->at.count, cover->at.at, stored, &conflict))
        met_fatal("a planner left formats in conflict");
    for (size_t i = 0; i < cover->at.count; i++)
        seconds += met_lower_price(task, &cover->at.at[i], stored).seconds;
    return seconds;
}

static uint32_t open_nodes(const met_candidates *cover)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cover->at.count; i++)
        count += cover->at.at[i].source == MET_GROUP_PLACEHOLDER;
    return count;
}

/* False if there is none. */
static bool find_known(met_lower_task *task, met_candidates *cover)
{
    if (!met_lower_greedy_quiet(task, cover)) {
        cover->at.count = 0;
        return false;
    }
    for (size_t i = 0; i < cover->at.count; i++)
        cover->at.at[i].seconds = met_lower_price(task, &cover->at.at[i], NULL).seconds;
    return true;
}

/* The cheaper one of what was found and what was known; fewer groups if they cost the same. */
static void choose(met_lower_task *task, solution *s, bool found, const met_candidates *known, double seconds)
{
    if (found && price_of(task, &s->cover) <= seconds * (1 + 1e-12)) /* sums of the same prices may round otherwise */
        return;
    s->cover = *known;
    s->bound = fmin(s->bound, seconds);
}

bool met_lower_exact(met_lower_task *task, met_candidates *cover, double *ret_bound, bool *ret_proven)
{
    met_gathering *g = met_gathering_new(task);
    bool *bare = MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), partial = task->options->partial;
    met_candidates greedy = { { 0 } };
    solution s = { { { 0 } }, 0, false };
    bool is_known = find_known(task, &greedy);
    gather(g, &greedy);
    calibrate(g);
    double known = is_known ? price_of(task, &greedy) : 0;
    uint32_t open = find_bare(g, bare);
    if (open > 0 && !partial && !g->limited)
        met_lower_report_uncovered(task, bare);
    if (open > 0 && !partial)
        return g->limited && report_no_cover(task, &s);
    if (open > 0)
        add_placeholders(g, bare);
    is_known = is_known && open_nodes(&greedy) <= open; /* one that leaves more nodes open is no measure */
    bool found = solve(g, is_known ? known : 0, &s);
    if (!found && partial && !is_known) {
        add_placeholders(g, NULL);
        found = solve(g, 0, &s);
    }
    if (!found && !is_known)
        return report_no_cover(task, &s);
    if (is_known)
        choose(task, &s, found, &greedy, known);
    *cover = s.cover;
    *ret_bound = s.bound;
    *ret_proven = s.proven;
    return true;
}
