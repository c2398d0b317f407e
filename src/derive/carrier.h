/* Recurrences over vectors and matrices, which a scalar region does not write down, as carriers: what stands for a
 * stretch of the stream, so that stretches combine. A recurrence S ← A·S + B with a carrier (A, B) per position is a monoid,
 *
 *     (A₁, B₁) then (A₂, B₂)  =  (A₂·A₁, A₂·B₁ + B₂),
 *
 * not commutative, with unit (1, 0). The rows differ in the shape of A: a number (gated decay), a diagonal (diagonal state
 * spaces), a matrix (affine scans), or I - β·k·kᵀ made from a key (the delta rule). See docs/derive.md. */
#ifndef MET_DERIVE_CARRIER_H
#define MET_DERIVE_CARRIER_H

#include <stddef.h>
#include <stdint.h>

typedef enum met_carrier_shape { MET_CARRIER_NUMBER, MET_CARRIER_DIAGONAL, MET_CARRIER_MATRIX } met_carrier_shape;

typedef struct met_carrier {
    const char *name;
    met_carrier_shape shape; /* of A */
    const char *words;       /* of a carrier, over n (rows of S) and m (columns) */
} met_carrier;

extern const met_carrier met_carrier_table[];
extern const size_t met_carrier_count;

/* NULL if there is none. */
const met_carrier *met_carrier_find(const char *name);
/* Numbers of A, and of a whole carrier: A, then S as n rows of m columns. */
size_t met_carrier_factor_numbers(const met_carrier *carrier, size_t n);
size_t met_carrier_numbers(const met_carrier *carrier, size_t n, size_t m);
/* The unit. */
void met_carrier_begin(const met_carrier *carrier, size_t n, size_t m, double *ret_carrier);
/* first ← first followed by second. */
void met_carrier_combine(const met_carrier *carrier, size_t n, size_t m, double *first, const double *second);
/* One position of the delta rule, S ← S - β·k·(kᵀS) + β·k·vᵀ, as a carrier of shape MATRIX. */
void met_carrier_delta(size_t n, size_t m, const double *key, const double *value, double beta, double *ret_carrier);

#endif
