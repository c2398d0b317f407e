#include "base/vec.h"

#include <stdint.h>
#include <string.h>

void *met_vec_grow(met_arena *arena, void *at, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return at;
    if (*room > SIZE_MAX / 2)
        met_fatal("a list is too long");
    size_t wanted = *room ? *room * 2 : 8;
    void *moved = met_arena_alloc(arena, wanted, size);
    if (count != 0)
        memcpy(moved, at, count * size);
    *room = wanted;
    return moved;
}
