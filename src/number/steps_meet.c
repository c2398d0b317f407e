/* The end of records whose last results meet in f64: the rounding to f32, and sums that are exact whatever their order. */
#include <limits.h>
#include <stdlib.h>

#include "number/steps_parts.h"

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool is_sum(const met_steps *s, uint32_t at)
{
    return met_step_is(s, at, STEP_ADD) && s->nodes.at[at].attributes == (uint32_t)MET_F64 << 8;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef MET_VEC(uint32_t) addends;

/* What the additions in f64 add. */
static addends addends_of(met_steps *s, uint32_t at)
{
    addends open = {0}, found = {0};
    MET_PUSH(s->arena, &open, at);
    while (open.count) {
        uint32_t x = open.at[--open.count];
        const met_step *node = &s->nodes.at[x];
        for (uint32_t c = 0; c < node->count && is_sum(s, x); c++) {
            MET_PUSH(s->arena, &open, s->children.at[node->first + c]);
        }
        if (!is_sum(s, x)) {
            MET_PUSH(s->arena, &found, x);
        }
    }
    qsort(found.at, found.count, sizeof *found.at, by_number);
    return found;
}

/* The exponents of an addend's lowest bit and of its highest, as far as its format tells. */
static met_step_limits range_of(const met_steps *s, uint32_t at)
{
    met_step_take_zero(s, &at);
    const met_step *node = &s->nodes.at[at];
    bool half = node->kind == STEP_UNIT && node->attributes & MET_STEP_HALF;
    return met_step_range(node->kind == STEP_STORE   ? (met_dtype)node->attributes
                          : half                     ? MET_F16
                          : met_step_in_f32(s, at) ? MET_F32
                                                     : MET_F64);
}

/* Every sum of the addends is a number of f64. Rounding keeps multiples of a power of two, and n times a power of two is a
 * number of f32; a narrower format, or a unit, may gain one part in 2^8 each time, a bit in 128 times. */
static bool add_exactly(const met_steps *s, const met_tree *tree, const addends *of)
{
    bool plain = tree->node == MET_NODE_ADD && tree->store != MET_BF16 && tree->store != MET_F16;
    int low = INT_MAX, high = INT_MIN, grown = s->highest + (plain ? 0 : (int)(s->n / 128) + 1);
    for (size_t i = 0; i < of->count; i++) {
        met_step_limits range = range_of(s, of->at[i]);
        low = least(low, most(s->lowest, range.lowest));
        high = most(high, least(grown, range.highest));
    }
    return high + met_step_sum_bits(s->n) + 1 - low <= met_step_range(MET_F64).bits;
}

uint32_t met_step_met(met_steps *s, const met_tree *tree, uint32_t at)
{
    met_tree stores = met_tree_meeting(tree), plain = met_tree_sequential(MET_F32);
    uint32_t sum = at;
    bool zero = met_step_take_zero(s, &sum);
    stores.store = MET_F32;
    if (met_step_in_f32(s, at)) {
        return at;
    }
    addends of = addends_of(s, sum);
    if (of.count < 3 || !add_exactly(s, tree, &of)) {
        return met_step_store(s, &stores, at);
    }
    sum = met_step_node(s, STEP_ADD, (uint32_t)MET_F64 << 8, s->nodes.at[sum].never, (uint32_t)of.count, of.at);
    sum = met_step_exact(s, MET_F32) ? sum : met_step_node(s, STEP_STORE, MET_F32, s->nodes.at[sum].never, 1, &sum);
    return zero ? met_step_positive(s, &plain, sum) : sum;
}
