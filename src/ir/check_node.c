/* What every node keeps to: its indices, how it reads and writes edges, targets and results. */
#include "ir/affine.h"
#include "ir/check_parts.h"

enum { INDICES = 64, ENDS = 64, TERMS = 256 };

bool met_access_reads(const met_access *access, uint32_t index)
{
    for (uint32_t p = 0; p < access->rank; p++)
        if (met_affine_reads_index(access->at[p], index))
            return true;
    return false;
}

static bool check_affine(const met_circuit *c, const met_node *node, const met_affine *affine)
{
    if (affine->term_count > TERMS || affine->constant > INT64_MAX / 2 || affine->constant < INT64_MIN / 2)
        return met_broken_node(c, node, "a position is too large an expression");
    for (uint32_t t = 0; t < affine->term_count; t++) {
        const met_affine_term *term = &affine->terms[t];
        if (term->coefficient == 0)
            return met_broken_node(c, node, "a position has a factor 0");
        if (term->kind == MET_TERM_INDEX && term->index >= node->index_count)
            return met_broken_node(c, node, "it uses an index that it does not have");
        if (term->kind == MET_TERM_SIZE && !met_check_dim(c, term->size))
            return met_broken_node(c, node, "a position uses a size that is bound, or beyond 2^48");
    }
    return true;
}

static bool check_access(const met_circuit *c, const met_node *node, met_edge_id edge, const met_access *access)
{
    if (edge.id >= c->edge_count)
        return met_broken_node(c, node, "it uses an edge that does not exist");
    if (access->rank != c->edges[edge.id].rank)
        return met_broken_node(c, node, "it has another rank for an edge than the edge itself");
    for (uint32_t p = 0; p < access->rank; p++)
        if (!check_affine(c, node, &access->at[p]))
            return false;
    return true;
}

static bool check_in(const met_circuit *c, uint32_t n, uint32_t k)
{
    const met_node *node = &c->nodes[n];
    if (!check_access(c, node, node->ins[k], &node->in_access[k]))
        return false;
    met_node_id producer = c->edges[node->ins[k].id].producer;
    return producer.id == MET_NONE || producer.id < n || met_broken_node(c, node, "it reads what is made after it");
}

/* An output has an index of its own for each position, along the position's axis. */
static bool check_out(const met_circuit *c, uint32_t n, uint32_t k)
{
    const met_node *node = &c->nodes[n];
    const met_access *access = &node->out_access[k];
    if (!check_access(c, node, node->outs[k], access))
        return false;
    const met_edge *edge = &c->edges[node->outs[k].id];
    if (edge->producer.id != n || edge->producer_output != k)
        return met_broken_node(c, node, "it and its output disagree");
    bool seen[INDICES] = { false };
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index))
            return met_broken_node(c, node, "an output is written at something else than an index");
        if (node->op && seen[index]) /* a box may have anything */
            return met_broken_node(c, node, "an output has one index at two positions");
        if (node->indices[index].axis.id != edge->axes[p].id)
            return met_broken_node(c, node, "an output has an index over another axis than its position");
        seen[index] = true;
    }
    return true;
}

static bool check_index(const met_circuit *c, const met_node *node, uint32_t index)
{
    bool written = false, read = false;
    for (uint32_t k = 0; k < node->out_count; k++)
        written = written || met_access_reads(&node->out_access[k], index);
    for (uint32_t k = 0; k < node->in_count; k++)
        read = read || met_access_reads(&node->in_access[k], index);
    if (!written && !read)
        return met_broken_node(c, node, "an index is neither read nor written at");
    return node->indices[index].reduced != written || met_broken_node(c, node, "what it says is reduced is not what its outputs lack");
}

static bool check_list(const met_circuit *c, const met_node *node, const uint32_t *list, uint32_t count)
{
    bool seen[INDICES] = { false };
    for (uint32_t t = 0; t < count; t++) {
        if (list[t] >= node->index_count)
            return met_broken_node(c, node, "a target or a result is not an index of it");
        if (seen[list[t]])
            return met_broken_node(c, node, "a target or a result stands twice");
        seen[list[t]] = true;
    }
    return true;
}

static bool check_counts(const met_circuit *c, const met_node *node)
{
    if (node->index_count > INDICES || node->in_count > ENDS || node->out_count > ENDS)
        return met_broken_node(c, node, "it has more than 64 indices, inputs or outputs");
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].axis.id >= c->axis_count)
            return met_broken_node(c, node, "an index runs over an axis that does not exist");
    return true;
}

bool met_check_node(const met_circuit *c, uint32_t n)
{
    const met_node *node = &c->nodes[n];
    bool good = check_counts(c, node);
    for (uint32_t k = 0; good && k < node->in_count; k++)
        good = check_in(c, n, k);
    for (uint32_t k = 0; good && k < node->out_count; k++)
        good = check_out(c, n, k);
    for (uint32_t i = 0; good && node->op && i < node->index_count; i++)
        good = check_index(c, node, i);
    good = good && check_list(c, node, node->targets, node->target_count) && check_list(c, node, node->results, node->result_count);
    return good && (!node->op || (met_check_options(c, node) && met_check_op(c, node)));
}
