#include "number/witness.h"

#include <math.h>

#include "number/fold.h"
#include "number/mix.h"

enum { TRIES = 12000, MORE = 1500 /* tries for a better one */, TERMS = 1 << 24 /* of all tries together */, FEW = 16, NEAR = 24, REDUCED = 4096 /* terms */ };

typedef struct search {
    met_arena *arena;
    met_operands operands;
    uint64_t n, random;
    met_fold *folds[2];
    const met_bracketing *shapes[2]; /* NULL where a tree is too large */
    uint32_t *parents[2];
    int bits, least, greatest; /* significand, and exponents of normal numbers of the format */
    double *a, *b;
} search;

static uint64_t next(search *s)
{
    return met_mix_next(&s->random);
}

static uint64_t below(search *s, uint64_t n)
{
    return (next(s) >> 11) % n;
}

static int between(search *s, int low, int high)
{
    return low + (int)below(s, (uint64_t)(high - low) + 1);
}

static double sum_of(search *s, met_fold *fold)
{
    met_fold_begin(fold);
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->operands.sum) {
            met_fold_push(fold, i, s->a[i]);
        } else {
            met_fold_push_product(fold, i, s->a[i], s->b[i]);
        }
    }
    return met_fold_end(fold);
}

static bool same_bits(double x, double y)
{
    return met_bits_f64(x) == met_bits_f64(y) || (x != x && y != y);
}

static bool differs(search *s, met_witness_run *run)
{
    *run = (met_witness_run){s->a, s->b, sum_of(s, s->folds[0]), sum_of(s, s->folds[1])};
    return !same_bits(run->result_a, run->result_b);
}

/* Infinities and NaN say less of what two records do. */
static bool is_finite(const met_witness_run *run)
{
    return isfinite(run->result_a) && isfinite(run->result_b);
}

/* --- Leaves that meet early --- */

static uint32_t *parents_of(met_arena *arena, const met_bracketing *tree)
{
    uint32_t *parents = MET_NEW_ARRAY(arena, uint32_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        parents[i] = i;
    }
    for (uint32_t i = 0; i < tree->node_count; i++) {
        for (uint32_t c = 0; c < tree->nodes[i].count; c++) {
            parents[tree->children[tree->nodes[i].first + c]] = i;
        }
    }
    return parents;
}

static uint32_t leaf_below(search *s, const met_bracketing *tree, uint32_t node)
{
    while (tree->nodes[node].count) {
        node = tree->children[tree->nodes[node].first + below(s, tree->nodes[node].count)];
    }
    return tree->nodes[node].leaf;
}

/* Leaves for a try: around some node of one of the trees, and after those anywhere. They may repeat. */
static void choose_leaves(search *s, uint32_t *leaves, int count)
{
    int side = (int)below(s, 2), done = 0;
    const met_bracketing *tree = s->shapes[side];
    if (tree && tree->node_count > 1 && below(s, 4)) {
        uint32_t node = (uint32_t)below(s, tree->node_count);
        node = tree->nodes[node].count ? node : s->parents[side][node];
        for (; done < count; done++) {
            leaves[done] = leaf_below(s, tree, done < 2 && tree->nodes[node].count > (uint32_t)done
                                                   ? tree->children[tree->nodes[node].first + (uint32_t)done]
                                                   : node);
            node = done > 0 && below(s, 2) ? s->parents[side][node] : node;
        }
    }
    for (; done < count; done++) {
        leaves[done] = (uint32_t)below(s, s->n);
    }
    for (int i = count - 1; i > 0; i--) {
        uint64_t other = below(s, (uint64_t)i + 1);
        uint32_t leaf = leaves[i];
        leaves[i] = leaves[other];
        leaves[other] = leaf;
    }
}

/* --- Numbers of the format --- */

static double number(const search *s, double value)
{
    double rounded = met_operands_round(s->operands, value);
    return isfinite(rounded) ? rounded : copysign(met_operands_largest(s->operands), value);
}

static double significand(search *s)
{
    double ulp = ldexp(1, 1 - s->bits);
    switch (below(s, 8)) {
    case 0:
    case 1:
        return 1;
    case 2:
        return 1 + ulp;
    case 3:
        return 2 - ulp;
    case 4:
        return 1.5;
    case 5:
        return 1 + ldexp(1, -(int)below(s, (uint64_t)s->bits));
    default:
        return 1 + ldexp((double)(next(s) >> 11), -53);
    }
}

