/* Reading a finished tree: parents, leaves under nodes and beside them. */
#include "reveal/parts.h"

const reveal_map *reveal_map_new(met_arena *arena, const met_bracketing *tree)
{
    reveal_map *map = MET_NEW(arena, reveal_map);
    map->tree = tree;
    map->parent = MET_NEW_ARRAY(arena, uint32_t, tree->node_count);
    map->some = MET_NEW_ARRAY(arena, uint32_t, tree->node_count);
    map->place = MET_NEW_ARRAY(arena, uint32_t, tree->leaf_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        map->parent[i] = REVEAL_NONE;
        map->some[i] = node->count ? map->some[tree->children[node->first]] : node->leaf;
        map->wide = map->wide || node->count > 2;
        if (node->count == 0) {
            map->place[node->leaf] = i;
        }
        for (uint32_t c = 0; c < node->count; c++) {
            map->parent[tree->children[node->first + c]] = i;
        }
    }
    return map;
}

uint32_t reveal_child(const reveal_map *map, uint32_t node, uint32_t c)
{
    return map->tree->children[map->tree->nodes[node].first + c];
}

uint32_t reveal_leaf(const reveal_map *map, uint32_t node, uint32_t c)
{
    return map->some[reveal_child(map, node, c)];
}

uint32_t reveal_leaf_outside(const reveal_map *map, uint32_t node)
{
    uint32_t parent = map->parent[node];
    return reveal_leaf(map, parent, reveal_child(map, parent, 0) == node);
}

uint32_t reveal_partner(const reveal_map *map, uint32_t leaf)
{
    return reveal_leaf_outside(map, map->place[leaf]);
}
