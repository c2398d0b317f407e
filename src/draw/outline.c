#include "draw/outline.h"

bool met_node_slot(const met_circuit *circuit, const met_node *node, uint32_t index)
{
    return node->op->array_count != MET_VARIADIC && index >= node->op->array_count &&
           circuit->edges[node->ins[index].id].role == MET_EDGE_PARAMETER;
}

static bool same_shape(const met_circuit *c, const met_block *a, const met_block *b)
{
    if (a->node_end - a->node_begin != b->node_end - b->node_begin)
        return false;
    for (uint32_t i = 0; i < a->node_end - a->node_begin; i++) {
        const met_node *m = &c->nodes[a->node_begin + i];
        const met_node *n = &c->nodes[b->node_begin + i];
        if (m->op != n->op || m->in_count != n->in_count || m->out_count != n->out_count)
            return false;
    }
    return true;
}

/* Lets the edges of a later copy stand for those of the first: outputs, and whatever comes from the circuit's border. */
static void identify(met_outline *o, const met_block *first, const met_block *later)
{
    const met_circuit *c = o->circuit;
    for (uint32_t i = 0; i < first->node_end - first->node_begin; i++) {
        const met_node *m = &c->nodes[first->node_begin + i];
        const met_node *n = &c->nodes[later->node_begin + i];
        o->hidden[later->node_begin + i] = true;
        for (uint32_t k = 0; k < n->out_count; k++)
            o->same[n->outs[k].id] = m->outs[k].id;
        for (uint32_t k = 0; k < n->in_count; k++) {
            const met_edge *a = &c->edges[m->ins[k].id];
            const met_edge *b = &c->edges[n->ins[k].id];
            if (a->role == b->role && b->role != MET_EDGE_VALUE && m->ins[k].id < n->ins[k].id)
                o->same[n->ins[k].id] = m->ins[k].id;
        }
    }
}

/* Folds runs of copies onto their first. Blocks come parents first, so an inner run folds within the copy that stays. */
static void fold_copies(met_outline *o)
{
    const met_circuit *c = o->circuit;
    for (uint32_t b = 0; b < c->block_count; b++) {
        const met_block *first = &c->blocks[b];
        if (first->repeat_count < 2 || first->repeat != 0 || o->copies[b] == 0)
            continue;
        for (uint32_t later = b + 1; later < c->block_count; later++) {
            const met_block *next = &c->blocks[later];
            if (next->parent.id != first->parent.id)
                continue;
            if (next->family != first->family || next->repeat != o->copies[b] || !same_shape(c, first, next))
                break;
            identify(o, first, next);
            o->copies[later] = 0;
            o->copies[b]++;
        }
    }
    for (uint32_t b = 0; b < c->block_count; b++) { /* what is inside a hidden block is hidden */
        uint32_t parent = c->blocks[b].parent.id;
        if (parent != MET_NONE && o->copies[parent] == 0)
            o->copies[b] = 0;
    }
    for (uint32_t e = 0; e < c->edge_count; e++) /* chains: an earlier edge is resolved first */
        o->same[e] = o->same[e] < e ? o->same[o->same[e]] : o->same[e];
}

static void find_readers(met_outline *o)
{
    const met_circuit *c = o->circuit;
    for (uint32_t n = 0; n < c->node_count; n++) {
        if (o->hidden[n])
            continue;
        for (uint32_t i = 0; i < c->nodes[n].in_count; i++)
            o->last_read[o->same[c->nodes[n].ins[i].id]] = n + 1;
    }
    for (uint32_t i = 0; i < c->output_count; i++)
        o->is_output[o->same[c->outputs[i].id]] = true;
    for (uint32_t i = 0; i < c->state_count; i++)
        o->is_output[o->same[c->states[i].out.id]] = true;
}

/* The block, directly within `level`, that holds a node; MET_NONE if the node itself is directly within. */
static uint32_t child_of(const met_circuit *c, uint32_t level, uint32_t node)
{
    uint32_t child = MET_NONE;
    for (uint32_t b = c->nodes[node].block.id; b != level && b != MET_NONE; b = c->blocks[b].parent.id)
        child = b;
    return child;
}

static void bounds(const met_circuit *c, uint32_t block, uint32_t *ret_begin, uint32_t *ret_end)
{
    *ret_begin = block == MET_NONE ? 0 : c->blocks[block].node_begin;
    *ret_end = block == MET_NONE ? c->node_count : c->blocks[block].node_end;
}

