/* What functions do to sums of products: exp over sums, powers over products, positively homogeneous maps over positive
 * factors. Each rule is an identity of real functions that holds wherever the left side is defined. Where the sign of a
 * factor is not known, its absolute value takes part in roots and logarithms: sqrt(ab) = sqrt|a|·sqrt|b|. */
#include <math.h>

#include "derive/normal.h"

static bool mixes(const met_algebra *algebra, const met_sum *a)
{
    return a && met_traits_mix(algebra, met_sum_traits(algebra, a));
}

static const met_sum *call_atom(met_algebra *algebra, met_scalar_fn fn, const met_sum *a, const met_sum *b, const met_sum *c)
{
    met_atom atom = { .kind = MET_ATOM_CALL, .fn = fn, .arguments = { a, b, c } };
    return met_sum_of_atom(algebra, met_atom_of(algebra, &atom), 1);
}

/* The call as a refused factor. */
static const met_sum *refuse_call(met_algebra *algebra, met_scalar_fn fn, const met_sum *a, const met_sum *b, const met_sum *c,
                                  const char *why)
{
    const met_scalar *factor = met_scalar_call(algebra->arena, fn, met_sum_scalar(algebra, a), b ? met_sum_scalar(algebra, b) : NULL,
                                               c ? met_sum_scalar(algebra, c) : NULL);
    return met_algebra_refuse(algebra, factor, "%s", why);
}

static const met_sum *absolute_of_atom(met_algebra *algebra, uint32_t atom, double exponent)
{
    if (algebra->atoms.at[atom]->traits.positive || fmod(exponent, 2) == 0)
        return met_sum_of_atom(algebra, atom, exponent);
    const met_sum *absolute = call_atom(algebra, MET_FN_abs, met_sum_of_atom(algebra, atom, 1), NULL, NULL);
    return absolute ? met_sum_of_atom(algebra, absolute->terms[0].powers[0].atom, exponent) : NULL;
}

/* |coefficient|^exponent · Π |atom|^(power·exponent); without the bars where `plain`. */
static const met_sum *product_power(met_algebra *algebra, const met_product *product, double exponent, bool plain)
{
    const met_sum *power = met_sum_number(algebra, pow(plain ? product->coefficient : fabs(product->coefficient), exponent));
    for (uint32_t i = 0; power && i < product->count; i++) {
        uint32_t atom = product->powers[i].atom;
        double own = product->powers[i].exponent, total = own * exponent;
        const met_sum *factor;
        if (plain || algebra->atoms.at[atom]->traits.positive)
            factor = met_sum_of_atom(algebra, atom, total);
        else
            factor = absolute_of_atom(algebra, atom, total);
        power = met_sum_mul(algebra, power, factor);
    }
    return power;
}

static bool is_whole(double x)
{
    return rint(x) == x;
}

static const met_sum *absolute(met_algebra *algebra, const met_sum *a);

static const met_sum *power_of_sum(met_algebra *algebra, const met_sum *a, double exponent)
{
    const met_sum *statistic, *rest;
    if (met_sum_split(algebra, a, &statistic, &rest)) {
        statistic = met_sum_closed(algebra, statistic);
        rest = met_sum_closed(algebra, rest);
        if (statistic && rest && !is_whole(exponent)) {
            statistic = absolute(algebra, statistic);
            rest = statistic ? absolute(algebra, rest) : NULL;
        }
        return met_sum_mul(algebra, met_sum_power(algebra, statistic, exponent), met_sum_power(algebra, rest, exponent));
    }
    if (is_whole(exponent) && exponent > 1 && exponent <= MET_ALGEBRA_POWER) {
        const met_sum *power = a;
        for (int i = 1; i < (int)exponent; i++)
            power = met_sum_mul(algebra, power, a);
        return power;
    }
    if (exponent == -1)
        return refuse_call(algebra, MET_FN_recip, a, NULL, NULL, "a reciprocal of a sum of an element and a statistic does not separate");
    return refuse_call(algebra, MET_FN_pow, a, met_sum_number(algebra, exponent), NULL,
                       "a power of a sum of an element and a statistic does not separate");
}

