/* The bracketings that records give, and those of matrix units. */
#include "number/bracketing_build.h"

#define NOWHERE UINT32_MAX

/* A record's tree in the making: where the partial result at each place stands among the nodes. */
typedef struct growth {
    met_bracketing_build b;
    uint32_t *place;
} growth;

static void pair_places(void *context, uint64_t to, uint64_t from)
{
    growth *g = context;
    g->place[to] = met_build_pair(&g->b, g->place[to], g->place[from]);
}

/* Terms of a partial result in groups, the accumulator first; a group of one term that starts is that term. */
static uint32_t chain_groups(growth *g, met_terms terms, uint32_t width)
{
    uint32_t places[MET_MATRIX_WIDTH + 1], acc = NOWHERE;
    for (uint64_t i = 0; i < terms.count; i += width) {
        uint32_t count = 0;
        if (acc != NOWHERE) {
            places[count++] = acc;
        }
        for (uint64_t k = i; k < terms.count && k < i + width; k++) {
            places[count++] = g->place[terms.base + k * terms.step];
        }
        acc = count == 1 ? places[0] : met_build_node(&g->b, places, count);
    }
    return acc;
}

/* The second term of each pair meets the accumulator before the first does. */
static uint32_t chain_pairs(growth *g, met_terms terms)
{
    uint32_t acc = NOWHERE;
    for (uint64_t i = 0; i < terms.count; i++) {
        uint64_t term = i % 2 ? i - 1 : i + 1 < terms.count ? i + 1 : i;
        uint32_t place = g->place[terms.base + term * terms.step];
        acc = acc == NOWHERE ? place : met_build_pair(&g->b, acc, place);
    }
    return acc;
}

static growth start_growth(met_arena *arena, uint64_t n)
{
    growth g = {.b = {.arena = arena}, .place = MET_NEW_ARRAY(arena, uint32_t, n)};
    for (uint64_t i = 0; i < n; i++) {
        g.place[i] = met_build_leaf(&g.b, (uint32_t)i);
    }
    return g;
}

/* Innermost partial results of nodes that take terms in groups, each at its number. */
static void grow_groups(growth *g, const met_tree *record, uint64_t n)
{
    uint64_t parts = met_tree_part_count(record, n);
    uint32_t *partial = MET_NEW_ARRAY(g->b.arena, uint32_t, parts);
    for (uint64_t part = 0; part < parts; part++) {
        met_terms terms = met_tree_part(record, n, part);
        bool pairs = record->node == MET_NODE_PAIRS;
        partial[part] = pairs ? chain_pairs(g, terms) : chain_groups(g, terms, record->unit.width);
    }
    for (uint64_t part = 0; part < parts; part++) {
        g->place[part] = partial[part];
    }
}

const met_bracketing *met_bracketing_of(met_arena *arena, const met_tree *record, uint64_t n)
{
    if (n == 0 || n > MET_BRACKETING_LEAVES || !met_tree_fits(record, n)) {
        return NULL;
    }
    if (record->written) {
        return record->written;
    }
    growth g = start_growth(arena, n);
    if (record->node != MET_NODE_ADD) {
        grow_groups(&g, record, n);
    }
    met_tree_walk(record, n, record->node == MET_NODE_ADD, pair_places, &g);
    return met_build_finish(&g.b);
}

const met_bracketing *met_bracketing_chain(met_arena *arena, uint32_t width, uint64_t n)
{
    if (n == 0 || n >= MET_BRACKETING_LEAVES || width == 0 || width > MET_MATRIX_WIDTH) {
        return NULL;
    }
    growth g = start_growth(arena, n + 1);
    uint32_t places[MET_MATRIX_WIDTH + 1], acc = g.place[n];
    for (uint64_t i = 0; i < n; i += width) {
        uint32_t count = 0;
        for (uint64_t k = i; k < n && k < i + width; k++) {
            places[count++] = g.place[k];
        }
        places[count++] = acc;
        acc = met_build_node(&g.b, places, count);
    }
    return met_build_finish(&g.b);
}

