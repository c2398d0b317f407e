/* What becomes of single leaves: whether a product is fused into the addition that it takes part in, and whether a term is a
 * partial result of its own, rounded and stored before it meets another. */
#include <math.h>
#include <string.h>

#include "reveal/parts.h"

typedef enum leaf_state { LEAF_JOINS, LEAF_FUSED } leaf_state;

/* A product that rounds to 1 and is less, beside −1. */
typedef struct leaf_input {
    double a, b, partner, fused; /* the answer if it is fused */
} leaf_input;

static leaf_input product_input(const reveal *r, const met_tree *tree)
{
    double one = 0x1p8; /* what is left must be a number of the output */
    if (tree->precision == MET_F64) {
        return (leaf_input){one + 0x1p-19, 1 - 0x1p-27, -one, -0x1p-46};
    }
    if (met_round(r->probe->input, 1 + 0x1p-13) == 1 + 0x1p-13) {
        return (leaf_input){one + 0x1p-5, 1 - 0x1p-13, -one, -0x1p-18};
    }
    return (leaf_input){0x1p64, 0x1p64, -0x1p127, 0x1p127}; /* exact, but for the range */
}

static bool fits(const reveal *r, const leaf_input *in)
{
    met_dtype input = r->probe->input;
    return met_round(input, in->a) == in->a && met_round(input, in->b) == in->b &&
           met_round(r->probe->output, in->fused) == in->fused;
}

/* The answer for a·b at a leaf and a value beside it. */
static double beside(reveal *r, const reveal_map *map, uint32_t leaf, double a, double b, double value)
{
    uint32_t partner = reveal_partner(map, leaf);
    bool good = reveal_put(r, partner, value);
    r->a[leaf] = a;
    r->b[leaf] = b;
    double result = good ? reveal_ask(r) : (double)NAN;
    reveal_restore(r, leaf);
    reveal_restore(r, partner);
    return result;
}

static bool is_fused(reveal *r, const reveal_map *map, const leaf_input *in, uint32_t leaf)
{
    return beside(r, map, leaf, in->a, in->b, in->partner) == in->fused;
}

/* 1 and bits that the store does not keep, beside −1: a number, or a square (1 + 2^-h)², whose last bit is beyond the store
 * while the rest of it fits. */
static bool is_stored(reveal *r, const reveal_map *map, met_dtype store, uint32_t leaf)
{
    double h = store == MET_F16 ? 0x1p-6 : 0x1p-4, rest = met_dtype_limits(store).epsilon / 4;
    met_dtype input = r->probe->input;
    if (r->probe->kind == MET_PROBE_DOT && leaf < r->probe->n) {
        return met_round(input, 1 + h) == 1 + h && beside(r, map, leaf, 1 + h, 1 + h, -1) == 2 * h;
    }
    uint32_t leaves[] = {leaf, reveal_partner(map, leaf)};
    if (met_round(input, 1 + rest) != 1 + rest) { /* no such bits, but a range beyond the store's */
        double low = met_dtype_limits(store).min_subnormal;
        return reveal_ask_at(r, 2, leaves, (double[]){low / 2, low}) == low;
    }
    return reveal_ask_at(r, 2, leaves, (double[]){1 + rest, -1}) == 0;
}

/* Fused leaves, then those that are not though they could be. */
static uint64_t find_fused(reveal *r, const reveal_map *map, met_tree *tree, leaf_state *state)
{
    leaf_input in = product_input(r, tree);
    uint64_t fused = 0;
    if (r->probe->kind != MET_PROBE_DOT || !fits(r, &in)) {
        return 0;
    }
    for (uint32_t i = 0; i < r->probe->n && reveal_goes_on(r); i++) {
        state[i] = is_fused(r, map, &in, i) ? LEAF_FUSED : LEAF_JOINS;
        fused += state[i] == LEAF_FUSED;
    }
    tree->contraction = fused ? MET_CONTRACT_FMA : MET_CONTRACT_MUL_ADD;
    return fused;
}

