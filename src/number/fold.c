/* Folds of number/tree.h: one step of arithmetic, and the walk over levels. */
#include "number/tree.h"

#include <assert.h>

#include "number/dot_pair.h"

double met_monoid_unit(met_monoid monoid)
{
    static const double units[] = {
        [MET_MONOID_ADD] = 0,
        [MET_MONOID_MUL] = 1,
        [MET_MONOID_MAX] = -INFINITY,
        [MET_MONOID_MIN] = INFINITY,
        [MET_MONOID_OR] = 0,
    };
    return units[monoid];
}

bool met_monoid_is_exact(met_monoid monoid)
{
    return monoid == MET_MONOID_MAX || monoid == MET_MONOID_MIN || monoid == MET_MONOID_OR;
}

/* The f32 result in a directed mode, from the real result rounded to odd. An exact zero is −0 when rounding down,
 * unless its sign is to be kept. */
static double round_directed(double odd, met_rounding mode, bool keep_zero)
{
    if (odd == 0 && mode == MET_RD && !keep_zero) {
        return -0.0;
    }
    return met_decode(MET_F32, met_encode(MET_F32, odd, mode, MET_OVERFLOW_INF));
}

static bool is_positive_zero(double value)
{
    return value == 0 && !signbit(value);
}

/* One rounded operation in the precision and mode of the record. */
static double arithmetic(const met_tree *tree, met_monoid monoid, double a, double b)
{
    bool rounds = monoid == MET_MONOID_ADD || monoid == MET_MONOID_MUL;
    if (tree->precision == MET_F64 || !rounds) {
        return met_monoid_step(monoid, a, b);
    }
    if (tree->mode != MET_RNE) {
        /* The product of two f32 values is exact in f64; a zero one keeps its sign in every mode. */
        bool sum = monoid == MET_MONOID_ADD;
        bool keep_zero = !sum || (is_positive_zero(a) && is_positive_zero(b));
        return round_directed(sum ? met_odd_add(a, b) : a * b, (met_rounding)tree->mode, keep_zero);
    }
    return (double)(monoid == MET_MONOID_ADD ? (float)a + (float)b : (float)a * (float)b);
}

static double stored(const met_tree *tree, double value)
{
    return tree->store == tree->precision ? value : met_round((met_dtype)tree->store, value);
}

static double leaf(const met_tree *tree, double value)
{
    return tree->precision == MET_F32 ? (double)(float)value : value;
}

double met_tree_step(const met_tree *tree, met_monoid monoid, double a, double b)
{
    return stored(tree, arithmetic(tree, monoid, leaf(tree, a), leaf(tree, b)));
}

