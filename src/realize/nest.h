/* Nests of loops and what is linear in their counters: element numbers of arrays, positions that may lie outside, guards.
 * What follows from structure alone (a unit stride, an index that does not occur) is a literal in the text; what depends
 * on sizes is an argument of the call, so that kernels of other sizes share the text. */
#ifndef MET_REALIZE_NEST_H
#define MET_REALIZE_NEST_H

#include "ir/circuit.h"
#include "realize/writer.h"

/* constant + Σ by[l]·counter of loop l */
typedef struct met_line {
    met_number constant;
    met_number *by;
} met_line;

/* A line that was made, with its coefficients as numbers. */
typedef struct met_nest_line {
    int64_t constant;
    met_line line;
} met_nest_line;

typedef struct met_nest {
    met_writer *writer;
    const met_circuit *circuit; /* sizes bound */
    uint32_t loop_count;
    met_number *size;      /* by loop */
    const char **label;    /* by loop: part of identifiers */
    const char **counter;  /* by loop: the expression that is its counter; NULL: none here */
    MET_VEC(met_nest_line) lines;
    bool failed;           /* a position does not fit 64 bits */
} met_nest;

/* Loops with these axes and labels; their counters are called i_LABEL. */
met_nest *met_nest_new(met_writer *writer, const met_circuit *circuit, uint32_t count, const met_axis_id *axes,
                       const char *const *labels);

/* A condition on counters: the line is at least 0. */
typedef struct met_condition {
    met_line line;
} met_condition;
typedef MET_VEC(met_condition) met_conditions;

/* How an array is accessed. */
typedef struct met_site {
    met_edge_id edge;
    met_dtype dtype;
    const char *array;     /* its pointer in the text */
    met_line offset;       /* element number */
    met_conditions inside; /* what must hold for it to lie inside; empty if it always does */
} met_site;

/* An edge accessed at affine positions of the nest's loops; arguments are called NAME_…. `skip`: a position that counts
 * as 0 (the one that an id replaces), or MET_NONE. */
met_site met_nest_place(met_nest *nest, const char *array, const char *name, met_edge_id edge, const met_affine *at,
                         uint32_t skip);

/* What the guards of an edge say, where it is accessed at these positions. */
typedef struct met_value_guard {
    met_line line; /* live iff line + sign·(value at place) >= 0 */
    int sign;
    met_site value;
} met_value_guard;
typedef struct met_gating {
    met_conditions affine;
    MET_VEC(met_value_guard) valued; /* arrays are named by array_of */
} met_gating;

/* `array_of` names the pointer of an edge that a guard reads. */
typedef struct met_array_namer {
    const char *(*name)(void *context, met_edge_id edge);
    void *context;
} met_array_namer;
void met_nest_gates(met_nest *nest, met_edge_id edge, const met_affine *at, const met_array_namer *arrays,
                    met_gating *gates);

/* Whether two lines are the same expression. */
bool met_line_equal(const met_nest *nest, const met_line *a, const met_line *b);

/* Makes one loop of two, `outer` around `inner`, where every line so far moves along the two as along one. The one loop is
 * `inner`; `outer` has size 1 from then on. False, and nothing done, where that is not so. */
bool met_nest_collapse(met_nest *nest, uint32_t outer, uint32_t inner);

/* The line as an expression in the counters, without the loops of `without` (a bit set). */
const char *met_line_text(const met_nest *nest, const met_line *line, uint64_t without);
bool met_line_reads(const met_line *line, uint32_t loop);
/* The value of a number of a dim expression of the circuit, whose sizes are bound. */
int64_t met_nest_dim(const met_nest *nest, const met_dim *dim);

#endif
