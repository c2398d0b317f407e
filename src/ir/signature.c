/* From what the language says of an op to a node: its indices, how each array is read and written, its ports. The
 * patterns in ops.def say which labels each array carries. */
#include <string.h>

#include "base/diag.h"
#include "ir/builder_parts.h"

enum { ARRAYS = 64, LABELS = 32 };

/* One node being made. */
typedef struct maker {
    met_builder *b;
    const met_request *request;
    met_term *term;
    draft_node node;
    uint32_t index_room;
    met_sym path;
    bool failed;
} maker;

/* A list of index numbers: what the letters of a pattern stand for. */
typedef struct label_list {
    uint32_t count;
    uint32_t at[LABELS];
} label_list;

static void fail(maker *m, met_code code, met_span span, const char *message, const char *help)
{
    met_diag *d = met_diag_add(m->b->session, code, span, "%s", message);
    if (help)
        met_diag_help(d, "%s", help);
    m->failed = true;
}

/* --- Indices --- */

static uint32_t add_index(maker *m, met_sym label, met_axis_id axis)
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

static bool find_index(const maker *m, met_sym label, uint32_t *ret_index)
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
static uint32_t label_index(maker *m, const met_label_spec *label)
{
    uint32_t index;
    if (find_index(m, label->name, &index)) {
        if (label->size)
            fail(m, MET_DIAG_label, label->span, "a label takes its size where it stands first", NULL);
        return index;
    }
    if (m->node.index_count >= LABELS) {
        if (!m->failed)
            fail(m, MET_DIAG_label, label->span, "an op takes up to 32 labels", NULL);
        return 0;
    }
    return add_index(m, label->name, met_builder_axis(m->b, label->name, label->size, label->span));
}

static void read_labels(maker *m, const met_items *items, label_list *ret_list)
{
    ret_list->count = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        if (items->at[i].affine) {
            fail(m, MET_DIAG_label, items->at[i].span, "only labels may stand here", NULL);
            continue;
        }
        uint32_t index = label_index(m, &items->at[i].label);
        for (uint32_t j = 0; j < ret_list->count; j++)
            if (ret_list->at[j] == index && !m->failed)
                fail(m, MET_DIAG_label, items->at[i].span, "a label stands twice in one list", "give every position a label of its own");
        if (ret_list->count < LABELS)
            ret_list->at[ret_list->count++] = index;
    }
}

static bool holds(const label_list *list, uint32_t index)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == index)
            return true;
    return false;
}

/* --- Accesses --- */

static met_affine index_affine(maker *m, uint32_t index)
{
    met_affine_term *term = MET_NEW(m->b->arena, met_affine_term);
    *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = index };
    return (met_affine){ .term_count = 1, .terms = term };
}

