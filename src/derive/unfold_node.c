/* A node at a place: what its indices are there, what its inputs are, and its formula over them. */
#include "derive/unfold_parts.h"
#include "ir/affine.h"
#include "ir/primitive.h"

static bool refused(met_unfolder *u, uint32_t node, const char *reason)
{
    met_unfold_refuse(u, node, reason);
    return false;
}

static const met_scalar *times(met_unfolder *u, const met_scalar *a, double factor)
{
    return factor == 1 ? a : met_scalar_call(u->arena, MET_FN_mul, met_scalar_number(u->arena, factor), a, NULL);
}

/* The part of an affine expression with positive (or negative) coefficients; NULL if there is none. */
static const met_scalar *affine_part(met_unfolder *u, met_affine at, int sign)
{
    const met_scalar *sum = at.constant * sign > 0 ? met_scalar_number(u->arena, (double)(at.constant * sign)) : NULL;
    for (uint32_t i = at.term_count; i-- > 0;) {
        const met_affine_term *term = &at.terms[i];
        if ((term->coefficient > 0) != (sign > 0))
            continue;
        bool index = term->kind == MET_TERM_INDEX;
        const met_scalar *leaf = index ? met_scalar_index(u->arena, term->index) : met_scalar_size(u->arena, term->size);
        leaf = times(u, leaf, (double)(term->coefficient * sign));
        sum = sum ? met_scalar_call(u->arena, MET_FN_add, leaf, sum, NULL) : leaf;
    }
    return sum;
}

static const met_scalar *affine_scalar(met_unfolder *u, met_affine at)
{
    const met_scalar *over = affine_part(u, at, 1), *under = affine_part(u, at, -1);
    if (!over)
        over = met_scalar_number(u->arena, 0);
    return under ? met_scalar_call(u->arena, MET_FN_sub, over, under, NULL) : over;
}

/* under <= over, with what an integer array holds on its side. */
static const met_scalar *guard_scalar(met_unfolder *u, const met_guard *guard, const met_affine *at)
{
    met_affine expression;
    if (!met_affine_substitute(u->arena, guard->expression, at, &expression))
        return NULL;
    const met_scalar *sides[2] = { affine_part(u, expression, 1), affine_part(u, expression, -1) };
    if (guard->value.id != MET_NONE) {
        met_affine *where = MET_NEW_ARRAY(u->arena, met_affine, guard->value_rank);
        for (uint32_t p = 0; p < guard->value_rank; p++)
            if (!met_affine_substitute(u->arena, guard->value_at[p], at, &where[p]))
                return NULL;
        uint32_t value = met_unfold_edge(u, guard->value.id, where);
        if (value == MET_NONE)
            return NULL;
        const met_scalar **side = &sides[guard->value_sign < 0];
        const met_scalar *leaf = met_scalar_input(u->arena, value);
        *side = *side ? met_scalar_call(u->arena, MET_FN_add, *side, leaf, NULL) : leaf;
    }
    for (int i = 0; i < 2; i++)
        if (!sides[i])
            sides[i] = met_scalar_number(u->arena, 0);
    return met_scalar_call(u->arena, MET_FN_le, sides[1], sides[0], NULL);
}

/* A node while it is unfolded at a place. */
typedef struct place {
    const met_node *node;
    uint32_t id;
    met_primitive form;
    met_affine *indices;       /* of the node, over loops */
    met_loops busy, reduced;
    uint32_t *inputs;          /* values; MET_NONE where not asked for */
    uint32_t read_loop;        /* READ: runs over the table */
} place;

/* What the output's place says about the node's indices. */
static bool place_kept(met_unfolder *u, place *p, uint32_t output, const met_affine *at)
{
    const met_access *access = &p->node->out_access[output];
    bool *known = MET_NEW_ARRAY(u->arena, bool, p->node->index_count);
    p->indices = MET_NEW_ARRAY(u->arena, met_affine, p->node->index_count);
    for (uint32_t k = 0; k < access->rank; k++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[k], &index))
            return refused(u, p->id, "an output is written at computed positions");
        p->indices[index] = at[k];
        p->busy |= met_unfold_loops(at[k]);
        known[index] = true;
    }
    for (uint32_t i = 0; i < p->node->index_count; i++)
        if (!known[i] && !p->node->indices[i].reduced)
            return refused(u, p->id, "an output lacks one of the indices");
    return true;
}

