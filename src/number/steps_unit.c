/* Nodes of matrix units in the normal form (number/steps.h): as far as what they do shows. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "number/steps_parts.h"

/* The addends of a node, the largest exponent of any, and how large their sum may be. */
typedef struct addends {
    uint32_t *leaves, *partials;
    uint32_t leaf_count, partial_count;
    int highest;
    met_step sum; /* without rounding */
} addends;

static uint32_t addend(const addends *of, uint32_t i)
{
    return i < of->leaf_count ? of->leaves[i] : of->partials[i - of->leaf_count];
}

/* The largest exponent that an addend may have: that of a product is that of its operands. */
static int highest_of(const met_steps *s, const addends *of, uint32_t i)
{
    double most = s->nodes.at[addend(of, i)].most;
    return i < of->leaf_count           ? s->highest - (s->operands.sum ? 0 : 1)
           : most < (double)INFINITY ? ilogb(most)
                                     : met_step_range(MET_F32).highest;
}

static void bound(met_steps *s, addends *of)
{
    uint32_t *all = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)of->leaf_count + of->partial_count);
    of->sum.count = of->leaf_count + of->partial_count;
    of->highest = INT_MIN;
    for (uint32_t i = 0; i < of->sum.count; i++) {
        int exponent = highest_of(s, of, i);
        all[i] = addend(of, i);
        of->highest = exponent > of->highest ? exponent : of->highest;
    }
    met_step_bound_sum(s, &of->sum, all);
}

static int bits_of(const met_steps *s, const addends *of)
{
    int bits = 0;
    for (uint32_t i = 0; i < of->leaf_count + of->partial_count; i++) {
        int own = met_step_bits(s, addend(of, i));
        bits = own > bits ? own : bits;
    }
    return bits;
}

/* Whether the sum of a node has no more bits than `bits`: products lie below (2 − ε)² times the largest power of two, partial
 * results below twice it, and nothing has bits more than `fraction` below it. Of two numbers of p bits the larger has a power of two
 * 2^L and the sum reaches 2^(L+1) only if the other is 2^(L+1−p) or more, which has no bit below 2^(L+2−2p). */
static bool sum_has(const met_steps *s, const addends *of, int fraction, int bits)
{
    double epsilon = ldexp(1, 1 - s->bits / (s->operands.sum ? 1 : 2));
    double term = s->operands.sum ? 2 - epsilon : (2 - epsilon) * (2 - epsilon);
    bool two = s->operands.sum && of->leaf_count + of->partial_count == 2 && fraction < bits && 2 * bits_of(s, of) <= bits;
    return two || ldexp(of->leaf_count * term + 2.0 * of->partial_count, fraction) <= ldexp(1, bits);
}

/* The unit as far as it shows in a node. An infinity or a largest number is cut to `keep` bits too, so that those show where
 * something overflows. */
static met_matrix_unit shown(const met_steps *s, met_matrix_unit unit, const addends *of)
{
    bool normal = met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL, single = of->leaf_count == 1 && of->partial_count == 0;
    int own = s->operands.sum ? s->bits - 1 : s->bits - 2, most = single ? own : of->highest - of->sum.low;
    bool whole = unit.fraction >= most, fits = single ? met_steps_fit(s, MET_F32) : normal;
    unit.fraction = (uint8_t)(whole ? most : unit.fraction);
    int last = unit.keep ? unit.keep : met_step_range(unit.half ? MET_F16 : MET_F32).bits - 1;
    if (single && unit.final == MET_RZ && unit.fraction > last) {
        unit.fraction = (uint8_t)last; /* all cuts are toward zero */
    }
    bool few = (single && unit.keep + 1 >= s->bits) || ldexp(of->sum.odd, -of->sum.low) <= ldexp(1, unit.keep + 1) ||
               sum_has(s, of, unit.fraction, unit.keep + 1);
    if (unit.keep == MET_STEP_F32 - 1 || (fits && few)) {
        unit.keep = 0;
    }
    bool exact = (single && whole && fits) || met_step_holds(MET_F32, &of->sum) ||
                 ((normal || (single && s->operands.sum)) && sum_has(s, of, unit.fraction, MET_STEP_F32));
    if (!unit.keep && !unit.half && exact) {
        unit.final = MET_RNE;
    }
    return unit;
}

/* Whether a node cuts nothing off addend y that matters where addend x is the larger, of exponent L. It cuts bits below
 * 2^(L − F): none if y has no such. With p bits y is cut only if |y| < 2^(L − F + p − 1), and neither it nor what is left of it moves x,
 * if x has no more bits than the result, where that is no more than half the least gap at x, 2^(L − 1 − bits). Below the least
 * normal number the gap is no smaller, and x is a multiple of it, or nothing is cut. */