const met_sum *met_sum_power(met_algebra *algebra, const met_sum *a, double exponent)
{
    if (!a || exponent == 1)
        return a;
    if (!(fabs(exponent) <= MET_ALGEBRA_EXPONENT))
        return met_algebra_refuse(algebra, NULL, "an exponent is too large");
    if (exponent == 0)
        return met_sum_number(algebra, 1);
    if (a->count == 0)
        return met_sum_number(algebra, pow(0, exponent));
    a = met_sum_closed(algebra, a);
    if (!a)
        return NULL;
    if (a->count > 1)
        return power_of_sum(algebra, a, exponent);
    const met_product *product = &a->terms[0];
    bool lone = product->count == 1 && product->coefficient > 0 && fmod(product->powers[0].exponent, 2) != 0;
    bool plain = is_whole(exponent) || lone || (product->count == 0 && product->coefficient > 0);
    return product_power(algebra, product, exponent, plain);
}

/* |a| */
static const met_sum *absolute(met_algebra *algebra, const met_sum *a)
{
    if (met_sum_traits(algebra, a).positive)
        return a;
    if (a->count == 1)
        return product_power(algebra, &a->terms[0], 1, false);
    const met_sum *statistic, *rest;
    if (!met_sum_split(algebra, a, &statistic, &rest))
        return refuse_call(algebra, MET_FN_abs, a, NULL, NULL,
                           "the absolute value of a sum of an element and a statistic does not separate");
    statistic = met_sum_closed(algebra, statistic);
    rest = met_sum_closed(algebra, rest);
    if (!statistic || !rest)
        return NULL;
    return met_sum_mul(algebra, absolute(algebra, statistic), absolute(algebra, rest));
}

/* log(exp(w)) = w; otherwise the power is of the exponent. */
static const met_sum *exponential_of(met_algebra *algebra, met_scalar_fn fn, const met_product *product)
{
    static const met_scalar_fn inverse[MET_FN_COUNT] = { [MET_FN_exp] = MET_FN_log, [MET_FN_exp2] = MET_FN_log2 };
    met_product one = *product;
    one.coefficient = 1;
    if (one.count == 1 && one.powers[0].exponent == 1) {
        const met_atom *atom = algebra->atoms.at[one.powers[0].atom];
        if (atom->kind == MET_ATOM_CALL && inverse[fn] && atom->fn == inverse[fn])
            return met_sum_power(algebra, atom->arguments[0], product->coefficient);
    }
    const met_sum *exponent = met_sum_of_product(algebra, one);
    if (mixes(algebra, exponent))
        return refuse_call(algebra, fn, met_sum_of_product(algebra, *product), NULL, NULL,
                           "a statistic inside an exponent as a factor does not split off");
    met_atom atom = { .kind = MET_ATOM_EXP, .fn = fn, .arguments = { exponent } };
    return met_sum_of_atom(algebra, met_atom_of(algebra, &atom), product->coefficient);
}

/* exp(a + b) = exp(a)·exp(b). For ldexp, 2^a. */
static const met_sum *exponential(met_algebra *algebra, met_scalar_fn fn, const met_sum *a)
{
    met_scalar_fn of_number = fn == MET_FN_ldexp ? MET_FN_exp2 : fn;
    a = met_sum_opened(algebra, a, true);
    const met_sum *product = met_sum_number(algebra, 1);
    for (uint32_t i = 0; a && product && i < a->count; i++) {
        const met_product *term = &a->terms[i];
        bool number = term->count == 0;
        const met_sum *factor = number ? met_sum_number(algebra, met_scalar_fn_apply(of_number, term->coefficient, 0, 0)) :
                                         exponential_of(algebra, fn, term);
        product = met_sum_mul(algebra, product, factor);
    }
    return a ? product : NULL;
}

