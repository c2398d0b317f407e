/* Running a stream term in double arithmetic, slice by slice, over whole arrays: what tests hold terms to. Not fast. */
#ifndef MET_DERIVE_EVALUATE_H
#define MET_DERIVE_EVALUATE_H

#include "derive/stream.h"

typedef struct met_stream_run met_stream_run;

/* `sizes` by loop of the region; `inputs` by value of the region: for inputs, an array over the loops they carry, in the
 * order of the loops, the last running fastest; NULL elsewhere. Both are kept. The term must stream. */
met_stream_run *met_stream_run_new(met_arena *arena, const met_stream_term *term, const uint64_t *sizes,
                                   const double *const *inputs);

/* A state of the whole stream so far, all accumulators of all rows. */
size_t met_stream_run_numbers(const met_stream_run *run);
/* Where accumulator `state` begins within it: an array over its loops. Slots are pairs of value and index. */
size_t met_stream_run_offset(const met_stream_run *run, uint32_t state);
/* The state of the empty stream. */
void met_stream_run_begin(const met_stream_run *run, double *state);
/* Takes in the positions [begin, end) of the stream. */
void met_stream_run_push(met_stream_run *run, double *state, uint64_t begin, uint64_t end);
/* left ← left followed by right. The term must be a monoid. */
void met_stream_run_combine(met_stream_run *run, double *left, const double *right);
/* A value of the tail (or a state) by its number in the term, as an array over its loops. */
const double *met_stream_run_value(met_stream_run *run, const double *state, uint32_t value);

/* The region itself, without a term: value `value` as an array over its loops, everything computed whole. */
const double *met_region_evaluate(met_arena *arena, const met_region *region, const uint64_t *sizes, const double *const *inputs,
                                  uint32_t value);

#endif
