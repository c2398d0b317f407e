/* Ops that say themselves where they read: signatures in quotes, views, concat and split. */
#include <string.h>

#include "ir/affine.h"
#include "ir/signature_parts.h"

/* --- Explicit signatures --- */

/* A position read at an affine place has an axis of its own: what is read there need not be the whole of it. */
static met_affine item_affine(met_maker *m, const met_item *item, met_axis_id *ret_axis)
{
    met_affine_term *terms = MET_NEW_ARRAY(m->b->arena, met_affine_term, item->term_count);
    met_sym name = met_intern(m->b->session, met_str_of("at"));
    bool named = false;
    for (uint32_t i = 0; i < item->term_count; i++) {
        terms[i].coefficient = item->terms[i].coefficient;
        if (item->terms[i].size) {
            terms[i].kind = MET_TERM_SIZE;
            terms[i].size = item->terms[i].size;
            continue;
        }
        if (!met_maker_find(m, item->terms[i].label, &terms[i].index)) {
            met_diag *d = met_diag_add(m->b->session, MET_DIAG_label, item->terms[i].span,
                                       "`%s` is no label here", met_sym_text(m->b->session, item->terms[i].label));
            met_diag_help(d, "positions are affine in labels of the op");
            m->failed = true;
        } else {
            m->node.indices[terms[i].index].target = true;
        }
        if (!named)
            name = item->terms[i].label;
        named = true;
    }
    *ret_axis = met_builder_axis(m->b, name, NULL, item->span);
    return (met_affine){ item->constant, item->term_count, terms };
}

/* All labels have been met before, with their sizes. */
static void add_signature_array(met_maker *m, const met_items *items)
{
    met_axis_id axes[MET_OP_LABELS];
    met_affine *at = MET_NEW_ARRAY(m->b->arena, met_affine, items->count);
    if (items->count > MET_OP_LABELS) {
        met_maker_fail(m, MET_DIAG_label, items->span, "an array takes up to 32 labels here", NULL);
        return;
    }
    for (uint32_t i = 0; i < items->count && !m->failed; i++) {
        if (items->at[i].affine) {
            at[i] = item_affine(m, &items->at[i], &axes[i]);
        } else {
            uint32_t index;
            if (!met_maker_find(m, items->at[i].label.name, &index))
                index = met_maker_label(m, &items->at[i].label);
            axes[i] = m->node.indices[index].axis;
            at[i] = met_maker_affine(m, index);
        }
    }
    if (m->failed)
        return;
    uint32_t edge = met_maker_edge(m, items->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->ins, edge);
    met_maker_in(m, edge, (met_access){ items->count, at });
}

static bool any_affine(const met_items *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        if (items->at[i].affine)
            return true;
    return false;
}

static uint32_t times_read(const met_access *access, uint32_t index)
{
    uint32_t times = 0;
    for (uint32_t p = 0; p < access->rank; p++)
        times += met_affine_reads_index(access->at[p], index);
    return times;
}

/* The experts' label stands in the weight alone, and only one does; whatever else the result lacks is contracted. */
static void check_expert(met_maker *m, const met_label_list *out)
{
    uint32_t alone = 0;
    for (uint32_t i = 0; i < m->node.index_count; i++)
        alone += !met_labels_hold(out, i) && times_read(&m->node.in_access[0], i) == 0 &&
                 times_read(&m->node.in_access[1], i) == 0 && times_read(&m->node.in_access[2], i) == 1;
    if (alone != 1 && !m->failed)
        met_maker_fail(m, MET_DIAG_label, m->request->span, "one label of the third array, and no other, stands in that array alone: the experts'",
                       "write expert['n m, n k, e f m -> n k f']: rows, indices of experts, weights of all experts");
}

static bool held_by_all(uint32_t count, const met_label_list *outs, uint32_t index)
{
    bool held = true;
    for (uint32_t k = 0; k < count; k++)
        held = held && met_labels_hold(&outs[k], index);
    return held;
}

