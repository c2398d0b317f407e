/* Signs of zeros in the normal form (number/steps.h). What a step comes to, but for the sign of a zero, depends on no sign of a zero
 * among its operands. Where a +0 is among the addends a zero of them is +0 whatever the signs of the others. So whatever is below a
 * step that is never −0, or that adds +0, is taken without those signs; there
 *   x + 0 is x, fma(a, b, 0) is a rounded product, and a unit with +0 among its addends is one without;
 *   flushing an operand is adding +0 to it, so that an addition which flushes its operands is one of such sums;
 *   flushing the operand that a sum is, is flushing its result.
 * A pass over a finished form, in the order of the nodes: operands have lower numbers than what takes them. */
#include "number/encode.h"
#include "number/steps_parts.h"

enum { SIGNED, FREE, WAYS };

typedef struct zero_pass {
    met_steps *s;
    uint8_t *needed[WAYS];
    uint32_t *made[WAYS];
} zero_pass;

/* Whether the signs of zeros among the operands do not matter, if that of the step does. */
static bool frees(const met_step *node)
{
    met_step_kind kind = (met_step_kind)node->kind;
    return kind == STEP_ADD_ZERO || (kind == STEP_ADD && node->attributes & MET_STEP_AND_ZERO) ||
           (kind == STEP_UNIT && node->attributes & 1 && (node->attributes >> 12 & 15) != MET_RD);
}

static bool is_sign_alone(const met_step *node)
{
    return node->never && node->kind != STEP_ADD_ZERO;
}

static void need(zero_pass *p, uint32_t at, int way)
{
    const met_step *node = &p->s->nodes.at[at];
    if (way == SIGNED && is_sign_alone(node)) {
        p->needed[FREE][at] = 1;
        return;
    }
    int below = way == FREE || frees(node) ? FREE : SIGNED;
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t child = p->s->children.at[node->first + i];
        if (child != MET_STEP_BAR) {
            p->needed[below][child] = 1;
        }
    }
}

/* The operand flushed, of whose zeros no sign matters. */
static uint32_t flushed(met_steps *s, uint32_t x)
{
    x = met_step_flush_sum(s, x);
    return met_step_is_flushed(s, x) ? x : met_step_node(s, STEP_ADD_ZERO, MET_FLUSH_BOTH, true, 1, &x);
}

static uint32_t free_addition(met_steps *s, uint32_t attributes, uint32_t x, uint32_t y)
{
    if (attributes & MET_FLUSH_INPUT) {
        x = flushed(s, x);
        y = flushed(s, y);
        attributes &= ~(uint32_t)MET_FLUSH_INPUT;
    }
    bool moves = (attributes & 15) == 0 && (attributes >> 4 & 15) != MET_RD;
    bool never = moves && (s->nodes.at[x].never || s->nodes.at[y].never);
    uint32_t children[] = {x < y ? x : y, x < y ? y : x};
    return met_step_node(s, STEP_ADD, attributes, never, 2, children);
}

/* +0 and x, whose zeros have no sign that matters. */
static uint32_t positive(met_steps *s, uint32_t x)
{
    return s->nodes.at[x].never ? x : met_step_node(s, STEP_ADD_ZERO, 0, true, 1, &x);
}

static uint32_t remade(met_steps *s, const met_step *node, uint32_t attributes, uint32_t *children)
{
    met_step_kind kind = (met_step_kind)node->kind;
    bool never = node->never;
    if (kind == STEP_UNIT) {
        uint32_t bar = 0;
        while (children[bar] != MET_STEP_BAR) {
            bar++;
        }
        met_step_sort(children + bar + 1, node->count - bar - 1);
    } else if (kind == STEP_EXACT) {
        never = false;
        for (uint32_t i = 0; i < node->count && !attributes; i++) {
            never = never || s->nodes.at[children[i]].never;
        }
        return met_step_settled(s, met_step_node(s, STEP_EXACT_PAIR, attributes, never, node->count, children));
    } else if (kind == STEP_ADD) {
        never = false;
        met_step_sort(children, node->count);
    } else if (kind == STEP_STORE) {
        never = never && s->nodes.at[children[0]].never;
    }
    return met_step_node(s, kind, attributes, never, node->count, children);
}

/* The step, of whose zeros no sign matters. */
static uint32_t made_free(met_steps *s, const met_step *node, uint32_t *children)
{
    switch ((met_step_kind)node->kind) {
    case STEP_ADD_ZERO:
        return node->attributes ? flushed(s, children[0]) : children[0];
    case STEP_ADD:
        return free_addition(s, node->attributes & ~(uint32_t)MET_STEP_AND_ZERO, children[0], children[1]);
    case STEP_FUSED_ZERO:
        return met_step_node(s, STEP_PRODUCT, node->attributes, false, 1, children);
    case STEP_UNIT:
        return remade(s, node, node->attributes & ~(uint32_t)1, children);
    default:
        return remade(s, node, node->attributes, children);
    }
}

static uint32_t made_signed(met_steps *s, const met_step *node, uint32_t *children)
{
    met_step_kind kind = (met_step_kind)node->kind;
    if (kind == STEP_ADD_ZERO && node->attributes != MET_FLUSH_OUTPUT) {
        return positive(s, node->attributes ? flushed(s, children[0]) : children[0]);
    }
    if (kind == STEP_ADD && node->attributes & MET_STEP_AND_ZERO) {
        uint32_t flush = node->attributes & MET_FLUSH_OUTPUT;
        uint32_t sum = free_addition(s, node->attributes & ~(uint32_t)MET_STEP_AND_ZERO, children[0], children[1]);
        met_step made = s->nodes.at[sum];
        uint32_t operands[] = {s->children.at[made.first], s->children.at[made.first + 1]};
        return flush ? met_step_node(s, STEP_ADD, made.attributes | MET_STEP_AND_ZERO, false, 2, operands) : positive(s, sum);
    }
    return remade(s, node, node->attributes, children);
}

static void make(zero_pass *p, uint32_t at, int way)
{
    met_step node = p->s->nodes.at[at];
    int below = way == FREE || frees(&node) ? FREE : SIGNED;
    if (node.count == 0) {
        p->made[way][at] = at;
        return;
    }
    if (way == SIGNED && is_sign_alone(&node)) {
        p->made[way][at] = positive(p->s, p->made[FREE][at]);
        return;
    }
    uint32_t few[4], *children = node.count <= 4 ? few : MET_NEW_ARRAY(p->s->arena, uint32_t, node.count);
    for (uint32_t i = 0; i < node.count; i++) {
        uint32_t child = p->s->children.at[node.first + i];
        children[i] = child == MET_STEP_BAR ? child : p->made[below][child];
    }
    p->made[way][at] = way == FREE ? made_free(p->s, &node, children) : made_signed(p->s, &node, children);
}

uint32_t met_step_signs(met_steps *s, uint32_t at)
{
    zero_pass p = {.s = s};
    for (int way = 0; way < WAYS; way++) {
        p.needed[way] = MET_NEW_ARRAY(s->arena, uint8_t, (size_t)at + 1);
        p.made[way] = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)at + 1);
    }
    p.needed[SIGNED][at] = 1;
    for (uint32_t i = at + 1; i-- > 0;) {
        for (int way = 0; way < WAYS; way++) { /* a step that is SIGNED may need itself FREE */
            if (p.needed[way][i]) {
                need(&p, i, way);
            }
        }
    }
    for (uint32_t i = 0; i <= at; i++) {
        for (int way = WAYS; way-- > 0;) {
            if (p.needed[way][i]) {
                make(&p, i, way);
            }
        }
    }
    return p.made[SIGNED][at];
}
