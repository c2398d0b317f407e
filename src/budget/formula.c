#include "budget/formula.h"

#include <math.h>

#include "budget/slope.h"
#include "budget/term.h"
#include "eval/run.h"
#include "number/exp2.h"
#include "number/function.h"

/* --- What functions round --- */

typedef enum accuracy_kind { EXACT, BASIC, TWICE, LIBRARY, POLYNOMIAL } accuracy_kind;

/* Errors in ulps of the result. LIBRARY: of the C library's double function, which f32 then rounds once: glibc's manual
 * states at most 2 for these, and sigmoid is an exponential, an addition and a division. POLYNOMIAL: of the float polynomial;
 * in f64 these names mean the C library's functions. */
typedef struct accuracy {
    accuracy_kind kind;
    double ulps;
} accuracy;

#define LIBRARY_ULPS 4.0

static accuracy accuracy_of(met_scalar_fn fn)
{
    static const accuracy table[MET_FN_COUNT] = {
        [MET_FN_add] = { BASIC, 0 },  [MET_FN_sub] = { BASIC, 0 },   [MET_FN_mul] = { BASIC, 0 },
        [MET_FN_div] = { BASIC, 0 },  [MET_FN_sqrt] = { BASIC, 0 },  [MET_FN_fma] = { BASIC, 0 },
        [MET_FN_recip] = { BASIC, 0 }, [MET_FN_rsqrt] = { TWICE, 0 }, [MET_FN_ldexp] = { BASIC, 0 },
        [MET_FN_pow] = { LIBRARY, 0 }, [MET_FN_exp] = { LIBRARY, 0 }, [MET_FN_exp2] = { LIBRARY, 0 },
        [MET_FN_log] = { LIBRARY, 0 }, [MET_FN_log2] = { LIBRARY, 0 }, [MET_FN_sin] = { LIBRARY, 0 },
        [MET_FN_cos] = { LIBRARY, 0 }, [MET_FN_tanh] = { LIBRARY, 0 }, [MET_FN_erf] = { LIBRARY, 0 },
        [MET_FN_sigmoid] = { LIBRARY, 4 },
        [MET_FN_exp2p] = { POLYNOMIAL, MET_EXP2_ULPS }, [MET_FN_expp] = { POLYNOMIAL, MET_EXPP_ULPS },
        [MET_FN_tanhp] = { POLYNOMIAL, MET_TANHP_ULPS }, [MET_FN_erfp] = { POLYNOMIAL, MET_ERFP_ULPS },
    };
    return table[fn]; /* all others are exact */
}

double met_function_rounding(met_scalar_fn fn, bool wide, double value)
{
    accuracy how = accuracy_of(fn);
    double v = fabs(value);
    met_dtype own = wide ? MET_F64 : MET_F32;
    met_limits limits = met_dtype_limits(own);
    if (how.kind == EXACT)
        return 0;
    if (!isfinite(v))
        return (double)INFINITY;
    double half = limits.unit_roundoff * v, least = limits.min_subnormal;
    double library = (LIBRARY_ULPS + how.ulps) * 0x1p-52 * v; /* of a double, whose ulp is at most this */
    switch (how.kind) {
    case EXACT:
        return 0;
    case BASIC:
        /* nearest: relative to the result as it is; a power of two moves nothing but what falls below the normal numbers */
        return fn == MET_FN_ldexp && v >= limits.min_normal ? 0 : met_budget_up(half + least);
    case TWICE:
        return met_budget_up(2 * half * (1 + limits.unit_roundoff) + least);
    case LIBRARY:
        return met_budget_up(library + (wide ? 0 : half) + least);
    case POLYNOMIAL:
        /* ulps of the exact value, which may lie one ulp above */
        return met_budget_up(wide ? library + least : 2 * how.ulps * half * (1 + 4 * limits.unit_roundoff) + least);
    }
    return (double)INFINITY;
}

/* --- Composition --- */

