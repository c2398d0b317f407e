/* The planner `none`, the reference: every node by itself, by the first rule in the order of rules that can take a single
 * node and fits; where none does, as a kernel that derivation finds. */
#include "plan/match.h"

static bool takes_one(const met_rule *rule)
{
    for (uint32_t e = 1; e < rule->element_count; e++)
        if (!rule->elements[e].optional)
            return false;
    return true;
}

static bool reads_circuit(const met_lower_task *task, const met_candidate *candidate)
{
    const met_node *node = &task->circuit->nodes[candidate->nodes[0].id];
    uint32_t element = 0;
    return node->in_count == 0 || met_lower_reads_as(task, candidate, &element, 0, task->circuit->edges[node->ins[0].id].format);
}

static bool writes_otherwise(const met_lower_task *task, const met_rule *rule, uint32_t n)
{
    const met_node *node = &task->circuit->nodes[n];
    const met_rule_element *element = &rule->elements[0];
    for (uint32_t k = 0; k < node->out_count && element->has_writes; k++)
        if (!met_format_equal(element->writes, task->circuit->edges[node->outs[k].id].format))
            return true;
    return false;
}

static bool cover_node(met_lower_task *task, uint32_t n, met_candidates *cover)
{
    met_node_id *node = MET_NEW(task->arena, met_node_id);
    node->id = n;
    for (uint32_t r = 0; r < task->rule_count; r++) {
        const met_rule *rule = task->rules[r];
        met_candidate candidate = { .count = 1, .nodes = node, .source = MET_GROUP_RULE, .rule = rule };
        /* nothing but the circuit says formats here, so that the reference is one */
        if (!takes_one(rule) || !met_match_fits(task, &rule->elements[0], n) || writes_otherwise(task, rule, n) ||
            !reads_circuit(task, &candidate))
            continue;
        MET_PUSH(task->arena, &cover->at, candidate);
        return true;
    }
    met_candidate derived;
    bool good = met_lower_derived(task, 1, node, &derived);
    if (good || task->options->partial)
        MET_PUSH(task->arena, &cover->at, good ? derived : met_lower_placeholder(task, n));
    return good || task->options->partial;
}

bool met_lower_none(met_lower_task *task, met_candidates *cover)
{
    bool *left = MET_NEW_ARRAY(task->arena, bool, task->circuit->node_count), any = false;
    for (uint32_t n = 0; n < task->circuit->node_count; n++) {
        left[n] = !cover_node(task, n, cover);
        any = any || left[n];
    }
    if (any)
        met_lower_report_uncovered(task, left);
    return !any;
}
