/* Expressions to normal forms and back. */
#include <math.h>

#include "derive/normal.h"

const met_sum *met_sum_of_scalar(met_algebra *algebra, const met_scalar *scalar, met_algebra_lookup value, void *context)
{
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        return met_sum_number(algebra, scalar->number);
    case MET_SCALAR_INPUT: {
        const met_sum *known = value ? value(context, scalar->input) : NULL;
        return known ? known : algebra->reason ? NULL : met_sum_leaf(algebra, scalar);
    }
    case MET_SCALAR_INDEX:
    case MET_SCALAR_SIZE:
        return met_sum_leaf(algebra, scalar);
    case MET_SCALAR_CALL:
        break;
    }
    const met_sum *arguments[3] = { NULL, NULL, NULL };
    for (int i = 0; i < 3; i++) {
        if (!scalar->arguments[i])
            continue;
        arguments[i] = met_sum_of_scalar(algebra, scalar->arguments[i], value, context);
        if (!arguments[i])
            return NULL;
    }
    return met_sum_call(algebra, scalar->fn, arguments[0], arguments[1], arguments[2]);
}

static const met_scalar *call1(met_algebra *algebra, met_scalar_fn fn, const met_scalar *a)
{
    return met_scalar_call(algebra->arena, fn, a, NULL, NULL);
}

static const met_scalar *call2(met_algebra *algebra, met_scalar_fn fn, const met_scalar *a, const met_scalar *b)
{
    return met_scalar_call(algebra->arena, fn, a, b, NULL);
}

static const met_scalar *atom_scalar(met_algebra *algebra, uint32_t number)
{
    met_atom *atom = algebra->atoms.at[number];
    if (atom->scalar)
        return atom->scalar;
    if (atom->kind == MET_ATOM_LEAF) {
        atom->scalar = atom->leaf;
    } else if (atom->kind == MET_ATOM_SUM) {
        atom->scalar = met_sum_scalar(algebra, atom->arguments[0]);
    } else {
        const met_scalar *of[3] = { NULL, NULL, NULL };
        for (int i = 0; i < 3; i++)
            of[i] = atom->arguments[i] ? met_sum_scalar(algebra, atom->arguments[i]) : NULL;
        atom->scalar = met_scalar_call(algebra->arena, atom->fn, of[0], of[1], of[2]);
    }
    return atom->scalar;
}

/* atom^exponent for an exponent above 0. */
static const met_scalar *power_scalar(met_algebra *algebra, uint32_t atom, double exponent)
{
    const met_scalar *base = atom_scalar(algebra, atom);
    if (exponent == 1)
        return base;
    if (exponent == 2)
        return call2(algebra, MET_FN_mul, base, base);
    if (exponent == 0.5)
        return call1(algebra, MET_FN_sqrt, base);
    return call2(algebra, MET_FN_pow, base, met_scalar_number(algebra->arena, exponent));
}

/* The exponents of all exponentials of kind fn; NULL if there is none. */
static const met_scalar *exponent_scalar(met_algebra *algebra, const met_product *product, met_scalar_fn fn)
{
    const met_sum *exponent = met_sum_number(algebra, 0);
    for (uint32_t i = 0; exponent && i < product->count; i++) {
        const met_atom *atom = algebra->atoms.at[product->powers[i].atom];
        if (atom->kind == MET_ATOM_EXP && atom->fn == fn)
            exponent = met_sum_add(algebra, exponent, met_sum_scale(algebra, atom->arguments[0], product->powers[i].exponent));
    }
    return exponent && exponent->count ? met_sum_scalar(algebra, exponent) : NULL;
}

static const met_scalar *times(met_algebra *algebra, const met_scalar *a, const met_scalar *b)
{
    return a && b ? call2(algebra, MET_FN_mul, a, b) : a ? a : b;
}

static met_product inverse(met_algebra *algebra, const met_product *product)
{
    met_power *powers = met_arena_copy(algebra->arena, product->powers, product->count, sizeof *powers);
    for (uint32_t i = 0; i < product->count; i++)
        powers[i].exponent = -powers[i].exponent;
    return (met_product){ 1, product->count, powers };
}

/* Names are looked for among so many, the latest first. */
enum { NAME_LIMIT = 128 };

void met_algebra_name(met_algebra *algebra, const met_product *product, const met_scalar *name)
{
    met_named_product named = { *product, name };
    MET_PUSH(algebra->arena, &algebra->names, named);
}

static bool contains(const met_product *whole, const met_product *part)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < whole->count && k < part->count; i++)
        k += whole->powers[i].atom == part->powers[k].atom && whole->powers[i].exponent == part->powers[k].exponent;
    return k == part->count;
}

/* A sum in a product that is negative: -(b - a)*c reads (a - b)*c. MET_NONE if there is none. */
static uint32_t turned(const met_algebra *algebra, const met_product *product)
{
    for (uint32_t i = 0; product->coefficient < 0 && i < product->count; i++)
        if (algebra->atoms.at[product->powers[i].atom]->kind == MET_ATOM_SUM && product->powers[i].exponent == 1)
            return i;
    return MET_NONE;
}

/* A name that stands for a part of the product; *ret_rest is what remains. NULL if there is none. */
static const met_scalar *name_within(met_algebra *algebra, const met_product *product, met_product *ret_rest)
{
    for (size_t n = 0; n < algebra->names.count && n < NAME_LIMIT && turned(algebra, product) == MET_NONE; n++) {
        const met_named_product *named = &algebra->names.at[algebra->names.count - 1 - n];
        double times = product->coefficient / named->product.coefficient;
        bool exact = named->product.coefficient > 0 && times * named->product.coefficient == product->coefficient;
        if (!exact || !contains(product, &named->product))
            continue;
        met_product without = inverse(algebra, &named->product);
        *ret_rest = met_product_mul(algebra, product, &without);
        ret_rest->coefficient = times;
        return named->name;
    }
    return NULL;
}

