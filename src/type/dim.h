/* Dim expressions: sums of products of non-negative integers and size symbols, with floor and ceiling division by a
 * constant. They are immutable and canonical: two expressions that are equal as polynomials (in symbols and division
 * atoms) are equal in form; nothing can be taken out of a division atom, so floor((16*n + 5)/4) is 4*n + 1. Arithmetic is
 * overflow-checked; a result that does not fit, or is larger than MET_DIM_TERMS, MET_DIM_WEIGHT and MET_DIM_POWER allow,
 * is NULL, and every operation passes NULL on. */
#ifndef MET_TYPE_DIM_H
#define MET_TYPE_DIM_H

#include "base/arena.h"
#include "base/text.h"

#define MET_DIM_TERMS 64
#define MET_DIM_WEIGHT 2048
#define MET_DIM_POWER 64 /* of one factor */

/* A size symbol. What it is called and bound to is known to the builder or circuit that made it. */
typedef struct met_size {
    uint32_t id;
} met_size;

typedef enum met_factor_kind { MET_FACTOR_SYMBOL, MET_FACTOR_FLOOR, MET_FACTOR_CEIL } met_factor_kind;

typedef struct met_dim met_dim;

typedef struct met_factor {
    met_factor_kind kind;
    met_size symbol;      /* SYMBOL */
    const met_dim *inner; /* FLOOR, CEIL: inner divided by divisor */
    uint64_t divisor;
    uint32_t power; /* from 1 */
} met_factor;

typedef struct met_monomial {
    uint64_t coefficient; /* from 1 */
    uint32_t factor_count;
    const met_factor *factors; /* in increasing order */
} met_monomial;

struct met_dim {
    uint32_t term_count; /* 0: the constant 0 */
    uint32_t weight;     /* its factors, as often as they are multiplied, those within divisions included */
    const met_monomial *terms; /* in order, the constant last */
};

const met_dim *met_dim_constant(met_arena *arena, uint64_t n);
const met_dim *met_dim_symbol(met_arena *arena, met_size symbol);
const met_dim *met_dim_add(met_arena *arena, const met_dim *a, const met_dim *b);
const met_dim *met_dim_mul(met_arena *arena, const met_dim *a, const met_dim *b);
/* divisor from 1 */
const met_dim *met_dim_floor_div(met_arena *arena, const met_dim *a, uint64_t divisor);
const met_dim *met_dim_ceil_div(met_arena *arena, const met_dim *a, uint64_t divisor);

/* A total order; 0 iff equal for every assignment as polynomials. */
int met_dim_compare(const met_dim *a, const met_dim *b);
bool met_dim_equal(const met_dim *a, const met_dim *b);
bool met_dim_is_constant(const met_dim *dim, uint64_t *ret_n);
bool met_dim_is_symbol(const met_dim *dim, met_size *ret_symbol);
bool met_dim_contains(const met_dim *dim, met_size symbol);
/* Whether a - b is a sum of products without a negative coefficient; then a ≥ b whatever the sizes. False if either is NULL. */
bool met_dim_covers(const met_dim *a, const met_dim *b);
/* Calls visit for the symbols in printing order, each occurrence. */
void met_dim_symbols(const met_dim *dim, void (*visit)(void *context, met_size symbol), void *context);

/* Replaces symbols: `value` returns the replacement or NULL to keep the symbol. Returns `dim` itself if nothing changed. */
typedef const met_dim *(*met_dim_lookup)(void *context, met_size symbol);
const met_dim *met_dim_substitute(met_arena *arena, const met_dim *dim, met_dim_lookup value, void *context);

/* `2*h*d + n`, `floor(n/16)`; terms and factors in the order of their symbols' ids. */
typedef met_str (*met_size_namer)(void *context, met_size symbol);
void met_dim_print(met_text *out, const met_dim *dim, met_size_namer name, void *context);

#endif
