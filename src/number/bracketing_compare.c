/* Comparing bracketings, and counting them. */
#include "base/vec.h"
#include "number/bracketing.h"
#include "number/mix.h"

/* --- The same tree --- */

/* The least leaf under each node: what puts children in an order of their own. */
static uint32_t *least_leaves(met_arena *scratch, const met_bracketing *tree)
{
    uint32_t *least = MET_NEW_ARRAY(scratch, uint32_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        least[i] = node->count ? UINT32_MAX : node->leaf;
        for (uint32_t c = 0; c < node->count; c++) {
            uint32_t of_child = least[tree->children[node->first + c]];
            least[i] = of_child < least[i] ? of_child : least[i];
        }
    }
    return least;
}

/* For each leaf, the child of `node` whose least leaf it is. */
static void place_children(const met_bracketing *tree, const uint32_t *least, const met_bracketing_node *node,
                           uint32_t *by_least)
{
    for (uint32_t c = 0; c < node->count; c++) {
        uint32_t child = tree->children[node->first + c];
        by_least[least[child]] = child;
    }
}

typedef struct pair {
    uint32_t a, b;
} pair;

bool met_bracketing_same(met_arena *scratch, const met_bracketing *a, const met_bracketing *b)
{
    if (a->leaf_count != b->leaf_count || a->node_count != b->node_count) {
        return false;
    }
    uint32_t *least_a = least_leaves(scratch, a), *least_b = least_leaves(scratch, b);
    uint32_t *by_least = MET_NEW_ARRAY(scratch, uint32_t, b->leaf_count);
    MET_VEC(pair) todo = {0};
    MET_PUSH(scratch, &todo, ((pair){a->node_count - 1, b->node_count - 1}));
    while (todo.count > 0) {
        pair at = todo.at[--todo.count];
        const met_bracketing_node *of_a = &a->nodes[at.a], *of_b = &b->nodes[at.b];
        if (of_a->count != of_b->count || least_a[at.a] != least_b[at.b]) {
            return false;
        }
        for (uint32_t c = 0; c < of_a->count; c++) { /* none of b's stays from another node */
            by_least[least_a[a->children[of_a->first + c]]] = UINT32_MAX;
        }
        place_children(b, least_b, of_b, by_least);
        for (uint32_t c = 0; c < of_a->count; c++) {
            uint32_t child = a->children[of_a->first + c], other = by_least[least_a[child]];
            if (other == UINT32_MAX) {
                return false;
            }
            MET_PUSH(scratch, &todo, ((pair){child, other}));
        }
    }
    return true;
}

/* --- A witness --- */

/* A random-looking key of a leaf; a node's is the exclusive or of its leaves'. Two different sets of leaves have one key with
 * probability 2^-64, and the witness is checked before it is given. */
static uint64_t leaf_key(uint32_t leaf)
{
    return met_mix((leaf + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15));
}

typedef struct cluster {
    uint64_t key;
    uint32_t size;
} cluster;

static cluster *clusters_of(met_arena *scratch, const met_bracketing *tree)
{
    cluster *clusters = MET_NEW_ARRAY(scratch, cluster, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        if (node->count == 0) {
            clusters[i] = (cluster){leaf_key(node->leaf), 1};
        }
        for (uint32_t c = 0; c < node->count; c++) {
            const cluster *child = &clusters[tree->children[node->first + c]];
            clusters[i].key ^= child->key;
            clusters[i].size += child->size;
        }
    }
    return clusters;
}

