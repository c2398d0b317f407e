/* Inputs of the subject: values that its formats hold, and its answers. */
#include <math.h>

#include "reveal/parts.h"

void reveal_reject(reveal *r, met_reveal_verdict verdict, const char *why)
{
    if (reveal_goes_on(r)) {
        r->verdict = verdict;
        r->why = why;
    }
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
uint64_t reveal_random(reveal *r, uint64_t below)
{
    uint64_t z = r->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static bool holds(met_dtype dtype, double value)
{
    return met_round(dtype, value) == value;
}

/* --- Values of leaves --- */

/* A product of two numbers of the input format: the significand in one, the power of two spread over both, or, of formats of
 * small range, where there is room. */
static bool split(met_dtype dtype, double value, double *ret_a, double *ret_b)
{
    int exponent = 0, half = 0;
    double significand = frexp(value, &exponent);
    half = exponent / 2;
    for (int away = 0; away < 16; away++) {
        for (int side = -1; side <= 1; side += 2) {
            *ret_b = ldexp(1, half + side * away);
            *ret_a = ldexp(significand, exponent - half - side * away);
            if (isfinite(*ret_a) && holds(dtype, *ret_a) && holds(dtype, *ret_b)) {
                return true;
            }
        }
    }
    return false;
}

static bool put_value(reveal *r, double value, double *a, double *b)
{
    met_dtype input = r->probe->input;
    switch (r->probe->kind) {
    case MET_PROBE_DOT:
        return split(input, value, a, b);
    case MET_PROBE_SQUARES:
        *a = met_round(input, sqrt(value));
        return true;
    case MET_PROBE_EXPONENTIALS:
        *a = met_round(input, log(value)); /* −∞ for 0 */
        return true;
    case MET_PROBE_SUM:
        break;
    }
    *a = value;
    return holds(input, value);
}

bool reveal_put(reveal *r, uint64_t leaf, double value)
{
    if (leaf == r->probe->n) {
        r->c = value;
        return holds(r->probe->output, value);
    }
    return put_value(r, value, &r->a[leaf], &r->b[leaf]);
}

bool reveal_fill(reveal *r, double value)
{
    double a = 0, b = 1;
    bool good = put_value(r, value, &a, &b);
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = a;
        r->b[i] = b;
    }
    r->c = r->probe->accumulates ? value : 0;
    r->background = value;
    return good;
}

void reveal_restore(reveal *r, uint64_t leaf)
{
    reveal_put(r, leaf, r->background);
}

double reveal_ask(reveal *r)
{
    double result = (double)NAN;
    const met_black_box *p = r->probe;
    if (!reveal_goes_on(r)) {
        return result;
    }
    r->calls++;
    if (!p->run(p->context, r->a, p->kind == MET_PROBE_DOT ? r->b : NULL, r->c, &result)) {
        reveal_reject(r, MET_REVEAL_FAILED, "the subject did not answer");
        return (double)NAN;
    }
    return result;
}

double reveal_ask_at(reveal *r, uint64_t count, const uint32_t *leaves, const double *values)
{
    bool good = r->background == 0 || reveal_fill(r, 0);
    for (uint64_t i = 0; i < count; i++) {
        good = reveal_put(r, leaves[i], values[i]) && good;
    }
    double result = good ? reveal_ask(r) : (double)NAN;
    for (uint64_t i = 0; i < count; i++) {
        reveal_restore(r, leaves[i]);
    }
    return result;
}

bool reveal_outside(reveal *r, uint32_t other, uint32_t plus, uint32_t minus)
{
    double result = reveal_ask_at(r, 3, (uint32_t[]){plus, minus, other}, (double[]){r->big, -r->big, r->unit});
    return r->probe->scaled ? result != 0 : result == r->unit;
}

/* --- Which values swallow which --- */

static int ceil_log2(uint64_t n)
{
    int bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

/* Significand bits that survive when 1 meets 2^-k and nothing else. */
static int visible_bits(reveal *r)
{
    int most = 1 - ilogb(met_dtype_limits(r->probe->output).epsilon);
    uint32_t ends[] = {0, (uint32_t)r->leaves - 1};
    for (int k = most - 1; k > 0 && r->leaves > 1; k--) {
        double expected = r->one + ldexp(r->one, -k);
        if (reveal_ask_at(r, 2, ends, (double[]){r->one, ldexp(r->one, -k)}) == expected) {
            return k + 1;
        }
    }
    return 0;
}

/* Exponents of values that leaves and answers can have. Subnormal ones only if `deep`. */
typedef struct span {
    int top, bottom;
} span;

static span format_span(met_dtype dtype, bool deep)
{
    met_limits limits = met_dtype_limits(dtype);
    return (span){ilogb(limits.max), ilogb(deep ? limits.min_subnormal : limits.min_normal)};
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* Values are good if big − big is 0, which it is not where partial results cannot hold it, if a unit is still one when it
 * arrives, and if two of what traits are made of are two. Of two pairs of leaves at most one meets before anything is stored. */
static bool values_work(reveal *r)
{
    uint32_t ends[] = {0, (uint32_t)r->leaves - 1}, first[] = {0, 1};
    bool cancels = reveal_ask_at(r, 2, ends, (double[]){r->big, -r->big}) == 0 &&
                   reveal_ask_at(r, 2, first, (double[]){r->big, -r->big}) == 0;
    double unit = reveal_ask_at(r, 1, ends, &r->unit);
    if (r->probe->scaled) {
        return cancels && unit != 0 && isfinite(unit);
    }
    return cancels && unit == r->unit && reveal_ask_at(r, 2, ends, (double[]){r->one, r->one}) == 2 * r->one;
}

/* Takes the largest values below an exponent. The rest of n units must vanish beside the big one in `significand` bits. */
static bool take_values(reveal *r, int cap, bool deep, int significand)
{
    span leaf = format_span(r->probe->input, deep), out = format_span(r->probe->output, deep);
    int times = r->probe->kind == MET_PROBE_DOT ? 2 : 1;
    int top = least(cap, leaf.top * times), bottom = most(leaf.bottom * times, r->probe->scaled ? INT32_MIN : out.bottom);
    if (r->probe->accumulates) {
        top = least(top, out.top);
    }
    int unit = least(0, top - significand - ceil_log2(r->leaves) - 1);
    if (unit < bottom) {
        return false;
    }
    r->big = ldexp(1, top);
    r->unit = ldexp(1, unit);
    r->one = top >= 100 && out.top >= 100 ? 1 : ldexp(1, most(unit, least(top - 7, out.top - 7)));
    return values_work(r);
}

/* A number, and what is a little less than half of its last place: two of them move it, one does not, and the answer shows a
 * move. Numbers are squares of short ones, exact, so that it does not matter whether a square is rounded before it is added.
 * A root shows moves between 2 and 4, where a unit in the last place of x² is more than half of one of x. */
static bool open_growing(reveal *r)
{
    double epsilon = r->probe->output == MET_F64 ? 0x1p-52 : 0x1p-23;
    uint32_t ends[] = {0, (uint32_t)r->leaves - 1};
    for (int i = 0; i < 64; i++) {
        r->base = (1 + i / 64.0) * (1 + i / 64.0);
        double ulp = r->base < 2 ? epsilon : 2 * epsilon;
        r->half = 0.375 * ulp;
        r->answer = reveal_ask_at(r, 1, ends, &r->base);
        double moved = reveal_ask_at(r, 2, ends, (double[]){r->base, ulp});
        double same = reveal_ask_at(r, 2, ends, (double[]){r->base, r->half});
        if (isfinite(r->answer) && moved != r->answer && same == r->answer) {
            return true;
        }
        if (r->probe->kind == MET_PROBE_EXPONENTIALS) {
            break; /* the largest weight is 1 */
        }
    }
    reveal_reject(r, MET_REVEAL_NOT_A_TREE, "its answers do not show one unit in the last place of the sum");
    return false;
}

bool reveal_open(reveal *r)
{
    reveal_fill(r, 0);
    if (r->probe->kind == MET_PROBE_SQUARES || r->probe->kind == MET_PROBE_EXPONENTIALS) {
        return r->leaves < 3 || open_growing(r);
    }
    if (r->leaves < 2) {
        r->one = 1;
        return true;
    }
    /* Wide enough for double; for float; for the accumulators of matrix units; and where big values overflow, for half. */
    static const struct {
        int cap, significand;
        bool deep;
    } tries[] = {{100, 53, false}, {100, 53, true}, {100, 24, false}, {100, 24, true}, {100, 14, true},
                 {15, 24, false},  {15, 11, false}, {15, 11, true}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries && reveal_goes_on(r); i++) {
        if (take_values(r, tries[i].cap, tries[i].deep, tries[i].significand)) {
            r->bits = r->probe->scaled ? 0 : visible_bits(r);
            return reveal_goes_on(r);
        }
    }
    reveal_reject(r, MET_REVEAL_NOT_A_TREE, "no value of its formats swallows another, or large ones do not cancel");
    return false;
}
