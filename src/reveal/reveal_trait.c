/* What the additions of a revealed tree do: how many bits partial results have, how they are rounded, what is flushed, how
 * accumulators start. Every input is a few values at leaves whose place in the tree makes the rest exact. */
#include <math.h>

#include "reveal/parts.h"

void reveal_leave_open(met_tree *tree, int field)
{
    tree->undeclared |= (uint32_t)1 << field;
}

/* --- Bits and rounding: two leaves that meet under a node, a third that takes the first away again --- */

/* A node of two children whose sum is not the result, or REVEAL_NONE. */
static uint32_t inner_node(const reveal_map *map)
{
    for (uint32_t i = 0; i < map->tree->node_count; i++) {
        if (map->tree->nodes[i].count == 2 && map->parent[i] != REVEAL_NONE) {
            return i;
        }
    }
    return REVEAL_NONE;
}

typedef struct corner {
    reveal *r;
    uint32_t leaves[3];
} corner;

/* (x + y) − x, in units of `one`. */
static double there_and_back(const corner *c, double x, double y)
{
    double one = c->r->one;
    return reveal_ask_at(c->r, 3, c->leaves, (double[]){x * one, y * one, -x * one}) / one;
}

/* The largest k for which 2^-k survives beside 1; 0 if none does. `*ret_last`: it is the last that could be asked. */
static int survivor(const corner *c, int from, bool *ret_last)
{
    bool asked = false;
    for (int k = from; k > 0; k--) {
        double back = there_and_back(c, 1, ldexp(1, -k));
        if (!isnan(back) && back == ldexp(1, -k)) {
            *ret_last = !asked;
            return k;
        }
        asked = asked || !isnan(back);
    }
    return 0;
}

static met_rounding rounding_mode(const corner *c, int bits)
{
    double ulp = ldexp(1, 1 - bits);
    bool nearest_or_up = there_and_back(c, 1, 0.75 * ulp) == ulp;
    if (nearest_or_up) {
        return there_and_back(c, 1, ulp / 8) == ulp ? MET_RU : MET_RNE;
    }
    return there_and_back(c, -1, -ulp / 8) == -ulp ? MET_RD : MET_RZ;
}

static bool set_precision(met_tree *tree, int bits)
{
    static const struct {
        int bits;
        met_dtype precision, store;
    } known[] = {{53, MET_F64, MET_F64}, {24, MET_F32, MET_F32}, {11, MET_F32, MET_F16}, {8, MET_F32, MET_BF16}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].bits == bits) {
            tree->precision = (uint8_t)known[i].precision;
            tree->store = (uint8_t)known[i].store;
            return true;
        }
    }
    return false;
}

static void rounding(reveal *r, const reveal_map *map, met_tree *tree)
{
    uint32_t node = inner_node(map);
    if (node == REVEAL_NONE) { /* a single addition: what it keeps is what the output shows */
        if (!set_precision(tree, r->bits)) {
            reveal_leave_open(tree, MET_FIELD_ROUNDING);
        }
        return;
    }
    corner c = {r, {reveal_leaf(map, node, 0), reveal_leaf(map, node, 1), reveal_leaf_outside(map, node)}};
    bool last = false;
    int bits = 1 + survivor(&c, 60, &last);
    if (last && bits > 24) {
        bits = 53; /* more than float; the inputs do not reach further */
    }
    if (!set_precision(tree, bits)) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "partial results have a precision that is none of f64, f32, f16, bf16");
        return;
    }
    if (tree->store == tree->precision) {
        tree->mode = (uint8_t)rounding_mode(&c, bits);
    }
}

/* --- Flushing, of float arithmetic --- */

