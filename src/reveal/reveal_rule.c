/* The rule that trees of several lengths follow: shapes that schedules have are tried, from the simplest on, with widths taken
 * from where leaf 0 meets others in the longest tree. What fits must give the shape at every length, and then the bits, of
 * which number/tree_compare.h decides. */
#include <string.h>

#include "reveal/parts.h"

enum { RULE_SIZES = 24, LOOKS = 32 };

/* Sizes worth trying. */
typedef struct sizes {
    uint64_t at[RULE_SIZES];
    size_t count;
} sizes;

typedef struct search {
    size_t count;
    const met_revealed *const *revealed;
    reveal_sketch **sketches; /* by length */
    size_t shortest; /* the first to be tried: most shapes fail there, cheaply */
    met_arena *scratch;
    uint32_t tried;  /* since scratch was made */
    met_tree *rule;
} search;

static void add_size(sizes *s, uint64_t size)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->at[i] == size) {
            return;
        }
    }
    if (s->count < RULE_SIZES && size > 0) {
        s->at[s->count++] = size;
    }
}

static uint64_t length_of(const met_revealed *revealed)
{
    return revealed->shape->leaf_count;
}

/* --- Whether a shape fits --- */

static bool same_shape(search *s, size_t i, const met_tree *rule)
{
    const met_bracketing *of_rule = met_bracketing_of(s->scratch, rule, length_of(s->revealed[i]));
    return of_rule && met_bracketing_same(s->scratch, of_rule, s->revealed[i]->shape);
}

/* A cheap look: some inputs, the first of which is all -0. Comparing looks for a witness, which takes long. */
static bool seem_same(search *s, const met_tree *x, const met_tree *y, uint64_t n, met_operands operands)
{
    double *a = MET_NEW_ARRAY(s->scratch, double, n), *b = MET_NEW_ARRAY(s->scratch, double, n);
    reveal random = {.random = n};
    bool same = true;
    for (int round = 0; round < LOOKS && same; round++) {
        for (uint64_t k = 0; k < n; k++) {
            double value = (double)reveal_random(&random, 1u << 24) - 0x1p23, other = (double)reveal_random(&random, 1u << 24);
            a[k] = round == 0 ? -0.0 : met_operands_round(operands, value * 0x1p-23);
            b[k] = operands.sum || round == 0 ? 1 : met_operands_round(operands, other * 0x1p-23);
        }
        same = reveal_same_answer(met_witness_result(s->scratch, x, operands, n, a, b),
                                  met_witness_result(s->scratch, y, operands, n, a, b));
    }
    return same;
}

/* What both leave open is no difference. */
static bool same_bits(search *s, size_t i, const met_tree *rule)
{
    met_tree x = *rule, y = s->revealed[i]->tree;
    x.undeclared = y.undeclared = 0;
    if (!seem_same(s, &x, &y, length_of(s->revealed[i]), s->revealed[i]->operands)) {
        return false;
    }
    met_comparison found = met_tree_compare_operands(s->scratch, &x, &y, length_of(s->revealed[i]), s->revealed[i]->operands);
    return found.verdict == MET_VERDICT_SAME;
}

static bool same_shapes(search *s, const met_tree *rule)
{
    if (!met_tree_valid(rule) || !reveal_sketch_allows(s->sketches[s->shortest], rule)) {
        return false;
    }
    bool same = true;
    for (size_t i = 0; i < s->count && same; i++) {
        same = reveal_sketch_allows(s->sketches[i], rule) && same_shape(s, i, rule);
    }
    return same;
}

static bool all_bits(search *s, const met_tree *rule)
{
    bool same = met_tree_valid(rule);
    for (size_t i = 0; i < s->count && same; i++) {
        same = same_bits(s, i, rule);
    }
    return same;
}

/* The same with each term a partial result of its own before it meets another: it is stored, and loops in other orders than the
 * sequential one begin at +0 then. */
static met_tree terms_first(const met_tree *rule)
{
    met_tree longer = *rule;
    memmove(longer.levels + 1, longer.levels, (MET_TREE_LEVELS - 1) * sizeof *longer.levels);
    longer.levels[0] = (met_tree_level){.layout = MET_LAYOUT_CONTIGUOUS, .width = 1, .per_terms = true};
    longer.level_count++;
    return longer;
}

static bool fits(search *s, const met_tree *rule)
{
    if (++s->tried % 64 == 0) {
        met_arena_free(s->scratch);
        s->scratch = met_arena_new();
    }
    if (!same_shapes(s, rule)) {
        return false;
    }
    met_tree longer = terms_first(rule); /* not valid if there are too many levels */
    bool plain = all_bits(s, rule);
    *s->rule = plain ? *rule : longer;
    return plain || all_bits(s, &longer);
}

