/* Moving divisions: a map keeps its other factors, or goes if nothing but its input is left; its divisors travel along the
 * edges through maps; behind a contraction stands a new map that divides. What was stored before the contraction keeps its
 * name and format, the undivided sum is an edge within an expansion, and the quotient is the contraction's old result. */
#include "ir/affine.h"
#include "ir/division_parts.h"
#include "ir/primitive.h"
#include "ir/rebuild.h"

typedef struct mover {
    met_rebuild to;
    const met_circuit *from;
    met_arena *arena;
    const met_division_plan *plans;
    const met_divisor **waiting; /* by edge of `from`: what it is still to be divided by */
    bool gone;                   /* the node before was left out */
} mover;

static met_attr formula_attr(const mover *m, const met_node *node, const met_scalar *e)
{
    return (met_attr){ .key = met_intern(m->from->session, met_str_of("e")), .kind = MET_ATTR_SCALAR, .given = true,
                       .scalar = e, .span = node->span };
}

/* --- The map that divided --- */

/* Whether the result is input k, position by position and in the same format. */
static bool is_same(const mover *m, const met_node *node, uint32_t k)
{
    const met_edge *in = &m->from->edges[node->ins[k].id], *out = &m->from->edges[node->outs[0].id];
    bool same = in->rank == out->rank && met_format_equal(in->format, out->format);
    for (uint32_t p = 0; same && p < in->rank; p++)
        same = in->axes[p].id == out->axes[p].id && met_affine_equal(node->in_access[k].at[p], node->out_access[0].at[p]);
    return same;
}

/* A block keeps at least one node. */
static bool may_go(const mover *m, uint32_t n)
{
    met_block_id block = m->from->nodes[n].block;
    return block.id == MET_NONE || (n > 0 && !m->gone && m->from->nodes[n - 1].block.id == block.id);
}

/* The node with what is left of its formula, as a map over the inputs that this reads. */
static void keep_rest(mover *m, const met_node *node, const met_scalar *rest)
{
    met_node map = *node;
    uint32_t *to = MET_NEW_ARRAY(m->arena, uint32_t, node->in_count);
    met_edge_id *ins = MET_NEW_ARRAY(m->arena, met_edge_id, node->in_count);
    met_access *access = MET_NEW_ARRAY(m->arena, met_access, node->in_count);
    met_attr *attr = MET_NEW(m->arena, met_attr);
    map.in_count = 0;
    for (uint32_t k = 0; k < node->in_count; k++) {
        if (!met_scalar_reads(rest, k))
            continue;
        to[k] = map.in_count;
        ins[map.in_count] = m->to.edge_of[node->ins[k].id];
        access[map.in_count++] = node->in_access[k];
    }
    *attr = formula_attr(m, node, met_scalar_rename(m->arena, rest, to));
    map.op = met_op_by_id(MET_OP_map);
    map.ins = ins;
    map.in_access = access;
    map.attrs = attr;
    map.attr_count = 1;
    m->to.edge_of[node->outs[0].id] = met_rebuild_add(&m->to, map, m->from->edges[node->outs[0].id]);
}

static void take_divisors(mover *m, uint32_t n)
{
    const met_node *node = &m->from->nodes[n];
    const met_scalar *rest = m->plans[n].rest;
    uint32_t out = node->outs[0].id;
    bool goes = rest->kind == MET_SCALAR_INPUT && is_same(m, node, rest->input) && may_go(m, n);
    if (goes)
        m->to.edge_of[out] = m->to.edge_of[node->ins[rest->input].id];
    else
        keep_rest(m, node, rest);
    m->gone = goes;
}

/* --- On the way --- */

uint32_t met_output_position(const met_node *node, uint32_t index)
{
    for (uint32_t p = 0; p < node->out_access[0].rank; p++)
        if (met_affine_reads_index(node->out_access[0].at[p], index))
            return p;
    return MET_NONE;
}

/* The divisors of input k with positions of the node's result, in front of `after`. */
static const met_divisor *pass(const mover *m, const met_node *node, uint32_t k, const met_divisor *after)
{
    const met_access *in = &node->in_access[k];
    met_affine *position = MET_NEW_ARRAY(m->arena, met_affine, in->rank);
    for (uint32_t p = 0; p < in->rank; p++) {
        uint32_t index, to = met_affine_is_index(in->at[p], &index) ? met_output_position(node, index) : MET_NONE;
        position[p] = to == MET_NONE ? met_affine_constant(0) : met_affine_index(m->arena, to, 1); /* not read otherwise */
    }
    for (const met_divisor *d = m->waiting[node->ins[k].id]; d; d = d->next) {
        met_divisor *moved = met_arena_copy(m->arena, d, 1, sizeof *d);
        met_access *access = met_arena_copy(m->arena, d->access, d->in_count, sizeof *access);
        for (uint32_t i = 0; i < d->in_count; i++) {
            met_affine *at = MET_NEW_ARRAY(m->arena, met_affine, access[i].rank);
            for (uint32_t p = 0; p < access[i].rank; p++)
                met_affine_substitute(m->arena, access[i].at[p], position, &at[p]);
            access[i].at = at;
        }
        moved->access = access;
        moved->next = after;
        after = moved;
    }
    return after;
}

/* --- Behind the contraction --- */

