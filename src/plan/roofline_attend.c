/* Which positions a site attends to: those that its normalizer runs over. From there they are followed, element by element,
 * back to the contractions that make the scores (several where scores are a sum) and on to the one that the weights go into;
 * and from these back to what a cache would keep: keys and values, or the latent vectors that the site makes them from. */
#include <math.h>

#include "ir/affine.h"
#include "plan/roofline_parts.h"

enum { SOURCES = 8 };

typedef struct finder {
    const met_workload *workload;
    const met_circuit *circuit;
    const met_site *site;
    bool causal;
    double width; /* of a window; infinite: none */
    bool cached;
    double cached_positions;
    uint32_t source_count;
    met_edge_id sources[SOURCES]; /* counted already */
    met_attend attend;
} finder;

static const met_node *node_of(const finder *f, uint32_t i)
{
    return &f->circuit->nodes[f->site->nodes[i].id];
}

static bool in_site(const finder *f, met_node_id node)
{
    for (uint32_t i = 0; i < f->site->node_count; i++)
        if (f->site->nodes[i].id == node.id)
            return true;
    return false;
}

/* The position at which an access reads an index; MET_NONE if it does not read it alone. */
static uint32_t position_of(const met_access *access, uint32_t index)
{
    uint32_t at;
    for (uint32_t p = 0; p < access->rank; p++)
        if (met_affine_is_index(access->at[p], &at) && at == index)
            return p;
    return MET_NONE;
}

/* The index that an access reads at a position; MET_NONE if it is not one alone. */
static uint32_t index_at(const met_access *access, uint32_t position)
{
    uint32_t index;
    return position < access->rank && met_affine_is_index(access->at[position], &index) ? index : MET_NONE;
}

static bool is_product(const met_node *node)
{
    return node->op && node->op->id == MET_OP_einsum && node->in_count >= 2;
}

/* --- Keys and values --- */

/* Positions that a state held before it was appended to, where an input comes from one, at a position of it. */
static void look_for_cache(finder *f, met_edge_id edge, uint32_t position)
{
    for (;;) {
        met_node_id producer = f->circuit->edges[edge.id].producer;
        if (producer.id == MET_NONE)
            return;
        const met_node *node = &f->circuit->nodes[producer.id];
        uint64_t before;
        if (met_node_appends(f->circuit, node)) {
            const met_edge *state = &f->circuit->edges[node->ins[0].id];
            if (position < state->rank && met_circuit_size(f->circuit, state->axes[position], &before)) {
                f->cached = true;
                f->cached_positions = (double)before;
            }
            return;
        }
        if (!f->workload->nodes[producer.id].moves_nothing)
            return;
        edge = node->ins[0];
    }
}

static void add_source(finder *f, met_edge_id edge, uint32_t position)
{
    for (uint32_t i = 0; i < f->source_count; i++)
        if (f->sources[i].id == edge.id)
            return;
    if (f->source_count < SOURCES)
        f->sources[f->source_count++] = edge;
    look_for_cache(f, edge, position);
    f->attend.new_bytes += f->workload->edge_bytes[edge.id];
}

/* What comes into the site along an index of a node of it, but not by the edge `except`. */
static void find_sources(finder *f, const met_node *node, uint32_t index, met_edge_id except)
{
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t position = position_of(&node->in_access[k], index);
        met_node_id producer = f->circuit->edges[node->ins[k].id].producer;
        if (position == MET_NONE || node->ins[k].id == except.id)
            continue;
        if (producer.id == MET_NONE || !in_site(f, producer)) {
            add_source(f, node->ins[k], position);
            continue;
        }
        const met_node *maker = &f->circuit->nodes[producer.id];
        uint32_t of_maker = index_at(&maker->out_access[f->circuit->edges[node->ins[k].id].producer_output], position);
        if (of_maker != MET_NONE)
            find_sources(f, maker, of_maker, except);
    }
}

/* `weights`: what the node reads of the normalizer; MET_NONE: it makes scores. */
static void take_product(finder *f, met_node_id id, uint32_t index, met_edge_id weights)
{
    const met_node *node = &f->circuit->nodes[id.id];
    uint64_t size;
    for (uint32_t i = 0; i < f->attend.product_count; i++)
        if (f->attend.products[i].node == id.id)
            return;
    if (f->attend.product_count == MET_ATTEND_PRODUCTS || !met_circuit_size(f->circuit, node->indices[index].axis, &size))
        return;
    f->attend.products[f->attend.product_count++] = (met_attend_product){ id.id, (double)size };
    find_sources(f, node, index, weights);
}

/* --- From the normalizer back and on --- */

static void back(finder *f, met_edge_id edge, uint32_t position)
{
    met_node_id producer = f->circuit->edges[edge.id].producer;
    if (position == MET_NONE || producer.id == MET_NONE || !in_site(f, producer))
        return;
    const met_node *node = &f->circuit->nodes[producer.id];
    uint32_t index = index_at(&node->out_access[0], position);
    if (index == MET_NONE)
        return;
    if (is_product(node)) {
        take_product(f, producer, index, (met_edge_id){ MET_NONE });
        return;
    }
    for (uint32_t k = 0; k < node->in_count; k++)
        back(f, node->ins[k], position_of(&node->in_access[k], index));
}

static void onward(finder *f, met_edge_id edge, uint32_t position)
{
    for (uint32_t i = 0; i < f->site->node_count; i++) {
        const met_node *node = node_of(f, i);
        for (uint32_t k = 0; k < node->in_count; k++) {
            uint32_t index = node->ins[k].id == edge.id ? index_at(&node->in_access[k], position) : MET_NONE;
            if (index == MET_NONE)
                continue;
            if (is_product(node)) {
                take_product(f, f->site->nodes[i], index, edge);
                return;
            }
            edge = node->outs[0];
            position = position_of(&node->out_access[0], index);
            break;
        }
    }
}

static bool is_normalizer(const met_node *node)
{
    if (!node->op)
        return false;
    switch (node->op->id) {
    case MET_OP_softmax:
    case MET_OP_l1norm:
    case MET_OP_l2norm:
    case MET_OP_maxnorm:
        return node->target_count == 1;
    default:
        return false;
    }
}

static void look_for_mask(finder *f, const met_node *node)
{
    uint64_t width;
    if (!node->op || (node->op->id != MET_OP_mask_causal && node->op->id != MET_OP_mask_window))
        return;
    f->causal = true;
    const met_attr *attr = met_node_attr(f->circuit, node, "width");
    if (attr && attr->dim && met_dim_is_constant(attr->dim, &width))
        f->width = (double)width;
}

met_attend met_attend_of(const met_workload *workload, const met_site *site)
{
    finder f = { .workload = workload, .circuit = workload->circuit, .site = site, .width = INFINITY };
    for (uint32_t i = 0; i < site->node_count; i++) {
        const met_node *node = node_of(&f, i);
        look_for_mask(&f, node);
        if (!is_normalizer(node))
            continue;
        uint32_t position = position_of(&node->in_access[0], node->targets[0]);
        back(&f, node->ins[0], position);
        onward(&f, node->outs[0], position_of(&node->out_access[0], node->targets[0]));
    }
    if (f.attend.product_count == 0)
        return f.attend;
    double positions = f.attend.products[0].positions;
    f.attend.prompt = !f.cached && f.causal;
    f.attend.context = fmin(f.width, f.cached ? f.cached_positions : f.causal ? positions / 2 : positions);
    return f.attend;
}
