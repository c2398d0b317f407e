/* Inside of evaluation: values as arrays over their loops, and formulas at a position. */
#ifndef MET_DERIVE_EVALUATE_PARTS_H
#define MET_DERIVE_EVALUATE_PARTS_H

#include "derive/evaluate.h"

typedef struct met_points {
    uint32_t loop_count;
    const uint64_t *sizes;
    met_loops *loops;       /* of each value's array */
    const double **arrays;  /* by value */
    uint64_t at[MET_KERNEL_LOOPS]; /* the position */
    double before;          /* MET_REGION_STATE */
} met_points;

uint64_t met_points_count(const met_points *points, met_loops loops);
/* Index into an array over `loops` at the position. */
uint64_t met_points_offset(const met_points *points, met_loops loops);
/* The next position along `loops`, from 0 in all of them; false, and all 0 again, after the last. */
bool met_points_next(met_points *points, met_loops loops);
double met_points_eval(const met_points *points, const met_scalar *e);
bool met_points_live(const met_points *points, const met_scalar *live);
/* The fold of e over `reduced` at the position, where it is live. */
double met_points_fold(met_points *points, met_monoid monoid, met_loops reduced, const met_scalar *e, const met_scalar *live);

/* A selection among all elements at once: for each position along `loops`, the element that stands there in falling order
 * (ties by position), or its index. -inf and -1 where there are too few. */
typedef struct met_pick {
    met_loops loops, reduced, slot_loop;
    const met_scalar *e, *live;
    bool index;
} met_pick;
void met_points_pick(met_points *points, const met_pick *pick, double *ret_values);

struct met_stream_run {
    met_arena *arena;
    const met_stream_term *term;
    met_loops stream;
    met_points points;
    double **buffers;   /* by value of the term: what arrays point to, unless it is an input */
    size_t *offsets;    /* of states */
    size_t numbers;
    double *old, *merged; /* states while one is updated */
};

/* Values of a slot state as an array. */
void met_slots_fill(met_stream_run *run, uint32_t state, const double *from);
uint64_t met_slots_count(const met_stream_run *run, const met_stream_state *state);
void met_slots_insert(double *slots, uint64_t count, double value, double index);
/* One step of a state that is no plain fold, at the position: from run->old, with the states before it up to date. */
double met_state_step(met_stream_run *run, uint32_t state, const double *now);
/* left followed by right, at the position; `now` holds the combined states before it. */
double met_state_join(met_stream_run *run, uint32_t state, const double *left, const double *right, const double *now);

#endif