static met_access list_access(maker *m, const label_list *list)
{
    met_affine *at = MET_NEW_ARRAY(m->b->arena, met_affine, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        at[i] = index_affine(m, list->at[i]);
    return (met_access){ list->count, at };
}

static void list_axes(const maker *m, const label_list *list, met_axis_id *ret_axes)
{
    for (uint32_t i = 0; i < list->count; i++)
        ret_axes[i] = m->node.indices[list->at[i]].axis;
}

/* --- Ports --- */

static uint32_t add_edge(maker *m, uint32_t rank, const met_axis_id *axes, met_edge_role role)
{
    met_array_spec spec = { .role = role, .rank = rank, .axes = axes, .span = m->request->span };
    return met_draft_edge(m->b, m->term, &spec);
}

static void add_in(maker *m, uint32_t edge, met_access access)
{
    m->node.ins[m->node.in_count] = edge;
    m->node.in_access[m->node.in_count++] = access;
}

static void add_array(maker *m, const label_list *list)
{
    met_axis_id axes[LABELS];
    list_axes(m, list, axes);
    uint32_t edge = add_edge(m, list->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->ins, edge);
    add_in(m, edge, list_access(m, list));
}

static void add_out(maker *m, const label_list *list)
{
    met_axis_id axes[LABELS];
    list_axes(m, list, axes);
    uint32_t edge = add_edge(m, list->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->outs, edge);
    m->node.outs[m->node.out_count] = edge;
    m->node.out_access[m->node.out_count++] = list_access(m, list);
}

static met_sym parameter_name(maker *m, met_str slot)
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
static void add_parameter(maker *m, const label_list *list, met_str slot, bool given)
{
    met_axis_id axes[LABELS];
    list_axes(m, list, axes);
    uint32_t edge = add_edge(m, list->count, axes, MET_EDGE_PARAMETER);
    if (given)
        MET_PUSH(m->b->arena, &m->term->ins, edge);
    else
        m->b->edges.at[edge].name = parameter_name(m, slot);
    if (given)
        m->b->edges.at[edge].role = MET_EDGE_VALUE; /* still fixed: it is not lifted with the op */
    add_in(m, edge, list_access(m, list));
}

/* --- Patterns --- */

typedef struct letters {
    label_list shape, targets, rest, prefix, result;
} letters;

static bool target_count_fits(const char *pattern, uint32_t count)
{
    uint32_t least = (uint32_t)(pattern[0] - '0');
    return pattern[1] == '+' ? count >= least : count == least;
}

static void read_letters(maker *m, letters *l)
{
    const met_request *r = m->request;
    if (r->has_shape)
        read_labels(m, &r->shape, &l->shape);
    uint32_t known = m->node.index_count;
    read_labels(m, &r->targets, &l->targets);
    if (r->has_shape && m->node.index_count > known && !m->failed)
        fail(m, MET_DIAG_label, r->targets.span, "a target is not among the labels before the semicolon", NULL);
    if (!r->has_shape)
        l->shape = l->targets;
    for (uint32_t i = 0; i < l->shape.count; i++) {
        uint32_t index = l->shape.at[i];
        if (!holds(&l->targets, index))
            l->rest.at[l->rest.count++] = index;
        if (l->targets.count == 0 || index != l->targets.at[l->targets.count - 1])
            l->prefix.at[l->prefix.count++] = index;
    }
    if (r->result_count)
        read_labels(m, &r->results[0], &l->result);
    m->node.target_count = l->targets.count;
    m->node.targets = met_arena_copy(m->b->arena, l->targets.at, l->targets.count, sizeof *l->targets.at);
    m->node.result_count = l->result.count;
    m->node.results = met_arena_copy(m->b->arena, l->result.at, l->result.count, sizeof *l->result.at);
    for (uint32_t i = 0; i < l->targets.count; i++)
        if (!holds(&l->result, l->targets.at[i]))
            m->node.indices[l->targets.at[i]].target = true;
    for (uint32_t i = 0; i < l->result.count; i++)
        if (!holds(&l->shape, l->result.at[i]))
            m->node.indices[l->result.at[i]].target = true;
}

static void append(label_list *into, const label_list *from)
{
    for (uint32_t i = 0; i < from->count && into->count < LABELS; i++)
        into->at[into->count++] = from->at[i];
}

/* One word of a pattern, such as `0S`, as a list of indices. */
static label_list word_labels(const letters *l, const char *word, size_t length)
{
    label_list list = { 0 };
    for (size_t i = 0; i < length; i++) {
        switch (word[i]) {
        case 'S': append(&list, &l->shape); break;
        case 'T': append(&list, &l->targets); break;
        case 'R': append(&list, &l->rest); break;
        case 'P': append(&list, &l->prefix); break;
        case '0': append(&list, &l->result); break;
        default: break; /* '-': a scalar */
        }
    }
    return list;
}

/* The slot's name and the option that says whether it is there: "b:bias". */
static bool next_slot(const char **at, met_str *ret_name, met_str *ret_option)
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

static bool slot_present(maker *m, met_str option, bool given)
{
    if (option.length == 0)
        return true;
    met_sym key = met_intern(m->b->session, option);
    for (uint32_t i = 0; i < m->node.attr_count; i++) {
        met_attr *attr = &m->node.attrs[i];
        if (attr->key.id != key.id)
            continue;
        bool yes = met_str_is(met_sym_str(m->b->session, attr->word), "yes");
        if (given && attr->given && !yes)
            fail(m, MET_DIAG_unknown_option, attr->span, "an array is given for what this option leaves out", NULL);
        if (given && !yes)
            attr->word = met_intern(m->b->session, met_str_of("yes"));
        return given || yes;
    }
    return true;
}

/* Follows the words of a pattern after its "N:": arrays, then | and parameters, then -> and results. */
static void follow_pattern(maker *m, const letters *l)
{
    const char *at = strchr(m->request->op->pattern, ':') + 1;
    const char *slots = m->request->op->params;
    uint32_t arrays = 0;
    int part = 0;
    while (*at) {
        size_t length = strcspn(at, " ");
        label_list list = word_labels(l, at, length);
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
            add_array(m, &list);
            arrays++;
        } else if (part == 1 && next_slot(&slots, &name, &option)) {
            bool given = m->request->call && m->request->array_count > arrays;
            if (slot_present(m, option, given)) {
                add_parameter(m, &list, name, given);
                arrays += given;
            }
        } else if (part == 2) {
            add_out(m, &list);
        }
        at += length;
    }
}

