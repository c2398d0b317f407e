#include "number/fold.h"

#include <assert.h>

#include "number/dot_pair.h"

static int fast_kind(const met_tree *tree, met_monoid monoid)
{
    met_tree plain = met_tree_sequential((met_dtype)tree->precision);
    plain.rescale = tree->rescale;
    plain.slice = tree->slice;
    plain.undeclared = tree->undeclared;
    return monoid != MET_MONOID_ADD || !met_tree_equal(tree, &plain) ? 0 : tree->precision == MET_F64 ? 1 : 2;
}

/* What the monoid makes of the record. */
static met_tree tree_for(met_tree tree, met_monoid monoid)
{
    if (monoid != MET_MONOID_ADD) {
        tree.node = MET_NODE_ADD;
    }
    if (met_monoid_is_exact(monoid)) { /* any tree gives these bits */
        tree.level_count = 0;
        tree.combine = MET_ORDER_SEQUENTIAL;
        tree.start = MET_START_ZERO;
        tree.tail_count = 0;
        tree.combine_f64 = false;
        tree.written = NULL;
    }
    return tree;
}

/* Working memory of the partial results. */
static void make_slots(met_arena *arena, met_fold *fold)
{
    const met_tree *tree = &fold->tree;
    uint64_t body = met_tree_body(tree, fold->n);
    fold->keep = met_tree_innermost(tree) != MET_ORDER_SEQUENTIAL;
    fold->slots = fold->keep ? body : tree->level_count && body ? met_tree_part_count(tree, fold->n) : 1;
    if (!fold->keep && tree->level_count && tree->levels[0].layout == MET_LAYOUT_CONTIGUOUS && body) {
        fold->chunk = met_tree_part(tree, fold->n, 0).count;
    }
    fold->room = fold->slots > 0 ? fold->slots : 1;
    for (int tail = 0; tail < tree->tail_count; tail++) {
        met_tree_stage none = {0};
        uint64_t lanes = met_tree_stage_deal(tree, &none, tail, met_tree_tail_terms(tree, fold->n, tail).count);
        fold->room = lanes > fold->room ? lanes : fold->room;
    }
    fold->value = MET_NEW_ARRAY(arena, double, 2 * (size_t)fold->room);
    fold->live = MET_NEW_ARRAY(arena, bool, 2 * (size_t)fold->room);
    fold->group = tree->node == MET_NODE_PAIRS ? 2 : tree->node == MET_NODE_MATRIX ? tree->unit.width : 0;
    if (fold->group) {
        fold->open = MET_NEW_ARRAY(arena, uint64_t, (size_t)fold->slots);
        fold->group_a = MET_NEW_ARRAY(arena, double, (size_t)(fold->slots * fold->group));
        fold->group_b = MET_NEW_ARRAY(arena, double, (size_t)(fold->slots * fold->group));
    }
}

met_fold *met_fold_new(met_arena *arena, const met_tree *tree, met_monoid monoid, uint64_t n)
{
    assert(met_tree_valid(tree) && met_tree_fits(tree, n) && monoid != MET_MONOID_NONE);
    met_fold *fold = MET_NEW(arena, met_fold);
    fold->tree = tree_for(*tree, monoid);
    fold->meeting = met_tree_meeting(&fold->tree);
    fold->monoid = monoid;
    fold->n = n;
    fold->fast = fast_kind(&fold->tree, monoid);
    if (fold->tree.written) {
        fold->written = met_written_new(arena, &fold->tree, monoid);
    } else if (!fold->fast) {
        make_slots(arena, fold);
    }
    met_fold_begin(fold);
    return fold;
}

void met_fold_begin(met_fold *fold)
{
    fold->acc = 0;
    fold->acc32 = 0;
    if (fold->fast) {
        return;
    }
    if (fold->written) {
        met_written_begin(fold->written);
        return;
    }
    fold->tail = -1;
    fold->begin = 0;
    fold->end = met_tree_body(&fold->tree, fold->n);
    fold->stage = met_tree_stage_begin(&fold->tree, fold->n, fold->keep);
    for (uint64_t i = 0; i < 2 * fold->room; i++) {
        fold->live[i] = false;
    }
    for (uint64_t i = 0; fold->group && i < fold->slots; i++) {
        fold->open[i] = UINT64_MAX;
    }
}

