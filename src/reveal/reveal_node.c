/* Nodes of more than two children: steps of a matrix unit. How far below the largest addend the others are cut, how the sum is
 * rounded, how many bits the accumulator has; and which nodes of two are no steps. */
#include <math.h>

#include "reveal/parts.h"

/* A node of three children or more; the root only if there is no other. */
static uint32_t a_step(const reveal_map *map)
{
    uint32_t i = 0;
    while (map->tree->nodes[i].count < 3) {
        i++;
    }
    return i;
}

/* The largest k for which 2^-k survives beside 1 and −1 in one node; −1 if none was asked or does. `*ret_last`: no larger one
 * could be asked. */
static int alignment(reveal *r, const reveal_map *map, uint32_t node, bool *ret_last)
{
    uint32_t leaves[] = {reveal_leaf(map, node, 0), reveal_leaf(map, node, 1), reveal_leaf(map, node, 2)};
    bool asked = false;
    for (int k = 60; k >= 0; k--) {
        double rest = ldexp(r->one, -k), answer = reveal_ask_at(r, 3, leaves, (double[]){r->one, -r->one, rest});
        if (answer == rest) {
            *ret_last = !asked;
            return k;
        }
        asked = asked || (met_round(r->probe->output, rest) == rest && !isnan(answer));
    }
    return -1;
}

/* 2^t ones and a rest in one node; what is left when they are taken away in a later one, or the answer itself where there is
 * no later one. In units of `one`. */
typedef struct pile {
    reveal *r;
    uint32_t leaves[MET_MATRIX_WIDTH + 2];
    double values[MET_MATRIX_WIDTH + 2];
    uint32_t ones; /* 2^t */
    bool back;     /* they are taken away, */
    bool cut;      /* … in another step, which cuts the result as well */
} pile;

/* A node whose parent is a plain addition. */
static bool stands_alone(const reveal_map *map, const met_bracketing_node *nodes, uint32_t node)
{
    uint32_t parent = map->parent[node];
    bool plain = parent != REVEAL_NONE && nodes[parent].count == 2;
    for (uint32_t c = 0; plain && c < 2; c++) {
        const met_bracketing_node *child = &nodes[reveal_child(map, parent, c)];
        plain = child->count > 0 || child->alone;
    }
    return plain;
}

/* Of all steps the one whose result is seen best: in the answer itself, or after an addition. */
static pile pile_of(reveal *r, const reveal_map *map, const met_bracketing_node *nodes)
{
    uint32_t root = map->tree->node_count - 1, node = a_step(map);
    pile p = {.r = r, .ones = 1, .back = true, .cut = true};
    if (nodes[root].count > 2 && met_dtype_limits(r->probe->output).epsilon <= 0x1p-23) {
        node = root;
        p.back = p.cut = false;
    }
    for (uint32_t i = 0; i < root && p.cut; i++) {
        if (nodes[i].count > 2 && stands_alone(map, nodes, i)) {
            node = i;
            p.cut = false;
        }
    }
    while (p.ones * 2 < nodes[node].count && p.ones * 2 <= MET_MATRIX_WIDTH / 2) {
        p.ones *= 2;
    }
    for (uint32_t i = 0; i <= p.ones; i++) {
        p.leaves[i] = reveal_leaf(map, node, i);
    }
    p.back = p.back && node != root;
    p.leaves[p.ones + 1] = p.back ? reveal_leaf_outside(map, node) : 0;
    return p;
}

/* sign·(ones + rest) − sign·ones */
static double pile_rest(pile *p, double sign, double rest)
{
    double one = p->r->one * sign;
    for (uint32_t i = 0; i < p->ones; i++) {
        p->values[i] = one;
    }
    p->values[p->ones] = rest * one;
    p->values[p->ones + 1] = -(double)p->ones * one;
    double answer = reveal_ask_at(p->r, p->ones + 1 + p->back, p->leaves, p->values);
    return (answer - (p->back ? 0 : (double)p->ones * one)) / one;
}

/* Fraction bits that the sum keeps, where that is fewer than float has. */
static int kept_bits(pile *p, int fraction)
{
    int top = ilogb((double)p->ones), most = fraction < 23 - top ? fraction : 23 - top;
    most = p->cut && fraction - top < most ? fraction - top : most;
    for (int k = most; k > 0; k--) {
        if (pile_rest(p, 1, ldexp(1, -k)) == ldexp(1, -k)) {
            return k == most ? 0 : k + top;
        }
    }
    return 0;
}