static void make_from_pattern(maker *m)
{
    const met_request *r = m->request;
    letters l = { 0 };
    read_letters(m, &l);
    if (m->failed)
        return;
    if (!target_count_fits(r->op->pattern, l.targets.count)) {
        met_diag *d = met_diag_add(m->b->session, MET_DIAG_label, r->targets.span.source ? r->targets.span : r->span,
                                   "`%s` takes %c%s target label%s", r->op->name, r->op->pattern[0],
                                   r->op->pattern[1] == '+' ? " or more" : "", r->op->pattern[0] == '1' ? "" : "s");
        met_diag_help(d, "targets name the last positions: %s[…]; [shape; targets] names them anywhere", r->op->name);
        m->failed = true;
        return;
    }
    if ((r->op->bracket == MET_BRACKET_ARROW) != (r->result_count > 0) || r->result_count > 1) {
        fail(m, MET_DIAG_label, r->span, r->op->bracket == MET_BRACKET_ARROW ? "this op takes one list of result labels"
                                                                             : "this op takes no result labels",
             r->op->bracket == MET_BRACKET_ARROW ? "write op[labels -> results]" : NULL);
        return;
    }
    follow_pattern(m, &l);
}

/* --- Explicit signatures --- */

/* A position read at an affine place has an axis of its own: what is read there need not be the whole of it. */
static met_affine item_affine(maker *m, const met_item *item, met_axis_id *ret_axis)
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
        if (!find_index(m, item->terms[i].label, &terms[i].index)) {
            met_diag *d = met_diag_add(m->b->session, MET_DIAG_label, item->terms[i].span,
                                       "`%s` is no label of the result", met_sym_text(m->b->session, item->terms[i].label));
            met_diag_help(d, "positions are affine in the labels of the result");
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

static void add_signature_array(maker *m, const met_items *items)
{
    met_axis_id axes[LABELS];
    met_affine *at = MET_NEW_ARRAY(m->b->arena, met_affine, items->count);
    if (items->count > LABELS) {
        fail(m, MET_DIAG_label, items->span, "an array takes up to 32 labels here", NULL);
        return;
    }
    for (uint32_t i = 0; i < items->count && !m->failed; i++) {
        if (items->at[i].affine) {
            at[i] = item_affine(m, &items->at[i], &axes[i]);
        } else {
            uint32_t index = label_index(m, &items->at[i].label);
            axes[i] = m->node.indices[index].axis;
            at[i] = index_affine(m, index);
        }
    }
    if (m->failed)
        return;
    uint32_t edge = add_edge(m, items->count, axes, MET_EDGE_VALUE);
    MET_PUSH(m->b->arena, &m->term->ins, edge);
    add_in(m, edge, (met_access){ items->count, at });
}

static bool any_affine(const met_items *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        if (items->at[i].affine)
            return true;
    return false;
}

static void make_from_signature(maker *m)
{
    const met_request *r = m->request;
    bool view = r->op->bracket == MET_BRACKET_VIEW;
    bool affine_allowed = view || r->op->id == MET_OP_map || r->op->id == MET_OP_fold;
    label_list out;
    bool affine = false;
    for (uint32_t i = 0; i < r->in_count; i++)
        affine = affine || any_affine(&r->ins[i]);
    if (affine && !affine_allowed) {
        fail(m, MET_DIAG_label, r->span, "affine positions are for view, map and fold", NULL);
        return;
    }
    /* Labels in reading order; where positions refer to the result's labels, those come first. */
    for (uint32_t i = 0; i < r->in_count && !affine; i++)
        for (uint32_t j = 0; j < r->ins[i].count; j++)
            label_index(m, &r->ins[i].at[j].label);
    if (m->failed)
        return;
    read_labels(m, &r->outs[0], &out);
    for (uint32_t i = 0; i < r->in_count && !m->failed; i++)
        add_signature_array(m, &r->ins[i]);
    if (m->failed)
        return;
    add_out(m, &out);
    for (uint32_t i = 0; i < m->node.index_count; i++)
        if (!holds(&out, i))
            m->node.indices[i].target = true;
}

/* --- Ops with code of their own --- */

/* concat and kv_append: inputs end to end along the target; input k is read at the result's position minus the sizes
 * before it. */
static void make_concat(maker *m)
{
    const met_request *r = m->request;
    letters l = { 0 };
    read_letters(m, &l);
    if (m->failed || l.targets.count != 1) {
        if (!m->failed)
            fail(m, MET_DIAG_label, r->span, "this op takes one target label", NULL);
        return;
    }
    uint32_t target = l.targets.at[0];
    met_sym label = m->node.indices[target].label;
    const met_dim *before = met_dim_constant(m->b->arena, 0);
    met_affine_term *terms = MET_NEW_ARRAY(m->b->arena, met_affine_term, r->array_count);
    terms[0] = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = target };
    for (uint32_t k = 0; k < r->array_count; k++) {
        met_axis_id axes[LABELS];
        list_axes(m, &l.shape, axes);
        met_access access = list_access(m, &l.shape);
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
        uint32_t edge = add_edge(m, l.shape.count, axes, MET_EDGE_VALUE);
        MET_PUSH(m->b->arena, &m->term->ins, edge);
        add_in(m, edge, access);
    }
    if (!before) {
        fail(m, MET_DIAG_arity, r->span, "too many arrays to put end to end", NULL);
        return;
    }
    m->b->axes.at[m->node.indices[target].axis.id].size = before;
    add_out(m, &l.shape);
}

