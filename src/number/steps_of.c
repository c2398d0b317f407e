/* The normal form of records: their folds (number/fold.h), with steps in place of numbers. */
#include "number/steps_parts.h"

#define NOTHING UINT32_MAX

typedef struct walk {
    met_steps *s;
    const met_tree *tree;
    uint32_t *at; /* by partial result or term */
    met_tree meeting; /* the arithmetic of the combine */
} walk;

static uint32_t joined(const walk *w, const met_tree *arithmetic, uint32_t x, uint32_t y)
{
    return x == NOTHING ? y : y == NOTHING ? x : met_step_store(w->s, arithmetic, met_step_add(w->s, arithmetic, x, y));
}

static void join(void *context, uint64_t to, uint64_t from)
{
    walk *w = context;
    w->at[to] = joined(w, w->tree, w->at[to], w->at[from]);
}

static void meet(void *context, uint64_t to, uint64_t from)
{
    walk *w = context;
    w->at[to] = joined(w, &w->meeting, w->at[to], w->at[from]);
}

/* A term as an arithmetic takes it: what meets in f64 is rounded before. */
static uint32_t taken(const walk *w, const met_tree *arithmetic, uint32_t leaf)
{
    return arithmetic->precision == w->tree->precision ? leaf : met_step_product(w->s, w->tree, leaf);
}

static uint32_t first(const walk *w, const met_tree *arithmetic, uint32_t leaf, bool stored)
{
    return met_step_first(w->s, arithmetic, taken(w, arithmetic, leaf), stored);
}

/* One more term onto an accumulator, as in a sequential level. */
static uint32_t pushed(const walk *w, const met_tree *arithmetic, uint32_t acc, uint32_t leaf)
{
    if (acc == NOTHING) {
        return first(w, arithmetic, leaf, true);
    }
    leaf = taken(w, arithmetic, leaf);
    uint32_t sum = arithmetic->contraction == MET_CONTRACT_FMA
                       ? met_step_fused(w->s, arithmetic, leaf, acc)
                       : met_step_add(w->s, arithmetic, acc, met_step_product(w->s, arithmetic, leaf));
    return met_step_store(w->s, arithmetic, sum);
}

/* --- Levels --- */

static uint32_t part_groups(const walk *w, met_terms terms)
{
    uint32_t acc = NOTHING, width = w->tree->unit.width;
    for (uint64_t i = 0; i < terms.count; i += width) {
        uint32_t leaves[MET_MATRIX_WIDTH], count = 0;
        for (uint64_t k = i; k < terms.count && k < i + width; k++) {
            leaves[count++] = (uint32_t)(terms.base + k * terms.step);
        }
        acc = met_step_unit(w->s, &w->tree->unit, count, leaves, acc != NOTHING, &acc, count < width);
    }
    return acc;
}

/* The second of each pair first; of one without a partner, a zero is. */
static uint32_t part_pairs(const walk *w, met_terms terms)
{
    met_tree plain = met_tree_sequential(MET_F32);
    plain.flush = MET_FLUSH_BOTH;
    walk pairs = {w->s, &plain, NULL, plain};
    uint32_t acc = NOTHING;
    for (uint64_t i = 0; i < terms.count; i += 2) {
        uint32_t low = (uint32_t)(terms.base + i * terms.step), high = (uint32_t)(terms.base + (i + 1) * terms.step);
        bool lone = i + 1 == terms.count;
        acc = !lone ? pushed(&pairs, &plain, acc, high) : acc == NOTHING ? acc : met_step_positive(w->s, &plain, acc);
        acc = pushed(&pairs, &plain, acc, low);
    }
    return acc;
}

/* The record without levels has the combine alone. */
static uint32_t part_chain(const walk *w, met_terms terms)
{
    const met_tree *arithmetic = w->tree->level_count ? w->tree : &w->meeting;
    uint32_t acc = NOTHING;
    for (uint64_t i = 0; i < terms.count; i++) {
        acc = pushed(w, arithmetic, acc, (uint32_t)(terms.base + i * terms.step));
    }
    return acc;
}

static void body_of(walk *w, uint64_t n)
{
    const met_tree *tree = w->tree;
    bool in_order = met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL;
    uint64_t body = met_tree_body(tree, n), parts = met_tree_part_count(tree, n);
    w->at = MET_NEW_ARRAY(w->s->arena, uint32_t, n);
    for (uint64_t i = 0; i < (in_order ? parts : body); i++) {
        w->at[i] = !in_order                       ? met_step_product(w->s, tree, (uint32_t)i)
                   : tree->node == MET_NODE_MATRIX ? part_groups(w, met_tree_part(tree, n, i))
                   : tree->node == MET_NODE_PAIRS  ? part_pairs(w, met_tree_part(tree, n, i))
                                                   : part_chain(w, met_tree_part(tree, n, i));
    }
}