static bool cuts_nothing(const met_steps *s, const addends *of, int fraction, int result, uint32_t x, uint32_t y)
{
    bool none = fraction >= highest_of(s, of, x) - s->nodes.at[addend(of, y)].low;
    return none || (met_step_bits(s, addend(of, x)) <= result && fraction >= result + met_step_bits(s, addend(of, y)));
}

/* A node of two addends that keeps every bit which could matter is an addition. */
static bool is_addition(const met_steps *s, const met_matrix_unit *whole, const met_matrix_unit *unit, const addends *of)
{
    int fraction = whole->fraction, result = met_step_range(unit->half ? MET_F16 : MET_F32).bits;
    bool all = fraction >= of->highest - of->sum.low;
    if (of->leaf_count + of->partial_count != 2 || unit->keep || unit->final == MET_RD || (!all && unit->final != MET_RNE) ||
        !cuts_nothing(s, of, fraction, result, 0, 1) || !cuts_nothing(s, of, fraction, result, 1, 0)) {
        return false;
    }
    if (unit->half) { /* of f16: rounding to f32 before does not show (number/steps.c) */
        int tiny = ilogb(met_dtype_limits(MET_F16).min_normal) - 1;
        bool kept = all || of->sum.low >= met_step_range(MET_F16).lowest || fraction >= tiny - of->sum.low;
        return unit->final == MET_RNE && bits_of(s, of) <= result && kept && of->sum.low > tiny - MET_STEP_F32;
    }
    return true;
}

/* The addends one after another. */
static uint32_t added(met_steps *s, const met_tree *plain, const addends *of)
{
    uint32_t sum = of->partial_count ? of->partials[0] : met_step_product(s, plain, of->leaves[0]);
    for (uint32_t i = 1; i < of->partial_count; i++) {
        sum = met_step_add(s, plain, sum, of->partials[i]);
    }
    for (uint32_t i = of->partial_count == 0; i < of->leaf_count; i++) {
        sum = met_step_fused(s, plain, of->leaves[i], sum);
    }
    return sum;
}

/* A node that is what other steps are; BAR if it is not. `unit` is what shows of it, `whole` the unit. */
static uint32_t simple_unit(met_steps *s, const met_matrix_unit *whole, const met_matrix_unit *unit, const addends *of, bool zero)
{
    met_tree plain = met_tree_sequential(MET_F32);
    bool normal = met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL, added_alike = s->operands.sum || normal;
    bool single = of->leaf_count == 1 && of->partial_count == 0;
    plain.mode = unit->half ? MET_RNE : unit->final;
    plain.store = unit->half ? MET_F16 : MET_F32;
    if (single && unit->half) {
        bool as_is = met_steps_fit(s, MET_F16) && unit->fraction >= s->bits - 1;
        return as_is ? met_step_positive(s, &plain, of->leaves[0]) : MET_STEP_BAR;
    }
    if (single) {
        bool kept = !unit->keep && unit->final != MET_RD && unit->fraction >= s->bits - (s->operands.sum ? 1 : 2);
        /* all cuts are toward zero, and the first leaves what a number of f32 has */
        kept = kept || (!unit->keep && unit->final == MET_RZ && s->bits <= 2 * MET_STEP_F32 && unit->fraction >= MET_STEP_F32 - 1);
        return kept ? met_step_fused_zero(s, &plain, of->leaves[0]) : MET_STEP_BAR;
    }
    met_dtype result = unit->half ? MET_F16 : MET_F32;
    bool exact = met_step_holds(result, &of->sum) && added_alike && !unit->keep && unit->fraction >= of->highest - of->sum.low;
    bool addition = is_addition(s, whole, unit, of) && (of->leaf_count < 2 || added_alike);
    if ((!exact && !addition) || (zero && !added_alike)) {
        return MET_STEP_BAR;
    }
    uint32_t sum = added(s, &plain, of);
    sum = unit->half ? met_step_store(s, &plain, sum) : sum;
    return zero ? met_step_positive(s, &plain, sum) : sum;
}

/* The term that a partial result comes to, as this node sees it: one alone in a node that cuts no more than this one, and rounds
 * nothing, is cut again here as it would have been; its exponent stays. BAR if it is more than a term. */
