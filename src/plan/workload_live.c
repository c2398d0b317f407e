/* Which positions a node works on where masks leave some out: a position that is not live is neither computed nor read.
 *
 * Guards stand on the edges behind a mask; what makes scores before it knows nothing of them. So the guards of an edge that
 * one node alone reads, element by element, are also asked of the edges before it: no one would miss what they leave out. */
#include "ir/affine.h"
#include "ir/live.h"
#include "plan/workload_parts.h"

enum { GUARDS = 16, KNOWN = 32 };

/* Affine conditions (>= 0) over the positions of an edge, or over the indices of a node. */
typedef struct conditions {
    uint32_t count;
    met_affine at[GUARDS];
} conditions;

/* Counting takes a step for every row: equal questions are asked once. */
typedef struct known_share {
    uint32_t index_count;
    uint64_t sizes[MET_RANK_LIMIT];
    conditions of;
    double share;
} known_share;

struct met_live_finder {
    const met_circuit *circuit;
    const met_derivation *facts;
    met_arena *scratch;
    const conditions **asked; /* by edge: over its positions; NULL: nothing */
    uint32_t known_count;
    known_share known[KNOWN];
};

/* --- What is asked of an edge --- */

static const conditions *own_guards(met_live_finder *finder, const met_edge *edge)
{
    conditions *own = MET_NEW(finder->scratch, conditions);
    for (uint32_t g = 0; g < edge->guard_count && own->count < GUARDS; g++)
        if (edge->guards[g].value.id == MET_NONE)
            own->at[own->count++] = edge->guards[g].expression;
    return own->count > 0 ? own : NULL;
}

/* Conditions over positions of an edge as conditions over the node's indices. False where they cannot be said. */
static bool to_indices(met_live_finder *finder, const conditions *from, const met_access *access, conditions *to)
{
    for (uint32_t g = 0; g < from->count; g++) {
        if (to->count == GUARDS)
            return false;
        if (!met_affine_substitute(finder->scratch, from->at[g], access->at, &to->at[to->count]))
            return false;
        to->count++;
    }
    return true;
}

/* … and back: every index that is asked about must be a position of the edge. */
static const conditions *to_positions(met_live_finder *finder, const met_node *node, const conditions *from,
                                      const met_access *access)
{
    met_affine *position = MET_NEW_ARRAY(finder->scratch, met_affine, node->index_count);
    bool *there = MET_NEW_ARRAY(finder->scratch, bool, node->index_count);
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index) || there[index])
            return NULL;
        there[index] = true;
        position[index] = met_affine_index(finder->scratch, p, 1);
    }
    conditions *to = MET_NEW(finder->scratch, conditions);
    for (uint32_t g = 0; g < from->count; g++) {
        for (uint32_t t = 0; t < from->at[g].term_count; t++)
            if (from->at[g].terms[t].kind == MET_TERM_INDEX && !there[from->at[g].terms[t].index])
                return NULL;
        if (!met_affine_substitute(finder->scratch, from->at[g], position, &to->at[to->count++]))
            return NULL;
    }
    return to;
}

/* Whether a node makes every element of its result from the elements of its inputs at the same place. */
static bool is_map(const met_node *node)
{
    if (!node->op || node->op->form != MET_FORM_FOLD || node->out_count != 1)
        return false;
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced)
            return false;
    return true;
}

/* Asks the only reader of an edge without guards of its own. Readers come later than producers, so they are done. */
static const conditions *asked_by_reader(met_live_finder *finder, uint32_t e)
{
    const met_derivation *facts = finder->facts;
    if (facts->kept[e] || facts->reader_begin[e + 1] != facts->reader_begin[e] + 1)
        return NULL;
    const met_node *reader = &finder->circuit->nodes[facts->readers[facts->reader_begin[e]].id];
    const conditions *wanted = is_map(reader) ? finder->asked[reader->outs[0].id] : NULL;
    conditions of_indices = { 0 };
    if (!wanted || !to_indices(finder, wanted, &reader->out_access[0], &of_indices))
        return NULL;
    for (uint32_t k = 0; k < reader->in_count; k++)
        if (reader->ins[k].id == e)
            return to_positions(finder, reader, &of_indices, &reader->in_access[k]);
    return NULL;
}

