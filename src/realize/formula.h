/* Scalar formulas as C: an expression in float, or one on lanes. The table of functions stands in formula.c. */
#ifndef MET_REALIZE_FORMULA_H
#define MET_REALIZE_FORMULA_H

#include "ir/scalar.h"
#include "realize/writer.h"

/* What the leaves of a formula are called in the text. On lanes all of them are lane vectors. */
typedef struct met_leaves {
    void *context;
    const char *(*input)(void *context, uint32_t input);
    const char *(*index)(void *context, uint32_t index);
    const char *(*size)(void *context, const met_dim *size);
} met_leaves;

/* The formula as an expression of type float. */
const char *met_formula_text(met_writer *writer, const met_scalar *e, const met_leaves *leaves);
/* The same on lanes: an expression of type lane. */
const char *met_lane_formula_text(met_writer *writer, const met_scalar *e, const met_leaves *leaves);

/* Whether the formula reads this input. */
bool met_formula_reads(const met_scalar *e, uint32_t input);

#endif
