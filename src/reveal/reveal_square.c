/* Sums that nothing can be subtracted from: 1 at one leaf and a little less than half of its last place at two others. If
 * those two meet first they round it up together; else each is lost by itself. Trees of two children that round to nearest. */
#include "reveal/parts.h"

bool reveal_meet_first(reveal *r, uint32_t j, uint32_t k, uint32_t i)
{
    double answer = reveal_ask_at(r, 3, (uint32_t[]){i, j, k}, (double[]){r->base, r->half, r->half});
    return answer != r->answer;
}

static int compare(reveal *r, uint32_t pivot, uint32_t k, uint32_t j)
{
    if (reveal_meet_first(r, j, k, pivot)) {
        return 0;
    }
    return reveal_meet_first(r, pivot, j, k) ? 1 : -1;
}

static void sort_by_squares(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items)
{
    reveal_quicksort(r, pivot, count, items, compare);
}

static bool further_by_squares(reveal *r, const reveal_group *group)
{
    (void)r;
    (void)group;
    return false;
}

const reveal_way *reveal_by_squares(void)
{
    static const reveal_way way = {sort_by_squares, further_by_squares};
    return &way;
}
