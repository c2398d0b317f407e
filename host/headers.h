/* Headers that the compiler has read already. The intrinsics of a vector class are tens of thousands of lines, which take
 * the compiler longer than a kernel; a precompiled header holds them, once a cache, compiler and set of flags. It changes
 * nothing in what is compiled: sources include the same headers, and find them included. */
#ifndef MET_HOST_HEADERS_H
#define MET_HOST_HEADERS_H

#include <stddef.h>

#include "host/cache.h"

typedef struct met_headers_request {
    const char *source;        /* a text that is to be compiled */
    size_t sources;            /* how many like it: a few are not worth the making */
    const char *const *command; /* compiler and flags, as for the source; NULL-terminated */
    const char *version;       /* what the compiler says of itself */
} met_headers_request;

/* The file for `-include`; NULL if the source has no such headers, or there is none and none can or need be made. Lives as long
 * as the session. */
const char *met_headers_find(met_session *session, met_cache *cache, const met_headers_request *request);

#endif
