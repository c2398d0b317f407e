/* Products and additions of the normal form, each made simple as it is made. */
#include "number/steps_parts.h"

/* --- What the terms are like --- */

/* Every term is a number of the dtype. */
bool met_steps_fit(const met_steps *s, met_dtype dtype)
{
    met_step_limits of = met_step_range(dtype);
    return s->bits <= of.bits && s->lowest >= of.lowest && s->highest <= of.highest;
}

bool met_steps_stay_normal(const met_steps *s, const met_tree *tree)
{
    return tree->precision == MET_F64 ? met_steps_fit(s, MET_F64) : met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL;
}

/* The arithmetic of an operation: precision, mode, and flushing where there is something to flush. */
static uint32_t arithmetic(const met_steps *s, const met_tree *tree)
{
    uint32_t flush = met_steps_stay_normal(s, tree) ? MET_FLUSH_NONE : tree->flush;
    return (uint32_t)tree->precision << 8 | (uint32_t)tree->mode << 4 | flush;
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
    uint32_t flush = met_step_flush(arithmetic(s, tree));
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
    *x = is ? met_step_child(s, *x, 0) : *x;
    return is;
}

/* The same where subnormal operands are zeros. */
static bool take_flushed_zero(const met_steps *s, uint32_t *x)
{
    bool is = met_step_is(s, *x, STEP_ADD_ZERO) && s->nodes.at[*x].attributes == MET_FLUSH_BOTH;
    *x = is ? met_step_child(s, *x, 0) : *x;
    return is;
}

/* Nothing that stands there is subnormal: it has been flushed. */
bool met_step_is_flushed(const met_steps *s, uint32_t x)
{
    const met_step *node = &s->nodes.at[x];
    bool op = node->kind == STEP_PRODUCT || node->kind == STEP_FUSED || node->kind == STEP_FUSED_ZERO || node->kind == STEP_ADD;
    return (op && met_step_flush(node->attributes) & MET_FLUSH_OUTPUT) || (node->kind == STEP_ADD_ZERO && node->attributes == MET_FLUSH_BOTH) ||
           node->low >= MET_STEP_NORMAL;
}

/* What an addition makes of an operand that it flushes: a sum in f32 that is tiny is exact, so that flushing it as a result or as
 * an operand is one. */
uint32_t met_step_flush_sum(met_steps *s, uint32_t x)
{
    met_step node = s->nodes.at[x];
    bool sum = node.kind == STEP_ADD && !met_step_is_flushed(s, x) && (node.attributes >> 4 & 15) == MET_RNE &&
               (node.attributes >> 8 & 255) == MET_F32;
    uint32_t children[] = {sum ? met_step_child(s, x, 0) : 0, sum ? met_step_child(s, x, 1) : 0};
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
    if (met_step_flush(attributes)) { /* +0 shows if both are zeros, whichever it was added to */
        zero = take_flushed_zero(s, &x);
        zero = take_flushed_zero(s, &y) || zero;
        attributes = flush_operands(s, attributes, &x, &y);
    }
    if (zero && met_step_flush(attributes) == MET_FLUSH_INPUT) { /* nothing is flushed but what is added to +0 */
        x = met_step_is_flushed(s, x) ? x : met_step_node(s, STEP_ADD_ZERO, MET_FLUSH_BOTH, true, 1, &x);
        y = met_step_is_flushed(s, y) ? y : met_step_node(s, STEP_ADD_ZERO, MET_FLUSH_BOTH, true, 1, &y);
        attributes &= ~(uint32_t)MET_FLUSH_INPUT;
    }
    bool flushes = met_step_flush(attributes) != 0, moves = !flushes && tree->mode != MET_RD;
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
    if (s->lowest >= met_step_range((met_dtype)tree->precision).lowest && met_step_flush(arithmetic(s, tree)) == 0) {
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
