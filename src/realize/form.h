/* Forms: the kinds of kernel text that the generator can write for a class, and the parameters that tell its instantiations
 * apart. The families of the blueprint name forms; src/audit compares both sets, in both directions. */
#ifndef MET_REALIZE_FORM_H
#define MET_REALIZE_FORM_H

#include "realize/program.h"

/* One thing that the generator can make for a class: a form with a value of each of its parameters.
 *
 *   on tiles and lanes, several nodes at a time (realize/tile.h):
 *     stream    contractions that make a stream or run along it, and folds over it: weight, rescale, dot
 *     contract  other contractions, and what surrounds them: weight, dot
 *     rows      folds without contractions: activation, rescale
 *     map       nothing but maps: activation
 *   scalar code for one node (realize/generic.c):
 *     each, fold, read, pick, scan   by its first array, of a read by its table: activation
 *   before the first run:
 *     pack      an operand of contractions: weight, operand
 *
 * `activation` is the format of what the first step reads first; `weight` that of the lane operand of the first contraction,
 * and `dot` its arithmetic, f32 or pairs; `rescale` is none, pow2 or float; `operand` is floats, or words of two bf16. */
typedef struct met_form_point {
    const char *form;
    uint32_t param_count;
    const char *const *params;
    const char *const *values;
} met_form_point;

/* Everything that it can make for the class, in a fixed order. */
uint32_t met_form_points(const met_class *class, const met_form_point **ret_points, met_arena *arena);
/* Which of them a launch of a program is. */
const met_form_point *met_form_of(const met_program *program, uint32_t launch);

/* --- for the writer of programs --- */

struct met_tile;
const met_form_point *met_form_of_tile(const struct met_tile *tile, met_arena *arena);
const met_form_point *met_form_of_node(const met_circuit *circuit, const met_node *node, met_arena *arena);
const met_form_point *met_form_of_pack(met_dtype from, bool words, met_arena *arena);

#endif