/* a/D, or 0 where D is 0 if there may be nothing to add up. */
static const met_scalar *quotient(met_arena *arena, const met_scalar *a, const met_scalar *divisor, bool may_be_empty)
{
    const met_scalar *zero = met_scalar_number(arena, 0);
    a = met_scalar_call(arena, MET_FN_div, a, divisor, NULL);
    const met_scalar *empty = met_scalar_call(arena, MET_FN_eq, divisor, zero, NULL);
    return may_be_empty ? met_scalar_call(arena, MET_FN_select, empty, zero, a) : a;
}

/* A map over the positions of the contraction's result, which is its input 0, and then the divisors'. */
static met_node division_node(const mover *m, const met_node *contraction, met_edge_id sum, const met_divisor *divisors)
{
    const met_access *out = &contraction->out_access[0];
    uint32_t in_count = 1;
    for (const met_divisor *d = divisors; d; d = d->next)
        in_count += d->in_count;
    met_index *indices = MET_NEW_ARRAY(m->arena, met_index, out->rank);
    met_affine *own = MET_NEW_ARRAY(m->arena, met_affine, out->rank);
    met_access *access = MET_NEW_ARRAY(m->arena, met_access, in_count + 1);
    met_edge_id *ins = MET_NEW_ARRAY(m->arena, met_edge_id, in_count);
    met_attr *attr = MET_NEW(m->arena, met_attr);
    for (uint32_t p = 0; p < out->rank; p++) {
        indices[p] = contraction->indices[out->at[p].terms[0].index];
        indices[p].target = false;
        own[p] = met_affine_index(m->arena, p, 1);
    }
    ins[0] = sum;
    access[0] = access[in_count] = (met_access){ out->rank, own };
    const met_scalar *e = met_scalar_input(m->arena, 0);
    uint32_t k = 1;
    for (const met_divisor *d = divisors; d; d = d->next) {
        uint32_t *to = MET_NEW_ARRAY(m->arena, uint32_t, d->in_count);
        for (uint32_t i = 0; i < d->in_count; i++, k++) {
            to[i] = k;
            ins[k] = m->to.edge_of[d->ins[i].id];
            access[k] = d->access[i];
        }
        e = quotient(m->arena, e, met_scalar_rename(m->arena, d->e, to), d->may_be_empty);
    }
    *attr = formula_attr(m, contraction, e);
    return (met_node){ .op = met_op_by_id(MET_OP_map), .index_count = out->rank, .indices = indices, .in_count = in_count,
                       .ins = ins, .in_access = access, .out_access = &access[in_count], .attr_count = 1, .attrs = attr,
                       .block = contraction->block, .span = contraction->span };
}

static void divide(mover *m, const met_node *node, const met_divisor *divisors)
{
    const met_edge *result = &m->from->edges[node->outs[0].id];
    met_node contraction = *node;
    met_edge_id *ins = MET_NEW_ARRAY(m->arena, met_edge_id, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++)
        ins[k] = m->to.edge_of[node->ins[k].id];
    contraction.ins = ins;
    met_edge sum = *result;
    sum.name = met_rebuild_name(&m->to, result->name, "undivided");
    sum.format = met_inner_format(m->from->default_format);
    sum.format_origin = MET_FORMAT_INNER;
    met_edge_id undivided = met_rebuild_add(&m->to, contraction, sum);
    m->to.edge_of[node->outs[0].id] = met_rebuild_add(&m->to, division_node(m, node, undivided, divisors), *result);
}

static bool folds(const met_circuit *circuit, const met_node *node)
{
    return node->op->form == MET_FORM_FOLD && met_node_primitive(circuit, node).monoid != MET_MONOID_NONE;
}

static void move_node(mover *m, uint32_t n)
{
    const met_node *node = &m->from->nodes[n];
    const met_divisor *divisors = m->plans[n].leaving;
    for (uint32_t k = 0; k < node->in_count; k++)
        divisors = pass(m, node, k, divisors);
    met_rebuild_at(&m->to, n);
    if (m->plans[n].leaving) {
        take_divisors(m, n);
        m->waiting[node->outs[0].id] = divisors;
        return;
    }
    m->gone = false;
    if (divisors && folds(m->from, node)) {
        divide(m, node, divisors);
        return;
    }
    met_rebuild_copy(&m->to, node, divisors != NULL);
    for (uint32_t k = 0; divisors && k < node->out_count; k++)
        m->waiting[node->outs[k].id] = divisors;
}

/* Nothing moves: every node stays what it is. */
static met_circuit *same_circuit(const met_circuit *circuit, const uint32_t **ret_begin)
{
    uint32_t *begin = MET_NEW_ARRAY(circuit->arena, uint32_t, (size_t)circuit->node_count + 1);
    for (uint32_t n = 0; n <= circuit->node_count; n++)
        begin[n] = n;
    *ret_begin = begin;
    return met_arena_copy(circuit->arena, circuit, 1, sizeof *circuit);
}

met_circuit *met_settle_divisions(const met_circuit *circuit, met_division division, const met_op_id *origins,
                                  const uint32_t **ret_begin)
{
    if (division == MET_DIVISION_EAGER)
        return same_circuit(circuit, ret_begin);
    mover m = { .to = met_rebuild_begin(circuit), .from = circuit, .arena = circuit->arena,
                .plans = met_division_decide(circuit, division, origins) };
    m.waiting = MET_NEW_ARRAY(m.arena, const met_divisor *, circuit->edge_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        move_node(&m, n);
    *ret_begin = m.to.node_begin;
    return met_rebuild_end(&m.to);
}
