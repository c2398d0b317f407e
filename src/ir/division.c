/* Which divisions can move behind contractions. A map divides by D if its formula is a product of factors of which D is
 * one below the line (a/b, a/b*c, a/sqrt(b + eps)). D moves if it reads something; if all readers of the result are sums of
 * products with the result as one factor, or maps that are such products and whose readers are; and if D lacks every index
 * that these sums run over. The real values stay the same: Σ (n/D)·v = (Σ n·v)/D. */
#include "ir/affine.h"
#include "ir/division_parts.h"
#include "ir/primitive.h"

enum { CHAIN = 8 /* maps between a division and its contraction */, DIVISORS = 8 };

/* The ops that divide after a contraction unless told otherwise: those whose statistic is a sum or a largest of what the
 * contraction reads. What is written as a division stays where it was written. */
static const bool defers[MET_OP_COUNT] = {
    [MET_OP_softmax] = true, [MET_OP_l1norm] = true, [MET_OP_l2norm] = true, [MET_OP_maxnorm] = true,
};

typedef struct reader {
    uint32_t node, input;
} reader;

typedef struct decider {
    const met_circuit *circuit;
    met_arena *arena;
    uint32_t *first; /* by edge: its readers begin there in `readers`, and end where those of the next begin */
    reader *readers;
    bool *result; /* by edge: an output of the circuit, or a state's new value */
    const met_node *node; /* the map at hand … */
    uint64_t kept;        /* … and its indices that no reader folds */
} decider;

static void index_readers(decider *d)
{
    const met_circuit *c = d->circuit;
    d->first = MET_NEW_ARRAY(d->arena, uint32_t, c->edge_count + 2);
    d->result = MET_NEW_ARRAY(d->arena, bool, c->edge_count);
    uint32_t total = 0;
    for (uint32_t n = 0; n < c->node_count; n++)
        for (uint32_t k = 0; k < c->nodes[n].in_count; k++, total++)
            d->first[c->nodes[n].ins[k].id + 2]++;
    for (uint32_t e = 2; e < c->edge_count + 2; e++)
        d->first[e] += d->first[e - 1];
    d->readers = MET_NEW_ARRAY(d->arena, reader, total);
    for (uint32_t n = 0; n < c->node_count; n++)
        for (uint32_t k = 0; k < c->nodes[n].in_count; k++)
            d->readers[d->first[c->nodes[n].ins[k].id + 1]++] = (reader){ n, k };
    for (uint32_t i = 0; i < c->output_count; i++)
        d->result[c->outputs[i].id] = true;
    for (uint32_t s = 0; s < c->state_count; s++)
        d->result[c->states[s].out.id] = true;
}

/* --- Readers: sums of products --- */

/* Whether the formula is this input times something that does not read it. */
static bool is_factor(const met_scalar *e, uint32_t input)
{
    if (e->kind == MET_SCALAR_INPUT)
        return e->input == input;
    if (e->kind != MET_SCALAR_CALL)
        return false;
    const met_scalar *a = e->arguments[0], *b = e->arguments[1];
    if (e->fn == MET_FN_mul)
        return (is_factor(a, input) && !met_scalar_reads(b, input)) || (is_factor(b, input) && !met_scalar_reads(a, input));
    return (e->fn == MET_FN_neg && is_factor(a, input)) ||
           (e->fn == MET_FN_div && is_factor(a, input) && !met_scalar_reads(b, input));
}

static bool is_plain(const met_circuit *c, met_edge_id edge)
{
    return met_format_is_plain(c->edges[edge.id].format);
}

static bool follow(decider *d, met_edge_id edge, const uint32_t *place, int depth);