/* A term of about 2^exponent. */
static void put_term(search *s, uint32_t leaf, int exponent)
{
    int half = s->operands.sum ? exponent : exponent / 2 + between(s, -1, 1), rest = exponent - half;
    double sign = below(s, 2) ? 1 : -1;
    if (below(s, 8) == 0 && !s->operands.sum) { /* subnormal by something large */
        half = s->least - between(s, 0, s->bits);
        rest = exponent - half;
    } else if (below(s, 4) == 0) {
        half = exponent < 0 ? (exponent > s->least ? exponent : s->least) : exponent < s->greatest ? exponent : s->greatest;
        half = s->operands.sum ? exponent : half;
        rest = exponent - half;
    }
    s->a[leaf] = number(s, sign * ldexp(significand(s), half));
    s->b[leaf] = s->operands.sum ? 1 : number(s, ldexp(significand(s), rest));
    if (exponent < -120 && !s->operands.sum && below(s, 8) == 0) { /* rounds up to the least normal number */
        s->a[leaf] = number(s, sign * (1 - 0x1p-24));
        s->b[leaf] = number(s, 0x1p-126);
    }
}

/* A product that is a number of few bits, such as the middle between two, or as near to one as some tries find. */
static void put_near(search *s, uint32_t leaf, int exponent)
{
    static const int places[] = {0, 0, 8, 8, 9, 11, 11, 12, 13, 24, 24, 25};
    int place = below(s, 4) ? places[below(s, sizeof places / sizeof places[0])] : (int)below(s, 26), half = exponent / 2;
    double target = 1 + ldexp((double)below(s, 8), -place), sign = below(s, 2) ? 1 : -1, least = 1;
    bool exact = below(s, 3) == 0;
    if (s->operands.sum) {
        s->a[leaf] = number(s, sign * ldexp(target, half));
        return;
    }
    for (int i = 0; i < NEAR; i++) {
        double x = number(s, 1 + ldexp((double)(next(s) >> 11), -53)), y = number(s, target / x);
        double off = fabs(x * y / target - 1);
        if (off < least && (exact || off > 0)) {
            least = off;
            s->a[leaf] = number(s, sign * ldexp(x, half));
            s->b[leaf] = number(s, ldexp(y, exponent - half));
        }
    }
}

/* The negative of another term, nearly. */
static void put_opposite(search *s, uint32_t leaf, uint32_t of)
{
    double value = s->a[of] * s->b[of];
    if (s->operands.sum || below(s, 2)) {
        s->a[leaf] = number(s, -value);
        s->b[leaf] = s->operands.sum || isfinite(value) ? 1 : s->b[of];
    } else {
        s->a[leaf] = -s->a[of];
        s->b[leaf] = s->b[of];
    }
}

static int exponent_limit(const search *s, bool high)
{
    int limit = high ? s->greatest : s->least - s->bits + 1;
    return s->operands.sum ? limit : 2 * limit;
}

/* Where a try plays: about 1; anywhere; where results become subnormal; where they overflow. */
static int base_exponent(search *s)
{
    int high = exponent_limit(s, true), low = exponent_limit(s, false), at;
    switch (below(s, 6)) {
    case 0:
        at = between(s, low, high);
        break;
    case 1:
        at = between(s, -152, -122);
        break;
    case 2:
        at = below(s, 2) ? between(s, 124, 129) : between(s, 13, 17);
        break;
    case 3:
        at = below(s, 2) ? high : below(s, 2) ? between(s, -28, -13) : between(s, -136, -130);
        break;
    default:
        at = between(s, -2, 2);
    }
    return at < low ? low : at > high ? high : at;
}

static void fill(search *s, double zero)
{
    for (uint64_t i = 0; i < s->n; i++) {
        s->a[i] = zero;
        s->b[i] = 1;
    }
}

/* A few terms among zeros: of sizes that are apart by up to what an arithmetic holds, some of them opposite. */
static void try_few(search *s)
{
    uint32_t leaves[FEW];
    int count = between(s, 1, below(s, 3) ? 4 : FEW), base = base_exponent(s), at = base;
    int spread = below(s, 2) ? 2 : below(s, 2) ? 30 : 64;
    choose_leaves(s, leaves, count);
    for (int i = 0; i < count; i++) {
        if (i > 0 && below(s, 3) == 0) {
            put_opposite(s, leaves[i], leaves[below(s, (uint64_t)i)]);
        } else {
            (below(s, 4) ? put_term : put_near)(s, leaves[i], at);
        }
        at = below(s, 4) ? base - between(s, 0, spread) : at - between(s, 22, 27);
    }
}

static void try_all(search *s)
{
    int base = base_exponent(s), spread = below(s, 3) ? 1 : between(s, 2, 40);
    bool negative = below(s, 4) == 0;
    for (uint64_t i = 0; i < s->n; i++) {
        put_term(s, (uint32_t)i, base - between(s, 0, spread));
        s->a[i] = negative ? -fabs(s->a[i]) : s->a[i];
        if (i > 0 && !negative && below(s, 8) == 0) {
            put_opposite(s, (uint32_t)i, (uint32_t)below(s, i));
        }
    }
}

static void put_value(search *s, uint32_t leaf, double sign, int exponent)
{
    int half = s->operands.sum ? exponent : exponent / 2;
    s->a[leaf] = sign * ldexp(1, half);
    s->b[leaf] = ldexp(1, exponent - half);
}

