#include "base/digest.h"

#include <sha2.h>
#include <string.h>

const char *met_digest(met_arena *arena, met_str bytes)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data((const uint8_t *)bytes.at, bytes.length, hex);
    return met_arena_text(arena, hex, strlen(hex));
}
