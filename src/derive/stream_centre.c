/* Sums of powers of (u - mean of u). Multiplied out they cancel badly: Σ(u - m)² from Σu² and Σu. So the sum is kept
 * relative to the running mean μ, as T_p = Σ w·(u - μ)^p; when μ moves by d to μ - d,
 *
 *     T_p  becomes  Σ_j C(p, j)·d^(p-j)·T_j,
 *
 * which needs the lower powers with the same weight. T_0 of weight 1 is the count, T_1 is 0 (Chan, Golub and LeVeque,
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979, for p = 2). */
#include <math.h>

#include "derive/stream_parts.h"

/* A mean within a summand: the atom m is κ·Σu, and u is an atom of the summand too. */
typedef struct mean {
    uint32_t m, u;
    uint32_t sum;             /* state Σu */
    const met_sum *share;     /* κ */
} mean;

/* κ if the sum is κ·(leaf of a state) with a static κ, and the state. */
static const met_sum *share_of(met_deriver *d, const met_sum *definition, uint32_t *ret_state)
{
    const met_sum *share = met_sum_number(d->algebra, definition->terms[0].coefficient);
    *ret_state = MET_NONE;
    for (uint32_t i = 0; i < definition->terms[0].count; i++) {
        met_power power = definition->terms[0].powers[i];
        const met_sum *factor = met_sum_of_atom(d->algebra, power.atom, power.exponent);
        if (!d->algebra->atoms.at[power.atom]->traits.statistic)
            share = met_sum_mul(d->algebra, share, factor);
        else if (*ret_state == MET_NONE && factor)
            *ret_state = met_deriver_state_of(d, factor);
        else
            return NULL;
    }
    return *ret_state == MET_NONE ? NULL : share;
}

static bool is_whole_power(double exponent)
{
    return exponent >= 1 && exponent <= MET_STATE_POWER && rint(exponent) == exponent;
}

/* Whether the atom is in e, and in whole powers only. */
static bool is_in(const met_sum *e, uint32_t atom)
{
    bool found = false;
    for (uint32_t i = 0; i < e->count; i++) {
        for (uint32_t k = 0; k < e->terms[i].count; k++) {
            if (e->terms[i].powers[k].atom != atom)
                continue;
            if (!is_whole_power(e->terms[i].powers[k].exponent))
                return false;
            found = true;
        }
    }
    return found;
}

static bool is_mean(met_deriver *d, const met_sum *e, const met_region_value *value, uint32_t atom, mean *ret_mean)
{
    const met_atom *at = d->algebra->atoms.at[atom];
    const met_sum *definition = at->definition ? at->definition : met_sum_of_atom(d->algebra, atom, 1);
    if (!at->traits.statistic || at->kind != MET_ATOM_LEAF || !definition || definition->count != 1 || !is_in(e, atom))
        return false;
    *ret_mean = (mean){ .m = atom };
    ret_mean->share = share_of(d, definition, &ret_mean->sum);
    if (!ret_mean->share)
        return false;
    const met_folded *sum = &d->folded.at[ret_mean->sum];
    const met_sum *u = sum->phi;
    if (sum->fold != MET_REGION_SUM || d->states.at[ret_mean->sum].kind != MET_STATE_PLAIN ||
        sum->reduced != (value->reduced & ~d->stream) || !met_scalar_equal(sum->live, met_deriver_live(d)))
        return false;
    if (u->count != 1 || u->terms[0].count != 1 || u->terms[0].coefficient != 1 || u->terms[0].powers[0].exponent != 1)
        return false;
    ret_mean->u = u->terms[0].powers[0].atom;
    return is_in(e, ret_mean->u);
}

static bool find_mean(met_deriver *d, const met_sum *e, const met_region_value *value, mean *ret_mean)
{
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = 0; k < e->terms[i].count; k++)
            if (is_mean(d, e, value, e->terms[i].powers[k].atom, ret_mean))
                return true;
    return false;
}

/* The states that all centred sums of u share. */
typedef struct centre {
    met_loops reduced;
    uint32_t count, mean;   /* states */
    const met_sum *number;  /* of terms */
    uint32_t difference;    /* atom of u - μ */
    const met_sum *middle;  /* μ */
    const met_sum *rest;    /* κ·n·μ - μ: 0 where m is the mean of u */
} centre;

static const met_sum *term_count(met_deriver *d, const met_region_value *value, const met_sum *count)
{
    const met_sum *number = met_sum_number(d->algebra, 1);
    for (uint32_t i = 0; i < d->region->loop_count; i++) {
        const met_scalar *size = met_scalar_size(d->arena, d->region->loops[i].size);
        if (value->reduced >> i & 1)
            number = met_sum_mul(d->algebra, number, met_sum_of_scalar(d->algebra, size, NULL, NULL));
    }
    return value->live || value->guarded ? count : number;
}

