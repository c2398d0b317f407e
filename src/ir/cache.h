/* What a decode cache keeps between two tokens. */
#ifndef MET_IR_CACHE_H
#define MET_IR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct met_cache {
    uint64_t heads, width;          /* of one array's rows */
    uint64_t arrays;                /* 2: keys and values */
    uint64_t bytes_per_value;
} met_cache;

/* A window of w positions includes the new token, so w - 1 old ones are kept; 0 is no window: all of `old`. */
uint64_t met_cache_tokens(uint64_t window, uint64_t old);
/* False if the bytes do not fit 64 bits. */
bool met_cache_bytes(const met_cache *cache, uint64_t tokens, uint64_t *ret_bytes);

#endif
