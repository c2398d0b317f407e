/* Witnesses of matrix units whose accumulator starts at a given c: where it joins shows there alone. */
#include "number/matrix_unit.h"
#include "number/witness_parts.h"

enum { TRIES = 20000, LIVE = 64, FEW = 4 };

/* A few terms, or all of the first ones, and c: of about one size, or as far apart as an alignment reaches. */
static float fill(met_search *s, uint64_t live)
{
    int base = met_search_between(s, -4, 4), spread = met_search_below(s, 2) ? 2 : 28;
    uint64_t count = met_search_below(s, 2) ? 1 + met_search_below(s, FEW) : live;
    met_search_fill(s, 0);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t leaf = count == live ? (uint32_t)i : (uint32_t)met_search_below(s, live);
        met_search_put_term(s, leaf, base - met_search_between(s, 0, spread));
    }
    double part = 1 + ldexp((double)(met_search_next(s) >> 40), -24), sign = met_search_below(s, 2) ? 1 : -1;
    return (float)(sign * ldexp(part, base + met_search_between(s, -spread, spread)));
}

bool met_witness_find_c(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n, met_witness_run *ret_run)
{
    met_search s = met_search_new(arena, x, y, operands, n);
    for (int i = 0; i < TRIES; i++) {
        float c = fill(&s, n < LIVE ? n : LIVE);
        double one = (double)met_matrix_dot(&x->unit, n, s.a, s.b, c), other = (double)met_matrix_dot(&y->unit, n, s.a, s.b, c);
        if (isfinite(one) && isfinite(other) && !met_search_same_bits(one, other)) {
            *ret_run = (met_witness_run){.count = n, .a = s.a, .b = s.b, .with_c = true, .c = c, .result_a = one, .result_b = other};
            return true;
        }
    }
    return false;
}
