#include "plan/region.h"

#include "plan/estimate.h"
#include "plan/shape.h"

const met_kernel *met_region_kernel(const met_derivation *facts, const met_plan_options *options, met_arena *arena,
                                    uint32_t count, const met_node_id *nodes, met_refusal *ret_refusal)
{
    const met_kernel *kernel = met_derivation_kernel(facts, arena, count, nodes, NULL, ret_refusal);
    if (!kernel || count == 1)
        return kernel;
    if (options->accepts && !options->accepts(options->context, kernel))
        ret_refusal->reason = "the class does not make such a kernel";
    else if (options->capacity_bytes > 0 && !met_estimate_kernel(facts, arena, kernel, options->capacity_bytes).fits)
        ret_refusal->reason = "its smallest tiles do not fit the class's cache";
    else
        return kernel;
    ret_refusal->node = nodes[0];
    return NULL;
}

/* The longest beginning of the nodes that is a kernel. Nodes of a group run in their order, so pieces of it do as well. */
static uint32_t longest(const met_derivation *facts, const met_plan_options *options, uint32_t count, const met_node_id *nodes)
{
    uint32_t length = 1;
    for (bool good = true; good && length < count; length += good) {
        met_refusal refusal;
        met_arena *scratch = met_arena_new();
        good = met_region_kernel(facts, options, scratch, length + 1, nodes, &refusal) != NULL;
        met_arena_free(scratch);
    }
    return length;
}

bool met_region_kernels(const met_derivation *facts, const met_plan_options *options, met_arena *arena, uint32_t count,
                        const met_node_id *nodes, met_kernel_list *list, met_refusal *ret_refusal)
{
    const met_kernel *whole = count ? met_region_kernel(facts, options, arena, count, nodes, ret_refusal) : NULL;
    if (whole) {
        MET_PUSH(arena, &list->at, whole);
        return true;
    }
    for (uint32_t begin = 0; begin < count;) {
        uint32_t length = longest(facts, options, count - begin, nodes + begin);
        const met_kernel *kernel = met_region_kernel(facts, options, arena, length, nodes + begin, ret_refusal);
        if (!kernel)
            return false;
        MET_PUSH(arena, &list->at, kernel);
        begin += length;
    }
    return true;
}

/* --- The judge --- */

met_region_judge *met_region_judge_new(const met_settled *settled, const met_plan_options *options)
{
    met_arena *arena = settled->circuit->arena;
    met_region_judge *judge = MET_NEW(arena, met_region_judge);
    *judge = (met_region_judge){ .settled = settled, .facts = met_derivation_new(settled->circuit), .options = *options,
                                 .answers = met_map_new(arena), .record_numbers = met_map_new(arena) };
    return judge;
}

typedef struct way {
    const met_region_judge *judge;
    const bool *inside, *behind; /* by node from `begin`: of the region; outside, and reached from it */
    uint32_t begin;
    bool from_region, from_behind;
} way;

static void look_back(void *context, met_edge_id edge)
{
    way *w = context;
    met_node_id producer = w->judge->facts->circuit->edges[edge.id].producer;
    if (producer.id == MET_NONE || producer.id < w->begin)
        return;
    w->from_region = w->from_region || w->inside[producer.id - w->begin];
    w->from_behind = w->from_behind || w->behind[producer.id - w->begin];
}

/* No way leads out of the region and back: that depends on more than its shape. */
static bool is_convex(const met_region_judge *judge, met_arena *scratch, uint32_t count, const met_node_id *nodes)
{
    uint32_t begin = nodes[0].id, length = nodes[count - 1].id - begin + 1;
    if (length == count)
        return true;
    bool *inside = MET_NEW_ARRAY(scratch, bool, length), *behind = MET_NEW_ARRAY(scratch, bool, length);
    for (uint32_t i = 0; i < count; i++)
        inside[nodes[i].id - begin] = true;
    for (uint32_t n = 0; n < length; n++) {
        way w = { judge, inside, behind, begin, false, false };
        met_node_reads(judge->facts->circuit, &judge->facts->circuit->nodes[begin + n], look_back, &w);
        behind[n] = !inside[n] && (w.from_region || w.from_behind);
        if (inside[n] && w.from_behind)
            return false;
    }
    return true;
}

static bool judge_nodes(met_region_judge *judge, met_arena *scratch, uint32_t count, const met_node_id *nodes)
{
    if (count == 0 || !is_convex(judge, scratch, count, nodes))
        return false;
    uint32_t answer;
    met_text shape = met_text_new(scratch);
    met_shape_print(&shape, judge->facts, count, nodes);
    met_str key = { met_text_done(&shape), shape.length };
    if (met_map_get(judge->answers, key, &answer))
        return answer != 0;
    met_refusal refusal;
    answer = met_region_kernel(judge->facts, &judge->options, scratch, count, nodes, &refusal) != NULL;
    met_map_set(judge->answers, key, answer);
    return answer != 0;
}

bool met_region_is_kernel(void *context, uint32_t count, const met_node_id *nodes)
{
    met_region_judge *judge = context;
    met_arena *scratch = met_arena_new();
    met_node_id *settled = MET_NEW_ARRAY(scratch, met_node_id, met_settled_nodes(judge->settled, count, nodes, NULL));
    uint32_t settled_count = met_settled_nodes(judge->settled, count, nodes, settled);
    bool good = judge_nodes(judge, scratch, settled_count, settled);
    met_arena_free(scratch);
    return good;
}