static double narrow(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

static double total(const met_slopes *slopes, double a, double b, double c)
{
    if (slopes->larger)
        return fmax(met_budget_amplified(slopes->at[0], a), met_budget_amplified(slopes->at[1], b));
    double sum = met_budget_amplified(slopes->at[0], a) + met_budget_amplified(slopes->at[1], b);
    return met_budget_up(sum + met_budget_amplified(slopes->at[2], c));
}

static met_running composed(const met_formula_inputs *in, double value, const met_slopes *slopes, const met_running *a,
                            const met_running *b, const met_running *c, double rounding)
{
    met_running r = { .value = value };
    r.error = met_budget_up(total(slopes, a->error, b->error, c->error) + rounding);
    if (slopes->jump && a->error + b->error + c->error > 0)
        r.error = slopes->width + rounding;
    for (uint32_t k = 0; k < in->channels; k++) {
        bool moved = a->channel[k] + b->channel[k] + c->channel[k] > 0;
        r.channel[k] = total(slopes, a->channel[k], b->channel[k], c->channel[k]);
        if (slopes->jump && moved)
            r.channel[k] = k == 0 ? slopes->width : (double)INFINITY;
    }
    r.channel[0] = met_budget_up(r.channel[0] + rounding);
    if (isnan(r.error) || (isnan(value) && rounding > 0))
        r.error = r.channel[0] = (double)INFINITY;
    return r;
}

/* A condition that all of the box decides is exact: then a choice is one of its branches. */
static met_running choose(const met_formula_inputs *in, const met_running *c, const met_running *a, const met_running *b)
{
    const met_running *taken = c->value != 0 ? a : b;
    if (c->error == 0)
        return *taken;
    double low = fmin(a->value - a->error, b->value - b->error), high = fmax(a->value + a->error, b->value + b->error);
    met_running r = { .value = taken->value, .open = c->open || a->open || b->open, .error = met_budget_up(fmax(high - taken->value, taken->value - low)) };
    for (uint32_t k = 0; k < in->channels; k++) {
        bool moved = c->channel[k] > 0;
        double larger = fmax(a->channel[k], b->channel[k]);
        r.channel[k] = !moved ? taken->channel[k] : k == 0 ? r.error : larger > 0 || c->channel[k] > 0 ? (double)INFINITY : 0;
    }
    return r;
}

/* select(a == b, 0, a − b) is a − b over the reals: the choice is about infinities alone, for which it stands in expansions. */
static bool is_guarded_difference(const met_scalar *e)
{
    if (e->kind != MET_SCALAR_CALL || e->fn != MET_FN_select)
        return false;
    const met_scalar *c = e->arguments[0], *zero = e->arguments[1], *d = e->arguments[2];
    return c->kind == MET_SCALAR_CALL && c->fn == MET_FN_eq && zero->kind == MET_SCALAR_NUMBER && zero->number == 0 &&
           d->kind == MET_SCALAR_CALL && d->fn == MET_FN_sub && met_scalar_equal(c->arguments[0], d->arguments[0]) &&
           met_scalar_equal(c->arguments[1], d->arguments[1]);
}

/* Whether the result is what the reals give: integers that are added, powers of two that are multiplied. What is left over of a
 * sum, a product or a quotient is a double (Higham, section 4.3; fma), unless it is too small for one. */
static bool is_exact(met_scalar_fn fn, double a, double b, double value)
{
    double part, sum;
    bool seen = fabs(value) > 0x1p-900;
    switch (fn) {
    case MET_FN_add:
    case MET_FN_sub:
        b = fn == MET_FN_sub ? -b : b;
        sum = a + b;
        part = sum - a;
        return sum == value && (a - (sum - part)) + (b - part) == 0;
    case MET_FN_mul:
        return a == 0 || b == 0 || (seen && fma(a, b, -value) == 0);
    case MET_FN_div:
        return (a == 0 && b != 0) || (seen && fma(value, b, -a) == 0);
    default:
        return false;
    }
}

/* --- Boxes and floors --- */

/* Outwards, so that the box holds what it must whatever its own ends round to. */
static met_interval box_of(const met_running *x)
{
    if (x->error == 0)
        return (met_interval){ x->value, x->value, x->value };
    return (met_interval){ fmin(met_running_least(x), x->value), nextafter(x->value + x->error, (double)INFINITY), x->value };
}

double met_running_least(const met_running *x)
{
    double least = x->error == 0 ? x->value : nextafter(x->value - x->error, -(double)INFINITY);
    return x->floored ? fmax(least, x->floor) : least;
}

double met_running_least_square(const met_running *x)
{
    double most = x->error == 0 ? x->value : nextafter(x->value + x->error, (double)INFINITY), least = met_running_least(x);
    double size = fmax(fmax(least, -most), 0);
    return size * size;
}

void met_running_raise(met_running *x, double floor)
{
    x->floored = isfinite(floor) && floor > x->value - x->error;
    x->floor = x->floored ? floor : 0;
}

/* Below what a few operations in double and a function of the C library give for a floor. */
static double below(double floor)
{
    return floor - fabs(floor) * 0x1p-40;
}

/* What a function of arguments with floors cannot fall below; −infinity where that is not looked at. */
static double floor_of(const met_scalar *e, const met_running *a, const met_running *b)
{
    double x = met_running_least(a), y = met_running_least(b), most = b->value + b->error;
    switch (e->fn) {
    case MET_FN_add:
        return below(x) + below(y) - fmax(fabs(x), fabs(y)) * 0x1p-50;
    case MET_FN_mul:
        if (met_scalar_equal(e->arguments[0], e->arguments[1]))
            return below(met_running_least_square(a));
        return x >= 0 && y >= 0 ? below(x * y) : -(double)INFINITY;
    case MET_FN_div:
        return x >= 0 && y >= 0 && most > 0 ? below(x / most) : -(double)INFINITY;
    case MET_FN_max:
        return fmax(x, y);
    case MET_FN_abs:
        return fmax(x, 0);
    case MET_FN_sqrt:
        return below(sqrt(fmax(x, 0)));
    case MET_FN_exp:
    case MET_FN_expp:
        return below(exp(x));
    case MET_FN_exp2:
    case MET_FN_exp2p:
        return below(exp2(x));
    case MET_FN_ldexp:
        return x >= 0 && b->error == 0 ? below(x * exp2(b->value)) : -(double)INFINITY;
    default:
        return -(double)INFINITY;
    }
}

/* Whether the boxes have arguments that the function has no value for. */
static bool may_have_none(met_scalar_fn fn, const met_interval box[3])
{
    bool power = box[1].low == box[1].high && box[1].low >= 0 && box[1].low == rint(box[1].low);
    switch (fn) {
    case MET_FN_div:
        return box[1].low <= 0 && box[1].high >= 0;
    case MET_FN_recip:
        return box[0].low <= 0 && box[0].high >= 0;
    case MET_FN_pow:
        return !power && box[0].low <= 0;
    case MET_FN_sqrt:
        return box[0].low < 0;
    case MET_FN_rsqrt:
    case MET_FN_log:
    case MET_FN_log2:
        return box[0].low <= 0;
    default:
        return false;
    }
}

/* The most that |f| is over the boxes, of what is bounded however steep it is. */
static double most_of(met_scalar_fn fn, const met_interval box[3])
{
    double least = fmax(box[1].low, -box[1].high);
    switch (fn) {
    case MET_FN_div:
        return least > 0 ? met_budget_up(fmax(fabs(box[0].low), fabs(box[0].high)) / least) : (double)INFINITY;
    case MET_FN_sigmoid:
    case MET_FN_tanh:
    case MET_FN_tanhp:
    case MET_FN_erf:
    case MET_FN_erfp:
    case MET_FN_sin:
    case MET_FN_cos:
        return 1;
    default:
        return (double)INFINITY;
    }
}

void met_running_cap(met_running *r, double most)
{
    if (r->open)
        return;
    double change = isfinite(r->value) ? met_budget_up(fabs(r->value) + most) : (double)INFINITY;
    r->error = fmin(r->error, change);
    r->channel[0] = fmin(r->channel[0], change);
}

/* select(D == 0, 0, a/D) is a/D over the reals unless nothing was added up, for which the choice stands where divisions are
 * deferred. */
static bool is_guarded_quotient(const met_scalar *e)
{
    if (e->kind != MET_SCALAR_CALL || e->fn != MET_FN_select)
        return false;
    const met_scalar *c = e->arguments[0], *zero = e->arguments[1], *q = e->arguments[2];
    return c->kind == MET_SCALAR_CALL && c->fn == MET_FN_eq && zero->kind == MET_SCALAR_NUMBER && zero->number == 0 &&
           met_scalar_equal(c->arguments[1], zero) && q->kind == MET_SCALAR_CALL && q->fn == MET_FN_div &&
           met_scalar_equal(c->arguments[0], q->arguments[1]);
}

/* Whether all that a formula reads are folds of nothing. */
static bool is_of_nothing(const met_formula_inputs *in, const met_scalar *e)
{
    bool all = e->kind != MET_SCALAR_INPUT || in->inputs[e->input].empty;
    for (int k = 0; all && e->kind == MET_SCALAR_CALL && k < met_scalar_fn_table[e->fn].arity; k++)
        all = is_of_nothing(in, e->arguments[k]);
    return all;
}

bool met_formula_counts(const met_scalar *e)
{
    if (e->kind == MET_SCALAR_NUMBER)
        return e->number == rint(e->number) && fabs(e->number) <= 1;
    if (e->kind != MET_SCALAR_CALL)
        return false;
    bool compares = e->fn >= MET_FN_lt && e->fn <= MET_FN_or;
    return compares || e->fn == MET_FN_not ||
           (e->fn == MET_FN_select && met_formula_counts(e->arguments[1]) && met_formula_counts(e->arguments[2]));
}

/* Of a choice that the reals do not have: of 0 by 0. */
static met_running undefined(const met_formula_inputs *in)
{
    met_running r = { .error = (double)INFINITY, .open = true };
    for (uint32_t k = 0; k < in->channels; k++)
        r.channel[k] = (double)INFINITY;
    return r;
}

/* A number beside itself: which of them is larger is certain, and so is their difference. */
static bool is_beside_itself(met_scalar_fn fn, const met_running *a, const met_running *b)
{
    bool compares = fn >= MET_FN_lt && fn <= MET_FN_ne;
    return (compares || fn == MET_FN_sub) && a->element && a->element == b->element && !a->open && isfinite(a->value);
}

static met_running call(const met_formula_inputs *in, const met_scalar *e)
{
    static const met_running none;
    met_running args[3] = { none, none, none };
    for (int k = 0; k < met_scalar_fn_table[e->fn].arity; k++)
        args[k] = met_formula_run(in, e->arguments[k]);
    if (is_beside_itself(e->fn, &args[0], &args[1]))
        return (met_running){ .value = met_run_apply(in->wide, e->fn, args[0].value, args[1].value, 0) };
    if (e->fn == MET_FN_select)
        return choose(in, &args[0], &args[1], &args[2]);
    met_interval box[3];
    for (int k = 0; k < 3; k++)
        box[k] = box_of(&args[k]);
    double value = met_run_apply(in->wide, e->fn, args[0].value, args[1].value, args[2].value);
    met_slopes slopes = met_slopes_of(e->fn, box);
    bool exact = is_exact(e->fn, args[0].value, args[1].value, value);
    double rounding = exact ? 0 : met_function_rounding(e->fn, in->wide, value);
    met_running r = composed(in, value, &slopes, &args[0], &args[1], &args[2], rounding);
    r.open = args[0].open || args[1].open || args[2].open || may_have_none(e->fn, box) || isnan(value);
    met_running_cap(&r, most_of(e->fn, box));
    if (r.error > 0)
        met_running_raise(&r, floor_of(e, &args[0], &args[1]));
    if (in->quotient && e->fn == MET_FN_div && e->arguments[0]->kind == MET_SCALAR_INPUT && e->arguments[1]->kind == MET_SCALAR_INPUT)
        in->quotient(in->asked, e->arguments[0]->input, e->arguments[1]->input, &r);
    return r;
}

/* A number that the run rounds to its arithmetic first. */
static met_running constant(const met_formula_inputs *in, double exact)
{
    met_running r = { .value = narrow(in->wide, exact) };
    r.error = r.channel[0] = fabs(r.value - exact);
    return r;
}

met_running met_formula_run(const met_formula_inputs *in, const met_scalar *e)
{
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
        return constant(in, e->number);
    case MET_SCALAR_SIZE:
        return constant(in, in->size(in->context, e->size));
    case MET_SCALAR_INDEX:
        return constant(in, in->indices[e->index]);
    case MET_SCALAR_INPUT:
        return in->inputs[e->input];
    case MET_SCALAR_CALL:
        break;
    }
    if (is_guarded_difference(e) && isfinite(met_formula_run(in, e->arguments[2]).value))
        e = e->arguments[2];
    if (is_guarded_quotient(e) && !is_of_nothing(in, e->arguments[2]->arguments[1]) &&
        met_formula_run(in, e->arguments[2]->arguments[1]).value == 0)
        return undefined(in);
    return call(in, e);
}
