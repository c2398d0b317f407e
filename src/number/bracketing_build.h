/* Bracketings in the making, children before parents. What reads, grows and reveals them has in common. */
#ifndef MET_NUMBER_BRACKETING_BUILD_H
#define MET_NUMBER_BRACKETING_BUILD_H

#include "base/vec.h"
#include "number/bracketing.h"

typedef struct met_bracketing_build {
    met_arena *arena;
    MET_VEC(met_bracketing_node) nodes;
    MET_VEC(uint32_t) children;
    uint32_t leaf_count;
} met_bracketing_build;

/* All three return the place of the new node. */
uint32_t met_build_leaf(met_bracketing_build *b, uint32_t leaf);
uint32_t met_build_pair(met_bracketing_build *b, uint32_t left, uint32_t right);
uint32_t met_build_node(met_bracketing_build *b, const uint32_t *places, size_t count);
/* The tree whose root was built last. */
const met_bracketing *met_build_finish(const met_bracketing_build *b);

#endif