/* Keys in a table with open addressing; a key of 0 stands for an empty place. */
static bool *among(met_arena *scratch, const met_bracketing *a, const cluster *of_a, const met_bracketing *b,
                   const cluster *of_b)
{
    uint64_t room = 4;
    while (room < 2 * (uint64_t)b->node_count) {
        room *= 2;
    }
    uint64_t *table = MET_NEW_ARRAY(scratch, uint64_t, room);
    bool *found = MET_NEW_ARRAY(scratch, bool, a->node_count);
    for (uint32_t i = 0; i < b->node_count; i++) {
        uint64_t at = of_b[i].key & (room - 1);
        while (table[at] && table[at] != of_b[i].key) {
            at = (at + 1) & (room - 1);
        }
        table[at] = of_b[i].key;
    }
    for (uint32_t i = 0; i < a->node_count; i++) {
        uint64_t at = of_a[i].key & (room - 1);
        while (table[at] && table[at] != of_a[i].key) {
            at = (at + 1) & (room - 1);
        }
        found[i] = table[at] == of_a[i].key;
    }
    return found;
}

/* The smallest node of a whose leaves are no node of b. */
static uint32_t own_cluster(met_arena *scratch, const met_bracketing *a, const met_bracketing *b)
{
    cluster *of_a = clusters_of(scratch, a), *of_b = clusters_of(scratch, b);
    bool *shared = among(scratch, a, of_a, b, of_b);
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < a->node_count; i++) {
        if (!shared[i] && (best == UINT32_MAX || of_a[i].size < of_a[best].size)) {
            best = i;
        }
    }
    return best;
}

/* Marks the leaves under a node. Returns how many. */
static uint32_t mark_leaves(met_arena *scratch, const met_bracketing *tree, uint32_t node, bool *marked)
{
    bool *under = MET_NEW_ARRAY(scratch, bool, tree->node_count);
    uint32_t count = 0;
    under[node] = true;
    for (uint32_t i = node + 1; i-- > 0;) { /* children stand before their parents */
        const met_bracketing_node *at = &tree->nodes[i];
        for (uint32_t c = 0; under[i] && c < at->count; c++) {
            under[tree->children[at->first + c]] = true;
        }
        if (under[i] && at->count == 0) {
            marked[at->leaf] = true;
            count++;
        }
    }
    return count;
}

/* Any leaf under the node that is marked, or is not; UINT32_MAX if there is none. */
static uint32_t leaf_under(met_arena *scratch, const met_bracketing *tree, uint32_t node, const bool *marked, bool wanted)
{
    bool *under = MET_NEW_ARRAY(scratch, bool, tree->leaf_count);
    mark_leaves(scratch, tree, node, under);
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        if (under[leaf] && marked[leaf] == wanted) {
            return leaf;
        }
    }
    return UINT32_MAX;
}

/* With the leaves of a node that only a has: two of them from different children of the lowest node of b above them all,
 * and another leaf under that. In a the two meet before the third, in b they do not. */
