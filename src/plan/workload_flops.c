/* Flops of nodes. Counting them takes the definitions of composites, and layers are alike: so only nodes that differ are
 * expanded, in a circuit of their own where everything that they read comes from outside. */
#include "ir/affine.h"
#include "ir/flops.h"
#include "plan/workload_parts.h"

/* How many different nodes are looked at for an equal one; more than the layers of any model take turns with. */
enum { RECENT = 128 };

static bool same_attr(const met_attr *a, const met_attr *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case MET_ATTR_NUMBER:
        return a->number == b->number;
    case MET_ATTR_WORD:
        return a->word.id == b->word.id;
    case MET_ATTR_DIM:
        return met_dim_equal(a->dim, b->dim);
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        return met_scalar_equal(a->scalar, b->scalar);
    case MET_ATTR_FORMAT:
        return met_format_equal(a->format, b->format);
    }
    return false;
}

static bool same_access(const met_access *a, const met_access *b)
{
    bool same = a->rank == b->rank;
    for (uint32_t p = 0; same && p < a->rank; p++)
        same = met_affine_equal(a->at[p], b->at[p]);
    return same;
}

/* Whether definitions see no difference but names and formats. */
static bool same_node(const met_circuit *circuit, const met_node *a, const met_node *b)
{
    bool same = a->op == b->op && a->index_count == b->index_count && a->in_count == b->in_count &&
                a->out_count == b->out_count && a->target_count == b->target_count && a->result_count == b->result_count;
    for (uint32_t i = 0; same && i < a->index_count; i++)
        same = a->indices[i].reduced == b->indices[i].reduced && a->indices[i].target == b->indices[i].target &&
               met_dim_equal(circuit->axes[a->indices[i].axis.id].size, circuit->axes[b->indices[i].axis.id].size);
    for (uint32_t k = 0; same && k < a->attr_count; k++)
        same = same_attr(&a->attrs[k], &b->attrs[k]);
    for (uint32_t k = 0; same && k < a->in_count; k++)
        same = same_access(&a->in_access[k], &b->in_access[k]);
    for (uint32_t k = 0; same && k < a->out_count; k++)
        same = same_access(&a->out_access[k], &b->out_access[k]);
    for (uint32_t t = 0; same && t < a->target_count; t++)
        same = a->targets[t] == b->targets[t];
    return same;
}

/* The first nodes of their kind; `like` says for every node which of them it is like. */
static uint32_t find_kinds(const met_circuit *circuit, met_node *kinds, uint32_t *like)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        uint32_t k = count, oldest = count > RECENT ? count - RECENT : 0;
        while (k > oldest && !same_node(circuit, &kinds[k - 1], &circuit->nodes[n]))
            k--;
        if (k == oldest) {
            kinds[count] = circuit->nodes[n];
            kinds[count].block.id = MET_NONE;
            k = ++count;
        }
        like[n] = k - 1;
    }
    return count;
}

const met_dim *const *met_workload_flops(const met_circuit *circuit)
{
    met_arena *arena = circuit->arena;
    uint32_t *like = MET_NEW_ARRAY(arena, uint32_t, circuit->node_count);
    met_node *kinds = MET_NEW_ARRAY(arena, met_node, circuit->node_count);
    met_edge *edges = met_arena_copy(arena, circuit->edges, circuit->edge_count, sizeof *edges);
    met_circuit *few = met_arena_copy(arena, circuit, 1, sizeof *circuit);
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        edges[e].producer.id = MET_NONE;
        edges[e].guard_count = 0; /* no flops depend on them */
    }
    few->node_count = find_kinds(circuit, kinds, like);
    few->nodes = kinds;
    few->edges = edges;
    few->block_count = 0;
    for (uint32_t n = 0; n < few->node_count; n++)
        for (uint32_t k = 0; k < kinds[n].out_count; k++)
            edges[kinds[n].outs[k].id].producer.id = n;
    const met_dim *const *of_kind = met_circuit_node_flops(few);
    const met_dim **flops = MET_NEW_ARRAY(arena, const met_dim *, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        flops[n] = of_kind[like[n]];
    return flops;
}
