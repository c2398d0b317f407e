#include "plan/match.h"

#include <stdlib.h>
#include <string.h>

/* --- One node --- */

static bool has_op(const met_rule_element *element, met_op_id op)
{
    for (uint32_t i = 0; i < element->op_count; i++)
        if (element->ops[i] == op)
            return true;
    return false;
}

static bool is_in_block(const met_circuit *circuit, met_block_id block, const char *name)
{
    for (; block.id != MET_NONE; block = circuit->blocks[block.id].parent)
        if (met_str_is(met_sym_str(circuit->session, circuit->blocks[block.id].name), name))
            return true;
    return false;
}

/* A node that reads a format with scales must be asked for by that format, and the other way round; plain formats are compared
 * when all groups are known. */
static bool fits_format(const met_rule_element *element, const met_match_node *node)
{
    bool scaled = node->has_input && !met_format_is_plain(node->input);
    bool asks = element->has_input && !met_format_is_plain(element->input);
    return scaled || asks ? scaled && asks && met_format_equal(node->input, element->input) : true;
}

bool met_match_fits(const met_lower_task *task, const met_rule_element *element, uint32_t n)
{
    const met_match_node *node = &task->nodes[n];
    if (!has_op(element, node->op) || !fits_format(element, node))
        return false;
    if (element->roles.count > 0 && !(node->role && met_name_list_has(&element->roles, node->role)))
        return false;
    if (element->has_weight && !(node->has_weight && met_format_equal(node->weight, element->weight)))
        return false;
    if (element->has_makes && !met_format_equal(node->makes, element->makes))
        return false;
    return !element->block || is_in_block(task->circuit, task->circuit->nodes[n].block, element->block);
}

/* --- Blocks --- */

/* The block that siblings of a node are in; MET_NONE: it is in no block, and its siblings are in none either. */
static met_block_id home_of(const met_circuit *circuit, uint32_t node)
{
    met_block_id home = circuit->nodes[node].block, below = home;
    for (met_block_id b = home; b.id != MET_NONE; b = circuit->blocks[b.id].parent) {
        if (circuit->blocks[b.id].repeat_count > 1 || circuit->blocks[b.id].parent.id == MET_NONE)
            return below;
        below = b;
    }
    return home;
}

/* --- Matching --- */

typedef struct matcher {
    const met_lower_task *task;
    const met_rule *rule;
    const bool *taken;
    const met_match_among *only;
    met_arena *scratch;
    uint32_t *nodes; /* by element */
    bool backtracks;
    uint64_t *steps; /* that are left, where it backtracks */
    met_match_fn fn;
    void *context;
    uint32_t found;
    bool ended, cut; /* cut: there were no steps left */
} matcher;

typedef struct choices {
    MET_VEC(uint32_t) at; /* ascending, each once */
} choices;

static bool is_free(const matcher *m, uint32_t node, uint32_t element)
{
    if ((m->taken && m->taken[node]) || (m->only && !m->only->marks[node]))
        return false;
    for (uint32_t e = 0; e < element; e++)
        if (m->nodes[e] == node)
            return false;
    return true;
}

/* A step. False, and the search is over, if there is none left. */
static bool spend(matcher *m)
{
    m->cut = m->cut || *m->steps == 0;
    m->ended = m->ended || m->cut;
    if (m->cut)
        return false;
    --*m->steps;
    return true;
}

static void consider(matcher *m, choices *list, uint32_t node, uint32_t element)
{
    if (m->backtracks && !spend(m))
        return;
    if (is_free(m, node, element) && met_match_fits(m->task, &m->rule->elements[element], node))
        MET_PUSH(m->scratch, &list->at, node);
}