/* split[x -> a, b]: result k has one label that replaces the target; its size is the label's. */
static void make_split(maker *m)
{
    const met_request *r = m->request;
    letters l = { 0 };
    met_request bare = *r;
    bare.result_count = 0;
    m->request = &bare;
    read_letters(m, &l);
    m->request = r;
    if (m->failed || l.targets.count != 1 || r->result_count < 1) {
        if (!m->failed)
            fail(m, MET_DIAG_label, r->span, "write split[x -> a, b]: one target, and one label for each part", NULL);
        return;
    }
    uint32_t target = l.targets.at[0];
    const met_dim *sum = met_dim_constant(m->b->arena, 0);
    add_array(m, &l.shape);
    m->node.results = MET_NEW_ARRAY(m->b->arena, uint32_t, r->result_count);
    for (uint32_t k = 0; k < r->result_count && !m->failed; k++) {
        label_list part, list = l.shape;
        read_labels(m, &r->results[k], &part);
        if (m->failed || part.count != 1 || holds(&l.shape, part.at[0])) {
            if (!m->failed)
                fail(m, MET_DIAG_label, r->results[k].span, "each part takes one new label", NULL);
            return;
        }
        m->node.indices[part.at[0]].target = true;
        m->node.results[m->node.result_count++] = part.at[0];
        for (uint32_t i = 0; i < list.count; i++)
            if (list.at[i] == target)
                list.at[i] = part.at[0];
        sum = met_dim_add(m->b->arena, sum, m->b->axes.at[m->node.indices[part.at[0]].axis.id].size);
        add_out(m, &list);
    }
    if (!sum)
        fail(m, MET_DIAG_arity, r->span, "too many parts", NULL);
    if (!m->failed)
        m->b->axes.at[m->node.indices[target].axis.id].size = sum;
}

/* --- Formats --- */

static void tie_formats(maker *m)
{
    met_builder *b = m->b;
    const char *at = m->request->op->formats;
    met_format i32 = met_format_of(MET_I32);
    uint32_t tied = MET_NONE, in = 0, out = 0;
    char last = '-';
    bool results = false;
    uint32_t total = m->node.in_count + m->node.out_count;
    for (uint32_t k = 0; k < total; k++) {
        bool result = k >= m->node.in_count;
        if (result && !results) {
            results = true;
            const char *arrow = strstr(m->request->op->formats, "->");
            at = arrow + 2;
        }
        while (*at == ' ' || *at == '|')
            at++;
        bool ended = *at == 0 || (at[0] == '-' && at[1] == '>');
        char letter = ended ? last : *at++;
        last = letter;
        uint32_t edge = result ? m->node.outs[out++] : m->node.ins[in++];
        uint32_t format = b->edges.at[edge].format;
        if (letter == 't' && tied == MET_NONE)
            tied = format;
        else if (letter == 't')
            met_unify_formats(b, tied, format, m->request->span, m->request->span);
        else if (letter == 'i')
            b->formats.at[format] = (draft_format){ .parent = format, .known = true, .format = i32, .span = m->request->span };
        else if (letter == 'F')
            b->formats.at[format] = (draft_format){
                .parent = format, .known = true, .format = met_draft_attr(b, &m->node, "format")->format, .span = m->request->span
            };
    }
}

