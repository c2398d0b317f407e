/* The operations of straight-line programs: their values and slopes over intervals, and how a machine rounds them. Owns the
 * table; knows neither programs nor text. */
#ifndef MET_BUDGET_STRAIGHT_OP_H
#define MET_BUDGET_STRAIGHT_OP_H

#include "base/str.h"
#include "budget/interval.h"

enum { MET_STRAIGHT_ARITY = 3 };

typedef enum met_straight_rounding {
    MET_ROUNDING_EXACT,   /* gives one of its arguments, or its opposite */
    MET_ROUNDING_SUM,     /* correctly rounded, and exact where it is subnormal */
    MET_ROUNDING_CORRECT, /* correctly rounded (IEEE 754) */
    MET_ROUNDING_LIBRARY  /* a library's function: within some units in the last place, by assumption */
} met_straight_rounding;

/* The first ones are known to the builder and to evaluation by name. */
typedef enum met_straight_code {
    MET_STRAIGHT_ARG,
    MET_STRAIGHT_CONST,
    MET_STRAIGHT_CAST,
    MET_STRAIGHT_NEG,
    MET_STRAIGHT_ADD,
    MET_STRAIGHT_SUB,
    MET_STRAIGHT_MUL,
    MET_STRAIGHT_DIV,
    MET_STRAIGHT_SQRT,
    MET_STRAIGHT_POW,
    MET_STRAIGHT_OTHERS
} met_straight_code;

typedef struct met_straight_op {
    const char *name; /* as FPCore has it */
    unsigned arity;
    met_straight_rounding rounding;
    met_interval (*value)(const met_interval *args);
    /* The partial derivative by each argument. The whole line where there may be none. */
    void (*slopes)(const met_interval *args, met_interval value, met_interval *ret);
} met_straight_op;

extern const met_straight_op met_straight_ops[];
extern const unsigned met_straight_op_count;

/* The code of an operation that programs may write, with this name and number of arguments ("-" is two of them), or 0.
 * *ret_known says whether there is one of that name. */
unsigned met_straight_op_find(met_str name, size_t arity, bool *ret_known);

#endif
