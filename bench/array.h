/* Arrays of benchmarks: on huge pages where the machine gives them, filled with reproducible numbers. */
#ifndef MET_BENCH_ARRAY_H
#define MET_BENCH_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed; ends the program if there is no memory. */
void *array_new(size_t bytes);
void array_free(void *array, size_t bytes);

/* Numbers in [-0.5, 0.5) that follow from the seed, the same at every index of equal number for both formats (rounded to
 * nearest even in bf16). */
float *array_f32(size_t count, uint32_t seed);
uint16_t *array_bf16(size_t count, uint32_t seed);

float bf16_value(uint16_t bits);
uint16_t bf16_round(float value);

#endif
