/* Alignment: what happens where two terms meet. Arrays are matched in order, ranks are made equal by lifting the lower
 * side, and then axes, sizes and formats become one, position by position. */
#include <string.h>

#include "base/diag.h"
#include "ir/builder_parts.h"

/* Longest chain of sizes that are defined by each other. */
enum { RESOLVE_LIMIT = 500 };

/* --- Sizes --- */

static const met_dim *symbol_value(void *context, met_size symbol)
{
    met_builder *b = context;
    const met_dim *value = b->symbols.at[symbol.id].value;
    if (!value)
        return NULL;
    const met_dim *resolved = met_draft_resolve(b, value);
    if (resolved)
        b->symbols.at[symbol.id].value = resolved;
    else
        resolved = value;
    return resolved;
}

/* Where a chain of symbols that stand for each other ends; afterwards each of them stands for the end. */
static const met_dim *chain_end(met_builder *b, const met_dim *dim)
{
    const met_dim *end = dim;
    met_size symbol;
    while (met_dim_is_symbol(end, &symbol) && b->symbols.at[symbol.id].value)
        end = b->symbols.at[symbol.id].value;
    while (dim != end && met_dim_is_symbol(dim, &symbol)) {
        dim = b->symbols.at[symbol.id].value;
        b->symbols.at[symbol.id].value = end;
    }
    return end;
}

const met_dim *met_draft_resolve(met_builder *b, const met_dim *dim)
{
    dim = chain_end(b, dim);
    if (b->resolve_depth >= RESOLVE_LIMIT)
        return NULL;
    b->resolve_depth++;
    const met_dim *resolved = met_dim_substitute(b->arena, dim, symbol_value, b);
    b->resolve_depth--;
    return resolved;
}

static met_str draft_size_name(void *context, met_size symbol)
{
    met_builder *b = context;
    return met_sym_str(b->session, b->symbols.at[symbol.id].name);
}

const char *met_draft_dim_text(met_builder *b, const met_dim *dim)
{
    met_text text = met_text_new(b->arena);
    const met_dim *resolved = met_draft_resolve(b, dim);
    met_dim_print(&text, resolved ? resolved : dim, draft_size_name, b);
    return met_text_done(&text);
}

const char *met_draft_axes_text(met_builder *b, const draft_edge *edge)
{
    met_text text = met_text_new(b->arena);
    for (uint32_t i = 0; i < edge->rank; i++) {
        met_text_put(&text, i ? " " : "");
        met_text_str(&text, met_sym_str(b->session, b->axes.at[met_axis_root(b, edge->axes[i].id)].name));
    }
    return edge->rank ? met_text_done(&text) : "a scalar";
}

static bool bind_symbol(met_builder *b, const met_dim *symbol_side, const met_dim *other)
{
    met_size symbol;
    if (!met_dim_is_symbol(symbol_side, &symbol) || met_dim_contains(other, symbol))
        return false;
    b->symbols.at[symbol.id].value = other;
    return true;
}

bool met_unify_axes(met_builder *b, uint32_t earlier, uint32_t later, met_span span)
{
    uint32_t a = met_axis_root(b, earlier), c = met_axis_root(b, later);
    if (a == c)
        return true;
    uint32_t first = a < c ? a : c, second = a < c ? c : a;
    draft_axis *x = &b->axes.at[first], *y = &b->axes.at[second];
    const met_dim *s = met_draft_resolve(b, x->size), *t = met_draft_resolve(b, y->size);
    bool agree = s && t && (met_dim_equal(s, t) || bind_symbol(b, t, s) || bind_symbol(b, s, t));
    if (!agree) {
        met_diag *d = met_diag_add(b->session, MET_DIAG_size, span, "axis `%s` has size %s and axis `%s` has size %s",
                                   met_sym_text(b->session, x->name), met_draft_dim_text(b, x->size),
                                   met_sym_text(b->session, y->name), met_draft_dim_text(b, y->size));
        met_diag_label(d, "they meet here");
        met_diag_note(d, x->span, "`%s` comes from here", met_sym_text(b->session, x->name));
        met_diag_note(d, y->span, "`%s` comes from here", met_sym_text(b->session, y->name));
        return false;
    }
    y->parent = first;
    return true;
}

/* --- Formats --- */

static const char *format_text(met_builder *b, met_format format)
{
    met_text text = met_text_new(b->arena);
    met_format_print(&text, format);
    return met_text_done(&text);
}

