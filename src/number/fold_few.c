#include "number/fold_few.h"

#include <stdlib.h>

#include "number/fold.h"

/* A partial result, or a term, at its place among those of a level, or of one part of it. */
typedef struct partial {
    uint64_t part, at;
    double value;
} partial;

struct met_fold_few {
    met_tree tree, meeting;
    uint64_t n, body;
    met_fold *inner; /* one partial result of an innermost level in sequence, else NULL */
    partial *partials, *moved;
};

met_fold_few *met_fold_few_new(met_arena *arena, const met_tree *tree, uint64_t n, uint32_t most)
{
    met_fold_few *few = MET_NEW(arena, met_fold_few);
    *few = (met_fold_few){.tree = *tree, .meeting = met_tree_meeting(tree), .n = n, .body = met_tree_body(tree, n)};
    if (met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL) {
        met_tree inner = tree->level_count ? *tree : few->meeting;
        inner.level_count = 0;
        inner.combine = MET_ORDER_SEQUENTIAL;
        inner.tail_count = 0;
        inner.combine_f64 = false;
        few->inner = met_fold_new(arena, &inner, MET_MONOID_ADD, n);
    }
    few->partials = MET_NEW_ARRAY(arena, partial, most);
    few->moved = MET_NEW_ARRAY(arena, partial, most);
    return few;
}

/* --- Orders (number/tree.h), of places that not all have something --- */

typedef struct order_fold {
    const met_tree *arithmetic;
    partial *moved; /* room for as many */
} order_fold;

static double joined(const order_fold *f, double x, double y)
{
    return met_tree_step(f->arithmetic, MET_MONOID_ADD, x, y);
}

static double in_sequence(const order_fold *f, uint32_t count, const partial *p)
{
    double acc = p[0].value;
    for (uint32_t i = 1; i < count; i++) {
        acc = joined(f, acc, p[i].value);
    }
    return acc;
}

static double in_reverse(const order_fold *f, uint32_t count, const partial *p)
{
    double acc = p[count - 1].value;
    for (uint32_t i = count - 1; i-- > 0;) {
        acc = joined(f, p[i].value, acc);
    }
    return acc;
}

static double adjacent(const order_fold *f, uint32_t count, partial *p)
{
    while (count > 1) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++) {
            p[i].at /= 2;
            if (left && p[left - 1].at == p[i].at) {
                p[left - 1].value = joined(f, p[left - 1].value, p[i].value);
            } else {
                p[left++] = p[i];
            }
        }
        count = left;
    }
    return p[0].value;
}

/* The upper half onto the lower, both in order. */
static uint32_t folded_over(const order_fold *f, uint64_t apart, uint32_t count, partial *p)
{
    uint32_t low = 0, left = 0;
    while (low < count && p[low].at < apart) {
        low++;
    }
    uint32_t i = 0, k = low;
    while (i < low || k < count) {
        bool lower = k == count || (i < low && p[i].at <= p[k].at - apart), upper = i == low || (k < count && p[i].at >= p[k].at - apart);
        partial next = lower ? p[i] : (partial){.at = p[k].at - apart, .value = p[k].value};
        next.value = lower && upper ? joined(f, next.value, p[k].value) : next.value;
        i += lower;
        k += upper;
        f->moved[left++] = next;
    }
    for (i = 0; i < left; i++) {
        p[i] = f->moved[i];
    }
    return left;
}

static double pairwise(const order_fold *f, uint64_t m, uint32_t count, partial *p)
{
    uint64_t apart = 1;
    while (apart < m - apart) {
        apart *= 2;
    }
    for (; count > 1; apart /= 2) {
        count = folded_over(f, apart, count, p);
    }
    return p[0].value;
}

static double in_order(const order_fold *f, uint8_t order, uint64_t m, uint32_t count, partial *p);

/* Places from `left` on by themselves, and those before. */
static double in_parts(const order_fold *f, uint8_t order, uint64_t m, uint64_t left, uint32_t count, partial *p)
{
    uint32_t low = 0;
    for (; low < count && p[low].at < left; low++) {
    }
    for (uint32_t i = low; i < count; i++) {
        p[i].at -= left;
    }
    double second = low < count ? in_order(f, order, m - left, count - low, p + low) : 0;
    double first = low ? in_order(f, order, left, low, p) : second;
    return low && low < count ? joined(f, first, second) : first;
}

/* Of 8 to 128 places: eight strided lanes, added adjacently, then the rest in order. */
static double eight_lanes(const order_fold *f, uint64_t m, uint32_t count, const partial *p)
{
    enum { LANES = 8 };
    partial lanes[LANES];
    uint32_t live = 0, rest = 0;
    while (rest < count && p[rest].at < m - m % LANES) {
        rest++;
    }
    for (uint64_t lane = 0; lane < LANES; lane++) {
        bool begun = false;
        for (uint32_t i = 0; i < rest; i++) {
            if (p[i].at % LANES == lane) {
                lanes[live] = (partial){.at = lane, .value = begun ? joined(f, lanes[live].value, p[i].value) : p[i].value};
                begun = true;
            }
        }
        live += begun;
    }
    double acc = live ? adjacent(f, live, lanes) : p[rest].value;
    for (uint32_t i = live ? rest : rest + 1; i < count; i++) {
        acc = joined(f, acc, p[i].value);
    }
    return acc;
}