/* log|Π c·atom^p| = log|c| + Σ p·log|atom| */
static const met_sum *logarithm_of_product(met_algebra *algebra, met_scalar_fn fn, const met_product *product)
{
    const met_sum *sum = met_sum_number(algebra, met_scalar_fn_apply(fn, fabs(product->coefficient), 0, 0));
    for (uint32_t i = 0; sum && i < product->count; i++) {
        const met_atom *atom = algebra->atoms.at[product->powers[i].atom];
        const met_sum *log;
        if (atom->kind == MET_ATOM_EXP) /* log(2^w) = w·log 2, log2(e^w) = w·log2 e */
            log = met_sum_scale(algebra, atom->arguments[0], met_scalar_fn_apply(fn, atom->fn == MET_FN_exp ? exp(1) : 2, 0, 0));
        else
            log = call_atom(algebra, fn, absolute_of_atom(algebra, product->powers[i].atom, 1), NULL, NULL);
        sum = log ? met_sum_add(algebra, sum, met_sum_scale(algebra, log, product->powers[i].exponent)) : NULL;
    }
    return sum;
}

static const met_sum *logarithm(met_algebra *algebra, met_scalar_fn fn, const met_sum *a)
{
    bool lone_exponential = a->count == 1 && a->terms[0].count == 1 &&
                            algebra->atoms.at[a->terms[0].powers[0].atom]->kind == MET_ATOM_EXP && a->terms[0].coefficient > 0;
    if (!mixes(algebra, a) && !lone_exponential)
        return call_atom(algebra, fn, a, NULL, NULL);
    if (a->count == 1)
        return logarithm_of_product(algebra, fn, &a->terms[0]);
    const met_sum *statistic, *rest;
    if (!met_sum_split(algebra, a, &statistic, &rest))
        return refuse_call(algebra, fn, a, NULL, NULL, "the logarithm of a sum of an element and a statistic does not separate");
    const met_sum *parts[2] = { met_sum_closed(algebra, statistic), met_sum_closed(algebra, rest) };
    for (int i = 0; i < 2; i++) {
        parts[i] = parts[i] ? absolute(algebra, parts[i]) : NULL;
        parts[i] = parts[i] && parts[i]->count == 1 ? logarithm_of_product(algebra, fn, &parts[i]->terms[0]) : NULL;
    }
    return met_sum_add(algebra, parts[0], parts[1]);
}

/* max(a, b) = b + max(a - b, 0) and max(c·d, 0) = c·max(d, 0) for c > 0; min likewise. */
static const met_sum *extreme(met_algebra *algebra, met_scalar_fn fn, const met_sum *a, const met_sum *b)
{
    const met_sum *zero = met_sum_number(algebra, 0), *statistic, *rest;
    const met_sum *difference = met_sum_closed(algebra, met_sum_add(algebra, a, met_sum_scale(algebra, b, -1)));
    if (!difference)
        return NULL;
    if (!mixes(algebra, difference))
        return met_sum_add(algebra, b, call_atom(algebra, fn, difference, zero, NULL));
    if (!met_sum_split(algebra, difference, &statistic, &rest))
        return refuse_call(algebra, fn, difference, zero, NULL,
                           "where an element crosses a statistic is not known before the stream ends");
    if (met_sum_traits(algebra, met_sum_scale(algebra, statistic, -1)).positive) {
        statistic = met_sum_scale(algebra, statistic, -1);
        rest = met_sum_scale(algebra, rest, -1);
    }
    if (!met_sum_traits(algebra, statistic).positive)
        return refuse_call(algebra, fn, difference, zero, NULL, "the statistic that would be taken out has no known sign");
    rest = call_atom(algebra, fn, met_sum_closed(algebra, rest), zero, NULL);
    return met_sum_add(algebra, b, met_sum_mul(algebra, met_sum_closed(algebra, statistic), rest));
}

/* condition ? a : b for a condition that does not mix: an indicator times each. */
static const met_sum *selection(met_algebra *algebra, const met_sum *condition, const met_sum *a, const met_sum *b)
{
    const met_sum *indicator = call_atom(algebra, MET_FN_ne, condition, met_sum_number(algebra, 0), NULL);
    const met_sum *other = met_sum_add(algebra, met_sum_number(algebra, 1), met_sum_scale(algebra, indicator, -1));
    return indicator ? met_sum_add(algebra, met_sum_mul(algebra, indicator, a), met_sum_mul(algebra, other, b)) : NULL;
}

