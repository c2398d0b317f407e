/* The nodes of the normal form (number/steps.h), each made simple as it is made. */
#include <math.h>
#include <string.h>

#include "number/mix.h"
#include "number/steps_parts.h"

enum { SHORT = 16 /* bits of a product of bf16 numbers */ };

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
        return met_step_node(s, STEP_ADD_ZERO, same, same == MET_FLUSH_BOTH, 1, &x);
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

/* Nothing that stands there is subnormal: it has been flushed. */
bool met_step_is_flushed(const met_steps *s, uint32_t x)
{
    const met_step *node = &s->nodes.at[x];
    bool op = node->kind == STEP_PRODUCT || node->kind == STEP_FUSED || node->kind == STEP_FUSED_ZERO || node->kind == STEP_ADD;
    return (op && flush_of(node->attributes) & MET_FLUSH_OUTPUT) || (node->kind == STEP_ADD_ZERO && node->attributes == MET_FLUSH_BOTH) ||
           node->low >= MET_STEP_NORMAL;
}

/* What an addition makes of an operand that it flushes: a sum in f32 that is tiny is exact, so that flushing it as a result or as
 * an operand is one. */
uint32_t met_step_flush_sum(met_steps *s, uint32_t x)
{
    met_step node = s->nodes.at[x];
    bool sum = node.kind == STEP_ADD && !met_step_is_flushed(s, x) && (node.attributes >> 4 & 15) == MET_RNE &&
               (node.attributes >> 8 & 255) == MET_F32;
    uint32_t children[] = {sum ? child_of(s, x, 0) : 0, sum ? child_of(s, x, 1) : 0};
    return sum ? met_step_node(s, STEP_ADD, node.attributes | MET_FLUSH_OUTPUT, false, 2, children) : x;
}

/* Flushing operands is nothing where none is subnormal. */
static uint32_t flush_operands(met_steps *s, uint32_t attributes, uint32_t *x, uint32_t *y)
{
    if (attributes & MET_FLUSH_INPUT) {
        *x = met_step_flush_sum(s, *x);
        *y = met_step_flush_sum(s, *y);
        attributes &= met_step_is_flushed(s, *x) && met_step_is_flushed(s, *y) ? ~(uint32_t)MET_FLUSH_INPUT : ~(uint32_t)0;
    }
    return attributes;
}

uint32_t met_step_add(met_steps *s, const met_tree *tree, uint32_t x, uint32_t y)
{
    uint32_t attributes = arithmetic(s, tree);
    bool zero = false;
    if (flush_of(attributes)) { /* +0 shows if both are zeros, whichever it was added to */
        zero = take_flushed_zero(s, &x);
        zero = take_flushed_zero(s, &y) || zero;
        attributes = flush_operands(s, attributes, &x, &y);
    }
    if (zero && flush_of(attributes) == MET_FLUSH_INPUT) { /* nothing is flushed but what is added to +0 */
        x = met_step_is_flushed(s, x) ? x : met_step_node(s, STEP_ADD_ZERO, MET_FLUSH_BOTH, true, 1, &x);
        y = met_step_is_flushed(s, y) ? y : met_step_node(s, STEP_ADD_ZERO, MET_FLUSH_BOTH, true, 1, &y);
        attributes &= ~(uint32_t)MET_FLUSH_INPUT;
    }
    bool flushes = flush_of(attributes) != 0, moves = !flushes && tree->mode != MET_RD;
    if (moves) {
        zero = met_step_take_zero(s, &x) || zero;
        zero = met_step_take_zero(s, &y) || zero;
    }
    bool exact = !flushes && met_step_adds_exactly(s, (met_dtype)tree->precision, x, y);
    bool never = moves && (s->nodes.at[x].never || s->nodes.at[y].never);
    if (!exact) {
        x = met_step_settled(s, x);
        y = met_step_settled(s, y);
    }
    attributes = exact ? tree->mode == MET_RD : attributes | (zero && !moves ? MET_STEP_AND_ZERO : 0);
    uint32_t children[] = {x < y ? x : y, x < y ? y : x};
    uint32_t sum = met_step_node(s, exact ? STEP_EXACT_PAIR : STEP_ADD, attributes, never, 2, children);
    return zero && moves && !never ? met_step_node(s, STEP_ADD_ZERO, 0, true, 1, &sum) : sum;
}

uint32_t met_step_fused(met_steps *s, const met_tree *tree, uint32_t leaf, uint32_t acc)
{
    if (s->operands.sum || met_steps_fit(s, (met_dtype)tree->precision)) {
        return met_step_add(s, tree, met_step_product(s, tree, leaf), acc);
    }
    return met_step_node(s, STEP_FUSED, arithmetic(s, tree), false, 2, (uint32_t[]){leaf, met_step_settled(s, acc)});
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
    if (s->lowest >= met_step_range((met_dtype)tree->precision).lowest && flush_of(arithmetic(s, tree)) == 0) {
        return met_step_positive(s, tree, met_step_product(s, tree, leaf)); /* no product but 0 becomes a zero */
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

/* Twice as many bits and two more round as none do (Figueroa, "When is double rounding innocuous?", 1995); where the operands
 * have no more bits than the store, what is lost lies below a quarter of its gap, so that any direction comes to the same but
 * for the sign of zero. What is subnormal once stored is exact, or what is lost is far smaller than a multiple of the gap it is added
 * to; and what overflows is an infinity. */
static bool adds_few(const met_steps *s, const met_tree *tree, uint32_t x)
{
    const met_step *node = &s->nodes.at[x];
    int to = met_step_range((met_dtype)tree->store).bits, from = met_step_range((met_dtype)tree->precision).bits;
    int tiny = ilogb(met_dtype_limits((met_dtype)tree->store).min_normal) - 1, grid = met_step_range((met_dtype)tree->store).lowest;
    bool few = node->count == 2 && met_step_bits(s, child_of(s, x, 0)) <= to && met_step_bits(s, child_of(s, x, 1)) <= to;
    int low = few ? s->nodes.at[child_of(s, x, 0)].low : 0, other = few ? s->nodes.at[child_of(s, x, 1)].low : 0;
    bool exact = (low >= grid || other > tiny - MET_STEP_F32) && (other >= grid || low > tiny - MET_STEP_F32);
    return few && exact && from >= 2 * to + 2 && tree->mode != MET_RD && flush_of(node->attributes) == 0;
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
        return node->attributes != MET_F64 || met_step_holds(MET_F32, node);
    case STEP_ADD_ZERO:
        return met_step_in_f32(s, child_of(s, at, 0));
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
    if (met_step_is(s, x, STEP_ADD_ZERO) && met_step_is(s, child_of(s, x, 0), STEP_LEAF)) {
        return met_step_fused_zero(s, &plain, child_of(s, x, 0));
    }
    if ((met_step_is(s, x, STEP_ADD) && s->bits <= MET_STEP_F32) || is_exact_pair(s, x)) {
        uint32_t one = child_of(s, x, 0), other = child_of(s, x, 1);
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
        return few ? met_step_add(s, &plain, child_of(s, x, 0), child_of(s, x, 1)) : before_store(s, tree, x);
    }
    bool sum = is_exact_pair(s, inner) || met_step_is(s, inner, STEP_ADD);
    return sum && adds_few(s, tree, inner) ? met_step_positive(s, &plain, stored_step(s, tree, inner)) : x;
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
        x = met_step_node(s, STEP_ADD_ZERO, 0, true, 1, (uint32_t[]){child_of(s, x, 0)}); /* what is tiny becomes a zero anyway */
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
