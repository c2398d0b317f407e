/* Scalar formulas: the `e` of a primitive. A formula reads the inputs of its node at the present position, the present
 * indices, and sizes. It knows nothing of arrays. Immutable. */
#ifndef MET_IR_SCALAR_H
#define MET_IR_SCALAR_H

#include "base/session.h"
#include "type/dim.h"

typedef enum met_scalar_fn {
#define MET_SCALAR_FN(name, spelling, arity) MET_FN_##name,
#include "ir/scalar.def"
#undef MET_SCALAR_FN
    MET_FN_COUNT
} met_scalar_fn;

typedef struct met_scalar_fn_info {
    const char *spelling;
    int arity;
} met_scalar_fn_info;

extern const met_scalar_fn_info met_scalar_fn_table[MET_FN_COUNT];

typedef enum met_scalar_kind {
    MET_SCALAR_NUMBER,
    MET_SCALAR_INPUT, /* written a, b, c … */
    MET_SCALAR_INDEX, /* written i_LABEL */
    MET_SCALAR_SIZE,  /* a dim expression as a number */
    MET_SCALAR_CALL
} met_scalar_kind;

typedef struct met_scalar met_scalar;
struct met_scalar {
    met_scalar_kind kind;
    double number;
    uint32_t input; /* INPUT: number of the node's input */
    uint32_t index; /* INDEX: number of the node's index */
    const met_dim *size;
    met_scalar_fn fn;
    const met_scalar *arguments[3];
};

const met_scalar *met_scalar_number(met_arena *arena, double number);
const met_scalar *met_scalar_input(met_arena *arena, uint32_t input);
const met_scalar *met_scalar_index(met_arena *arena, uint32_t index);
/* A known size is a number. */
const met_scalar *met_scalar_size(met_arena *arena, const met_dim *size);
/* Unused arguments are NULL. */
const met_scalar *met_scalar_call(met_arena *arena, met_scalar_fn fn, const met_scalar *a, const met_scalar *b,
                                  const met_scalar *c);

bool met_scalar_equal(const met_scalar *a, const met_scalar *b);
/* Whether the formula reads this input; whether it reads any. */
bool met_scalar_reads(const met_scalar *scalar, uint32_t input);
bool met_scalar_reads_any(const met_scalar *scalar);
/* The formula with input k called to[k]. */
const met_scalar *met_scalar_rename(met_arena *arena, const met_scalar *scalar, const uint32_t *to);
/* False if there is no function of this spelling. */
bool met_scalar_fn_find(met_str spelling, met_scalar_fn *ret_fn);
/* Constant folding of a formula without inputs and indices whose sizes are constants; false otherwise. In double. */
bool met_scalar_constant(const met_scalar *scalar, double *ret_value);
/* The value of one function in double arithmetic; unused arguments are ignored. */
double met_scalar_fn_apply(met_scalar_fn fn, double a, double b, double c);
/* Scalar operations that count as flops (everything but reads, constants, comparisons and select). */
uint64_t met_scalar_flops(const met_scalar *scalar);

/* As the language writes it, with least parentheses: `exp(a - b)*2`. */
typedef struct met_scalar_names {
    void *context;
    met_size_namer size;
    met_str (*index)(void *context, uint32_t index);
    bool (*taken)(void *context, met_str name); /* means something else here: a size of that name is written size(a) */
    void (*input)(void *context, met_text *out, uint32_t input); /* NULL: inputs are a, b, c … */
} met_scalar_names;
/* A size by its name if that means nothing else here; otherwise, and if it is a sum or product, as size(…). */
void met_scalar_size_print(met_text *out, const met_dim *size, const met_scalar_names *names);
void met_scalar_print(met_text *out, const met_scalar *scalar, const met_scalar_names *names);

#endif
