/* What values steps have, as far as it is simple to say, and sums that are exact: of numbers that are whole multiples of 2^low and
 * no larger than `most`, or than `odd` if they are odd multiples, every sum up to 2^(low + bits) is exact, in whatever order it is taken. Infinities among them change
 * nothing of that: a sum with one is that one, with two that differ it is NaN. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "number/mix.h"
#include "number/steps_parts.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

bool met_step_holds(met_dtype dtype, const met_step *node)
{
    met_step_limits of = met_step_range(dtype);
    return node->low >= of.lowest && ldexp(node->odd, -node->low) <= ldexp(1, of.bits) && node->most < ldexp(2, of.highest);
}

/* A sum that is an odd multiple has an addend that is one. A bound that is not exact in f64 is raised. */
void met_step_bound_sum(const met_steps *s, met_step *node, const uint32_t *children)
{
    node->most = node->odd = 0;
    node->low = INT_MAX;
    for (uint32_t i = 0; i < node->count; i++) {
        if (children[i] != MET_STEP_BAR) {
            const met_step *child = &s->nodes.at[children[i]];
            node->most += child->most;
            node->low = child->low < node->low ? child->low : node->low;
        }
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (children[i] != MET_STEP_BAR) {
            const met_step *child = &s->nodes.at[children[i]];
            double odd = node->most < (double)INFINITY ? node->most - child->most + ldexp(child->odd, node->low - child->low) : node->most;
            node->odd = odd > node->odd ? odd : node->odd;
        }
    }
    if (node->count > 1 && ldexp(node->most, -node->low) > 0x1p53) {
        node->most *= 1 + node->count * 0x1p-52;
        node->odd += node->most * node->count * 0x1p-52;
    }
}

static void bound_rounded(met_step *node, met_dtype dtype)
{
    met_step_limits of = met_step_range(dtype);
    node->low = larger(node->low, of.lowest);
    if (!met_step_holds(dtype, node)) {
        double largest = met_dtype_limits(dtype).max;
        node->most *= 1 + ldexp(1, 1 - of.bits);
        node->most = node->most < largest ? node->most : largest;
        node->odd = node->most < ldexp(1, node->low + of.bits) ? node->most : ldexp(1, node->low + of.bits);
    }
}

void met_step_bound(const met_steps *s, met_step *node, const uint32_t *children)
{
    double number = met_operands_largest(s->operands), term = s->operands.sum ? number : number * number, most = ldexp(2, s->highest);
    met_step_bound_sum(s, node, children);
    switch ((met_step_kind)node->kind) {
    case STEP_LEAF:
        node->most = term < most ? term : most;
        node->low = s->lowest;
        node->odd = ldexp(1, s->lowest + s->bits) < node->most ? ldexp(1, s->lowest + s->bits) : node->most;
        break;
    case STEP_CUT:
    case STEP_STORE:
        bound_rounded(node, (met_dtype)node->attributes);
        break;
    case STEP_UNIT:
        bound_rounded(node, node->attributes & MET_STEP_HALF ? MET_F16 : MET_F32);
        break;
    case STEP_ADD_ZERO:
    case STEP_EXACT:
    case STEP_EXACT_PAIR:
        break;
    default:
        bound_rounded(node, (met_dtype)(node->attributes >> 8 & 255));
    }
}

bool met_step_adds_exactly(const met_steps *s, met_dtype dtype, uint32_t x, uint32_t y)
{
    met_step sum = {.count = 2};
    met_step_bound_sum(s, &sum, (uint32_t[]){x, y});
    return met_step_holds(dtype, &sum);
}

int met_step_bits(const met_steps *s, uint32_t at)
{
    const met_step *node = &s->nodes.at[at];
    int bits = met_step_range(MET_F32).bits, room = node->most < (double)INFINITY ? ilogb(node->most) - node->low + 1 : INT_MAX;
    switch ((met_step_kind)node->kind) {
    case STEP_LEAF:
        return s->bits;
    case STEP_CUT:
    case STEP_STORE:
        bits = met_step_range((met_dtype)node->attributes).bits;
        break;
    case STEP_ADD_ZERO:
        return met_step_bits(s, s->children.at[node->first]);
    case STEP_UNIT:
        break;
    case STEP_EXACT:
    case STEP_EXACT_PAIR:
        return room;
    default:
        bits = met_step_range((met_dtype)(node->attributes >> 8 & 255)).bits;
    }
    return room < bits ? room : bits;
}

/* --- Sums as sets --- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void met_step_sort(uint32_t *steps, uint32_t count)
{
    qsort(steps, count, sizeof *steps, by_number);
}

typedef MET_VEC(uint32_t) places;

/* All that two by two are added. Pairs stand after what they add, so that the list is one pass. */
static places addends_of(met_steps *s, uint32_t pair)
{
    uint32_t down = s->nodes.at[pair].attributes;
    places open = {0}, found = {0};
    MET_PUSH(s->arena, &open, pair);
    while (open.count) {
        uint32_t at = open.at[--open.count];
        const met_step *node = &s->nodes.at[at];
        if ((node->kind == STEP_EXACT_PAIR || node->kind == STEP_EXACT) && node->attributes == down) {
            for (uint32_t i = 0; i < node->count; i++) {
                MET_PUSH(s->arena, &open, s->children.at[node->first + i]);
            }
        } else {
            MET_PUSH(s->arena, &found, at);
        }
    }
    return found;
}

uint32_t met_step_settled(met_steps *s, uint32_t at)
{
    met_step node = s->nodes.at[at];
    if (node.kind == STEP_ADD_ZERO) {
        uint32_t child = s->children.at[node.first], settled = met_step_settled(s, child);
        return settled == child ? at : met_step_node(s, STEP_ADD_ZERO, node.attributes, node.never, 1, &settled);
    }
    if (node.kind != STEP_EXACT_PAIR) {
        return at;
    }
    places addends = addends_of(s, at);
    for (uint64_t i = 0; i < addends.count; i++) {
        addends.at[i] = met_step_settled(s, addends.at[i]);
    }
    met_step_sort(addends.at, (uint32_t)addends.count);
    return met_step_node(s, STEP_EXACT, node.attributes, node.never, (uint32_t)addends.count, addends.at);
}