static double eight_lane_blocks(const order_fold *f, uint64_t m, uint32_t count, partial *p)
{
    enum { LANES = 8, BLOCK = 128 };
    return m < LANES   ? in_sequence(f, count, p)
           : m > BLOCK ? in_parts(f, MET_ORDER_EIGHT_LANE_BLOCKS, m, m / 2 - m / 2 % LANES, count, p)
                       : eight_lanes(f, m, count, p);
}

static double in_order(const order_fold *f, uint8_t order, uint64_t m, uint32_t count, partial *p)
{
    if (count == 1) {
        return p[0].value;
    }
    switch ((met_tree_order)order) {
    case MET_ORDER_SEQUENTIAL: return in_sequence(f, count, p);
    case MET_ORDER_REVERSE: return in_reverse(f, count, p);
    case MET_ORDER_ADJACENT: return adjacent(f, count, p);
    case MET_ORDER_PAIRWISE:
    case MET_ORDER_BUTTERFLY: return pairwise(f, m, count, p);
    case MET_ORDER_HALVES: return in_parts(f, order, m, m / 2, count, p);
    case MET_ORDER_HALVES_UP: return in_parts(f, order, m, m - m / 2, count, p);
    case MET_ORDER_EIGHT_LANE_BLOCKS: return eight_lane_blocks(f, m, count, p);
    }
    return 0;
}

/* --- Levels --- */

static int by_part(const void *a, const void *b)
{
    const partial *x = a, *y = b;
    return x->part != y->part ? (x->part < y->part ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

/* Puts the partial results of a level of m into parts, in which they have places of their own. */
static void part(const met_tree_level *level, uint64_t m, uint32_t count, partial *p)
{
    uint64_t width = met_level_width(level, m), chunk = m / width + (m % width != 0);
    bool strided = level->layout == MET_LAYOUT_STRIDED;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = p[i].at;
        p[i].part = strided ? at % width : at / chunk;
        p[i].at = strided ? at / width : at % chunk;
    }
    qsort(p, count, sizeof *p, by_part);
}

static uint64_t part_size(const met_tree_level *level, uint64_t m, uint64_t number)
{
    uint64_t width = met_level_width(level, m), chunk = m / width + (m % width != 0);
    uint64_t rest = level->layout == MET_LAYOUT_STRIDED ? m - number : m - number * chunk;
    return level->layout == MET_LAYOUT_STRIDED ? rest / width + (rest % width != 0) : rest < chunk ? rest : chunk;
}

static uint64_t part_count(const met_tree_level *level, uint64_t m)
{
    uint64_t width = met_level_width(level, m), chunk = m / width + (m % width != 0);
    return level->layout == MET_LAYOUT_STRIDED ? width : m / chunk + (m % chunk != 0);
}

/* Those of one part, from `first` on. */
static uint32_t part_end(uint32_t first, uint32_t count, const partial *p)
{
    uint32_t end = first;
    while (end < count && p[end].part == p[first].part) {
        end++;
    }
    return end;
}

/* Leaves the partial results of the level, each at the number of its part. Returns how many. */
static uint32_t fold_level(const met_fold_few *few, const met_tree_level *level, uint64_t m, uint32_t count, partial *p)
{
    order_fold f = {&few->tree, few->moved};
    uint32_t parts = 0;
    part(level, m, count, p);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = part_end(first, count, p);
        uint64_t number = p[first].part;
        double value = in_order(&f, level->order, part_size(level, m, number), end - first, p + first);
        p[parts++] = (partial){.at = number, .value = value};
    }
    return parts;
}

typedef struct terms {
    bool sum;
    const uint64_t *at;
    const double *a, *b;
} terms;

/* As it is folded where nothing is fused: rounded. */
static double term_value(const met_fold_few *few, const terms *t, uint64_t i)
{
    return t->sum ? met_tree_leaf(&few->tree, t->a[i]) : met_tree_product(&few->tree, t->a[i], t->b[i]);
}

/* Where a fold stands: `count` of the m partial results that the next level folds. */
typedef struct stage {
    int level; /* the one after the last is the combine */
    uint64_t m;
    uint32_t count;
} stage;

/* Innermost partial results in sequence: `value` of a partial result is the number of its term. */
static uint32_t fold_inner(const met_fold_few *few, const terms *t, uint32_t count, partial *p)
{
    bool rounded = few->tree.level_count == 0 && few->tree.combine_f64;
    uint32_t parts = 0;
    if (few->tree.level_count && count) {
        part(&few->tree.levels[0], few->body, count, p);
    }
    for (uint32_t first = 0, end; first < count; first = end) {
        end = part_end(first, count, p);
        met_fold_begin(few->inner);
        for (uint32_t k = first; k < end; k++) {
            uint64_t i = (uint64_t)p[k].value;
            if (t->sum || rounded) {
                met_fold_push(few->inner, p[k].at, rounded ? term_value(few, t, i) : t->a[i]);
            } else {
                met_fold_push_product(few->inner, p[k].at, t->a[i], t->b[i]);
            }
        }
        p[parts++] = (partial){.at = p[first].part, .value = met_fold_end(few->inner)};
    }
    return parts;
}