/* One reader; place[i] is where index i of the map stands in the edge that is read, or MET_NONE. */
static bool follow_reader(decider *d, const reader *at, const uint32_t *place, int depth)
{
    const met_node *node = &d->circuit->nodes[at->node];
    const met_access *access = &node->in_access[at->input];
    if (!node->op || node->op->form != MET_FORM_FOLD || !is_plain(d->circuit, node->outs[0]))
        return false;
    for (uint32_t k = 0; k < node->in_count; k++)
        if (k != at->input && node->ins[k].id == node->ins[at->input].id)
            return false;
    met_primitive form = met_node_primitive(d->circuit, node);
    if (!is_factor(form.e, at->input))
        return false;
    uint32_t *next = MET_NEW_ARRAY(d->arena, uint32_t, d->node->index_count);
    for (uint32_t i = 0; i < d->node->index_count; i++) {
        uint32_t index;
        bool pure = place[i] != MET_NONE && met_affine_is_index(access->at[place[i]], &index);
        next[i] = pure ? met_output_position(node, index) : MET_NONE;
    }
    if (form.monoid == MET_MONOID_NONE)
        return depth < CHAIN && follow(d, node->outs[0], next, depth + 1);
    bool folds = false;
    for (uint32_t i = 0; i < node->index_count; i++)
        for (uint32_t p = 0; p < access->rank; p++)
            folds = folds || (node->indices[i].reduced && met_affine_reads_index(access->at[p], i));
    for (uint32_t i = 0; i < d->node->index_count; i++)
        if (next[i] == MET_NONE)
            d->kept &= ~(UINT64_C(1) << i);
    return folds && form.monoid == MET_MONOID_ADD;
}

static bool follow(decider *d, met_edge_id edge, const uint32_t *place, int depth)
{
    uint32_t begin = d->first[edge.id], end = d->first[edge.id + 1];
    bool good = begin < end && !d->result[edge.id] && is_plain(d->circuit, edge);
    for (uint32_t r = begin; r < end && good; r++)
        good = follow_reader(d, &d->readers[r], place, depth);
    return good;
}

/* --- The map: what it divides by --- */

/* The indices that a formula depends on; false if it reads an array elsewhere than along an index of its axis, or an index
 * as a number. */
static bool indices_of(const decider *d, const met_scalar *e, uint64_t *indices)
{
    if (!e || e->kind == MET_SCALAR_NUMBER || e->kind == MET_SCALAR_SIZE)
        return true;
    if (e->kind == MET_SCALAR_INDEX)
        return false;
    if (e->kind == MET_SCALAR_CALL)
        return indices_of(d, e->arguments[0], indices) && indices_of(d, e->arguments[1], indices) &&
               indices_of(d, e->arguments[2], indices);
    const met_access *access = &d->node->in_access[e->input];
    const met_edge *edge = &d->circuit->edges[d->node->ins[e->input].id];
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index) || d->node->indices[index].axis.id != edge->axes[p].id)
            return false;
        *indices |= UINT64_C(1) << index;
    }
    return true;
}

typedef struct split {
    const decider *d;
    uint32_t count;
    const met_scalar *divisors[DIVISORS];
} split;

static bool leaves(split *s, const met_scalar *divisor)
{
    uint64_t indices = 0;
    if (s->count == DIVISORS || !met_scalar_reads_any(divisor) || !indices_of(s->d, divisor, &indices) || (indices & ~s->d->kept))
        return false;
    s->divisors[s->count++] = divisor;
    return true;
}

static const met_scalar *call(const split *s, met_scalar_fn fn, const met_scalar *a, const met_scalar *b)
{
    return met_scalar_call(s->d->arena, fn, a, b, NULL);
}

/* What is left of a factor below the line; NULL if nothing is. */
static const met_scalar *split_below(split *s, const met_scalar *e)
{
    if (leaves(s, e))
        return NULL;
    if (e->kind != MET_SCALAR_CALL || e->fn != MET_FN_mul)
        return e;
    const met_scalar *a = split_below(s, e->arguments[0]), *b = split_below(s, e->arguments[1]);
    return !a ? b : !b ? a : call(s, MET_FN_mul, a, b);
}

