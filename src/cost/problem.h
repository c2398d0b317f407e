/* Cost problems: a tiled loop nest at one level of memory, as far as transfers and memory are concerned. Which loops
 * there are and what happens to each (group, stream, local), which arrays cross the boundary above the level, and what
 * stands in the level. It knows no hardware and no operations.
 *
 * Units: weights say how much one element counts (1 value, or bytes), in fractions 1/`unit`, so that odd formats stay
 * whole numbers; traffic and memory come in the same fractions. All arithmetic stays at MET_BEYOND once it got there.
 *
 * Traffic of an array: its size, times the trips of every group loop that it lacks. Where streamed loops run inside, the
 * product goes over every loop, outermost first, down to the innermost one that the array has. A loop of one trip is no
 * loop. Ragged last tiles add nothing. */
#ifndef MET_COST_PROBLEM_H
#define MET_COST_PROBLEM_H

#include "derive/kernel.h"

#define MET_BEYOND UINT64_MAX

static inline uint64_t met_beyond_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? MET_BEYOND : product;
}

static inline uint64_t met_beyond_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? MET_BEYOND : sum;
}

typedef struct met_cost_loop {
    const char *name;
    const char *size_name; /* what formulas call its size */
    uint64_t size;         /* 0 while it is not known */
    uint32_t like;         /* the first loop of the same size, whatever it is, often itself: one symbol in formulas */
    met_partition partition;
    uint64_t granule;   /* tiles are multiples of it, from 1; a whole loop below it is one tile, padded in memory */
} met_cost_loop;

/* A position of an array that several loops walk together: the sum of coefficient·loop. Local loops first, then in
 * increasing order of coefficient. */
typedef struct met_cost_walk {
    uint32_t loop;
    uint64_t coefficient; /* from 1 */
} met_cost_walk;
typedef struct met_cost_window {
    uint32_t walk_count;
    const met_cost_walk *walks;
    uint64_t limit; /* positions that there are; 0: as many as the loops reach */
} met_cost_window;

/* What of an array is read under a set of loops: one position for each of `loops`, and the windows. */
typedef struct met_cost_shape {
    met_loops loops;
    uint32_t window_count;
    const met_cost_window *windows;
} met_cost_shape;

typedef enum met_cost_direction { MET_COST_IN, MET_COST_OUT, MET_COST_UPDATE /* read and written */ } met_cost_direction;

typedef struct met_cost_array {
    const char *name;
    met_cost_shape shape;
    met_cost_direction direction;
    uint64_t weight; /* of one element moved once; UPDATE moves it twice */
    uint32_t passes; /* over the streamed loops, from 1; one pass is enough if a slice is the whole stream */
} met_cost_array;

/* What stands in the level while columns first..last run. The memory is that of the largest column. */
typedef struct met_cost_resident {
    const char *name;
    met_cost_shape shape;
    uint64_t weight;
    uint32_t first, last;
} met_cost_resident;

typedef struct met_cost_problem {
    const char *name;
    uint32_t loop_count; /* at most MET_KERNEL_LOOPS */
    const met_cost_loop *loops;
    uint32_t order_count, group_count; /* group and stream loops, outermost first; the first group_count are groups */
    const uint32_t *order;
    uint32_t array_count, resident_count, column_count;
    const met_cost_array *arrays;
    const met_cost_resident *residents;
    uint64_t unit; /* from 1 */
} met_cost_problem;

/* NULL if the comments above hold, otherwise what does not. */
const char *met_cost_problem_check(const met_cost_problem *problem);

/* Loops that the position of an element depends on. */
met_loops met_cost_carries(const met_cost_shape *shape);

/* `tile` has the tile of every loop: group and stream sizes, and the whole size of a local one. Sizes must be known. */
uint64_t met_cost_array_traffic(const met_cost_problem *problem, const met_cost_array *array, const uint64_t *tile);
uint64_t met_cost_traffic(const met_cost_problem *problem, const uint64_t *tile);
uint64_t met_cost_memory(const met_cost_problem *problem, const uint64_t *tile);
/* Every array once: no schedule moves less. */
uint64_t met_cost_compulsory(const met_cost_problem *problem);

/* Positions from the first to the last that g outputs read through stride·i + dilation·k, 0 <= k < w. */
uint64_t met_cost_extent(uint64_t g, uint64_t w, uint64_t stride, uint64_t dilation);

#endif
