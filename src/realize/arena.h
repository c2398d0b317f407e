/* Where the buffers of a program stand in one stretch of memory. Launches run one after the other, so what a later launch
 * makes may stand where nothing is needed any more: each buffer lives from the first launch that names it to the last.
 * What comes from outside, and what is made once before all runs, lives always; results live to the end.
 *
 * Buffers are placed from the largest to the smallest (ties by number), each at the lowest place that is free for all of
 * its life, so the same program always has the same layout. */
#ifndef MET_REALIZE_ARENA_H
#define MET_REALIZE_ARENA_H

#include "realize/program.h"

#define MET_LAYOUT_LINE 64 /* offsets are multiples of it */

/* Launches [first, last]; `last` is the number of launches for what is wanted afterwards. */
typedef struct met_life {
    uint32_t first, last;
} met_life;

typedef struct met_layout {
    const uint64_t *offset; /* by buffer; 0 for those left out */
    const met_life *life;   /* by buffer */
    uint64_t bytes;         /* of the whole */
    uint64_t sum;           /* of the same buffers, if each stood alone */
} met_layout;

/* `outside`, by buffer: not to be placed, since somebody else has it; NULL: all are placed. Made in the arena. Sizes that
 * cannot be counted give UINT64_MAX / 2 bytes. */
const met_layout *met_layout_new(const met_program *program, const bool *outside, met_arena *arena);

/* NULL if no two buffers that live at the same time overlap and everything lies within `bytes`; otherwise what is wrong. */
const char *met_layout_check(const met_program *program, const bool *outside, const met_layout *layout);

#endif