static stage begin(const met_fold_few *few, const terms *t, uint32_t count)
{
    partial *p = few->partials;
    const met_tree *tree = &few->tree;
    for (uint32_t i = 0; i < count; i++) {
        p[i] = (partial){.at = t->at[i], .value = few->inner ? (double)i : term_value(few, t, i)};
    }
    if (!few->inner || few->body == 0) {
        return (stage){few->inner != NULL, few->body, count};
    }
    return (stage){1, tree->level_count ? part_count(&tree->levels[0], few->body) : 1, fold_inner(few, t, count, p)};
}

static void go_on(const met_fold_few *few, stage *s, int to)
{
    const met_tree *tree = &few->tree;
    partial *p = few->partials;
    for (; s->level < to; s->level++) {
        if (s->m > 0 && s->level < tree->level_count) {
            s->count = fold_level(few, &tree->levels[s->level], s->m, s->count, p);
            s->m = part_count(&tree->levels[s->level], s->m);
        } else if (s->m > 0) {
            order_fold f = {&few->meeting, few->moved};
            qsort(p, s->count, sizeof *p, by_part);
            p[0] = (partial){.value = s->count ? in_order(&f, tree->combine, s->m, s->count, p) : 0};
            s->count = s->count > 0;
            s->m = 1;
        }
    }
}

/* --- Tails --- */

/* The partial result at that place; a new one, which is not live yet, if there is none. */
static partial *find(partial *p, uint32_t *count, uint64_t at, bool *ret_live)
{
    uint32_t i = 0;
    while (i < *count && p[i].at != at) {
        i++;
    }
    *ret_live = i < *count;
    if (!*ret_live) {
        p[(*count)++] = (partial){.at = at};
    }
    return &p[i];
}

/* One more term, onto `acc` if that is live. */
static void push(const met_fold_few *few, const met_tree *arithmetic, const terms *t, uint64_t i, bool live, double *acc)
{
    bool fused = !t->sum && arithmetic->contraction == MET_CONTRACT_FMA && (live || arithmetic->start == MET_START_ZERO);
    double value = fused ? 0 : term_value(few, t, i);
    *acc = fused  ? met_tree_fma(arithmetic, t->a[i], t->b[i], live ? *acc : 0)
           : live ? met_tree_step(arithmetic, MET_MONOID_ADD, *acc, value)
                  : met_tree_first(arithmetic, MET_MONOID_ADD, value);
}

/* The terms from `first` on that are a tail's. Returns the number of the next one. */
static uint32_t fold_tail(const met_fold_few *few, stage *s, int tail, const terms *t, uint32_t first, uint32_t count)
{
    met_tree arithmetic = met_tree_tail_arithmetic(&few->tree, tail);
    met_terms all = met_tree_tail_terms(&few->tree, few->n, tail);
    met_tree_stage at = {s->level, {0, 1, s->m}};
    uint64_t lanes = met_tree_stage_deal(&few->tree, &at, tail, all.count);
    bool apart = few->tree.tails[tail].rule == MET_TAIL_APART, live;
    partial *sums = apart ? few->moved : few->partials;
    uint32_t own = 0, *sum_count = apart ? &own : &s->count, i = first;
    s->m = at.terms.count;
    for (; i < count && t->at[i] < all.base + all.count; i++) {
        partial *sum = find(sums, sum_count, (t->at[i] - all.base) % lanes, &live);
        push(few, &arithmetic, t, i, live, &sum->value);
    }
    for (uint32_t k = 0; k < own; k++) {
        partial *to = find(few->partials, &s->count, sums[k].at, &live);
        to->value = live ? met_tree_step(&arithmetic, MET_MONOID_ADD, to->value, sums[k].value) : sums[k].value;
    }
    return i;
}

double met_fold_few_run(met_fold_few *few, bool sum, uint32_t count, const uint64_t *at, const double *a, const double *b)
{
    const met_tree *tree = &few->tree;
    terms t = {sum, at, a, b};
    uint32_t next = 0;
    while (next < count && at[next] < few->body) {
        next++;
    }
    stage s = begin(few, &t, next);
    for (int tail = 0; tail < tree->tail_count; tail++) {
        go_on(few, &s, tree->tails[tail].onto ? tree->tails[tail].onto : tree->level_count + 1);
        next = fold_tail(few, &s, tail, &t, next, count);
    }
    go_on(few, &s, tree->level_count + 1);
    double result = s.count ? few->partials[0].value : 0;
    return tree->combine_f64 ? met_tree_leaf(tree, result) : result;
}
