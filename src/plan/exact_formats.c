/* Formats among candidates. What a candidate reads costs what is stored, so it is a candidate once for each way in which other
 * groups may store that, and demands it: prices stay sums. */
#include <math.h>

#include "plan/exact_gather.h"

/* --- What candidates store --- */

typedef struct written {
    met_gathering *g;
    const met_candidate *candidate;
    MET_VEC(met_edge_change) edges;
} written;

static void note_written(void *context, met_edge_change change)
{
    written *w = context;
    MET_PUSH(w->g->task->arena, &w->edges, change);
}

static written written_by(met_gathering *g, const met_candidate *candidate)
{
    written w = { .g = g, .candidate = candidate };
    met_lower_writes(g->task, candidate, note_written, &w);
    return w;
}

static met_format stored_by(const written *w, met_edge_id edge)
{
    for (size_t i = 0; i < w->edges.count; i++)
        if (w->edges.at[i].edge.id == edge.id)
            return w->edges.at[i].format;
    return w->g->task->circuit->edges[edge.id].format;
}

static void add_format(met_gathering *g, met_edge_id edge, met_format format)
{
    met_format_set **set = &g->stored[edge.id];
    met_format said = g->task->circuit->edges[edge.id].format;
    if (!*set && met_format_equal(format, said))
        return;
    if (!*set) {
        *set = MET_NEW(g->task->arena, met_format_set);
        MET_PUSH(g->task->arena, &(*set)->at, said);
    }
    for (size_t i = 0; i < (*set)->at.count; i++)
        if (met_format_equal((*set)->at.at[i], format))
            return;
    MET_PUSH(g->task->arena, &(*set)->at, format);
}

static void find_stored(met_gathering *g)
{
    for (size_t c = 0; c < g->all.count && g->task->changes_formats; c++) {
        written w = written_by(g, &g->all.at[c]);
        for (size_t i = 0; i < w.edges.count; i++)
            add_format(g, w.edges.at[i].edge, w.edges.at[i].format);
    }
}

/* --- Facts --- */

static uint32_t format_number(met_gathering *g, met_format format)
{
    uint32_t f = 0;
    while (f < g->formats.count && !met_format_equal(g->formats.at[f], format))
        f++;
    if (f == g->formats.count)
        MET_PUSH(g->task->arena, &g->formats, format);
    return f;
}

typedef MET_VEC(met_cover_fact) fact_list;

static met_cover_fact fact_of(met_gathering *g, met_edge_id edge, met_format format)
{
    const met_derivation *facts = g->task->facts;
    uint32_t begin = facts->reader_begin[edge.id], end = facts->reader_begin[edge.id + 1];
    uint32_t last = end > begin ? facts->readers[end - 1].id : g->task->circuit->edges[edge.id].producer.id;
    return (met_cover_fact){ edge.id, format_number(g, format), met_format_is_plain(format), last };
}

static void add_makes(written *w, fact_list *makes)
{
    met_gathering *g = w->g;
    for (uint32_t i = 0; i < w->candidate->count; i++) {
        const met_node *node = &g->task->circuit->nodes[w->candidate->nodes[i].id];
        for (uint32_t k = 0; k < node->out_count; k++)
            if (g->stored[node->outs[k].id])
                MET_PUSH(g->task->arena, makes, fact_of(g, node->outs[k], stored_by(w, node->outs[k])));
    }
}

/* --- What candidates read --- */

/* An edge from outside that others may store in several formats, with those that the candidate can read. */
typedef struct choice {
    met_edge_id edge;
    met_format_set formats;
    uint32_t at; /* the one at hand */
} choice;

typedef struct choices {
    const met_candidate *candidate;
    const uint32_t *elements; /* NULL: no rule that minds formats */
    MET_VEC(choice) at;
} choices;

static bool has_node(const met_candidate *candidate, uint32_t node)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->nodes[i].id == node)
            return true;
    return false;
}

/* Only what a node reads first has to be in a format that it can read. */
static bool can_read(const met_lower_task *task, const choices *c, met_edge_id edge, met_format format)
{
    bool good = true;
    for (uint32_t i = 0; i < c->candidate->count && good; i++) {
        const met_node *node = &task->circuit->nodes[c->candidate->nodes[i].id];
        if (node->in_count > 0 && node->ins[0].id == edge.id)
            good = met_lower_reads_as(task, c->candidate, c->elements, i, format);
    }
    return good;
}