double met_tree_fma(const met_tree *tree, double a, double b, double acc)
{
    if (tree->precision == MET_F64) {
        return stored(tree, fma(a, b, acc));
    }
    if (tree->mode == MET_RNE) {
        return stored(tree, (double)fmaf((float)a, (float)b, (float)acc));
    }
    double product = leaf(tree, a) * leaf(tree, b);
    double odd = met_odd_add(product, leaf(tree, acc));
    bool keep_zero = is_positive_zero(product) && is_positive_zero(acc);
    return stored(tree, round_directed(odd, (met_rounding)tree->mode, keep_zero));
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static met_tree_order innermost_order(const met_tree *tree)
{
    return (met_tree_order)(tree->level_count ? tree->levels[0].order : tree->combine);
}

static int fast_kind(const met_tree *tree, met_monoid monoid)
{
    bool plain = tree->level_count == 0 && tree->combine == MET_ORDER_SEQUENTIAL && monoid == MET_MONOID_ADD &&
                 tree->start == MET_START_ZERO && tree->contraction == MET_CONTRACT_FMA &&
                 tree->store == tree->precision && tree->mode == MET_RNE && tree->node == MET_NODE_ADD;
    return !plain ? 0 : tree->precision == MET_F64 ? 1 : 2;
}

met_fold *met_fold_new(met_arena *arena, const met_tree *tree, met_monoid monoid, uint64_t n)
{
    assert(met_tree_valid(tree) && monoid != MET_MONOID_NONE);
    met_fold *fold = MET_NEW(arena, met_fold);
    fold->tree = *tree;
    fold->monoid = monoid;
    fold->n = n;
    if (monoid != MET_MONOID_ADD) {
        fold->tree.node = MET_NODE_ADD;
    }
    if (met_monoid_is_exact(monoid)) { /* any tree gives these bits */
        fold->tree.level_count = 0;
        fold->tree.combine = MET_ORDER_SEQUENTIAL;
        fold->tree.start = MET_START_ZERO;
    }
    fold->fast = fast_kind(&fold->tree, monoid);
    fold->keep = innermost_order(&fold->tree) != MET_ORDER_SEQUENTIAL;
    fold->slots = fold->keep ? n : 1;
    if (!fold->keep && fold->tree.level_count) {
        const met_tree_level *level = &fold->tree.levels[0];
        fold->chunk = level->layout == MET_LAYOUT_CONTIGUOUS && n ? ceil_div(n, level->width) : 0;
        fold->slots = fold->chunk ? ceil_div(n, fold->chunk) : level->width < n ? level->width : n;
    }
    fold->value = MET_NEW_ARRAY(arena, double, (size_t)fold->slots);
    fold->live = MET_NEW_ARRAY(arena, bool, (size_t)fold->slots);
    met_fold_begin(fold);
    return fold;
}

void met_fold_begin(met_fold *fold)
{
    fold->acc = 0;
    fold->acc32 = 0;
    if (!fold->fast) {
        for (uint64_t i = 0; i < fold->slots; i++) {
            fold->live[i] = false;
        }
    }
}

static uint64_t slot_of(const met_fold *fold, uint64_t index)
{
    assert(index < fold->n);
    if (fold->keep) {
        return index;
    }
    return fold->chunk ? index / fold->chunk : fold->slots == 1 ? 0 : index % fold->slots;
}

/* Adds the pair that waits. A term of it that took no part is a zero, as kernels that pad their rows have it. */
static void take_pair(met_fold *fold)
{
    if (fold->pair != UINT64_MAX) {
        fold->acc32 = met_dot_pair(fold->acc32, fold->pair_a, fold->pair_b);
        fold->pair = UINT64_MAX;
    }
}

static void push_pair(met_fold *fold, uint64_t index, float a, float b)
{
    if (fold->pair != index / 2) {
        take_pair(fold);
        fold->pair = index / 2;
        fold->pair_a[0] = fold->pair_a[1] = fold->pair_b[0] = fold->pair_b[1] = 0;
    }
    fold->pair_a[index % 2] = a;
    fold->pair_b[index % 2] = b;
}

void met_fold_push_general(met_fold *fold, uint64_t index, double value)
{
    const met_tree *tree = &fold->tree;
    if (tree->node == MET_NODE_PAIRS) {
        push_pair(fold, index, (float)value, 1);
        return;
    }
    uint64_t slot = slot_of(fold, index);
    double *acc = &fold->value[slot];
    value = leaf(tree, value);
    if (fold->keep) {
        *acc = value;
    } else if (fold->live[slot]) {
        *acc = stored(tree, arithmetic(tree, fold->monoid, *acc, value));
    } else if (tree->start == MET_START_ZERO) {
        *acc = stored(tree, arithmetic(tree, fold->monoid, met_monoid_unit(fold->monoid), value));
    } else {
        *acc = stored(tree, value);
    }
    fold->live[slot] = true;
}

void met_fold_push_product_general(met_fold *fold, uint64_t index, double a, double b)
{
    const met_tree *tree = &fold->tree;
    if (tree->node == MET_NODE_PAIRS) {
        push_pair(fold, index, (float)a, (float)b);
        return;
    }
    uint64_t slot = slot_of(fold, index);
    bool fused = !fold->keep && fold->monoid == MET_MONOID_ADD && tree->contraction == MET_CONTRACT_FMA;
    if (!fused || (!fold->live[slot] && tree->start == MET_START_FIRST)) {
        met_fold_push_general(fold, index, arithmetic(tree, MET_MONOID_MUL, leaf(tree, a), leaf(tree, b)));
        return;
    }
    fold->value[slot] = met_tree_fma(tree, a, b, fold->live[slot] ? fold->value[slot] : 0);
    fold->live[slot] = true;
}

/* Folds the term at `from` into the one at `to`. */
static void join(void *context, uint64_t to, uint64_t from)
{
    met_fold *fold = context;
    if (fold->live[to] && fold->live[from]) {
        double sum = arithmetic(&fold->tree, fold->monoid, fold->value[to], fold->value[from]);
        fold->value[to] = stored(&fold->tree, sum);
    } else if (fold->live[from]) {
        fold->value[to] = fold->value[from];
        fold->live[to] = true;
    }
}

/* Terms at base, base + step, … */
typedef struct run_of_terms {
    uint64_t base;
    uint64_t step;
    uint64_t count;
} run_of_terms;

static void walk_sequential(run_of_terms terms, met_join_fn fn, void *context)
{
    for (uint64_t i = 1; i < terms.count; i++) {
        fn(context, terms.base, terms.base + i * terms.step);
    }
}

static void walk_adjacent(run_of_terms terms, met_join_fn fn, void *context)
{
    for (uint64_t apart = 1; apart < terms.count; apart *= 2) {
        for (uint64_t i = 0; i + apart < terms.count; i += 2 * apart) {
            fn(context, terms.base + i * terms.step, terms.base + (i + apart) * terms.step);
        }
    }
}

static void walk_halves(run_of_terms terms, met_join_fn fn, void *context)
{
    uint64_t apart = 1;
    while (apart * 2 < terms.count) {
        apart *= 2;
    }
    for (; apart > 0; apart /= 2) {
        for (uint64_t i = 0; i < apart && i + apart < terms.count; i++) {
            fn(context, terms.base + i * terms.step, terms.base + (i + apart) * terms.step);
        }
    }
}

static void walk_order(uint8_t order, run_of_terms terms, met_join_fn fn, void *context)
{
    static void (*const walks[])(run_of_terms, met_join_fn, void *) = {
        [MET_ORDER_SEQUENTIAL] = walk_sequential,
        [MET_ORDER_PAIRWISE] = walk_halves,
        [MET_ORDER_BUTTERFLY] = walk_halves,
        [MET_ORDER_ADJACENT] = walk_adjacent,
    };
    walks[order](terms, fn, context);
}

/* Walks one level over the terms, which become its partial results: each where its first term stood. */
static run_of_terms walk_level(const met_tree_level *level, run_of_terms terms, met_join_fn fn, void *context)
{
    uint64_t m = terms.count;
    if (level->layout == MET_LAYOUT_STRIDED) {
        uint64_t width = level->width < m ? level->width : m;
        for (uint64_t part = 0; part < width; part++) {
            run_of_terms of_part = {part * terms.step, width * terms.step, ceil_div(m - part, width)};
            walk_order(level->order, of_part, fn, context);
        }
        return (run_of_terms){0, terms.step, width};
    }
    uint64_t chunk = ceil_div(m, level->width);
    uint64_t parts = ceil_div(m, chunk);
    for (uint64_t part = 0; part < parts; part++) {
        uint64_t first = part * chunk;
        run_of_terms of_part = {first * terms.step, terms.step, m - first < chunk ? m - first : chunk};
        walk_order(level->order, of_part, fn, context);
    }
    return (run_of_terms){0, chunk * terms.step, parts};
}

static void walk_from(const met_tree *tree, int level, uint64_t m, met_join_fn fn, void *context)
{
    run_of_terms terms = {0, 1, m};
    if (m == 0) {
        return;
    }
    for (; level < tree->level_count; level++) {
        terms = walk_level(&tree->levels[level], terms, fn, context);
    }
    walk_order(tree->combine, terms, fn, context);
}

void met_tree_walk(const met_tree *tree, uint64_t n, met_join_fn fn, void *context)
{
    walk_from(tree, 0, n, fn, context);
}

double met_fold_end(met_fold *fold)
{
    if (fold->fast) {
        return fold->fast == 1 ? fold->acc : (double)fold->acc32;
    }
    if (fold->tree.node == MET_NODE_PAIRS) {
        take_pair(fold);
        return (double)fold->acc32;
    }
    walk_from(&fold->tree, fold->keep ? 0 : 1, fold->slots, join, fold);
    return fold->slots > 0 && fold->live[0] ? fold->value[0] : met_monoid_unit(fold->monoid);
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
