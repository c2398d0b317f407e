/* Random records for tests: every field, in combinations that are valid, with small widths so that two of them often agree. */
#ifndef MET_TEST_RANDOM_RECORDS_H
#define MET_TEST_RANDOM_RECORDS_H

#include "number/bracketing_build.h"

typedef struct random_source {
    uint64_t state;
} random_source;

static inline uint64_t random_next(random_source *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state;
}

static inline uint64_t random_below(random_source *r, uint64_t n)
{
    return (random_next(r) >> 11) % n;
}

#include "random_tails.h"

/* Any tree over the leaves `order[0 … n−1]`: n-way nodes with some chance. */
static inline uint32_t random_node(random_source *r, met_bracketing_build *b, const uint32_t *order, uint32_t n, bool wide)
{
    if (n == 1) {
        uint32_t leaf = met_build_leaf(b, order[0]);
        b->nodes.at[leaf].alone = random_below(r, 5) == 0;
        return leaf;
    }
    uint32_t places[5], count = 0, done = 0;
    uint32_t want = wide && n > 2 && random_below(r, 2) ? 3 + (uint32_t)random_below(r, n > 4 ? 3 : n - 2) : 2;
    for (; count < want; count++) {
        uint32_t left = n - done, others = want - count - 1;
        uint32_t room = left - others; /* at least one leaf for each of the others */
        uint32_t size = others == 0 ? left : random_below(r, 2) ? 1 : 1 + (uint32_t)random_below(r, room);
        places[count] = random_node(r, b, order + done, size, wide);
        done += size;
    }
    return met_build_node(b, places, want);
}

static inline const met_bracketing *random_bracketing(random_source *r, met_arena *arena, uint32_t n, bool wide)
{
    met_bracketing_build b = {.arena = arena};
    uint32_t *order = MET_NEW_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)random_below(r, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    random_node(r, &b, order, n, wide);
    return met_build_finish(&b);
}

static inline void random_unit(random_source *r, met_tree *tree)
{
    static const uint8_t fractions[] = {0, 2, 7, 10, 13, 13, 20, 23, 24, 25, 25, 31, 60};
    tree->node = MET_NODE_MATRIX;
    tree->unit = (met_matrix_unit){.width = (uint8_t)(1 + random_below(r, 5)),
                                   .fraction = fractions[random_below(r, sizeof fractions)],
                                   .final = (uint8_t)(random_below(r, 2) ? MET_RZ : random_below(r, 4)),
                                   .late = random_below(r, 4) == 0};
    if (tree->unit.final == MET_RZ && random_below(r, 3) == 0) {
        tree->unit.keep = (uint8_t)(random_below(r, 2) ? 13 : 1 + random_below(r, 23));
    } else {
        tree->unit.half = random_below(r, 8) == 0;
    }
}

static inline void random_arithmetic(random_source *r, met_tree *tree)
{
    static const uint8_t stores[] = {MET_F32, MET_F32, MET_F32, MET_BF16, MET_F16, MET_F64};
    tree->start = (uint8_t)random_below(r, 2);
    tree->contraction = (uint8_t)random_below(r, 2);
    tree->store = stores[random_below(r, sizeof stores)];
    if (random_below(r, 8) == 0) {
        tree->precision = MET_F64;
        tree->store = random_below(r, 2) ? MET_F64 : tree->store;
    } else if (random_below(r, 3) == 0) {
        tree->mode = (uint8_t)random_below(r, 4);
    } else if (random_below(r, 3) == 0) {
        tree->flush = (uint8_t)random_below(r, 4);
    }
}

static inline void random_levels(random_source *r, met_tree *tree)
{
    tree->level_count = (uint8_t)random_below(r, 4);
    tree->combine = (uint8_t)random_below(r, MET_ORDER_EIGHT_LANE_BLOCKS + 1);
    for (int i = 0; i < tree->level_count; i++) {
        bool in_order = random_below(r, 2);
        tree->levels[i] = (met_tree_level){.place = (uint8_t)random_below(r, MET_PLACE_RANK + 1),
                                           .layout = (uint8_t)random_below(r, 2),
                                           .order = in_order ? 0 : (uint8_t)random_below(r, MET_ORDER_EIGHT_LANE_BLOCKS + 1),
                                           .per_terms = random_below(r, 4) == 0,
                                           .width = 1 + random_below(r, 5)};
    }
    if (random_below(r, 4) == 0) {
        random_tails(r, tree);
    }
}

/* A record that runs over n terms. Rescaling by factors only with `slices`. */
static inline met_tree random_record(random_source *r, met_arena *arena, uint32_t n, bool slices)
{
    met_tree tree = met_tree_sequential(MET_F32);
    bool unit = random_below(r, 4) == 0, pairs = !unit && random_below(r, 8) == 0;
    if (!pairs && random_below(r, 3) == 0) {
        tree.written = random_bracketing(r, arena, n, unit);
    } else {
        random_levels(r, &tree);
    }
    if (unit || pairs) {
        *(tree.level_count ? &tree.levels[0].order : &tree.combine) = MET_ORDER_SEQUENTIAL;
        tree.node = MET_NODE_PAIRS;
    }
    if (unit) {
        random_unit(r, &tree);
    } else if (!pairs) {
        random_arithmetic(r, &tree);
    }
    if (tree.precision == MET_F32 && random_below(r, 4) == 0) {
        tree.combine_f64 = true;
        tree.mode = MET_RNE;
        tree.flush = MET_FLUSH_NONE;
        tree.combine_f64 = met_tree_valid(&tree);
    }
    if (random_below(r, 8) == 0) {
        tree.rescale = slices && random_below(r, 2) ? MET_RESCALE_FLOAT : MET_RESCALE_POW2;
        tree.slice = tree.rescale == MET_RESCALE_FLOAT ? 1 + random_below(r, n + 2) : 0;
    }
    return tree;
}

#endif
