#include "plan/lowering_diff.h"

#include <assert.h>

#include "base/map.h"
#include "base/vec.h"

typedef struct differ {
    met_arena *arena;
    const met_lowering *a, *b;
    uint32_t *root;  /* by node: nodes of one set lead to the same one, its first */
    met_map *known;  /* changes by their text */
    MET_VEC(met_lowering_change) changes;
    uint32_t same;
    double same_a_seconds, same_b_seconds;
} differ;

static uint32_t find(differ *d, uint32_t node)
{
    while (d->root[node] != node)
        node = d->root[node] = d->root[d->root[node]];
    return node;
}

/* The nodes of every group belong together, in either plan. */
static void join_groups(differ *d, const met_lowering *lowering)
{
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        for (uint32_t n = 1; n < group->node_count; n++) {
            uint32_t x = find(d, group->nodes[0].id), y = find(d, group->nodes[n].id);
            d->root[x > y ? x : y] = x < y ? x : y;
        }
    }
}

static void put_kernels(met_text *out, const met_lowering_group *group)
{
    met_text_put(out, out->length ? " + " : "");
    for (uint32_t k = 0; k < group->kernels.count; k++)
        met_text_format(out, "%s%s", k ? ", " : "", group->kernels.names[k]);
    if (group->kernels.count == 0)
        met_text_put(out, "none");
}

/* The kernels of the groups of a set, and how many these are. */
static uint32_t describe(differ *d, const met_lowering *lowering, uint32_t root, const char **ret_kernels, double *ret_seconds)
{
    met_text text = met_text_new(d->arena);
    uint32_t count = 0;
    *ret_seconds = 0;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        if (find(d, group->nodes[0].id) != root)
            continue;
        put_kernels(&text, group);
        *ret_seconds += group->price.seconds;
        count++;
    }
    *ret_kernels = met_text_done(&text);
    return count;
}

static const char *ops_of(differ *d, uint32_t root)
{
    met_text text = met_text_new(d->arena);
    const met_circuit *circuit = d->a->circuit;
    for (uint32_t n = root; n < circuit->node_count; n++)
        if (find(d, n) == root)
            met_text_format(&text, "%s%s", text.length ? ", " : "", circuit->nodes[n].op ? circuit->nodes[n].op->name : "box");
    return met_text_done(&text);
}

static void compare_set(differ *d, uint32_t root)
{
    met_lowering_change change = { .count = 1, .ops = ops_of(d, root) };
    uint32_t in_a = describe(d, d->a, root, &change.a, &change.a_seconds);
    uint32_t in_b = describe(d, d->b, root, &change.b, &change.b_seconds), number;
    if (in_a == 1 && in_b == 1 && met_str_is(met_str_of(change.a), change.b)) {
        d->same++;
        d->same_a_seconds += change.a_seconds;
        d->same_b_seconds += change.b_seconds;
        return;
    }
    met_text key = met_text_new(d->arena);
    met_text_format(&key, "%s|%s|%s|%a|%a", change.ops, change.a, change.b, change.a_seconds, change.b_seconds);
    met_str text = { met_text_done(&key), key.length };
    if (met_map_get(d->known, text, &number)) {
        d->changes.at[number].count++;
        return;
    }
    met_map_set(d->known, text, (uint32_t)d->changes.count);
    MET_PUSH(d->arena, &d->changes, change);
}

const met_lowering_diff *met_lowering_compare(const met_lowering *a, const met_lowering *b)
{
    assert(a->circuit->node_count == b->circuit->node_count);
    met_arena *arena = a->circuit->arena;
    differ d = { .arena = arena, .a = a, .b = b, .root = MET_NEW_ARRAY(arena, uint32_t, a->circuit->node_count),
                 .known = met_map_new(arena) };
    for (uint32_t n = 0; n < a->circuit->node_count; n++)
        d.root[n] = n;
    join_groups(&d, a);
    join_groups(&d, b);
    for (uint32_t n = 0; n < a->circuit->node_count; n++)
        if (find(&d, n) == n)
            compare_set(&d, n);
    met_lowering_diff *diff = MET_NEW(arena, met_lowering_diff);
    *diff = (met_lowering_diff){ .same = d.same, .same_a_seconds = d.same_a_seconds, .same_b_seconds = d.same_b_seconds,
                                 .change_count = (uint32_t)d.changes.count, .changes = d.changes.at };
    return diff;
}