/* What is left of a factor above the line when the divisors that can leave have left; NULL if nothing is. */
static const met_scalar *split_above(split *s, const met_scalar *e)
{
    if (e->kind != MET_SCALAR_CALL)
        return e;
    const met_scalar *a = e->arguments[0], *b = e->arguments[1];
    switch (e->fn) {
    case MET_FN_mul:
        a = split_above(s, a);
        b = split_above(s, b);
        return !a ? b : !b ? a : call(s, MET_FN_mul, a, b);
    case MET_FN_div:
        a = split_above(s, a);
        b = split_below(s, b);
        return !b ? a : call(s, MET_FN_div, a ? a : met_scalar_number(s->d->arena, 1), b);
    case MET_FN_neg:
        a = split_above(s, a);
        return call(s, MET_FN_neg, a ? a : met_scalar_number(s->d->arena, 1), NULL);
    case MET_FN_recip:
        b = split_below(s, a);
        return !b ? NULL : b == a ? e : call(s, MET_FN_recip, b, NULL);
    case MET_FN_rsqrt:
        return leaves(s, call(s, MET_FN_sqrt, a, NULL)) ? NULL : e;
    default:
        return e;
    }
}

/* --- Where a division stands already --- */

/* Whether edge `from` is computed from edge `of`. */
static bool depends(const decider *d, met_edge_id from, met_edge_id of)
{
    const met_circuit *c = d->circuit;
    uint32_t begin = c->edges[of.id].producer.id, end = c->edges[from.id].producer.id;
    if (from.id == of.id)
        return true;
    if (end == MET_NONE || end <= begin)
        return false;
    bool *needed = MET_NEW_ARRAY(d->arena, bool, end - begin + 1); /* by node from `begin` on */
    needed[end - begin] = true;
    for (uint32_t n = end; n > begin; n--) {
        for (uint32_t k = 0; needed[n - begin] && k < c->nodes[n].in_count; k++) {
            uint32_t producer = c->edges[c->nodes[n].ins[k].id].producer.id;
            if (producer != MET_NONE && producer >= begin)
                needed[producer - begin] = true;
        }
    }
    return needed[0];
}

/* A contraction's result over something that is not made of it: this division stands behind the contraction. It may have
 * been moved there, and settling twice is settling once. */
static bool stands_behind(const decider *d, const met_scalar *rest, const met_scalar *divisor)
{
    const met_node *node = d->node;
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t producer = d->circuit->edges[node->ins[k].id].producer.id;
        const met_op *op = producer == MET_NONE ? NULL : d->circuit->nodes[producer].op;
        if (!is_factor(rest, k) || !op || op->form != MET_FORM_FOLD ||
            met_node_primitive(d->circuit, &d->circuit->nodes[producer]).monoid != MET_MONOID_ADD)
            continue;
        bool made_of_it = false;
        for (uint32_t j = 0; j < node->in_count; j++)
            made_of_it = made_of_it || (met_scalar_reads(divisor, j) && depends(d, node->ins[j], node->ins[k]));
        if (!made_of_it)
            return true;
    }
    return false;
}

/* --- The whole --- */

/* Whether a guard of the map's result depends on an index that its readers fold: then rows may be empty. */
static bool may_be_empty(const decider *d)
{
    const met_node *node = d->node;
    const met_edge *edge = &d->circuit->edges[node->outs[0].id];
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        const met_guard *guard = &edge->guards[g];
        for (uint32_t i = 0; i < node->index_count; i++) {
            uint32_t p = met_output_position(node, i);
            bool reads = met_affine_reads_index(guard->expression, p);
            for (uint32_t v = 0; v < guard->value_rank; v++)
                reads = reads || met_affine_reads_index(guard->value_at[v], p);
            if (reads && !(d->kept >> i & 1))
                return true;
        }
    }
    return false;
}

