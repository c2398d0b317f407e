/* From what the language says of an op to a node: its indices, how each array is read and written, its ports. The
 * patterns in ops.def say which labels each array carries. */
#include <string.h>

#include "ir/signature_parts.h"

/* --- Formats --- */

static void tie_formats(met_maker *m)
{
    met_builder *b = m->b;
    const met_request *r = m->request;
    uint32_t tied = MET_NONE;
    for (uint32_t k = 0; k < m->node.in_count + m->node.out_count; k++) {
        bool result = k >= m->node.in_count;
        uint32_t port = result ? k - m->node.in_count : k;
        uint32_t format = b->edges.at[result ? m->node.outs[port] : m->node.ins[port]].format;
        char letter = met_op_format_letter(r->op, result, port);
        if (letter == 'i' || letter == 'F') {
            met_format known = letter == 'i' ? met_format_of(MET_I32) : met_draft_attr(b, &m->node, "format")->format;
            b->formats.at[format] = (draft_format){ .parent = format, .known = true, .format = known, .span = r->span };
        }
        if (letter != 't' || r->stored)
            continue;
        if (tied == MET_NONE)
            tied = format;
        else
            met_unify_formats(b, tied, format, r->span, r->span);
    }
}

/* --- The whole --- */

static bool count_fits(const met_request *r)
{
    if (r->op->array_count == MET_VARIADIC)
        return !r->has_signature || r->array_count == r->in_count;
    uint32_t slots = 0;
    met_str name, option;
    for (const char *at = r->op->params; met_op_next_slot(&at, &name, &option);)
        slots++;
    return r->array_count >= r->op->array_count && r->array_count <= r->op->array_count + slots;
}

static bool check_counts(met_maker *m)
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
    if (r->array_count > MET_OP_ARRAYS || r->in_count > MET_OP_ARRAYS || r->result_count > MET_OP_ARRAYS) {
        met_maker_fail(m, MET_DIAG_arity, r->span, "an op takes up to 64 arrays", NULL);
        return false;
    }
    bool variadic = r->op->array_count == MET_VARIADIC && !r->has_signature;
    if (variadic && r->array_count < 1) {
        met_maker_fail(m, MET_DIAG_arity, r->span, "this op takes one array or more", NULL);
        return false;
    }
    if (r->has_signature && r->op->array_count != MET_VARIADIC && r->in_count != r->op->array_count) {
        met_maker_fail(m, MET_DIAG_arity, r->span, "the signature does not have as many arrays as the op", NULL);
        return false;
    }
    if (r->has_signature && r->in_count == 0) {
        met_maker_fail(m, MET_DIAG_arity, r->span, "a signature has one array or more", NULL);
        return false;
    }
    if (r->has_signature && r->out_count != (met_op_scans(r->op) ? 2 : 1)) {
        met_maker_fail(m, MET_DIAG_arity, r->span, met_op_scans(r->op) ? "the signature of a recurrence has two results" : "a signature has one result",
                       met_op_scans(r->op) ? "what stands at every step, and the state after the last one" : NULL);
        return false;
    }
    return true;
}

static void make_scalar_op(met_maker *m)
{
    const met_request *r = m->request;
    uint32_t arrays = r->op->array_count == MET_VARIADIC ? r->array_count : r->op->array_count;
    met_label_list none = { 0 };
    for (uint32_t i = 0; i < arrays; i++)
        met_maker_array(m, &none);
    met_maker_out(m, &none);
}

static void make_node(met_maker *m)
{
    const met_request *r = m->request;
    const char *pattern = r->op->pattern;
    bool takes_signature = r->op->bracket == MET_BRACKET_NONE || r->op->bracket == MET_BRACKET_EINSUM ||
                           r->op->bracket == MET_BRACKET_VIEW ||
                           r->op->id == MET_OP_gather;
    if (r->has_signature && !takes_signature)
        met_maker_fail(m, MET_DIAG_label, r->span, "this op takes labels, not a signature in quotes",
                       "name its targets: op[x], or op[shape; targets]");
    else if (r->has_signature)
        met_make_signature(m);
    else if (r->op->bracket == MET_BRACKET_EINSUM || r->op->bracket == MET_BRACKET_VIEW)
        met_maker_fail(m, MET_DIAG_label, r->span, "a signature is missing",
                       r->op->bracket == MET_BRACKET_VIEW ? "write what is read where: view[a b <- b, a]" :
                       met_op_scans(r->op) ? "write it in quotes, the state first: 'd, n d, n d -> n d, d'" :
                                             "write it in quotes: 'a b, b c -> a c'");
    else if (r->op->bracket == MET_BRACKET_NONE && (r->targets.count || r->has_shape || r->result_count))
        met_maker_fail(m, MET_DIAG_label, r->span, "this op takes no labels: it acts on every element", "leave the brackets out");
    else if (r->op->bracket == MET_BRACKET_NONE)
        make_scalar_op(m);
    else if (strstr(pattern, "concat"))
        met_make_concat(m);
    else if (strstr(pattern, "split"))
        met_make_split(m);
    else
        met_make_pattern(m);
}

met_term *met_term_op(met_builder *b, const met_request *request, met_sym path)
{
    met_maker m = { .b = b, .request = request, .term = met_term_new(b), .path = path };
    m.node = (draft_node){ .op = request->op, .span = request->span };
    if (!met_fill_attrs(b, request, &m.node) || !check_counts(&m))
        return NULL;
    uint32_t room = MET_OP_ARRAYS + 8;
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
