/* Cost problems written down by hand: loops have one letter for a name, arrays and residents are the letters of theirs. */
#ifndef MET_TEST_COST_MAKER_H
#define MET_TEST_COST_MAKER_H

#include <assert.h>
#include <string.h>

#include "cost/problem.h"

#define MAKER_PARTS 32

typedef struct maker {
    met_arena *arena;
    met_cost_problem p;
    met_cost_loop loops[MAKER_PARTS];
    met_cost_array arrays[MAKER_PARTS];
    met_cost_resident residents[MAKER_PARTS];
    uint32_t order[MAKER_PARTS];
} maker;

static inline void make(maker *m, met_arena *arena)
{
    *m = (maker){ .arena = arena };
    m->p = (met_cost_problem){ .name = "test", .column_count = 1, .unit = 1 };
}

static inline uint32_t letter_of(const maker *m, char name)
{
    for (uint32_t l = 0; l < m->p.loop_count; l++)
        if (m->loops[l].name[0] == name)
            return l;
    return MET_NONE;
}

static inline met_loops letters_of(const maker *m, const char *names)
{
    met_loops loops = 0;
    for (; *names; names++) {
        assert(letter_of(m, *names) != MET_NONE);
        loops |= (met_loops)1 << letter_of(m, *names);
    }
    return loops;
}

/* Groups are given before streams, each outermost first. */
static inline void add_loop(maker *m, char name, uint64_t size, met_partition partition, uint64_t granule)
{
    char text[2] = { name, 0 };
    if (partition == MET_PARTITION_GROUP) {
        assert(m->p.group_count == m->p.order_count);
        m->p.group_count++;
    }
    if (partition != MET_PARTITION_LOCAL)
        m->order[m->p.order_count++] = m->p.loop_count;
    uint32_t number = m->p.loop_count++;
    const char *copy = met_arena_text(m->arena, text, 1);
    m->loops[number] = (met_cost_loop){ copy, copy, size, number, partition, granule };
}

static inline void add_array(maker *m, const char *name, const char *letters, met_cost_direction direction, uint64_t weight)
{
    met_cost_shape shape = { .loops = letters_of(m, letters) };
    m->arrays[m->p.array_count++] = (met_cost_array){ name, shape, direction, weight, 1 };
}

static inline void add_resident(maker *m, const char *letters, uint64_t weight)
{
    met_cost_shape shape = { .loops = letters_of(m, letters) };
    m->residents[m->p.resident_count++] = (met_cost_resident){ letters, shape, weight, 0, 0 };
}

/* An array whose tile stands in the level. */
static inline void add_tiled(maker *m, const char *name, const char *letters, met_cost_direction direction)
{
    add_array(m, name, letters, direction, 1);
    add_resident(m, letters, 1);
}

static inline const met_cost_problem *made(maker *m)
{
    m->p.loops = m->loops;
    m->p.arrays = m->arrays;
    m->p.residents = m->residents;
    m->p.order = m->order;
    const char *wrong = met_cost_problem_check(&m->p);
    (void)wrong;
    assert(!wrong);
    return &m->p;
}

/* --- Problems that several tests share --- */

/* out[a c] = Σ_b A[a b] B[b c], slices of s. */
static inline const met_cost_problem *make_matmul(maker *m, met_arena *arena, uint64_t a, uint64_t b, uint64_t c, uint64_t granule,
                                                  uint64_t s)
{
    make(m, arena);
    add_loop(m, 'a', a, MET_PARTITION_GROUP, granule);
    add_loop(m, 'c', c, MET_PARTITION_GROUP, granule);
    add_loop(m, 'b', b, MET_PARTITION_STREAM, s);
    add_tiled(m, "A", "ab", MET_COST_IN);
    add_tiled(m, "B", "bc", MET_COST_IN);
    add_tiled(m, "C", "ac", MET_COST_OUT);
    return made(m);
}

/* Rows q against a stream x, keys d wide and values e wide. */
static inline const met_cost_problem *make_attention(maker *m, met_arena *arena, const uint64_t *qxde, uint64_t granule, uint64_t s,
                                                     bool full)
{
    make(m, arena);
    add_loop(m, 'q', qxde[0], MET_PARTITION_GROUP, granule);
    add_loop(m, 'x', qxde[1], MET_PARTITION_STREAM, s);
    add_loop(m, 'd', qxde[2], MET_PARTITION_LOCAL, 1);
    add_loop(m, 'e', qxde[3], MET_PARTITION_LOCAL, 1);
    add_tiled(m, "Q", "qd", MET_COST_IN);
    add_tiled(m, "K", "xd", MET_COST_IN);
    add_tiled(m, "V", "xe", MET_COST_IN);
    add_tiled(m, "O", "qe", MET_COST_OUT);
    if (full) {
        add_resident(m, "qx", 1);
        add_resident(m, "q", 2);
    }
    return made(m);
}

/* act(x W1) W2 with the hidden loop f streamed; `gates` hidden arrays of one tile each. */
static inline const met_cost_problem *make_mlp(maker *m, met_arena *arena, uint64_t n, uint64_t width, uint64_t f, uint64_t s,
                                               uint64_t gates)
{
    make(m, arena);
    add_loop(m, 'n', n, MET_PARTITION_GROUP, 1);
    add_loop(m, 'f', f, MET_PARTITION_STREAM, s);
    add_loop(m, 'm', width, MET_PARTITION_LOCAL, 1);
    add_loop(m, 'p', width, MET_PARTITION_LOCAL, 1);
    add_tiled(m, "X", "nm", MET_COST_IN);
    for (uint64_t k = 0; k < gates; k++)
        add_tiled(m, "W", "mf", MET_COST_IN);
    add_tiled(m, "U", "fp", MET_COST_IN);
    add_tiled(m, "Y", "np", MET_COST_OUT);
    add_resident(m, "nf", gates);
    return made(m);
}

#endif
