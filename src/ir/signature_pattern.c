/* Ops whose arrays follow a pattern of ops.def: shape, targets, rest, results, and parameter slots. */
#include <string.h>

#include "ir/signature_parts.h"

static met_sym parameter_name(met_maker *m, met_str slot)
{
    met_text text = met_text_new(m->b->arena);
    met_text_str(&text, met_sym_str(m->b->session, m->path));
    met_text_put(&text, text.length ? "." : "");
    met_text_str(&text, slot);
    met_str base = { met_text_done(&text), text.length };
    uint32_t used = 0;
    met_map_get(m->b->parameter_names, base, &used);
    met_map_set(m->b->parameter_names, base, used + 1);
    if (used)
        met_text_format(&text, ".%u", used + 1);
    return met_intern(m->b->session, (met_str){ met_text_done(&text), text.length });
}

/* A parameter slot: a port if an array was given for it, else a parameter of its own. */
static void add_parameter(met_maker *m, const met_label_list *list, met_str slot, bool given)
{
    met_axis_id axes[MET_OP_LABELS];
    met_maker_axes(m, list, axes);
    uint32_t edge = met_maker_edge(m, list->count, axes, MET_EDGE_PARAMETER);
    if (given)
        MET_PUSH(m->b->arena, &m->term->ins, edge);
    else
        m->b->edges.at[edge].name = parameter_name(m, slot);
    if (given)
        m->b->edges.at[edge].role = MET_EDGE_VALUE; /* still fixed: it is not lifted with the op */
    met_maker_in(m, edge, met_maker_access(m, list));
}

static bool target_count_fits(const char *pattern, uint32_t count)
{
    uint32_t least = (uint32_t)(pattern[0] - '0');
    return pattern[1] == '+' ? count >= least : count == least;
}

/* The result names every position, those that only pass by included. */
static void read_result(met_maker *m, met_letters *l)
{
    const met_items *items = &m->request->results[0];
    met_maker_labels(m, items, &l->result);
    for (uint32_t i = 0; i < l->result.count && !m->failed; i++) {
        if (met_labels_hold(&l->targets, l->result.at[i]))
            met_maker_fail(m, MET_DIAG_label, items->at[i].span, "a target is used up, so it cannot be in the result",
                           "give the new axis a label of its own");
        if (!met_labels_hold(&l->shape, l->result.at[i]))
            l->fresh.at[l->fresh.count++] = l->result.at[i];
    }
    for (uint32_t i = 0; i < l->rest.count && !m->failed; i++)
        if (!met_labels_hold(&l->result, l->rest.at[i]))
            met_maker_fail(m, MET_DIAG_label, items->span.source ? items->span : m->request->span,
                           "after a shape, the result names every label that is no target", NULL);
}

void met_maker_letters(met_maker *m, met_letters *l)
{
    const met_request *r = m->request;
    if (r->has_shape)
        met_maker_labels(m, &r->shape, &l->shape);
    uint32_t known = m->node.index_count;
    met_maker_labels(m, &r->targets, &l->targets);
    if (r->has_shape && m->node.index_count > known && !m->failed)
        met_maker_fail(m, MET_DIAG_label, r->targets.span, "a target is not among the labels before the semicolon",
                       "[shape; targets]: the shape names every position, the targets some of them");
    if (!r->has_shape)
        l->shape = l->targets;
    for (uint32_t i = 0; i < l->shape.count; i++) {
        uint32_t index = l->shape.at[i];
        if (!met_labels_hold(&l->targets, index))
            l->rest.at[l->rest.count++] = index;
        if (l->targets.count == 0 || index != l->targets.at[l->targets.count - 1])
            l->prefix.at[l->prefix.count++] = index;
    }
    if (r->result_count)
        read_result(m, l);
    m->node.target_count = l->targets.count;
    m->node.targets = met_arena_copy(m->b->arena, l->targets.at, l->targets.count, sizeof *l->targets.at);
    m->node.result_count = l->fresh.count;
    m->node.results = met_arena_copy(m->b->arena, l->fresh.at, l->fresh.count, sizeof *l->fresh.at);
    for (uint32_t i = 0; i < l->targets.count; i++)
        if (!met_labels_hold(&l->result, l->targets.at[i]))
            m->node.indices[l->targets.at[i]].target = true;
    for (uint32_t i = 0; i < l->result.count; i++)
        if (!met_labels_hold(&l->shape, l->result.at[i]))
            m->node.indices[l->result.at[i]].target = true;
}

static void append(met_label_list *into, const met_label_list *from)
{
    for (uint32_t i = 0; i < from->count && into->count < MET_OP_LABELS; i++)
        into->at[into->count++] = from->at[i];
}

