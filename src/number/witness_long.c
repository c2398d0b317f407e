/* The search for witnesses where a length cannot be written out: a few terms at places where the records' parts begin and end, in the
 * midst of others that are zeros. While searching, the others are absent. That comes to the same where nothing is subnormal, no
 * zero's sign shows, and nothing is stored or cut that is not so anyway: adding +0 is nothing, a unit's nodes take no zeros, and what starts at +0 is what it adds first. So an input
 * is given where all of it is of moderate size and the results differ as numbers; or where the records were run on all n terms,
 * zeros included, and differ. */
#include "number/witness_parts.h"

enum {
    SLOTS = 24,
    SCENE = 6,         /* tries at the same places */
    TRIES = 20000,
    ALL = 1 << 26,      /* terms that are run one by one, */
    CHECKED = 1 << 27,  /* and in all */
    KEPT = 1 << 24,     /* terms or partial results that a fold keeps meanwhile */
    SMALLEST = -55, LARGEST = 30, /* exponents of moderate numbers: their products, and sums of those, have no bits below 2^-110 */
};

typedef struct long_search {
    met_search s; /* of the slots */
    const met_tree *trees[2];
    uint64_t n;
    uint64_t at[SLOTS]; /* ascending */
    uint64_t checked; /* terms that were run one by one */
} long_search;

/* --- Places --- */

/* Where a part begins, its second term, or where it ends; or the term before the tail, or after. */
static uint64_t some_place(long_search *l)
{
    met_search *s = &l->s;
    const met_tree *tree = l->trees[met_search_below(s, 2)];
    uint64_t body = met_tree_body(tree, l->n), parts = met_tree_part_count(tree, l->n);
    switch (met_search_below(s, 6)) {
    case 0:
        return met_search_below(s, 8);
    case 1:
        return met_search_next(s) % l->n;
    case 2: /* 2^k, or one less */
        return ((uint64_t)1 << met_search_below(s, 63)) - met_search_below(s, 2);
    case 3:
        return body - met_search_below(s, 3);
    case 4:
        return l->n - 1 - met_search_below(s, 3);
    default:
        break;
    }
    if (parts == 0) {
        return 0;
    }
    uint64_t part = met_search_below(s, 3) ? met_search_below(s, parts < 4 ? parts : 4) : met_search_next(s) % parts;
    met_terms terms = met_tree_part(tree, l->n, part);
    uint64_t rank = met_search_below(s, 2) ? met_search_below(s, 4) : terms.count - 1 - met_search_below(s, 2);
    return terms.base + (rank < terms.count ? rank : 0) * terms.step;
}

static bool has_place(const long_search *l, int count, uint64_t place)
{
    for (int i = 0; i < count; i++) {
        if (l->at[i] == place) {
            return true;
        }
    }
    return false;
}

/* Some places, and others that are up to four steps off those: of one term, or of a power of two, as partial results may stand apart. */
static void choose_places(long_search *l)
{
    uint64_t step = met_search_below(&l->s, 2) ? 1 : (uint64_t)1 << met_search_below(&l->s, 24);
    uint64_t fresh = 1 + met_search_below(&l->s, 4);
    for (int count = 0; count < SLOTS;) {
        uint64_t place = some_place(l);
        if (count > 0 && met_search_below(&l->s, 8) > fresh) {
            place = l->at[met_search_below(&l->s, (uint64_t)count)] + step * (1 + met_search_below(&l->s, 4));
        }
        if (place >= l->n || has_place(l, count, place)) {
            continue;
        }
        int i = count++;
        for (; i > 0 && l->at[i - 1] > place; i--) {
            l->at[i] = l->at[i - 1];
        }
        l->at[i] = place;
    }
}

/* --- Checking --- */

static bool is_moderate(double value)
{
    return fabs(value) <= ldexp(1, LARGEST) && ldexp(value, -SMALLEST) == trunc(ldexp(value, -SMALLEST));
}

/* Slots that are not +0 alone, as a run of their own. */
static met_witness_run live_terms(const long_search *l, bool *ret_moderate)
{
    uint64_t *at = MET_NEW_ARRAY(l->s.arena, uint64_t, SLOTS), count = 0;
    double *a = MET_NEW_ARRAY(l->s.arena, double, SLOTS), *b = MET_NEW_ARRAY(l->s.arena, double, SLOTS);
    *ret_moderate = true;
    for (uint64_t i = 0; i < l->s.n; i++) {
        if (l->s.a[i] == 0 && !signbit(l->s.a[i])) {
            continue;
        }
        at[count] = l->at[i];
        a[count] = l->s.a[i];
        b[count++] = l->s.b[i];
        *ret_moderate = *ret_moderate && l->s.a[i] * l->s.b[i] != 0 && is_moderate(l->s.a[i]) && is_moderate(l->s.b[i]);
    }
    return (met_witness_run){.count = count, .at = at, .a = a, .b = b};
}

