/* What tells most trees apart without writing them out: a hash of the sets of leaves under the additions, and how much of the
 * end joins the rest at the root. Trees with different sketches differ; what has the same sketch is compared in full. */
#include "reveal/parts.h"

/* The output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t key_of(uint64_t leaf)
{
    return mix((leaf + 1) * 0x9e3779b97f4a7c15u);
}

/* The least leaf and the number of leaves under each node tell a stretch at the end. */
typedef struct stretch {
    uint64_t keys, least, count;
} stretch;

/* Leaves at the end that join one by one, the last one last. */
static uint64_t leaves_after(const met_bracketing *tree)
{
    uint64_t after = 0;
    for (uint32_t at = tree->node_count - 1; tree->nodes[at].count == 2; after++) {
        const uint32_t *children = &tree->children[tree->nodes[at].first];
        const met_bracketing_node *x = &tree->nodes[children[0]], *y = &tree->nodes[children[1]];
        uint32_t last = tree->leaf_count - 1 - (uint32_t)after;
        if (x->count == 0 && x->leaf == last) {
            at = children[1];
        } else if (y->count == 0 && y->leaf == last) {
            at = children[0];
        } else {
            break;
        }
    }
    return after;
}

reveal_sketch *reveal_sketch_of(met_arena *arena, const met_bracketing *tree)
{
    reveal_sketch *sketch = MET_NEW(arena, reveal_sketch);
    stretch *under = MET_NEW_ARRAY(arena, stretch, tree->node_count);
    sketch->leaves = tree->leaf_count;
    sketch->slots = MET_NEW_ARRAY(arena, uint64_t, tree->leaf_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        under[i] = node->count > 0 ? (stretch){0, UINT64_MAX, 0} : (stretch){key_of(node->leaf), node->leaf, 1};
        for (uint32_t c = 0; c < node->count; c++) {
            const stretch *child = &under[tree->children[node->first + c]];
            under[i].keys ^= child->keys;
            under[i].least = child->least < under[i].least ? child->least : under[i].least;
            under[i].count += child->count;
        }
        sketch->hash += node->count > 0 ? mix(under[i].keys) : 0;
    }
    const met_bracketing_node *root = &tree->nodes[tree->node_count - 1];
    for (uint32_t c = 0; root->count == 2 && c < 2; c++) {
        const stretch *child = &under[tree->children[root->first + c]];
        sketch->apart = child->least + child->count == tree->leaf_count ? child->count : sketch->apart;
    }
    sketch->after = leaves_after(tree);
    return sketch;
}

static void join(void *context, uint64_t to, uint64_t from)
{
    reveal_sketch *sketch = context;
    sketch->slots[to] ^= sketch->slots[from];
    sketch->walked += mix(sketch->slots[to]);
}

/* The last tail, if it joins the whole and does not make it: enough leaves join one by one, or those that join together. */
static bool allows_tail(const reveal_sketch *sketch, const met_tree *rule)
{
    int last = rule->tail_count - 1;
    if (last < 0 || rule->tails[last].onto) {
        return true;
    }
    met_terms terms = met_tree_tail_terms(rule, sketch->leaves, last);
    bool after = rule->tails[last].rule == MET_TAIL_AFTER;
    return terms.base == 0 || terms.count == 0 || (after ? terms.count <= sketch->after : terms.count == sketch->apart);
}

bool reveal_sketch_allows(reveal_sketch *sketch, const met_tree *rule)
{
    uint64_t n = sketch->leaves;
    if (!allows_tail(sketch, rule)) {
        return false;
    }
    if (rule->node != MET_NODE_ADD) {
        return true;
    }
    for (uint64_t i = 0; i < n; i++) {
        sketch->slots[i] = key_of(i);
    }
    sketch->walked = 0;
    met_tree_walk(rule, n, true, join, sketch);
    return sketch->walked == sketch->hash;
}