/* Items that a level would hold, sources and sinks not counted. */
static uint32_t count_items(const met_outline *o, uint32_t block)
{
    uint32_t begin, end;
    bounds(o->circuit, block, &begin, &end);
    uint32_t count = 0;
    for (uint32_t n = begin; n < end;) {
        uint32_t child = child_of(o->circuit, block, n);
        bool shown = !o->hidden[n];
        n = child == MET_NONE ? n + 1 : o->circuit->blocks[child].node_end;
        count += shown;
    }
    return count;
}

/* Opens blocks, outer ones first, while the picture stays small. */
static void choose_open(met_outline *o, bool whole)
{
    const met_circuit *c = o->circuit;
    o->glyph_count = count_items(o, MET_NONE);
    for (uint32_t level = 0, found = 1; found; level++) {
        found = 0;
        for (uint32_t b = 0; b < c->block_count; b++) {
            uint32_t depth = 0;
            bool reachable = o->copies[b] > 0;
            for (uint32_t p = c->blocks[b].parent.id; p != MET_NONE; p = c->blocks[p].parent.id, depth++)
                reachable = reachable && o->open[p];
            if (depth != level)
                continue;
            found = 1;
            if (!reachable)
                continue;
            uint32_t more = count_items(o, b);
            if (!whole && o->glyph_count + more > MET_OUTLINE_GLYPHS + 1)
                continue;
            o->open[b] = true;
            o->glyph_count += more - (more > 0);
        }
    }
}

void met_outline_make(met_outline *o, const met_circuit *c, met_arena *arena, bool whole)
{
    *o = (met_outline){ .circuit = c, .arena = arena };
    o->same = MET_NEW_ARRAY(arena, uint32_t, c->edge_count);
    o->hidden = MET_NEW_ARRAY(arena, bool, c->node_count);
    o->open = MET_NEW_ARRAY(arena, bool, c->block_count);
    o->copies = MET_NEW_ARRAY(arena, uint32_t, c->block_count);
    o->last_read = MET_NEW_ARRAY(arena, uint32_t, c->edge_count);
    o->is_output = MET_NEW_ARRAY(arena, bool, c->edge_count);
    o->stamp = MET_NEW_ARRAY(arena, uint32_t, c->edge_count);
    o->weight_level = MET_NEW_ARRAY(arena, uint32_t, c->edge_count);
    for (uint32_t e = 0; e < c->edge_count; e++)
        o->same[e] = e;
    for (uint32_t b = 0; b < c->block_count; b++)
        o->copies[b] = 1;
    if (!whole)
        fold_copies(o);
    find_readers(o);
    choose_open(o, whole);
}

/* Edges in order of arrival, each once. */
typedef struct edge_list {
    MET_VEC(uint32_t) edges;
} edge_list;

static void add_once(met_outline *o, edge_list *list, uint32_t edge)
{
    if (o->stamp[edge] == o->stamp_now)
        return;
    o->stamp[edge] = o->stamp_now;
    MET_PUSH(o->arena, &list->edges, edge);
}

/* Arrays that the nodes [begin, end) read from elsewhere, in order of first use. Parameters are drawn where they are
 * read. */
static edge_list arriving(met_outline *o, uint32_t begin, uint32_t end)
{
    const met_circuit *c = o->circuit;
    edge_list list = { 0 };
    o->stamp_now++;
    for (uint32_t n = begin; n < end; n++) {
        if (o->hidden[n])
            continue;
        for (uint32_t i = 0; i < c->nodes[n].in_count; i++) {
            uint32_t e = o->same[c->nodes[n].ins[i].id];
            uint32_t producer = c->edges[e].producer.id;
            bool inside = producer != MET_NONE && producer >= begin && producer < end;
            if (!inside && c->edges[e].role != MET_EDGE_PARAMETER)
                add_once(o, &list, e);
        }
    }
    return list;
}

static edge_list leaving(met_outline *o, uint32_t begin, uint32_t end)
{
    const met_circuit *c = o->circuit;
    edge_list list = { 0 };
    o->stamp_now++;
    for (uint32_t n = begin; n < end; n++) {
        for (uint32_t i = 0; !o->hidden[n] && i < c->nodes[n].out_count; i++) {
            uint32_t e = c->nodes[n].outs[i].id;
            if (o->last_read[e] > end || o->is_output[e])
                add_once(o, &list, e);
        }
    }
    return list;
}

static void add_border(met_outline *o, met_level *level, met_item_kind kind, uint32_t edge)
{
    uint32_t *copy = MET_NEW(o->arena, uint32_t);
    *copy = edge;
    met_item_view item = { .kind = kind, .node = MET_NONE, .block = MET_NONE };
    if (kind == MET_ITEM_SINK || kind == MET_ITEM_KEPT) {
        item.in_count = 1;
        item.ins = copy;
    } else {
        item.out_count = 1;
        item.outs = copy;
    }
    MET_PUSH(o->arena, &level->items, item);
}

