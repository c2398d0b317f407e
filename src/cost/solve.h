/* The exact integer solver: tile sizes and the order of streamed loops that move least through one level, or through
 * several nested ones. Traffic falls and memory rises in every tile, and traffic sees a tile only through its trips, so
 * for each number of trips the least tile stands for all (about 2√a of them); the last loop takes the fewest trips that
 * fit. Branch and bound over the rest.
 *
 * Ties: least traffic, then least memory (of the outermost level first), then the least tiles in the order of the loops,
 * then the order of streams nearest to the problem's own. */
#ifndef MET_COST_SOLVE_H
#define MET_COST_SOLVE_H

#include "cost/problem.h"

/* Traffic evaluations of one search; beyond them its best so far is returned, not proven. */
#define MET_COST_STEPS ((uint64_t)1 << 20)
/* Streamed loops of which every order is tried. */
#define MET_COST_STREAMS 6

typedef struct met_cost_solution {
    bool feasible;         /* otherwise only least_memory means something */
    bool proven;           /* no schedule of the problem is better */
    uint64_t traffic, memory, compulsory;
    uint64_t least_memory; /* of the smallest tiles */
    const uint64_t *tile;  /* of every loop */
    const uint32_t *order; /* as in the problem */
    const uint64_t *moved; /* of every array */
    uint64_t steps;
} met_cost_solution;

typedef struct met_cost_limits {
    const uint64_t *minimum; /* least tile of each loop; NULL: none */
    const uint64_t *step;    /* what tiles are multiples of, or else whole loops; NULL: the granules */
    bool powers;             /* tiles are powers of two times the granule */
    bool keep_order;         /* do not try other orders of the streams */
    uint64_t steps;          /* 0: MET_COST_STEPS */
} met_cost_limits;

/* One level. Sizes must be known. `limits` may be NULL. */
met_cost_solution met_cost_solve(met_arena *arena, const met_cost_problem *problem, uint64_t capacity,
                                 const met_cost_limits *limits);

/* Memory of the smallest tiles: with less, nothing fits. */
uint64_t met_cost_least_memory(const met_cost_problem *problem);

/* A level of several, outermost first. Traffic of a level counts the trips of its own tiles over the whole loops; where they
 * do not divide the tiles outside, cutting them there would cost a few more. */
typedef struct met_cost_level {
    uint64_t capacity;
    double weight; /* of its traffic in the sum that is made least, > 0 */
} met_cost_level;

typedef struct met_cost_nesting {
    bool divide; /* tiles divide the tiles outside them, rather than only fit in */
    bool powers;
    bool keep_order; /* as in met_cost_limits */
} met_cost_nesting;

/* Writes one solution a level; they are all feasible or none is. Returns the sum of weighted traffic. */
double met_cost_solve_levels(met_arena *arena, const met_cost_problem *problem, uint32_t level_count,
                             const met_cost_level *levels, met_cost_nesting nesting, met_cost_solution *ret_solutions);

#endif
