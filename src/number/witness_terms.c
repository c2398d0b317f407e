/* Terms of the search for witnesses: numbers of the format, and products of two, that rounding, cutting and flushing may take for
 * another. */
#include "number/witness_parts.h"

enum { NEAR = 24, DIVISORS = 4096 };

static double number(const met_search *s, double value)
{
    double rounded = met_operands_round(s->operands, value);
    return isfinite(rounded) ? rounded : copysign(met_operands_largest(s->operands), value);
}

static double significand(met_search *s)
{
    double ulp = ldexp(1, 1 - s->bits);
    switch (met_search_below(s, 8)) {
    case 0:
    case 1:
        return 1;
    case 2:
        return 1 + ulp;
    case 3:
        return 2 - ulp;
    case 4:
        return 1.5;
    case 5:
        return 1 + ldexp(1, -(int)met_search_below(s, (uint64_t)s->bits));
    default:
        return 1 + ldexp((double)(met_search_next(s) >> 11), -53);
    }
}

/* A term of about 2^exponent. */
void met_search_put_term(met_search *s, uint32_t leaf, int exponent)
{
    int half = s->operands.sum ? exponent : exponent / 2 + met_search_between(s, -1, 1), rest = exponent - half;
    double sign = met_search_below(s, 2) ? 1 : -1;
    if (met_search_below(s, 8) == 0 && !s->operands.sum) { /* subnormal by something large */
        half = s->least - met_search_between(s, 0, s->bits);
        rest = exponent - half;
    } else if (met_search_below(s, 4) == 0) {
        half = exponent < 0 ? (exponent > s->least ? exponent : s->least) : exponent < s->greatest ? exponent : s->greatest;
        half = s->operands.sum ? exponent : half;
        rest = exponent - half;
    }
    s->a[leaf] = number(s, sign * ldexp(significand(s), half));
    s->b[leaf] = s->operands.sum ? 1 : number(s, ldexp(significand(s), rest));
    if (exponent < -120 && !s->operands.sum && met_search_below(s, 8) == 0) { /* rounds up to the least normal number */
        s->a[leaf] = number(s, sign * (1 - 0x1p-24));
        s->b[leaf] = number(s, 0x1p-126);
    }
}

/* A product that is a number of few bits, such as the middle between two, or as near to one as some tries find. */
void met_search_put_near(met_search *s, uint32_t leaf, int exponent)
{
    static const int places[] = {0, 0, 8, 8, 9, 11, 11, 12, 13, 24, 24, 25};
    int place = met_search_below(s, 4) ? places[met_search_below(s, sizeof places / sizeof places[0])] : (int)met_search_below(s, 26), half = exponent / 2;
    double target = 1 + ldexp((double)met_search_below(s, 8), -place), sign = met_search_below(s, 2) ? 1 : -1, least = 1;
    bool exact = met_search_below(s, 3) == 0;
    if (s->operands.sum) {
        s->a[leaf] = number(s, sign * ldexp(target, half));
        return;
    }
    for (int i = 0; i < NEAR; i++) {
        double x = number(s, 1 + ldexp((double)(met_search_next(s) >> 11), -53)), y = number(s, target / x);
        double off = fabs(x * y / target - 1);
        if (off < least && (exact || off > 0)) {
            least = off;
            s->a[leaf] = number(s, sign * ldexp(x, half));
            s->b[leaf] = number(s, ldexp(y, exponent - half));
        }
    }
}

/* The negative of another term, nearly. */
void met_search_put_opposite(met_search *s, uint32_t leaf, uint32_t of)
{
    double value = s->a[of] * s->b[of];
    if (s->operands.sum || met_search_below(s, 2)) {
        s->a[leaf] = number(s, -value);
        s->b[leaf] = s->operands.sum || isfinite(value) ? 1 : s->b[of];
    } else {
        s->a[leaf] = -s->a[of];
        s->b[leaf] = s->b[of];
    }
}

int met_search_limit(const met_search *s, bool high)
{
    int limit = high ? s->greatest : s->least - s->bits + 1;
    return s->operands.sum ? limit : 2 * limit;
}

void met_search_fill(met_search *s, double zero)
{
    for (uint64_t i = 0; i < s->n; i++) {
        s->a[i] = zero;
        s->b[i] = 1;
    }
}

void met_search_put_value(met_search *s, uint32_t leaf, double sign, int exponent)
{
    int half = s->operands.sum ? exponent : exponent / 2;
    s->a[leaf] = sign * ldexp(1, half);
    s->b[leaf] = ldexp(1, exponent - half);
}

/* --- Exact products --- */

/* The factor of `whole` that leaves both it and the other one in the format's bits; 0 if none is near. */
static uint64_t factor_of(const met_search *s, uint64_t whole)
{
    uint64_t first = whole >> s->bits << s->bits == whole ? whole >> s->bits : (whole >> s->bits) + 1;
    for (uint64_t d = first > 1 ? first : 1; d < first + DIVISORS && d >> s->bits == 0; d++) {
        if (whole % d == 0 && (whole / d) >> s->bits == 0) {
            return d;
        }
    }
    return 0;
}

bool met_search_put_whole(met_search *s, uint32_t leaf, double sign, uint64_t whole, int exponent)
{
    int lowest = s->least - s->bits + 1;
    while (whole % 2 == 0 && whole) {
        whole /= 2;
        exponent++;
    }
    uint64_t factor = whole ? factor_of(s, whole) : 0;
    if (s->operands.sum) {
        s->a[leaf] = sign * ldexp((double)whole, exponent);
        s->b[leaf] = 1;
        return factor == 1 && exponent >= lowest && ilogb(s->a[leaf]) <= s->greatest && number(s, s->a[leaf]) == s->a[leaf];
    }
    for (int half = exponent / 2 - 8; factor && half <= exponent / 2 + 8; half++) {
        s->a[leaf] = sign * ldexp((double)(whole / factor), half);
        s->b[leaf] = ldexp((double)factor, exponent - half);
        if (number(s, s->a[leaf]) == s->a[leaf] && number(s, s->b[leaf]) == s->b[leaf]) {
            return true;
        }
    }
    s->a[leaf] = 0;
    s->b[leaf] = 1;
    return false;
}

void met_search_put_largest(met_search *s, uint32_t leaf, double sign)
{
    double largest = met_operands_largest(s->operands);
    s->a[leaf] = sign * largest;
    s->b[leaf] = s->operands.sum ? 1 : largest;
}

void met_search_put_least(met_search *s, uint32_t leaf, double sign, int count)
{
    double least = ldexp(1, s->least - s->bits + 1);
    s->a[leaf] = number(s, sign * count * least);
    s->b[leaf] = s->operands.sum ? 1 : least;
}
