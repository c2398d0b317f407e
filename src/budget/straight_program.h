/* A straight-line program as a graph of operations: what FPCore programs are read into. Equal operations on equal arguments are
 * one node, as they round alike. Owns the graph and what is known of its nodes whatever the box; knows neither text nor search. */
#ifndef MET_BUDGET_STRAIGHT_PROGRAM_H
#define MET_BUDGET_STRAIGHT_PROGRAM_H

#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "budget/exact.h"
#include "budget/straight_op.h"
#include "met/session.h"

enum { MET_STRAIGHT_NODES = 4096, MET_STRAIGHT_ARGS = 64 };

/* A binary format of the IEEE's. */
typedef struct met_straight_format {
    const char *name; /* FPCore's word */
    int bits;         /* of the significand, the leading one included */
    int least;        /* exponent of the least subnormal */
    double highest;   /* the largest finite number */
} met_straight_format;

extern const met_straight_format met_straight_formats[2]; /* binary64, binary32 */
/* NULL if there is no such format here. */
const met_straight_format *met_straight_format_find(met_str name);

typedef struct met_straight_node {
    unsigned code; /* into met_straight_ops */
    uint32_t args[MET_STRAIGHT_ARITY];
    uint32_t arg; /* of ARG: its number */
    const met_straight_format *format;
    met_exact exact; /* of CONST */
    met_span span;
    /* Whatever the box: exact values lie in `within`. If `slopes` is not NULL, the exact value is their sum with the
     * arguments plus `offset`. */
    met_interval within;
    const double *slopes;
    met_interval offset;
} met_straight_node;

/* `node` is at least zero wherever the program is run. */
typedef struct met_straight_condition {
    uint32_t node;
} met_straight_condition;

typedef struct met_straight_arg {
    met_str name;
    met_span span;
    met_interval range; /* infinite where nothing limits it */
} met_straight_arg;

typedef struct met_straight_program {
    met_arena *arena;
    met_str name; /* "" if it has none */
    met_span span;
    const met_straight_format *format;
    size_t arg_count;
    met_straight_arg *args;
    MET_VEC(met_straight_node) nodes; /* arguments before those that use them; the first are the program's arguments */
    MET_VEC(met_straight_condition) conditions;
    size_t ignored; /* conditions that are passed over: the bound holds without them */
    uint32_t result;
    met_map *known;
} met_straight_program;

/* A program of these arguments and nothing else yet. */
met_straight_program *met_straight_program_new(met_arena *arena, size_t arg_count, met_straight_arg *args,
                                               const met_straight_format *format);
/* The node that is this operation; a new one unless there is one. MET_STRAIGHT_NODES are the most: then the last is
 * returned, and met_straight_full is true. */
uint32_t met_straight_add(met_straight_program *program, unsigned code, const uint32_t *args, const met_straight_format *format,
                          met_span span);
uint32_t met_straight_add_exact(met_straight_program *program, met_exact exact, const met_straight_format *format, met_span span);
bool met_straight_full(const met_straight_program *program);

/* Finds `within` from the conditions, once all is added. */
void met_straight_settle(met_straight_program *program);

#endif
