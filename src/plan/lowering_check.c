#include <string.h>

#include "plan/match.h"

typedef struct checker {
    const met_lowering *lowering;
    const met_circuit *circuit;
    met_lower_task *task;
    met_arena *scratch;
    met_candidate *candidates; /* by group */
    uint32_t *group_of;
    const char *fault;
} checker;

static void expect(checker *c, bool good, const char *what)
{
    if (!good && !c->fault)
        c->fault = what;
}

/* --- Cover --- */

static void check_cover(checker *c)
{
    const met_lowering *lowering = c->lowering;
    c->group_of = MET_NEW_ARRAY(c->scratch, uint32_t, c->circuit->node_count);
    for (uint32_t n = 0; n < c->circuit->node_count; n++)
        c->group_of[n] = MET_NONE;
    for (uint32_t g = 0; g < lowering->group_count && !c->fault; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        expect(c, group->node_count > 0, "a group has no nodes");
        for (uint32_t i = 0; i < group->node_count && !c->fault; i++) {
            uint32_t n = group->nodes[i].id;
            expect(c, n < c->circuit->node_count, "a group has a node that the circuit does not have");
            expect(c, i == 0 || group->nodes[i - 1].id < n, "a group's nodes are not in order");
            expect(c, c->fault || c->group_of[n] == MET_NONE, "a node is covered twice");
            if (!c->fault)
                c->group_of[n] = g;
        }
    }
    for (uint32_t n = 0; n < c->circuit->node_count && !c->fault; n++) {
        expect(c, c->group_of[n] != MET_NONE, "a node is not covered");
        expect(c, lowering->group_of[n] == c->group_of[n], "a node is said to be in another group than it is");
    }
}

static void check_order(checker *c)
{
    const met_lowering *lowering = c->lowering;
    for (uint32_t g = 0; g < lowering->group_count; g++)
        expect(c, met_flow_is_convex(c->task->flow, lowering->groups[g].node_count, lowering->groups[g].nodes, c->task->marks),
               "a group is not convex");
    uint32_t *order = MET_NEW_ARRAY(c->scratch, uint32_t, lowering->group_count);
    expect(c, met_flow_order(c->task->flow, lowering->group_count, c->group_of, order), "groups wait for each other");
    for (uint32_t g = 0; g < lowering->group_count && !c->fault; g++)
        expect(c, order[g] == g, "groups are not in the order in which they run");
}

/* --- Groups --- */

static bool same_names(const met_name_list *a, const met_name_list *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->names[i], b->names[i]) != 0)
            return false;
    return true;
}

static void check_rule(checker *c, const met_lowering_group *group, const met_candidate *candidate)
{
    const met_rule *rule = group->rule;
    uint32_t *elements = MET_NEW_ARRAY(c->scratch, uint32_t, candidate->count);
    expect(c, rule != NULL, "a group of a rule names no rule");
    if (c->fault)
        return;
    expect(c, met_lower_elements(c->task, candidate, elements), "a rule does not match the nodes of its group, or hands out what it may not");
    expect(c, same_names(&group->kernels, &rule->kernels) && group->repeat == rule->repeat && group->chunk == rule->chunk,
           "a group has other kernels than its rule");
    expect(c, group->tag == rule->tag && group->lever == rule->lever, "a group has another numerics tag than its rule");
}

static void check_group(checker *c, uint32_t g)
{
    const met_lowering_group *group = &c->lowering->groups[g];
    const met_candidate *candidate = &c->candidates[g];
    if (group->source == MET_GROUP_RULE)
        check_rule(c, group, candidate);
    else
        expect(c, !group->rule, "a group that no rule made names a rule");
    if (group->source == MET_GROUP_PLACEHOLDER) {
        expect(c, group->node_count == 1 && !group->family && group->kernels.count == 1 &&
                      strncmp(group->kernels.names[0], "novel.", 6) == 0, "a placeholder is one node without a kernel");
        return;
    }
    if (group->source == MET_GROUP_DERIVED)
        expect(c, group->family && group->family->derived && group->kernels.count == 1 &&
                      strcmp(group->kernels.names[0], group->family->derived) == 0, "a derived group is not of its family");
    for (uint32_t k = 0; k < group->kernels.count; k++)
        expect(c, !met_hardware_lacks(c->lowering->hardware, group->kernels.names[k]), "a kernel is not available");
}

/* --- Edges --- */

static void check_edges(checker *c)
{
    const met_lowering *lowering = c->lowering;
    for (uint32_t e = 0; e < c->circuit->edge_count && !c->fault; e++) {
        met_node_id producer = c->circuit->edges[e].producer;
        if (producer.id == MET_NONE) {
            expect(c, lowering->edges[e] == MET_EDGE_MATERIALIZED, "an edge from outside is not materialized");
            continue;
        }
        const met_candidate *candidate = &c->candidates[c->group_of[producer.id]];
        uint32_t *elements = MET_NEW_ARRAY(c->scratch, uint32_t, candidate->count);
        bool ruled = candidate->rule && met_lower_elements(c->task, candidate, elements);
        bool fused = met_lower_is_fused(c->task, candidate, ruled ? elements : NULL, (met_edge_id){ e });
        expect(c, fused == (lowering->edges[e] == MET_EDGE_FUSED), fused ? "an edge is materialized that stays inside of a group" :
                                                                           "an edge is fused that others need");
    }
}

static void check_formats(checker *c)
{
    met_format *stored = MET_NEW_ARRAY(c->scratch, met_format, c->circuit->edge_count);
    met_conflict conflict;
    expect(c, met_lower_formats(c->task, c->lowering->group_count, c->candidates, stored, &conflict), "a group reads a format that is not stored");
    for (uint32_t e = 0; e < c->circuit->edge_count && !c->fault; e++)
        expect(c, met_format_equal(stored[e], c->lowering->stored[e]), "an edge is stored in another format than its group says");
}

static void check_price(checker *c)
{
    met_price sum = { 0 };
    for (uint32_t g = 0; g < c->lowering->group_count; g++)
        met_price_add(&sum, &c->lowering->groups[g].price);
    expect(c, !c->lowering->device || (sum.seconds == c->lowering->price.seconds && sum.bytes == c->lowering->price.bytes),
           "the price of the plan is not that of its groups");
}

const char *met_lowering_check(const met_lowering *lowering)
{
    met_lower_options options = { .lkb = lowering->lkb, .hardware = lowering->hardware };
    checker c = { .lowering = lowering, .circuit = lowering->circuit, .scratch = met_arena_new() };
    c.task = met_lower_task_bare(c.scratch, lowering->circuit, &options);
    check_cover(&c);
    if (!c.fault)
        check_order(&c);
    c.candidates = MET_NEW_ARRAY(c.scratch, met_candidate, lowering->group_count);
    for (uint32_t g = 0; g < lowering->group_count && !c.fault; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        c.candidates[g] = (met_candidate){ group->node_count, group->nodes, group->source, group->rule, group->family, 0 };
        check_group(&c, g);
    }
    if (!c.fault)
        check_edges(&c);
    if (!c.fault)
        check_formats(&c);
    if (!c.fault)
        check_price(&c);
    met_arena_free(c.scratch);
    return c.fault;
}