static bool reads_negative(const met_algebra *algebra, const met_product *product)
{
    return product->coefficient < 0 && turned(algebra, product) == MET_NONE;
}

/* The product without its sign, if it reads negative. */
static const met_scalar *unsigned_product(met_algebra *algebra, const met_product *product)
{
    met_product rest;
    const met_scalar *over = NULL, *under = NULL, *name = name_within(algebra, product, &rest);
    product = name ? &rest : product;
    uint32_t turn = turned(algebra, product);
    double coefficient = fabs(product->coefficient);
    if (coefficient != 1)
        over = met_scalar_number(algebra->arena, coefficient);
    for (int kind = 0; kind < 2; kind++) {
        const met_scalar *exponent = exponent_scalar(algebra, product, kind ? MET_FN_exp2 : MET_FN_exp);
        if (exponent)
            over = times(algebra, over, call1(algebra, kind ? MET_FN_exp2 : MET_FN_exp, exponent));
    }
    for (uint32_t i = 0; i < product->count; i++) {
        const met_power *power = &product->powers[i];
        if (algebra->atoms.at[power->atom]->kind == MET_ATOM_EXP)
            continue;
        if (power->exponent == -0.5)
            over = times(algebra, over, call1(algebra, MET_FN_rsqrt, atom_scalar(algebra, power->atom)));
        else if (i == turn)
            over = times(algebra, over, met_sum_scalar(algebra, met_sum_scale(algebra, algebra->atoms.at[power->atom]->arguments[0], -1)));
        else if (power->exponent > 0)
            over = times(algebra, over, power_scalar(algebra, power->atom, power->exponent));
        else
            under = times(algebra, under, power_scalar(algebra, power->atom, -power->exponent));
    }
    over = times(algebra, over, name);
    if (!over)
        over = met_scalar_number(algebra->arena, 1);
    const met_scalar *scale = exponent_scalar(algebra, product, MET_FN_ldexp);
    if (scale)
        over = call2(algebra, MET_FN_ldexp, over, scale);
    return under ? call2(algebra, MET_FN_div, over, under) : over;
}

static const met_scalar *negated(met_algebra *algebra, const met_scalar *a)
{
    return a->kind == MET_SCALAR_NUMBER ? met_scalar_number(algebra->arena, -a->number) : call1(algebra, MET_FN_neg, a);
}

const met_scalar *met_product_scalar(met_algebra *algebra, const met_product *product)
{
    const met_scalar *scalar = unsigned_product(algebra, product);
    return reads_negative(algebra, product) ? negated(algebra, scalar) : scalar;
}

/* The powers that all terms have, as far as there are such. */
static met_product common_factor(met_algebra *algebra, const met_sum *a)
{
    met_power *powers = MET_NEW_ARRAY(algebra->arena, met_power, a->terms[0].count);
    met_product common = { 1, 0, powers };
    for (uint32_t i = 0; i < a->terms[0].count; i++) {
        uint32_t having = 0;
        for (uint32_t t = 0; t < a->count; t++)
            for (uint32_t k = 0; k < a->terms[t].count; k++)
                having += a->terms[t].powers[k].atom == a->terms[0].powers[i].atom &&
                          a->terms[t].powers[k].exponent == a->terms[0].powers[i].exponent;
        if (having == a->count)
            powers[common.count++] = a->terms[0].powers[i];
    }
    return common;
}

/* Added up from the first term with a positive coefficient on, so that it reads a - b rather than -b + a. */
static const met_scalar *terms_scalar(met_algebra *algebra, const met_sum *a)
{
    uint32_t first = 0;
    while (first < a->count && reads_negative(algebra, &a->terms[first]))
        first++;
    first = first == a->count ? 0 : first;
    const met_scalar *sum = met_product_scalar(algebra, &a->terms[first]);
    for (uint32_t i = 0; i < a->count; i++) {
        if (i == first)
            continue;
        const met_scalar *term = unsigned_product(algebra, &a->terms[i]);
        sum = call2(algebra, reads_negative(algebra, &a->terms[i]) ? MET_FN_sub : MET_FN_add, sum, term);
    }
    return sum;
}

const met_scalar *met_sum_scalar(met_algebra *algebra, const met_sum *a)
{
    if (!a || a->count == 0) /* NULL: refused already */
        return met_scalar_number(algebra->arena, 0);
    if (a->count == 1)
        return met_product_scalar(algebra, &a->terms[0]);
    met_product common = common_factor(algebra, a), without = inverse(algebra, &common);
    if (common.count == 0)
        return terms_scalar(algebra, a);
    met_sum rest = { a->count, NULL };
    met_product *terms = MET_NEW_ARRAY(algebra->arena, met_product, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        terms[i] = met_product_mul(algebra, &a->terms[i], &without);
    rest.terms = terms;
    const met_scalar *inner = terms_scalar(algebra, &rest);
    bool inverted = true; /* nothing but divisors: (a + b)/n */
    for (uint32_t i = 0; i < common.count; i++)
        inverted = inverted && common.powers[i].exponent < 0 && common.powers[i].exponent != -0.5 &&
                   algebra->atoms.at[common.powers[i].atom]->kind != MET_ATOM_EXP;
    if (inverted) {
        met_product divisor = inverse(algebra, &common);
        return call2(algebra, MET_FN_div, inner, met_product_scalar(algebra, &divisor));
    }
    return call2(algebra, MET_FN_mul, met_product_scalar(algebra, &common), inner);
}