static const met_sum *power_call(met_algebra *algebra, const met_sum *a, const met_sum *b)
{
    double exponent;
    if (met_sum_is_number(b, &exponent))
        return met_sum_power(algebra, a, exponent);
    if (!mixes(algebra, a) && !mixes(algebra, b)) {
        met_traits of_a = met_sum_traits(algebra, a), of_b = met_sum_traits(algebra, b);
        of_a.loops |= of_b.loops;
        of_a.statistic = of_a.statistic || of_b.statistic;
        if (!met_traits_mix(algebra, of_a))
            return call_atom(algebra, MET_FN_pow, a, b, NULL);
    }
    const met_sum *log = logarithm(algebra, MET_FN_log, met_sum_closed(algebra, a));
    return log ? exponential(algebra, MET_FN_exp, met_sum_mul(algebra, b, log)) : NULL;
}

/* Everything that has no rule of its own: an atom, if all of it is on one side. */
static const met_sum *other_call(met_algebra *algebra, met_scalar_fn fn, const met_sum *const *arguments)
{
    met_traits all = { 0 };
    for (int i = 0; i < 3; i++) {
        met_traits of = arguments[i] ? met_sum_traits(algebra, arguments[i]) : (met_traits){ 0 };
        all.loops |= of.loops;
        all.statistic = all.statistic || of.statistic;
    }
    const met_sum *a = arguments[0], *b = arguments[1], *c = arguments[2];
    if (!met_traits_mix(algebra, all))
        return call_atom(algebra, fn, a, b, c);
    if (fn == MET_FN_max || fn == MET_FN_min)
        return extreme(algebra, fn, a, b);
    if (fn == MET_FN_select && !mixes(algebra, a))
        return selection(algebra, a, b, c);
    return refuse_call(algebra, fn, a, b, c, "the function of an element and a statistic does not separate");
}

/* Functions that have a rule. */
static const met_sum *ruled_call(met_algebra *algebra, met_scalar_fn fn, const met_sum *const *of)
{
    switch (fn) {
    case MET_FN_add: return met_sum_add(algebra, of[0], of[1]);
    case MET_FN_sub: return met_sum_add(algebra, of[0], met_sum_scale(algebra, of[1], -1));
    case MET_FN_neg: return met_sum_scale(algebra, of[0], -1);
    case MET_FN_mul: return met_sum_mul(algebra, of[0], of[1]);
    case MET_FN_fma: return met_sum_add(algebra, met_sum_mul(algebra, of[0], of[1]), of[2]);
    case MET_FN_div: return met_sum_mul(algebra, of[0], met_sum_power(algebra, of[1], -1));
    case MET_FN_recip: return met_sum_power(algebra, of[0], -1);
    case MET_FN_sqrt: return met_sum_power(algebra, of[0], 0.5);
    case MET_FN_rsqrt: return met_sum_power(algebra, of[0], -0.5);
    case MET_FN_pow: return power_call(algebra, of[0], of[1]);
    case MET_FN_exp: case MET_FN_exp2: return exponential(algebra, fn, of[0]);
    case MET_FN_ldexp: return met_sum_mul(algebra, of[0], exponential(algebra, fn, of[1]));
    case MET_FN_log: case MET_FN_log2: return logarithm(algebra, fn, of[0]);
    case MET_FN_abs: return absolute(algebra, of[0]);
    default: return other_call(algebra, fn, of);
    }
}

const met_sum *met_sum_call(met_algebra *algebra, met_scalar_fn fn, const met_sum *a, const met_sum *b, const met_sum *c)
{
    const met_sum *of[3] = { met_sum_closed(algebra, a), met_sum_closed(algebra, b), met_sum_closed(algebra, c) };
    double number[3] = { 0, 0, 0 };
    bool numbers = true;
    for (int i = 0; i < met_scalar_fn_table[fn].arity; i++) {
        if (!of[i])
            return NULL;
        numbers = met_sum_is_number(of[i], &number[i]) && numbers;
    }
    if (numbers)
        return met_sum_number(algebra, met_scalar_fn_apply(fn, number[0], number[1], number[2]));
    return met_sum_closed(algebra, ruled_call(algebra, fn, of));
}