static void add_node(met_outline *o, met_level *level, uint32_t n)
{
    const met_node *node = &o->circuit->nodes[n];
    met_item_view item = { .kind = MET_ITEM_NODE, .node = n, .block = MET_NONE };
    item.ins = MET_NEW_ARRAY(o->arena, uint32_t, node->in_count);
    item.outs = MET_NEW_ARRAY(o->arena, uint32_t, node->out_count);
    for (uint32_t i = 0; i < node->in_count; i++) {
        uint32_t e = o->same[node->ins[i].id];
        if (met_node_slot(o->circuit, node, i))
            continue;
        if (o->circuit->edges[e].role == MET_EDGE_PARAMETER) {
            if (o->weight_level[e] != o->level_now) {
                o->weight_level[e] = o->level_now;
                add_border(o, level, MET_ITEM_WEIGHT, e);
            }
        }
        item.ins[item.in_count++] = e;
    }
    for (uint32_t i = 0; i < node->out_count; i++)
        item.outs[item.out_count++] = node->outs[i].id;
    MET_PUSH(o->arena, &level->items, item);
}

static void add_block(met_outline *o, met_level *level, uint32_t b)
{
    uint32_t begin, end;
    bounds(o->circuit, b, &begin, &end);
    edge_list ins = arriving(o, begin, end);
    edge_list outs = leaving(o, begin, end);
    met_item_view item = { .kind = MET_ITEM_BLOCK,
                           .node = MET_NONE,
                           .block = b,
                           .in_count = (uint32_t)ins.edges.count,
                           .out_count = (uint32_t)outs.edges.count,
                           .ins = ins.edges.at,
                           .outs = outs.edges.at };
    MET_PUSH(o->arena, &level->items, item);
}

static void add_sources(met_outline *o, met_level *level, uint32_t block)
{
    const met_circuit *c = o->circuit;
    uint32_t begin, end;
    bounds(c, block, &begin, &end);
    if (block == MET_NONE) {
        for (uint32_t i = 0; i < c->input_count; i++)
            if (o->same[c->inputs[i].id] == c->inputs[i].id)
                add_border(o, level, MET_ITEM_SOURCE, c->inputs[i].id);
        return;
    }
    edge_list ins = arriving(o, begin, end);
    for (size_t i = 0; i < ins.edges.count; i++)
        add_border(o, level, MET_ITEM_SOURCE, ins.edges.at[i]);
}

static void add_sinks(met_outline *o, met_level *level, uint32_t block)
{
    const met_circuit *c = o->circuit;
    uint32_t begin, end;
    bounds(c, block, &begin, &end);
    if (block != MET_NONE) {
        edge_list outs = leaving(o, begin, end);
        for (size_t i = 0; i < outs.edges.count; i++)
            add_border(o, level, MET_ITEM_SINK, outs.edges.at[i]);
        for (uint32_t n = begin; o->kept && n < end; n++)
            for (uint32_t i = 0; i < c->nodes[n].out_count; i++)
                if (o->kept[c->nodes[n].outs[i].id] && c->nodes[n].block.id == block && o->stamp[c->nodes[n].outs[i].id] != o->stamp_now)
                    add_border(o, level, MET_ITEM_KEPT, c->nodes[n].outs[i].id);
        return;
    }
    edge_list list = { 0 };
    o->stamp_now++;
    for (uint32_t i = 0; i < c->output_count; i++)
        add_once(o, &list, o->same[c->outputs[i].id]);
    for (uint32_t i = 0; i < c->state_count; i++)
        add_once(o, &list, o->same[c->states[i].out.id]);
    for (size_t i = 0; i < list.edges.count; i++)
        add_border(o, level, MET_ITEM_SINK, list.edges.at[i]);
}

void met_outline_level(met_outline *o, uint32_t block, met_level *ret_level)
{
    const met_circuit *c = o->circuit;
    uint32_t begin, end;
    bounds(c, block, &begin, &end);
    *ret_level = (met_level){ 0 };
    o->level_now++;
    add_sources(o, ret_level, block);
    for (uint32_t n = begin; n < end;) {
        uint32_t child = child_of(c, block, n);
        if (!o->hidden[n]) {
            if (child == MET_NONE)
                add_node(o, ret_level, n);
            else
                add_block(o, ret_level, child);
        }
        n = child == MET_NONE ? n + 1 : c->blocks[child].node_end;
    }
    add_sinks(o, ret_level, block);
}
