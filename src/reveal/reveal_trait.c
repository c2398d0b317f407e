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
    bool third;
    uint32_t leaves[3];
} corner;

/* (x + y) − x, in units of `one`. Without a third leaf the last subtraction is ours, and the sum the output's. */
static double there_and_back(const corner *c, double x, double y)
{
    double one = c->r->one;
    double answer = reveal_ask_at(c->r, 2 + c->third, c->leaves, (double[]){x * one, y * one, -x * one}) / one;
    return answer - (c->third ? 0 : x);
}

/* The largest k for which 2^-k survives beside 1; 0 if none does. `*ret_last`: it is the last that could be asked. */
static int survivor(const corner *c, int from, bool *ret_last)
{
    bool asked = false;
    for (int k = from; k > 0; k--) {
        double rest = ldexp(1, -k), back = there_and_back(c, 1, rest);
        if (back == rest) {
            *ret_last = !asked;
            return k;
        }
        bool shown = met_round(c->r->probe->output, rest * c->r->one) == rest * c->r->one;
        asked = asked || (shown && !isnan(back));
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
    uint32_t inner = inner_node(map), node = inner == REVEAL_NONE ? map->tree->node_count - 1 : inner;
    corner c = {r, inner != REVEAL_NONE, {reveal_leaf(map, node, 0), reveal_leaf(map, node, 1)}};
    bool last = false;
    int bits = r->bits; /* of a single addition: what the output shows */
    if (c.third) {
        c.leaves[2] = reveal_leaf_outside(map, node);
        bits = 1 + survivor(&c, 60, &last);
    }
    double fine = 0x1p-40; /* of an input in f64, which is rounded first if the arithmetic is narrower */
    if (!c.third && r->probe->input == MET_F64 && reveal_ask_at(r, 2, c.leaves, (double[]){1 + fine, -1}) == fine) {
        bits = 53;
    }
    if (last && bits > 24) {
        bits = 53; /* more than float; the inputs do not reach further */
    }
    if (!set_precision(tree, bits)) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "partial results have a precision that is none of f64, f32, f16, bf16");
        return;
    }
    double ulp = ldexp(r->one, 1 - bits);
    bool seen = tree->store == tree->precision && (c.third || bits == r->bits) && met_round(r->probe->output, ulp) == ulp;
    met_rounding mode = seen ? rounding_mode(&c, bits) : MET_RNE;
    if (mode != MET_RNE && tree->precision == MET_F64) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "additions in f64 that do not round to nearest");
        return;
    }
    tree->mode = (uint8_t)mode;
}

/* --- Flushing: of float arithmetic, or of what f64 arithmetic takes and gives, which no record has --- */

bool reveal_flushed(reveal *r, const reveal_map *map, uint32_t leaf)
{
    double low = 0x1p-126;
    return reveal_ask_at(r, 2, (uint32_t[]){leaf, reveal_partner(map, leaf)}, (double[]){low / 16, low}) == low;
}

/* Leaves under two children of the root, so that their sum is the result and nothing comes after it. */
static void flushes(reveal *r, const reveal_map *map, met_tree *tree)
{
    double low = 0x1p-126;
    uint32_t root = map->tree->node_count - 1, ends[] = {reveal_leaf(map, root, 0), reveal_leaf(map, root, 1)};
    double difference = reveal_ask_at(r, 2, ends, (double[]){1.5 * low, -low});
    if (isnan(difference) || tree->store == MET_F16 ||
        met_dtype_limits(r->probe->output).min_normal > low || met_dtype_limits(r->probe->input).min_normal > low) {
        return; /* nothing subnormal can be made or seen: the bits are those of any record */
    }
    unsigned flush = difference == 0 ? MET_FLUSH_OUTPUT : MET_FLUSH_NONE;
    bool survives = false;
    if (r->probe->kind == MET_PROBE_DOT) {
        r->a[0] = low / 16;
        r->b[0] = 0x1p10;
        survives = reveal_ask(r) != 0;
        reveal_restore(r, 0);
    }
    for (uint32_t i = 0; i < r->leaves && !survives && r->probe->kind == MET_PROBE_SUM; i++) {
        survives = !reveal_flushed(r, map, i);
    }
    if (!survives && r->probe->kind == MET_PROBE_SUM && flush) {
        /* Either inputs are flushed, or each term is a result of its own: +0 and a negative one, which is −0 then. */
        reveal_fill(r, -low / 16);
        survives = signbit(reveal_ask(r)) && tree->start == MET_START_ZERO;
        reveal_fill(r, 0);
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
        r->named = true;
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
