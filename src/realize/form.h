/* Forms: the kinds of kernel text that the generator can write for a class, and the parameters that tell its instantiations
 * apart. The families of the blueprint name forms; src/audit compares both sets, in both directions. */
#ifndef MET_REALIZE_FORM_H
#define MET_REALIZE_FORM_H

#include "realize/program.h"

/* One thing that the generator can make for a class: a form with a value of each of its parameters. */
typedef struct met_form_point {
    const char *form;       /* stream, contract, rows, map, fold, read, pick, scan, pack … */
    uint32_t param_count;
    const char *const *params; /* weight, dot, … as the families spell them */
    const char *const *values;
} met_form_point;

/* Everything that it can make for the class, in a fixed order. */
uint32_t met_form_points(const met_class *class, const met_form_point **ret_points, met_arena *arena);
/* Which of them a launch of a program is. */
const met_form_point *met_form_of(const met_program *program, uint32_t launch, met_arena *arena);

#endif