static bool place_reduced(met_unfolder *u, place *p)
{
    for (uint32_t i = 0; i < p->node->index_count; i++) {
        const met_index *index = &p->node->indices[i];
        if (!index->reduced || i == p->form.read_index)
            continue;
        uint32_t loop = met_unfold_loop(u, index->axis.id, p->busy, met_sym_text(u->circuit->session, index->label));
        if (loop == MET_NONE)
            return false;
        p->indices[i] = met_affine_index(u->arena, loop, 1);
        p->busy |= (met_loops)1 << loop;
        p->reduced |= (met_loops)1 << loop;
    }
    return true;
}

static met_affine *input_place(met_unfolder *u, const place *p, uint32_t input)
{
    const met_access *access = &p->node->in_access[input];
    met_affine *at = MET_NEW_ARRAY(u->arena, met_affine, access->rank);
    for (uint32_t k = 0; k < access->rank; k++)
        if (!met_affine_substitute(u->arena, access->at[k], p->indices, &at[k]))
            return NULL;
    return at;
}

static bool unfold_inputs(met_unfolder *u, place *p, met_region_value *value)
{
    p->inputs = MET_NEW_ARRAY(u->arena, uint32_t, p->node->in_count);
    for (uint32_t k = 0; k < p->node->in_count; k++) {
        uint32_t edge = p->node->ins[k].id;
        met_affine *at = input_place(u, p, k);
        if (!at)
            return refused(u, p->id, "a position is beyond the range of numbers");
        if (p->form.form == MET_FORM_READ && k == p->form.table) /* read at every position, see unfold_read */
            at[p->form.read_position] = met_affine_index(u->arena, p->read_loop, 1);
        p->inputs[k] = met_unfold_edge(u, edge, at);
        if (p->inputs[k] == MET_NONE)
            return false;
        for (uint32_t g = 0; p->reduced && g < u->circuit->edges[edge].guard_count; g++) {
            const met_scalar *live = guard_scalar(u, &u->circuit->edges[edge].guards[g], at);
            if (!live)
                return refused(u, p->id, "a mask is beyond the range of numbers");
            value->live = value->live ? met_scalar_call(u->arena, MET_FN_and, value->live, live, NULL) : live;
        }
    }
    return true;
}

/* table[ids[…]] = Σ_x (x == id ? table[x] : 0), which streams along x as any sum does: the summand. */
static const met_scalar *selected(met_unfolder *u, const place *p)
{
    const met_scalar *is_it = met_scalar_call(u->arena, MET_FN_eq, met_scalar_index(u->arena, p->read_loop),
                                              met_scalar_input(u->arena, p->inputs[p->form.ids]), NULL);
    return met_scalar_call(u->arena, MET_FN_select, is_it, met_scalar_input(u->arena, p->inputs[p->form.table]),
                           met_scalar_number(u->arena, 0));
}

/* The node's formula over values and loops. */
static const met_scalar *formula(met_unfolder *u, const place *p, const met_scalar *e)
{
    const met_scalar *of[3] = { NULL, NULL, NULL };
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
    case MET_SCALAR_SIZE:
        return e;
    case MET_SCALAR_INPUT:
        return p->form.form == MET_FORM_READ && e->input == p->form.table
                   ? selected(u, p) : met_scalar_input(u->arena, p->inputs[e->input]);
    case MET_SCALAR_INDEX:
        return affine_scalar(u, p->indices[e->index]);
    case MET_SCALAR_CALL:
        break;
    }
    for (int i = 0; i < 3; i++)
        of[i] = e->arguments[i] ? formula(u, p, e->arguments[i]) : NULL;
    return met_scalar_call(u->arena, e->fn, of[0], of[1], of[2]);
}