/* Whether a fused step is one of double whose result is rounded to float: a sum a little below the middle of two floats, by less
 * than double holds, falls on the middle first. */
static bool through_double(reveal *r, const reveal_map *map, const met_tree *tree, uint32_t leaf)
{
    double a = 1 + 0x1p-23, b = 1 - 0x1p-23, beside_it = 1 + 0x1p-23;
    bool plain = tree->precision == MET_F32 && tree->store == MET_F32 && tree->mode == MET_RNE && tree->flush == MET_FLUSH_NONE;
    return plain && met_round(r->probe->input, a) == a && met_round(r->probe->output, a) == a &&
           beside(r, map, leaf, a * 0x1p-12, b * 0x1p-12, beside_it) == 1 + 0x1p-22;
}

/* Where no product is fused into a term before it, each may be fused into a +0 of its own: negative products that underflow
 * become −0 then, and +0 where +0 is added to them when they are rounded. */
static bool each_fused_alone(reveal *r, const met_tree *tree)
{
    double tiny = tree->precision == MET_F64 ? 0x1p-600 : 0x1p-100;
    if (tree->start != MET_START_ZERO || met_round(r->probe->input, tiny) != tiny) {
        return false;
    }
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = -tiny;
        r->b[i] = tiny;
    }
    r->c = r->probe->accumulates ? -0.0 : 0;
    bool negative = signbit(reveal_ask(r));
    reveal_fill(r, 0);
    return negative;
}

/* Both of two leaves that meet show their product whole: it is exact in the arithmetic, which is wider than the output. */
static bool wider_than_shown(const reveal_map *map, const leaf_state *state)
{
    for (uint32_t i = 0; i < map->tree->node_count; i++) {
        if (map->tree->nodes[i].count != 2) {
            continue;
        }
        const met_bracketing_node *x = &map->tree->nodes[reveal_child(map, i, 0)],
                                  *y = &map->tree->nodes[reveal_child(map, i, 1)];
        if (x->count == 0 && y->count == 0 && state[x->leaf] == LEAF_FUSED && state[y->leaf] == LEAF_FUSED) {
            return true;
        }
    }
    return false;
}

void reveal_leaf_traits(reveal *r, const reveal_map *map, met_bracketing_node *nodes, met_tree *tree)
{
    leaf_state *state = MET_NEW_ARRAY(r->arena, leaf_state, r->leaves);
    uint64_t fused = find_fused(r, map, tree, state);
    if (fused && tree->precision == MET_F32 && wider_than_shown(map, state)) {
        tree->precision = tree->store = MET_F64;
        tree->contraction = MET_CONTRACT_FMA; /* of narrow inputs: products are exact */
        memset(state, 0, r->leaves * sizeof *state);
        fused = find_fused(r, map, tree, state);
    }
    bool narrow = tree->store != tree->precision, doubled = false;
    for (uint32_t i = 0; i < r->probe->n && !doubled && fused; i++) {
        doubled = state[i] == LEAF_FUSED;
        tree->precision = doubled && through_double(r, map, tree, i) ? MET_F64 : tree->precision;
    }
    bool each = r->probe->kind == MET_PROBE_DOT && fused == 0 && each_fused_alone(r, tree);
    tree->contraction = each ? MET_CONTRACT_FMA : tree->contraction;
    bool flushed = r->probe->kind == MET_PROBE_SUM && tree->flush == MET_FLUSH_OUTPUT;
    for (uint32_t i = 0; i < r->leaves && reveal_goes_on(r); i++) {
        bool alone = narrow    ? is_stored(r, map, (met_dtype)tree->store, i)
                     : flushed ? reveal_flushed(r, map, i)
                               : fused > 0 || each;
        nodes[map->place[i]].alone = alone && state[i] != LEAF_FUSED;
    }
}
