/* Inputs of many kinds, on which a subject and its record are run side by side. What is tried here is what a tree is known by:
 * docs/reveal.md lists it. */
#include <math.h>

#include "number/exact.h"
#include "reveal/parts.h"

/* In [−1, 1). */
static double uniform(reveal *r)
{
    return ldexp((double)reveal_random(r, (uint64_t)1 << 53), -52) - 1;
}

static double sign(reveal *r)
{
    return reveal_random(r, 2) ? 1 : -1;
}

/* --- Ordinary sizes --- */

static double one_value(reveal *r, reveal_input kind, uint64_t i)
{
    met_limits limits = met_dtype_limits(r->probe->input);
    uint64_t reach = (uint64_t)(ilogb(limits.max) - ilogb(limits.min_normal)) / 8;
    bool bottom = limits.min_normal <= 0x1p-126;
    int size = (int)reveal_random(r, 1 + (reach < 12 ? reach : 12)), last = reveal_random(r, 2) ? 23 : r->bits;
    switch (kind) {
    case REVEAL_WIDE:
        return ldexp(uniform(r), size);
    case REVEAL_CANCEL:
        return i % 3 == 2 ? ldexp(uniform(r), -6) : uniform(r);
    case REVEAL_TIES:
        return sign(r) * (reveal_random(r, 3) ? ldexp((double)(1 + reveal_random(r, 3)), -1 - last) : 1);
    case REVEAL_ASCENDING:
        return sign(r) * (1 + (double)i) / (double)r->leaves;
    case REVEAL_SUBNORMAL:
        return ldexp(uniform(r), bottom ? (r->probe->kind == MET_PROBE_DOT ? -64 : -126) : -3);
    case REVEAL_ZEROS:
        return sign(r) * (reveal_random(r, 4) ? 0 : uniform(r));
    default:
        return uniform(r) + uniform(r) + uniform(r);
    }
}

/* --- Sizes from the whole range --- */

/* Exponents of terms, products included: from the least that can be, to what the output holds. */
static void range_of(const reveal *r, int *ret_low, int *ret_high)
{
    met_limits in = met_dtype_limits(r->probe->input), out = met_dtype_limits(r->probe->output);
    int factors = r->probe->kind == MET_PROBE_DOT ? 2 : 1;
    int low = ilogb(in.min_subnormal) * factors, high = ilogb(in.max) * factors;
    *ret_low = low > ilogb(out.min_subnormal) ? low : ilogb(out.min_subnormal);
    *ret_high = high < ilogb(out.max) ? high : ilogb(out.max);
}

/* The exponent of a term. LARGE leaves room for a sum of all, HUGE does not. */
static int exponent(reveal *r, reveal_input kind)
{
    int low, high, room = 2 + ilogb((double)r->leaves);
    range_of(r, &low, &high);
    switch (kind) {
    case REVEAL_LARGE: return high - room - (int)reveal_random(r, 8);
    case REVEAL_HUGE: return high - (int)reveal_random(r, 3);
    case REVEAL_TINY: return low - 1 + (int)reveal_random(r, (uint64_t)(high - low < 42 ? high - low : 42));
    default: return low + (int)reveal_random(r, (uint64_t)(high - room - low));
    }
}

/* A term of the exponent: all of it in one factor, as far as the format goes, or shared out. */
static void put_ranged(reveal *r, reveal_input kind, uint64_t i)
{
    met_limits in = met_dtype_limits(r->probe->input);
    int e = exponent(r, kind), b = r->probe->kind == MET_PROBE_DOT ? (int)reveal_random(r, 3) * e / 2 : 0;
    int least = ilogb(in.min_subnormal), most = ilogb(in.max);
    b = b < least || e - b < least || b > most || e - b > most ? e / 2 : b;
    r->a[i] = met_round(r->probe->input, sign(r) * ldexp(1 + fabs(uniform(r)) / 2, e - b));
    r->b[i] = r->probe->kind == MET_PROBE_DOT ? met_round(r->probe->input, ldexp(1 + fabs(uniform(r)) / 4, b)) : 1;
}

/* --- All --- */

static void put_ordinary(reveal *r, reveal_input kind, uint64_t i)
{
    met_dtype input = r->probe->input;
    bool product = r->probe->kind == MET_PROBE_DOT, plain = kind == REVEAL_TIES || kind == REVEAL_ASCENDING;
    r->a[i] = met_round(input, one_value(r, kind, i));
    r->b[i] = product ? met_round(input, plain ? sign(r) : one_value(r, kind, i)) : 1;
    if (kind == REVEAL_CANCEL && i % 3 == 1) { /* what cancels stands at random places */
        uint64_t other = reveal_random(r, i);
        r->a[i] = -r->a[other];
        r->b[i] = r->b[other];
    }
}

void reveal_draw(reveal *r, reveal_input kind)
{
    for (uint64_t i = 0; i < r->probe->n; i++) {
        if (kind >= REVEAL_RANGE) {
            put_ranged(r, kind, i);
        } else {
            put_ordinary(r, kind, i);
        }
    }
    if (r->probe->accumulates) {
        double c = kind >= REVEAL_RANGE ? sign(r) * ldexp(1 + fabs(uniform(r)) / 2, exponent(r, kind)) : one_value(r, kind, 0);
        r->c = met_round(r->probe->output, c);
    } else {
        r->c = 0;
    }
    r->background = (double)NAN; /* nothing to go back to */
}

bool reveal_draw_vanishing(reveal *r, const met_tree *tree, const bool *at, uint64_t first)
{
    int e = (ilogb(met_dtype_limits((met_dtype)tree->precision).min_subnormal) - 4) / 2;
    if (r->probe->kind != MET_PROBE_DOT || e < ilogb(met_dtype_limits(r->probe->input).min_subnormal)) {
        return false;
    }
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = at[i] && i < first ? -ldexp(1, e) : -0.0;
        r->b[i] = at[i] && i < first ? ldexp(1, e) : 1;
    }
    r->c = r->probe->accumulates ? -0.0 : 0;
    r->background = (double)NAN;
    return true;
}

bool reveal_same_answer(double a, double b)
{
    return (isnan(a) && isnan(b)) || met_bits_f64(a) == met_bits_f64(b);
}
