/* SHA-256, as 64 hexadecimal digits (libmd). */
#ifndef MET_BASE_DIGEST_H
#define MET_BASE_DIGEST_H

#include "base/arena.h"
#include "base/str.h"

/* NUL-terminated, in the arena. */
const char *met_digest(met_arena *arena, met_str bytes);

#endif
