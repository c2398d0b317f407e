/* Walking the tree of a record: which partial result is folded into which. */
#include "number/tree.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t met_level_width(const met_tree_level *level, uint64_t m)
{
    uint64_t width = level->per_terms ? ceil_div(m, level->width) : level->width;
    return width < m ? width : m;
}

static void walk_sequential(met_terms terms, met_join_fn fn, void *context)
{
    for (uint64_t i = 1; i < terms.count; i++) {
        fn(context, terms.base, terms.base + i * terms.step);
    }
}

static void walk_reverse(met_terms terms, met_join_fn fn, void *context)
{
    for (uint64_t i = terms.count; i-- > 1;) {
        fn(context, terms.base + (i - 1) * terms.step, terms.base + i * terms.step);
    }
}

static void walk_adjacent(met_terms terms, met_join_fn fn, void *context)
{
    for (uint64_t apart = 1; apart < terms.count; apart *= 2) {
        for (uint64_t i = 0; i + apart < terms.count; i += 2 * apart) {
            fn(context, terms.base + i * terms.step, terms.base + (i + apart) * terms.step);
        }
    }
}

static void walk_pairwise(met_terms terms, met_join_fn fn, void *context)
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

typedef void (*walk_fn)(met_terms terms, met_join_fn fn, void *context);

/* The first `left` terms by themselves, the others by themselves, then the two. */
static void walk_parts(met_terms terms, uint64_t left, walk_fn walk, met_join_fn fn, void *context)
{
    met_terms first = {terms.base, terms.step, left};
    met_terms second = {terms.base + left * terms.step, terms.step, terms.count - left};
    walk(first, fn, context);
    walk(second, fn, context);
    fn(context, first.base, second.base);
}

static void walk_halves(met_terms terms, met_join_fn fn, void *context)
{
    if (terms.count > 1) {
        walk_parts(terms, terms.count / 2, walk_halves, fn, context);
    }
}

static void walk_halves_up(met_terms terms, met_join_fn fn, void *context)
{
    if (terms.count > 1) {
        walk_parts(terms, terms.count - terms.count / 2, walk_halves_up, fn, context);
    }
}

static void walk_eight_lane_blocks(met_terms terms, met_join_fn fn, void *context)
{
    enum { LANES = 8, BLOCK = 128 };
    if (terms.count < LANES) {
        walk_sequential(terms, fn, context);
        return;
    }
    if (terms.count > BLOCK) {
        uint64_t half = terms.count / 2;
        walk_parts(terms, half - half % LANES, walk_eight_lane_blocks, fn, context);
        return;
    }
    for (uint64_t lane = 0; lane < LANES; lane++) {
        met_terms of_lane = {terms.base + lane * terms.step, LANES * terms.step, terms.count / LANES};
        walk_sequential(of_lane, fn, context);
    }
    walk_adjacent((met_terms){terms.base, terms.step, LANES}, fn, context);
    for (uint64_t i = terms.count - terms.count % LANES; i < terms.count; i++) {
        fn(context, terms.base, terms.base + i * terms.step);
    }
}

static void walk_order(uint8_t order, met_terms terms, met_join_fn fn, void *context)
{
    static const walk_fn walks[] = {
        [MET_ORDER_SEQUENTIAL] = walk_sequential, [MET_ORDER_PAIRWISE] = walk_pairwise,
        [MET_ORDER_BUTTERFLY] = walk_pairwise,    [MET_ORDER_ADJACENT] = walk_adjacent,
        [MET_ORDER_REVERSE] = walk_reverse,       [MET_ORDER_HALVES] = walk_halves,
        [MET_ORDER_HALVES_UP] = walk_halves_up,   [MET_ORDER_EIGHT_LANE_BLOCKS] = walk_eight_lane_blocks,
    };
    walks[order](terms, fn, context);
}

/* Terms of one contiguous partial result of m, except perhaps the last. */
static uint64_t chunk_of(const met_tree_level *level, uint64_t m)
{
    return ceil_div(m, met_level_width(level, m));
}

static uint64_t part_count(const met_tree_level *level, uint64_t m)
{
    return level->layout == MET_LAYOUT_STRIDED ? met_level_width(level, m) : ceil_div(m, chunk_of(level, m));
}