/* Whether a block of so many terms ever leaves some over. */
static bool leaves_over(const search *s, uint64_t block)
{
    for (size_t i = 0; i < s->count; i++) {
        if (length_of(s->revealed[i]) % block != 0) {
            return true;
        }
    }
    return false;
}

/* The shape with each way of treating a tail. */
static bool fits_with_tail(search *s, met_tree rule, const sizes *blocks)
{
    if (fits(s, &rule)) {
        return true;
    }
    rule.tail_count = 1;
    for (uint8_t tail = MET_TAIL_AFTER; tail <= MET_TAIL_APART; tail++) {
        for (size_t i = 0; i < blocks->count; i++) {
            rule.tails[0] = (met_tree_tail){.rule = tail, .block = blocks->at[i]};
            if (blocks->at[i] > 1 && leaves_over(s, blocks->at[i]) && fits(s, &rule)) {
                return true;
            }
        }
    }
    return false;
}

/* --- Shapes --- */

static const uint8_t inner_orders[] = {MET_ORDER_SEQUENTIAL, MET_ORDER_PAIRWISE, MET_ORDER_ADJACENT, MET_ORDER_REVERSE,
                                       MET_ORDER_HALVES,     MET_ORDER_HALVES_UP, MET_ORDER_EIGHT_LANE_BLOCKS};
enum { ORDERS = sizeof inner_orders, COMMON = 4 };

static bool try_flat(search *s, met_tree rule, const sizes *blocks)
{
    for (size_t i = 0; i < ORDERS; i++) {
        rule.combine = inner_orders[i];
        if (fits_with_tail(s, rule, blocks)) {
            return true;
        }
    }
    return false;
}

/* Lanes, or parts of the terms. */
static bool try_level(search *s, met_tree rule, const met_tree_level *level, const sizes *blocks)
{
    rule.level_count = 1;
    rule.levels[0] = *level;
    for (size_t inner = 0; inner < COMMON; inner++) {
        for (size_t i = 0; i < ORDERS; i++) {
            rule.levels[0].order = inner_orders[inner];
            rule.combine = inner_orders[i];
            if (fits_with_tail(s, rule, blocks)) {
                return true;
            }
        }
    }
    return false;
}

static bool try_levels(search *s, const met_tree *rule, const sizes *widths, const sizes *chunks, const sizes *blocks)
{
    for (size_t i = 0; i < widths->count; i++) {
        if (try_level(s, *rule, &(met_tree_level){.width = widths->at[i]}, blocks)) {
            return true;
        }
    }
    for (size_t i = 0; i < chunks->count; i++) {
        met_tree_level parts = {.layout = MET_LAYOUT_CONTIGUOUS, .width = chunks->at[i], .per_terms = true};
        if (try_level(s, *rule, &parts, blocks)) {
            return true;
        }
    }
    for (uint64_t width = 2; width <= 16; width++) {
        met_tree_level parts = {.layout = MET_LAYOUT_CONTIGUOUS, .width = width};
        if (try_level(s, *rule, &parts, blocks)) {
            return true;
        }
    }
    return false;
}

