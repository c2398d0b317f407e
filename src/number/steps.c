/* The nodes of the normal form (number/steps.h), each made simple as it is made. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "number/mix.h"
#include "number/steps_parts.h"

enum { SHORT = 16 /* bits of a product of bf16 numbers */, STEP_AND_ZERO = 1 << 16 /* of an addition: +0 is added too */ };

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
    met_step node = {(uint8_t)kind, never, attributes, (uint32_t)s->children.count, count, 0};
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

static uint32_t child_of(const met_steps *s, uint32_t at, uint32_t i)
{
    return s->children.at[s->nodes.at[at].first + i];
}

/* --- What the terms are like --- */

/* Every term is a number of the dtype. */
bool met_steps_fit(const met_steps *s, met_dtype dtype)
{
    met_step_limits of = met_step_range(dtype);
    return s->bits <= of.bits && s->lowest >= of.lowest && s->highest <= of.highest;
}

/* No sum of terms is subnormal, or so small that it rounds to a zero, in f32. */
static bool stays_normal(const met_steps *s, const met_tree *tree)
{
    return tree->precision == MET_F64 ? met_steps_fit(s, MET_F64) : met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL;
}

int met_step_sum_bits(uint64_t n)
{
    int bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

/* Bits from the highest of any sum to the lowest of any term. */
int met_steps_span(const met_steps *s)
{
    return s->highest - s->lowest + met_step_sum_bits(s->n) + 1;
}

bool met_step_exact(const met_steps *s, met_dtype precision)
{
    met_step_limits of = met_step_range(precision);
    int bits = s->highest + 1 - s->lowest + met_step_sum_bits(s->n);
    return met_steps_fit(s, precision) && bits <= of.bits;
}

/* The arithmetic of an operation: precision, mode, and flushing where there is something to flush. */
static uint32_t arithmetic(const met_steps *s, const met_tree *tree)
{
    uint32_t flush = stays_normal(s, tree) ? MET_FLUSH_NONE : tree->flush;
    return (uint32_t)tree->precision << 8 | (uint32_t)tree->mode << 4 | flush;
}

static uint32_t flush_of(uint32_t arithmetic)
{
    return arithmetic & 15;
}

/* --- Steps --- */

uint32_t met_step_product(met_steps *s, const met_tree *tree, uint32_t leaf)
{
    if (met_steps_fit(s, (met_dtype)tree->precision)) {
        return leaf;
    }
    if (s->operands.sum) {
        return met_step_node(s, STEP_CUT, tree->precision, false, 1, &leaf);
    }
    return met_step_node(s, STEP_PRODUCT, arithmetic(s, tree), false, 1, &leaf);
}

uint32_t met_step_positive(met_steps *s, const met_tree *tree, uint32_t x)
{
    uint32_t flush = flush_of(arithmetic(s, tree));
    if (flush) {
        bool kept = met_step_is(s, x, STEP_LEAF) || met_step_is(s, x, STEP_CUT); /* other steps have flushed what is tiny */
        uint32_t same = flush & MET_FLUSH_INPUT || !kept ? MET_FLUSH_BOTH : flush; /* nothing tiny is left of 0 + x */
        return met_step_node(s, STEP_ADD_ZERO, same, false, 1, &x);
    }
    return tree->mode == MET_RD || s->nodes.at[x].never ? x : met_step_node(s, STEP_ADD_ZERO, 0, true, 1, &x);
}

/* Takes +0 off, if the sum of it and x is what stands there. */
bool met_step_take_zero(const met_steps *s, uint32_t *x)
{
    bool is = met_step_is(s, *x, STEP_ADD_ZERO) && s->nodes.at[*x].attributes == 0;
    *x = is ? child_of(s, *x, 0) : *x;
    return is;
}

/* The same where subnormal operands are zeros. */
static bool take_flushed_zero(const met_steps *s, uint32_t *x)
{
    bool is = met_step_is(s, *x, STEP_ADD_ZERO) && s->nodes.at[*x].attributes == MET_FLUSH_BOTH;
    *x = is ? child_of(s, *x, 0) : *x;
    return is;
}

uint32_t met_step_add(met_steps *s, const met_tree *tree, uint32_t x, uint32_t y)
{
    uint32_t attributes = arithmetic(s, tree);
    bool moves = flush_of(attributes) == 0 && tree->mode != MET_RD, zero = false, never;
    if (moves) {
        zero = met_step_take_zero(s, &x);
        zero = met_step_take_zero(s, &y) || zero;
    } else if (flush_of(attributes)) { /* it shows if both are zeros, whichever it was added to */
        bool of_x = take_flushed_zero(s, &x), of_y = take_flushed_zero(s, &y);
        attributes |= of_x || of_y ? STEP_AND_ZERO : 0;
    }
    never = moves && (s->nodes.at[x].never || s->nodes.at[y].never);
    uint32_t sum = met_step_node(s, STEP_ADD, attributes, never, 2, x < y ? (uint32_t[]){x, y} : (uint32_t[]){y, x});
    return zero ? met_step_positive(s, tree, sum) : sum;
}

uint32_t met_step_fused(met_steps *s, const met_tree *tree, uint32_t leaf, uint32_t acc)
{
    if (s->operands.sum || met_steps_fit(s, (met_dtype)tree->precision)) {
        return met_step_add(s, tree, met_step_product(s, tree, leaf), acc);
    }
    return met_step_node(s, STEP_FUSED, arithmetic(s, tree), false, 2, (uint32_t[]){leaf, acc});
}

/* fma(a, b, 0) */
uint32_t met_step_fused_zero(met_steps *s, const met_tree *tree, uint32_t leaf)
{
    if (s->operands.sum || met_steps_fit(s, (met_dtype)tree->precision)) {
        return met_step_positive(s, tree, met_step_product(s, tree, leaf));
    }
    if (tree->mode == MET_RD) {
        return met_step_product(s, tree, leaf);
    }
    return met_step_node(s, STEP_FUSED_ZERO, arithmetic(s, tree), false, 1, &leaf);
}

uint32_t met_step_first(met_steps *s, const met_tree *tree, uint32_t leaf, bool stored)
{
    bool zero = tree->start == MET_START_ZERO;
    uint32_t first = zero && tree->contraction == MET_CONTRACT_FMA ? met_step_fused_zero(s, tree, leaf)
                     : zero ? met_step_positive(s, tree, met_step_product(s, tree, leaf))
                            : met_step_product(s, tree, leaf);
    return stored ? met_step_store(s, tree, first) : first;
}

/* The bits that what stands there may have. */
static int bits_of(const met_steps *s, uint32_t at)
{
    const met_step *node = &s->nodes.at[at];
    switch ((met_step_kind)node->kind) {
    case STEP_LEAF:
        return met_steps_fit(s, MET_F64) ? s->bits : INT_MAX;
    case STEP_CUT:
    case STEP_STORE:
        return met_step_range((met_dtype)node->attributes).bits;
    case STEP_ADD_ZERO:
        return bits_of(s, child_of(s, at, 0));
    case STEP_UNIT:
        return MET_STEP_F32;
    default:
        return met_step_range((met_dtype)(node->attributes >> 8 & 255)).bits;
    }
}

/* The operation whose result is stored, as far as its rounding shows. Twice as many bits and two more round as none do (Figueroa,
 * "When is double rounding innocuous?", 1995); where the operands have no more bits than the store, what is lost lies below a
 * quarter of its gap, so that any direction comes to the same but for the sign of zero; a sum that is subnormal is exact, and one that overflows is an
 * infinity once stored. What is tiny is a zero in f16. */
static uint32_t before_store(met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step node = s->nodes.at[x];
    met_step_limits to = met_step_range((met_dtype)tree->store), from = met_step_range((met_dtype)tree->precision);
    uint32_t attributes = node.attributes;
    if (node.kind != STEP_ADD && node.kind != STEP_FUSED && node.kind != STEP_FUSED_ZERO && node.kind != STEP_PRODUCT) {
        return x;
    }
    if (tree->store == MET_F16 && tree->precision == MET_F32) {
        attributes &= ~(uint32_t)MET_FLUSH_OUTPUT;
    }
    bool few = node.kind == STEP_ADD && bits_of(s, child_of(s, x, 0)) <= to.bits && bits_of(s, child_of(s, x, 1)) <= to.bits;
    if (few && from.bits >= 2 * to.bits + 2 && tree->mode != MET_RD && flush_of(attributes) == 0) {
        attributes = (uint32_t)MET_F32 << 8;
    }
    if ((node.kind == STEP_PRODUCT || node.kind == STEP_FUSED_ZERO) && s->bits <= SHORT && to.bits <= SHORT) {
        attributes &= ~(uint32_t)0xf0; /* exact, or a zero or an infinity once stored */
    }
    uint32_t children[2] = {child_of(s, x, 0), node.count > 1 ? child_of(s, x, 1) : 0};
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
        return node->attributes != MET_F64;
    case STEP_ADD_ZERO:
        return met_step_in_f32(s, child_of(s, at, 0));
    case STEP_UNIT:
        return true;
    default:
        return (node->attributes >> 8 & 255) == MET_F32;
    }
}