/* Powers of two that an addition of some precision just holds, or does not. */
static void try_stairs(search *s)
{
    static const int steps[] = {0, 0, 0, 8, 9, 11, 12, 23, 24, 24, 25, 25, 53, 54};
    uint32_t leaves[4];
    int count = between(s, 2, 4), high = exponent_limit(s, true), low = exponent_limit(s, false);
    int base = below(s, 2) ? high - between(s, 0, 2) : between(s, 0, high < 16 ? high : 16);
    choose_leaves(s, leaves, count);
    for (int i = 0; i < count; i++) {
        int down = below(s, 4) ? steps[below(s, sizeof steps / sizeof steps[0])] : between(s, 0, 62);
        int exponent = base - down < low ? low : base - down;
        if (below(s, 3)) {
            put_value(s, leaves[i], below(s, 2) ? 1 : -1, exponent);
        } else {
            put_near(s, leaves[i], exponent);
        }
    }
}

static void one_try(search *s, uint64_t number_of)
{
    fill(s, number_of % 2 ? -0.0 : 0.0);
    if (number_of < 2) {
        return; /* zeros alone */
    }
    if (below(s, 4) == 0) {
        try_stairs(s);
    } else if (below(s, 3)) {
        try_few(s);
    } else {
        try_all(s);
    }
}

/* --- By construction --- */

/* Something that swallows the third, its negative, and the third: in sizes that the formats have. */
static bool try_shape(search *s, const met_witness *leaves, met_witness_run *run)
{
    static const int sizes[][2] = {{100, 0}, {30, 0}, {15, -24}, {14, 3}, {14, 0}, {8, -9}, {30, -30}, {30, -48}, {60, 0}, {16, -18}};
    int high = exponent_limit(s, true), low = exponent_limit(s, false);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i][0] > high || sizes[i][1] < low) {
            continue;
        }
        fill(s, 0);
        put_value(s, leaves->plus, 1, sizes[i][0]);
        put_value(s, leaves->minus, -1, sizes[i][0]);
        put_value(s, leaves->one, 1, sizes[i][1]);
        if (differs(s, run)) {
            return true;
        }
    }
    return false;
}

/* Leaves out what the difference does not need. */
static void reduce(search *s, met_witness_run *run)
{
    bool finite = is_finite(run);
    for (uint64_t i = 0; i < s->n && s->n <= REDUCED; i++) {
        double a = s->a[i], b = s->b[i];
        s->a[i] = 0;
        s->b[i] = 1;
        if (a != 0 && !(differs(s, run) && (is_finite(run) || !finite))) {
            s->a[i] = a;
            s->b[i] = b;
        } else if (a == 0) {
            s->a[i] = a; /* which zero it is may matter */
        }
    }
    differs(s, run);
}

static search new_search(met_arena *arena, met_operands operands, uint64_t n)
{
    met_operand_limits limits = met_operands_limits(operands);
    search s = {.arena = arena, .operands = operands, .n = n, .random = 1};
    s.bits = limits.bits;
    s.least = limits.normal;
    s.greatest = limits.highest;
    s.a = MET_NEW_ARRAY(arena, double, n);
    s.b = MET_NEW_ARRAY(arena, double, n);
    return s;
}

bool met_witness_find(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                      const met_witness *leaves, met_witness_run *ret_run)
{
    search s = new_search(arena, operands, n);
    const met_tree *trees[] = {x, y};
    for (int k = 0; k < 2; k++) {
        s.folds[k] = met_fold_new(arena, trees[k], MET_MONOID_ADD, n);
        s.shapes[k] = met_bracketing_of(arena, trees[k], n);
        s.parents[k] = s.shapes[k] ? parents_of(arena, s.shapes[k]) : NULL;
    }
    if (leaves && try_shape(&s, leaves, ret_run)) {
        return true;
    }
    uint64_t tries = TERMS / n < 64 ? 64 : TERMS / n < TRIES ? TERMS / n : TRIES;
    double *kept[2] = {NULL, NULL}; /* one that is not finite, until one that is turns up */
    bool found = false;
    for (uint64_t i = 0; i < tries && !found; i++) {
        met_witness_run run;
        one_try(&s, i);
        if (!differs(&s, &run) || (kept[0] && !is_finite(&run))) {
            continue;
        }
        reduce(&s, &run);
        *ret_run = run;
        found = is_finite(&run);
        if (!found) {
            kept[0] = s.a, kept[1] = s.b;
            s.a = MET_NEW_ARRAY(arena, double, n);
            s.b = MET_NEW_ARRAY(arena, double, n);
            tries = tries < i + MORE ? tries : i + MORE;
        }
    }
    return found || kept[0];
}

double met_witness_result(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const double *a, const double *b)
{
    return operands.sum ? met_tree_run(scratch, tree, MET_MONOID_ADD, n, a) : met_tree_dot(scratch, tree, n, a, b);
}
