/* The vocabulary of pipelines: what steps there are, how the precision of each is written, and when one precision holds
 * another. */
#ifndef MET_LKB_STEP_H
#define MET_LKB_STEP_H

#include "base/text.h"

typedef enum met_step_form {
    MET_STEP_ONE,    /* "f32" */
    MET_STEP_STORED, /* "bf16->f32": what is stored, and what it is handed on as */
    MET_STEP_PRODUCT /* "f32*f32" */
} met_step_form;

typedef struct met_step_kind {
    const char *name;
    met_step_form form;
    const char *wants[3]; /* steps that must stand beside it */
} met_step_kind;

enum { MET_STEPS = 19 };
extern const met_step_kind met_step_table[MET_STEPS];

/* Its number; MET_STEPS if there is none of that name. */
size_t met_step_find(met_str name);
/* The two sides of "stored->operand" or "a*b"; of ONE both are the whole. */
void met_step_sides(met_step_form form, met_str text, met_str *ret_a, met_str *ret_b);

/* Precisions: f64, f32, tf32, bf16, f16, e4m3, e2m1, i32, i8, or exponent and fraction bits of what has no name, "e8m13". */
bool met_precision_is(met_str text);
/* "f64, f32, …", for messages. */
extern const char *const met_precision_spellings;
/* Whether every value of b is one of a. Integers hold themselves alone. */
bool met_precision_holds(met_str a, met_str b);

#endif