/* What is exact in f64, or has twice its bits, and stored in f32, is the product, fused or not, of f32 arithmetic. BAR: it is not. */
static uint32_t f32_product(met_steps *s, uint32_t x)
{
    met_tree plain = met_tree_sequential(MET_F32);
    if (met_step_is(s, x, STEP_LEAF)) {
        return met_step_product(s, &plain, x);
    }
    if (met_step_is(s, x, STEP_ADD_ZERO) && met_step_is(s, child_of(s, x, 0), STEP_LEAF)) {
        return met_step_fused_zero(s, &plain, child_of(s, x, 0));
    }
    if (met_step_is(s, x, STEP_ADD) && s->bits <= MET_STEP_F32) {
        uint32_t one = child_of(s, x, 0), other = child_of(s, x, 1);
        bool swap = met_step_is(s, other, STEP_LEAF);
        uint32_t leaf = swap ? other : one, acc = swap ? one : other;
        return met_step_is(s, leaf, STEP_LEAF) && met_step_in_f32(s, acc) ? met_step_fused(s, &plain, leaf, acc) : MET_STEP_BAR;
    }
    return MET_STEP_BAR;
}

/* A sum of two numbers of f32, +0 apart: to nearest in f32 it is 0 only if it is. */
static bool keeps_zeros(const met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step_take_zero(s, &x);
    return tree->store == MET_F32 && met_step_is(s, x, STEP_ADD) && met_step_in_f32(s, child_of(s, x, 0)) &&
           met_step_in_f32(s, child_of(s, x, 1));
}

