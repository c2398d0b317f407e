/* Records of number/tree.h: the common ones, what is a record, and how deep its tree is. */
#include <string.h>

#include "number/bracketing.h"

const char *met_tree_field_name(met_tree_field field)
{
    static const char *const names[] = {
        [MET_FIELD_NONE] = "",
        [MET_FIELD_AXIS] = "axis",
        [MET_FIELD_LEVELS] = "levels",
        [MET_FIELD_COMBINE] = "combine",
        [MET_FIELD_TAIL] = "tail",
        [MET_FIELD_START] = "start",
        [MET_FIELD_ROUNDING] = "rounding",
        [MET_FIELD_FLUSH] = "flush",
        [MET_FIELD_CONTRACTION] = "contraction",
        [MET_FIELD_MMA] = "mma",
        [MET_FIELD_RESCALE] = "rescale",
    };
    return names[field];
}

met_tree met_tree_sequential(met_dtype precision)
{
    return (met_tree){.precision = (uint8_t)precision, .store = (uint8_t)precision};
}

met_tree met_tree_pairwise(met_dtype precision)
{
    met_tree tree = met_tree_sequential(precision);
    tree.combine = MET_ORDER_PAIRWISE;
    return tree;
}

met_tree met_tree_lanes(met_dtype precision, uint64_t width)
{
    met_tree tree = met_tree_pairwise(precision);
    tree.level_count = 1;
    tree.levels[0] = (met_tree_level){.width = width};
    return tree;
}

met_tree met_tree_meeting(const met_tree *tree)
{
    met_tree meeting = *tree;
    if (tree->combine_f64) {
        meeting.precision = meeting.store = MET_F64;
        meeting.contraction = MET_CONTRACT_MUL_ADD;
        meeting.combine_f64 = false;
    }
    return meeting;
}

met_tree met_tree_tail_arithmetic(const met_tree *tree, int tail)
{
    met_tree arithmetic = tree->tails[tail].onto ? *tree : met_tree_meeting(tree);
    uint8_t own = tree->tails[tail].contraction;
    if (own != MET_TAIL_ALIKE && arithmetic.precision == tree->precision) {
        arithmetic.contraction = own == MET_TAIL_FMA ? MET_CONTRACT_FMA : MET_CONTRACT_MUL_ADD;
    }
    return arithmetic;
}

static bool level_equal(const met_tree_level *a, const met_tree_level *b)
{
    return a->place == b->place && a->layout == b->layout && a->order == b->order && a->per_terms == b->per_terms &&
           a->width == b->width && !a->size == !b->size && (!a->size || met_dim_equal(a->size, b->size));
}

static bool tail_equal(const met_tree_tail *a, const met_tree_tail *b)
{
    return a->rule == b->rule && a->onto == b->onto && a->contraction == b->contraction && a->block == b->block;
}

bool met_tree_equal(const met_tree *a, const met_tree *b)
{
    for (int i = 0; i < a->level_count && i < b->level_count; i++) {
        if (!level_equal(&a->levels[i], &b->levels[i])) {
            return false;
        }
    }
    for (int i = 0; i < a->tail_count && i < b->tail_count; i++) {
        if (!tail_equal(&a->tails[i], &b->tails[i])) {
            return false;
        }
    }
    return strcmp(a->axis, b->axis) == 0 && a->level_count == b->level_count && a->combine == b->combine && a->start == b->start &&
           a->contraction == b->contraction && a->node == b->node && a->precision == b->precision &&
           a->store == b->store && a->combine_f64 == b->combine_f64 && a->mode == b->mode && a->flush == b->flush && a->rescale == b->rescale &&
           a->slice == b->slice && met_matrix_unit_equal(&a->unit, &b->unit) && a->tail_count == b->tail_count &&
           a->undeclared == b->undeclared && met_bracketing_equal(a->written, b->written);
}

met_tree_order met_tree_innermost(const met_tree *tree)
{
    return (met_tree_order)(tree->level_count ? tree->levels[0].order : tree->combine);
}

/* The hardware leaves no choice. */
static const char *node_fault(const met_tree *tree)
{
    bool in_order = tree->written || met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL;
    bool plain = tree->start == MET_START_ZERO && tree->contraction == MET_CONTRACT_FMA && tree->precision == MET_F32 &&
                 tree->store == MET_F32 && tree->mode == MET_RNE && tree->flush == MET_FLUSH_NONE;
    if (tree->node > MET_NODE_MATRIX || (tree->node == MET_NODE_MATRIX && !met_matrix_unit_valid(&tree->unit))) {
        return "a matrix unit of 1 to 64 products, F up to 60, and keep up to 23 with rz alone";
    }
    if (tree->written && tree->node == MET_NODE_PAIRS) {
        return "no pairs in a written tree: their steps are nodes of it, and flush";
    }
    if (tree->written && tree->node == MET_NODE_ADD && !met_bracketing_is_binary(tree->written)) {
        return "a matrix unit, as a node has more than two children";
    }
    if (tree->node != MET_NODE_ADD && tree->combine_f64 && tree->level_count == 0) {
        return "levels, so that the partial results of nodes meet in f64";
    }
    return tree->node == MET_NODE_ADD || (in_order && plain) ? NULL
           : "pairs and matrix with the innermost order sequential and the defaults for start, contraction, rounding and flush";
}

