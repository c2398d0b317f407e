/* Values relative to a running statistic b: how they change when b moves. A shift is b itself, plus or minus anything
 * without it, times a number; a factor is an exponential or a power of two of a shift, times anything without it, so that
 * a sum of such values is mended by one multiplication. Everything else is lost. This is the part of the algebra of
 * streams that a kernel may use without changing the arithmetic of any node. */
#include "derive/kernel_parts.h"

typedef struct relator {
    const met_relation *ins;
} relator;

static met_relation of_kind(met_relation_kind kind)
{
    return (met_relation){ .kind = kind };
}

static bool is_none(met_relation r)
{
    return r.kind == MET_RELATION_NONE;
}

static met_relation scaled(met_relation r, double by)
{
    r.coefficient *= by;
    return r;
}

/* A shift or factor whose coefficient has come out as 0 is no relation. */
static met_relation settled(met_relation r)
{
    return r.kind != MET_RELATION_LOST && r.coefficient == 0 ? of_kind(MET_RELATION_NONE) : r;
}

static bool is_natural(met_scalar_fn fn)
{
    return fn == MET_FN_exp || fn == MET_FN_expp;
}

/* Powers of two are exact only among themselves. */
static met_scalar_fn joint_fn(met_scalar_fn a, met_scalar_fn b)
{
    return a == b ? a : is_natural(a) ? MET_FN_exp : MET_FN_exp2;
}

/* a + sign·b */
static met_relation sum_of(met_relation a, met_relation b, double sign)
{
    if (is_none(a) && is_none(b))
        return a;
    if (a.kind == MET_RELATION_FACTOR && b.kind == MET_RELATION_FACTOR && a.fn == b.fn && a.coefficient == b.coefficient)
        return a;
    if (a.kind == MET_RELATION_SHIFT && is_none(b))
        return a;
    if (is_none(a) && b.kind == MET_RELATION_SHIFT)
        return scaled(b, sign);
    if (a.kind != MET_RELATION_SHIFT || b.kind != MET_RELATION_SHIFT)
        return of_kind(MET_RELATION_LOST);
    a.coefficient += sign * b.coefficient;
    return settled(a);
}

/* a·b, or a/b with sign -1 */
static met_relation product_of(met_relation a, met_relation b, double sign)
{
    if (is_none(b) && (is_none(a) || a.kind == MET_RELATION_FACTOR))
        return a;
    if (is_none(a) && b.kind == MET_RELATION_FACTOR)
        return scaled(b, sign);
    if (a.kind != MET_RELATION_FACTOR || b.kind != MET_RELATION_FACTOR || is_natural(a.fn) != is_natural(b.fn))
        return of_kind(MET_RELATION_LOST);
    a.fn = joint_fn(a.fn, b.fn);
    a.coefficient += sign * b.coefficient;
    return settled(a);
}

static met_relation exponential_of(met_scalar_fn fn, met_relation exponent)
{
    if (exponent.kind == MET_RELATION_SHIFT)
        return (met_relation){ MET_RELATION_FACTOR, exponent.base, fn, exponent.coefficient };
    return is_none(exponent) ? exponent : of_kind(MET_RELATION_LOST);
}

static met_relation relate(const relator *x, const met_scalar *e);

/* Products; and a shift times a number that is known now, or over one. */
static met_relation multiple_of(const relator *x, const met_scalar *e)
{
    met_relation a = relate(x, e->arguments[0]), b = relate(x, e->arguments[1]);
    bool divides = e->fn == MET_FN_div;
    double number;
    if (a.kind == MET_RELATION_SHIFT && met_scalar_constant(e->arguments[1], &number) && number != 0)
        return scaled(a, divides ? 1 / number : number);
    if (!divides && b.kind == MET_RELATION_SHIFT && met_scalar_constant(e->arguments[0], &number) && number != 0)
        return scaled(b, number);
    return product_of(a, b, divides ? -1 : 1);
}

static bool is_zero(const met_scalar *e)
{
    double number;
    return met_scalar_constant(e, &number) && number == 0;
}

/* max(a, 0), select(c, a, 0) and the like: positively homogeneous, so that a factor passes. */
static met_relation with_zero(const relator *x, const met_scalar *a, const met_scalar *b)
{
    met_relation r = relate(x, is_zero(b) ? a : b);
    return r.kind == MET_RELATION_FACTOR && (is_zero(a) || is_zero(b)) ? r : of_kind(MET_RELATION_LOST);
}