/* A recurrence runs along the one label that its last state lacks, and its state has the labels of that last state. */
static void check_recurrence(met_maker *m, const met_label_list *outs)
{
    const met_request *r = m->request;
    const met_access *state = &m->node.in_access[0];
    uint32_t steps = 0, index;
    for (uint32_t i = 0; i < outs[0].count; i++)
        steps += !met_labels_hold(&outs[1], outs[0].at[i]);
    bool same = state->rank == outs[1].count, written = true;
    for (uint32_t p = 0; same && p < state->rank; p++)
        same = met_affine_is_index(state->at[p], &index) && index == outs[1].at[p];
    for (uint32_t i = 0; i < m->node.index_count; i++)
        written = written && (met_labels_hold(&outs[0], i) || met_labels_hold(&outs[1], i));
    if (!same)
        met_maker_fail(m, MET_DIAG_label, r->span, "the first array is the state, and the last result has its labels in its order", NULL);
    else if (steps != 1)
        met_maker_fail(m, MET_DIAG_label, r->span, "a recurrence runs along one label, which its first result has and its last one lacks", NULL);
    else if (!written)
        met_maker_fail(m, MET_DIAG_label, r->span, "every label of a recurrence stands in one of its results", NULL);
}

/* Labels that the result lacks: only a contraction and a fold have something to do with them; gather reads along one. */
static void check_missing(met_maker *m, const met_label_list *out)
{
    const met_request *r = m->request;
    if (r->op->id == MET_OP_einsum || r->op->id == MET_OP_fold || r->op->id == MET_OP_combine)
        return;
    if (r->op->id == MET_OP_expert) {
        check_expert(m, out);
        return;
    }
    bool gather = r->op->id == MET_OP_gather, read = true;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < m->node.index_count; i++) {
        if (met_labels_hold(out, i))
            continue;
        missing++;
        read = gather && read && times_read(&m->node.in_access[0], i) == 1 && times_read(&m->node.in_access[1], i) == 0;
    }
    if (gather && (missing != 1 || !read))
        met_maker_fail(m, MET_DIAG_label, r->span, "gather reads along one label, which stands once in the first array and nowhere else", NULL);
    else if (!gather && missing != 0)
        met_maker_fail(m, MET_DIAG_label, r->span, "a label is missing in the result, and this op does not fold", "use fold, or an einsum");
}

/* A size that is computed cannot be written. */
static void refuse_size(met_maker *m, const met_items *labels, const char *message)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (!labels->at[i].affine && labels->at[i].label.size && !m->failed)
            met_maker_fail(m, MET_DIAG_label, labels->at[i].span, message, NULL);
}

static void meet_labels(met_maker *m)
{
    const met_request *r = m->request;
    for (uint32_t i = 0; i < r->in_count; i++)
        for (uint32_t j = 0; j < r->ins[i].count && !m->failed; j++)
            if (!r->ins[i].at[j].affine)
                met_maker_label(m, &r->ins[i].at[j].label);
}

void met_make_signature(met_maker *m)
{
    const met_request *r = m->request;
    bool view = r->op->bracket == MET_BRACKET_VIEW;
    bool affine_allowed = view || r->op->id == MET_OP_map || r->op->id == MET_OP_fold;
    met_label_list outs[2];
    bool affine = false;
    for (uint32_t i = 0; i < r->in_count; i++)
        affine = affine || any_affine(&r->ins[i]);
    if (affine && !affine_allowed) {
        met_maker_fail(m, MET_DIAG_label, r->span, "affine positions are for view, map and fold", NULL);
        return;
    }
    /* Labels in reading order; where positions refer to them, the result's come first. */
    if (!affine)
        meet_labels(m);
    for (uint32_t k = 0; k < r->out_count && !m->failed; k++)
        met_maker_labels(m, &r->outs[k], &outs[k]);
    if (affine)
        meet_labels(m);
    for (uint32_t i = 0; i < r->in_count && !m->failed; i++)
        add_signature_array(m, &r->ins[i]);
    if (m->failed)
        return;
    for (uint32_t k = 0; k < r->out_count; k++)
        met_maker_out(m, &outs[k]);
    uint32_t *targets = MET_NEW_ARRAY(m->b->arena, uint32_t, m->node.index_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->node.index_count; i++) {
        if (held_by_all(r->out_count, outs, i))
            continue;
        m->node.indices[i].target = true;
        targets[count++] = i;
    }
    if (r->op->bracket == MET_BRACKET_TARGETS) { /* gather, as if its brackets had named them */
        m->node.targets = targets;
        m->node.target_count = count;
    }
    if (met_op_scans(r->op))
        check_recurrence(m, outs);
    else
        check_missing(m, &outs[0]);
}