static const char *arithmetic_fault(const met_tree *tree)
{
    bool plain = tree->mode == MET_RNE && tree->flush == MET_FLUSH_NONE;
    if (tree->precision != MET_F32 && tree->precision != MET_F64) {
        return "f32 or f64 arithmetic";
    }
    if (tree->mode > MET_RU || tree->flush > MET_FLUSH_BOTH || (tree->precision == MET_F64 && !plain) ||
        (tree->mode != MET_RNE && tree->flush != MET_FLUSH_NONE)) {
        return "a directed rounding or flushing, not both, in f32";
    }
    if (tree->combine_f64 && (tree->precision != MET_F32 || !plain)) {
        return "a combine in f64 over f32 arithmetic that rounds to nearest and does not flush";
    }
    bool stores = tree->store == MET_F64 || tree->store == MET_F32 || tree->store == MET_BF16 || tree->store == MET_F16;
    return stores ? NULL : "a store in f64, f32, bf16 or f16";
}

/* Strided lanes stand one beside the other, and there are as many whatever the length: a tail finds them. */
static bool has_lanes(const met_tree *tree, uint8_t levels)
{
    bool has = levels <= tree->level_count;
    for (int i = 0; has && i < levels; i++) {
        has = tree->levels[i].layout == MET_LAYOUT_STRIDED && !tree->levels[i].per_terms;
    }
    return has;
}

static const char *tails_fault(const met_tree *tree)
{
    uint64_t block = UINT64_MAX;
    int level = 1;
    bool good = tree->tail_count <= MET_TREE_TAILS;
    for (int i = 0; good && i < tree->tail_count; i++) {
        const met_tree_tail *tail = &tree->tails[i];
        int joins = tail->onto ? tail->onto : MET_TREE_LEVELS + 1;
        if (tail->rule == MET_TAIL_INSIDE || tail->rule > MET_TAIL_APART || tail->contraction > MET_TAIL_MUL_ADD || tail->block == 0) {
            return "tails after or apart, of blocks of at least 1 term";
        }
        if (!has_lanes(tree, tail->onto)) {
            return "a tail onto the combined result, or onto a level that has, as those before it, strided partial results, a number of them";
        }
        good = tail->block < block && joins >= level;
        block = tail->block;
        level = joins;
    }
    return good ? NULL : "up to 4 tails, of blocks that become smaller, each as far out as the one before or further";
}

/* A written tree stands in place of the rules for all lengths. */
static const char *shape_fault(const met_tree *tree)
{
    bool good = tree->level_count <= MET_TREE_LEVELS && tree->combine <= MET_ORDER_EIGHT_LANE_BLOCKS;
    for (int i = 0; good && i < tree->level_count; i++) {
        const met_tree_level *level = &tree->levels[i];
        good = level->width > 0 && level->place <= MET_PLACE_RANK && level->layout <= MET_LAYOUT_CONTIGUOUS &&
               level->order <= MET_ORDER_EIGHT_LANE_BLOCKS;
    }
    if (!good) {
        return "known orders, and widths of at least 1";
    }
    bool lone = tree->level_count == 0 && tree->combine == MET_ORDER_SEQUENTIAL && tree->tail_count == 0;
    return !tree->written || lone ? tails_fault(tree) : "a written tree without levels and tail";
}

const char *met_tree_fault(const met_tree *tree)
{
    const char *fault = shape_fault(tree);
    fault = fault ? fault : arithmetic_fault(tree);
    fault = fault ? fault : node_fault(tree);
    bool known = tree->start <= MET_START_FIRST && tree->contraction <= MET_CONTRACT_MUL_ADD && tree->rescale <= MET_RESCALE_POW2 &&
                 (tree->rescale == MET_RESCALE_FLOAT) == (tree->slice > 0) && tree->undeclared < 1u << MET_TREE_FIELDS;
    return fault || known ? fault : "known fields";
}

bool met_tree_valid(const met_tree *tree)
{
    for (int i = 0; i < tree->level_count && i < MET_TREE_LEVELS; i++) {
        if (tree->levels[i].size) {
            return false;
        }
    }
    return !met_tree_fault(tree);
}

