/* Folds over the stream whose summand needs other folds: sums term by term, relative to a running maximum where an
 * exponential of a statistic could overflow; extrema up to a positive factor and an offset. */
#include <math.h>

#include "derive/stream_parts.h"

static const met_sum *exponential(met_deriver *d, met_scalar_fn fn, const met_sum *of, double exponent)
{
    if (!of)
        return NULL;
    met_atom atom = { .kind = MET_ATOM_EXP, .fn = fn, .arguments = { of } };
    return met_sum_of_atom(d->algebra, met_atom_of(d->algebra, &atom), exponent);
}

/* The kind of exponential that c has; false if it has none. */
static bool exponential_in(const met_deriver *d, const met_sum *c, met_scalar_fn *ret_fn)
{
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t k = 0; k < c->terms[i].count; k++) {
            const met_atom *atom = d->algebra->atoms.at[c->terms[i].powers[k].atom];
            *ret_fn = atom->fn;
            if (atom->kind == MET_ATOM_EXP)
                return true;
        }
    }
    return false;
}

/* The exponent that all products of phi have in exponentials of kind fn. NULL if they differ or it is 0. */
static const met_sum *common_exponent(met_deriver *d, const met_sum *phi, met_scalar_fn fn)
{
    const met_sum *common = NULL;
    for (uint32_t i = 0; i < phi->count; i++) {
        const met_sum *exponent = met_sum_number(d->algebra, 0);
        for (uint32_t k = 0; k < phi->terms[i].count; k++) {
            const met_atom *atom = d->algebra->atoms.at[phi->terms[i].powers[k].atom];
            if (atom->kind == MET_ATOM_EXP && atom->fn == fn)
                exponent = met_sum_add(d->algebra, exponent,
                                       met_sum_scale(d->algebra, atom->arguments[0], phi->terms[i].powers[k].exponent));
        }
        if (!exponent || exponent->count == 0 || (common && !met_sum_equal(common, exponent)))
            return NULL;
        common = exponent;
    }
    return common;
}

/* The power of atom that all products of c have. */
static double common_power(const met_sum *c, uint32_t atom)
{
    double common = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        double own = 0;
        for (uint32_t k = 0; k < c->terms[i].count; k++)
            if (c->terms[i].powers[k].atom == atom)
                own = c->terms[i].powers[k].exponent;
        if (i > 0 && own != common)
            return 0;
        common = own;
    }
    return common;
}

/* A base: phi·fn(-factor·base) does not grow over the stream. */
typedef struct base {
    uint32_t state;
    double factor;
} base;

/* A running extremum m with fn(-factor·m) in c and factor·(what m is the extremum of) as the exponent of phi. */
static base base_in(met_deriver *d, const met_sum *c, const met_sum *exponent, met_scalar_fn fn)
{
    for (uint32_t i = 0; i < d->states.count; i++) {
        met_region_fold fold = d->folded.at[i].fold;
        if ((fold != MET_REGION_MAX && fold != MET_REGION_MIN) || d->states.at[i].kind != MET_STATE_PLAIN ||
            !met_scalar_equal(d->folded.at[i].live, met_deriver_live(d)))
            continue;
        const met_sum *power = exponential(d, fn, met_deriver_leaf(d, d->states.at[i].value), 1);
        double factor = power ? -common_power(c, power->terms[0].powers[0].atom) : 0;
        if (factor == 0 || (factor > 0) != (fold == MET_REGION_MAX))
            continue;
        const met_sum *of = met_sum_scale(d->algebra, met_sum_opened(d->algebra, d->folded.at[i].phi, false), factor);
        if (of && met_sum_equal(of, met_sum_opened(d->algebra, exponent, false)))
            return (base){ i, factor };
    }
    return (base){ MET_NONE, 0 };
}

/* c·(fold of phi). */
static const met_sum *derive_term(met_deriver *d, met_sum_term term, met_loops reduced)
{
    met_stream_state state = { .kind = MET_STATE_PLAIN, .base = MET_NONE, .count = MET_NONE };
    met_scalar_fn fn;
    if (term.phi->count == 1 && term.phi->terms[0].count == 0)
        state.kind = MET_STATE_COUNT;
    const met_sum *exponent = exponential_in(d, term.c, &fn) ? common_exponent(d, term.phi, fn) : NULL;
    if (!exponent)
        return met_sum_mul(d->algebra, term.c, met_deriver_state(d, state, MET_REGION_SUM, reduced, term.phi, NULL));
    base to = base_in(d, term.c, exponent, fn);
    if (to.state == MET_NONE) { /* the statistic is no extremum: a running maximum of the exponent's own */
        const met_sum *largest = met_deriver_state(d, state, MET_REGION_MAX, reduced, met_sum_closed(d->algebra, exponent), NULL);
        if (!largest)
            return NULL;
        to = (base){ met_deriver_state_of(d, largest), 1 };
    }
    const met_sum *leaf = met_deriver_leaf(d, d->states.at[to.state].value);
    const met_sum *c = met_sum_mul(d->algebra, term.c, exponential(d, fn, leaf, to.factor));
    const met_sum *phi = met_sum_mul(d->algebra, term.phi, exponential(d, fn, leaf, -to.factor));
    if (!c || !phi)
        return NULL;
    state.kind = MET_STATE_REBASED;
    state.base = to.state;
    state.delta = met_rebase_factor(d->arena, fn, -to.factor);
    state.exact = fn == MET_FN_ldexp && rint(to.factor) == to.factor;
    return met_sum_mul(d->algebra, c, met_deriver_state(d, state, MET_REGION_SUM, reduced, phi, NULL));
}

