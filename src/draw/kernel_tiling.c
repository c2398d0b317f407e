/* The circuit of a kernel, in its order and with its plates, and the partitions of its wires. */
#include <assert.h>

#include "base/text.h"
#include "draw/kernel.h"

/* Steps run in this order: the head, then each pass with what follows it. */
static uint32_t stage_of(const met_kernel_step *step)
{
    if (step->phase == MET_STEP_HEAD)
        return 0;
    return 2 * step->pass + (step->phase == MET_STEP_TAIL ? 2 : 1);
}

static met_sym pass_title(const met_kernel *k, uint32_t pass)
{
    const met_circuit *c = k->circuit;
    met_text text = met_text_new(c->arena);
    met_text_put(&text, "stream ");
    met_text_str(&text, met_sym_str(c->session, k->loops[k->stream].name));
    if (k->pass_count > 1)
        met_text_format(&text, ", pass %u of %u", pass + 1, k->pass_count);
    return met_intern(c->session, (met_str){ met_text_done(&text), text.length });
}

/* The steps by stage, and the intervals of the plates among them. */
static uint32_t *order_steps(const met_kernel *k, met_block *blocks)
{
    uint32_t *order = MET_NEW_ARRAY(k->circuit->arena, uint32_t, k->step_count);
    uint32_t count = 0;
    for (uint32_t stage = 0; stage <= 2 * k->pass_count; stage++) {
        uint32_t begin = count;
        for (uint32_t s = 0; s < k->step_count; s++)
            if (stage_of(&k->steps[s]) == stage)
                order[count++] = s;
        if (stage % 2 && k->stream != MET_NONE)
            blocks[1 + stage / 2] = (met_block){ .name = pass_title(k, stage / 2), .parent = { 0 }, .node_begin = begin,
                                                 .node_end = count, .family = 1 + stage / 2, .repeat_count = 1 };
    }
    assert(count == k->step_count);
    blocks[0] = (met_block){ .name = met_intern(k->circuit->session, met_str_of("kernel")), .parent = { MET_NONE },
                             .node_end = count, .repeat_count = 1 };
    return order;
}

/* Parameters come from memory like everything else that a kernel reads: as inputs they cross the same borders. */
static void border_of(const met_circuit *old, met_circuit *c, met_edge *edges)
{
    met_edge_id *inputs = MET_NEW_ARRAY(c->arena, met_edge_id, old->input_count + old->parameter_count);
    for (uint32_t i = 0; i < old->input_count; i++)
        inputs[i] = old->inputs[i];
    for (uint32_t i = 0; i < old->parameter_count; i++) {
        inputs[old->input_count + i] = old->parameters[i];
        edges[old->parameters[i].id].role = MET_EDGE_INPUT;
    }
    c->inputs = inputs;
    c->input_count = old->input_count + old->parameter_count;
    c->parameter_count = 0;
}

static const met_circuit *circuit_of(const met_kernel *k)
{
    const met_circuit *old = k->circuit;
    assert(k->step_count == old->node_count);
    met_circuit *c = MET_NEW(old->arena, met_circuit);
    *c = *old;
    c->block_count = 1 + (k->stream == MET_NONE ? 0 : k->pass_count);
    met_block *blocks = MET_NEW_ARRAY(c->arena, met_block, c->block_count);
    const uint32_t *order = order_steps(k, blocks);
    met_node *nodes = MET_NEW_ARRAY(c->arena, met_node, c->node_count);
    met_edge *edges = MET_NEW_ARRAY(c->arena, met_edge, c->edge_count);
    for (uint32_t e = 0; e < c->edge_count; e++)
        edges[e] = old->edges[e];
    border_of(old, c, edges);
    for (uint32_t n = 0; n < c->node_count; n++) {
        nodes[n] = old->nodes[k->steps[order[n]].node.id];
        nodes[n].block = (met_block_id){ 0 };
        for (uint32_t b = 1; b < c->block_count; b++)
            if (n >= blocks[b].node_begin && n < blocks[b].node_end)
                nodes[n].block = (met_block_id){ b };
        for (uint32_t o = 0; o < nodes[n].out_count; o++)
            edges[nodes[n].outs[o].id].producer = (met_node_id){ n };
    }
    c->blocks = blocks;
    c->nodes = nodes;
    c->edges = edges;
    return c;
}

/* --- Tiles --- */

uint32_t met_tiling_loop(const met_kernel *k, met_str name)
{
    for (uint32_t l = 0; l < k->loop_count; l++)
        if (met_str_equal(met_sym_str(k->circuit->session, k->loops[l].name), name))
            return l;
    return MET_NONE;
}

