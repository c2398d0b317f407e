/* Conditions of FPCore programs: ranges of arguments, and comparisons of expressions, which are computed exactly. What is not
 * understood is passed over: a bound without it holds too. */
#include <math.h>

#include "base/diag.h"
#include "budget/fpcore_parts.h"

/* What a node is that has no argument in it. */
static bool number_of(const met_straight_program *program, const met_straight_node *node, met_interval *ret)
{
    for (size_t i = 0; i < program->arg_count; i++)
        if (!node->slopes || node->slopes[i] != 0)
            return false;
    *ret = node->offset;
    return node->slopes != NULL;
}

/* lower <= upper. A comparison of an argument with a number narrows its range; any other is kept. */
static void add_comparison(met_fpcore_reader *r, uint32_t lower, uint32_t upper, met_span span)
{
    met_straight_program *program = r->program;
    const met_straight_node *a = &program->nodes.at[lower], *b = &program->nodes.at[upper];
    met_interval number;
    if (a->code == MET_STRAIGHT_ARG && number_of(program, b, &number)) {
        met_interval *range = &program->args[a->arg].range;
        range->hi = fmin(range->hi, number.hi);
    } else if (b->code == MET_STRAIGHT_ARG && number_of(program, a, &number)) {
        met_interval *range = &program->args[b->arg].range;
        range->lo = fmax(range->lo, number.lo);
    } else {
        uint32_t pair[2] = { upper, lower };
        met_straight_condition condition = { met_straight_add(program, MET_STRAIGHT_SUB, pair, r->format, span) };
        MET_PUSH(program->arena, &program->conditions, condition);
    }
}

/* (<= a b c …) */
static bool read_comparison(met_fpcore_reader *r, const met_sexpr *e, bool rises)
{
    uint32_t before = 0, node;
    for (size_t i = 1; i < e->count; i++, before = node) {
        if (!met_fpcore_expression(r, &e->items[i], &node))
            return false;
        if (i > 1)
            add_comparison(r, rises ? before : node, rises ? node : before, e->span);
    }
    return true;
}

bool met_fpcore_condition(met_fpcore_reader *r, const met_sexpr *e)
{
    if (met_sexpr_heads(e, "and")) {
        for (size_t i = 1; i < e->count; i++)
            if (!met_fpcore_condition(r, &e->items[i]))
                return false;
        return true;
    }
    if (met_sexpr_heads(e, "<=") || met_sexpr_heads(e, "<") || met_sexpr_heads(e, "==")) {
        if (!met_sexpr_heads(e, "=="))
            return read_comparison(r, e, true);
        return read_comparison(r, e, true) && read_comparison(r, e, false);
    }
    if (met_sexpr_heads(e, ">=") || met_sexpr_heads(e, ">"))
        return read_comparison(r, e, false);
    r->program->ignored += !met_sexpr_is(e, "TRUE");
    return true;
}
