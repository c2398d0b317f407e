#include "base/arena.h"
#include "plan/planner.h"

typedef struct checker {
    const met_plan *plan;
    uint32_t *group_of; /* by node; MET_NONE while no group has it */
    uint32_t group;     /* under check */
    const char *fault;
} checker;

static void expect(checker *c, bool good, const char *what)
{
    if (!good && !c->fault)
        c->fault = what;
}

static void check_cover(checker *c)
{
    const met_plan *plan = c->plan;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const met_kernel *kernel = plan->groups[g];
        expect(c, kernel->circuit == plan->circuit, "a group of another circuit");
        for (uint32_t s = 0; s < kernel->step_count && !c->fault; s++) {
            uint32_t node = kernel->steps[s].node.id;
            expect(c, node < plan->circuit->node_count && c->group_of[node] == MET_NONE, "a node is covered twice");
            if (!c->fault)
                c->group_of[node] = g;
        }
    }
    for (uint32_t n = 0; n < plan->circuit->node_count; n++)
        expect(c, c->group_of[n] != MET_NONE, "a node is not covered");
}

/* What a group reads is made by itself or by a group before it, and then it is stored. Groups in an order in which they
 * can run are convex: a way out of one and back would need a group both before and after it. */
static void check_read(void *context, met_edge_id edge)
{
    checker *c = context;
    met_node_id producer = c->plan->circuit->edges[edge.id].producer;
    if (producer.id == MET_NONE || c->group_of[producer.id] == c->group)
        return;
    expect(c, c->group_of[producer.id] < c->group, "a group reads what a later one makes");
    expect(c, c->plan->stored[edge.id], "an edge between groups is not stored");
}

static void check_stored(checker *c)
{
    const met_circuit *circuit = c->plan->circuit;
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        if (circuit->edges[e].producer.id == MET_NONE)
            expect(c, c->plan->stored[e], "an edge from outside is not stored");
    for (uint32_t i = 0; i < circuit->output_count; i++)
        expect(c, c->plan->stored[circuit->outputs[i].id], "an output is not stored");
    for (uint32_t i = 0; i < circuit->state_count; i++)
        expect(c, c->plan->stored[circuit->states[i].out.id], "a state is not stored");
    for (uint32_t g = 0; g < c->plan->group_count; g++)
        for (uint32_t v = 0; v < c->plan->groups[g]->value_count; v++)
            if (!c->plan->groups[g]->values[v].is_input)
                expect(c, c->plan->stored[c->plan->groups[g]->values[v].edge.id] == c->plan->groups[g]->values[v].is_output,
                       "an edge is stored and is no output of its group, or the other way round");
}

const char *met_plan_check(const met_plan *plan)
{
    met_arena *scratch = met_arena_new();
    checker c = { .plan = plan, .group_of = MET_NEW_ARRAY(scratch, uint32_t, plan->circuit->node_count) };
    for (uint32_t n = 0; n < plan->circuit->node_count; n++)
        c.group_of[n] = MET_NONE;
    check_cover(&c);
    for (c.group = 0; c.group < plan->group_count && !c.fault; c.group++) {
        const met_kernel *kernel = plan->groups[c.group];
        const char *fault = met_kernel_check(kernel);
        expect(&c, !fault, fault);
        for (uint32_t s = 0; s < kernel->step_count; s++)
            met_node_reads(plan->circuit, &plan->circuit->nodes[kernel->steps[s].node.id], check_read, &c);
    }
    check_stored(&c);
    met_arena_free(scratch);
    return c.fault;
}
