/* Triples: with a large number, its negative and one unit, the rest zero, the answer says whether the unit stands outside the
 * node where the two meet. No number of terms is too large for it. */
#include "reveal/parts.h"

static int compare(reveal *r, uint32_t pivot, uint32_t k, uint32_t j)
{
    if (reveal_outside(r, k, pivot, j)) {
        return 1;
    }
    return reveal_outside(r, j, pivot, k) ? -1 : 0;
}

static void sort_by_triples(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items)
{
    reveal_quicksort(r, pivot, count, items, compare);
}

static bool further_by_triples(reveal *r, const reveal_group *group)
{
    return group->count > 1 && !reveal_outside(r, group->pivot, group->left, group->right);
}

const reveal_way *reveal_by_triples(void)
{
    static const reveal_way way = {sort_by_triples, further_by_triples};
    return &way;
}