static void tail_of(walk *w, met_tree_stage *stage, int tail, met_terms terms)
{
    met_tree arithmetic = met_tree_tail_arithmetic(w->tree, tail);
    bool makes = stage->terms.count == 0, apart = w->tree->tails[tail].rule == MET_TAIL_APART;
    uint64_t lanes = met_tree_stage_deal(w->tree, stage, tail, terms.count);
    for (uint64_t lane = 0; lane < lanes; lane++) {
        uint32_t *result = &w->at[stage->terms.base + lane * stage->terms.step], before = makes ? NOTHING : *result;
        uint32_t acc = apart ? NOTHING : before;
        for (uint64_t i = lane; i < terms.count; i += lanes) {
            acc = pushed(w, &arithmetic, acc, (uint32_t)(terms.base + i));
        }
        *result = apart ? joined(w, &arithmetic, before, acc) : acc;
    }
}

static uint32_t levels_of(walk *w, uint64_t n)
{
    const met_tree *tree = w->tree;
    met_tree_stage stage = met_tree_stage_begin(tree, n, met_tree_innermost(tree) != MET_ORDER_SEQUENTIAL);
    body_of(w, n);
    for (int tail = 0; tail < tree->tail_count; tail++) {
        met_tree_stage_to(tree, &stage, tail, join, meet, w);
        tail_of(w, &stage, tail, met_tree_tail_terms(tree, n, tail));
    }
    met_tree_stage_to(tree, &stage, tree->tail_count, join, meet, w);
    return w->at[0];
}

/* --- Written trees (number/fold_written.c) --- */

typedef struct operand {
    uint32_t step;
    bool leaf; /* its product is not taken yet */
} operand;

static uint32_t begun(const walk *w, operand at)
{
    return at.leaf ? first(w, &w->meeting, at.step, false) : at.step;
}

static operand written_pair(const walk *w, operand x, operand y)
{
    bool leaf_first = x.leaf && !y.leaf;
    uint32_t acc = begun(w, leaf_first ? y : x);
    operand term = leaf_first ? x : y;
    return (operand){term.leaf ? pushed(w, &w->meeting, acc, term.step) : joined(w, &w->meeting, acc, term.step), false};
}

static operand written_unit(const walk *w, uint32_t count, const operand *children)
{
    uint32_t *leaves = MET_NEW_ARRAY(w->s->arena, uint32_t, count), *partials = MET_NEW_ARRAY(w->s->arena, uint32_t, count);
    uint32_t leaf_count = 0, partial_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (children[i].leaf) {
            leaves[leaf_count++] = children[i].step;
        } else {
            partials[partial_count++] = children[i].step;
        }
    }
    return (operand){met_step_unit(w->s, &w->tree->unit, leaf_count, leaves, partial_count, partials, false), false};
}

/* A leaf that is alone is a partial result, of a unit as any other; but an accumulator that joins late is no product of it. */
static operand written_leaf(const walk *w, const met_bracketing_node *node)
{
    bool late = w->tree->unit.late && node->leaf == w->tree->written->leaf_count - 1;
    operand leaf = {node->leaf, true};
    met_tree alone = *w->tree;
    alone.contraction = w->meeting.contraction;
    if (!node->alone) {
        return leaf;
    }
    return w->tree->node == MET_NODE_MATRIX && !late ? written_unit(w, 1, &leaf)
                                                     : (operand){first(w, &alone, node->leaf, true), false};
}

static uint32_t written_of(walk *w)
{
    const met_bracketing *shape = w->tree->written;
    operand *done = MET_NEW_ARRAY(w->s->arena, operand, shape->node_count), *children = MET_NEW_ARRAY(w->s->arena, operand, shape->leaf_count);
    bool unit = w->tree->node == MET_NODE_MATRIX;
    for (uint32_t i = 0; i < shape->node_count; i++) {
        const met_bracketing_node *node = &shape->nodes[i];
        bool leaves = false;
        for (uint32_t c = 0; c < node->count; c++) {
            children[c] = done[shape->children[node->first + c]];
            leaves = leaves || children[c].leaf;
        }
        if (node->count == 0) {
            done[i] = written_leaf(w, node);
            continue;
        }
        if (unit && (node->count > 2 || leaves)) {
            done[i] = written_unit(w, node->count, children);
            continue;
        }
        done[i] = children[0];
        for (uint32_t c = 1; c < node->count; c++) {
            done[i] = written_pair(w, done[i], children[c]);
        }
    }
    operand whole = done[shape->node_count - 1];
    return whole.leaf && unit ? written_unit(w, 1, &whole).step : begun(w, whole);
}

/* --- All --- */

/* What the combine in f64 came to is rounded to f32. */
static uint32_t rounded(const walk *w, uint32_t x)
{
    met_tree stores = w->meeting;
    stores.store = MET_F32;
    return w->tree->combine_f64 && !met_step_in_f32(w->s, x) ? met_step_store(w->s, &stores, x) : x;
}

uint32_t met_steps_of(met_steps *steps, const met_tree *tree)
{
    walk w = {steps, tree, NULL, met_tree_meeting(tree)};
    uint32_t whole = rounded(&w, tree->written ? written_of(&w) : levels_of(&w, steps->n));
    return met_step_signs(steps, met_step_settled(steps, whole));
}
