/* The cost problem of a kernel term: its loops and what happens to them, the arrays that it reads and stores, and what
 * stands in the level while a slice is worked on. It knows no operations, only loops, phases and formats.
 *
 * A group loop whose tiles would make a fold over a local loop run again for each of them is kept whole (the width of the
 * values in a fused attention); a local loop that is folded only together with the streamed one streams inside it.
 * Values that are made element by element take the place of what they are made from. Masked positions count like others,
 * and an array read by ids counts one element for each one that is read. */
#ifndef MET_COST_OF_KERNEL_H
#define MET_COST_OF_KERNEL_H

#include "cost/problem.h"

/* Which values stand in the level: all of them, or only the tiles of the arrays that are moved. */
typedef enum met_liveness { MET_LIVENESS_FULL, MET_LIVENESS_TILES } met_liveness;

/* What transfers and memory count. Bytes go by the formats of the arrays; accumulators and values in between are f32, or
 * f64 in a circuit whose default format is that. */
typedef enum met_cost_measure { MET_COST_VALUES, MET_COST_BYTES } met_cost_measure;

typedef struct met_cost_granule {
    met_str loop; /* by name; "tile": group loops of at least that size by which some array is not read, "stream": streamed
                     loops, but of those that are folded together only the last */
    uint64_t granule;
} met_cost_granule;

typedef struct met_cost_view {
    met_liveness liveness;
    met_cost_measure measure;
    uint32_t granule_count; /* a later one overrides those before it */
    const met_cost_granule *granules;
    bool restream; /* local loops that only steps of the body fold run inside the stream, slice by slice: what they belong
                      to is read again for each slice of it, and need not stand there whole */
} met_cost_view;

/* Whether `restream` changes anything. */
bool met_cost_can_restream(const met_kernel *kernel);

/* Sizes that are free are 0. NULL if it has more parts than a problem can hold, or formats whose widths have no common
 * fraction. */
const met_cost_problem *met_cost_of_kernel(met_arena *arena, const met_kernel *kernel, const met_cost_view *view);

#endif
