/* The recovered record beside the subject, on inputs of many kinds: bits that differ say that the subject is no tree, whatever
 * masked inputs showed. */
#include <math.h>

#include "number/fold.h"
#include "reveal/parts.h"

void reveal_check_repeats(reveal *r, int times)
{
    static const reveal_input kinds[] = {REVEAL_CANCEL, REVEAL_WIDE};
    for (size_t k = 0; k < 2; k++) {
        reveal_draw(r, kinds[k]);
        double first = reveal_ask(r);
        for (int i = 1; i < times && reveal_goes_on(r); i++) {
            if (!reveal_same_answer(first, reveal_ask(r))) {
                r->verdict = MET_REVEAL_UNSTABLE;
                r->why = "the same input gave two answers";
            }
        }
    }
    reveal_fill(r, 0);
}

/* --- The record --- */

static double of_record(reveal *r, met_arena *scratch, const met_tree *tree)
{
    uint64_t n = r->probe->n;
    if (r->probe->accumulates) {
        r->a[n] = r->c;
        r->b[n] = 1;
    }
    double result = r->probe->kind == MET_PROBE_DOT ? met_tree_dot(scratch, tree, r->leaves, r->a, r->b)
                                                    : met_tree_run(scratch, tree, MET_MONOID_ADD, r->leaves, r->a);
    return met_round(r->probe->output, result);
}

/* What is said where bits differ first. */
#define BUT "masked inputs show a tree, but its bits are others on "
static const char *const differs[REVEAL_INPUTS] = {
    [REVEAL_NORMAL] = BUT "terms of one size",       [REVEAL_WIDE] = BUT "terms of many sizes",
    [REVEAL_CANCEL] = BUT "terms that cancel",       [REVEAL_TIES] = BUT "sums halfway between two numbers",
    [REVEAL_ASCENDING] = BUT "terms that ascend",    [REVEAL_SUBNORMAL] = BUT "subnormal terms",
    [REVEAL_ZEROS] = BUT "terms many of which are 0", [REVEAL_RANGE] = BUT "terms from the whole range of exponents",
    [REVEAL_TINY] = BUT "terms near the least number", [REVEAL_LARGE] = BUT "terms near the largest number",
    [REVEAL_HUGE] = BUT "sums that overflow",
};
#undef BUT

static void check_input(reveal *r, const met_tree *tree, reveal_input kind)
{
    reveal_draw(r, kind);
    met_arena *scratch = met_arena_new();
    double expected = of_record(r, scratch, tree), answer = reveal_ask(r);
    met_arena_free(scratch);
    if (reveal_goes_on(r) && !reveal_same_answer(expected, answer)) {
        r->named = kind >= REVEAL_SUBNORMAL; /* ordinary inputs are all right: it is such a sum, but for this */
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, differs[kind]);
    }
}

void reveal_check_bits(reveal *r, const met_tree *tree)
{
    int rounds = r->leaves <= 64 ? 8 : r->leaves <= 1024 ? 4 : 2;
    int last = tree->node == MET_NODE_MATRIX ? REVEAL_LARGE : REVEAL_HUGE; /* how units overflow is not known */
    for (int kind = 0; kind <= last; kind++) {
        int times = kind == REVEAL_TIES ? 8 * rounds : rounds; /* what is rarely seen is seen there */
        for (int i = 0; i < times && reveal_goes_on(r); i++) {
            check_input(r, tree, (reveal_input)kind);
        }
    }
    reveal_fill(r, 0);
}

/* All of them, and without what may be a tail. */
bool reveal_check_vanishing(reveal *r, const met_tree *tree, const bool *at)
{
    bool same = true;
    for (uint64_t block = 1; block <= 512 && block <= r->probe->n && same && reveal_draw_vanishing(r, tree, at, r->probe->n - r->probe->n % block); block *= 2) {
        met_arena *scratch = met_arena_new();
        same = reveal_same_answer(of_record(r, scratch, tree), reveal_ask(r));
        met_arena_free(scratch);
    }
    reveal_fill(r, 0);
    return same;
}

/* --- Where only zero can be read off --- */

/* Parents stand after their children. */
static uint32_t meeting_place(const reveal_map *map, uint32_t i, uint32_t j)
{
    uint32_t x = map->place[i], y = map->place[j];
    while (x != y) {
        if (x < y) {
            x = map->parent[x];
        } else {
            y = map->parent[y];
        }
    }
    return x;
}

static bool under(const reveal_map *map, uint32_t leaf, uint32_t node)
{
    uint32_t at = map->place[leaf];
    while (at < node) {
        at = map->parent[at];
    }
    return at == node;
}

static bool places_agree(reveal *r, const reveal_map *map, const uint32_t *leaf)
{
    if (r->probe->kind == MET_PROBE_SUM || r->probe->kind == MET_PROBE_DOT) {
        bool outside = !under(map, leaf[0], meeting_place(map, leaf[1], leaf[2]));
        return reveal_outside(r, leaf[0], leaf[1], leaf[2]) == outside;
    }
    bool first = !under(map, leaf[0], meeting_place(map, leaf[1], leaf[2]));
    return reveal_meet_first(r, leaf[1], leaf[2], leaf[0]) == first;
}

static void check_places(reveal *r, const reveal_map *map)
{
    for (int i = 0; i < 128 && r->leaves > 2 && reveal_goes_on(r); i++) {
        uint32_t leaf[3];
        for (int k = 0; k < 3; k++) {
            leaf[k] = (uint32_t)reveal_random(r, r->leaves);
        }
        bool apart = leaf[0] != leaf[1] && leaf[1] != leaf[2] && leaf[0] != leaf[2];
        if (apart && !places_agree(r, map, leaf)) {
            reveal_reject(r, MET_REVEAL_NOT_A_TREE, "the answers of masked inputs contradict each other");
        }
    }
}

void reveal_check_record(reveal *r, const reveal_map *map, const met_tree *tree)
{
    bool sum = r->probe->kind == MET_PROBE_SUM || r->probe->kind == MET_PROBE_DOT;
    if (!sum || r->probe->scaled) {
        check_places(r, map);
    } else if (r->leaves > 1) { /* of a single term nothing is known but how it starts */
        reveal_check_bits(r, tree);
    }
}