/* --- The whole --- */

static bool count_fits(const met_request *r)
{
    if (r->op->array_count == MET_VARIADIC)
        return !r->has_signature || r->array_count == r->in_count;
    uint32_t slots = 0;
    met_str name, option;
    for (const char *at = r->op->params; next_slot(&at, &name, &option);)
        slots++;
    return r->array_count >= r->op->array_count && r->array_count <= r->op->array_count + slots;
}

static bool check_counts(maker *m)
{
    const met_request *r = m->request;
    uint32_t wanted = r->op->array_count == MET_VARIADIC ? r->in_count : r->op->array_count;
    if (r->call && !count_fits(r)) {
        met_diag *d = met_diag_add(m->b->session, MET_DIAG_arity, r->span, "`%s` takes %u array%s, not %u", r->op->name, wanted,
                                   wanted == 1 ? "" : "s", r->array_count);
        if (*r->op->params)
            met_diag_help(d, "and, after them, its parameters: %s", r->op->params);
        return false;
    }
    if (r->array_count > ARRAYS || r->in_count > ARRAYS || r->result_count > ARRAYS) {
        fail(m, MET_DIAG_arity, r->span, "an op takes up to 64 arrays", NULL);
        return false;
    }
    bool variadic = r->op->array_count == MET_VARIADIC && !r->has_signature;
    if (variadic && r->array_count < 1) {
        fail(m, MET_DIAG_arity, r->span, "this op takes one array or more", NULL);
        return false;
    }
    if (r->has_signature && r->op->array_count != MET_VARIADIC && r->in_count != r->op->array_count) {
        fail(m, MET_DIAG_arity, r->span, "the signature does not have as many arrays as the op", NULL);
        return false;
    }
    if (r->has_signature && r->out_count != 1) {
        fail(m, MET_DIAG_arity, r->span, "a signature has one result", NULL);
        return false;
    }
    return true;
}

static void make_scalar_op(maker *m)
{
    const met_request *r = m->request;
    uint32_t arrays = r->op->array_count == MET_VARIADIC ? r->array_count : r->op->array_count;
    label_list none = { 0 };
    for (uint32_t i = 0; i < arrays; i++)
        add_array(m, &none);
    add_out(m, &none);
}

static void make_node(maker *m)
{
    const met_request *r = m->request;
    const char *pattern = r->op->pattern;
    bool takes_signature = r->op->bracket == MET_BRACKET_NONE || r->op->bracket == MET_BRACKET_EINSUM ||
                           r->op->bracket == MET_BRACKET_VIEW || r->op->id == MET_OP_gather;
    if (r->has_signature && !takes_signature)
        fail(m, MET_DIAG_label, r->span, "this op takes labels, not a signature in quotes", NULL);
    else if (r->has_signature)
        make_from_signature(m);
    else if (r->op->bracket == MET_BRACKET_EINSUM || r->op->bracket == MET_BRACKET_VIEW)
        fail(m, MET_DIAG_label, r->span, "a signature is missing", NULL);
    else if (r->op->bracket == MET_BRACKET_NONE)
        make_scalar_op(m);
    else if (strstr(pattern, "concat"))
        make_concat(m);
    else if (strstr(pattern, "split"))
        make_split(m);
    else
        make_from_pattern(m);
}

met_term *met_term_op(met_builder *b, const met_request *request, met_sym path)
{
    maker m = { .b = b, .request = request, .term = met_term_new(b), .path = path };
    m.node = (draft_node){ .op = request->op, .span = request->span };
    if (!met_fill_attrs(b, request, &m.node) || !check_counts(&m))
        return NULL;
    uint32_t room = ARRAYS + 8;
    uint32_t ins = request->in_count > request->array_count ? request->in_count : request->array_count;
    room = ins + 4 < room ? ins + 4 : room;
    uint32_t outs = request->result_count > 2 ? request->result_count : 2;
    m.node.ins = MET_NEW_ARRAY(b->arena, uint32_t, room);
    m.node.in_access = MET_NEW_ARRAY(b->arena, met_access, room);
    m.node.outs = MET_NEW_ARRAY(b->arena, uint32_t, outs);
    m.node.out_access = MET_NEW_ARRAY(b->arena, met_access, outs);
    make_node(&m);
    if (m.failed)
        return NULL;
    tie_formats(&m);
    met_draft_node(b, m.term, m.node);
    m.term->labels = m.node.indices;
    m.term->label_count = m.node.index_count;
    return m.term;
}
