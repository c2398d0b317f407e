/* What several levels, units and formats do to transfers and time: the rules beside the solver. Values are numbers, rates
 * are per second, times are seconds. */
#ifndef MET_COST_LEVELS_H
#define MET_COST_LEVELS_H

#include "cost/problem.h"

/* How long a level needs for its traffic, all levels and the arithmetic overlapped or one after the other. */
typedef struct met_cost_time {
    double overlapped, serial;
} met_cost_time;
met_cost_time met_cost_time_of(uint32_t level_count, const double *seconds, double compute);

/* Outputs that stay in `children` units: the level above acts as if it held what all of them hold. */
double met_cost_virtual_capacity(double capacity, uint64_t children);

/* Units that exchange data among N of them at `exchange` instead of reading it from the parent at `parent` save this share
 * of the power term of the traffic, divided by the rates: (1/parent - 1/exchange)·(1 - N^-beta). */
double met_cost_exchange(double parent, double exchange, double beta, double units);

/* Bytes moved, as a multiple, if every value takes `factor` times the bytes and the capacity in bytes stays. */
double met_cost_requantized(double factor, double beta);

/* A square matmul moves 1/√M + 1/(2b) values a flop, b being the streamed size. The least M, and the least b, with which
 * `rate` values a second feed `peak` flops a second; INFINITY for the other means without limit, and as a result never. */
double met_cost_least_capacity(double peak, double rate, double streamed);
double met_cost_least_stream(double peak, double rate, double capacity);

/* Whole groups that a unit holds at once: the scarcest resource decides. */
typedef struct met_cost_resource {
    double capacity, per_block, per_group;
} met_cost_resource;
uint64_t met_cost_groups_held(const met_cost_resource *resource);
uint64_t met_cost_occupancy(uint32_t count, const met_cost_resource *resources);

/* A reduced loop split `splits` ways writes and reads its state once a split. */
uint64_t met_cost_split(uint64_t state_words, uint64_t splits);

/* The same loops with groups and streams exchanged: the tiles of what was streamed stay, what was held passes by, and what
 * is accumulated over the new groups is read and written again for each. Local loops stay. */
met_cost_problem met_cost_turned(met_arena *arena, const met_cost_problem *problem);

#endif
