#include "base/map.h"

#include <string.h>

typedef struct slot {
    met_str key;
    uint64_t hash;
    uint32_t value;
    bool used;
} slot;

struct met_map {
    met_arena *arena;
    slot *slots;
    size_t room; /* a power of two */
    size_t count;
};

met_map *met_map_new(met_arena *arena)
{
    met_map *map = MET_NEW(arena, met_map);
    map->arena = arena;
    map->room = 16;
    map->slots = MET_NEW_ARRAY(arena, slot, map->room);
    return map;
}

/* FNV-1a (Fowler, Noll, Vo), with a final mix so that the low bits are usable as an index. */
static uint64_t hash_of(met_str key)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < key.length; i++)
        h = (h ^ (unsigned char)key.at[i]) * 1099511628211u;
    h ^= h >> 32;
    return h * 0x9E3779B97F4A7C15u;
}

static slot *find(const met_map *map, met_str key, uint64_t hash)
{
    size_t i = (size_t)(hash >> 20) & (map->room - 1);
    while (map->slots[i].used && !(map->slots[i].hash == hash && met_str_equal(map->slots[i].key, key)))
        i = (i + 1) & (map->room - 1);
    return &map->slots[i];
}

static void grow(met_map *map)
{
    slot *old = map->slots;
    size_t old_room = map->room;
    map->room *= 2;
    map->slots = MET_NEW_ARRAY(map->arena, slot, map->room);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].used)
            *find(map, old[i].key, old[i].hash) = old[i];
}

void met_map_set(met_map *map, met_str key, uint32_t value)
{
    if (map->count * 2 >= map->room)
        grow(map);
    uint64_t hash = hash_of(key);
    slot *s = find(map, key, hash);
    if (!s->used) {
        *s = (slot){ .hash = hash, .used = true };
        s->key = (met_str){ met_arena_text(map->arena, key.at, key.length), key.length };
        map->count++;
    }
    s->value = value;
}

bool met_map_get(const met_map *map, met_str key, uint32_t *ret_value)
{
    const slot *s = find(map, key, hash_of(key));
    if (s->used && ret_value)
        *ret_value = s->value;
    return s->used;
}

void met_map_set_pair(met_map *map, uint32_t a, uint32_t b, uint32_t value)
{
    uint32_t key[2] = { a, b };
    met_map_set(map, (met_str){ (const char *)key, sizeof key }, value);
}

bool met_map_get_pair(const met_map *map, uint32_t a, uint32_t b, uint32_t *ret_value)
{
    uint32_t key[2] = { a, b };
    return met_map_get(map, (met_str){ (const char *)key, sizeof key }, ret_value);
}
