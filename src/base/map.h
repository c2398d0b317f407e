/* A hash map from byte keys to 32-bit numbers. It has no iteration: nothing in met may depend on its order. */
#ifndef MET_BASE_MAP_H
#define MET_BASE_MAP_H

#include "base/arena.h"
#include "base/str.h"

typedef struct met_map met_map;

met_map *met_map_new(met_arena *arena);
/* Sets key → value, replacing an older value. Copies the key. */
void met_map_set(met_map *map, met_str key, uint32_t value);
bool met_map_get(const met_map *map, met_str key, uint32_t *ret_value);

/* Keys made of a pair of numbers. */
void met_map_set_pair(met_map *map, uint32_t a, uint32_t b, uint32_t value);
bool met_map_get_pair(const met_map *map, uint32_t a, uint32_t b, uint32_t *ret_value);

#endif
