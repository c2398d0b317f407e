/* Between the two halves of the FPCore reader: expressions, and what stands around them. */
#ifndef MET_BUDGET_FPCORE_PARTS_H
#define MET_BUDGET_FPCORE_PARTS_H

#include "budget/fpcore.h"

/* A name and the node that it stands for. */
typedef struct met_fpcore_name {
    met_str name;
    uint32_t node;
} met_fpcore_name;

typedef struct met_fpcore_reader {
    met_session *session;
    met_straight_program *program;
    const met_straight_format *format; /* in which operations are computed here */
    MET_VEC(met_fpcore_name) names;    /* in scope, innermost last */
} met_fpcore_reader;

/* The node that an expression is. False with a diagnostic. */
bool met_fpcore_expression(met_fpcore_reader *r, const met_sexpr *e, uint32_t *ret_node);

/* Whether a property leaves rounding to nearest, ties to even, what it is. False with a diagnostic. */
bool met_fpcore_rounds_to_nearest(met_session *session, const met_sexpr *key, const met_sexpr *value);

/* Ranges and conditions from a :pre. False with a diagnostic. */
bool met_fpcore_condition(met_fpcore_reader *r, const met_sexpr *e);

#endif
