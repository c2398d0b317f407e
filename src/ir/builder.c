#include "ir/builder_parts.h"

#include <string.h>

#include "base/diag.h"

met_builder *met_builder_new(met_session *session)
{
    met_builder *b = MET_NEW(session->arena, met_builder);
    b->session = session;
    b->arena = session->arena;
    b->open_block = MET_NONE;
    b->parameter_names = met_map_new(b->arena);
    draft_symbol none = { 0 };
    MET_PUSH(b->arena, &b->symbols, none); /* symbol 0 names nothing */
    return b;
}

met_session *met_builder_session(const met_builder *b)
{
    return b->session;
}

met_arena *met_builder_arena(const met_builder *b)
{
    return b->arena;
}

/* --- Classes --- */

/* The earliest member of an item's class. `parent` is the first field of every draft that has classes; paths are halved
 * on the way (Tarjan and van Leeuwen). */
static uint32_t class_root(void *items, size_t size, uint32_t item)
{
    char *base = items;
    for (;;) {
        uint32_t *parent = (uint32_t *)(void *)(base + item * size);
        if (*parent == item)
            return item;
        *parent = *(uint32_t *)(void *)(base + *parent * size);
        item = *parent;
    }
}

uint32_t met_edge_root(met_builder *b, uint32_t edge)
{
    return class_root(b->edges.at, sizeof *b->edges.at, edge);
}

draft_edge *met_draft_edge_root(met_builder *b, uint32_t edge)
{
    return &b->edges.at[met_edge_root(b, edge)];
}

uint32_t met_axis_root(met_builder *b, uint32_t axis)
{
    return class_root(b->axes.at, sizeof *b->axes.at, axis);
}

uint32_t met_format_root(met_builder *b, uint32_t format)
{
    return class_root(b->formats.at, sizeof *b->formats.at, format);
}

bool met_builder_same_axis(met_builder *b, met_axis_id a, met_axis_id c)
{
    return met_axis_root(b, a.id) == met_axis_root(b, c.id);
}

/* --- Making things --- */

uint32_t met_draft_symbol(met_builder *b, met_sym name)
{
    draft_symbol symbol = { name, NULL };
    MET_PUSH(b->arena, &b->symbols, symbol);
    return (uint32_t)b->symbols.count - 1;
}

const met_dim *met_builder_symbol(met_builder *b, met_sym name, met_span span)
{
    (void)span;
    return met_dim_symbol(b->arena, (met_size){ met_draft_symbol(b, name) });
}

met_axis_id met_builder_axis(met_builder *b, met_sym name, const met_dim *size, met_span span)
{
    uint32_t id = (uint32_t)b->axes.count;
    draft_axis axis = { id, name, size, span };
    if (!size)
        axis.size = met_builder_symbol(b, name, span);
    MET_PUSH(b->arena, &b->axes, axis);
    return (met_axis_id){ id };
}

uint32_t met_draft_format(met_builder *b, const met_format *format, met_span span)
{
    uint32_t id = (uint32_t)b->formats.count;
    draft_format draft = { .parent = id, .known = format != NULL, .span = span };
    if (format)
        draft.format = *format;
    MET_PUSH(b->arena, &b->formats, draft);
    return id;
}

met_term *met_term_new(met_builder *b)
{
    met_term *term = MET_NEW(b->arena, met_term);
    term->nodes = term->edges = (met_chain){ MET_NONE, MET_NONE };
    return term;
}

uint32_t met_draft_edge(met_builder *b, met_term *term, const met_array_spec *spec)
{
    uint32_t id = (uint32_t)b->edges.count;
    draft_edge edge = {
        .parent = id,
        .next = MET_NONE,
        .any_rank = spec->any_rank,
        .fixed = spec->role == MET_EDGE_PARAMETER,
        .role = spec->role,
        .name = spec->name,
        .rank = spec->rank,
        .axes = met_arena_copy(b->arena, spec->axes, spec->rank, sizeof *spec->axes),
        .format = met_draft_format(b, spec->format, spec->span),
        .producer = MET_NONE,
        .place = spec->place ? spec->place : (uint64_t)id << 32 | UINT32_MAX,
        .span = spec->span,
    };
    MET_PUSH(b->arena, &b->edges, edge);
    if (term->edges.last == MET_NONE)
        term->edges.first = id;
    else
        b->edges.at[term->edges.last].next = id;
    term->edges.last = id;
    return id;
}