bool met_unify_formats(met_builder *b, uint32_t earlier, uint32_t later, met_span earlier_span, met_span later_span)
{
    uint32_t a = met_format_root(b, earlier), c = met_format_root(b, later);
    if (a == c)
        return true;
    draft_format *x = &b->formats.at[a], *y = &b->formats.at[c];
    if (x->known && y->known && !met_format_equal(x->format, y->format)) {
        met_diag *d = met_diag_add(b->session, MET_DIAG_format, later_span, "`%s` meets `%s`",
                                   format_text(b, x->format), format_text(b, y->format));
        met_diag_label(d, "they meet here");
        met_diag_note(d, x->span.source ? x->span : earlier_span, "`%s` comes from here", format_text(b, x->format));
        if (y->span.source && memcmp(&y->span, &later_span, sizeof later_span) != 0)
            met_diag_note(d, y->span, "`%s` comes from here", format_text(b, y->format));
        met_diag_help(d, "a cast is written, not guessed: cast(%s)", format_text(b, y->format));
        return false;
    }
    if (!x->known && y->known) {
        x->known = true;
        x->format = y->format;
        x->span = y->span;
    }
    y->parent = a;
    return true;
}

/* --- Edges --- */

static bool rank_error(met_builder *b, const draft_edge *left, const draft_edge *right, met_span span)
{
    met_diag *d = met_diag_add(b->session, MET_DIAG_rank, span, "an array of rank %u meets one of rank %u", left->rank,
                               right->rank);
    met_diag_label(d, "they meet here");
    met_diag_note(d, left->span, "this is %s", met_draft_axes_text(b, left));
    met_diag_note(d, right->span, "this is %s", met_draft_axes_text(b, right));
    return false;
}

bool met_unify_edges(met_builder *b, uint32_t earlier, uint32_t later, met_span span)
{
    uint32_t x = met_edge_root(b, earlier), y = met_edge_root(b, later);
    if (x == y)
        return true;
    draft_edge *left = &b->edges.at[x], *right = &b->edges.at[y];
    if (left->any_rank && !right->any_rank) {
        left->any_rank = false;
        left->rank = right->rank;
        left->axes = right->axes;
    } else if (!left->any_rank && !right->any_rank) {
        if (left->rank != right->rank)
            return rank_error(b, left, right, span);
        for (uint32_t i = 0; i < left->rank; i++)
            if (!met_unify_axes(b, left->axes[i].id, right->axes[i].id, span))
                return false;
    }
    if (!met_unify_formats(b, left->format, right->format, left->span, right->span))
        return false;
    right->parent = x;
    return true;
}

/* Ranks first, of all pairs, then formats, then sizes: so that what is reported is the coarsest thing that is wrong. */
bool met_unify_pairs(met_builder *b, uint32_t count, const uint32_t *earlier, const uint32_t *later, const met_span *spans,
                     met_span span)
{
    for (uint32_t i = 0; i < count; i++) {
        const draft_edge *left = met_draft_edge_root(b, earlier[i]), *right = met_draft_edge_root(b, later[i]);
        if (!left->any_rank && !right->any_rank && left->rank != right->rank)
            return rank_error(b, left, right, spans ? spans[i] : span);
    }
    for (uint32_t i = 0; i < count; i++) {
        const draft_edge *left = met_draft_edge_root(b, earlier[i]), *right = met_draft_edge_root(b, later[i]);
        const draft_format *x = &b->formats.at[met_format_root(b, left->format)];
        const draft_format *y = &b->formats.at[met_format_root(b, right->format)];
        if (x->known && y->known && !met_unify_formats(b, left->format, right->format, left->span, right->span))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!met_unify_edges(b, earlier[i], later[i], spans ? spans[i] : span))
            return false;
    return true;
}

/* --- Lifting --- */

static met_access lift_access(met_builder *b, met_access access, uint32_t first_index, uint32_t count)
{
    met_affine *at = MET_NEW_ARRAY(b->arena, met_affine, access.rank + count);
    met_affine_term *terms = MET_NEW_ARRAY(b->arena, met_affine_term, count);
    for (uint32_t i = 0; i < count; i++) {
        terms[i] = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = first_index + i };
        at[i] = (met_affine){ .term_count = 1, .terms = &terms[i] };
    }
    if (access.rank)
        memcpy(at + count, access.at, access.rank * sizeof *at);
    return (met_access){ access.rank + count, at };
}

