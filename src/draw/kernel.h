/* Kernels as drawings show them: the circuit of a kernel in the order in which it runs, with a plate for the kernel and,
 * within it, one for every pass over the stream; and what stands where wires cross the borders of these plates. */
#ifndef MET_DRAW_KERNEL_H
#define MET_DRAW_KERNEL_H

#include "derive/kernel.h"
#include "draw/figure.h"

/* The hexagon on one wire where it enters or leaves a plate. */
typedef struct met_tile {
    uint32_t block, edge, position;
    bool stream;  /* else a group */
    met_str text; /* g, s, or with the size of the tile: s=512 */
} met_tile;

struct met_tiling {
    const met_kernel *kernel;
    const met_circuit *circuit; /* block 0 is the kernel, the others are its passes */
    size_t tile_count;
    const met_tile *tiles;
    const bool *kept; /* by edge: an accumulator, kept between slices */
    met_str chosen;   /* for the legend: what a class of kernels chose, "cpu-avx512: q 96, x 512"; may be empty */
};

/* `sizes`: tile sizes of loops by name, "q=32,x=128", or NULL. False if it says anything else; `ret_bad` is the part. */
bool met_tiling_make(const met_kernel *kernel, met_str sizes, met_tiling *ret_tiling, met_str *ret_bad);
/* The loop of a name, or MET_NONE. */
uint32_t met_tiling_loop(const met_kernel *kernel, met_str name);
/* NULL if there is none. */
const met_tile *met_tiling_at(const met_tiling *tiling, uint32_t block, uint32_t edge, uint32_t position);

/* An array that crosses the border of a plate: hexagons on the wires that are partitioned there; a cylinder if it is an
 * accumulator that leaves, or that ends there because nobody else reads it. */
met_figure met_border_figure(const met_drafter *d, uint32_t block, uint32_t edge, met_item_kind kind);

/* What the hexagons and cylinders mean, and every accumulator, below the picture. */
void met_kernel_legend(const met_drafter *d, met_figure *figure);

/* What folds are called: `sum`, `max`. */
met_str met_fold_word(met_monoid monoid);

#endif