/* The name of u with something after it. */
static const char *name_after(met_deriver *d, const mean *of, const char *suffix)
{
    met_text name = met_text_new(d->arena);
    uint32_t value;
    const met_scalar *u = met_sum_scalar(d->algebra, met_sum_of_atom(d->algebra, of->u, 1));
    bool named = u->kind == MET_SCALAR_INPUT;
    value = named ? u->input : 0;
    met_text_format(&name, "%s_%s", named ? d->values.at[value].name : d->region->values[d->at].name, suffix);
    return met_text_done(&name);
}

/* A value of the tail instead of a state, or another formula for one. */
static void replace(met_deriver *d, uint32_t value, const met_sum *by)
{
    met_stream_value *at = &d->values.at[value];
    at->phase = MET_STREAM_TAIL;
    at->fold = MET_REGION_NONE;
    at->reduced = 0;
    at->e = met_sum_scalar(d->algebra, by);
}

static const met_sum *difference_of(met_deriver *d, const mean *of, const met_sum *middle)
{
    const met_sum *u = met_sum_of_atom(d->algebra, of->u, 1);
    const met_sum *difference = met_sum_add(d->algebra, u, met_sum_scale(d->algebra, middle, -1));
    if (!difference)
        return NULL;
    const met_scalar *e = met_sum_scalar(d->algebra, difference);
    for (uint32_t i = 0; i < d->values.count; i++) /* another sum may be centred already */
        if (d->values.at[i].phase == MET_STREAM_BODY && met_scalar_equal(d->values.at[i].e, e))
            return met_deriver_leaf(d, i);
    met_stream_value made = { .name = name_after(d, of, "centred"), .phase = MET_STREAM_BODY,
                              .loops = met_sum_traits(d->algebra, difference).loops, .e = e, .origin = MET_NONE };
    return met_deriver_leaf(d, met_deriver_add(d, made, false, false));
}

/* (κ·n - 1)·μ as a value of its own, so that it is 0 and nothing near that if κ is 1/n after all. */
static const met_sum *rest_of(met_deriver *d, const mean *of, const centre *c)
{
    const met_sum *excess = met_sum_add(d->algebra, met_sum_mul(d->algebra, of->share, c->number), met_sum_number(d->algebra, -1));
    const met_sum *rest = met_sum_mul(d->algebra, met_sum_closed(d->algebra, excess), c->middle);
    if (!rest || rest->count == 0)
        return rest;
    met_stream_value made = { .name = name_after(d, of, "rest"), .phase = MET_STREAM_TAIL, .loops = met_sum_traits(d->algebra, rest).loops,
                              .e = met_sum_scalar(d->algebra, rest), .origin = MET_NONE };
    for (uint32_t i = 0; i < d->values.count; i++)
        if (d->values.at[i].phase == MET_STREAM_TAIL && met_scalar_equal(d->values.at[i].e, made.e))
            return met_deriver_leaf(d, i);
    return met_deriver_leaf(d, met_deriver_add(d, made, false, false));
}

/* Makes the states; Σu and κ·Σu become values of the tail: n·μ and κ·n·μ. */
static bool begin(met_deriver *d, const met_region_value *value, const mean *of, centre *ret_centre)
{
    met_stream_state state = { .kind = MET_STATE_COUNT, .base = MET_NONE, .count = MET_NONE };
    d->next_name = name_after(d, of, "count");
    const met_sum *count = met_deriver_state(d, state, MET_REGION_SUM, value->reduced, met_sum_number(d->algebra, 1), NULL);
    if (!count)
        return false;
    *ret_centre = (centre){ .reduced = value->reduced, .count = met_deriver_state_of(d, count), .number = term_count(d, value, count) };
    state.kind = MET_STATE_MEAN;
    state.count = ret_centre->count;
    d->next_name = name_after(d, of, "mean");
    ret_centre->middle = met_deriver_state(d, state, MET_REGION_SUM, value->reduced, met_sum_of_atom(d->algebra, of->u, 1), NULL);
    d->next_name = NULL;
    const met_sum *difference = ret_centre->middle ? difference_of(d, of, ret_centre->middle) : NULL;
    const met_sum *whole = met_sum_mul(d->algebra, ret_centre->number, ret_centre->middle);
    const met_sum *share = met_sum_mul(d->algebra, of->share, whole);
    uint32_t m;
    if (!difference || !share)
        return false;
    ret_centre->mean = met_deriver_state_of(d, ret_centre->middle);
    ret_centre->difference = difference->terms[0].powers[0].atom;
    ret_centre->rest = rest_of(d, of, ret_centre);
    replace(d, d->states.at[of->sum].value, whole);
    if (met_atom_is_value(d->algebra, of->m, &m))
        replace(d, m, share);
    return ret_centre->rest != NULL;
}