met_live_finder *met_live_finder_new(const met_circuit *circuit, const met_derivation *facts, met_arena *scratch)
{
    met_live_finder *finder = MET_NEW(scratch, met_live_finder);
    finder->circuit = circuit;
    finder->facts = facts;
    finder->scratch = scratch;
    finder->asked = MET_NEW_ARRAY(scratch, const conditions *, circuit->edge_count);
    for (uint32_t e = circuit->edge_count; e-- > 0;)
        finder->asked[e] = circuit->edges[e].guard_count > 0 ? own_guards(finder, &circuit->edges[e]) : asked_by_reader(finder, e);
    return finder;
}

/* --- Of a node --- */

static bool same_question(const known_share *a, const known_share *b)
{
    bool same = a->index_count == b->index_count && a->of.count == b->of.count;
    for (uint32_t i = 0; same && i < a->index_count; i++)
        same = a->sizes[i] == b->sizes[i];
    for (uint32_t g = 0; same && g < a->of.count; g++)
        same = met_affine_equal(a->of.at[g], b->of.at[g]);
    return same;
}

static double share_of(met_live_finder *finder, known_share *question)
{
    for (uint32_t k = 0; k < finder->known_count; k++)
        if (same_question(&finder->known[k], question))
            return finder->known[k].share;
    uint64_t live;
    double all = 1;
    for (uint32_t i = 0; i < question->index_count; i++)
        all *= (double)question->sizes[i];
    question->share = 1;
    if (met_live_count(question->index_count, question->sizes, question->of.count, question->of.at, &live))
        question->share = (double)live / all;
    if (finder->known_count < KNOWN)
        finder->known[finder->known_count++] = *question;
    return question->share;
}

/* The most that a condition reaches at a place of index `i`, whatever the other indices are: constant + by·i. */
static void most_of(const known_share *q, const met_affine *condition, uint32_t i, double *ret_constant, double *ret_by)
{
    *ret_constant = (double)condition->constant;
    *ret_by = 0;
    for (uint32_t t = 0; t < condition->term_count; t++) {
        const met_affine_term *term = &condition->terms[t];
        double by = (double)term->coefficient;
        uint64_t size;
        if (term->kind == MET_TERM_SIZE)
            *ret_constant += met_dim_is_constant(term->size, &size) ? by * (double)size : 0;
        else if (term->index == i)
            *ret_by += by;
        else if (by > 0)
            *ret_constant += by * (double)(q->sizes[term->index] - 1);
    }
}

/* Share of the places of one index from the first to the last that any condition leaves alive. Exact for causal masks and
 * windows; never too small. */
static double span_of(const known_share *q, uint32_t i)
{
    double first = 0, last = (double)q->sizes[i] - 1;
    for (uint32_t g = 0; g < q->of.count; g++) {
        double constant, by;
        most_of(q, &q->of.at[g], i, &constant, &by);
        if (by == 1 && -constant > first)
            first = -constant;
        else if (by == -1 && constant < last)
            last = constant;
    }
    return last < first ? 0 : (last - first + 1) / (double)q->sizes[i];
}

static bool find_conditions(met_live_finder *finder, const met_node *node, conditions *ret_conditions)
{
    *ret_conditions = (conditions){ 0 };
    bool good = true;
    for (uint32_t k = 0; good && k < node->in_count; k++)
        if (finder->asked[node->ins[k].id])
            good = to_indices(finder, finder->asked[node->ins[k].id], &node->in_access[k], ret_conditions);
    for (uint32_t k = 0; good && k < node->out_count; k++)
        if (finder->asked[node->outs[k].id] && ret_conditions->count == 0)
            good = to_indices(finder, finder->asked[node->outs[k].id], &node->out_access[k], ret_conditions);
    return good && ret_conditions->count > 0;
}

met_live met_live_of_node(met_live_finder *finder, uint32_t n)
{
    const met_node *node = &finder->circuit->nodes[n];
    double *of_index = MET_NEW_ARRAY(finder->scratch, double, node->index_count);
    met_live live = { 1, of_index };
    known_share question = { .index_count = node->index_count };
    for (uint32_t i = 0; i < node->index_count; i++)
        of_index[i] = 1;
    if (node->index_count > MET_RANK_LIMIT || !find_conditions(finder, node, &question.of))
        return live;
    for (uint32_t i = 0; i < node->index_count; i++)
        if (!met_circuit_size(finder->circuit, node->indices[i].axis, &question.sizes[i]) || question.sizes[i] == 0)
            return live;
    live.share = share_of(finder, &question);
    for (uint32_t i = 0; i < node->index_count; i++)
        of_index[i] = span_of(&question, i);
    return live;
}
