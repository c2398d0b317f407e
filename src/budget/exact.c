#include "budget/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 10^800, and a hundred bits and more to shift by. */
enum { LIMBS = 100 };

/* A natural number, least limb first. */
typedef struct natural {
    uint32_t limb[LIMBS];
} natural;

static void multiply_add(natural *n, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int bit_length(const natural *n)
{
    for (size_t i = LIMBS; i-- > 0;)
        for (int b = 32; n->limb[i] && b-- > 0;)
            if (n->limb[i] >> b & 1)
                return (int)i * 32 + b + 1;
    return 0;
}

static void shift_up(natural *n, int by)
{
    natural old = *n;
    int limbs = by / 32, bits = by % 32;
    for (int i = LIMBS - 1; i >= 0; i--) {
        uint64_t high = i >= limbs ? old.limb[i - limbs] : 0, low = i > limbs ? old.limb[i - limbs - 1] : 0;
        n->limb[i] = (uint32_t)((high << 32 | low) << bits >> 32);
    }
}

static int compare(const natural *a, const natural *b)
{
    for (size_t i = LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void subtract(natural *a, const natural *b)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        uint64_t rest = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)rest;
        borrow = rest >> 63;
    }
}

/* floor of numerator / denominator, which is below 2^bits, a bit at a time; the numerator becomes the rest. */
static uint64_t quotient(natural *numerator, const natural *denominator, int bits)
{
    uint64_t q = 0;
    for (int i = bits - 1; i >= 0; i--) {
        natural step = *denominator;
        shift_up(&step, i);
        if (compare(numerator, &step) >= 0) {
            subtract(numerator, &step);
            q |= (uint64_t)1 << i;
        }
    }
    return q;
}

/* rest / denominator in [0, 1), from its first 62 bits. */
static met_interval fraction(const natural *rest, const natural *denominator)
{
    natural scaled = *rest;
    if (bit_length(rest) == 0)
        return met_interval_point(0);
    /* as far up as makes 62 bits of quotient */
    int by = 61 + bit_length(denominator) - bit_length(rest);
    shift_up(&scaled, by);
    uint64_t q = quotient(&scaled, denominator, 63);
    double lo = ldexp(met_next_down((double)q), -by), hi = ldexp(met_next_up((double)q + 1), -by);
    return (met_interval){ lo, fmax(hi, 0x1p-1074) };
}

/* 2^1024 is the least power of two that binary64 has not, 2^128 that of binary32: a format's least place says which, since
 * exponents are as many below 0 as above (IEEE 754-2019, section 3.3). */
static bool overflows(double rounded, int bits, int least)
{
    return isinf(rounded) || rounded >= ldexp(1, 2 - bits - least) * 2;
}

/* Rounds numerator / denominator > 0 and says what that lost: q + f of the quotient's units of 2^unit. */
static met_exact divide(natural numerator, natural denominator, int bits, int least)
{
    int unit = bit_length(&numerator) - bit_length(&denominator) - bits - 1;
    for (;; unit++) { /* until the quotient has `bits` bits at most: twice at most, as the first guess is near */
        natural n = numerator, d = denominator;
        unit = unit < least ? least : unit;
        shift_up(unit > 0 ? &d : &n, unit > 0 ? unit : -unit);
        uint64_t q = quotient(&n, &d, bits + 3);
        if (q >> bits)
            continue;
        natural twice = n, missing = d;
        shift_up(&twice, 1);
        int half = compare(&twice, &d);
        bool up = half > 0 || (half == 0 && q % 2 == 1);
        subtract(&missing, &n);
        met_interval slip = up ? fraction(&missing, &d) : met_interval_neg(fraction(&n, &d));
        double scale = ldexp(1, unit);
        met_exact exact = { ldexp((double)(q + up), unit), met_interval_mul(slip, met_interval_point(scale)), { 0, 0 } };
        exact.real = isinf(exact.rounded) ? (met_interval){ DBL_MAX, INFINITY }
                                          : met_interval_sub(met_interval_point(exact.rounded), exact.slip);
        if (overflows(exact.rounded, bits, least))
            exact = (met_exact){ INFINITY, { 0, INFINITY }, exact.real };
        return exact;
    }
}

typedef struct reader {
    met_str text;
    size_t at;
} reader;

static bool take(reader *r, char c)
{
    bool found = r->at < r->text.length && r->text.at[r->at] == c;
    r->at += found;
    return found;
}

static bool digit(const reader *r)
{
    return r->at < r->text.length && r->text.at[r->at] >= '0' && r->text.at[r->at] <= '9';
}

static size_t take_digits(reader *r, natural *n, size_t *digits)
{
    size_t count = 0;
    for (; digit(r); r->at++, count++) {
        unsigned value = (unsigned)(r->text.at[r->at] - '0');
        *digits += *digits > 0 || value > 0;
        if (*digits <= MET_EXACT_DIGITS)
            multiply_add(n, 10, value);
    }
    return count;
}

static bool take_exponent(reader *r, long *ret_exponent)
{
    *ret_exponent = 0;
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    bool negative = take(r, '-');
    if (!negative)
        take(r, '+');
    if (!digit(r))
        return false;
    for (; digit(r); r->at++)
        if (*ret_exponent < 100000)
            *ret_exponent = *ret_exponent * 10 + (r->text.at[r->at] - '0');
    if (negative)
        *ret_exponent = -*ret_exponent;
    return true;
}

bool met_exact_begins(met_str text)
{
    reader r = { text, 0 };
    if (!take(&r, '-'))
        take(&r, '+');
    take(&r, '.');
    return digit(&r);
}

met_exact_status met_exact_read(met_str text, int bits, int least, met_exact *ret_exact)
{
    reader r = { text, 0 };
    natural numerator = { { 0 } }, denominator = { { 1 } };
    size_t digits = 0, whole, part = 0;
    long exponent = 0;
    bool negative = take(&r, '-');
    if (!negative)
        take(&r, '+');
    whole = take_digits(&r, &numerator, &digits);
    if (whole && take(&r, '/')) {
        denominator.limb[0] = 0;
        size_t below = 0;
        if (take_digits(&r, &denominator, &below) == 0 || below == 0)
            return MET_EXACT_NO_NUMBER;
        digits = digits > below ? digits : below;
    } else {
        if (take(&r, '.'))
            part = take_digits(&r, &numerator, &digits);
        if (whole + part == 0 || !take_exponent(&r, &exponent))
            return MET_EXACT_NO_NUMBER;
    }
    if (r.at < text.length)
        return MET_EXACT_NO_NUMBER;
    if (digits > MET_EXACT_DIGITS || part > MET_EXACT_DIGITS || exponent > MET_EXACT_EXPONENT || exponent < -MET_EXACT_EXPONENT)
        return MET_EXACT_TOO_LONG;
    for (exponent -= (long)part; exponent > 0; exponent--)
        multiply_add(&numerator, 10, 0);
    for (; exponent < 0; exponent++)
        multiply_add(&denominator, 10, 0);
    *ret_exact = (met_exact){ 0, { 0, 0 }, { 0, 0 } };
    if (bit_length(&numerator) > 0)
        *ret_exact = divide(numerator, denominator, bits, least);
    if (negative)
        *ret_exact = (met_exact){ -ret_exact->rounded, met_interval_neg(ret_exact->slip), met_interval_neg(ret_exact->real) };
    return MET_EXACT_DONE;
}
