/* Which rules were not taken for what a group has: every rule is matched as if nothing else were there, and what
 * came of it is said of the group of the match's first node. */
#include "plan/match.h"

#include <string.h>

#define STEPS ((uint64_t)1 << 22) /* of matching for it: notes beyond are left out */

typedef struct explainer {
    met_lower_task *task;
    met_lowering *lowering;
    const char *bars; /* why the rule at hand does not apply; NULL: it does */
    MET_VEC(met_lowering_note) notes;
    met_map *said;    /* groups and rules that have a note */
} explainer;

static void note(explainer *x, uint32_t group, const met_rule *rule, bool won, const char *reason)
{
    met_text key = met_text_new(x->task->arena);
    uint32_t number;
    met_text_format(&key, "%u %s", group, rule ? rule->id : "");
    if (met_map_get(x->said, met_str_of(met_text_done(&key)), &number))
        return;
    met_map_set(x->said, met_str_of(key.at), 1);
    MET_PUSH(x->task->arena, &x->notes, ((met_lowering_note){ group, rule, won, reason }));
}

static void put_seconds(met_text *out, double seconds)
{
    met_text_double_digits(out, seconds * 1e6, 3);
    met_text_put(out, " us");
}

static bool has_node(uint32_t count, const met_node_id *nodes, uint32_t node)
{
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].id == node)
            return true;
    return false;
}

/* What the groups that have the match's nodes cost, against the match and the rest of their nodes one by one. */
static const char *why_dearer(explainer *x, const met_rule *rule, uint32_t count, const met_node_id *nodes)
{
    const met_lowering *lowering = x->lowering;
    met_candidate candidate = { .count = count, .nodes = nodes, .source = MET_GROUP_RULE, .rule = rule };
    double there = 0, here = met_lower_price(x->task, &candidate, lowering->stored).seconds;
    for (uint32_t i = 0; i < count; i++) {
        const met_lowering_group *group = &lowering->groups[lowering->group_of[nodes[i].id]];
        bool first = true;
        for (uint32_t k = 0; k < i; k++)
            first = first && lowering->group_of[nodes[k].id] != lowering->group_of[nodes[i].id];
        there += first ? group->price.seconds : 0;
        for (uint32_t k = 0; k < group->node_count && first; k++)
            if (!has_node(count, nodes, group->nodes[k].id))
                here += met_lower_price_node(x->task, &group->nodes[k]).seconds;
    }
    met_text out = met_text_new(x->task->arena);
    if (here > there) {
        met_text_put(&out, "dearer by ");
        put_seconds(&out, here - there);
        return met_text_done(&out);
    }
    met_text a = met_text_new(x->task->arena), b = met_text_new(x->task->arena);
    put_seconds(&a, here);
    put_seconds(&b, there);
    if (met_str_is(met_str_of(met_text_done(&a)), met_text_done(&b)))
        met_text_format(&out, "as dear with what would be left (%s)", a.at);
    else
        met_text_format(&out, "no cheaper with what would be left (%s against %s)", a.at, b.at);
    return met_text_done(&out);
}

/* Rules are taken from the highest priority down, then by id; of one rule, matches in the order of their nodes. */
static bool is_earlier(const met_rule *a, const met_rule *b)
{
    return a->priority != b->priority ? a->priority > b->priority : strcmp(a->id, b->id) <= 0;
}

/* Why the groups that have the nodes of a match have them rather than its rule. */
static const char *why_taken(explainer *x, const met_rule *rule, uint32_t count, const met_node_id *nodes)
{
    const met_lowering *lowering = x->lowering;
    if (lowering->planner == MET_LOWER_NONE)
        return "the planner takes single nodes, each by the first rule that fits";
    if (lowering->planner == MET_LOWER_EXACT)
        return why_dearer(x, rule, count, nodes);
    met_text out = met_text_new(x->task->arena);
    for (uint32_t i = 0; i < count; i++) {
        const met_lowering_group *group = &lowering->groups[lowering->group_of[nodes[i].id]];
        if (group->source != MET_GROUP_RULE || !is_earlier(group->rule, rule))
            continue;
        met_text_format(&out, "%s had taken `%s` before (priority %d, this one %d)", group->rule->id,
                        x->task->circuit->nodes[nodes[i].id].op->name, group->rule->priority, rule->priority);
        return met_text_done(&out);
    }
    return "other groups stand in the way: together they would wait for each other";
}

static bool is_group(const met_lowering_group *group, const met_rule *rule, uint32_t count, const met_node_id *nodes)
{
    bool same = group->rule == rule && group->node_count == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = group->nodes[i].id == nodes[i].id;
    return same;
}

static bool explain_match(void *context, const met_match *match)
{
    explainer *x = context;
    met_lower_task *task = x->task;
    const met_node_id *nodes;
    uint32_t count = met_match_nodes(task->arena, match, &nodes), g = x->lowering->group_of[nodes[0].id];
    if (is_group(&x->lowering->groups[g], match->rule, count, nodes))
        return true;
    met_edge_id leak = met_match_leak(task, match);
    if (x->bars) {
        note(x, g, match->rule, false, x->bars);
    } else if (leak.id != MET_NONE) {
        met_text out = met_text_new(task->arena);
        met_text_format(&out, "`%s` is also needed outside", met_sym_text(task->session, task->circuit->edges[leak.id].name));
        note(x, g, match->rule, false, met_text_done(&out));
    } else if (!met_flow_is_convex(task->flow, count, nodes, task->marks)) {
        note(x, g, match->rule, false, "a way between its nodes goes outside");
    } else {
        note(x, g, match->rule, false, why_taken(x, match->rule, count, nodes));
    }
    return true;
}

static const char *why_won(explainer *x, const met_lowering_group *group)
{
    met_text out = met_text_new(x->task->arena);
    if (group->source == MET_GROUP_PLACEHOLDER)
        return "no rule has a kernel for it";
    if (x->lowering->planner == MET_LOWER_EXACT) {
        met_text_put(&out, "part of the cheapest plan: ");
        put_seconds(&out, group->price.seconds);
        met_text_put(&out, ", its nodes one by one ");
        put_seconds(&out, group->parts.seconds);
    } else if (group->rule) {
        met_text_format(&out, "priority %d, the first that fits", group->rule->priority);
    } else {
        met_text_put(&out, "no rule fits, and derivation finds one kernel");
    }
    return met_text_done(&out);
}

void met_lowering_explain(met_lower_task *task, met_lowering *lowering)
{
    explainer x = { .task = task, .lowering = lowering, .said = met_map_new(task->arena) };
    const met_hardware *hardware = task->options->hardware;
    uint64_t steps = STEPS;
    for (uint32_t g = 0; g < lowering->group_count; g++)
        note(&x, g, lowering->groups[g].rule, true, why_won(&x, &lowering->groups[g]));
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        x.bars = met_lower_bars(task->arena, task->options, hardware->rules[r]);
        for (uint32_t n = 0; n < task->circuit->node_count; n++)
            met_match_each(task, hardware->rules[r], n, NULL, &steps, explain_match, &x);
    }
    lowering->note_count = (uint32_t)x.notes.count;
    lowering->notes = x.notes.at;
}
