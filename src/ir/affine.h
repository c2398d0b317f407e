/* Arithmetic on affine expressions (met_affine): sums, multiples, substitution. Terms are kept merged and in order. */
#ifndef MET_IR_AFFINE_H
#define MET_IR_AFFINE_H

#include "ir/circuit.h"

met_affine met_affine_constant(int64_t constant);
met_affine met_affine_index(met_arena *arena, uint32_t index, int64_t coefficient);
/* coefficient·size, folded into the constant where the size is one. */
met_affine met_affine_size(met_arena *arena, const met_dim *size, int64_t coefficient);
/* a + factor·b. Overflow gives false. */
bool met_affine_add(met_arena *arena, met_affine a, met_affine b, int64_t factor, met_affine *ret_sum);
/* Replaces index i by parts[i]. */
bool met_affine_substitute(met_arena *arena, met_affine a, const met_affine *parts, met_affine *ret_result);
bool met_affine_equal(met_affine a, met_affine b);
/* A single index with coefficient 1 and nothing else. */
bool met_affine_is_index(met_affine a, uint32_t *ret_index);
bool met_affine_reads_index(met_affine a, uint32_t index);
/* Whether it is 0 or more wherever index i runs over 0..size(axes[i])-1, whatever the free sizes are. May say no although
 * it is so: it compares the sums of sizes term by term. */
bool met_affine_never_negative(met_arena *arena, met_affine a, const met_dim *const *index_sizes);
/* `2*t + k - 1`, with the given names of indices. */
void met_affine_print(met_text *out, met_affine a, const met_scalar_names *names);

#endif