/* The loops of statistics within e. */
static met_loops statistic_loops(const met_deriver *d, const met_sum *e)
{
    met_loops loops = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        for (uint32_t k = 0; k < e->terms[i].count; k++) {
            const met_traits *traits = &d->algebra->atoms.at[e->terms[i].powers[k].atom]->traits;
            loops |= traits->statistic ? traits->loops : 0;
        }
    }
    return loops;
}

const met_sum *met_derive_sum(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    met_loops others = value->reduced & ~d->stream;
    bool late = (statistic_loops(d, e) & others) != 0; /* statistics differ along other folded loops: fold those in the tail */
    met_loops reduced = late ? d->stream : value->reduced;
    const met_sum_term *terms;
    uint32_t rank = met_sum_separate(d->algebra, e, reduced, &terms);
    if (rank == MET_NONE)
        return NULL;
    if (late && value->live)
        return met_algebra_refuse(d->algebra, NULL, "a mask along two axes of one fold, one of which is folded after the stream");
    d->rank = rank;
    for (uint32_t i = 0; rank > 1 && i < rank; i++) {
        bool constant = !met_sum_traits(d->algebra, terms[i].c).statistic && met_sum_traits(d->algebra, terms[i].phi).weights;
        d->rank -= constant && terms[i].phi->terms[0].count > 0;
        d->constant = d->constant || d->rank < rank;
    }
    const met_sum *sum = rank > 1 && !late ? met_derive_centred(d, value, e) : NULL;
    if (!sum && !d->algebra->reason) {
        sum = met_sum_number(d->algebra, 0);
        for (uint32_t i = 0; i < rank; i++)
            sum = met_sum_add(d->algebra, sum, derive_term(d, terms[i], reduced));
    }
    if (!sum || !late)
        return sum;
    met_traits traits = met_sum_traits(d->algebra, sum);
    met_stream_value folded = { .name = met_deriver_name(d), .phase = MET_STREAM_TAIL, .loops = traits.loops & ~others,
                                .fold = MET_REGION_SUM, .reduced = others, .e = met_sum_scalar(d->algebra, sum),
                                .origin = MET_NONE };
    return met_deriver_leaf(d, met_deriver_add(d, folded, traits.positive, false));
}

/* offset + scale·inner, where scale > 0 unless `flips`, and only inner reads loops of the mask. */
typedef struct affine {
    const met_sum *offset, *scale, *inner;
    bool flips;
} affine;

static bool affine_of(met_deriver *d, const met_sum *e, met_loops mask, affine *ret_parts)
{
    met_algebra *algebra = d->algebra;
    affine parts = { met_sum_number(algebra, 0), met_sum_number(algebra, 1), NULL, false };
    const met_sum *rest = met_sum_number(algebra, 0);
    for (uint32_t i = 0; i < e->count; i++) {
        met_traits traits = met_product_traits(algebra, &e->terms[i]);
        bool offset = traits.statistic && !(traits.loops & mask);
        const met_sum **to = offset ? &parts.offset : &rest;
        *to = met_sum_add(algebra, *to, met_sum_of_product(algebra, e->terms[i]));
    }
    if (!rest || !parts.offset)
        return false;
    parts.inner = rest;
    if (met_sum_traits(algebra, rest).statistic && !met_sum_split(algebra, rest, &parts.scale, &parts.inner)) {
        met_algebra_refuse(algebra, met_sum_scalar(algebra, rest), "an extremum of a sum of an element and a statistic does not separate");
        return false;
    }
    parts.inner = met_sum_closed(algebra, parts.inner);
    if (statistic_loops(d, e) & mask) {
        met_algebra_refuse(algebra, met_sum_scalar(algebra, e),
                           "a statistic that differs along a folded axis does not come out of an extremum");
        return false;
    }
    double number;
    bool positive = met_sum_traits(algebra, parts.scale).positive;
    parts.flips = !positive && met_sum_traits(algebra, met_sum_scale(algebra, parts.scale, -1)).positive;
    if (!positive && !parts.flips && !met_sum_is_number(parts.scale, &number)) {
        met_algebra_refuse(algebra, met_sum_scalar(algebra, parts.scale),
                           "the statistic that would be taken out of an extremum has no known sign");
        return false;
    }
    *ret_parts = parts;
    return parts.inner != NULL;
}