#define TILE_MOST UINT64_C(1000000000)

/* A number from 1 to TILE_MOST; 0 if the text is none. */
static uint64_t read_number(met_str text)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || number > TILE_MOST / 10)
            return 0;
        number = 10 * number + (uint64_t)(text.at[i] - '0');
    }
    return number > TILE_MOST ? 0 : number;
}

/* LOOP=N,LOOP=N; sizes[loop] = N. */
static bool read_sizes(const met_kernel *k, met_str text, uint64_t *sizes, met_str *ret_bad)
{
    for (size_t i = 0, end; i < text.length; i = end + 1) {
        size_t equal = MET_NONE;
        for (end = i; end < text.length && text.at[end] != ','; end++)
            equal = text.at[end] == '=' && equal == MET_NONE ? end : equal;
        *ret_bad = (met_str){ text.at + i, end - i };
        if (equal == MET_NONE)
            return false;
        uint32_t loop = met_tiling_loop(k, (met_str){ text.at + i, equal - i });
        uint64_t size = read_number((met_str){ text.at + equal + 1, end - equal - 1 });
        if (loop == MET_NONE || size == 0)
            return false;
        sizes[loop] = size;
    }
    return true;
}

static met_str tile_text(const met_kernel *k, uint32_t loop, const uint64_t *sizes)
{
    met_text text = met_text_new(k->circuit->arena);
    met_text_char(&text, k->loops[loop].partition == MET_PARTITION_STREAM ? 's' : 'g');
    if (sizes[loop])
        met_text_format(&text, "=%llu", (unsigned long long)sizes[loop]);
    return (met_str){ met_text_done(&text), text.length };
}

typedef MET_VEC(met_tile) tile_list;

static void add_tile(const met_kernel *k, tile_list *tiles, uint32_t block, const met_kernel_value *value, uint32_t position,
                     uint32_t loop, const uint64_t *sizes)
{
    for (size_t i = 0; i < tiles->count; i++)
        if (tiles->at[i].block == block && tiles->at[i].edge == value->edge.id && tiles->at[i].position == position)
            return;
    met_tile tile = { block, value->edge.id, position, k->loops[loop].partition == MET_PARTITION_STREAM,
                      tile_text(k, loop, sizes) };
    MET_PUSH(k->circuit->arena, tiles, tile);
}

/* Group loops are cut at the kernel's border, the streamed one at that of each pass. */
static void tile_value(const met_tiling *tiling, tile_list *tiles, const met_kernel_value *value, const uint64_t *sizes)
{
    const met_kernel *k = tiling->kernel;
    for (uint32_t p = 0; p < k->circuit->edges[value->edge.id].rank; p++) {
        for (uint32_t t = 0; t < value->at[p].term_count; t++) {
            const met_affine_term *term = &value->at[p].terms[t];
            if (term->kind != MET_TERM_INDEX)
                continue;
            met_partition partition = k->loops[term->index].partition;
            if (partition == MET_PARTITION_GROUP)
                add_tile(k, tiles, 0, value, p, term->index, sizes);
            for (uint32_t b = 1; partition == MET_PARTITION_STREAM && b < tiling->circuit->block_count; b++)
                add_tile(k, tiles, b, value, p, term->index, sizes);
        }
    }
}

bool met_tiling_make(const met_kernel *kernel, met_str sizes, met_tiling *ret_tiling, met_str *ret_bad)
{
    uint64_t of_loop[MET_KERNEL_LOOPS] = { 0 };
    if (!read_sizes(kernel, sizes, of_loop, ret_bad))
        return false;
    met_arena *arena = kernel->circuit->arena;
    bool *kept = MET_NEW_ARRAY(arena, bool, kernel->circuit->edge_count);
    for (uint32_t a = 0; a < kernel->accumulator_count; a++)
        kept[kernel->values[kernel->accumulators[a].value].edge.id] = true;
    *ret_tiling = (met_tiling){ .kernel = kernel, .circuit = circuit_of(kernel), .kept = kept };
    tile_list tiles = { 0 };
    for (uint32_t v = 0; v < kernel->value_count; v++)
        tile_value(ret_tiling, &tiles, &kernel->values[v], of_loop);
    ret_tiling->tiles = tiles.at;
    ret_tiling->tile_count = tiles.count;
    return true;
}

const met_tile *met_tiling_at(const met_tiling *tiling, uint32_t block, uint32_t edge, uint32_t position)
{
    for (size_t i = 0; i < tiling->tile_count; i++) {
        const met_tile *t = &tiling->tiles[i];
        if (t->block == block && t->edge == edge && t->position == position)
            return t;
    }
    return NULL;
}
