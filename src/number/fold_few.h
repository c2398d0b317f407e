/* Folds of a few terms among many, all others absent: what met_fold makes of them (number/fold.h), in time and memory that do not
 * depend on how many there are. */
#ifndef MET_NUMBER_FOLD_FEW_H
#define MET_NUMBER_FOLD_FEW_H

#include "number/operands.h"
#include "number/tree.h"

typedef struct met_fold_few met_fold_few;

/* Of a valid record that is not written, and of n terms, up to `most` of which are there. */
met_fold_few *met_fold_few_new(met_arena *arena, const met_tree *tree, uint64_t n, uint32_t most);
/* `count` products a·b, or numbers a, at ascending places. */
double met_fold_few_run(met_fold_few *few, bool sum, uint32_t count, const uint64_t *at, const double *a, const double *b);

#endif
