#include <stdio.h>
#include <string.h>

#include "support/random_parts.h"

const char random_labels[] = "ijkl";

unsigned random_size(char letter)
{
    static const unsigned sizes[] = { 2, 3, 1, 4, 2 };
    return sizes[letter - 'a'];
}

array *random_add(generator *g, const char *axes)
{
    array *a = &g->arrays[g->count < ARRAYS ? g->count++ : ARRAYS - 1];
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "v%u", g->made++);
    snprintf(a->axes, sizeof a->axes, "%s", axes);
    a->rank = (unsigned)strlen(a->axes);
    a->half = g->half;
    return a;
}

static const array *pick(generator *g, unsigned least_rank, bool masked, bool half)
{
    const array *fit[ARRAYS];
    unsigned count = 0;
    for (unsigned i = 0; i < g->count; i++) {
        const array *a = &g->arrays[i];
        if (!a->integer && (half || !a->half) && (masked || !a->masked) && a->rank >= least_rank)
            fit[count++] = a;
    }
    if (count == 0)
        return NULL;
    return fit[random_below(&g->r, 2) ? random_below(&g->r, count) : count - 1]; /* prefer what came last */
}

const array *random_pick(generator *g, unsigned least_rank, bool masked)
{
    return pick(g, least_rank, masked, false);
}

const array *random_pick_any(generator *g, unsigned least_rank)
{
    const array *a = pick(g, least_rank, true, true);
    g->half = a && a->half;
    return a;
}

/* What stands above the equations: real inputs, tables and their ids, lengths for masks, sometimes a state. */
static void put_types(generator *g, bool state)
{
    put(g->w, "x: a b, y: a b d, z: d, s: [], table: b d, ids: i32[a], lengths: i32[a]%s\n", state ? ", state old: t d" : "");
    static const char *const axes[] = { "ab", "abd", "d", "", "bd" };
    static const char *const names[] = { "x", "y", "z", "s", "table" };
    for (unsigned i = 0; i < 5; i++)
        snprintf(random_add(g, axes[i])->name, 8, "%s", names[i]);
    g->made = 0;
}

void random_equations(uint64_t seed, unsigned steps, char *ret_program, size_t room)
{
    writer w = { ret_program, room, 0 };
    generator g = { .r = { seed }, .w = &w };
    ret_program[0] = 0;
    bool state = random_below(&g.r, 3) == 0;
    put_types(&g, state);
    for (unsigned i = 0; i < steps && g.count + 2 < ARRAYS; i++)
        random_step(&g);
    if (state)
        put(&w, "new = kv_append[i d; i](old, table)\n");
    put(&w, "-> ");
    for (unsigned i = 5; i < g.count; i++)
        put(&w, "%s%s", i > 5 ? ", " : "", g.arrays[i].name);
    put(&w, g.count == 5 ? "x\n" : "\n");
}
