/* Equations: values with names. Values made from one another form a part of the scope, and a part is lifted as one. */
#include "base/diag.h"
#include "ir/builder_parts.h"

typedef struct scope_value {
    uint32_t edge;
    uint32_t part; /* MET_NONE for parameters */
} scope_value;

typedef struct scope_part {
    uint32_t parent;
    met_term *term;
} scope_part;

struct met_scope {
    met_builder *b;
    MET_VEC(scope_value) values;
    MET_VEC(scope_part) parts;
    met_ids inputs;
};

met_scope *met_scope_new(met_builder *b)
{
    met_scope *scope = MET_NEW(b->arena, met_scope);
    scope->b = b;
    return scope;
}

static uint32_t part_root(met_scope *scope, uint32_t part)
{
    while (scope->parts.at[part].parent != part) {
        uint32_t parent = scope->parts.at[part].parent;
        scope->parts.at[part].parent = scope->parts.at[parent].parent;
        part = parent;
    }
    return part;
}

static met_value_id add_value(met_scope *scope, uint32_t edge, uint32_t part)
{
    scope_value value = { edge, part };
    MET_PUSH(scope->b->arena, &scope->values, value);
    return (met_value_id){ (uint32_t)scope->values.count - 1 };
}

static uint32_t add_part(met_scope *scope, met_term *term)
{
    uint32_t id = (uint32_t)scope->parts.count;
    scope_part part = { id, term };
    MET_PUSH(scope->b->arena, &scope->parts, part);
    return id;
}

met_value_id met_scope_source(met_scope *scope, const met_array_spec *spec)
{
    met_term *term = met_term_source(scope->b, spec);
    uint32_t edge = term->outs.at[0];
    if (spec->role == MET_EDGE_PARAMETER)
        return add_value(scope, edge, MET_NONE);
    MET_PUSH(scope->b->arena, &scope->inputs, edge);
    return add_value(scope, edge, add_part(scope, term));
}

/* One part from those of all the values; NULL if there are only parameters. */
static uint32_t merge_parts(met_scope *scope, uint32_t count, const met_value_id *values)
{
    uint32_t whole = MET_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = scope->values.at[values[i].id].part;
        if (part == MET_NONE)
            continue;
        part = part_root(scope, part);
        if (whole == MET_NONE || part == whole) {
            whole = part;
            continue;
        }
        uint32_t into = part < whole ? part : whole, from = part < whole ? whole : part;
        met_chain_join(scope->b, scope->parts.at[into].term, scope->parts.at[from].term);
        scope->parts.at[from].parent = into;
        whole = into;
    }
    return whole;
}

static bool count_error(met_scope *scope, const met_term *term, uint32_t count, met_span span)
{
    met_diag_add(scope->b->session, MET_DIAG_arity, span, "%zu array%s wanted here, and %u given", term->ins.count,
                 term->ins.count == 1 ? " is" : "s are", count);
    return false;
}

bool met_scope_apply(met_scope *scope, met_term *term, uint32_t count, const met_value_id *values,
                     const met_span *spans, met_span span, met_value_id *ret_values)
{
    met_builder *b = scope->b;
    if (!term)
        return false;
    if (count != term->ins.count)
        return count_error(scope, term, count, span);
    uint32_t *edges = MET_NEW_ARRAY(b->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        edges[i] = scope->values.at[values[i].id].edge;
    uint32_t part = merge_parts(scope, count, values);
    met_term *left = part == MET_NONE ? NULL : scope->parts.at[part].term;
    if (!met_align_ranks(b, left && !left->declared ? left : NULL, count, edges, term, span))
        return false;
    if (!met_unify_pairs(b, count, edges, term->ins.at, spans, span))
        return false;
    if (part == MET_NONE)
        part = add_part(scope, term);
    else
        met_chain_join(b, left, term);
    for (uint32_t i = 0; i < term->outs.count; i++)
        ret_values[i] = add_value(scope, term->outs.at[i], part);
    return true;
}

bool met_scope_value_has(met_scope *scope, met_value_id value, met_axis_id axis)
{
    const draft_edge *edge = met_draft_edge_root(scope->b, scope->values.at[value.id].edge);
    for (uint32_t i = 0; i < edge->rank; i++)
        if (met_builder_same_axis(scope->b, edge->axes[i], axis))
            return true;
    return false;
}

void met_scope_name_value(met_scope *scope, met_value_id value, met_sym name)
{
    draft_edge *edge = met_draft_edge_root(scope->b, scope->values.at[value.id].edge);
    if (edge->name.id == 0)
        edge->name = name;
}

bool met_scope_store(met_scope *scope, met_value_id value, met_format format, met_span span)
{
    met_builder *b = scope->b;
    draft_edge *edge = met_draft_edge_root(b, scope->values.at[value.id].edge);
    const draft_format *old = &b->formats.at[met_format_root(b, edge->format)];
    bool integer = format.dtype == MET_I32 && met_format_is_plain(format);
    bool was_integer = old->known && old->format.dtype == MET_I32 && met_format_is_plain(old->format);
    if (edge->producer == MET_NONE || integer != was_integer) {
        met_diag *d = met_diag_add(b->session, MET_DIAG_format, span, "this array cannot be stored in another format here");
        met_diag_help(d, edge->producer == MET_NONE ? "say the format where the array is declared" : "an op makes integers or it does not");
        return false;
    }
    edge->format = met_draft_format(b, &format, span);
    return true;
}

void met_scope_state(met_scope *scope, met_value_id in, met_value_id out)
{
    met_state state = { { scope->values.at[in.id].edge }, { scope->values.at[out.id].edge } };
    MET_PUSH(scope->b->arena, &scope->b->states, state);
}

met_term *met_scope_close(met_scope *scope, uint32_t out_count, const met_value_id *outs)
{
    met_term *whole = met_term_new(scope->b);
    for (uint32_t i = 0; i < scope->parts.count; i++)
        if (scope->parts.at[i].parent == i)
            met_chain_join(scope->b, whole, scope->parts.at[i].term);
    whole->ins = scope->inputs;
    whole->declared = false; /* what uses the whole may lift it: the declaration is of one slice */
    for (uint32_t i = 0; i < out_count; i++)
        MET_PUSH(scope->b->arena, &whole->outs, scope->values.at[outs[i].id].edge);
    return whole;
}