static uint64_t kept(const met_tree *tree, uint64_t n)
{
    bool all = met_tree_innermost(tree) != MET_ORDER_SEQUENTIAL;
    uint64_t parts = all ? met_tree_body(tree, n) : met_tree_part_count(tree, n);
    uint64_t each = tree->node == MET_NODE_MATRIX ? 1 + 2 * (uint64_t)tree->unit.width : 1;
    return parts > KEPT / each ? KEPT + 1 : parts * each;
}

/* Of all n terms. */
static double sum_of_all(const long_search *l, const met_tree *tree, const met_witness_run *run)
{
    met_arena *scratch = met_arena_new();
    met_fold *fold = met_fold_new(scratch, tree, MET_MONOID_ADD, l->n);
    for (uint64_t i = 0, next = 0; i < l->n; i++) {
        bool live = next < run->count && run->at[next] == i;
        double a = live ? run->a[next] : run->rest, b = live ? run->b[next] : 1;
        next += live;
        if (l->s.operands.sum) {
            met_fold_push(fold, i, a);
        } else {
            met_fold_push_product(fold, i, a, b);
        }
    }
    double sum = met_fold_end(fold);
    met_arena_free(scratch);
    return sum;
}

/* Runs all n terms, if there are not too many. */
static bool differs_in_all(long_search *l, met_witness_run *run)
{
    if (l->n > ALL || l->checked + l->n > CHECKED || kept(l->trees[0], l->n) > KEPT || kept(l->trees[1], l->n) > KEPT) {
        return false;
    }
    l->checked += l->n;
    run->result_a = sum_of_all(l, l->trees[0], run);
    run->result_b = sum_of_all(l, l->trees[1], run);
    return !met_search_same_bits(run->result_a, run->result_b);
}

/* Zeros leave alone what has been stored: not a term out of sequence, which is where it meets one; nor what a unit cuts that it has
 * not cut. */
static bool keeps_beside_zeros(const met_tree *tree)
{
    const met_matrix_unit *unit = &tree->unit;
    int bits = unit->keep ? unit->keep : met_dtype_table[unit->half ? MET_F16 : MET_F32].mantissa_bits;
    bool stored = met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL || tree->store == tree->precision;
    return stored && (tree->node != MET_NODE_MATRIX || unit->fraction >= bits);
}

/* A result whose bits zeros in other places leave alone, if all is moderate. A zero that is +0 stays it unless what rounds down made it. */
static bool is_settled(const met_tree *tree, double result)
{
    bool down = tree->mode == MET_RD || (tree->node == MET_NODE_MATRIX && tree->unit.final == MET_RD);
    return keeps_beside_zeros(tree) && isfinite(result) && (result != 0 || (!signbit(result) && !down));
}

/* The input of the slots, if zeros in all other places change nothing, or, `late`, if all terms say so. */
static bool is_witness(long_search *l, bool late, met_witness_run *run)
{
    bool moderate, finite = isfinite(run->result_a) && isfinite(run->result_b);
    bool settled = is_settled(l->trees[0], run->result_a) && is_settled(l->trees[1], run->result_b);
    met_witness_run live = live_terms(l, &moderate);
    live.result_a = run->result_a;
    live.result_b = run->result_b;
    *run = live;
    return finite && ((moderate && settled && run->result_a != run->result_b) || (late && differs_in_all(l, run)));
}

/* Zeros that are all −0: those that a sum starts at +0 are not −0 any more. */
static bool try_zeros(long_search *l, met_witness_run *ret_run)
{
    *ret_run = live_terms(l, &(bool){false});
    ret_run->rest = -0.0;
    return differs_in_all(l, ret_run);
}

/* --- Searching --- */

static bool try_once(long_search *l, uint64_t number, met_witness_run *ret_run)
{
    met_search *s = &l->s;
    if (number % 3 == 0) {
        uint32_t first = (uint32_t)met_search_below(s, SLOTS), second = (uint32_t)met_search_below(s, SLOTS - 1);
        met_witness leaves = {first, (first + 1 + second) % SLOTS, (uint32_t)met_search_below(s, SLOTS), true};
        return met_search_try_shape(s, &leaves, ret_run);
    }
    met_search_try(s, number);
    return met_search_differs(s, ret_run);
}

bool met_witness_find_long(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                           met_witness_run *ret_run)
{
    if (n < 4 * SLOTS) {
        return false;
    }
    long_search *l = MET_NEW(arena, long_search);
    *l = (long_search){.s = met_search_new(arena, x, y, operands, SLOTS), .trees = {x, y}, .n = n};
    l->s.at = l->at;
    l->s.few[0] = met_fold_few_new(arena, x, n, SLOTS);
    l->s.few[1] = met_fold_few_new(arena, y, n, SLOTS);
    if (x->start != y->start && try_zeros(l, ret_run)) {
        return true;
    }
    for (uint64_t i = 0; i < TRIES; i++) {
        if (i % SCENE == 0) {
            choose_places(l);
        }
        if (try_once(l, i + 2, ret_run)) {
            met_search_reduce(&l->s, ret_run);
            if (is_witness(l, i >= TRIES / 2, ret_run)) {
                return true;
            }
        }
    }
    return false;
}
