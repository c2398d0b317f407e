/* Numbers as programs write them, exactly: a decimal or a quotient of integers, the double or float nearest to it, and what
 * rounding it lost. Owns a little arithmetic of long natural numbers; knows no programs. */
#ifndef MET_BUDGET_EXACT_H
#define MET_BUDGET_EXACT_H

#include "base/str.h"
#include "budget/interval.h"

/* Digits and exponents beyond these are refused: nothing that a double holds needs them. */
enum { MET_EXACT_DIGITS = 400, MET_EXACT_EXPONENT = 400 };

typedef struct met_exact {
    double rounded;    /* to nearest, ties to even, in the format */
    met_interval slip; /* rounded - exact: holds it, and is a point where rounding is exact; without end if rounded is infinite */
    met_interval real; /* holds the exact value */
} met_exact;

typedef enum met_exact_status { MET_EXACT_DONE, MET_EXACT_NO_NUMBER, MET_EXACT_TOO_LONG } met_exact_status;

/* Reads "-12", "1.5e-3", ".5", "3969/625" that fill the string, for a format of `bits` significand bits (53 or 24) and least
 * exponent `least` (of the last place of subnormals: -1074 or -149). Overflow gives an infinity. */
met_exact_status met_exact_read(met_str text, int bits, int least, met_exact *ret_exact);

/* Whether a word begins as a number does, so that it is meant as one. */
bool met_exact_begins(met_str text);

#endif
