/* What storing a result in a format leaves of the step that made it. */
#include <math.h>

#include "number/steps_parts.h"

enum { SHORT = 16 /* bits of a product of bf16 numbers */ };

/* Twice as many bits and two more round as none do (Figueroa, "When is double rounding innocuous?", 1995); where the operands
 * have no more bits than the store, what is lost lies below a quarter of its gap, so that any direction comes to the same but
 * for the sign of zero. What is subnormal once stored is exact, or what is lost is far smaller than a multiple of the gap it is added
 * to; and what overflows is an infinity. */
static bool adds_few(const met_steps *s, const met_tree *tree, uint32_t x)
{
    const met_step *node = &s->nodes.at[x];
    int to = met_step_range((met_dtype)tree->store).bits, from = met_step_range((met_dtype)tree->precision).bits;
    int tiny = ilogb(met_dtype_limits((met_dtype)tree->store).min_normal) - 1, grid = met_step_range((met_dtype)tree->store).lowest;
    bool few = node->count == 2 && met_step_bits(s, met_step_child(s, x, 0)) <= to && met_step_bits(s, met_step_child(s, x, 1)) <= to;
    int low = few ? s->nodes.at[met_step_child(s, x, 0)].low : 0, other = few ? s->nodes.at[met_step_child(s, x, 1)].low : 0;
    bool exact = (low >= grid || other > tiny - MET_STEP_F32) && (other >= grid || low > tiny - MET_STEP_F32);
    return few && exact && from >= 2 * to + 2 && tree->mode != MET_RD && met_step_flush(node->attributes) == 0;
}

/* The operation whose result is stored, as far as its rounding shows. What is tiny is a zero in f16. */
static uint32_t before_store(met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step node = s->nodes.at[x];
    met_step_limits to = met_step_range((met_dtype)tree->store);
    uint32_t attributes = node.attributes;
    if (node.kind != STEP_ADD && node.kind != STEP_FUSED && node.kind != STEP_FUSED_ZERO && node.kind != STEP_PRODUCT) {
        return x;
    }
    if (tree->store == MET_F16 && tree->precision == MET_F32) {
        attributes &= ~(uint32_t)MET_FLUSH_OUTPUT;
    }
    if (node.kind == STEP_ADD && adds_few(s, tree, x)) {
        attributes = (uint32_t)MET_F32 << 8;
    }
    if ((node.kind == STEP_PRODUCT || node.kind == STEP_FUSED_ZERO) && s->bits <= SHORT && to.bits <= SHORT) {
        attributes &= ~(uint32_t)0xf0; /* exact, or a zero or an infinity once stored */
    }
    uint32_t children[2] = {met_step_child(s, x, 0), node.count > 1 ? met_step_child(s, x, 1) : 0};
    return attributes == node.attributes ? x : met_step_node(s, (met_step_kind)node.kind, attributes, node.never, node.count, children);
}

/* The sum is that of f32 arithmetic. */
static bool is_f32_sum(const met_steps *s, const met_tree *tree, uint32_t x)
{
    return tree->precision == MET_F64 && tree->store == MET_F32 && met_step_is(s, x, STEP_ADD) &&
           s->nodes.at[x].attributes == (uint32_t)MET_F32 << 8;
}

bool met_step_in_f32(const met_steps *s, uint32_t at)
{
    const met_step *node = &s->nodes.at[at];
    switch ((met_step_kind)node->kind) {
    case STEP_LEAF:
        return met_steps_fit(s, MET_F32);
    case STEP_CUT:
    case STEP_STORE:
        return node->attributes != MET_F64 || met_step_holds(MET_F32, node);
    case STEP_ADD_ZERO:
        return met_step_in_f32(s, met_step_child(s, at, 0));
    case STEP_UNIT:
        return true;
    case STEP_EXACT:
    case STEP_EXACT_PAIR:
        return met_step_holds(MET_F32, node);
    default:
        return (node->attributes >> 8 & 255) == MET_F32 || met_step_holds(MET_F32, node);
    }
}

static bool is_exact_pair(const met_steps *s, uint32_t x)
{
    const met_step *node = &s->nodes.at[x];
    return (node->kind == STEP_EXACT || node->kind == STEP_EXACT_PAIR) && node->count == 2 && node->attributes == 0;
}

/* What is exact in f64, or has twice its bits, and stored in f32, is the product, fused or not, or the sum, of f32 arithmetic.
 * BAR: it is not. */