uint32_t met_draft_node(met_builder *b, met_term *term, draft_node node)
{
    uint32_t id = (uint32_t)b->nodes.count;
    node.next = MET_NONE;
    node.block = b->open_block;
    MET_PUSH(b->arena, &b->nodes, node);
    if (term->nodes.last == MET_NONE)
        term->nodes.first = id;
    else
        b->nodes.at[term->nodes.last].next = id;
    term->nodes.last = id;
    for (uint32_t i = 0; i < node.out_count; i++) {
        b->edges.at[node.outs[i]].producer = id;
        b->edges.at[node.outs[i]].producer_output = i;
    }
    return id;
}

void met_chain_join(met_builder *b, met_term *into, met_term *from)
{
    if (into->nodes.last == MET_NONE)
        into->nodes.first = from->nodes.first;
    else
        b->nodes.at[into->nodes.last].next = from->nodes.first;
    if (from->nodes.last != MET_NONE)
        into->nodes.last = from->nodes.last;
    if (into->edges.last == MET_NONE)
        into->edges.first = from->edges.first;
    else
        b->edges.at[into->edges.last].next = from->edges.first;
    if (from->edges.last != MET_NONE)
        into->edges.last = from->edges.last;
    into->declared = into->declared || from->declared;
}

/* --- Rearrangements --- */

static uint32_t wire(met_builder *b, met_term *term, met_span span)
{
    met_array_spec spec = { .role = MET_EDGE_VALUE, .any_rank = true, .span = span };
    uint32_t edge = met_draft_edge(b, term, &spec);
    MET_PUSH(b->arena, &term->ins, edge);
    return edge;
}

met_term *met_term_copy(met_builder *b, uint32_t copies, met_span span)
{
    met_term *term = met_term_new(b);
    uint32_t edge = wire(b, term, span);
    for (uint32_t i = 0; i < copies; i++)
        MET_PUSH(b->arena, &term->outs, edge);
    return term;
}

met_term *met_term_id(met_builder *b, met_span span)
{
    return met_term_copy(b, 1, span);
}

met_term *met_term_drop(met_builder *b, met_span span)
{
    return met_term_copy(b, 0, span);
}

met_term *met_term_permute(met_builder *b, uint32_t count, const uint32_t *order, met_span span)
{
    bool *seen = MET_NEW_ARRAY(b->arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] >= count || seen[order[i]]) {
            met_diag *d = met_diag_add(b->session, MET_DIAG_arity, span, "this is not a permutation of %u arrays", count);
            met_diag_help(d, "write each of the numbers 0 to %u once", count - 1);
            return NULL;
        }
        seen[order[i]] = true;
    }
    met_term *term = met_term_new(b);
    for (uint32_t i = 0; i < count; i++)
        wire(b, term, span);
    for (uint32_t i = 0; i < count; i++)
        MET_PUSH(b->arena, &term->outs, term->ins.at[order[i]]);
    return term;
}

/* --- Sources and boxes --- */

met_term *met_term_source(met_builder *b, const met_array_spec *spec)
{
    met_term *term = met_term_new(b);
    uint32_t edge = met_draft_edge(b, term, spec);
    b->edges.at[edge].declared = !spec->any_rank && spec->role != MET_EDGE_PARAMETER;
    term->declared = b->edges.at[edge].declared;
    MET_PUSH(b->arena, &term->outs, edge);
    if (spec->role != MET_EDGE_PARAMETER)
        MET_PUSH(b->arena, &term->ins, edge);
    return term;
}

/* Before the next edge, and after what was declared before. */
uint64_t met_builder_place(met_builder *b)
{
    return (uint64_t)b->edges.count << 32 | ++b->place_count;
}

