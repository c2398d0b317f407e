/* Recurrences S ← e(S, element). If e is affine in S the recurrence is a monoid, (A₂A₁, A₂b₁ + b₂): it may be split. An
 * extremum of S with something else is a fold. Any other is a left fold and no more. */
#include "derive/stream_parts.h"

/* What a recurrence reads, as the algebra sees it: the state is the only statistic. */
typedef struct view {
    met_deriver *deriver;
    const met_sum *state;
    bool statistic; /* reads a finished fold */
} view;

static const met_sum *lookup(void *context, uint32_t input)
{
    view *v = context;
    if (input == MET_REGION_STATE)
        return v->state;
    const met_known *known = &v->deriver->known[input];
    if (!known->sum || met_sum_traits(v->deriver->algebra, known->sum).statistic)
        v->statistic = true;
    return known->sum ? known->sum : met_sum_number(v->deriver->algebra, 0);
}

/* The region's formula over values of the term; the state stays what it is. */
static const met_scalar *translated(met_deriver *d, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT && e->input != MET_REGION_STATE)
        return met_sum_scalar(d->algebra, d->known[e->input].sum);
    const met_scalar *of[3] = { NULL, NULL, NULL };
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        of[i] = e->arguments[i] ? translated(d, e->arguments[i]) : NULL;
    return e->kind == MET_SCALAR_CALL ? met_scalar_call(d->arena, e->fn, of[0], of[1], of[2]) : e;
}

static bool is_state(const met_scalar *e)
{
    return e->kind == MET_SCALAR_INPUT && e->input == MET_REGION_STATE;
}

static bool reads_state(const met_scalar *e)
{
    bool reads = is_state(e);
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3 && !reads; i++)
        reads = e->arguments[i] && reads_state(e->arguments[i]);
    return reads;
}

/* max(S, e) and min(S, e), e without S. */
static const met_scalar *extreme_of(const met_scalar *e, met_region_fold *ret_fold)
{
    if (e->kind != MET_SCALAR_CALL || (e->fn != MET_FN_max && e->fn != MET_FN_min))
        return NULL;
    *ret_fold = e->fn == MET_FN_max ? MET_REGION_MAX : MET_REGION_MIN;
    for (int i = 0; i < 2; i++)
        if (is_state(e->arguments[i]) && !reads_state(e->arguments[1 - i]))
            return e->arguments[1 - i];
    return NULL;
}

/* decay·S + rest, if e is that. */
static bool affine_of(met_deriver *d, const met_sum *e, const met_sum *leaf, const met_sum **ret_decay, const met_sum **ret_rest)
{
    const met_sum_term *terms;
    uint32_t rank = e ? met_sum_separate(d->algebra, e, d->stream, &terms) : MET_NONE;
    const met_sum *zero = met_sum_number(d->algebra, 0);
    *ret_decay = *ret_rest = zero;
    for (uint32_t i = 0; rank != MET_NONE && i < rank; i++) {
        for (uint32_t k = 0; k < terms[i].c->count; k++) {
            met_product statistic, fixed;
            met_product_split(d->algebra, &terms[i].c->terms[k], 0, &statistic, &fixed);
            bool state = statistic.count == 1 && met_product_compare(&statistic, &leaf->terms[0]) == 0;
            if (!state && statistic.count != 0)
                return false;
            const met_sum **to = state ? ret_decay : ret_rest;
            *to = met_sum_add(d->algebra, *to, met_sum_mul(d->algebra, met_sum_of_product(d->algebra, fixed), terms[i].phi));
        }
    }
    return rank != MET_NONE && *ret_decay && *ret_rest;
}

static const met_sum *affine_state(met_deriver *d, const met_sum *decay, const met_sum *rest)
{
    met_stream_state state = { .kind = MET_STATE_PLAIN, .base = MET_NONE, .count = MET_NONE };
    decay = met_sum_closed(d->algebra, decay);
    double number;
    if (!decay || !rest)
        return NULL;
    if (met_sum_is_number(decay, &number) && number == 1)
        return met_deriver_state(d, state, MET_REGION_SUM, d->stream, rest, NULL);
    state.split_only = true;
    met_text name = met_text_new(d->arena);
    met_text_format(&name, "%s_decay", d->region->values[d->at].name);
    d->next_name = met_text_done(&name);
    const met_sum *product = met_deriver_state(d, state, MET_REGION_PROD, d->stream, decay, NULL);
    if (!product)
        return NULL;
    state = (met_stream_state){ .kind = MET_STATE_SCAN, .base = met_deriver_state_of(d, product), .count = MET_NONE };
    state.decay = met_sum_scalar(d->algebra, decay);
    const met_sum *leaf = met_deriver_state(d, state, MET_REGION_SCAN, d->stream, rest, NULL);
    if (leaf) { /* decays may reach further than what is added */
        met_loops loops = met_sum_traits(d->algebra, decay).loops & ~d->stream;
        uint32_t number_of = met_deriver_state_of(d, leaf);
        d->states.at[number_of].loops |= loops;
        d->values.at[d->states.at[number_of].value].loops |= loops;
        d->traits.at[d->states.at[number_of].value].loops |= loops;
        d->algebra->atoms.at[leaf->terms[0].powers[0].atom]->traits.loops |= loops;
    }
    return leaf;
}

const met_sum *met_derive_scan(met_deriver *d, const met_region_value *value)
{
    met_stream_value previous = { .name = met_deriver_name(d), .phase = MET_STREAM_STATE, .loops = value->loops,
                                  .fold = MET_REGION_OPAQUE, .origin = MET_NONE };
    const met_sum *state = met_deriver_leaf(d, met_deriver_add(d, previous, false, false));
    view v = { d, state, false };
    met_region_fold fold = MET_REGION_SCAN;
    d->number = 0;
    const met_scalar *other = extreme_of(value->e, &fold);
    const met_sum *e = met_sum_of_scalar(d->algebra, other ? other : value->e, lookup, &v), *decay, *rest;
    if (v.statistic)
        return met_algebra_refuse(d->algebra, NULL, "a recurrence that reads a finished fold of the same stream needs a second pass");
    met_stream_state plain = { .kind = MET_STATE_PLAIN, .base = MET_NONE, .count = MET_NONE };
    if (other && e)
        return met_deriver_state(d, plain, fold, value->reduced, e, NULL);
    if (e && value->reduced == d->stream && affine_of(d, e, state, &decay, &rest))
        return affine_state(d, decay, rest);
    d->algebra->reason = NULL;
    plain.kind = MET_STATE_FOLD;
    return met_deriver_state(d, plain, MET_REGION_SCAN, value->reduced, NULL, translated(d, value->e));
}