static bool add_choice(met_gathering *g, choices *c, met_edge_id edge)
{
    met_arena *arena = g->task->arena;
    choice added = { .edge = edge };
    for (size_t i = 0; i < c->at.count; i++)
        if (c->at.at[i].edge.id == edge.id)
            return true;
    for (size_t f = 0; f < g->stored[edge.id]->at.count; f++)
        if (can_read(g->task, c, edge, g->stored[edge.id]->at.at[f]))
            MET_PUSH(arena, &added.formats.at, g->stored[edge.id]->at.at[f]);
    MET_PUSH(arena, &c->at, added);
    return added.formats.at.count > 0;
}

/* False if the candidate cannot read something however it is stored. */
static bool find_choices(const written *w, choices *c)
{
    met_gathering *g = w->g;
    const met_circuit *circuit = g->task->circuit;
    for (uint32_t i = 0; i < w->candidate->count; i++) {
        const met_node *node = &circuit->nodes[w->candidate->nodes[i].id];
        for (uint32_t k = 0; k < node->in_count; k++) {
            met_edge_id edge = node->ins[k];
            uint32_t producer = circuit->edges[edge.id].producer.id;
            bool inside = producer != MET_NONE && has_node(w->candidate, producer);
            bool good = !inside && g->stored[edge.id] ? add_choice(g, c, edge) :
                        k > 0 || met_lower_reads_as(g->task, w->candidate, c->elements, i, stored_by(w, edge));
            if (!good)
                return false;
        }
    }
    return true;
}

/* On to the next combination; false after the last one. */
static bool next_combination(choices *c)
{
    for (size_t i = 0; i < c->at.count; i++) {
        if (++c->at.at[i].at < c->at.at[i].formats.at.count)
            return true;
        c->at.at[i].at = 0;
    }
    return false;
}

/* --- The problem --- */

typedef struct problem {
    MET_VEC(met_cover_candidate) list;
    MET_VEC(const met_candidate *) candidates;
} problem;

static void add_variant(problem *p, const written *w, const fact_list *makes, const choices *c)
{
    met_gathering *g = w->g;
    fact_list demands = { 0 };
    double seconds = w->candidate->seconds;
    for (size_t i = 0; i < c->at.count; i++) {
        const choice *of = &c->at.at[i];
        g->at_hand[of->edge.id] = of->formats.at.at[of->at];
        MET_PUSH(g->task->arena, &demands, fact_of(g, of->edge, of->formats.at.at[of->at]));
    }
    if (c->at.count > 0)
        seconds = met_lower_price(g->task, w->candidate, g->at_hand).seconds;
    for (size_t i = 0; i < c->at.count; i++)
        g->at_hand[c->at.at[i].edge.id] = g->task->circuit->edges[c->at.at[i].edge.id].format;
    MET_PUSH(g->task->arena, &p->candidates, w->candidate);
    MET_PUSH(g->task->arena, &p->list, ((met_cover_candidate){ w->candidate->count, w->candidate->nodes, seconds, (uint32_t)makes->count,
                                                              (uint32_t)demands.count, makes->at, demands.at }));
}

/* One by one its nodes cost less: then no best cover has it. Where formats may change nothing is said. */
static bool is_dear(const met_gathering *g, const met_candidate *candidate, const choices *c)
{
    double apart = 0;
    for (uint32_t i = 0; i < candidate->count; i++)
        apart += g->single[candidate->nodes[i].id];
    return candidate->count > 1 && c->at.count == 0 && !met_rule_minds_formats(candidate->rule) && candidate->seconds > apart * (1 + 1e-12);
}

static void add_candidate(met_gathering *g, problem *p, const met_candidate *candidate)
{
    met_arena *arena = g->task->arena;
    written w = written_by(g, candidate);
    choices c = { .candidate = candidate };
    uint32_t *elements = MET_NEW_ARRAY(arena, uint32_t, candidate->count), variants = 0;
    fact_list makes = { 0 };
    if (met_rule_minds_formats(candidate->rule) && met_lower_elements(g->task, candidate, elements))
        c.elements = elements;
    if (!find_choices(&w, &c) || is_dear(g, candidate, &c))
        return;
    add_makes(&w, &makes);
    bool more = true;
    for (; more && variants < MET_FORMAT_VARIANTS && g->variants < MET_ALL_VARIANTS; variants++, g->variants++) {
        add_variant(p, &w, &makes, &c);
        more = next_combination(&c);
    }
    g->limited = g->limited || more;
}

met_cover_problem met_gathering_problem(met_gathering *g, const met_candidate *const **ret_candidates)
{
    problem p = { 0 };
    find_stored(g);
    for (size_t c = 0; c < g->all.count; c++)
        add_candidate(g, &p, &g->all.at[c]);
    *ret_candidates = p.candidates.at;
    return (met_cover_problem){ .flow = g->task->flow, .candidate_count = (uint32_t)p.list.count, .candidates = p.list.at };
}