/* The terms of partial result `part`, which will stand where the first of them stands. */
static met_terms part_of(const met_tree_level *level, met_terms terms, uint64_t part)
{
    uint64_t m = terms.count;
    if (level->layout == MET_LAYOUT_STRIDED) {
        uint64_t width = met_level_width(level, m);
        return (met_terms){terms.base + part * terms.step, width * terms.step, ceil_div(m - part, width)};
    }
    uint64_t chunk = chunk_of(level, m), first = part * chunk;
    return (met_terms){terms.base + first * terms.step, terms.step, m - first < chunk ? m - first : chunk};
}

uint64_t met_tree_part_count(const met_tree *tree, uint64_t n)
{
    n = met_tree_body(tree, n);
    return tree->level_count == 0 || n == 0 ? n > 0 : part_count(&tree->levels[0], n);
}

met_terms met_tree_part(const met_tree *tree, uint64_t n, uint64_t part)
{
    met_terms all = {0, 1, met_tree_body(tree, n)};
    return tree->level_count == 0 ? all : part_of(&tree->levels[0], all, part);
}

met_terms met_tree_tail_terms(const met_tree *tree, uint64_t n, int tail)
{
    uint64_t left = n;
    for (int i = 0; i <= tail; i++) {
        left %= tree->tails[i].block;
    }
    uint64_t after = tail + 1 < tree->tail_count ? left % tree->tails[tail + 1].block : 0;
    return (met_terms){n - left, 1, left - after};
}

met_tree_stage met_tree_stage_begin(const met_tree *tree, uint64_t n, bool inner)
{
    return (met_tree_stage){inner ? 0 : 1, {0, 1, inner ? met_tree_body(tree, n) : met_tree_part_count(tree, n)}};
}

static void walk_level(const met_tree_level *at, met_terms *terms, met_join_fn fn, void *context)
{
    uint64_t parts = part_count(at, terms->count);
    for (uint64_t part = 0; part < parts; part++) {
        walk_order(at->order, part_of(at, *terms, part), fn, context);
    }
    uint64_t apart = at->layout == MET_LAYOUT_STRIDED ? 1 : chunk_of(at, terms->count);
    *terms = (met_terms){0, apart * terms->step, parts};
}

void met_tree_stage_to(const met_tree *tree, met_tree_stage *stage, int tail, met_join_fn fn, met_join_fn combine, void *context)
{
    int to = tail < tree->tail_count && tree->tails[tail].onto ? tree->tails[tail].onto : tree->level_count + 1;
    for (; stage->level < to; stage->level++) {
        if (stage->terms.count > 0 && stage->level < tree->level_count) {
            walk_level(&tree->levels[stage->level], &stage->terms, fn, context);
        } else if (stage->terms.count > 0) {
            walk_order(tree->combine, stage->terms, combine, context);
            stage->terms.count = 1;
        }
    }
}

uint64_t met_tree_stage_deal(const met_tree *tree, met_tree_stage *stage, int tail, uint64_t terms)
{
    uint64_t lanes = tree->tails[tail].onto ? terms : terms > 0;
    for (int i = 0; i < tree->tails[tail].onto && i < tree->level_count; i++) {
        lanes = tree->levels[i].width < lanes ? tree->levels[i].width : lanes;
    }
    if (stage->terms.count == 0) {
        stage->terms = (met_terms){0, 1, lanes};
    }
    return lanes < stage->terms.count ? lanes : stage->terms.count;
}

/* The first term of a tail APART is its sum; of one that makes its results, the result. */
static void walk_tail(const met_tree *tree, met_tree_stage *stage, int tail, met_terms terms, met_join_fn fn, void *context)
{
    bool makes = stage->terms.count == 0;
    uint64_t lanes = met_tree_stage_deal(tree, stage, tail, terms.count);
    bool apart = makes || tree->tails[tail].rule == MET_TAIL_APART;
    for (uint64_t lane = 0; lane < lanes; lane++) {
        uint64_t result = stage->terms.base + lane * stage->terms.step, sum = apart ? terms.base + lane : result;
        for (uint64_t i = apart ? lane + lanes : lane; i < terms.count; i += lanes) {
            fn(context, sum, terms.base + i);
        }
        if (apart && !makes) {
            fn(context, result, sum);
        }
    }
}

void met_tree_walk(const met_tree *tree, uint64_t n, bool inner, met_join_fn fn, void *context)
{
    met_tree_stage stage = met_tree_stage_begin(tree, n, inner);
    for (int tail = 0; tail < tree->tail_count; tail++) {
        met_tree_stage_to(tree, &stage, tail, fn, fn, context);
        walk_tail(tree, &stage, tail, met_tree_tail_terms(tree, n, tail), fn, context);
    }
    met_tree_stage_to(tree, &stage, tree->tail_count, fn, fn, context);
}
