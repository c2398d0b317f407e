/* Tails of records at random, that go with the levels. Included where a `random_source` is known already. */
#ifndef MET_TEST_RANDOM_TAILS_H
#define MET_TEST_RANDOM_TAILS_H

#include "number/tree.h"

/* Levels from the first on that a tail may join: strided, of fixed widths. */
static inline uint8_t random_lanes(const met_tree *tree)
{
    uint8_t levels = 0;
    while (levels < tree->level_count && tree->levels[levels].layout == MET_LAYOUT_STRIDED && !tree->levels[levels].per_terms) {
        levels++;
    }
    return levels;
}

static inline void random_tails(random_source *r, met_tree *tree)
{
    unsigned block = 1 + (unsigned)random_below(r, 6) * (1 + (unsigned)random_below(r, 2));
    uint8_t onto = (uint8_t)random_below(r, random_lanes(tree) + 1u);
    for (unsigned count = 1 + (unsigned)random_below(r, MET_TREE_TAILS); count > 0 && block > 0; count--) {
        tree->tails[tree->tail_count++] = (met_tree_tail){.rule = (uint8_t)(1 + random_below(r, 2)),
                                                          .onto = onto,
                                                          .contraction = random_below(r, 3) ? 0 : (uint8_t)random_below(r, 3),
                                                          .block = block};
        block = (unsigned)random_below(r, block);
        onto = (uint8_t)(onto && random_below(r, 2) ? (onto + 1) % (random_lanes(tree) + 1) : onto);
    }
}

#endif
