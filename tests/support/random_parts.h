/* What the generator of random programs is made of: text of bounded length, arrays with the letters of their axes. */
#ifndef MET_TEST_RANDOM_PARTS_H
#define MET_TEST_RANDOM_PARTS_H

#include <stdbool.h>

#include "support/random.h"

/* What does not fit is left out. */
typedef struct writer {
    char *at;
    size_t room, length;
} writer;

void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { RANK = 4, ARRAYS = 40 };

/* An array with the letter of each of its axes. */
typedef struct array {
    char name[8];
    unsigned rank;
    char axes[RANK + 1];
    bool integer;
    bool masked; /* may hold guarded positions, which concat refuses */
    bool half;   /* bf16 */
} array;

typedef struct generator {
    random_source r;
    writer *w;
    array arrays[ARRAYS];
    unsigned count;
    bool used[ARRAYS];
    unsigned made; /* for names */
    bool half; /* what the present op makes is bf16 */
    bool parted[5]; /* letters whose axis was cut: another cut's sizes would not be seen to add up to the same */
} generator;

/* Labels in brackets are local: they need not be called like the axes. */
extern const char random_labels[];

unsigned random_size(char letter);
array *random_add(generator *g, const char *axes);
/* A real array of at least this rank; NULL if there is none. Not a masked one unless that is allowed. */
const array *random_pick(generator *g, unsigned least_rank, bool masked);

/* The same, masked or not, and perhaps in bf16: then the result is so, too. */
const array *random_pick_any(generator *g, unsigned least_rank);

/* Writes one equation, or nothing if no array fits. */
void random_step(generator *g);

#endif