static bool is_lifted(met_builder *b, uint32_t edge)
{
    const draft_edge *root = met_draft_edge_root(b, edge);
    return !root->fixed && !root->any_rank;
}

static void lift_node(met_builder *b, draft_node *node, uint32_t count, const met_axis_id *axes)
{
    met_index *indices = MET_NEW_ARRAY(b->arena, met_index, node->index_count + count);
    if (node->index_count)
        memcpy(indices, node->indices, node->index_count * sizeof *indices);
    for (uint32_t i = 0; i < count; i++)
        indices[node->index_count + i] = (met_index){ .label = b->axes.at[axes[i].id].name, .axis = axes[i] };
    for (uint32_t i = 0; i < node->in_count; i++)
        if (is_lifted(b, node->ins[i]))
            node->in_access[i] = lift_access(b, node->in_access[i], node->index_count, count);
    for (uint32_t i = 0; i < node->out_count; i++)
        node->out_access[i] = lift_access(b, node->out_access[i], node->index_count, count);
    node->indices = indices;
    node->index_count += count;
}

static bool all_fixed(met_builder *b, uint32_t count, const uint32_t *edges)
{
    bool fixed = true;
    for (uint32_t i = 0; i < count; i++)
        fixed = fixed && met_draft_edge_root(b, edges[i])->fixed;
    return fixed;
}

static bool is_output(met_builder *b, const met_term *term, uint32_t edge)
{
    for (uint32_t i = 0; i < term->outs.count; i++)
        if (met_draft_edge_root(b, term->outs.at[i]) == met_draft_edge_root(b, edge))
            return true;
    return false;
}

/* What is made of parameters alone is one for all, like them, unless the term returns it. */
static void keep_constants(met_builder *b, const met_term *term)
{
    for (uint32_t n = term->nodes.first; n != MET_NONE; n = b->nodes.at[n].next) {
        const draft_node *node = &b->nodes.at[n];
        bool constant = node->op && node->in_count > 0 && all_fixed(b, node->in_count, node->ins);
        for (uint32_t k = 0; constant && k < node->out_count; k++)
            constant = !is_output(b, term, node->outs[k]);
        for (uint32_t k = 0; constant && k < node->out_count; k++)
            met_draft_edge_root(b, node->outs[k])->fixed = true;
    }
}

/* Every lift makes the arrays larger, so the limit also bounds how often one node is lifted. */
static bool can_lift(met_builder *b, const met_term *term, uint32_t count, met_span span)
{
    for (uint32_t e = term->edges.first; e != MET_NONE; e = b->edges.at[e].next) {
        const draft_edge *edge = &b->edges.at[e];
        bool lifted = edge->parent == e && !edge->fixed && !edge->any_rank;
        if (!lifted || (count <= MET_RANK_LIMIT && edge->rank <= MET_RANK_LIMIT - count))
            continue;
        met_diag *d = met_diag_add(b->session, MET_DIAG_rank, span.source ? span : edge->span,
                                   "an array gets more than %d axes here", MET_RANK_LIMIT);
        met_diag_note(d, edge->span, "this is %s", met_draft_axes_text(b, edge));
        return false;
    }
    return true;
}

bool met_lift(met_builder *b, met_term *term, uint32_t count, const met_axis_id *axes, met_span span)
{
    if (count == 0)
        return true;
    if (!can_lift(b, term, count, span))
        return false;
    keep_constants(b, term);
    for (uint32_t n = term->nodes.first; n != MET_NONE; n = b->nodes.at[n].next)
        if (b->nodes.at[n].out_count == 0 || !all_fixed(b, b->nodes.at[n].out_count, b->nodes.at[n].outs))
            lift_node(b, &b->nodes.at[n], count, axes);
    for (uint32_t e = term->edges.first; e != MET_NONE; e = b->edges.at[e].next) {
        draft_edge *edge = &b->edges.at[e];
        if (edge->parent != e || edge->fixed || edge->any_rank)
            continue;
        met_axis_id *lifted = MET_NEW_ARRAY(b->arena, met_axis_id, edge->rank + count);
        memcpy(lifted, axes, count * sizeof *axes);
        if (edge->rank)
            memcpy(lifted + count, edge->axes, edge->rank * sizeof *lifted);
        edge->axes = lifted;
        edge->rank += count;
    }
    return true;
}

met_term *met_term_lift(met_builder *b, uint32_t count, const met_axis_id *axes, met_term *f)
{
    return f && met_lift(b, f, count, axes, (met_span){ 0 }) ? f : NULL;
}

