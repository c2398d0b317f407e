/* Growing arrays in an arena. Declare with MET_VEC(type); growth copies, so pointers into a vector are not kept. */
#ifndef MET_BASE_VEC_H
#define MET_BASE_VEC_H

#include "base/arena.h"

#define MET_VEC(type) \
    struct {          \
        type *at;     \
        size_t count; \
        size_t room;  \
    }

/* Makes room for one more element and returns the (possibly moved) storage. */
void *met_vec_grow(met_arena *arena, void *at, size_t count, size_t *room, size_t size);

#define MET_PUSH(arena, vec, value)                                                                      \
    ((vec)->at = met_vec_grow((arena), (vec)->at, (vec)->count, &(vec)->room, sizeof *(vec)->at),        \
     (vec)->at[(vec)->count++] = (value))

#endif