static uint32_t term_alone(const met_steps *s, const met_matrix_unit *unit, uint32_t at)
{
    const met_step *node = &s->nodes.at[at];
    int fraction = (int)(node->attributes >> 16);
    bool single = node->kind == STEP_UNIT && node->count == 2 && s->children.at[node->first + 1] == MET_STEP_BAR;
    bool halves = node->attributes & MET_STEP_HALF && !met_steps_fit(s, MET_F16); /* a number of f16 is one once cut */
    bool rounds = halves || node->attributes >> 4 & 31 || fraction >= MET_STEP_F32 - 1 + s->operands.sum;
    return node->kind == STEP_LEAF                                   ? at
           : single && !rounds && fraction >= unit->fraction ? s->children.at[node->first]
                                                             : MET_STEP_BAR;
}

/* Of two addends, where up to three bits of the sum are kept: whether one that is a product may be taken for a number. */
static bool may_be_number(met_steps *s, const met_matrix_unit *unit, const addends *of, uint32_t other)
{
    bool product = of->leaf_count > 0 || met_step_is(s, other, STEP_LEAF);
    return unit->keep >= 1 && unit->keep <= 2 && unit->final == MET_RZ && !unit->half && met_steps_fit(s, MET_F32) &&
           met_step_never_shows(s, unit, product ? 0 : met_step_bits(s, other));
}

/* The exponent of a number is that of its product with 1: of sums, terms that are partial results are like the others. Of products
 * that are numbers of f32, those that are partial results are only that, but where which does not show. */
static void move_terms(met_steps *s, const met_matrix_unit *unit, addends *of)
{
    uint32_t kept = 0;
    bool may = s->operands.sum || met_steps_fit(s, MET_F32), two = of->leaf_count + of->partial_count == 2;
    for (uint32_t i = 0; i < of->partial_count; i++) {
        uint32_t partial = of->partials[i], leaf = may ? term_alone(s, unit, partial) : MET_STEP_BAR;
        uint32_t other = of->leaf_count ? of->leaves[0] : of->partials[of->partial_count - 1 - i];
        bool alike = s->operands.sum || (two && leaf == partial && may_be_number(s, unit, of, other));
        if (leaf != MET_STEP_BAR && alike) {
            of->leaves[of->leaf_count++] = leaf;
        } else {
            of->partials[kept++] = leaf != MET_STEP_BAR ? leaf : partial;
        }
    }
    of->partial_count = kept;
}

static addends addends_of(met_steps *s, uint32_t leaf_count, const uint32_t *leaves, uint32_t partial_count, const uint32_t *partials)
{
    size_t all = (size_t)leaf_count + partial_count;
    addends of = {MET_NEW_ARRAY(s->arena, uint32_t, all), MET_NEW_ARRAY(s->arena, uint32_t, all), leaf_count, partial_count, 0, {0}};
    memcpy(of.leaves, leaves, leaf_count * sizeof *leaves);
    memcpy(of.partials, partials, partial_count * sizeof *partials);
    return of;
}

uint32_t met_step_unit(met_steps *s, const met_matrix_unit *unit, uint32_t leaf_count, const uint32_t *leaves,
                       uint32_t partial_count, const uint32_t *partials, bool zero)
{
    addends of = addends_of(s, leaf_count, leaves, partial_count, partials);
    int least = unit->half ? met_step_range(MET_F16).lowest : s->operands.sum ? met_step_range(MET_F32).lowest : MET_STEP_NORMAL;
    bool sinks = !(met_steps_fit(s, MET_F32) && s->lowest >= least);
    zero = zero || partial_count == 0;
    for (uint32_t i = 0; i < partial_count; i++) {
        of.partials[i] = met_step_settled(s, of.partials[i]);
        zero = met_step_take_zero(s, &of.partials[i]) || s->nodes.at[of.partials[i]].never || zero;
    }
    move_terms(s, unit, &of);
    met_step_sort(of.leaves, of.leaf_count);
    met_step_sort(of.partials, of.partial_count);
    bound(s, &of);
    met_matrix_unit as = shown(s, *unit, &of);
    uint32_t simple = simple_unit(s, unit, &as, &of, zero);
    if (simple != MET_STEP_BAR) {
        return simple;
    }
    uint32_t attributes = (uint32_t)as.fraction << 16 | (uint32_t)as.final << 12 | (uint32_t)as.keep << 4 | (as.half ? MET_STEP_HALF : 0) | zero;
    uint32_t *children = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)of.leaf_count + of.partial_count + 1);
    memcpy(children, of.leaves, of.leaf_count * sizeof *children);
    children[of.leaf_count] = MET_STEP_BAR;
    memcpy(children + of.leaf_count + 1, of.partials, of.partial_count * sizeof *children);
    return met_step_node(s, STEP_UNIT, attributes, zero && (!sinks || as.final == MET_RD), of.leaf_count + of.partial_count + 1, children);
}
