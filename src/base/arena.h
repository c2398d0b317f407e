/* Arenas: memory that lives and dies together. One per result, one for scratch; nothing else in met frees memory. */
#ifndef MET_BASE_ARENA_H
#define MET_BASE_ARENA_H

#include <stddef.h>

typedef struct met_arena met_arena;

met_arena *met_arena_new(void);
void met_arena_free(met_arena *arena);

/* `count` zeroed objects of `size` bytes, aligned for any type. count·size is overflow-checked; exhaustion and
 * overflow end the process (see below). Never returns NULL, not even for 0 bytes. */
void *met_arena_alloc(met_arena *arena, size_t count, size_t size);

/* Copies of bytes; met_arena_text adds a NUL. */
void *met_arena_copy(met_arena *arena, const void *bytes, size_t count, size_t size);
char *met_arena_text(met_arena *arena, const char *bytes, size_t length);

/* Bytes handed out so far. */
size_t met_arena_used(const met_arena *arena);

/* For conditions no caller can mend: writes "met: MESSAGE" to stderr and aborts. */
_Noreturn void met_fatal(const char *message);
/* Says so on stderr and ends the process with status 3, which is no mistake of the program's: nothing is dumped. */
_Noreturn void met_out_of_memory(void);

#define MET_NEW(arena, type) ((type *)met_arena_alloc((arena), 1, sizeof(type)))
#define MET_NEW_ARRAY(arena, type, count) ((type *)met_arena_alloc((arena), (count), sizeof(type)))

#endif
