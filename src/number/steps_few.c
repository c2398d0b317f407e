/* Nodes of units that keep few bits (number/steps.h): whether it ever shows that an addend is a product rather than the same
 * number as a partial result.
 *
 * Such a node has two addends: b, a product of two numbers of p bits, and c. The exponent of b is e, or, as a number's, e + 1 where
 * b is in [2, 4)·2^e; elsewhere they are one. So c is cut at 2^(e−F) or at twice that, called A and B here, and only where its own
 * exponent is no larger. With F ≥ 2p − 1, b is a multiple of B, and c, cut, has ec < e: |c| < b. Let b be positive and r(x) be what
 * truncation to keep + 1 bits leaves of x.
 *   c > 0: r(b + c cut at A) is r(b + c cut at B) unless a number of few bits lies between them. If that is a multiple of B, c cut
 *     at B would have reached it; and it is, or its gap is at least that of b, 2^(e+1−keep), which is a multiple of B. (That b itself is none of few bits: it would be m·2^(e−1), m from 4 to 7, and m·2^(2p−3)
 *     a product of two whole numbers below 2^p; but 2^(2p−1) is more than 2^(p−1)·2^(p−1), 3·2^(2p−2) more than 3·2^(p−2)·2^(p−1), and
 *     5 and 7 have at most 2^(p−3)·2^(p−1) by them.)
 *   c < 0: they differ by at most one A, both are multiples of A, and r tells them apart just if the larger, g = b − (|c| cut at
 *     B), has no more than keep + 1 bits. So it shows if there are b and g such that d = b − g is a multiple of B and some |c| lies in
 *     [d + A, d + B). As c has q bits, |c| < 2^(q−F): if F is large there are few g to look at, and otherwise one is found soon.
 * In units of A, d is even and |c| is d + 1, perhaps with bits behind the point. */
#include "number/mix.h"
#include "number/steps_parts.h"

typedef struct few {
    int p;          /* bits of an operand */
    int fraction, keep;
    int bits;       /* of c; 0: it is a product */
    uint8_t *products; /* of two numbers with p bits, as bits */
    met_step_pair pair; /* with which it shows */
} few;

static bool is_product(const few *f, uint64_t x)
{
    return f->products[x / 8] >> x % 8 & 1;
}

static void list_products(met_arena *arena, few *f)
{
    uint64_t least = (uint64_t)1 << (f->p - 1);
    f->products = MET_NEW_ARRAY(arena, uint8_t, ((size_t)1 << (2 * f->p)) / 8 + 1);
    for (uint64_t x = least; x < 2 * least; x++) {
        for (uint64_t y = x; y < 2 * least; y++) {
            f->products[x * y / 8] |= (uint8_t)(1u << x * y % 8);
        }
    }
}

static int length_of(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* Whether some c is `whole` in units of A, or that and bits behind the point. */
static bool reaches(few *f, uint64_t whole)
{
    int length = length_of(whole), most = f->bits ? f->bits : 2 * f->p;
    for (int behind = 0; length + behind <= most; behind++) {
        for (uint64_t part = behind != 0; part < (uint64_t)1 << behind; part += 2) {
            uint64_t c = (whole << behind) + part;
            int room = 2 * f->p - length - behind;
            if (f->bits || is_product(f, c << room) || (room > 0 && is_product(f, c << (room - 1)))) {
                f->pair.other = c;
                f->pair.of_other = -f->fraction - behind;
                return true;
            }
        }
    }
    return false;
}

/* Whether it shows with that b. */
static bool shows_with(few *f, uint64_t product)
{
    uint64_t b = product << (f->fraction - 2 * f->p + 2), most = (uint64_t)1 << (f->bits ? f->bits : 2 * f->p);
    for (int shift = 0; shift < length_of(b); shift++) {
        for (uint64_t m = 1; m < (uint64_t)2 << f->keep; m++) {
            uint64_t g = m << shift;
            if (g <= b && b - g < most && (b - g) % 2 == 0 && reaches(f, b - g + 1)) {
                return true;
            }
        }
    }
    return false;
}

/* --- Where b is cut too --- */

static uint64_t kept(const few *f, uint64_t x)
{
    int drop = length_of(x) - f->keep - 1;
    return drop > 0 ? x >> drop << drop : x;
}

/* In units of the last bit that b may have: A is 2^(2p−2−F) of them. With a small multiple of A for c it shows soon. */
static bool shows_coarsely(few *f, uint64_t b)
{
    enum { MULTIPLES = 15 };
    uint64_t a = (uint64_t)1 << (2 * f->p - 2 - f->fraction), in_a = b - b % a, in_b = b - b % (2 * a);
    for (uint64_t k = 1; k <= MULTIPLES && k * a < (uint64_t)1 << (2 * f->p - 3); k++) {
        uint64_t c = k * a, c_in_b = c - c % (2 * a);
        bool alike = kept(f, in_a + c) != kept(f, in_b + c_in_b);
        if (alike || kept(f, in_a - c) != kept(f, in_b - c_in_b)) {
            f->pair = (met_step_pair){b, k, 2 - 2 * f->p, -f->fraction, alike};
            return true;
        }
    }
    return false;
}

static void find_coarse(met_arena *arena, few *f)
{
    list_products(arena, f);
    for (uint64_t b = (uint64_t)1 << (2 * f->p - 1); b < (uint64_t)1 << (2 * f->p); b++) {
        if (is_product(f, b) && shows_coarsely(f, b)) {
            return;
        }
    }
}

static bool never_shows(met_arena *arena, few *f)
{
    enum { SMALL = 11 };
    int p = f->p;
    if (f->fraction < 2 * p - 1) {
        if (p <= SMALL) {
            find_coarse(arena, f);
        }
        return false;
    }
    if (f->bits > f->fraction) {
        return false;
    }
    if (f->fraction >= (f->bits ? f->bits : 2 * p) + 2 * p - 2) {
        return true; /* d is 2^(e−2p+2) or more, as b is never of few bits, and |c| is less */
    }
    if (p > SMALL) {
        return false;
    }
    list_products(arena, f);
    for (uint64_t b = (uint64_t)1 << (2 * p - 1); b < (uint64_t)1 << (2 * p); b++) {
        if (is_product(f, b) && shows_with(f, b)) {
            f->pair.product = b;
            f->pair.of_product = 2 - 2 * p;
            return false;
        }
    }
    return true;
}

bool met_step_never_shows(met_steps *s, const met_matrix_unit *unit, int bits)
{
    for (uint64_t i = 0; i < s->few.count; i++) {
        const met_step_few *known = &s->few.at[i];
        if (known->fraction == unit->fraction && known->keep == unit->keep && known->bits == bits) {
            return known->never;
        }
    }
    met_arena *scratch = met_arena_new();
    few f = {.p = s->bits / 2, .fraction = unit->fraction, .keep = unit->keep, .bits = bits};
    bool never = never_shows(scratch, &f);
    met_step_few fresh = {unit->fraction, unit->keep, bits, never, f.pair};
    met_arena_free(scratch);
    MET_PUSH(s->arena, &s->few, fresh);
    return fresh.never;
}

bool met_steps_pair(const met_steps *s, uint64_t *random, met_step_pair *ret_pair)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < s->few.count; i++) {
        const met_step_few *known = &s->few.at[i];
        if (known->bits == 0 && known->pair.product && met_mix_next(random) % ++found == 0) {
            *ret_pair = known->pair;
        }
    }
    return found > 0;
}
