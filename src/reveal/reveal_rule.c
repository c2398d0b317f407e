/* The rule that trees of several lengths follow: shapes that schedules have are tried, from the simplest on, with widths taken
 * from where leaf 0 meets others in the longest tree. What fits must give the shape at every length, and then the bits, of
 * which number/tree_compare.h decides. */
#include "reveal/parts.h"

enum { RULE_SIZES = 24 };

/* Sizes worth trying. */
typedef struct sizes {
    uint64_t at[RULE_SIZES];
    size_t count;
} sizes;

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

/* Whether a block of so many terms ever leaves some over. */
static bool leaves_over(const reveal_search *s, uint64_t block)
{
    for (size_t i = 0; i < s->count; i++) {
        if (reveal_length(s->revealed[i]) % block != 0) {
            return true;
        }
    }
    return false;
}

/* The rule with one more tail, onto a level or the combined result, after blocks of so many terms. */
static bool fits_tail(reveal_search *s, met_tree *rule, uint8_t onto, uint64_t block)
{
    met_tree_tail *last = &rule->tails[rule->tail_count++];
    bool fits = false;
    for (uint8_t tail = MET_TAIL_AFTER; tail <= MET_TAIL_APART && !fits && block > 1 && leaves_over(s, block); tail++) {
        *last = (met_tree_tail){.rule = tail, .onto = onto, .block = block};
        fits = reveal_fits(s, rule);
    }
    rule->tail_count--;
    return fits;
}

/* The shape with each way of treating a tail: what as many lanes leave over first. */
static bool fits_with_tail(reveal_search *s, met_tree rule, const sizes *blocks)
{
    bool lanes = rule.level_count > 0 && !rule.levels[0].per_terms;
    bool fits = reveal_fits(s, &rule) || (lanes && fits_tail(s, &rule, 0, rule.levels[0].width));
    for (size_t i = 0; i < blocks->count && !fits; i++) {
        fits = fits_tail(s, &rule, 0, blocks->at[i]);
    }
    return fits;
}

/* The same with what the first level leaves over dealt to the results of the second one, and what these leave over one by one. */
static bool fits_with_tails(reveal_search *s, met_tree rule)
{
    bool fits = false;
    for (uint64_t times = 1; times <= 4 && !fits; times *= 2) {
        uint64_t block = rule.levels[0].width * times;
        rule.tail_count = 0;
        fits = fits_tail(s, &rule, 2, block);
        rule.tail_count = 1;
        for (uint8_t tail = MET_TAIL_AFTER; tail <= MET_TAIL_APART && !fits && leaves_over(s, block); tail++) {
            rule.tails[0] = (met_tree_tail){.rule = tail, .onto = 2, .block = block};
            fits = fits_tail(s, &rule, 0, rule.levels[1].width);
        }
    }
    return fits;
}

/* --- Shapes --- */

static const uint8_t inner_orders[] = {MET_ORDER_SEQUENTIAL, MET_ORDER_PAIRWISE, MET_ORDER_ADJACENT, MET_ORDER_REVERSE,
                                       MET_ORDER_HALVES,     MET_ORDER_HALVES_UP, MET_ORDER_EIGHT_LANE_BLOCKS};
enum { ORDERS = sizeof inner_orders, COMMON = 4 };

static bool try_flat(reveal_search *s, met_tree rule, const sizes *blocks)
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
static bool try_level(reveal_search *s, met_tree rule, const met_tree_level *level, const sizes *blocks)
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

static bool try_levels(reveal_search *s, const met_tree *rule, const sizes *widths, const sizes *chunks, const sizes *blocks)
{
    for (size_t i = 0; i < widths->count; i++) {
        if (widths->at[i] > 1 && try_level(s, *rule, &(met_tree_level){.width = widths->at[i]}, blocks)) {
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

/* Several accumulators of lanes each, in order, then the accumulators together, then the lanes. Without `blocks`, with tails of levels. */
static bool try_accumulators(reveal_search *s, met_tree rule, const sizes *widths, const sizes *blocks)
{
    rule.level_count = 2;
    for (size_t i = 0; i < widths->count; i++) {
        for (uint64_t lanes = 2; lanes < widths->at[i]; lanes++) {
            for (size_t k = 0; widths->at[i] % lanes == 0 && k < (size_t)2 * COMMON * COMMON; k++) {
                rule.levels[0] = (met_tree_level){.width = widths->at[i]};
                rule.levels[1] = (met_tree_level){.width = lanes, .layout = k % 2, .order = inner_orders[k / 2 % COMMON]};
                rule.combine = inner_orders[k / 2 / COMMON];
                if (blocks ? fits_with_tail(s, rule, blocks) : rule.levels[1].layout == MET_LAYOUT_STRIDED && fits_with_tails(s, rule)) {
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
           a->flush == b->flush && a->node == b->node && a->start == b->start;
}

/* What the trees have in common beside their shape and how it is contracted; false if that differs. */
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
    ret_rule->level_count = ret_rule->tail_count = 0;
    return true;
}

bool met_reveal_follows(met_arena *arena, const met_tree *rule, const met_revealed *revealed)
{
    const met_tree *tree = &revealed->tree;
    reveal_search s = {.count = 1, .revealed = &revealed};
    if (revealed->verdict != MET_REVEAL_TREE || !same_traits(rule, tree) || (tree->undeclared & ~rule->undeclared) ||
        tree->unit.width > rule->unit.width) {
        return false;
    }
    reveal_sketch *sketch = reveal_sketch_of(arena, revealed->shape);
    s.scratch = met_arena_new();
    s.sketches = &sketch;
    bool follows = reveal_fits_as_it_is(&s, rule);
    met_arena_free(s.scratch);
    return follows;
}

/* A tree that has levels already may be the rule of all. */
static bool try_found(reveal_search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        met_tree found = s->revealed[i]->tree;
        if (!found.written && reveal_fits(s, &found)) {
            return true;
        }
    }
    return false;
}

bool reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, bool loosely, met_tree *ret_rule)
{
    reveal_search s = {.count = count, .revealed = revealed, .loosely = loosely, .rule = ret_rule};
    sizes widths = {0}, chunks = {0}, blocks = {0};
    size_t longest = 0;
    met_tree rule;
    for (size_t i = 0; i < count; i++) {
        if (revealed[i]->verdict != MET_REVEAL_TREE) {
            return false;
        }
        longest = reveal_length(revealed[i]) > reveal_length(revealed[longest]) ? i : longest;
        s.shortest = reveal_length(revealed[i]) < reveal_length(revealed[s.shortest]) ? i : s.shortest;
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
    for (uint64_t size = 2; size <= 512; size *= 2) {
        add_size(&blocks, size);
    }
    for (size_t i = 0; i < widths.count; i++) {
        add_size(&blocks, widths.at[i]);
    }
    bool found = try_found(&s) || (common_traits(count, revealed, &rule) &&
                                   (try_flat(&s, rule, &blocks) || try_levels(&s, &rule, &widths, &chunks, &blocks) ||
                                    try_accumulators(&s, rule, &widths, &blocks) || try_accumulators(&s, rule, &widths, NULL)));
    met_arena_free(s.scratch);
    return found;
}

bool met_reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, met_tree *ret_rule)
{
    return reveal_rule(arena, count, revealed, false, ret_rule);
}
