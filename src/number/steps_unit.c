/* Nodes of matrix units in the normal form (number/steps.h): as far as what they do shows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number/steps_parts.h"

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether the sum of a node has no more bits than `bits`: products lie below (2 − ε)² times the largest power of two, partial
 * results below twice it, and nothing has bits more than `fraction` below it. */
static bool sum_has(const met_steps *s, uint32_t leaves, uint32_t partials, int fraction, int bits)
{
    double epsilon = ldexp(1, 1 - s->bits / (s->operands.sum ? 1 : 2));
    double term = s->operands.sum ? 2 - epsilon : (2 - epsilon) * (2 - epsilon);
    return ldexp(leaves * term + 2.0 * partials, fraction) <= ldexp(1, bits);
}

/* The unit as far as it shows in a node. An infinity or a largest number is cut to `keep` bits too, so that those show where
 * something overflows. */
static met_matrix_unit shown(const met_steps *s, met_matrix_unit unit, uint32_t leaves, uint32_t partials)
{
    bool normal = met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL, single = leaves == 1 && partials == 0;
    int span = met_steps_span(s), own = s->operands.sum ? s->bits - 1 : s->bits - 2, most = single ? own : span;
    bool whole = unit.fraction >= most, fits = single ? met_steps_fit(s, MET_F32) : normal;
    unit.fraction = (uint8_t)(whole ? most : unit.fraction);
    bool few = (single && unit.keep + 1 >= s->bits) || (met_step_exact(s, MET_F32) && unit.keep >= span) ||
               sum_has(s, leaves, partials, unit.fraction, unit.keep + 1);
    if (unit.keep == MET_STEP_F32 - 1 || (fits && few)) {
        unit.keep = 0;
    }
    int last = unit.keep ? unit.keep : MET_STEP_F32 - 1;
    if (single && unit.final == MET_RZ && !unit.half && unit.fraction > last) {
        unit.fraction = (uint8_t)last; /* all cuts are toward zero */
    }
    bool exact = (whole && (single ? fits : met_step_exact(s, MET_F32))) ||
                 (normal && sum_has(s, leaves, partials, unit.fraction, MET_STEP_F32));
    if (!unit.keep && !unit.half && exact) {
        unit.final = MET_RNE;
    }
    return unit;
}

/* A node of two addends that keeps every bit which could matter is an addition: the smaller has 24 bits at most, or the bits of a
 * term, and where it lies near the middle between two results none of them is cut. */
static bool is_addition(const met_steps *s, const met_matrix_unit *whole, const met_matrix_unit *unit, uint32_t addends)
{
    int bits = s->bits > MET_STEP_F32 ? s->bits : MET_STEP_F32;
    return addends == 2 && unit->final == MET_RNE && !unit->keep && whole->fraction >= MET_STEP_F32 + bits;
}

/* The addends one after another. */
static uint32_t added(met_steps *s, const met_tree *plain, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *partials,
                      uint32_t partial_count)
{
    uint32_t sum = partial_count ? partials[0] : met_step_product(s, plain, leaves[0]);
    for (uint32_t i = 1; i < partial_count; i++) {
        sum = met_step_add(s, plain, sum, partials[i]);
    }
    for (uint32_t i = partial_count == 0; i < leaf_count; i++) {
        sum = met_step_fused(s, plain, leaves[i], sum);
    }
    return sum;
}

/* A node that is what other steps are; BAR if it is not. `unit` is what shows of it, `whole` the unit. */
static uint32_t simple_unit(met_steps *s, const met_matrix_unit *whole, const met_matrix_unit *unit, const uint32_t *leaves,
                            uint32_t leaf_count, const uint32_t *partials, uint32_t partial_count, bool zero)
{
    met_tree plain = met_tree_sequential(MET_F32);
    bool normal = met_steps_fit(s, MET_F32) && s->lowest >= MET_STEP_NORMAL, added_alike = s->operands.sum || normal;
    plain.mode = unit->half ? MET_RNE : unit->final;
    if (unit->half) {
        bool as_is = leaf_count == 1 && partial_count == 0 && met_steps_fit(s, MET_F16) && unit->fraction >= s->bits - 1;
        return as_is ? met_step_positive(s, &plain, leaves[0]) : MET_STEP_BAR;
    }
    if (leaf_count == 1 && partial_count == 0) {
        bool kept = !unit->keep && unit->final != MET_RD && unit->fraction >= s->bits - (s->operands.sum ? 1 : 2);
        return kept ? met_step_fused_zero(s, &plain, leaves[0]) : MET_STEP_BAR;
    }
    bool exact = met_step_exact(s, MET_F32) && normal && !unit->keep && unit->fraction >= met_steps_span(s);
    bool addition = is_addition(s, whole, unit, leaf_count + partial_count) && (leaf_count < 2 || added_alike);
    if ((!exact && !addition) || (zero && !added_alike)) {
        return MET_STEP_BAR;
    }
    uint32_t sum = added(s, &plain, leaves, leaf_count, partials, partial_count);
    return zero ? met_step_positive(s, &plain, sum) : sum;
}

/* The exponent of a number is that of its product with 1: of sums, terms that are partial results are like the others. */
static void move_terms(const met_steps *s, uint32_t *leaves, uint32_t *leaf_count, uint32_t *partials, uint32_t *partial_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *partial_count; i++) {
        if (s->operands.sum && met_step_is(s, partials[i], STEP_LEAF)) {
            leaves[(*leaf_count)++] = partials[i];
        } else {
            partials[kept++] = partials[i];
        }
    }
    *partial_count = kept;
}

uint32_t met_step_unit(met_steps *s, const met_matrix_unit *unit, uint32_t leaf_count, const uint32_t *from_leaves,
                       uint32_t partial_count, const uint32_t *from_partials, bool zero)
{
    uint32_t all = leaf_count + partial_count;
    uint32_t *leaves = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)all), *partials = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)all);
    memcpy(leaves, from_leaves, leaf_count * sizeof *leaves);
    memcpy(partials, from_partials, partial_count * sizeof *partials);
    int least = unit->half ? met_step_range(MET_F16).lowest : s->operands.sum ? met_step_range(MET_F32).lowest : MET_STEP_NORMAL;
    bool sinks = !(met_steps_fit(s, MET_F32) && s->lowest >= least);
    zero = zero || partial_count == 0;
    for (uint32_t i = 0; i < partial_count; i++) {
        zero = met_step_take_zero(s, &partials[i]) || s->nodes.at[partials[i]].never || zero;
    }
    move_terms(s, leaves, &leaf_count, partials, &partial_count);
    qsort(leaves, leaf_count, sizeof *leaves, by_number);
    qsort(partials, partial_count, sizeof *partials, by_number);
    met_matrix_unit as = shown(s, *unit, leaf_count, partial_count);
    uint32_t simple = simple_unit(s, unit, &as, leaves, leaf_count, partials, partial_count, zero);
    if (simple != MET_STEP_BAR) {
        return simple;
    }
    uint32_t attributes = (uint32_t)as.fraction << 16 | (uint32_t)as.final << 12 | (uint32_t)as.keep << 4 | (as.half ? MET_STEP_HALF : 0) | zero;
    uint32_t *children = MET_NEW_ARRAY(s->arena, uint32_t, (size_t)leaf_count + partial_count + 1);
    memcpy(children, leaves, leaf_count * sizeof *leaves);
    children[leaf_count] = MET_STEP_BAR;
    memcpy(children + leaf_count + 1, partials, partial_count * sizeof *partials);
    return met_step_node(s, STEP_UNIT, attributes, zero && !sinks, leaf_count + partial_count + 1, children);
}
