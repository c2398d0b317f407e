/* Records of folds as programs carry them, by node of the settled circuit, and whether those of two programs promise the
 * same bits. */
#ifndef MET_AUDIT_RECORDS_H
#define MET_AUDIT_RECORDS_H

#include "audit/toy.h"
#include "parity/compare.h"

/* The numerics of what a lowering of a toy becomes on a class; the program itself is forgotten, since its texts are large. NULL
 * with diagnostics. */
const met_plan_numerics *met_toy_numerics(const met_toy *toy, const met_lowering *lowering, const met_class *class);

/* What a lowering of a toy becomes on a class that can be written for. NULL with diagnostics. */
const met_program *met_toy_program(const met_toy *toy, const met_lowering *lowering, const met_class *class);

#endif
