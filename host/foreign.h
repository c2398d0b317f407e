/* What is not ours and can be probed: a routine of a library (host/library.h) or a program (host/command.h). */
#ifndef MET_HOST_FOREIGN_H
#define MET_HOST_FOREIGN_H

#include "base/session.h"
#include "reveal/reveal.h"

/* Which sum is looked at: element (row, column) of a result of rows × columns; 1 × 1 for a dot product. */
typedef struct met_foreign_shape {
    uint64_t rows, columns, row, column;
    uint64_t terms;
    bool accumulates; /* the result is added to what stands there */
} met_foreign_shape;

/* Elements of all operands together, and terms: revealing calls more than twice for each of them. */
#define MET_FOREIGN_LIMIT ((uint64_t)1 << 26)
#define MET_FOREIGN_TERMS ((uint64_t)1 << 16)

typedef struct met_foreign met_foreign;
struct met_foreign {
    met_black_box probe;
    /* What is wrong with floating point after loading it, and after a call; NULL: nothing. */
    const char *(*fault_loaded)(const met_foreign *foreign);
    const char *(*fault_called)(const met_foreign *foreign);
    void (*close)(met_foreign *foreign);
};

/* Elements of operands and result, or 0 if they or the terms pass the limit, or something is 0. */
uint64_t met_foreign_elements(const met_foreign_shape *shape);
/* What stands at place i of whatever is computed beside the sum: fixed numbers in [-1, 1) of seven binary digits. */
double met_foreign_filler(uint64_t i);

#endif
