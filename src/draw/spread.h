/* Placing things on a line: each is pulled towards places, none may come closer to its predecessor than a distance.
 * Isotonic regression by pooling adjacent violators, least absolute deviations: what can be straight is exactly straight.
 * Deterministic; ties go to the lower place. */
#ifndef MET_DRAW_SPREAD_H
#define MET_DRAW_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct met_pull {
    uint32_t item; /* in increasing order */
    int32_t place;
    int32_t weight; /* from 1 */
} met_pull;

/* distance[i]: least distance from item i - 1 to item i (distance[0] is unused). Items without a pull follow their
 * predecessor. Fills ret_place for `count` items. */
void met_spread(met_arena *scratch, size_t count, const int32_t *distance, size_t pull_count, const met_pull *pulls,
                int32_t *ret_place);

#endif
