#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_STEP = 1 << 20 };

typedef struct chunk {
    struct chunk *previous;
    size_t capacity;
    size_t used;
    max_align_t bytes[];
} chunk;

struct met_arena {
    chunk *last;
    size_t used;
};

_Noreturn void met_fatal(const char *message)
{
    fprintf(stderr, "met: %s\n", message);
    abort();
}

_Noreturn void met_out_of_memory(void)
{
    fputs("met: out of memory\n", stderr);
    _Exit(3);
}

met_arena *met_arena_new(void)
{
    met_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        met_out_of_memory();
    return arena;
}

void met_arena_free(met_arena *arena)
{
    if (!arena)
        return;
    for (chunk *c = arena->last; c;) {
        chunk *previous = c->previous;
        free(c);
        c = previous;
    }
    free(arena);
}

static chunk *add_chunk(met_arena *arena, size_t wanted)
{
    size_t capacity = arena->last ? arena->last->capacity * 2 : FIRST_CHUNK;
    if (capacity > LARGEST_STEP)
        capacity = LARGEST_STEP;
    if (capacity < wanted)
        capacity = wanted;
    if (capacity > SIZE_MAX - sizeof(chunk))
        met_out_of_memory();
    chunk *c = calloc(1, sizeof(chunk) + capacity);
    if (!c)
        met_out_of_memory();
    c->capacity = capacity;
    c->previous = arena->last;
    arena->last = c;
    return c;
}

void *met_arena_alloc(met_arena *arena, size_t count, size_t size)
{
    const size_t alignment = _Alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX - alignment) / size)
        met_fatal("an allocation is larger than the address space");
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    if (bytes == 0)
        bytes = alignment;
    chunk *c = arena->last;
    if (!c || c->capacity - c->used < bytes)
        c = add_chunk(arena, bytes);
    void *result = (char *)c->bytes + c->used;
    c->used += bytes;
    arena->used += bytes;
    return result;
}

void *met_arena_copy(met_arena *arena, const void *bytes, size_t count, size_t size)
{
    void *copy = met_arena_alloc(arena, count, size);
    if (count != 0 && size != 0)
        memcpy(copy, bytes, count * size);
    return copy;
}

char *met_arena_text(met_arena *arena, const char *bytes, size_t length)
{
    char *copy = met_arena_alloc(arena, length + 1, 1);
    if (length != 0)
        memcpy(copy, bytes, length);
    return copy;
}

size_t met_arena_used(const met_arena *arena)
{
    return arena->used;
}
