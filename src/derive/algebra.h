/* Separation: whether the summand of a fold over the stream is a finite sum of statistics times stream parts,
 *
 *     e = Σ_k c_k(statistics) · φ_k(stream),    so that    fold e = Σ_k c_k · fold φ_k,
 *
 * and by which factor an accumulator changes when a statistic that its summand contains moves. */
#ifndef MET_DERIVE_ALGEBRA_H
#define MET_DERIVE_ALGEBRA_H

#include "derive/normal.h"

/* One input of a summand, told by its class. */
typedef struct met_algebra_input {
    met_value_class class; /* TAIL counts as STATISTIC */
    bool positive;
} met_algebra_input;

typedef struct met_separable_term {
    const met_scalar *c;   /* over inputs that are statistics or static */
    const met_scalar *phi; /* over inputs that are streams or static */
} met_separable_term;

typedef struct met_separation {
    uint32_t rank; /* number of terms; 0 if the summand is 0 */
    const met_separable_term *terms;
    const met_scalar *blocking; /* where it does not separate: the factor that blocks, or NULL … */
    const char *reason;         /* … and why */
} met_separation;

/* False where the summand does not separate. Indices of the expression count as stream. */
bool met_separate(met_arena *arena, const met_scalar *e, uint32_t input_count, const met_algebra_input *inputs,
                  met_separation *ret_separation);

/* For an accumulator that adds up e with the running value of statistic input `base`: the factor that makes a sum with the
 * old value one with the new value, over input 0 (old) and input 1 (new). For exp(s - m): exp(a - b); for
 * ldexp(p, n - N): ldexp(1, a - b), which is exact. NULL if e does not have the base in an exponent of its own and
 * nowhere else. Classes of the other inputs do not matter. */
const met_scalar *met_rebase(met_arena *arena, const met_scalar *e, uint32_t input_count, const met_algebra_input *inputs,
                             uint32_t base, bool *ret_exact);

/* fn(exponent·new - exponent·old), likewise over inputs 0 and 1; for fn ldexp, 2 to that power. */
const met_scalar *met_rebase_factor(met_arena *arena, met_scalar_fn fn, double exponent);

/* The same on normal forms. `mask`: the loops that are folded; what carries one of them belongs to φ. The terms' c are
 * linearly independent as far as proportionality tells, and so are the φ. */
typedef struct met_sum_term {
    const met_sum *c, *phi;
} met_sum_term;
/* Number of terms, MET_NONE after a refusal. */
uint32_t met_sum_separate(met_algebra *algebra, const met_sum *e, met_loops mask, const met_sum_term **ret_terms);

#endif
