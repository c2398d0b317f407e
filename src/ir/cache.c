#include "ir/cache.h"

uint64_t met_cache_tokens(uint64_t window, uint64_t old)
{
    return window == 0 || old < window ? old : window - 1;
}

bool met_cache_bytes(const met_cache *cache, uint64_t tokens, uint64_t *ret_bytes)
{
    uint64_t values;
    bool fits = !__builtin_mul_overflow(cache->heads, cache->width, &values);
    fits = !__builtin_mul_overflow(values, cache->arrays, &values) && fits;
    fits = !__builtin_mul_overflow(values, cache->bytes_per_value, &values) && fits;
    fits = !__builtin_mul_overflow(values, tokens, &values) && fits;
    /* 0 tokens take 0 bytes, however large one would be. */
    *ret_bytes = tokens == 0 ? 0 : values;
    return fits || tokens == 0;
}