static bool in_tail(const met_fold *fold)
{
    return fold->tail >= 0;
}

static bool is_apart(const met_fold *fold)
{
    return fold->tree.tails[fold->tail].rule == MET_TAIL_APART;
}

static uint64_t slot_of(const met_fold *fold, uint64_t index)
{
    assert(index < fold->n);
    if (in_tail(fold)) {
        return (is_apart(fold) ? fold->room : 0) + (index - fold->begin) % fold->lanes;
    }
    if (fold->keep) {
        return index;
    }
    return fold->chunk ? index / fold->chunk : fold->slots == 1 ? 0 : index % fold->slots;
}

/* --- Nodes that take terms in groups --- */

static void close_group(met_fold *fold, uint64_t slot)
{
    const double *a = fold->group_a + slot * fold->group, *b = fold->group_b + slot * fold->group;
    float acc = fold->live[slot] ? (float)fold->value[slot] : 0;
    if (fold->open[slot] == UINT64_MAX) {
        return;
    }
    if (fold->tree.node == MET_NODE_PAIRS) {
        acc = met_dot_pair(acc, (float[]){(float)a[0], (float)a[1]}, (float[]){(float)b[0], (float)b[1]});
    } else {
        acc = met_matrix_node(&fold->tree.unit, fold->group, a, b, acc);
    }
    fold->value[slot] = (double)acc;
    fold->live[slot] = true;
    fold->open[slot] = UINT64_MAX;
}

static void push_grouped(met_fold *fold, uint64_t index, double a, double b)
{
    uint64_t slot = slot_of(fold, index);
    uint64_t rank = fold->chunk ? index % fold->chunk : index / fold->slots;
    double *group_a = fold->group_a + slot * fold->group, *group_b = fold->group_b + slot * fold->group;
    if (fold->open[slot] != rank / fold->group) {
        close_group(fold, slot);
        fold->open[slot] = rank / fold->group;
        for (uint64_t i = 0; i < fold->group; i++) {
            group_a[i] = group_b[i] = 0;
        }
    }
    group_a[rank % fold->group] = met_tree_leaf(&fold->tree, a);
    group_b[rank % fold->group] = met_tree_leaf(&fold->tree, b);
}

/* --- Terms --- */

/* The arithmetic of what is pushed. */
static const met_tree *arithmetic_at_hand(const met_fold *fold)
{
    return in_tail(fold) ? &fold->dealing : fold->tree.level_count == 0 && !fold->keep ? &fold->meeting : &fold->tree;
}

/* Folds the partial result at `from` into the one at `to`. */
static void join_in(met_fold *fold, const met_tree *arithmetic, uint64_t to, uint64_t from)
{
    if (fold->live[to] && fold->live[from]) {
        fold->value[to] = met_tree_step(arithmetic, fold->monoid, fold->value[to], fold->value[from]);
    } else if (fold->live[from]) {
        fold->value[to] = fold->value[from];
        fold->live[to] = true;
    }
}

static void join(void *context, uint64_t to, uint64_t from)
{
    met_fold *fold = context;
    join_in(fold, &fold->tree, to, from);
}

static void meet(void *context, uint64_t to, uint64_t from)
{
    met_fold *fold = context;
    join_in(fold, &fold->meeting, to, from);
}

static void end_terms(met_fold *fold)
{
    for (uint64_t i = 0; !in_tail(fold) && fold->group && i < fold->slots; i++) {
        close_group(fold, i);
    }
    for (uint64_t lane = 0; in_tail(fold) && is_apart(fold) && lane < fold->lanes; lane++) {
        join_in(fold, &fold->dealing, lane, fold->room + lane);
        fold->live[fold->room + lane] = false;
    }
}

/* The next tail, or, after the last, the end, which leaves the whole at slot 0. */
static void go_on(met_fold *fold)
{
    const met_tree *tree = &fold->tree;
    end_terms(fold);
    met_tree_stage_to(tree, &fold->stage, ++fold->tail, join, meet, fold);
    if (fold->tail < tree->tail_count) {
        met_terms terms = met_tree_tail_terms(tree, fold->n, fold->tail);
        fold->dealing = met_tree_tail_arithmetic(tree, fold->tail);
        fold->lanes = met_tree_stage_deal(tree, &fold->stage, fold->tail, terms.count);
        fold->begin = terms.base;
        fold->end = terms.base + terms.count;
    }
}