/* u = (u - μ) + μ and m = μ + rest. */
static const met_sum *substituted(met_deriver *d, const met_sum *e, const mean *of, const centre *c)
{
    const met_sum *u = met_sum_add(d->algebra, met_sum_of_atom(d->algebra, c->difference, 1), c->middle);
    const met_sum *m = met_sum_add(d->algebra, c->middle, c->rest);
    const met_sum *sum = met_sum_number(d->algebra, 0);
    for (uint32_t i = 0; i < e->count; i++) {
        const met_sum *product = met_sum_number(d->algebra, e->terms[i].coefficient);
        for (uint32_t k = 0; k < e->terms[i].count; k++) {
            met_power power = e->terms[i].powers[k];
            const met_sum *base = power.atom == of->u ? u : power.atom == of->m ? m : NULL;
            if (!base)
                product = met_sum_mul(d->algebra, product, met_sum_of_atom(d->algebra, power.atom, power.exponent));
            for (int n = 0; base && n < (int)power.exponent; n++)
                product = met_sum_mul(d->algebra, product, base);
        }
        sum = met_sum_add(d->algebra, sum, product);
    }
    return sum;
}

/* phi as weight·(u - μ)^power; MET_NONE if its terms have different powers. */
static uint32_t power_of(met_deriver *d, const met_sum *phi, uint32_t difference, const met_sum **ret_weight)
{
    uint32_t common = MET_NONE;
    for (uint32_t i = 0; i < phi->count; i++) {
        uint32_t own = 0;
        for (uint32_t k = 0; k < phi->terms[i].count; k++)
            if (phi->terms[i].powers[k].atom == difference)
                own = (uint32_t)phi->terms[i].powers[k].exponent;
        if (common != MET_NONE && own != common)
            return MET_NONE;
        common = own;
    }
    *ret_weight = met_sum_mul(d->algebra, phi, met_sum_of_atom(d->algebra, difference, -(double)common));
    return *ret_weight && common < MET_STATE_POWER ? common : MET_NONE;
}

/* The leaf of T_power with that weight; the number 0 for what is always 0. */
static const met_sum *moment(met_deriver *d, const centre *c, const met_sum *weight, uint32_t power)
{
    double number;
    bool plain = met_sum_is_number(weight, &number) && number == 1;
    met_stream_state state = { .kind = MET_STATE_PLAIN, .base = MET_NONE, .count = MET_NONE };
    if (plain && power == 1)
        return met_sum_number(d->algebra, 0);
    if (plain && power == 0)
        return met_deriver_leaf(d, d->states.at[c->count].value);
    if (power == 0)
        return met_deriver_state(d, state, MET_REGION_SUM, c->reduced, weight, NULL);
    state.kind = MET_STATE_CENTRED;
    state.base = c->mean;
    state.count = c->count;
    state.power = power;
    for (uint32_t j = 0; j < power; j++) {
        const met_sum *lower = moment(d, c, weight, j);
        if (!lower)
            return NULL;
        state.lower[j] = lower->count ? met_deriver_state_of(d, lower) : MET_NONE;
    }
    const met_sum *phi = met_sum_mul(d->algebra, weight, met_sum_of_atom(d->algebra, c->difference, power));
    return phi ? met_deriver_state(d, state, MET_REGION_SUM, c->reduced, phi, NULL) : NULL;
}

const met_sum *met_derive_centred(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    mean of;
    centre c;
    const met_sum_term *terms;
    if (!find_mean(d, e, value, &of) || !begin(d, value, &of, &c))
        return NULL;
    const met_sum *centred = substituted(d, e, &of, &c);
    uint32_t rank = met_sum_separate(d->algebra, centred, value->reduced, &terms);
    const met_sum *sum = rank == MET_NONE ? NULL : met_sum_number(d->algebra, 0);
    for (uint32_t i = 0; sum && i < rank; i++) {
        const met_sum *weight;
        uint32_t power = power_of(d, terms[i].phi, c.difference, &weight);
        if (power == MET_NONE)
            return NULL;
        const met_sum *state = moment(d, &c, weight, power);
        if (state && met_deriver_state_of(d, state) == c.count)
            state = c.number;
        sum = met_sum_add(d->algebra, sum, met_sum_mul(d->algebra, terms[i].c, state));
    }
    return sum;
}
