/* The recovered record beside the subject, on inputs of many kinds: bits that differ say that the subject is no tree, whatever
 * masked inputs showed. And what is said of such a subject. */
#include <math.h>

#include "number/exact.h"
#include "number/fold.h"
#include "reveal/parts.h"

/* --- Inputs --- */

typedef enum input_kind {
    INPUT_NORMAL,     /* of one size */
    INPUT_WIDE,       /* of many sizes */
    INPUT_CANCEL,     /* in pairs that cancel, and small ones */
    INPUT_TIES,       /* halves of last places beside ones */
    INPUT_ASCENDING,  /* by size */
    INPUT_SUBNORMAL,  /* near the bottom of float */
    INPUT_ZEROS,      /* and some that are not */
    INPUT_KINDS
} input_kind;

/* In [−1, 1). */
static double uniform(reveal *r)
{
    return ldexp((double)reveal_random(r, (uint64_t)1 << 53), -52) - 1;
}

static double sign(reveal *r)
{
    return reveal_random(r, 2) ? 1 : -1;
}

static double one_value(reveal *r, input_kind kind, uint64_t i)
{
    met_limits limits = met_dtype_limits(r->probe->input);
    uint64_t reach = (uint64_t)(ilogb(limits.max) - ilogb(limits.min_normal)) / 8;
    bool bottom = limits.min_normal <= 0x1p-126;
    int size = (int)reveal_random(r, 1 + (reach < 12 ? reach : 12)), last = reveal_random(r, 2) ? 23 : r->bits;
    switch (kind) {
    case INPUT_WIDE:
        return ldexp(uniform(r), size);
    case INPUT_CANCEL:
        return i % 3 == 2 ? ldexp(uniform(r), -6) : uniform(r);
    case INPUT_TIES:
        return sign(r) * (reveal_random(r, 3) ? ldexp((double)(1 + reveal_random(r, 3)), -1 - last) : 1);
    case INPUT_ASCENDING:
        return sign(r) * (1 + (double)i) / (double)r->leaves;
    case INPUT_SUBNORMAL:
        return ldexp(uniform(r), bottom ? (r->probe->kind == MET_PROBE_DOT ? -64 : -126) : -3);
    case INPUT_ZEROS:
        return sign(r) * (reveal_random(r, 4) ? 0 : uniform(r));
    default:
        return uniform(r) + uniform(r) + uniform(r);
    }
}

/* Fills the operands; c too. What cancels stands at random places. */
static void draw(reveal *r, input_kind kind)
{
    met_dtype input = r->probe->input;
    bool product = r->probe->kind == MET_PROBE_DOT, plain = kind == INPUT_TIES || kind == INPUT_ASCENDING;
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = met_round(input, one_value(r, kind, i));
        r->b[i] = product ? met_round(input, plain ? sign(r) : one_value(r, kind, i)) : 1;
        if (kind == INPUT_CANCEL && i % 3 == 1) {
            uint64_t other = reveal_random(r, i);
            r->a[i] = -r->a[other];
            r->b[i] = r->b[other];
        }
    }
    r->c = r->probe->accumulates ? met_round(r->probe->output, one_value(r, kind, 0)) : 0;
    r->background = (double)NAN; /* nothing to go back to */
}

static bool same_answer(double a, double b)
{
    return (isnan(a) && isnan(b)) || met_bits_f64(a) == met_bits_f64(b);
}

void reveal_check_repeats(reveal *r, int times)
{
    static const input_kind kinds[] = {INPUT_CANCEL, INPUT_WIDE};
    for (size_t k = 0; k < 2; k++) {
        draw(r, kinds[k]);
        double first = reveal_ask(r);
        for (int i = 1; i < times && reveal_goes_on(r); i++) {
            if (!same_answer(first, reveal_ask(r))) {
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

void reveal_check_bits(reveal *r, const met_tree *tree)
{
    int rounds = r->leaves <= 64 ? 8 : r->leaves <= 1024 ? 4 : 2;
    for (int i = 0; i < rounds * INPUT_KINDS && reveal_goes_on(r); i++) {
        draw(r, (input_kind)(i % INPUT_KINDS));
        met_arena *scratch = met_arena_new();
        double expected = of_record(r, scratch, tree), answer = reveal_ask(r);
        met_arena_free(scratch);
        if (!same_answer(expected, answer)) {
            reveal_reject(r, MET_REVEAL_NOT_A_TREE, "its bits are not those of the tree that masked inputs show");
        }
    }
    reveal_fill(r, 0);
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

/* --- What is no tree --- */

/* c + Σ a·b rounded once; products of two f64 are not exact. */
static double exact_answer(const reveal *r)
{
    met_exact sum;
    met_exact_clear(&sum);
    met_exact_add(&sum, r->c);
    for (uint64_t i = 0; i < r->probe->n; i++) {
        double product = r->a[i] * r->b[i];
        met_exact_add(&sum, product);
        met_exact_add(&sum, fma(r->a[i], r->b[i], -product));
    }
    return met_exact_round(&sum, r->probe->output, MET_RNE);
}

static void shuffle(reveal *r)
{
    for (uint64_t i = r->probe->n; i > 1; i--) {
        uint64_t j = reveal_random(r, i);
        double a = r->a[j], b = r->b[j];
        r->a[j] = r->a[i - 1];
        r->b[j] = r->b[i - 1];
        r->a[i - 1] = a;
        r->b[i - 1] = b;
    }
}

/* Positive terms: nothing cancels, so that what is compensated comes out as if it were exact. */
static void same_sign(reveal *r)
{
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = fabs(r->a[i]);
        r->b[i] = fabs(r->b[i]);
    }
    r->c = fabs(r->c);
}

const char *reveal_character(reveal *r)
{
    enum { INPUTS = 64 };
    int close = 0, exact = 0, moved = 0;
    bool sum = r->probe->kind == MET_PROBE_SUM || r->probe->kind == MET_PROBE_DOT;
    if (!sum || r->probe->scaled || r->leaves < 4) {
        return NULL;
    }
    for (int i = 0; i < INPUTS; i++) {
        draw(r, INPUT_NORMAL);
        same_sign(r);
        close += reveal_ask(r) == exact_answer(r);
        draw(r, INPUT_CANCEL);
        double answer = reveal_ask(r);
        exact += answer == exact_answer(r);
        shuffle(r);
        moved += !same_answer(answer, reveal_ask(r));
    }
    if (moved == 0 && exact < INPUTS) {
        return "the order depends on the data: it does not depend on where the terms stand";
    }
    return close > INPUTS * 3 / 4 ? "as good as exact: compensated, or rounded once" : NULL;
}
