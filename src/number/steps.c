/* The nodes of the normal form (number/steps.h): equal steps are one. */
#include <math.h>
#include <string.h>

#include "number/mix.h"
#include "number/steps_parts.h"

met_step_limits met_step_range(met_dtype dtype)
{
    met_limits limits = met_dtype_limits(dtype);
    return (met_step_limits){met_dtype_table[dtype].mantissa_bits + 1, ilogb(limits.min_subnormal), ilogb(limits.max)};
}

static void start_leaves(met_steps *s)
{
    for (uint64_t i = 0; i < s->n; i++) {
        uint32_t leaf = (uint32_t)i;
        met_step_node(s, STEP_LEAF, leaf, false, 0, NULL);
    }
}

met_steps *met_steps_new(met_arena *arena, met_operands operands, uint64_t n)
{
    met_steps *s = MET_NEW(arena, met_steps);
    met_operand_limits of = met_operands_limits(operands);
    *s = (met_steps){.arena = arena, .operands = operands, .n = n, .room = 64, .bits = of.bits, .lowest = of.lowest,
                     .highest = of.highest};
    if (!operands.sum) {
        s->bits = 2 * of.bits;
        s->lowest = 2 * of.lowest;
        s->highest = 2 * of.highest + 1;
    }
    while (s->room < 4 * n) {
        s->room *= 2;
    }
    s->table = MET_NEW_ARRAY(arena, uint32_t, s->room);
    start_leaves(s);
    return s;
}

void met_steps_restrict(met_steps *steps, int lowest, int highest)
{
    steps->lowest = steps->lowest > lowest ? steps->lowest : lowest;
    steps->highest = steps->highest < highest ? steps->highest : highest;
    for (uint64_t i = 0; i < steps->n; i++) {
        met_step_bound(steps, &steps->nodes.at[i], NULL);
    }
}

/* --- Equal steps are one --- */

static bool is_node(const met_steps *s, uint32_t at, const met_step *node, const uint32_t *children)
{
    const met_step *other = &s->nodes.at[at];
    return other->hash == node->hash && other->kind == node->kind && other->attributes == node->attributes &&
           other->count == node->count &&
           (node->count == 0 || memcmp(&s->children.at[other->first], children, node->count * sizeof *children) == 0);
}

static void put(met_steps *s, uint32_t at)
{
    uint64_t place = s->nodes.at[at].hash & (s->room - 1);
    while (s->table[place]) {
        place = (place + 1) & (s->room - 1);
    }
    s->table[place] = at + 1;
}

static void grow(met_steps *s)
{
    s->room *= 2;
    s->table = MET_NEW_ARRAY(s->arena, uint32_t, s->room);
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        put(s, i);
    }
}

uint32_t met_step_node(met_steps *s, met_step_kind kind, uint32_t attributes, bool never, uint32_t count, const uint32_t *children)
{
    met_step node = {.kind = (uint8_t)kind, .never = never, .attributes = attributes, .first = (uint32_t)s->children.count, .count = count};
    node.hash = met_mix(((uint64_t)kind << 32 | attributes) + UINT64_C(0x9e3779b97f4a7c15));
    for (uint32_t i = 0; i < count; i++) {
        node.hash = met_mix(node.hash + children[i] + UINT64_C(0x9e3779b97f4a7c15));
    }
    uint64_t place = node.hash & (s->room - 1);
    while (s->table[place]) {
        if (is_node(s, s->table[place] - 1, &node, children)) {
            return s->table[place] - 1;
        }
        place = (place + 1) & (s->room - 1);
    }
    met_step_bound(s, &node, children);
    for (uint32_t i = 0; i < count; i++) {
        MET_PUSH(s->arena, &s->children, children[i]);
    }
    MET_PUSH(s->arena, &s->nodes, node);
    put(s, (uint32_t)s->nodes.count - 1);
    if (2 * s->nodes.count > s->room) {
        grow(s);
    }
    return (uint32_t)s->nodes.count - 1;
}

bool met_step_is(const met_steps *s, uint32_t at, met_step_kind kind)
{
    return s->nodes.at[at].kind == kind;
}