static const met_divisor *make_divisor(const decider *d, const met_scalar *e, bool empty, const met_divisor *next)
{
    const met_node *node = d->node;
    uint32_t *to = MET_NEW_ARRAY(d->arena, uint32_t, node->in_count);
    met_affine *position = MET_NEW_ARRAY(d->arena, met_affine, node->index_count);
    met_edge_id *ins = MET_NEW_ARRAY(d->arena, met_edge_id, node->in_count);
    met_access *access = MET_NEW_ARRAY(d->arena, met_access, node->in_count);
    met_divisor *divisor = MET_NEW(d->arena, met_divisor);
    *divisor = (met_divisor){ .ins = ins, .access = access, .may_be_empty = empty, .next = next };
    for (uint32_t i = 0; i < node->index_count; i++)
        position[i] = met_affine_index(d->arena, met_output_position(node, i), 1);
    for (uint32_t k = 0; k < node->in_count; k++) {
        if (!met_scalar_reads(e, k))
            continue;
        const met_access *in = &node->in_access[k];
        met_affine *at = MET_NEW_ARRAY(d->arena, met_affine, in->rank);
        for (uint32_t p = 0; p < in->rank; p++)
            met_affine_substitute(d->arena, in->at[p], position, &at[p]); /* an index for an index: nothing overflows */
        to[k] = divisor->in_count++;
        ins[to[k]] = node->ins[k];
        access[to[k]] = (met_access){ in->rank, at };
    }
    divisor->e = met_scalar_rename(d->arena, e, to);
    return divisor;
}

/* Every index of the map still has an input that reads it. */
static bool covers(const decider *d, const met_scalar *rest)
{
    for (uint32_t i = 0; i < d->node->index_count; i++) {
        bool read = false;
        for (uint32_t k = 0; k < d->node->in_count && !read; k++)
            for (uint32_t p = 0; p < d->node->in_access[k].rank && met_scalar_reads(rest, k); p++)
                read = read || met_affine_reads_index(d->node->in_access[k].at[p], i);
        if (!read)
            return false;
    }
    return true;
}

static met_division_plan decide(decider *d, const met_node *node)
{
    met_division_plan stays = { 0 };
    met_primitive form = met_node_primitive(d->circuit, node);
    if (form.monoid != MET_MONOID_NONE || node->out_count != 1 || node->index_count > 64)
        return stays;
    d->node = node;
    d->kept = UINT64_MAX;
    split any = { .d = d };
    const met_scalar *rest = split_above(&any, form.e);
    if (any.count == 0 || !rest) /* most maps: no need to look at readers */
        return stays;
    uint32_t *place = MET_NEW_ARRAY(d->arena, uint32_t, node->index_count);
    for (uint32_t i = 0; i < node->index_count; i++)
        place[i] = met_output_position(node, i);
    split s = { .d = d };
    if (!follow(d, node->outs[0], place, 0))
        return stays;
    rest = split_above(&s, form.e);
    if (s.count == 0 || !rest || !covers(d, rest))
        return stays;
    met_division_plan moves = { .rest = rest };
    for (uint32_t i = s.count; i-- > 0;) {
        if (stands_behind(d, rest, s.divisors[i]))
            return stays;
        moves.leaving = make_divisor(d, s.divisors[i], may_be_empty(d), moves.leaving);
    }
    return moves;
}

const met_division_plan *met_division_decide(const met_circuit *circuit, met_division division, const met_op_id *origins)
{
    decider d = { .circuit = circuit, .arena = circuit->arena };
    met_division_plan *plans = MET_NEW_ARRAY(circuit->arena, met_division_plan, circuit->node_count);
    index_readers(&d);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        bool asked = division == MET_DIVISION_DEFERRED || defers[origins[n]];
        if (asked && node->op && node->op->form == MET_FORM_FOLD)
            plans[n] = decide(&d, node);
    }
    return plans;
}