static void go_to(met_fold *fold, uint64_t index)
{
    while (index >= fold->end && fold->tail < fold->tree.tail_count) {
        go_on(fold);
    }
}

void met_fold_push_general(met_fold *fold, uint64_t index, double value)
{
    const met_tree *tree = &fold->tree;
    if (fold->written) {
        met_written_push(fold->written, index, value, 1, false);
        return;
    }
    go_to(fold, index);
    if (fold->group && !in_tail(fold)) {
        push_grouped(fold, index, value, 1);
        return;
    }
    uint64_t slot = slot_of(fold, index);
    const met_tree *arithmetic = arithmetic_at_hand(fold);
    double *acc = &fold->value[slot];
    value = met_tree_leaf(tree, value);
    if (fold->keep && !in_tail(fold)) {
        *acc = value;
    } else if (fold->live[slot]) {
        *acc = met_tree_step(arithmetic, fold->monoid, *acc, value);
    } else {
        *acc = met_tree_first(arithmetic, fold->monoid, value);
    }
    fold->live[slot] = true;
}

void met_fold_push_product_general(met_fold *fold, uint64_t index, double a, double b)
{
    const met_tree *tree = &fold->tree;
    if (fold->written) {
        met_written_push(fold->written, index, a, b, true);
        return;
    }
    go_to(fold, index);
    if (fold->group && !in_tail(fold)) {
        push_grouped(fold, index, a, b);
        return;
    }
    uint64_t slot = slot_of(fold, index);
    const met_tree *arithmetic = arithmetic_at_hand(fold);
    bool fused = (in_tail(fold) || !fold->keep) && fold->monoid == MET_MONOID_ADD && arithmetic->contraction == MET_CONTRACT_FMA;
    if (!fused || (!fold->live[slot] && tree->start == MET_START_FIRST)) {
        met_fold_push_general(fold, index, met_tree_product(tree, a, b));
        return;
    }
    fold->value[slot] = met_tree_fma(arithmetic, a, b, fold->live[slot] ? fold->value[slot] : 0);
    fold->live[slot] = true;
}

void met_fold_scale(met_fold *fold, double factor)
{
    const met_tree *tree = &fold->tree;
    factor = met_tree_leaf(tree, factor);
    if (fold->fast) {
        fold->acc *= factor;
        fold->acc32 *= (float)factor;
        return;
    }
    if (fold->written) {
        met_written_scale(fold->written, factor);
        return;
    }
    for (uint64_t i = 0; !in_tail(fold) && fold->group && i < fold->slots; i++) {
        close_group(fold, i);
    }
    for (uint64_t i = 0; i < 2 * fold->room; i++) {
        if (fold->live[i]) {
            fold->value[i] = met_tree_step(arithmetic_at_hand(fold), MET_MONOID_MUL, fold->value[i], factor);
        }
    }
}

static bool end_slots(met_fold *fold)
{
    while (fold->tail < fold->tree.tail_count) {
        go_on(fold);
    }
    return fold->live[0];
}

double met_fold_end(met_fold *fold)
{
    double result = 0;
    if (fold->fast) {
        return fold->fast == 1 ? fold->acc : (double)fold->acc32;
    }
    bool any = fold->written ? met_written_end(fold->written, &result) : end_slots(fold);
    result = !any ? met_monoid_unit(fold->monoid) : fold->written ? result : fold->value[0];
    return fold->tree.combine_f64 ? met_tree_leaf(&fold->tree, result) : result;
}

double met_tree_run(met_arena *scratch, const met_tree *tree, met_monoid monoid, uint64_t n, const double *leaves)
{
    met_fold *fold = met_fold_new(scratch, tree, monoid, n);
    for (uint64_t i = 0; i < n; i++) {
        met_fold_push(fold, i, leaves[i]);
    }
    return met_fold_end(fold);
}

double met_tree_dot(met_arena *scratch, const met_tree *tree, uint64_t n, const double *a, const double *b)
{
    met_fold *fold = met_fold_new(scratch, tree, MET_MONOID_ADD, n);
    for (uint64_t i = 0; i < n; i++) {
        met_fold_push_product(fold, i, a[i], b[i]);
    }
    return met_fold_end(fold);
}