static bool lift_lower(met_builder *b, met_term *left, const draft_edge *x, met_term *right, const draft_edge *y, met_span span)
{
    if (x->rank > y->rank)
        return met_lift(b, right, x->rank - y->rank, x->axes, span);
    if (x->rank < y->rank && left)
        return met_lift(b, left, y->rank - x->rank, y->axes, span);
    return true; /* equal, or an error that unifying finds */
}

/* An input that a parameter of its rank meets stands for that parameter, and like it is not lifted. */
static void keep_parameters(met_builder *b, uint32_t count, const uint32_t *values, met_term *right)
{
    for (uint32_t i = 0; i < count && i < right->ins.count; i++) {
        const draft_edge *x = met_draft_edge_root(b, values[i]);
        draft_edge *y = met_draft_edge_root(b, right->ins.at[i]);
        y->fixed = y->fixed || (x->fixed && !x->any_rank && !y->any_rank && x->rank == y->rank);
    }
}

bool met_align_ranks(met_builder *b, met_term *left, uint32_t count, const uint32_t *values, met_term *right, met_span span)
{
    const draft_edge *fixed = NULL, *beside = NULL;
    for (uint32_t i = 0; i < count && i < right->ins.count; i++) {
        const draft_edge *x = met_draft_edge_root(b, values[i]);
        const draft_edge *y = met_draft_edge_root(b, right->ins.at[i]);
        if (x->any_rank || y->any_rank || y->fixed)
            continue;
        if (!x->fixed) {
            if (x->rank > y->rank)
                keep_parameters(b, count, values, right);
            return lift_lower(b, left, x, right, y, span);
        }
        if (!fixed) {
            fixed = x;
            beside = y;
        }
    }
    /* Only parameters meet what can be lifted: the first one decides. */
    return !fixed || fixed->rank <= beside->rank || lift_lower(b, left, fixed, right, beside, span);
}

/* --- Composition and product --- */

/* The outputs of f @ g: those of g, then those of f that passed by. They are put where f's stood, with some room in
 * front, so that a long chain beside which many arrays pass does not copy them at every step. */
static void join_outputs(met_builder *b, met_term *h, const met_term *f, const met_term *g, uint32_t pairs)
{
    size_t passing = f->outs.count - pairs, made = g->outs.count;
    if (passing == 0) {
        h->outs = g->outs;
        h->outs_front = g->outs_front;
        return;
    }
    uint32_t *rest = f->outs.at + pairs;
    size_t front = f->outs_front + pairs;
    if (made > front) {
        front = made + passing + made;
        uint32_t *moved = MET_NEW_ARRAY(b->arena, uint32_t, front + passing);
        memcpy(moved + front, rest, passing * sizeof *rest);
        rest = moved + front;
    }
    h->outs.at = rest - made;
    h->outs.count = h->outs.room = made + passing;
    h->outs_front = front - made;
    if (made)
        memcpy(h->outs.at, g->outs.at, made * sizeof *g->outs.at);
}

met_term *met_term_compose(met_builder *b, met_term *f, met_term *g, met_span span)
{
    if (!f || !g)
        return NULL;
    uint32_t outs = (uint32_t)f->outs.count, ins = (uint32_t)g->ins.count;
    uint32_t pairs = outs < ins ? outs : ins;
    if (!met_align_ranks(b, f, pairs, f->outs.at, g, span))
        return NULL;
    if (!met_unify_pairs(b, pairs, f->outs.at, g->ins.at, NULL, span))
        return NULL;
    met_term *h = met_term_new(b);
    h->ins = f->ins;
    for (uint32_t i = pairs; i < ins; i++)
        MET_PUSH(b->arena, &h->ins, g->ins.at[i]);
    join_outputs(b, h, f, g, pairs);
    met_chain_join(b, h, f);
    met_chain_join(b, h, g);
    return h;
}

met_term *met_term_product(met_builder *b, met_term *f, met_term *g)
{
    if (!f || !g)
        return NULL;
    met_term *h = met_term_new(b);
    h->ins = f->ins;
    for (uint32_t i = 0; i < g->ins.count; i++)
        MET_PUSH(b->arena, &h->ins, g->ins.at[i]);
    h->outs = f->outs;
    for (uint32_t i = 0; i < g->outs.count; i++)
        MET_PUSH(b->arena, &h->outs, g->outs.at[i]);
    met_chain_join(b, h, f);
    met_chain_join(b, h, g);
    return h;
}
