/* States of the dynamic program of exact_cover.h. */
#ifndef MET_PLAN_EXACT_PARTS_H
#define MET_PLAN_EXACT_PARTS_H

#include "plan/exact_cover.h"

#define MET_COVER_OPEN 64 /* groups that may reach beyond the first uncovered node at the same time */

typedef struct met_cover_ahead {
    uint32_t node, group; /* a covered node beyond the first uncovered one, and its (open) group */
} met_cover_ahead;

typedef struct met_cover_live {
    uint32_t node;
    uint64_t from; /* a covered node before it that an uncovered one reads: the open groups that lead to it, its own too */
} met_cover_live;

typedef struct met_cover_term {
    met_cover_fact fact;
    bool demand; /* otherwise made */
} met_cover_term;

/* Open groups are numbered by their first node ahead. */
typedef struct met_cover_state {
    uint32_t first; /* uncovered node */
    uint32_t ahead_count, live_count, term_count, open_count;
    met_cover_ahead *ahead; /* ascending */
    met_cover_live *live;   /* ascending; nodes that no open group leads to are left out */
    met_cover_term *terms;  /* of edges between what is covered and what is not; by edge */
    uint64_t from[MET_COVER_OPEN]; /* by open group: those that lead to it, itself included */
} met_cover_state;

typedef enum met_cover_step { MET_COVER_STEP, MET_COVER_NO_STEP, MET_COVER_TOO_MANY } met_cover_step;

/* The state after a candidate that begins at the first uncovered node; arrays of the result are made in the arena. */
met_cover_step met_cover_next(met_arena *arena, const met_cover_problem *problem, const met_cover_state *state,
                              const met_cover_candidate *candidate, met_cover_state *ret_state);

/* States as words, equal for equal states: keys, and how states are kept. */
uint32_t met_cover_words(const met_cover_state *state);
void met_cover_pack(const met_cover_state *state, uint32_t *words);
void met_cover_unpack(met_arena *arena, const uint32_t *words, met_cover_state *ret_state);

/* Prices of nodes such that no candidate costs less than its nodes; the sum, but for rounding, is returned. ret_prices is
 * all zero. */
double met_cover_prices(const met_cover_problem *problem, double *ret_prices);

#endif
