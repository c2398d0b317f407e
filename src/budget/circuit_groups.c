/* Which nodes belong together, and which of them make a segment. */
#include "base/diag.h"
#include "budget/circuit_parts.h"

/* --- Groups: written nodes joined by what stands undivided, or otherwise within one expansion --- */

/* By written node: the last one of the group that begins there or before. */
static uint32_t *reach_of_groups(met_arena *arena, const met_settled *settled)
{
    uint32_t count = settled->written->node_count, *reach = MET_NEW_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t w = 0; w < count; w++)
        reach[w] = w;
    const met_circuit *circuit = settled->circuit;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        for (uint32_t k = 0; k < node->in_count; k++) {
            const met_edge *edge = &circuit->edges[node->ins[k].id];
            if (edge->producer.id == MET_NONE || edge->format_origin != MET_FORMAT_INNER)
                continue;
            uint32_t from = settled->origin[edge->producer.id], to = settled->origin[n];
            reach[from] = to > reach[from] ? to : reach[from];
        }
    }
    return reach;
}

static const char *ops_of(met_arena *arena, const met_circuit *written, uint32_t begin, uint32_t end)
{
    met_text text = met_text_new(arena);
    for (uint32_t w = begin; w < end; w++) {
        const met_node *node = &written->nodes[w];
        met_text_format(&text, "%s%s", w > begin ? ", " : "", node->op ? node->op->name : "box");
    }
    return met_text_done(&text);
}

/* --- Segments: parts of a layer, or what stands outside of all layers --- */

/* The block of a node that budgets are made for: the second from outside, or the outermost. */
static uint32_t block_of(const met_circuit *written, uint32_t node)
{
    uint32_t block = written->nodes[node].block.id, inner = MET_NONE;
    for (; block != MET_NONE && written->blocks[block].parent.id != MET_NONE; block = written->blocks[block].parent.id)
        inner = block;
    return inner != MET_NONE ? inner : block;
}

static void put_block(met_text *text, const met_circuit *written, const met_block *block)
{
    met_text_str(text, met_sym_str(written->session, block->name));
    if (block->repeat_count > 1)
        met_text_format(text, ".%u", block->repeat);
}

static const char *name_of(met_arena *arena, const met_circuit *written, uint32_t block)
{
    met_text text = met_text_new(arena);
    if (block == MET_NONE)
        return met_sym_text(written->session, written->name);
    if (written->blocks[block].parent.id != MET_NONE) {
        put_block(&text, written, &written->blocks[written->blocks[block].parent.id]);
        met_text_char(&text, '.');
    }
    put_block(&text, written, &written->blocks[block]);
    return met_text_done(&text);
}

static bool is_again(const met_circuit *written, uint32_t block)
{
    bool again = false;
    for (; block != MET_NONE; block = written->blocks[block].parent.id)
        again = again || written->blocks[block].repeat > 0;
    return again;
}

void met_budget_find_groups(met_budget *budget, bool whole)
{
    const met_settled *settled = budget->settled;
    const met_circuit *written = settled->written;
    met_arena *arena = written->arena;
    uint32_t *reach = reach_of_groups(arena, settled), last = MET_NONE;
    met_budget_group *groups = MET_NEW_ARRAY(arena, met_budget_group, written->node_count);
    met_budget_segment *segments = MET_NEW_ARRAY(arena, met_budget_segment, written->node_count + 1);
    for (uint32_t w = 0; w < written->node_count;) {
        uint32_t end = w, block = whole ? MET_NONE : block_of(written, w);
        for (uint32_t to = reach[w]; end <= to; end++)
            to = reach[end] > to ? reach[end] : to;
        if (budget->segment_count == 0 || block != last) {
            segments[budget->segment_count++] = (met_budget_segment){ name_of(arena, written, block), is_again(written, block),
                                                                      budget->group_count, 0 };
            last = block;
        }
        segments[budget->segment_count - 1].end = budget->group_count + 1;
        groups[budget->group_count++] = (met_budget_group){
            .ops = ops_of(arena, written, w, end), .segment = budget->segment_count - 1, .written_begin = w, .written_end = end,
            .begin = settled->begin[w], .end = settled->begin[end],
        };
        w = end;
    }
    budget->groups = groups;
    budget->segments = segments;
}

/* --- What depends on what --- */

typedef struct flow {
    const met_circuit *circuit;
    uint32_t from, begin; /* an edge; the group's first node */
    bool *touched;        /* by node of the group */
    bool reads;           /* the node that is looked at reads it, or what is made of it */
} flow;

static void follow(void *context, met_edge_id edge)
{
    flow *f = context;
    uint32_t producer = f->circuit->edges[edge.id].producer.id;
    f->reads = f->reads || edge.id == f->from || (producer != MET_NONE && producer >= f->begin && f->touched[producer - f->begin]);
}

bool met_budget_depends(const met_budget *budget, const met_budget_group *group, size_t read, size_t result)
{
    const met_circuit *circuit = budget->settled->circuit;
    uint32_t made_by = circuit->edges[budget->results[result].edge.id].producer.id;
    met_arena *scratch = met_arena_new();
    flow f = { .circuit = circuit, .from = group->reads[read].edge.id, .begin = group->begin,
               .touched = MET_NEW_ARRAY(scratch, bool, made_by - group->begin + 1) };
    for (uint32_t n = group->begin; n <= made_by; n++) {
        f.reads = false;
        met_node_reads(circuit, &circuit->nodes[n], follow, &f);
        f.touched[n - group->begin] = f.reads;
    }
    bool depends = f.touched[made_by - group->begin];
    met_arena_free(scratch);
    return depends;
}