/* --- Ops with code of their own --- */

/* concat and kv_append: inputs end to end along the target; input k is read at the result's position minus the sizes
 * before it. */
void met_make_concat(met_maker *m)
{
    const met_request *r = m->request;
    met_letters l = { 0 };
    met_maker_letters(m, &l);
    if (m->failed || l.targets.count != 1) {
        if (!m->failed)
            met_maker_fail(m, MET_DIAG_label, r->span, "this op takes one target label", NULL);
        return;
    }
    refuse_size(m, &r->targets, "the size of arrays put end to end is the sum of theirs");
    uint32_t target = l.targets.at[0];
    met_sym label = m->node.indices[target].label;
    const met_dim *before = met_dim_constant(m->b->arena, 0);
    met_affine_term *terms = MET_NEW_ARRAY(m->b->arena, met_affine_term, r->array_count);
    terms[0] = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = target };
    for (uint32_t k = 0; k < r->array_count; k++) {
        met_axis_id axes[MET_OP_LABELS];
        met_maker_axes(m, &l.shape, axes);
        met_access access = met_maker_access(m, &l.shape);
        for (uint32_t i = 0; i < l.shape.count; i++) {
            if (l.shape.at[i] != target)
                continue;
            axes[i] = met_builder_axis(m->b, label, NULL, r->targets.span);
            ((met_affine *)access.at)[i] = (met_affine){ 0, k + 1, terms };
            const met_dim *own = m->b->axes.at[axes[i].id].size;
            if (k + 1 < r->array_count)
                terms[k + 1] = (met_affine_term){ .kind = MET_TERM_SIZE, .coefficient = -1, .size = own };
            before = met_dim_add(m->b->arena, before, own);
        }
        uint32_t edge = met_maker_edge(m, l.shape.count, axes, MET_EDGE_VALUE);
        MET_PUSH(m->b->arena, &m->term->ins, edge);
        met_maker_in(m, edge, access);
    }
    if (!before) {
        met_maker_fail(m, MET_DIAG_arity, r->span, "too many arrays to put end to end", NULL);
        return;
    }
    m->b->axes.at[m->node.indices[target].axis.id].size = before;
    met_maker_out(m, &l.shape);
}

/* split[x -> a, b]: result k has one label that replaces the target; its size is the label's. */
void met_make_split(met_maker *m)
{
    const met_request *r = m->request;
    met_letters l = { 0 };
    met_request bare = *r;
    bare.result_count = 0;
    m->request = &bare;
    met_maker_letters(m, &l);
    m->request = r;
    if (m->failed || l.targets.count != 1 || r->result_count < 1) {
        if (!m->failed)
            met_maker_fail(m, MET_DIAG_label, r->span, "write split[x -> a, b]: one target, and one label for each part", NULL);
        return;
    }
    refuse_size(m, &r->targets, "the size of what is split is the sum of its parts'");
    uint32_t target = l.targets.at[0];
    const met_dim *sum = met_dim_constant(m->b->arena, 0);
    met_maker_array(m, &l.shape);
    m->node.results = MET_NEW_ARRAY(m->b->arena, uint32_t, r->result_count);
    for (uint32_t k = 0; k < r->result_count && !m->failed; k++) {
        met_label_list part, list = l.shape;
        met_maker_labels(m, &r->results[k], &part);
        if (m->failed || part.count != 1 || met_labels_hold(&l.shape, part.at[0])) {
            if (!m->failed)
                met_maker_fail(m, MET_DIAG_label, r->results[k].span, "each part takes one new label", NULL);
            return;
        }
        m->node.indices[part.at[0]].target = true;
        m->node.results[m->node.result_count++] = part.at[0];
        for (uint32_t i = 0; i < list.count; i++)
            if (list.at[i] == target)
                list.at[i] = part.at[0];
        sum = met_dim_add(m->b->arena, sum, m->b->axes.at[m->node.indices[part.at[0]].axis.id].size);
        met_maker_out(m, &list);
    }
    if (!sum)
        met_maker_fail(m, MET_DIAG_arity, r->span, "too many parts", NULL);
    if (!m->failed)
        m->b->axes.at[m->node.indices[target].axis.id].size = sum;
}