/* From what becomes of one ulp and a half, and of its negative: to even is up, toward zero is down. */
static void set_final(met_tree *tree, double ulp, double up, double down)
{
    if (up == ulp) {
        tree->unit.final = down == ulp ? MET_RZ : MET_RD;
    } else {
        tree->unit.final = down == ulp ? MET_RU : MET_RNE;
    }
}

/* False if it is not to be seen. */
static bool final_rounding(pile *p, met_tree *tree)
{
    int top = ilogb((double)p->ones), fraction = tree->unit.fraction;
    double ulp = ldexp(1, top - 23), least = 0x1p-149;
    bool shown = p->back || met_dtype_limits(p->r->probe->output).epsilon <= 0x1p-23;
    if (shown && top - 24 >= -fraction && (!p->cut || fraction >= 23)) {
        set_final(tree, ulp, pile_rest(p, 1, 1.5 * ulp), pile_rest(p, -1, 1.5 * ulp));
        return true;
    }
    /* A single product between two subnormal results. */
    double up = reveal_ask_at(p->r, 1, p->leaves, (double[]){1.5 * least});
    double down = reveal_ask_at(p->r, 1, p->leaves, (double[]){-1.5 * least});
    bool seen = (up == least || up == 2 * least) && (down == -least || down == -2 * least);
    if (seen) {
        set_final(tree, least, up, -down);
    }
    return seen;
}

/* How the sum of a node is rounded, to how many bits. */
static void results(reveal *r, const reveal_map *map, const met_bracketing_node *nodes, met_tree *tree)
{
    pile p = pile_of(r, map, nodes);
    tree->unit.final = MET_RZ;
    tree->unit.keep = (uint8_t)kept_bits(&p, tree->unit.fraction);
    /* Sums of few bits are never rounded: each of `width` products is below 4, the accumulator below 2. */
    bool rounds = tree->unit.fraction + ilogb(4.0 * tree->unit.width + 2) + 1 > 23;
    if (tree->unit.keep == 0 && !final_rounding(&p, tree) && rounds) {
        reveal_leave_open(tree, MET_FIELD_MMA);
    }
}

/* Whether a leaf that meets a partial result, or another leaf, is added to it like a partial result. 1 and a little more than
 * half of its last place; a step would drop the little. */
static bool added(reveal *r, const reveal_map *map, uint32_t leaf, int fraction)
{
    int below = fraction < 24 ? 25 : fraction + 1;
    double rest = ldexp(r->one, -24) + ldexp(r->one, -below);
    uint32_t leaves[] = {leaf, reveal_partner(map, leaf)};
    return reveal_ask_at(r, 2, leaves, (double[]){r->one, rest}) == r->one * (1 + 0x1p-23);
}

/* Marks the leaves that are added; the products of the widest node. */
static uint32_t mark_leaves(reveal *r, const reveal_map *map, met_bracketing_node *nodes, int fraction)
{
    uint32_t width = 1;
    for (uint32_t i = 0; i < map->tree->node_count; i++) {
        uint32_t products = 0;
        for (uint32_t c = 0; c < nodes[i].count; c++) {
            met_bracketing_node *child = &nodes[reveal_child(map, i, c)];
            products += child->count == 0 && child->leaf < r->probe->n;
            child->alone = nodes[i].count == 2 && child->count == 0 && added(r, map, child->leaf, fraction);
        }
        width = products > width ? products : width;
    }
    return width;
}

void reveal_node_traits(reveal *r, const reveal_map *map, met_bracketing_node *nodes, met_tree *tree)
{
    bool last = false;
    int fraction = alignment(r, map, a_step(map), &last);
    tree->node = MET_NODE_MATRIX;
    if (fraction < 0) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "in a node of many terms nothing survives beside the largest");
        return;
    }
    if (last) {
        reveal_leave_open(tree, MET_FIELD_MMA);
    }
    uint32_t width = mark_leaves(r, map, nodes, fraction);
    if (width > MET_MATRIX_WIDTH) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "a node of more terms than any unit has");
        return;
    }
    tree->unit.fraction = (uint8_t)fraction;
    tree->unit.width = (uint8_t)width;
    tree->unit.late = r->probe->accumulates && nodes[map->place[r->probe->n]].alone;
    results(r, map, nodes, tree);
}
