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
        asked = asked || !isnan(answer);
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
    bool back;     /* they are taken away */
} pile;

static pile pile_of(reveal *r, const reveal_map *map, uint32_t node)
{
    pile p = {.r = r, .ones = 1, .back = map->parent[node] != REVEAL_NONE};
    while (p.ones * 2 < map->tree->nodes[node].count && p.ones * 2 <= MET_MATRIX_WIDTH / 2) {
        p.ones *= 2;
    }
    for (uint32_t i = 0; i <= p.ones; i++) {
        p.leaves[i] = reveal_leaf(map, node, i);
    }
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
    for (int k = most; k > 0; k--) {
        double left = pile_rest(p, 1, ldexp(1, -k));
        if (left == ldexp(1, -k)) {
            return k == most ? 0 : k + top;
        }
    }
    return 0;
}

/* Half an ulp and a quarter more of it, if the alignment leaves that. */
static void final_rounding(pile *p, met_tree *tree)
{
    int top = ilogb((double)p->ones), bits = tree->unit.keep ? tree->unit.keep : 23;
    double ulp = ldexp(1, top - bits);
    bool shown = p->back || met_dtype_limits(p->r->probe->output).epsilon <= 0x1p-23;
    if (!shown || top - bits - 1 < -(int)tree->unit.fraction) { /* or what would be rounded away is cut before */
        reveal_leave_open(tree, MET_FIELD_MMA);
        return;
    }
    /* One ulp and a half: to even is up, toward zero is down. */
    double up = pile_rest(p, 1, 1.5 * ulp), down = pile_rest(p, -1, 1.5 * ulp);
    if (up == ulp) {
        tree->unit.final = down == ulp ? MET_RZ : MET_RD;
    } else if (down == ulp) {
        tree->unit.final = MET_RU;
    } else {
        tree->unit.final = MET_RNE;
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

void reveal_node_traits(reveal *r, const reveal_map *map, met_bracketing_node *nodes, met_tree *tree)
{
    bool last = false;
    uint32_t node = a_step(map);
    int fraction = alignment(r, map, node, &last);
    tree->node = MET_NODE_MATRIX;
    if (fraction < 0) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "in a node of many terms nothing survives beside the largest");
        return;
    }
    if (last) {
        reveal_leave_open(tree, MET_FIELD_MMA);
    }
    pile p = pile_of(r, map, node);
    tree->unit.fraction = (uint8_t)fraction;
    tree->unit.keep = p.back ? (uint8_t)kept_bits(&p, fraction) : 0;
    tree->unit.final = MET_RZ;
    if (tree->unit.keep == 0) {
        final_rounding(&p, tree);
    }
    uint32_t width = 1;
    for (uint32_t i = 0; i < map->tree->node_count; i++) {
        const met_bracketing_node *at = &map->tree->nodes[i];
        uint32_t products = 0;
        for (uint32_t c = 0; c < at->count; c++) {
            const met_bracketing_node *child = &map->tree->nodes[reveal_child(map, i, c)];
            products += child->count == 0 && child->leaf < r->probe->n;
            nodes[reveal_child(map, i, c)].alone = at->count == 2 && child->count == 0 && added(r, map, child->leaf, fraction);
        }
        width = products > width ? products : width;
    }
    if (width > MET_MATRIX_WIDTH) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "a node of more terms than any unit has");
    }
    tree->unit.width = (uint8_t)width;
}