static bool witness_for(met_arena *scratch, const met_bracketing *a, const met_bracketing *b,
                        met_witness *ret_witness)
{
    uint32_t own = own_cluster(scratch, a, b), found = 0;
    uint32_t leaves[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    if (own == UINT32_MAX) {
        return false;
    }
    bool *marked = MET_NEW_ARRAY(scratch, bool, a->leaf_count);
    uint32_t size = mark_leaves(scratch, a, own, marked);
    uint32_t *held = MET_NEW_ARRAY(scratch, uint32_t, b->node_count);
    uint32_t above = UINT32_MAX;
    for (uint32_t i = 0; i < b->node_count && above == UINT32_MAX; i++) {
        const met_bracketing_node *node = &b->nodes[i];
        held[i] = node->count == 0 && marked[node->leaf];
        for (uint32_t c = 0; c < node->count; c++) {
            held[i] += held[b->children[node->first + c]];
        }
        above = held[i] == size ? i : above;
    }
    if (above == UINT32_MAX) {
        return false;
    }
    for (uint32_t c = 0; c < b->nodes[above].count && found < 2; c++) {
        uint32_t child = b->children[b->nodes[above].first + c];
        if (held[child] > 0) {
            leaves[found++] = leaf_under(scratch, b, child, marked, true);
        }
    }
    leaves[2] = leaf_under(scratch, b, above, marked, false);
    *ret_witness = (met_witness){leaves[0], leaves[1], leaves[2], true};
    return found == 2 && leaves[2] != UINT32_MAX;
}

/* What the tree makes of the witness. */
static float run_witness(met_arena *scratch, const met_bracketing *tree, const met_witness *witness)
{
    float *leaves = MET_NEW_ARRAY(scratch, float, tree->leaf_count);
    leaves[witness->plus] = 0x1p100f;
    leaves[witness->minus] = -0x1p100f;
    leaves[witness->one] = 1;
    met_bracketing_rules rules = {.store = MET_F32, .fraction = 24, .final = MET_RZ};
    return met_bracketing_run(scratch, tree, &rules, leaves);
}

bool met_bracketing_witness(met_arena *scratch, const met_bracketing *a, const met_bracketing *b,
                            met_witness *ret_witness)
{
    if (a->leaf_count != b->leaf_count || met_bracketing_same(scratch, a, b)) {
        return false;
    }
    bool found = witness_for(scratch, a, b, ret_witness);
    if (!found) { /* a's nodes are among b's: b has more */
        found = witness_for(scratch, b, a, ret_witness);
        ret_witness->first = false;
    }
    return found && run_witness(scratch, a, ret_witness) == (ret_witness->first ? 1 : 0) &&
           run_witness(scratch, b, ret_witness) == (ret_witness->first ? 0 : 1);
}

uint32_t met_bracketing_meeting(met_arena *scratch, const met_bracketing *tree, uint32_t i, uint32_t j)
{
    uint32_t *size = MET_NEW_ARRAY(scratch, uint32_t, tree->node_count);
    int *held = MET_NEW_ARRAY(scratch, int, tree->node_count);
    for (uint32_t at = 0; at < tree->node_count; at++) {
        const met_bracketing_node *node = &tree->nodes[at];
        size[at] = node->count == 0;
        held[at] = node->count == 0 ? (node->leaf == i) + (node->leaf == j) : 0;
        for (uint32_t c = 0; c < node->count; c++) {
            size[at] += size[tree->children[node->first + c]];
            held[at] += held[tree->children[node->first + c]];
        }
        if (held[at] == 2) {
            return size[at];
        }
    }
    return 0;
}

/* --- Counting --- */

static bool add_product(uint64_t *sum, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

/* With t(n) trees of n leaves and p(n) ways to part n leaves into trees: the block of the first leaf has k leaves, so
 * p(n) = Σ C(n−1, k−1) t(k) p(n−k); and n > 1 leaves are one tree, or several, which below one root are a tree again, so
 * t(n) is the sum over k < n. (Schröder's fourth problem, 1870.) */
static bool count_any(uint64_t leaves, uint64_t *ret_count)
{
    enum { LIMIT = 32 };
    uint64_t trees[LIMIT] = {0, 1}, parted[LIMIT] = {1, 1};
    for (uint64_t n = 2; n <= leaves; n++) {
        uint64_t choose = 1; /* C(n−1, k−1) */
        for (uint64_t k = 1; k < n; k++) {
            if (n >= LIMIT || !add_product(&trees[n], choose, trees[k], parted[n - k])) {
                return false;
            }
            choose = choose * (n - k) / k;
        }
        parted[n] = 2 * trees[n];
        if (trees[n] > UINT64_MAX / 2) {
            return false;
        }
    }
    *ret_count = trees[leaves];
    return true;
}

bool met_bracketing_count(uint64_t leaves, bool binary, uint64_t *ret_count)
{
    uint64_t count = 1;
    if (leaves == 0) {
        return false;
    }
    if (!binary) {
        return count_any(leaves, ret_count);
    }
    for (uint64_t odd = 3; odd + 3 <= 2 * leaves; odd += 2) { /* (2n − 3)!! */
        if (__builtin_mul_overflow(count, odd, &count)) {
            return false;
        }
    }
    *ret_count = count;
    return true;
}