/* Positions of a box are indices of their own, one an axis, so that nothing is said about what it does. */
static met_access box_access(met_builder *b, draft_node *node, const met_array_spec *spec)
{
    met_affine *at = MET_NEW_ARRAY(b->arena, met_affine, spec->rank);
    for (uint32_t i = 0; i < spec->rank; i++) {
        uint32_t index = 0;
        while (index < node->index_count && node->indices[index].axis.id != spec->axes[i].id)
            index++;
        if (index == node->index_count)
            node->indices[node->index_count++] = (met_index){ .label = b->axes.at[spec->axes[i].id].name,
                                                              .axis = spec->axes[i], .target = true };
        met_affine_term *term = MET_NEW(b->arena, met_affine_term);
        *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = index };
        at[i] = (met_affine){ .term_count = 1, .terms = term };
    }
    return (met_access){ spec->rank, at };
}

static uint32_t box_edge(met_builder *b, met_term *term, const met_array_spec *spec)
{
    met_array_spec value = *spec;
    value.role = MET_EDGE_VALUE;
    return met_draft_edge(b, term, &value);
}

met_term *met_term_box(met_builder *b, met_sym name, uint32_t in_count, const met_array_spec *ins, uint32_t out_count,
                       const met_array_spec *outs, met_span span)
{
    met_term *term = met_term_new(b);
    draft_node node = { .box_name = name, .in_count = in_count, .out_count = out_count, .span = span };
    uint32_t axes = 0;
    for (uint32_t i = 0; i < in_count + out_count; i++)
        axes += i < in_count ? ins[i].rank : outs[i - in_count].rank;
    node.indices = MET_NEW_ARRAY(b->arena, met_index, axes);
    node.ins = MET_NEW_ARRAY(b->arena, uint32_t, in_count);
    node.outs = MET_NEW_ARRAY(b->arena, uint32_t, out_count);
    node.in_access = MET_NEW_ARRAY(b->arena, met_access, in_count);
    node.out_access = MET_NEW_ARRAY(b->arena, met_access, out_count);
    for (uint32_t i = 0; i < in_count; i++) {
        node.ins[i] = box_edge(b, term, &ins[i]);
        node.in_access[i] = box_access(b, &node, &ins[i]);
        MET_PUSH(b->arena, &term->ins, node.ins[i]);
    }
    for (uint32_t i = 0; i < out_count; i++) {
        node.outs[i] = box_edge(b, term, &outs[i]);
        node.out_access[i] = box_access(b, &node, &outs[i]);
        MET_PUSH(b->arena, &term->outs, node.outs[i]);
    }
    met_draft_node(b, term, node);
    return term;
}

/* --- Reading --- */

uint32_t met_term_in_count(const met_term *term)
{
    return (uint32_t)term->ins.count;
}

uint32_t met_term_out_count(const met_term *term)
{
    return (uint32_t)term->outs.count;
}

uint32_t met_term_labels(const met_term *term, const met_index **ret_labels)
{
    *ret_labels = term->labels;
    return term->label_count;
}

const met_dim *met_builder_axis_size(met_builder *b, met_axis_id axis)
{
    return met_draft_resolve(b, b->axes.at[met_axis_root(b, axis.id)].size);
}

met_span met_builder_axis_span(met_builder *b, met_axis_id axis)
{
    return b->axes.at[axis.id].span;
}

/* --- Blocks --- */

met_block_id met_builder_open_block(met_builder *b, met_sym name, uint32_t family, uint32_t repeat,
                                    uint32_t repeat_count)
{
    draft_block block = { name, b->open_block, family, repeat, repeat_count };
    MET_PUSH(b->arena, &b->blocks, block);
    b->open_block = (uint32_t)b->blocks.count - 1;
    return (met_block_id){ b->open_block };
}

void met_builder_close_block(met_builder *b, met_block_id block)
{
    b->open_block = b->blocks.at[block.id].parent;
}

uint32_t met_builder_family(met_builder *b)
{
    return b->family_count++;
}