bool met_tree_fits(const met_tree *tree, uint64_t n)
{
    return !tree->written || tree->written->leaf_count == n;
}

uint64_t met_tree_body(const met_tree *tree, uint64_t n)
{
    return tree->tail_count ? n - n % tree->tails[0].block : n;
}

static uint64_t left_half(uint64_t m)
{
    return m / 2 - m / 2 % 8;
}

/* Of 8q terms: halving gives ⌊q/2⌋ and ⌈q/2⌉, and so on, until at most 16 terms are left for each lane. */
static uint64_t whole_lanes_depth(uint64_t q)
{
    uint64_t low = q, high = q, deepest = 0;
    for (uint64_t halvings = 0;; halvings++) {
        bool low_ends = low <= 16;
        if (low_ends && halvings + low + 3 > deepest) {
            deepest = halvings + low + 3;
        }
        if (high <= 16) {
            return halvings + high + 3 > deepest ? halvings + high + 3 : deepest;
        }
        low = (low_ends ? high : low) / 2;
        high = (high + 1) / 2;
    }
}

/* In order below 8; otherwise 8 lanes, 3 additions of them and the rest, or one addition over the deeper half. */
static uint64_t eight_lane_depth(uint64_t m)
{
    uint64_t deepest = 0, halvings = 0;
    for (; m > 128; m -= left_half(m)) {
        uint64_t left = ++halvings + whole_lanes_depth(left_half(m) / 8);
        deepest = left > deepest ? left : deepest;
    }
    uint64_t last = halvings + (m < 8 ? m : m / 8 + 3 + m % 8);
    return last > deepest ? last : deepest;
}

uint64_t met_order_depth(met_tree_order order, uint64_t m)
{
    uint64_t depth = 0;
    if (order == MET_ORDER_SEQUENTIAL || order == MET_ORDER_REVERSE) {
        return m;
    }
    if (order == MET_ORDER_EIGHT_LANE_BLOCKS) {
        return eight_lane_depth(m);
    }
    for (uint64_t rest = m > 0 ? m - 1 : 0; rest > 0; rest /= 2) { /* bits of m - 1 */
        depth++;
    }
    return depth;
}

/* The innermost fold, in which a node of a matrix unit takes several terms at once. */
static uint64_t innermost_depth(const met_tree *tree, met_tree_order order, uint64_t m)
{
    bool grouped = tree->node == MET_NODE_MATRIX && m > 0;
    return grouped ? (m - 1) / tree->unit.width + 1 + tree->unit.late : met_order_depth(order, m);
}

/* Of one level, or, after the last, of the combine, over *m terms; *m becomes the number of results. */
static uint64_t level_depth(const met_tree *tree, int at, uint64_t *m)
{
    uint64_t n = *m;
    if (at == tree->level_count) {
        *m = n > 0;
        return at == 0 ? innermost_depth(tree, (met_tree_order)tree->combine, n) : n > 1 ? met_order_depth((met_tree_order)tree->combine, n) : 0;
    }
    const met_tree_level *level = &tree->levels[at];
    uint64_t width = met_level_width(level, n), each = n ? (n - 1) / width + 1 : 1;
    *m = level->layout == MET_LAYOUT_CONTIGUOUS && n ? (n - 1) / each + 1 : width;
    return at == 0 ? innermost_depth(tree, (met_tree_order)level->order, each) : met_order_depth((met_tree_order)level->order, each);
}

/* With the terms of a tail dealt to `lanes` results. */
static uint64_t tail_depth(const met_tree_tail *tail, uint64_t terms, uint64_t lanes, uint64_t before)
{
    uint64_t chain = lanes ? (terms - 1) / lanes + 1 : 0, deeper = before > chain ? before : chain;
    return before == 0 || chain == 0 ? deeper : tail->rule == MET_TAIL_AFTER ? before + chain : 1 + deeper;
}

uint64_t met_tree_depth(const met_tree *tree, uint64_t n)
{
    if (tree->written) {
        return met_bracketing_height(tree->written);
    }
    met_tree_stage stage = met_tree_stage_begin(tree, n, true);
    uint64_t depth = 0;
    for (int tail = 0;; tail++) {
        int to = tail < tree->tail_count && tree->tails[tail].onto ? tree->tails[tail].onto : tree->level_count + 1;
        for (; stage.level < to; stage.level++) {
            depth += stage.terms.count ? level_depth(tree, stage.level, &stage.terms.count) : 0;
        }
        if (tail == tree->tail_count) {
            return depth;
        }
        uint64_t terms = met_tree_tail_terms(tree, n, tail).count;
        depth = tail_depth(&tree->tails[tail], terms, met_tree_stage_deal(tree, &stage, tail, terms), depth);
    }
}
