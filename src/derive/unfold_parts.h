/* Inside of met_region_unfold: a circuit while it is unfolded from its outputs back. A place is one affine expression in
 * loops for each position of an edge. */
#ifndef MET_DERIVE_UNFOLD_PARTS_H
#define MET_DERIVE_UNFOLD_PARTS_H

#include "base/map.h"
#include "derive/region.h"

typedef struct met_unfolder {
    met_arena *arena;
    const met_circuit *circuit;
    MET_VEC(met_region_loop) loops;
    MET_VEC(uint32_t) axes; /* of loops */
    MET_VEC(met_region_value) values;
    met_map *places;        /* text of edge and place → value */
    met_map *value_names, *loop_names;
    met_refusal refusal;
    uint32_t depth;
} met_unfolder;

/* MET_NONE; the first reason stays. `node` may be MET_NONE. */
uint32_t met_unfold_refuse(met_unfolder *u, uint32_t node, const char *reason);
/* `wanted`, numbered if it is taken. */
const char *met_unfold_name(met_unfolder *u, met_map *names, const char *wanted);
/* The first loop along an axis that is not in `busy`, so that folds of the same arrays come to share it; MET_NONE. */
uint32_t met_unfold_loop(met_unfolder *u, uint32_t axis, met_loops busy, const char *label);
/* The loops that a position reads. */
met_loops met_unfold_loops(met_affine at);
/* A new value; its loops follow from e. MET_NONE after a refusal. */
uint32_t met_unfold_add(met_unfolder *u, met_region_value value);
/* The value of an edge at a place. */
uint32_t met_unfold_edge(met_unfolder *u, uint32_t edge, const met_affine *at);
/* The same for an edge that a node makes. */
uint32_t met_unfold_node(met_unfolder *u, uint32_t edge, const met_affine *at);

#endif