static uint32_t f32_operation(met_steps *s, uint32_t x)
{
    met_tree plain = met_tree_sequential(MET_F32);
    if (met_step_is(s, x, STEP_LEAF)) {
        return met_step_product(s, &plain, x);
    }
    if (met_step_is(s, x, STEP_ADD_ZERO) && met_step_is(s, met_step_child(s, x, 0), STEP_LEAF)) {
        return met_step_fused_zero(s, &plain, met_step_child(s, x, 0));
    }
    if ((met_step_is(s, x, STEP_ADD) && s->bits <= MET_STEP_F32) || is_exact_pair(s, x)) {
        uint32_t one = met_step_child(s, x, 0), other = met_step_child(s, x, 1);
        bool swap = met_step_is(s, other, STEP_LEAF);
        uint32_t leaf = swap ? other : one, acc = swap ? one : other;
        return met_step_in_f32(s, leaf) && met_step_in_f32(s, acc) && is_exact_pair(s, x)   ? met_step_add(s, &plain, leaf, acc)
               : met_step_is(s, leaf, STEP_LEAF) && met_step_in_f32(s, acc) ? met_step_fused(s, &plain, leaf, acc)
                                                                   : MET_STEP_BAR;
    }
    return MET_STEP_BAR;
}

/* What is stored, as it shows: +0 that was added to it stays where a result may sink to a zero. */
static uint32_t stored_step(met_steps *s, const met_tree *tree, uint32_t x)
{
    met_tree plain = met_tree_sequential(MET_F32);
    uint32_t inner = x;
    bool positive = met_step_take_zero(s, &inner);
    if (!positive) {
        bool few = is_exact_pair(s, x) && tree->precision == MET_F64 && adds_few(s, tree, x);
        few = few && !met_step_holds(MET_F32, &s->nodes.at[x]);
        return few ? met_step_add(s, &plain, met_step_child(s, x, 0), met_step_child(s, x, 1)) : before_store(s, tree, x);
    }
    bool sum = is_exact_pair(s, inner) || met_step_is(s, inner, STEP_ADD);
    return sum && adds_few(s, tree, inner) ? met_step_positive(s, &plain, stored_step(s, tree, inner)) : x;
}

/* A sum of two numbers of f32, +0 apart: to nearest in f32 it is 0 only if it is. */
static bool keeps_zeros(const met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step_take_zero(s, &x);
    return tree->store == MET_F32 && met_step_is(s, x, STEP_ADD) && met_step_in_f32(s, met_step_child(s, x, 0)) &&
           met_step_in_f32(s, met_step_child(s, x, 1));
}

uint32_t met_step_store(met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step_limits to = met_step_range((met_dtype)tree->store), from = met_step_range((met_dtype)tree->precision);
    bool sinks = !((s->operands.sum || met_steps_stay_normal(s, tree)) && s->lowest >= to.lowest) && !keeps_zeros(s, tree, x);
    if ((to.bits >= from.bits && to.lowest <= from.lowest && to.highest >= from.highest) ||
        met_step_holds((met_dtype)tree->store, &s->nodes.at[x])) {
        return x;
    }
    x = met_step_settled(s, x);
    if (tree->precision == MET_F64 && tree->store == MET_F32 && met_steps_fit(s, MET_F64)) {
        bool sinks_late = s->operands.sum && (met_step_is(s, x, STEP_ADD) || met_step_is(s, x, STEP_ADD_ZERO)); /* a number was cut before */
        uint32_t operation = sinks_late ? MET_STEP_BAR : f32_operation(s, x);
        if (operation != MET_STEP_BAR) {
            return operation;
        }
    }
    if (tree->store == MET_F16 && met_step_is(s, x, STEP_ADD_ZERO) && s->nodes.at[x].attributes == MET_FLUSH_OUTPUT) {
        x = met_step_node(s, STEP_ADD_ZERO, 0, true, 1, (uint32_t[]){met_step_child(s, x, 0)}); /* what is tiny becomes a zero anyway */
    }
    uint32_t inner = x;
    bool positive = met_step_take_zero(s, &inner), whole = met_step_is(s, inner, STEP_LEAF) && met_steps_fit(s, (met_dtype)tree->store);
    bool moves = positive && (!sinks || whole);
    inner = stored_step(s, tree, moves ? inner : x);
    bool held = whole || (met_step_is(s, inner, STEP_STORE) && s->nodes.at[inner].attributes == tree->store) || is_f32_sum(s, tree, inner);
    uint32_t stored = held ? inner : met_step_node(s, STEP_STORE, tree->store, !sinks && s->nodes.at[inner].never, 1, &inner);
    met_tree plain = met_tree_sequential(MET_F32);
    return moves ? met_step_positive(s, &plain, stored) : stored;
}