/* Leaves under two children of the root, so that their sum is the result and nothing comes after it. */
static void flushes(reveal *r, const reveal_map *map, met_tree *tree)
{
    double low = 0x1p-126;
    uint32_t root = map->tree->node_count - 1, ends[] = {reveal_leaf(map, root, 0), reveal_leaf(map, root, 1)};
    double difference = reveal_ask_at(r, 2, ends, (double[]){1.5 * low, -low});
    if (isnan(difference) || tree->precision != MET_F32 || tree->store == MET_F16 ||
        met_dtype_limits(r->probe->output).min_normal > low || met_dtype_limits(r->probe->input).min_normal > low) {
        return; /* nothing subnormal can be made or seen: the bits are those of any record */
    }
    unsigned flush = difference == 0 ? MET_FLUSH_OUTPUT : MET_FLUSH_NONE;
    bool survives = false;
    for (uint32_t i = 0; i < r->leaves && i < 8 && !survives && r->probe->kind == MET_PROBE_SUM; i++) {
        double sum = reveal_ask_at(r, 2, (uint32_t[]){i, reveal_partner(map, i)}, (double[]){low / 16, low});
        survives = sum == low + low / 16;
    }
    if (r->probe->kind == MET_PROBE_DOT) {
        r->a[0] = low / 16;
        r->b[0] = 0x1p10;
        survives = reveal_ask(r) != 0;
        reveal_restore(r, 0);
    }
    tree->flush = (uint8_t)(flush | (survives ? 0 : MET_FLUSH_INPUT));
}

/* --- The way out --- */

/* A sum in double a little above the middle between two numbers of a narrow output: rounded to float on the way it falls on the
 * middle. */
static void twice_rounded(reveal *r, const met_tree *tree)
{
    double ulp = met_dtype_limits(r->probe->output).epsilon, one = r->one;
    if (tree->precision != MET_F64 || ulp <= 0x1p-23 || r->leaves < 3) {
        return;
    }
    double answer = reveal_ask_at(r, 3, (uint32_t[]){0, 1, 2}, (double[]){one, one * ulp / 2, one * 0x1p-40});
    if (answer == one) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "a sum in f64 that is rounded twice: to f32, then to the output");
    }
}

/* --- The whole --- */

static void start(reveal *r, met_tree *tree)
{
    reveal_fill(r, 0);
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = -0.0;
    }
    r->c = r->probe->accumulates ? -0.0 : 0;
    double sign = reveal_ask(r);
    tree->start = signbit(sign) && tree->mode != MET_RD ? MET_START_FIRST : MET_START_ZERO;
    reveal_fill(r, 0);
}

void reveal_traits(reveal *r, const reveal_map *map, met_tree *tree)
{
    met_bracketing_node *nodes =
        met_arena_copy(r->arena, map->tree->nodes, map->tree->node_count, sizeof *map->tree->nodes);
    met_bracketing *marked = MET_NEW(r->arena, met_bracketing);
    *marked = *map->tree;
    marked->nodes = nodes;
    *tree = met_tree_sequential(MET_F32);
    tree->written = marked;
    if (r->probe->scaled || r->probe->kind == MET_PROBE_SQUARES || r->probe->kind == MET_PROBE_EXPONENTIALS) {
        static const int open[] = {MET_FIELD_START, MET_FIELD_ROUNDING, MET_FIELD_FLUSH, MET_FIELD_CONTRACTION};
        for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
            reveal_leave_open(tree, open[i]);
        }
        return;
    }
    reveal_fill(r, 0);
    if (r->leaves < 2) {
        start(r, tree);
        for (int field = MET_FIELD_ROUNDING; field <= MET_FIELD_CONTRACTION; field++) {
            reveal_leave_open(tree, field);
        }
        return;
    }
    if (map->wide) {
        reveal_node_traits(r, map, nodes, tree);
        return;
    }
    rounding(r, map, tree);
    start(r, tree);
    if (tree->mode == MET_RNE && reveal_goes_on(r)) {
        flushes(r, map, tree);
    }
    reveal_leaf_traits(r, map, nodes, tree);
    twice_rounded(r, tree);
}