/* Several accumulators of lanes each, in order, then the accumulators together, then the lanes. */
static bool try_accumulators(search *s, met_tree rule, const sizes *widths, const sizes *blocks)
{
    rule.level_count = 2;
    for (size_t i = 0; i < widths->count; i++) {
        for (uint64_t lanes = 2; lanes < widths->at[i]; lanes++) {
            for (size_t k = 0; widths->at[i] % lanes == 0 && k < (size_t)2 * COMMON * COMMON; k++) {
                rule.levels[0] = (met_tree_level){.width = widths->at[i]};
                rule.levels[1] = (met_tree_level){.width = lanes, .layout = k % 2, .order = inner_orders[k / 2 % COMMON]};
                rule.combine = inner_orders[k / 2 / COMMON];
                if (fits_with_tail(s, rule, blocks)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* --- Sizes from the tree --- */

static uint64_t power_of_two(uint64_t at_least)
{
    uint64_t power = 1;
    while (power < at_least) {
        power *= 2;
    }
    return power;
}

/* Where leaf 0 first meets others: the least other leaf is the width of strided lanes. Above, the sizes of the subtrees that it
 * is in, where what joins is no single leaf, or one after many: parts of the terms, and blocks. */
static void read_sizes(met_arena *scratch, const met_bracketing *tree, sizes *widths, sizes *chunks)
{
    const reveal_map *map = reveal_map_new(scratch, tree);
    uint32_t *under = MET_NEW_ARRAY(scratch, uint32_t, tree->node_count);
    uint32_t *least = MET_NEW_ARRAY(scratch, uint32_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        under[i] = tree->nodes[i].count == 0;
        least[i] = tree->nodes[i].count == 0 ? tree->nodes[i].leaf : UINT32_MAX;
        for (uint32_t c = 0; c < tree->nodes[i].count; c++) {
            uint32_t child = reveal_child(map, i, c);
            under[i] += under[child];
            least[i] = least[child] < least[i] ? least[child] : least[i];
        }
    }
    for (uint32_t at = map->place[0]; map->parent[at] != REVEAL_NONE; at = map->parent[at]) {
        uint32_t parent = map->parent[at], others = REVEAL_NONE, largest = 0;
        for (uint32_t c = 0; c < tree->nodes[parent].count; c++) {
            uint32_t child = reveal_child(map, parent, c);
            others = child != at && least[child] < others ? least[child] : others;
            largest = child != at && under[child] > largest ? under[child] : largest;
        }
        add_size(widths, others);
        if (largest > 1) {
            add_size(chunks, under[at]);
            add_size(chunks, power_of_two(under[at])); /* parts of about so many terms have a few less */
        }
    }
}

static bool same_traits(const met_tree *a, const met_tree *b)
{
    return a->precision == b->precision && a->store == b->store && a->combine_f64 == b->combine_f64 && a->mode == b->mode &&
           a->flush == b->flush && a->node == b->node && a->start == b->start && a->contraction == b->contraction;
}

/* What the trees have in common beside their shape; false if that differs. */
static bool common_traits(size_t count, const met_revealed *const *revealed, met_tree *ret_rule)
{
    *ret_rule = revealed[0]->tree;
    for (size_t i = 0; i < count; i++) {
        const met_tree *tree = &revealed[i]->tree;
        if (!same_traits(tree, ret_rule)) {
            return false;
        }
        ret_rule->undeclared |= tree->undeclared;
        ret_rule->unit.width = tree->unit.width > ret_rule->unit.width ? tree->unit.width : ret_rule->unit.width;
    }
    ret_rule->written = NULL;
    return true;
}

bool met_reveal_follows(met_arena *arena, const met_tree *rule, const met_revealed *revealed)
{
    const met_tree *tree = &revealed->tree;
    met_tree found;
    search s = {.count = 1, .revealed = &revealed, .rule = &found};
    if (revealed->verdict != MET_REVEAL_TREE || !same_traits(rule, tree) || (tree->undeclared & ~rule->undeclared) ||
        tree->unit.width > rule->unit.width) {
        return false;
    }
    reveal_sketch *sketch = reveal_sketch_of(arena, revealed->shape);
    s.scratch = met_arena_new();
    s.sketches = &sketch;
    bool follows = fits(&s, rule);
    met_arena_free(s.scratch);
    return follows;
}

/* A tree that has levels already may be the rule of all. */
static bool try_found(search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        met_tree found = s->revealed[i]->tree;
        if (!found.written && fits(s, &found)) {
            return true;
        }
    }
    return false;
}

bool met_reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, met_tree *ret_rule)
{
    search s = {.count = count, .revealed = revealed, .rule = ret_rule};
    sizes widths = {0}, chunks = {0}, blocks = {0};
    size_t longest = 0;
    met_tree rule;
    for (size_t i = 0; i < count; i++) {
        if (revealed[i]->verdict != MET_REVEAL_TREE) {
            return false;
        }
        longest = length_of(revealed[i]) > length_of(revealed[longest]) ? i : longest;
        s.shortest = length_of(revealed[i]) < length_of(revealed[s.shortest]) ? i : s.shortest;
    }
    if (count == 0) {
        return false;
    }
    s.scratch = met_arena_new();
    s.sketches = MET_NEW_ARRAY(arena, reveal_sketch *, count);
    for (size_t i = 0; i < count; i++) {
        s.sketches[i] = reveal_sketch_of(arena, revealed[i]->shape);
    }
    read_sizes(arena, revealed[longest]->shape, &widths, &chunks);
    for (size_t i = 0; i < widths.count; i++) {
        add_size(&blocks, widths.at[i]);
    }
    for (uint64_t size = 2; size <= 512; size *= 2) {
        add_size(&blocks, size);
    }
    bool found = try_found(&s) || (common_traits(count, revealed, &rule) && (try_flat(&s, rule, &blocks) || try_levels(&s, &rule, &widths, &chunks, &blocks) ||
                 try_accumulators(&s, rule, &widths, &blocks)));
    met_arena_free(s.scratch);
    return found;
}
