/* Freezing: a finished term becomes a circuit. Classes get final ids in reading order, everything gets a unique name,
 * sizes are resolved, formats that nobody stated take the default, guards are derived. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/affine.h"
#include "ir/check.h"
#include "ir/freeze_parts.h"
#include "ir/rewrite.h"

/* --- Node order --- */

/* Visits what a node reads before the node, without recursion. */
static void visit(met_freezer *f, uint32_t start, uint8_t *state)
{
    met_ids stack = { 0 };
    MET_PUSH(f->arena, &stack, start);
    while (stack.count) {
        uint32_t n = stack.at[stack.count - 1];
        const draft_node *node = &f->b->nodes.at[n];
        if (state[n] == 2) {
            stack.count--;
            continue;
        }
        bool ready = true;
        for (uint32_t i = node->in_count; i-- > 0 && state[n] == 0;) {
            uint32_t producer = met_draft_edge_root(f->b, node->ins[i])->producer;
            if (producer != MET_NONE && state[producer] == 0) {
                MET_PUSH(f->arena, &stack, producer);
                ready = false;
            }
        }
        if (ready) {
            state[n] = 2;
            stack.count--;
            MET_PUSH(f->arena, &f->order, n);
        } else {
            state[n] = 1;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void order_nodes(met_freezer *f)
{
    met_ids nodes = { 0 };
    for (uint32_t n = f->term->nodes.first; n != MET_NONE; n = f->b->nodes.at[n].next)
        MET_PUSH(f->arena, &nodes, n);
    if (nodes.count)
        qsort(nodes.at, nodes.count, sizeof *nodes.at, ascending);
    uint8_t *state = MET_NEW_ARRAY(f->arena, uint8_t, f->b->nodes.count);
    for (size_t i = 0; i < nodes.count; i++)
        visit(f, nodes.at[i], state);
}

/* --- Axes and edges --- */

/* linear[m -> 8] makes an axis called 8, which a listing could not write: there it is _8. */
static met_sym nameable(met_freezer *f, met_sym name)
{
    met_sym base = met_name_base(f->b->session, name);
    if (met_name_valid(met_sym_str(f->b->session, base)))
        return name;
    met_text text = met_text_new(f->arena);
    met_text_format(&text, "_%s", met_sym_text(f->b->session, base));
    return met_intern(f->b->session, met_str_of(met_text_done(&text)));
}

static met_axis_id freeze_axis(met_freezer *f, met_axis_id draft)
{
    uint32_t root = met_axis_root(f->b, draft.id);
    if (f->axis_ids[root] == MET_NONE) {
        const draft_axis *axis = &f->b->axes.at[root];
        f->axis_ids[root] = (uint32_t)f->axes.count;
        met_sym name = nameable(f, axis->name);
        met_axis frozen = { name, met_name_base(f->b->session, name), axis->size, axis->span };
        MET_PUSH(f->arena, &f->axes, frozen);
    }
    return (met_axis_id){ f->axis_ids[root] };
}

static draft_format *format_of(met_freezer *f, uint32_t edge)
{
    return &f->b->formats.at[met_format_root(f->b, met_draft_edge_root(f->b, edge)->format)];
}

static uint32_t add_edge(met_freezer *f, uint32_t root, met_sym name)
{
    const draft_edge *draft = &f->b->edges.at[root];
    /* As written if nothing else is called so: parameters of checkpoints may end in numbers. */
    met_sym unique = name.id && met_namer_take(f->edge_names, name) ? name : met_namer_unique(f->edge_names, name);
    met_edge edge = { .name = unique, .role = draft->role, .rank = draft->rank,
                      .producer = { MET_NONE }, .span = draft->span };
    met_axis_id *axes = MET_NEW_ARRAY(f->arena, met_axis_id, draft->rank);
    for (uint32_t i = 0; i < draft->rank; i++)
        axes[i] = freeze_axis(f, draft->axes[i]);
    edge.axes = axes;
    const draft_format *format = format_of(f, root);
    edge.format = format->known ? format->format : f->circuit->default_format;
    edge.format_origin = format->known && !format->assumed ? MET_FORMAT_STATED : MET_FORMAT_DEFAULT;
    f->edge_ids[root] = (uint32_t)f->edges.count;
    MET_PUSH(f->arena, &f->edges, edge);
    return f->edge_ids[root];
}

static met_sym numbered(met_freezer *f, const char *stem, uint32_t number)
{
    met_text text = met_text_new(f->arena);
    met_text_format(&text, "%s%u", stem, number);
    return met_intern(f->b->session, (met_str){ met_text_done(&text), text.length });
}

static void freeze_inputs(met_freezer *f)
{
    met_edge_id *inputs = MET_NEW_ARRAY(f->arena, met_edge_id, f->term->ins.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->term->ins.count; i++) {
        uint32_t root = met_edge_root(f->b, f->term->ins.at[i]);
        if (f->edge_ids[root] != MET_NONE)
            continue;
        draft_edge *draft = &f->b->edges.at[root];
        if (draft->role == MET_EDGE_VALUE)
            draft->role = MET_EDGE_INPUT;
        met_sym name = draft->name.id ? draft->name : numbered(f, "in", i);
        inputs[count++] = (met_edge_id){ add_edge(f, root, name) };
    }
    f->circuit->inputs = inputs;
    f->circuit->input_count = count;
}

static void note_parameter(met_freezer *f, met_ids *roots, uint32_t edge)
{
    uint32_t root = met_edge_root(f->b, edge);
    if (f->edge_ids[root] != MET_NONE || f->b->edges.at[root].producer != MET_NONE)
        return;
    f->edge_ids[root] = 0; /* seen */
    MET_PUSH(f->arena, roots, root);
}

typedef struct placed {
    uint64_t place;
    uint32_t edge;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Parameters stand in the order in which they are first declared or used. */
static void sort_by_place(met_freezer *f, met_ids *edges)
{
    placed *all = MET_NEW_ARRAY(f->arena, placed, edges->count);
    for (size_t i = 0; i < edges->count; i++)
        all[i] = (placed){ f->b->edges.at[edges->at[i]].place, edges->at[i] };
    qsort(all, edges->count, sizeof *all, by_place);
    for (size_t i = 0; i < edges->count; i++)
        edges->at[i] = all[i].edge;
}

/* Whatever is read or given out, and neither made nor an input. */
static void freeze_parameters(met_freezer *f)
{
    met_ids roots = { 0 };
    for (size_t n = 0; n < f->order.count; n++) {
        const draft_node *node = &f->b->nodes.at[f->order.at[n]];
        for (uint32_t i = 0; i < node->in_count; i++)
            note_parameter(f, &roots, node->ins[i]);
    }
    for (size_t i = 0; i < f->term->outs.count; i++)
        note_parameter(f, &roots, f->term->outs.at[i]);
    if (roots.count)
        sort_by_place(f, &roots);
    met_edge_id *parameters = MET_NEW_ARRAY(f->arena, met_edge_id, roots.count);
    for (size_t i = 0; i < roots.count; i++) {
        draft_edge *draft = &f->b->edges.at[roots.at[i]];
        draft->role = MET_EDGE_PARAMETER;
        met_sym name = draft->name.id ? draft->name : numbered(f, "w", (uint32_t)i);
        parameters[i] = (met_edge_id){ add_edge(f, roots.at[i], name) };
    }
    f->circuit->parameters = parameters;
    f->circuit->parameter_count = (uint32_t)roots.count;
}

/* --- Nodes --- */

/* New number of each index: the first output's in its order, then the others. */
static uint32_t *index_order(met_freezer *f, const draft_node *draft)
{
    uint32_t *map = MET_NEW_ARRAY(f->arena, uint32_t, draft->index_count);
    memset(map, 0xFF, draft->index_count * sizeof *map);
    uint32_t next = 0, index;
    for (uint32_t o = 0; o < draft->out_count; o++)
        for (uint32_t p = 0; p < draft->out_access[o].rank; p++)
            if (met_affine_is_index(draft->out_access[o].at[p], &index) && map[index] == MET_NONE)
                map[index] = next++;
    for (uint32_t i = 0; i < draft->index_count; i++)
        if (map[i] == MET_NONE)
            map[i] = next++;
    return map;
}

static met_affine renumber_affine(met_freezer *f, met_affine affine, const uint32_t *map)
{
    met_affine_term *terms = met_arena_copy(f->arena, affine.terms, affine.term_count, sizeof *terms);
    for (uint32_t i = 0; i < affine.term_count; i++)
        if (terms[i].kind == MET_TERM_INDEX)
            terms[i].index = map[terms[i].index];
    affine.terms = terms;
    return affine;
}

static const met_access *renumber_accesses(met_freezer *f, const met_access *accesses, uint32_t count, const uint32_t *map)
{
    met_access *copy = met_arena_copy(f->arena, accesses, count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++) {
        met_affine *at = MET_NEW_ARRAY(f->arena, met_affine, copy[i].rank);
        for (uint32_t p = 0; p < copy[i].rank; p++)
            at[p] = renumber_affine(f, copy[i].at[p], map);
        copy[i].at = at;
    }
    return copy;
}

static const met_scalar *renumber_scalar(met_freezer *f, const met_scalar *scalar, const uint32_t *map)
{
    if (!scalar)
        return NULL;
    if (scalar->kind == MET_SCALAR_INDEX)
        return met_scalar_index(f->arena, map[scalar->index]);
    if (scalar->kind != MET_SCALAR_CALL)
        return scalar;
    const met_scalar *arguments[3];
    for (int i = 0; i < 3; i++)
        arguments[i] = renumber_scalar(f, scalar->arguments[i], map);
    return met_scalar_call(f->arena, scalar->fn, arguments[0], arguments[1], arguments[2]);
}

static const uint32_t *renumber_list(met_freezer *f, const uint32_t *list, uint32_t count, const uint32_t *map)
{
    uint32_t *copy = MET_NEW_ARRAY(f->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = map[list[i]];
    return copy;
}

static const met_index *freeze_indices(met_freezer *f, const draft_node *draft, const uint32_t *map)
{
    met_index *indices = MET_NEW_ARRAY(f->arena, met_index, draft->index_count);
    bool *written = MET_NEW_ARRAY(f->arena, bool, draft->index_count);
    uint32_t index;
    for (uint32_t o = 0; o < draft->out_count; o++)
        for (uint32_t p = 0; p < draft->out_access[o].rank; p++)
            if (met_affine_is_index(draft->out_access[o].at[p], &index))
                written[index] = true;
    for (uint32_t i = 0; i < draft->index_count; i++) {
        met_index frozen = draft->indices[i];
        frozen.axis = freeze_axis(f, frozen.axis);
        frozen.reduced = !written[i];
        indices[map[i]] = frozen;
    }
    return indices;
}

/* Where a contraction's result is open and its first operand is not, the result gets the operand's format. True if any
 * did. */
static bool follow_operands(met_freezer *f)
{
    bool any = false;
    for (size_t n = 0; n < f->order.count; n++) {
        const draft_node *node = &f->b->nodes.at[f->order.at[n]];
        bool contraction = node->op && (node->op->id == MET_OP_einsum || node->op->id == MET_OP_linear || node->op->id == MET_OP_expert);
        uint32_t leader = node->op ? met_op_leader(node->op) : 0;
        contraction = contraction || (node->op && node->op->form == MET_FORM_SCAN);
        const draft_format *first = contraction && node->in_count > leader ? format_of(f, node->ins[leader]) : NULL;
        bool follows = first && first->known && met_format_is_float(first->format);
        draft_format *format = follows ? format_of(f, node->outs[0]) : NULL;
        if (!follows || format->known)
            continue;
        format->known = true;
        format->format = first->format;
        any = true;
    }
    return any;
}

/* A contraction's result, where nobody states its format, is stored as its first operand is; everything else that is left
 * open takes the default. Settled before any edge is made, because a class has edges everywhere: what one result gets may
 * reach an operand of a node before it, hence the repetition. */
static void settle_formats(met_freezer *f)
{
    while (follow_operands(f)) {
    }
    for (size_t n = 0; n < f->order.count; n++) {
        const draft_node *node = &f->b->nodes.at[f->order.at[n]];
        for (uint32_t i = 0; i < node->out_count; i++) {
            draft_format *format = format_of(f, node->outs[i]);
            if (format->known)
                continue;
            *format = (draft_format){ .parent = format->parent, .known = true, .assumed = true, .format = f->circuit->default_format,
                                      .span = format->span };
        }
    }
}

static void freeze_node(met_freezer *f, const draft_node *draft, met_node *node, uint32_t id)
{
    uint32_t *map = index_order(f, draft);
    *node = (met_node){ .op = draft->op, .box_name = draft->box_name, .index_count = draft->index_count,
                        .in_count = draft->in_count, .out_count = draft->out_count, .target_count = draft->target_count,
                        .result_count = draft->result_count, .attr_count = draft->attr_count,
                        .block = { draft->block }, .span = draft->span };
    node->indices = freeze_indices(f, draft, map);
    node->in_access = renumber_accesses(f, draft->in_access, draft->in_count, map);
    node->out_access = renumber_accesses(f, draft->out_access, draft->out_count, map);
    node->targets = renumber_list(f, draft->targets, draft->target_count, map);
    node->results = renumber_list(f, draft->results, draft->result_count, map);
    met_attr *attrs = met_arena_copy(f->arena, draft->attrs, draft->attr_count, sizeof *attrs);
    for (uint32_t i = 0; i < draft->attr_count; i++)
        attrs[i].scalar = renumber_scalar(f, attrs[i].scalar, map);
    node->attrs = attrs;
    met_edge_id *ins = MET_NEW_ARRAY(f->arena, met_edge_id, draft->in_count);
    for (uint32_t i = 0; i < draft->in_count; i++)
        ins[i].id = f->edge_ids[met_edge_root(f->b, draft->ins[i])];
    node->ins = ins;
    met_edge_id *outs = MET_NEW_ARRAY(f->arena, met_edge_id, draft->out_count);
    node->outs = outs;
    for (uint32_t i = 0; i < draft->out_count; i++) {
        uint32_t root = met_edge_root(f->b, draft->outs[i]);
        const draft_edge *edge = &f->b->edges.at[root];
        met_sym name = edge->name.id ? edge->name : numbered(f, "v", (uint32_t)(f->edges.count - f->circuit->input_count - f->circuit->parameter_count));
        outs[i].id = add_edge(f, root, name);
        f->edges.at[outs[i].id].producer = (met_node_id){ id };
        f->edges.at[outs[i].id].producer_output = i;
    }
}

/* --- Blocks --- */

static void freeze_blocks(met_freezer *f, met_node *nodes)
{
    met_circuit *c = f->circuit;
    size_t count = f->b->blocks.count;
    met_block *blocks = MET_NEW_ARRAY(f->arena, met_block, count);
    uint32_t *ids = MET_NEW_ARRAY(f->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        blocks[i] = (met_block){ .node_begin = MET_NONE };
    for (uint32_t n = 0; n < c->node_count; n++) {
        for (uint32_t k = nodes[n].block.id; k != MET_NONE; k = f->b->blocks.at[k].parent) {
            if (blocks[k].node_begin == MET_NONE)
                blocks[k].node_begin = n;
            blocks[k].node_end = n + 1;
        }
    }
    uint32_t kept = 0;
    for (size_t i = 0; i < count; i++) { /* a parent is opened before its children */
        const draft_block *draft = &f->b->blocks.at[i];
        if (blocks[i].node_begin == MET_NONE)
            continue;
        ids[i] = kept;
        blocks[kept] = (met_block){ draft->name, { draft->parent == MET_NONE ? MET_NONE : ids[draft->parent] },
                                    blocks[i].node_begin, blocks[i].node_end, draft->family, draft->repeat, draft->repeat_count };
        kept++;
    }
    for (uint32_t n = 0; n < c->node_count; n++)
        if (nodes[n].block.id != MET_NONE)
            nodes[n].block.id = ids[nodes[n].block.id];
    c->blocks = blocks;
    c->block_count = kept;
}

/* --- The whole --- */

static void freeze_outputs(met_freezer *f)
{
    met_circuit *c = f->circuit;
    met_edge_id *outputs = MET_NEW_ARRAY(f->arena, met_edge_id, f->term->outs.count);
    for (size_t i = 0; i < f->term->outs.count; i++) {
        uint32_t root = met_edge_root(f->b, f->term->outs.at[i]);
        if (f->edge_ids[root] == MET_NONE)
            add_edge(f, root, f->b->edges.at[root].name);
        outputs[i].id = f->edge_ids[root];
    }
    c->outputs = outputs;
    c->output_count = (uint32_t)f->term->outs.count;
    met_state *states = MET_NEW_ARRAY(f->arena, met_state, f->b->states.count);
    for (size_t i = 0; i < f->b->states.count; i++) {
        uint32_t in = f->edge_ids[met_edge_root(f->b, f->b->states.at[i].in.id)];
        uint32_t out = f->edge_ids[met_edge_root(f->b, f->b->states.at[i].out.id)];
        if (in != MET_NONE && out != MET_NONE)
            states[c->state_count++] = (met_state){ { in }, { out } };
    }
    c->states = states;
}

static uint32_t *none_array(met_freezer *f, size_t count)
{
    uint32_t *ids = MET_NEW_ARRAY(f->arena, uint32_t, count);
    memset(ids, 0xFF, count * sizeof *ids);
    return ids;
}

met_circuit *met_builder_freeze(met_builder *b, met_term *term, met_sym name, met_format default_format)
{
    if (!term)
        return NULL;
    met_circuit *c = MET_NEW(b->arena, met_circuit);
    met_freezer *f = MET_NEW(b->arena, met_freezer);
    *f = (met_freezer){ .b = b, .arena = b->arena, .term = term, .circuit = c };
    *c = (met_circuit){ .session = b->session, .arena = b->arena, .name = name, .default_format = default_format };
    f->edge_ids = none_array(f, b->edges.count);
    f->axis_ids = none_array(f, b->axes.count);
    f->symbol_ids = MET_NEW_ARRAY(b->arena, uint32_t, b->symbols.count);
    f->edge_names = met_namer_new(b->session);
    f->axis_names = met_namer_new(b->session);
    f->symbol_names = met_namer_new(b->session);
    order_nodes(f);
    settle_formats(f);
    freeze_inputs(f);
    freeze_parameters(f);
    met_node *nodes = MET_NEW_ARRAY(b->arena, met_node, f->order.count);
    c->node_count = (uint32_t)f->order.count;
    for (uint32_t n = 0; n < c->node_count; n++)
        freeze_node(f, &b->nodes.at[f->order.at[n]], &nodes[n], n);
    freeze_outputs(f);
    freeze_blocks(f, nodes);
    if (!met_freeze_sizes(f) || !met_freeze_rewrite(f, nodes))
        return NULL;
    c->nodes = nodes;
    c->axes = f->axes.at;
    c->axis_count = (uint32_t)f->axes.count;
    c->edges = f->edges.at;
    c->edge_count = (uint32_t)f->edges.count;
    c->symbols = f->symbols.at;
    c->symbol_count = (uint32_t)f->symbols.count;
    if (!met_circuit_derive_guards(b->session, c->axes, f->edges.at, nodes, c->node_count))
        return NULL;
    return met_circuit_check(c) ? c : NULL;
}