/* One word of a pattern, such as `0S`, as a list of indices. */
static met_label_list word_labels(const met_letters *l, const char *word, size_t length)
{
    met_label_list list = { 0 };
    for (size_t i = 0; i < length; i++) {
        switch (word[i]) {
        case 'S': append(&list, &l->shape); break;
        case 'T': append(&list, &l->targets); break;
        case 'R': append(&list, &l->rest); break;
        case 'P': append(&list, &l->prefix); break;
        case '0': append(&list, &l->result); break;
        case 'N': append(&list, &l->fresh); break;
        default: break; /* '-': a scalar */
        }
    }
    return list;
}

/* The slot's name and the option that says whether it is there: "b:bias". */
bool met_op_next_slot(const char **at, met_str *ret_name, met_str *ret_option)
{
    while (**at == ' ')
        ++*at;
    size_t length = strcspn(*at, " ");
    size_t colon = strcspn(*at, ": ");
    if (length == 0)
        return false;
    *ret_name = (met_str){ *at, colon < length ? colon : length };
    *ret_option = (met_str){ 0 };
    if (colon < length)
        *ret_option = (met_str){ *at + colon + 1, length - colon - 1 };
    *at += length;
    return true;
}

/* Whether a parameter slot is there. An array that is given says yes, unless the option was written and says no: then
 * the array is for a later slot. */
static bool slot_present(met_maker *m, met_str option, bool given)
{
    if (option.length == 0)
        return true;
    met_sym key = met_intern(m->b->session, option);
    for (uint32_t i = 0; i < m->node.attr_count; i++) {
        met_attr *attr = &m->node.attrs[i];
        if (attr->key.id != key.id)
            continue;
        bool yes = met_str_is(met_sym_str(m->b->session, attr->word), "yes");
        if (given && !attr->given && !yes) {
            attr->word = met_intern(m->b->session, met_str_of("yes"));
            yes = true;
        }
        return yes;
    }
    return true;
}

/* Follows the words of a pattern after its "N:": arrays, then | and parameters, then -> and results. */
static void follow_pattern(met_maker *m, const met_letters *l)
{
    const char *at = strchr(m->request->op->pattern, ':') + 1;
    const char *slots = m->request->op->params;
    uint32_t arrays = 0;
    int part = 0;
    while (*at) {
        size_t length = strcspn(at, " ");
        met_label_list list = word_labels(l, at, length);
        met_str name, option;
        if (length == 0) {
            at++;
            continue;
        }
        if (*at == '|') {
            part = 1;
        } else if (length == 2 && at[0] == '-' && at[1] == '>') {
            part = 2;
        } else if (part == 0) {
            met_maker_array(m, &list);
            arrays++;
        } else if (part == 1 && met_op_next_slot(&slots, &name, &option)) {
            bool given = m->request->call && m->request->array_count > arrays;
            if (slot_present(m, option, given)) {
                add_parameter(m, &list, name, given);
                arrays += given;
            }
        } else if (part == 2) {
            met_maker_out(m, &list);
        }
        at += length;
    }
    if (m->request->call && arrays < m->request->array_count)
        met_maker_fail(m, MET_DIAG_unknown_option, m->request->span, "an array is given for what an option leaves out", NULL);
}

void met_make_pattern(met_maker *m)
{
    const met_request *r = m->request;
    met_letters l = { 0 };
    met_maker_letters(m, &l);
    if (m->failed)
        return;
    if (!target_count_fits(r->op->pattern, l.targets.count)) {
        met_diag *d = met_diag_add(m->b->session, MET_DIAG_label, r->targets.span.source ? r->targets.span : r->span,
                                   "`%s` takes %s target label%s%s", r->op->name, r->op->pattern[0] == '1' ? "one" : "two",
                                   r->op->pattern[0] == '1' ? "" : "s", r->op->pattern[1] == '+' ? " or more" : "");
        met_diag_help(d, "targets name the last positions: %s[…]; [shape; targets] names them anywhere", r->op->name);
        m->failed = true;
        return;
    }
    if ((r->op->bracket == MET_BRACKET_ARROW) != (r->result_count > 0) || r->result_count > 1) {
        met_maker_fail(m, MET_DIAG_label, r->span, r->op->bracket == MET_BRACKET_ARROW ? "this op takes one list of result labels"
                                                                             : "this op takes no result labels",
             r->op->bracket == MET_BRACKET_ARROW ? "write op[labels -> results]" : NULL);
        return;
    }
    follow_pattern(m, &l);
}
