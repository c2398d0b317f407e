/* Normal forms of scalar expressions: sums of products of powers of atoms, in which everything that separates the stream
 * from its statistics has been separated. Real arithmetic: identities hold wherever the original expression is defined.
 *
 * An atom never mixes: it depends on the stream or on statistics, not on both. What would mix is a refusal that names the
 * factor. Sums that do not mix are atoms themselves, so that only what must be is multiplied out.
 * Expressions are met_scalar over numbered inputs and indices; what these are is told to met_algebra_new. */
#ifndef MET_DERIVE_NORMAL_H
#define MET_DERIVE_NORMAL_H

#include "derive/kernel.h"

/* Bounds on what an expression may become; beyond them it is refused. */
#define MET_ALGEBRA_TERMS 256   /* products of a sum */
#define MET_ALGEBRA_FACTORS 64  /* powers of a product */
#define MET_ALGEBRA_ATOMS 4096
#define MET_ALGEBRA_WORK 200000 /* products made */
#define MET_ALGEBRA_EXPONENT 1e6
#define MET_ALGEBRA_POWER 8     /* of a sum that is multiplied out */

/* What is known of a quantity. */
typedef struct met_traits {
    met_loops loops;
    bool statistic; /* depends on a fold over the stream */
    bool positive;  /* more exactly: not negative, and zero at most where dividing by it is the caller's business */
    bool weights;   /* reads parameters and static values only */
} met_traits;

typedef struct met_power {
    uint32_t atom;
    double exponent; /* not 0 */
} met_power;

typedef struct met_product {
    double coefficient; /* finite, not 0 */
    uint32_t count;
    const met_power *powers; /* in increasing order of atoms */
} met_product;

/* Immutable; terms in increasing order, each set of powers once. No terms: 0. */
typedef struct met_sum {
    uint32_t count;
    const met_product *terms;
} met_sum;

typedef enum met_atom_kind {
    MET_ATOM_LEAF, /* an input, an index, a size, or a number that is not finite */
    MET_ATOM_EXP,  /* exp, exp2 or ldexp(1, ·) of one product whose coefficient is 1; its exponent multiplies that */
    MET_ATOM_SUM,  /* a sum of two terms or more, the first one's coefficient positive */
    MET_ATOM_CALL
} met_atom_kind;

typedef struct met_atom {
    met_atom_kind kind;
    met_scalar_fn fn;
    const met_scalar *leaf;
    const met_sum *arguments[3];
    const met_sum *definition; /* LEAF: what it is short for, used inside of exponents; or NULL */
    met_traits traits;
    uint32_t hash;
    const met_scalar *scalar; /* how it is written; NULL until that is asked for */
} met_atom;

typedef struct met_named_product {
    met_product product;
    const met_scalar *name;
} met_named_product;

typedef struct met_algebra {
    met_arena *arena;
    met_loops stream;
    const met_traits *inputs; /* by number; owned by the caller, who may fill in later ones as they come to be known */
    const met_loops *index_loops; /* of each index, NULL: index i is loop i */
    MET_VEC(met_atom *) atoms;
    struct met_sum_builder *builder;
    MET_VEC(met_named_product) names;
    uint32_t work;
    const met_scalar *blocking; /* after a refusal: the factor … */
    const char *reason;         /* … and why, as a sentence */
} met_algebra;

met_algebra *met_algebra_new(met_arena *arena, met_loops stream, const met_traits *inputs, const met_loops *index_loops);

/* All below return NULL after a refusal, and pass NULL on. */

/* The normal form of an expression. `value` gives what an input stands for, or NULL for the input itself. */
typedef const met_sum *(*met_algebra_lookup)(void *context, uint32_t input);
const met_sum *met_sum_of_scalar(met_algebra *algebra, const met_scalar *scalar, met_algebra_lookup value, void *context);

const met_sum *met_sum_number(met_algebra *algebra, double number);
const met_sum *met_sum_leaf(met_algebra *algebra, const met_scalar *leaf);
const met_sum *met_sum_of_atom(met_algebra *algebra, uint32_t atom, double exponent);
const met_sum *met_sum_of_product(met_algebra *algebra, met_product product);
const met_sum *met_sum_add(met_algebra *algebra, const met_sum *a, const met_sum *b);
const met_sum *met_sum_scale(met_algebra *algebra, const met_sum *a, double factor);
const met_sum *met_sum_mul(met_algebra *algebra, const met_sum *a, const met_sum *b);
const met_sum *met_sum_power(met_algebra *algebra, const met_sum *a, double exponent);
/* Unused arguments are NULL. */
const met_sum *met_sum_call(met_algebra *algebra, met_scalar_fn fn, const met_sum *a, const met_sum *b, const met_sum *c);
/* The sum as an atom, unless it mixes or is one already. */
const met_sum *met_sum_closed(met_algebra *algebra, const met_sum *a);
/* Multiplied out down to products: atoms that are sums, or short for sums, are opened; `statistics`: only such ones. */
const met_sum *met_sum_opened(met_algebra *algebra, const met_sum *a, bool statistics);

bool met_sum_equal(const met_sum *a, const met_sum *b);
int met_product_compare(const met_product *a, const met_product *b); /* by powers */
met_product met_product_mul(met_algebra *algebra, const met_product *a, const met_product *b);
bool met_sum_is_number(const met_sum *a, double *ret_number);
met_traits met_product_traits(const met_algebra *algebra, const met_product *product);
met_traits met_sum_traits(const met_algebra *algebra, const met_sum *a);
bool met_traits_mix(const met_algebra *algebra, met_traits traits);
/* The powers of a product that are statistics without a loop of `mask`, and the others with the coefficient. */
void met_product_split(met_algebra *algebra, const met_product *product, met_loops mask, met_product *ret_statistic,
                       met_product *ret_rest);
/* a as statistic·rest, if it is one product of such sums. */
bool met_sum_split(met_algebra *algebra, const met_sum *a, const met_sum **ret_statistic, const met_sum **ret_rest);

/* The atom with this content, made if there is none; MET_NONE after a refusal. Traits are those of its content. */
uint32_t met_atom_of(met_algebra *algebra, const met_atom *content);
/* NULL: the return value of a function that refuses. The first refusal stays. */
const met_sum *met_algebra_refuse(met_algebra *algebra, const met_scalar *factor, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* From now on a product that contains this one is written with the name. */
void met_algebra_name(met_algebra *algebra, const met_product *product, const met_scalar *name);
/* Back to an expression. Exponentials of one kind come together again. */
const met_scalar *met_sum_scalar(met_algebra *algebra, const met_sum *a);
const met_scalar *met_product_scalar(met_algebra *algebra, const met_product *product);

#endif
