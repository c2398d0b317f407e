/* Shapes of node sets. A node's class is everything about it that an answer may depend on: its own shape, the ops around it,
 * and what it reads, stores and computes. A set's shape is the classes of its nodes and how they hang together. */
#include "plan/lower_parts.h"
#include "plan/shape.h"
#include "plan/workload_parts.h"

struct met_shapes {
    met_arena *arena;
    const met_derivation *facts;
    const uint32_t *classes; /* by node */
    met_map *numbers;
    uint32_t count;
    uint32_t *member;  /* by node: its place in the set at hand + 1; 0: none */
    uint32_t *outer;   /* by edge: the number of one that is read from outside + 1, in the set at hand */
    MET_VEC(uint32_t) words, outers;
};

/* --- Classes --- */

static void put_op(met_text *out, const met_circuit *circuit, met_node_id node)
{
    const met_op *op = node.id == MET_NONE ? NULL : circuit->nodes[node.id].op;
    met_text_format(out, " %s", op ? op->name : "-");
}

static void put_around(met_text *out, const met_derivation *facts, const met_node *node)
{
    for (uint32_t k = 0; k < node->in_count; k++)
        put_op(out, facts->circuit, facts->circuit->edges[node->ins[k].id].producer);
    for (uint32_t k = 0; k < node->out_count; k++) {
        met_text_put(out, facts->kept[node->outs[k].id] ? " | kept" : " |");
        for (uint32_t r = facts->reader_begin[node->outs[k].id]; r < facts->reader_begin[node->outs[k].id + 1]; r++)
            put_op(out, facts->circuit, facts->readers[r]);
    }
}

static void put_work(met_text *out, const met_workload *workload, const met_node *node, uint32_t n)
{
    const met_node_work *work = &workload->nodes[n];
    met_text_format(out, " %a %a %a %u %d %d %a %a %a", work->flops, work->weight_bytes, work->state_bytes, work->peak, work->reads_weights,
                    work->moves_nothing, work->products, work->folded, work->operand_bytes);
    for (uint32_t k = 0; k < node->in_count; k++)
        met_text_format(out, " %a %a", work->in_bytes[k], workload->edge_bytes[node->ins[k].id]);
    for (uint32_t k = 0; k < node->out_count; k++)
        met_text_format(out, " %a %a", workload->out_bytes[node->outs[k].id], workload->edge_bytes[node->outs[k].id]);
}

static uint32_t number_of(met_map *map, uint32_t *count, met_str key)
{
    uint32_t number;
    if (met_map_get(map, key, &number))
        return number;
    met_map_set(map, key, *count);
    return (*count)++;
}

const uint32_t *met_shape_classes(met_arena *arena, const met_derivation *facts, const met_workload *workload)
{
    const met_circuit *circuit = facts->circuit;
    uint32_t *of_node = MET_NEW_ARRAY(arena, uint32_t, circuit->node_count), count = 0;
    met_arena *scratch = met_arena_new();
    met_map *classes = met_map_new(scratch);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        met_text text = met_text_new(scratch);
        met_shape_print(&text, facts, 1, &(met_node_id){ n });
        put_around(&text, facts, &circuit->nodes[n]);
        if (workload)
            put_work(&text, workload, &circuit->nodes[n], n);
        of_node[n] = number_of(classes, &count, met_str_of(met_text_done(&text)));
    }
    met_arena_free(scratch);
    return of_node;
}

met_shapes *met_shapes_new(met_arena *arena, const met_derivation *facts, const met_workload *workload)
{
    met_shapes *shapes = MET_NEW(arena, met_shapes);
    *shapes = (met_shapes){ .arena = arena, .facts = facts, .numbers = met_map_new(arena),
                            .classes = workload ? workload->classes : met_shape_classes(arena, facts, NULL),
                            .member = MET_NEW_ARRAY(arena, uint32_t, facts->circuit->node_count),
                            .outer = MET_NEW_ARRAY(arena, uint32_t, facts->circuit->edge_count) };
    return shapes;
}

/* --- Sets --- */

static void put_word(met_shapes *shapes, uint32_t word)
{
    MET_PUSH(shapes->arena, &shapes->words, word);
}

/* Where an edge that a member reads comes from: a member, or outside, numbered as such edges come up. */
static void put_read(void *context, met_edge_id edge)
{
    met_shapes *shapes = context;
    const met_edge *e = &shapes->facts->circuit->edges[edge.id];
    if (e->producer.id != MET_NONE && shapes->member[e->producer.id] != 0) {
        put_word(shapes, shapes->member[e->producer.id]);
        put_word(shapes, e->producer_output);
        return;
    }
    if (shapes->outer[edge.id] == 0) {
        MET_PUSH(shapes->arena, &shapes->outers, edge.id);
        shapes->outer[edge.id] = (uint32_t)shapes->outers.count;
    }
    put_word(shapes, 0);
    put_word(shapes, shapes->outer[edge.id]);
}

static bool leaves(const met_shapes *shapes, met_edge_id edge)
{
    const met_derivation *facts = shapes->facts;
    for (uint32_t r = facts->reader_begin[edge.id]; r < facts->reader_begin[edge.id + 1]; r++)
        if (shapes->member[facts->readers[r].id] == 0)
            return true;
    return facts->kept[edge.id];
}

uint32_t met_shape_number(met_shapes *shapes, uint32_t count, const met_node_id *nodes)
{
    const met_circuit *circuit = shapes->facts->circuit;
    shapes->words.count = shapes->outers.count = 0;
    for (uint32_t i = 0; i < count; i++)
        shapes->member[nodes[i].id] = i + 1;
    for (uint32_t i = 0; i < count; i++) {
        const met_node *node = &circuit->nodes[nodes[i].id];
        put_word(shapes, shapes->classes[nodes[i].id]);
        met_node_reads(circuit, node, put_read, shapes);
        for (uint32_t k = 0; k < node->out_count; k++)
            put_word(shapes, leaves(shapes, node->outs[k]));
    }
    for (uint32_t i = 0; i < count; i++)
        shapes->member[nodes[i].id] = 0;
    for (size_t i = 0; i < shapes->outers.count; i++)
        shapes->outer[shapes->outers.at[i]] = 0;
    met_str key = { (const char *)shapes->words.at, shapes->words.count * sizeof *shapes->words.at };
    return number_of(shapes->numbers, &shapes->count, key);
}