static met_region_fold fold_of(met_monoid monoid)
{
    for (int fold = MET_REGION_SUM; fold <= MET_REGION_ANY; fold++)
        if (met_region_fold_table[fold].monoid == monoid)
            return (met_region_fold)fold;
    return MET_REGION_NONE;
}

/* What is read is a sum over the table; a contraction with it sums over that as well. */
static uint32_t unfold_read(met_unfolder *u, place *p, met_region_value *value)
{
    const met_edge *table = &u->circuit->edges[p->node->ins[p->form.table].id];
    const char *label = met_sym_text(u->circuit->session, u->circuit->axes[table->axes[p->form.read_position].id].label);
    p->read_loop = met_unfold_loop(u, table->axes[p->form.read_position].id, p->busy, label);
    if (p->read_loop == MET_NONE)
        return MET_NONE;
    p->reduced = (met_loops)1 << p->read_loop;
    p->busy |= p->reduced;
    if (!place_reduced(u, p) || !unfold_inputs(u, p, value))
        return MET_NONE;
    value->e = formula(u, p, p->form.e);
    value->fold = MET_REGION_SUM;
    value->reduced = p->reduced;
    return met_unfold_add(u, *value);
}

static uint32_t unfold_pick(met_unfolder *u, place *p, uint32_t output, met_region_value *value)
{
    value->fold = p->node->op->id == MET_OP_argmax ? MET_REGION_ARGMAX : MET_REGION_TOP_K;
    value->picks_index = value->fold == MET_REGION_ARGMAX || output == 1;
    for (uint32_t i = 0; i < p->node->index_count && value->fold == MET_REGION_TOP_K; i++) {
        uint32_t loop;
        if (!p->node->indices[i].target || p->node->indices[i].reduced)
            continue;
        if (!met_affine_is_index(p->indices[i], &loop))
            return met_unfold_refuse(u, p->id, "what is picked is read at computed positions");
        value->slots = u->loops.at[loop].size;
        value->loops = value->slot_loop = (met_loops)1 << loop;
    }
    if (!place_reduced(u, p) || !unfold_inputs(u, p, value))
        return MET_NONE;
    value->e = formula(u, p, p->form.e);
    value->reduced = p->reduced;
    return met_unfold_add(u, *value);
}

uint32_t met_unfold_node(met_unfolder *u, uint32_t edge, const met_affine *at)
{
    const met_edge *e = &u->circuit->edges[edge];
    place p = { .node = &u->circuit->nodes[e->producer.id], .id = e->producer.id, .read_loop = MET_NONE };
    met_region_value value = { .span = e->span };
    if (p.node->op && p.node->op->form == MET_FORM_SCAN)
        return met_unfold_refuse(u, p.id, "a recurrence carries a state from step to step, and is a kernel of its own");
    if (!p.node->op || p.node->op->form == MET_FORM_COMPOSITE)
        return met_unfold_refuse(u, p.id, "the node has no formula");
    p.form = met_node_primitive(u->circuit, p.node);
    if (!place_kept(u, &p, e->producer_output, at))
        return MET_NONE;
    value.name = met_unfold_name(u, u->value_names, met_sym_text(u->circuit->session, e->name));
    if (p.form.form == MET_FORM_READ)
        return unfold_read(u, &p, &value);
    if (p.form.form == MET_FORM_PICK)
        return unfold_pick(u, &p, e->producer_output, &value);
    if (!place_reduced(u, &p) || !unfold_inputs(u, &p, &value))
        return MET_NONE;
    value.e = formula(u, &p, p.form.e);
    value.reduced = p.reduced;
    value.fold = p.reduced ? fold_of(p.form.monoid) : MET_REGION_NONE;
    if (!p.reduced && value.e->kind == MET_SCALAR_INPUT) /* a mask, a cast, a view: nothing happens over the reals */
        return value.e->input;
    return met_unfold_add(u, value);
}