static bool all_none(const relator *x, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT)
        return is_none(x->ins[e->input]);
    for (int i = 0; i < 3 && e->kind == MET_SCALAR_CALL; i++)
        if (e->arguments[i] && !all_none(x, e->arguments[i]))
            return false;
    return true;
}

static met_relation relate_call(const relator *x, const met_scalar *e)
{
    const met_scalar *a = e->arguments[0], *b = e->arguments[1], *c = e->arguments[2];
    switch (e->fn) {
    case MET_FN_add:
    case MET_FN_sub:
        return sum_of(relate(x, a), relate(x, b), e->fn == MET_FN_sub ? -1 : 1);
    case MET_FN_mul:
    case MET_FN_div:
        return multiple_of(x, e);
    case MET_FN_neg: {
        met_relation r = relate(x, a);
        return r.kind == MET_RELATION_SHIFT ? scaled(r, -1) : r;
    }
    case MET_FN_abs: {
        met_relation r = relate(x, a);
        return r.kind == MET_RELATION_FACTOR ? r : of_kind(MET_RELATION_LOST);
    }
    case MET_FN_exp:
    case MET_FN_expp:
    case MET_FN_exp2:
        return exponential_of(e->fn, relate(x, a));
    case MET_FN_ldexp:
        return product_of(relate(x, a), exponential_of(MET_FN_ldexp, relate(x, b)), 1);
    case MET_FN_fma:
        return sum_of(product_of(relate(x, a), relate(x, b), 1), relate(x, c), 1);
    case MET_FN_max:
    case MET_FN_min:
        return with_zero(x, a, b);
    case MET_FN_select:
        return all_none(x, a) ? with_zero(x, b, c) : of_kind(MET_RELATION_LOST);
    default:
        return of_kind(MET_RELATION_LOST);
    }
}

static met_relation relate(const relator *x, const met_scalar *e)
{
    if (all_none(x, e))
        return of_kind(MET_RELATION_NONE);
    return e->kind == MET_SCALAR_INPUT ? x->ins[e->input] : relate_call(x, e);
}

/* Only one statistic at a time: two would need two corrections in one. */
static bool one_base(uint32_t count, const met_relation *ins, uint32_t *ret_base)
{
    *ret_base = MET_NONE;
    for (uint32_t k = 0; k < count; k++) {
        if (ins[k].kind == MET_RELATION_NONE)
            continue;
        if (ins[k].kind == MET_RELATION_LOST || (*ret_base != MET_NONE && ins[k].base != *ret_base))
            return false;
        *ret_base = ins[k].base;
    }
    return true;
}

met_relation met_sketch_relate(const met_sketch *d, uint32_t step, const met_relation *ins)
{
    const met_primitive *form = met_sketch_form(d, step);
    uint32_t base;
    if (!one_base(met_sketch_node(d, step)->in_count, ins, &base))
        return of_kind(MET_RELATION_LOST);
    if (base == MET_NONE)
        return of_kind(MET_RELATION_NONE);
    if (form->form != MET_FORM_FOLD || d->values.at[base].loops & d->steps[step].reduced)
        return of_kind(MET_RELATION_LOST); /* one number cannot mend a sum over several bases */
    met_relation r = relate(&(relator){ ins }, form->e);
    bool passes = form->monoid == MET_MONOID_NONE || (form->monoid == MET_MONOID_ADD && r.kind == MET_RELATION_FACTOR) ||
                  (form->monoid == MET_MONOID_MAX || form->monoid == MET_MONOID_MIN);
    return passes || is_none(r) ? r : of_kind(MET_RELATION_LOST);
}

/* What multiplies the accumulator when its base goes from input 0 to input 1. */
const met_scalar *met_relation_delta(met_arena *arena, const met_relation *relation)
{
    double c = relation->coefficient;
    const met_scalar *from = met_scalar_input(arena, c < 0 ? 0 : 1), *to = met_scalar_input(arena, c < 0 ? 1 : 0);
    const met_scalar *move = met_scalar_call(arena, MET_FN_sub, from, to, NULL);
    if (c != 1 && c != -1)
        move = met_scalar_call(arena, MET_FN_mul, met_scalar_number(arena, c < 0 ? -c : c), move, NULL);
    if (relation->fn == MET_FN_ldexp)
        return met_scalar_call(arena, MET_FN_ldexp, met_scalar_number(arena, 1), move, NULL);
    return met_scalar_call(arena, relation->fn, move, NULL, NULL);
}
