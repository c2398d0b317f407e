#include "ir/rewrite.h"

#include "ir/affine.h"
#include "ir/guard.h"

const met_dim *met_rewrite_dim(met_rewrite *rewrite, const met_dim *dim)
{
    if (!dim)
        return NULL;
    const met_dim *result = met_dim_substitute(rewrite->session->arena, dim, rewrite->value, rewrite->context);
    if (!result)
        rewrite->overflow = true;
    return result ? result : dim;
}

met_affine met_rewrite_affine(met_rewrite *rewrite, met_affine affine)
{
    bool sizes = false;
    for (uint32_t i = 0; i < affine.term_count; i++)
        sizes = sizes || affine.terms[i].kind == MET_TERM_SIZE;
    if (!sizes)
        return affine;
    /* sizes that became numbers, or equal, are added up */
    met_arena *arena = rewrite->session->arena;
    met_affine sum = met_affine_constant(affine.constant);
    for (uint32_t i = 0; i < affine.term_count; i++) {
        const met_affine_term *term = &affine.terms[i];
        met_affine part = term->kind == MET_TERM_SIZE ? met_affine_size(arena, met_rewrite_dim(rewrite, term->size), 1)
                                                      : met_affine_index(arena, term->index, 1);
        if (!met_affine_add(arena, sum, part, term->coefficient, &sum))
            rewrite->overflow = true;
    }
    return sum;
}

const met_scalar *met_rewrite_scalar(met_rewrite *rewrite, const met_scalar *scalar)
{
    if (!scalar)
        return NULL;
    met_arena *arena = rewrite->session->arena;
    if (scalar->kind == MET_SCALAR_SIZE)
        return met_scalar_size(arena, met_rewrite_dim(rewrite, scalar->size));
    if (scalar->kind != MET_SCALAR_CALL)
        return scalar;
    return met_scalar_call(arena, scalar->fn, met_rewrite_scalar(rewrite, scalar->arguments[0]),
                           met_rewrite_scalar(rewrite, scalar->arguments[1]),
                           met_rewrite_scalar(rewrite, scalar->arguments[2]));
}

static const met_access *rewrite_accesses(met_rewrite *rewrite, const met_access *accesses, uint32_t count)
{
    met_access *copy = met_arena_copy(rewrite->session->arena, accesses, count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++) {
        met_affine *at = met_arena_copy(rewrite->session->arena, copy[i].at, copy[i].rank, sizeof *at);
        for (uint32_t p = 0; p < copy[i].rank; p++)
            at[p] = met_rewrite_affine(rewrite, at[p]);
        copy[i].at = at;
    }
    return copy;
}

void met_rewrite_node(met_rewrite *rewrite, met_node *node)
{
    node->in_access = rewrite_accesses(rewrite, node->in_access, node->in_count);
    node->out_access = rewrite_accesses(rewrite, node->out_access, node->out_count);
    met_attr *attrs = met_arena_copy(rewrite->session->arena, node->attrs, node->attr_count, sizeof *attrs);
    for (uint32_t i = 0; i < node->attr_count; i++) {
        attrs[i].dim = met_rewrite_dim(rewrite, attrs[i].dim);
        attrs[i].scalar = met_rewrite_scalar(rewrite, attrs[i].scalar);
    }
    node->attrs = attrs;
}

bool met_circuit_derive_guards(met_session *session, const met_axis *axes, met_edge *edges, const met_node *nodes,
                               uint32_t node_count)
{
    met_guard_view view = { session, session->arena, axes, edges };
    for (uint32_t n = 0; n < node_count; n++) {
        for (uint32_t o = 0; o < nodes[n].out_count; o++) {
            met_edge *edge = &edges[nodes[n].outs[o].id];
            if (!met_guards_derive(&view, &nodes[n], o, &edge->guards, &edge->guard_count))
                return false;
        }
    }
    return true;
}
