/* The pieces that nodes are made of: indices, accesses, ports. */
#include <string.h>

#include "ir/signature_parts.h"

void met_maker_fail(met_maker *m, met_code code, met_span span, const char *message, const char *help)
{
    met_diag *d = met_diag_add(m->b->session, code, span, "%s", message);
    if (help)
        met_diag_help(d, "%s", help);
    m->failed = true;
}

/* --- Indices --- */

static uint32_t add_index(met_maker *m, met_sym label, met_axis_id axis)
{
    draft_node *node = &m->node;
    if (node->index_count == m->index_room) {
        m->index_room = m->index_room ? m->index_room * 2 : 8;
        met_index *moved = MET_NEW_ARRAY(m->b->arena, met_index, m->index_room);
        if (node->index_count)
            memcpy(moved, node->indices, node->index_count * sizeof *moved);
        node->indices = moved;
    }
    node->indices[node->index_count] = (met_index){ .label = label, .axis = axis };
    return node->index_count++;
}

bool met_maker_find(const met_maker *m, met_sym label, uint32_t *ret_index)
{
    for (uint32_t i = 0; i < m->node.index_count; i++) {
        if (m->node.indices[i].label.id == label.id) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

/* The index of a label, made with a fresh axis on first sight. */
uint32_t met_maker_label(met_maker *m, const met_label_spec *label)
{
    uint32_t index;
    if (met_maker_find(m, label->name, &index)) {
        if (label->size)
            met_maker_fail(m, MET_DIAG_label, label->span, "a label takes its size where it stands first", NULL);
        return index;
    }
    if (m->node.index_count >= MET_OP_LABELS) {
        if (!m->failed)
            met_maker_fail(m, MET_DIAG_label, label->span, "an op takes up to 32 labels", NULL);
        return 0;
    }
    return add_index(m, label->name, met_builder_axis(m->b, label->name, label->size, label->span));
}

void met_maker_labels(met_maker *m, const met_items *items, met_label_list *ret_list)
{
    ret_list->count = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        if (items->at[i].affine) {
            met_maker_fail(m, MET_DIAG_label, items->at[i].span, "only labels may stand here", NULL);
            continue;
        }
        uint32_t index = met_maker_label(m, &items->at[i].label);
        for (uint32_t j = 0; j < ret_list->count; j++)
            if (ret_list->at[j] == index && !m->failed)
                met_maker_fail(m, MET_DIAG_label, items->at[i].span, "a label stands twice in one list", "give every position a label of its own");
        if (ret_list->count < MET_OP_LABELS)
            ret_list->at[ret_list->count++] = index;
    }
}

bool met_labels_hold(const met_label_list *list, uint32_t index)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == index)
            return true;
    return false;
}

/* --- Accesses --- */

met_affine met_maker_affine(met_maker *m, uint32_t index)
{
    met_affine_term *term = MET_NEW(m->b->arena, met_affine_term);
    *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = index };
    return (met_affine){ .term_count = 1, .terms = term };
}

met_access met_maker_access(met_maker *m, const met_label_list *list)
{
    met_affine *at = MET_NEW_ARRAY(m->b->arena, met_affine, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        at[i] = met_maker_affine(m, list->at[i]);
    return (met_access){ list->count, at };
}

void met_maker_axes(const met_maker *m, const met_label_list *list, met_axis_id *ret_axes)
{
    for (uint32_t i = 0; i < list->count; i++)
        ret_axes[i] = m->node.indices[list->at[i]].axis;
}

/* --- Ports --- */

uint32_t met_maker_edge(met_maker *m, uint32_t rank, const met_axis_id *axes, met_edge_role role)
{
    met_array_spec spec = { .role = role, .rank = rank, .axes = axes, .span = m->request->span };
    return met_draft_edge(m->b, m->term, &spec);
}

void met_maker_in(met_maker *m, uint32_t edge, met_access access)
{
    m->node.ins[m->node.in_count] = edge;
    m->node.in_access[m->node.in_count++] = access;
}

void met_maker_array(met_maker *m, const met_label_list *list)
{
    met_axis_id axes[MET_OP_LABELS];
    met_maker_axes(m, list, axes);
    uint32_t edge = met_maker_edge(m, list->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->ins, edge);
    met_maker_in(m, edge, met_maker_access(m, list));
}

void met_maker_out(met_maker *m, const met_label_list *list)
{
    met_axis_id axes[MET_OP_LABELS];
    met_maker_axes(m, list, axes);
    uint32_t edge = met_maker_edge(m, list->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->outs, edge);
    m->node.outs[m->node.out_count] = edge;
    m->node.out_access[m->node.out_count++] = met_maker_access(m, list);
}