uint32_t met_step_store(met_steps *s, const met_tree *tree, uint32_t x)
{
    met_step_limits to = met_step_range((met_dtype)tree->store), from = met_step_range((met_dtype)tree->precision);
    bool sinks = !((s->operands.sum || stays_normal(s, tree)) && s->lowest >= to.lowest) && !keeps_zeros(s, tree, x);
    if ((to.bits >= from.bits && to.lowest <= from.lowest && to.highest >= from.highest) ||
        (to.bits >= MET_STEP_F32 && met_step_exact(s, MET_F32))) {
        return x;
    }
    if (tree->precision == MET_F64 && tree->store == MET_F32 && !s->operands.sum && met_steps_fit(s, MET_F64)) {
        uint32_t product = f32_product(s, x);
        if (product != MET_STEP_BAR) {
            return product;
        }
    }
    if (tree->store == MET_F16 && met_step_is(s, x, STEP_ADD_ZERO) && s->nodes.at[x].attributes == MET_FLUSH_OUTPUT) {
        x = met_step_node(s, STEP_ADD_ZERO, 0, true, 1, (uint32_t[]){child_of(s, x, 0)}); /* what is tiny becomes a zero anyway */
    }
    uint32_t inner = x;
    bool positive = met_step_take_zero(s, &inner), whole = met_step_is(s, inner, STEP_LEAF) && met_steps_fit(s, (met_dtype)tree->store);
    bool moves = positive && (!sinks || whole);
    inner = before_store(s, tree, moves ? inner : x);
    bool held = whole || (met_step_is(s, inner, STEP_STORE) && s->nodes.at[inner].attributes == tree->store) || is_f32_sum(s, tree, inner);
    uint32_t stored = held ? inner : met_step_node(s, STEP_STORE, tree->store, !sinks && s->nodes.at[inner].never, 1, &inner);
    met_tree plain = met_tree_sequential(MET_F32);
    return moves ? met_step_positive(s, &plain, stored) : stored;
}