static void add_readers(matcher *m, choices *list, uint32_t of, uint32_t element)
{
    const met_derivation *facts = m->task->facts;
    const met_node *node = &m->task->circuit->nodes[of];
    for (uint32_t k = 0; k < node->out_count; k++)
        for (uint32_t r = facts->reader_begin[node->outs[k].id]; r < facts->reader_begin[node->outs[k].id + 1]; r++)
            consider(m, list, facts->readers[r].id, element);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_once(choices *list)
{
    if (list->at.count < 2)
        return;
    qsort(list->at.at, list->at.count, sizeof *list->at.at, compare_numbers);
    size_t count = 1;
    for (size_t i = 1; i < list->at.count; i++)
        if (list->at.at[i] != list->at.at[count - 1])
            list->at.at[count++] = list->at.at[i];
    list->at.count = count;
}

/* The element whose node this one must read: an absent one stands for what it would have read. MET_NONE: any. */
static uint32_t read_element(const matcher *m, uint32_t element)
{
    uint32_t reads = m->rule->elements[element].reads;
    while (reads < element && m->nodes[reads] == MET_NONE)
        reads = m->rule->elements[reads].reads;
    return reads < element ? reads : MET_NONE;
}

static void add_siblings(matcher *m, choices *list, uint32_t element)
{
    const met_circuit *circuit = m->task->circuit;
    met_block_id home = home_of(circuit, m->nodes[0]);
    bool outside = home.id == MET_NONE; /* of all blocks: the circuit is one to what else is */
    uint32_t begin = outside ? 0 : circuit->blocks[home.id].node_begin;
    uint32_t end = outside ? circuit->node_count : circuit->blocks[home.id].node_end;
    uint32_t count = m->only ? m->only->count : end - begin;
    for (uint32_t i = 0; i < count && (m->backtracks || list->at.count == 0); i++) { /* else the lowest is all that is tried */
        uint32_t n = m->only ? m->only->nodes[i].id : begin + i;
        if (n >= begin && n < end && (!outside || circuit->nodes[n].block.id == MET_NONE))
            consider(m, list, n, element);
    }
}

static choices find_choices(matcher *m, uint32_t element)
{
    choices list = { { 0 } };
    if (m->rule->elements[element].sibling) {
        add_siblings(m, &list, element);
        return list;
    }
    uint32_t reads = read_element(m, element);
    for (uint32_t e = 0; e < element; e++)
        if (m->nodes[e] != MET_NONE && (reads == MET_NONE || reads == e))
            add_readers(m, &list, m->nodes[e], element);
    sort_once(&list);
    return list;
}

static void report(matcher *m)
{
    m->found++;
    met_match match = { m->rule, m->nodes };
    if (m->fn)
        m->ended = !m->fn(m->context, &match);
    m->ended = m->ended || !m->backtracks;
}

static void place(matcher *m, uint32_t element)
{
    if (m->backtracks && !spend(m))
        return;
    if (element == m->rule->element_count) {
        report(m);
        return;
    }
    choices list = find_choices(m, element);
    for (size_t i = 0; i < list.at.count && !m->ended && (i == 0 || m->backtracks); i++) {
        m->nodes[element] = list.at.at[i];
        place(m, element + 1);
    }
    bool may_be_absent = m->rule->elements[element].optional && (m->backtracks || list.at.count == 0);
    if (may_be_absent && !m->ended) {
        m->nodes[element] = MET_NONE;
        place(m, element + 1);
    }
}

static void match_at(matcher *m, uint32_t start)
{
    if (!is_free(m, start, 0) || !met_match_fits(m->task, &m->rule->elements[0], start))
        return;
    m->scratch = met_arena_new();
    m->nodes[0] = start;
    place(m, 1);
    met_arena_free(m->scratch);
}

bool met_match_first(const met_lower_task *task, const met_rule *rule, uint32_t start, const bool *taken, met_match *ret_match)
{
    matcher m = { .task = task, .rule = rule, .taken = taken, .nodes = ret_match->nodes };
    ret_match->rule = rule;
    match_at(&m, start);
    return m.found > 0;
}

bool met_match_each(const met_lower_task *task, const met_rule *rule, uint32_t start, const met_match_among *only, uint64_t *steps,
                    met_match_fn fn, void *context)
{
    matcher m = { .task = task, .rule = rule, .only = only, .backtracks = true, .steps = steps, .fn = fn, .context = context };
    if (!met_match_fits(task, &rule->elements[0], start))
        return true;
    met_arena *scratch = met_arena_new();
    m.nodes = MET_NEW_ARRAY(scratch, uint32_t, rule->element_count);
    match_at(&m, start);
    met_arena_free(scratch);
    return !m.cut;
}

/* --- What a match is --- */

uint32_t met_match_nodes(met_arena *arena, const met_match *match, const met_node_id **ret_nodes)
{
    uint32_t count = 0, *numbers = MET_NEW_ARRAY(arena, uint32_t, match->rule->element_count);
    for (uint32_t e = 0; e < match->rule->element_count; e++)
        if (match->nodes[e] != MET_NONE)
            numbers[count++] = match->nodes[e];
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, count);
    for (uint32_t i = 0; i < count; i++)
        nodes[i].id = numbers[i];
    *ret_nodes = nodes;
    return count;
}

static bool is_member(const met_match *match, uint32_t node)
{
    for (uint32_t e = 0; e < match->rule->element_count; e++)
        if (match->nodes[e] == node)
            return true;
    return false;
}

met_edge_id met_match_leak(const met_lower_task *task, const met_match *match)
{
    const met_derivation *facts = task->facts;
    uint32_t last = match->rule->element_count - 1;
    while (match->nodes[last] == MET_NONE)
        last--;
    for (uint32_t e = 0; e < last; e++) {
        if (match->nodes[e] == MET_NONE || match->rule->elements[e].keep)
            continue;
        const met_node *node = &task->circuit->nodes[match->nodes[e]];
        for (uint32_t k = 0; k < node->out_count; k++) {
            uint32_t edge = node->outs[k].id;
            bool leaks = facts->kept[edge];
            for (uint32_t r = facts->reader_begin[edge]; r < facts->reader_begin[edge + 1]; r++)
                leaks = leaks || !is_member(match, facts->readers[r].id);
            if (leaks)
                return node->outs[k];
        }
    }
    return (met_edge_id){ MET_NONE };
}
