#include "draw/spread.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A run of items that stand at their least distances; its pulls are pulls[begin, end), sorted by place. */
typedef struct block {
    size_t first_item;
    size_t begin, end;
    int64_t weight;
    int64_t median;
} block;

typedef struct pull {
    int64_t place; /* less the distances before the item: one number places the whole block */
    int32_t weight;
} pull;

static int by_place(const void *a, const void *b)
{
    const pull *p = a;
    const pull *q = b;
    if (p->place != q->place)
        return p->place < q->place ? -1 : 1;
    return (p->weight > q->weight) - (p->weight < q->weight);
}

static void find_median(block *b, const pull *pulls)
{
    int64_t so_far = 0;
    for (size_t i = b->begin; i < b->end; i++) {
        so_far += pulls[i].weight;
        if (so_far * 2 >= b->weight) {
            b->median = pulls[i].place;
            return;
        }
    }
}

/* Blocks are neighbours, so their pulls are neighbours too: an ordinary merge. */
static void merge(block *into, const block *from, pull *pulls, pull *spare)
{
    size_t i = into->begin;
    size_t j = from->begin;
    size_t n = 0;
    while (i < into->end || j < from->end) {
        bool left = j >= from->end || (i < into->end && by_place(&pulls[i], &pulls[j]) <= 0);
        spare[n++] = left ? pulls[i++] : pulls[j++];
    }
    if (n)
        memcpy(pulls + into->begin, spare, n * sizeof *spare);
    into->end = from->end;
    into->weight += from->weight;
    find_median(into, pulls);
}

void met_spread(met_arena *scratch, size_t count, const int32_t *distance, size_t pull_count, const met_pull *pulls,
                int32_t *ret_place)
{
    block *blocks = MET_NEW_ARRAY(scratch, block, count + 1);
    pull *own = MET_NEW_ARRAY(scratch, pull, pull_count + 1);
    pull *spare = MET_NEW_ARRAY(scratch, pull, pull_count + 1);
    int64_t *offset = MET_NEW_ARRAY(scratch, int64_t, count + 1);
    size_t block_count = 0;
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        offset[i] = i ? offset[i - 1] + distance[i] : 0;
        block b = { .first_item = i, .begin = next };
        for (; next < pull_count && pulls[next].item == i; next++) {
            own[next] = (pull){ pulls[next].place - offset[i], pulls[next].weight };
            b.weight += pulls[next].weight;
        }
        b.end = next;
        qsort(own + b.begin, b.end - b.begin, sizeof *own, by_place);
        find_median(&b, own);
        blocks[block_count++] = b;
        while (block_count > 1) {
            block *last = &blocks[block_count - 1];
            block *before = last - 1;
            bool free = last->weight == 0 || before->weight == 0;
            if (!free && before->median <= last->median)
                break;
            merge(before, last, own, spare);
            block_count--;
        }
    }
    for (size_t b = 0; b < block_count; b++) {
        size_t end = b + 1 < block_count ? blocks[b + 1].first_item : count;
        for (size_t i = blocks[b].first_item; i < end; i++)
            ret_place[i] = (int32_t)(blocks[b].median + offset[i]);
    }
}
