/* Random programs in the expression language, for properties that hold of every circuit. Everything follows from the
 * seed: the same seed gives the same program on every machine. */
#ifndef MET_TEST_RANDOM_H
#define MET_TEST_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_next(random_source *r);
/* 0 … limit - 1; 0 if limit is 0. */
unsigned random_below(random_source *r, unsigned limit);
/* One of NULL-terminated words. */
const char *random_word(random_source *r, const char *const *words);

/* Sizes of the axes in random programs, as --set takes them: every axis is called by one of these letters. */
#define RANDOM_SIZES "a=2,b=3,c=1,d=4,e=2"

/* A program of equations: typed inputs (reals, integers, a state) and `steps` ops from the whole vocabulary on arrays of
 * rank up to 4. It reads, and with RANDOM_SIZES it has no free size. */
void random_equations(uint64_t seed, unsigned steps, char *ret_program, size_t room);

/* --- Terms --- */

/* A term with the ranks of its arrays. All its labels are among a to e. */
typedef struct random_term {
    char text[1024];
    unsigned in_count, out_count;
    unsigned ins[8], outs[8];
} random_term;

/* A chain of up to `steps` ops with parameters only if `parameters`, from arrays of these ranks. Deterministic and
 * total: no ids, no states, so that copy and drop slide through it. */
random_term random_chain(random_source *r, unsigned steps, unsigned in_count, const unsigned *ins, bool parameters);

#endif