static bool is_affine(met_region_fold fold)
{
    return fold == MET_REGION_MAX || fold == MET_REGION_MIN || fold == MET_REGION_TOP_K || fold == MET_REGION_ARGMAX;
}

static met_region_fold flipped(met_region_fold fold)
{
    return fold == MET_REGION_MAX ? MET_REGION_MIN : fold == MET_REGION_MIN ? MET_REGION_MAX : fold;
}

/* Everything but sums: selections and extrema commute with rising maps; products and "any" must not need a statistic. */
static bool monotone_parts(met_deriver *d, const met_region_value *value, const met_sum *e, affine *ret_parts)
{
    *ret_parts = (affine){ met_sum_number(d->algebra, 0), met_sum_number(d->algebra, 1), met_sum_closed(d->algebra, e), false };
    if (!met_sum_traits(d->algebra, e).statistic)
        return ret_parts->inner != NULL;
    if (!is_affine(value->fold)) {
        met_algebra_refuse(d->algebra, met_sum_scalar(d->algebra, e), "a statistic does not come out of a %s",
                           met_region_fold_table[value->fold].spelling);
        return false;
    }
    if (!affine_of(d, e, value->reduced | d->stream, ret_parts))
        return false;
    if (ret_parts->flips && flipped(value->fold) == value->fold) {
        met_algebra_refuse(d->algebra, met_sum_scalar(d->algebra, ret_parts->scale), "a negative statistic turns a selection around");
        return false;
    }
    return true;
}

const met_sum *met_derive_extreme(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    affine parts;
    met_stream_state state = { .kind = MET_STATE_PLAIN, .base = MET_NONE, .count = MET_NONE };
    if (!monotone_parts(d, value, e, &parts))
        return NULL;
    met_region_fold fold = parts.flips ? flipped(value->fold) : value->fold;
    if (fold == MET_REGION_TOP_K || fold == MET_REGION_ARGMAX) {
        state.kind = MET_STATE_SLOTS;
        state.slots = value->slots;
    }
    const met_sum *leaf = met_deriver_state(d, state, fold, value->reduced, parts.inner, NULL);
    if (!leaf || !value->picks_index || fold == MET_REGION_ARGMAX)
        return value->picks_index || !leaf ? leaf : met_sum_add(d->algebra, parts.offset, met_sum_mul(d->algebra, parts.scale, leaf));
    state.base = met_deriver_state_of(d, leaf); /* the indices of the same slots */
    return met_deriver_state(d, state, MET_REGION_ARGMAX, value->reduced, parts.inner, NULL);
}

/* One fold within the body, or before the stream. */
static const met_sum *inner_fold(met_deriver *d, const met_region_value *value, met_region_fold fold, const met_sum *e)
{
    met_traits traits = met_sum_traits(d->algebra, e);
    met_stream_value folded = { .name = met_deriver_name(d), .phase = traits.loops & d->stream ? MET_STREAM_BODY : MET_STREAM_HEAD,
                                .loops = traits.loops & ~value->reduced, .fold = fold, .reduced = value->reduced,
                                .e = met_sum_scalar(d->algebra, e), .live = met_deriver_live(d), .origin = MET_NONE };
    return met_deriver_leaf(d, met_deriver_add(d, folded, traits.positive, traits.weights));
}

const met_sum *met_derive_inner(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    if (value->fold != MET_REGION_SUM) {
        affine parts;
        if (!monotone_parts(d, value, e, &parts))
            return NULL;
        const met_sum *folded = inner_fold(d, value, parts.flips ? flipped(value->fold) : value->fold, parts.inner);
        return met_sum_add(d->algebra, parts.offset, met_sum_mul(d->algebra, parts.scale, folded));
    }
    const met_sum_term *terms;
    uint32_t rank = met_sum_separate(d->algebra, e, d->stream | value->reduced, &terms);
    const met_sum *sum = rank == MET_NONE ? NULL : met_sum_number(d->algebra, 0);
    for (uint32_t i = 0; sum && i < rank; i++) {
        if (met_sum_traits(d->algebra, terms[i].phi).statistic)
            return met_algebra_refuse(d->algebra, met_sum_scalar(d->algebra, terms[i].phi),
                                      "a statistic that differs along an axis folded for every element does not come out of that fold");
        sum = met_sum_add(d->algebra, sum, met_sum_mul(d->algebra, terms[i].c, inner_fold(d, value, MET_REGION_SUM, terms[i].phi)));
    }
    return sum;
}
