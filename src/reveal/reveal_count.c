/* Counting: with a large number at one leaf, its negative at another and units elsewhere, the answer counts the leaves that do
 * not stand under the node where the two meet. The observation is that of Xie, Gao, Zhou and Chen, "FPRev: Revealing floating-point accumulation
 * orders" (2024); pivots at random make the expected number of calls n log n for every tree. */
#include <math.h>
#include <stdlib.h>

#include "reveal/parts.h"

static int by_key(const void *a, const void *b)
{
    const reveal_item *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

/* Leaves under the node where the pivot, which is set, meets another leaf. */
static uint32_t meeting(reveal *r, uint32_t other)
{
    reveal_put(r, other, -r->big);
    double outside = reveal_ask(r) / r->unit;
    reveal_restore(r, other);
    if (!reveal_goes_on(r)) {
        return 0;
    }
    if (outside != rint(outside) || !(outside >= 0) || outside > (double)r->leaves - 2) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "masked inputs leave what is no whole number of terms");
        return 0;
    }
    return (uint32_t)(r->leaves - (uint64_t)outside);
}

static void sort_by_count(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items)
{
    if (r->background != r->unit) {
        reveal_fill(r, r->unit);
    }
    reveal_put(r, pivot, r->big);
    for (uint64_t i = 0; i < count && reveal_goes_on(r); i++) {
        items[i].key = meeting(r, items[i].leaf);
    }
    reveal_restore(r, pivot);
    qsort(items, (size_t)count, sizeof *items, by_key);
}

/* A group that is all of its own node has as many leaves under its root as it has; else its root is the node where it meets
 * the pivot. That node may reach beyond the pivot's own frame if it is the last, so that more is counted than the frame has. */
static bool further_by_count(reveal *r, const reveal_group *group)
{
    bool whole = group->largest == group->count;
    uint64_t seen = group->done + group->count;
    if (group->key < seen || (group->key > seen && !group->last) || (!whole && group->largest != group->key)) {
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, "the counts of masked inputs contradict each other");
    }
    return !whole;
}

const reveal_way *reveal_by_count(void)
{
    static const reveal_way way = {sort_by_count, further_by_count};
    return &way;
}
