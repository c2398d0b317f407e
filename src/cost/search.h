/* Inside of the solver: which tiles a loop may have, and one search over them. */
#ifndef MET_COST_SEARCH_H
#define MET_COST_SEARCH_H

#include "cost/solve.h"

typedef struct met_cost_search {
    const met_cost_problem *problem;
    uint64_t capacity;
    const uint64_t *minimum; /* or NULL */
    const uint64_t *step;    /* multiples of the granules that tiles are multiples of, or whole loops; NULL: the granules */
    bool powers;
    bool every_tile;   /* visit all tiles of a loop, not one for each number of trips */
    bool every_choice; /* visit all tiles of the last loop, not the one that moves least */
    uint32_t count;  /* loops whose tile matters to the traffic */
    uint32_t loops[MET_KERNEL_LOOPS];
    uint64_t tile[MET_KERNEL_LOOPS];
    uint64_t steps, step_limit;
    /* Visits a choice that fits; `tile` holds it. */
    void (*visit)(struct met_cost_search *search, uint64_t traffic);
    /* Whether a choice with at least this traffic and memory cannot be of use. */
    bool (*useless)(struct met_cost_search *search, uint64_t traffic, uint64_t memory);
    void *context;
} met_cost_search;

/* The smallest tile, the largest one, the one to try after `tile` (smaller; 0: there is none). */
uint64_t met_cost_tile_least(const met_cost_search *search, uint32_t loop);
uint64_t met_cost_tile_most(const met_cost_search *search, uint32_t loop);
uint64_t met_cost_tile_next(const met_cost_search *search, uint32_t loop, uint64_t tile);

/* Finds the loops that matter and sets all tiles to their least. */
void met_cost_search_start(met_cost_search *search);
/* Sets a loop's tile to the largest that fits beside the tiles of the others; false if none does. */
bool met_cost_search_fill(met_cost_search *search, uint32_t loop);
/* Visits what may be of use, with the last loop as large as fits unless `every_choice`. False if it ran out of steps. */
bool met_cost_search_run(met_cost_search *search);

#endif
