/* Formats of edges under a plan: elements of rules say in which format what they make is stored (`writes`) or handed on inside
 * of the group (`holds`), and which format they read first (`input`). All else is as the circuit says. */
#include "plan/match.h"

typedef struct finder {
    const met_lower_task *task;
    const met_candidate *candidate;
    uint32_t *elements;
    bool found;
} finder;

#define STEPS 4096 /* of looking for the elements of one candidate: far more than rules that are of use need */

static bool take_if_whole(void *context, const met_match *match)
{
    finder *f = context;
    uint32_t count = 0;
    for (uint32_t e = 0; e < match->rule->element_count; e++)
        count += match->nodes[e] != MET_NONE;
    if (count != f->candidate->count || met_match_leak(f->task, match).id != MET_NONE)
        return true;
    for (uint32_t e = 0; e < match->rule->element_count; e++)
        for (uint32_t i = 0; i < f->candidate->count; i++)
            if (match->nodes[e] == f->candidate->nodes[i].id)
                f->elements[i] = e;
    f->found = true;
    return false;
}

bool met_lower_elements(const met_lower_task *task, const met_candidate *candidate, uint32_t *ret_elements)
{
    finder f = { task, candidate, ret_elements, false };
    met_match_among only = { task->only, candidate->count, candidate->nodes };
    uint64_t steps = STEPS;
    for (uint32_t i = 0; i < candidate->count; i++)
        task->only[candidate->nodes[i].id] = true;
    for (uint32_t i = 0; i < candidate->count && !f.found; i++)
        met_match_each(task, candidate->rule, candidate->nodes[i].id, &only, &steps, take_if_whole, &f);
    for (uint32_t i = 0; i < candidate->count; i++)
        task->only[candidate->nodes[i].id] = false;
    return f.found;
}

static bool has_node(const met_candidate *candidate, uint32_t node)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->nodes[i].id == node)
            return true;
    return false;
}

bool met_lower_is_fused(const met_lower_task *task, const met_candidate *candidate, const uint32_t *elements, met_edge_id edge)
{
    const met_derivation *facts = task->facts;
    uint32_t producer = task->circuit->edges[edge.id].producer.id, begin = facts->reader_begin[edge.id];
    for (uint32_t i = 0; i < candidate->count && elements; i++)
        if (candidate->nodes[i].id == producer && candidate->rule->elements[elements[i]].stored)
            return false;
    for (uint32_t r = begin; r < facts->reader_begin[edge.id + 1]; r++)
        if (!has_node(candidate, facts->readers[r].id))
            return false;
    return !facts->kept[edge.id] && begin < facts->reader_begin[edge.id + 1];
}

bool met_rule_changes_formats(const met_rule *rule)
{
    for (uint32_t e = 0; e < rule->element_count; e++)
        if (rule->elements[e].has_writes || rule->elements[e].has_holds || rule->elements[e].stored)
            return true;
    return false;
}

void met_lower_writes(const met_lower_task *task, const met_candidate *candidate, met_written_fn fn, void *context)
{
    if (!candidate->rule || !met_rule_changes_formats(candidate->rule))
        return;
    met_arena *scratch = met_arena_new();
    uint32_t *elements = MET_NEW_ARRAY(scratch, uint32_t, candidate->count);
    if (met_lower_elements(task, candidate, elements))
        for (uint32_t i = 0; i < candidate->count; i++) {
            const met_rule_element *element = &candidate->rule->elements[elements[i]];
            const met_node *node = &task->circuit->nodes[candidate->nodes[i].id];
            for (uint32_t k = 0; k < node->out_count; k++) {
                bool fused = met_lower_is_fused(task, candidate, elements, node->outs[k]);
                met_edge_change change = { node->outs[k], task->circuit->edges[node->outs[k].id].format, element->stored };
                bool says = fused ? element->has_holds : element->has_writes;
                if (says)
                    change.format = fused ? element->holds : element->writes;
                if (says || element->stored)
                    fn(context, change);
            }
        }
    met_arena_free(scratch);
}

bool met_lower_reads_as(const met_lower_task *task, const met_candidate *candidate, const uint32_t *elements, uint32_t place,
                        met_format stored)
{
    const met_match_node *node = &task->nodes[candidate->nodes[place].id];
    const met_rule_element *element = elements ? &candidate->rule->elements[elements[place]] : NULL;
    if (element && element->has_input)
        return met_format_equal(element->input, stored);
    /* what asks for no format reads what the circuit says, or any other without scales */
    return met_format_is_plain(stored) || met_format_equal(stored, node->input);
}

/* --- Of a whole cover --- */

typedef struct writing {
    met_format *stored;
    uint32_t *writer; /* by edge */
    uint32_t candidate;
} writing;

static void note_written(void *context, met_edge_change change)
{
    writing *w = context;
    if (met_format_equal(w->stored[change.edge.id], change.format))
        return;
    w->stored[change.edge.id] = change.format;
    w->writer[change.edge.id] = w->candidate;
}

/* The first input of a candidate's node that is stored otherwise than it can be read. */
static bool reads_well(const met_lower_task *task, const met_candidate *candidate, const writing *w, met_arena *scratch,
                       met_conflict *ret_conflict)
{
    uint32_t *elements = MET_NEW_ARRAY(scratch, uint32_t, candidate->count);
    bool ruled = candidate->rule && met_lower_elements(task, candidate, elements);
    for (uint32_t i = 0; i < candidate->count; i++) {
        const met_node *node = &task->circuit->nodes[candidate->nodes[i].id];
        if (node->in_count == 0)
            continue;
        met_edge_id edge = node->ins[0];
        if (met_lower_reads_as(task, candidate, ruled ? elements : NULL, i, w->stored[edge.id]))
            continue;
        *ret_conflict = (met_conflict){ w->writer[edge.id], w->candidate, edge, w->stored[edge.id] };
        return false;
    }
    return true;
}

bool met_lower_formats(const met_lower_task *task, uint32_t count, const met_candidate *candidates, met_format *ret_stored,
                       met_conflict *ret_conflict)
{
    const met_circuit *circuit = task->circuit;
    met_arena *scratch = met_arena_new();
    writing w = { ret_stored, MET_NEW_ARRAY(scratch, uint32_t, circuit->edge_count), 0 };
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        ret_stored[e] = circuit->edges[e].format;
        w.writer[e] = MET_NONE;
    }
    for (w.candidate = 0; w.candidate < count; w.candidate++)
        met_lower_writes(task, &candidates[w.candidate], note_written, &w);
    bool good = true;
    for (w.candidate = 0; w.candidate < count && good; w.candidate++)
        good = reads_well(task, &candidates[w.candidate], &w, scratch, ret_conflict);
    met_arena_free(scratch);
    return good;
}
