#include "parity/scales.h"

#include "ir/primitive.h"

bool met_node_is_scaled(const met_circuit *settled, const met_node *node)
{
    for (uint32_t i = 0; i < node->in_count; i++)
        if (!met_format_is_plain(settled->edges[node->ins[i].id].format))
            return true;
    return false;
}

/* The reduced index that runs fastest; *ret_many: there are others. */
static uint32_t last_folded(const met_circuit *circuit, const met_node *node, bool *ret_many)
{
    uint32_t read = met_node_primitive(circuit, node).read_index, last = MET_NONE;
    *ret_many = false;
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced && i != read) {
            *ret_many = last != MET_NONE;
            last = i;
        }
    return last;
}

/* Whether the access runs along `index` where the array's rows do, one by one. */
static bool runs_along(const met_access *access, uint32_t index)
{
    const met_affine *at = access->rank ? &access->at[access->rank - 1] : NULL;
    return at && at->constant == 0 && at->term_count == 1 && at->terms[0].kind == MET_TERM_INDEX && at->terms[0].index == index &&
           at->terms[0].coefficient == 1;
}

/* Values along a row that share a scale; 0: a whole array does. */
static uint64_t shared_by(met_format format, uint64_t width)
{
    switch ((met_granularity)format.granularity) {
    case MET_SCALE_TOKEN:
        return width;
    case MET_SCALE_GROUP:
    case MET_SCALE_BLOCK:
        return format.columns < width ? format.columns : width;
    case MET_SCALE_NONE:
    case MET_SCALE_TENSOR:
        break;
    }
    return 0;
}

bool met_node_scale_group(const met_circuit *settled, const met_node *node, uint64_t *ret_terms, const char **ret_why)
{
    bool many;
    uint32_t last = last_folded(settled, node, &many);
    uint64_t terms = met_node_terms(settled, node), width = 0, group = 0;
    if (last == MET_NONE || terms == 0 || !met_circuit_size(settled, node->indices[last].axis, &width)) {
        *ret_why = "how many terms share a scale is not known";
        return false;
    }
    for (uint32_t i = 0; i < node->in_count; i++) {
        met_format format = settled->edges[node->ins[i].id].format;
        uint64_t own = met_format_is_plain(format) ? 0 : shared_by(format, width);
        if (own && !runs_along(&node->in_access[i], last)) {
            *ret_why = "scales change along an index that is not folded last";
            return false;
        }
        if (many && met_format_has_second_scale(format)) {
            *ret_why = "second scales change within the fold";
            return false;
        }
        uint64_t small = own < group ? own : group, large = own < group ? group : own;
        if (small && large % small != 0) {
            *ret_why = "groups of both operands' scales overlap";
            return false;
        }
        group = small ? small : large;
    }
    *ret_terms = group ? group : terms;
    if (width % (group ? group : width) == 0)
        return true;
    *ret_why = "the last group of scales is cut short";
    return false;
}

bool met_tree_by_groups(const met_tree *tree, uint64_t group, uint64_t terms, met_tree *ret_tree)
{
    uint64_t inner = 1;
    *ret_tree = *tree;
    for (uint32_t l = 0; l < tree->level_count; l++)
        if (tree->levels[l].size)
            return false; /* a width that is bound for the whole fold */
    if (group == terms)
        return true;
    for (uint32_t l = 0; l < tree->level_count; l++) {
        const met_tree_level *level = &tree->levels[l];
        if (level->layout != MET_LAYOUT_CONTIGUOUS || !level->per_terms || level->width > group)
            return false;
        inner *= level->width;
    }
    if (tree->written || tree->level_count == MET_TREE_LEVELS || group % inner != 0)
        return false;
    ret_tree->levels[ret_tree->level_count++] = (met_tree_level){ .place = MET_PLACE_THREAD, .layout = MET_LAYOUT_CONTIGUOUS,
                                                                  .order = tree->combine, .per_terms = true, .width = group / inner };
    ret_tree->combine = MET_ORDER_SEQUENTIAL;
    return met_tree_valid(ret_tree);
}
