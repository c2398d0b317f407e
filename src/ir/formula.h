/* A reader for the formulas that met itself writes: the `formula` column of ops.def and the texts of the expansions. It
 * has no diagnostics, because its texts are part of the program: a wrong one ends the process. Formulas of users are
 * read by src/lang, with the same grammar. */
#ifndef MET_IR_FORMULA_H
#define MET_IR_FORMULA_H

#include "ir/scalar.h"

/* What a name stands for. */
typedef struct met_formula_name {
    const char *name;
    const met_scalar *value;
} met_formula_name;

/* Reads a whole text. A name of `names` stands for its value; otherwise a single letter is the input of that number
 * (a is 0), and a name before "(" is a function of scalar.def. Operators bind as in C, with a^b above all of them. */
const met_scalar *met_formula_read(met_arena *arena, const char *text, size_t name_count,
                                   const met_formula_name *names);

#endif
