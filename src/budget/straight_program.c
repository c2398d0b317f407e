#include "budget/straight_program.h"

#include <float.h>
#include <math.h>
#include <string.h>

const met_straight_format met_straight_formats[2] = {
    { "binary64", 53, -1074, DBL_MAX },
    { "binary32", 24, -149, FLT_MAX },
};

const met_straight_format *met_straight_format_find(met_str name)
{
    for (size_t i = 0; i < 2; i++)
        if (met_str_is(name, met_straight_formats[i].name))
            return &met_straight_formats[i];
    return NULL;
}

met_straight_program *met_straight_program_new(met_arena *arena, size_t arg_count, met_straight_arg *args,
                                               const met_straight_format *format)
{
    met_straight_program *program = MET_NEW(arena, met_straight_program);
    *program = (met_straight_program){ .arena = arena, .format = format, .arg_count = arg_count, .args = args };
    program->known = met_map_new(arena);
    for (size_t i = 0; i < arg_count; i++) {
        double *slopes = MET_NEW_ARRAY(arena, double, arg_count);
        slopes[i] = 1;
        met_straight_node node = { .code = MET_STRAIGHT_ARG, .arg = (uint32_t)i, .format = format, .span = args[i].span,
                                   .within = met_interval_whole(), .slopes = slopes };
        MET_PUSH(arena, &program->nodes, node);
    }
    return program;
}

bool met_straight_full(const met_straight_program *program)
{
    return program->nodes.count >= MET_STRAIGHT_NODES;
}

/* --- Sums of arguments --- */

/* a·x + b·y of two nodes that are sums of arguments, if the slopes are exact in double. */
static void combine(const met_straight_program *program, met_straight_node *node, met_interval a, const met_straight_node *x,
                    met_interval b, const met_straight_node *y)
{
    double *slopes = MET_NEW_ARRAY(program->arena, double, program->arg_count);
    for (size_t i = 0; i < program->arg_count; i++) {
        met_interval slope = met_interval_add(met_interval_mul(a, met_interval_point(x->slopes[i])),
                                              met_interval_mul(b, met_interval_point(y->slopes[i])));
        if (slope.lo != slope.hi || isinf(slope.lo))
            return;
        slopes[i] = slope.lo;
    }
    node->slopes = slopes;
    node->offset = met_interval_add(met_interval_mul(a, x->offset), met_interval_mul(b, y->offset));
}

static bool is_point(const met_straight_node *node)
{
    return node->code == MET_STRAIGHT_CONST && node->exact.real.lo == node->exact.real.hi;
}

static void find_slopes(const met_straight_program *program, met_straight_node *node)
{
    static const met_interval zero = { 0, 0 }, one = { 1, 1 }, minus = { -1, -1 };
    const met_straight_node *x = &program->nodes.at[node->args[0]], *y = &program->nodes.at[node->args[1]];
    if (node->code == MET_STRAIGHT_CONST) {
        node->slopes = MET_NEW_ARRAY(program->arena, double, program->arg_count);
        node->offset = node->exact.real;
    } else if (!x->slopes || (met_straight_ops[node->code].arity > 1 && !y->slopes)) {
        return;
    } else if (node->code == MET_STRAIGHT_NEG || node->code == MET_STRAIGHT_CAST) {
        combine(program, node, node->code == MET_STRAIGHT_NEG ? minus : one, x, zero, x);
    } else if (node->code == MET_STRAIGHT_ADD || node->code == MET_STRAIGHT_SUB) {
        combine(program, node, one, x, node->code == MET_STRAIGHT_SUB ? minus : one, y);
    } else if (node->code == MET_STRAIGHT_MUL && (is_point(x) || is_point(y))) {
        combine(program, node, is_point(x) ? x->exact.real : y->exact.real, is_point(x) ? y : x, zero, x);
    } else if (node->code == MET_STRAIGHT_DIV && is_point(y) && y->exact.real.lo != 0) {
        combine(program, node, met_interval_div(one, y->exact.real), x, zero, x);
    }
}

/* --- Nodes --- */

static uint32_t push(met_straight_program *program, met_straight_node node, const void *key, size_t length)
{
    uint32_t id;
    met_str bytes = { key, length };
    if (met_map_get(program->known, bytes, &id))
        return id;
    if (met_straight_full(program))
        return (uint32_t)program->nodes.count - 1;
    node.within = met_interval_whole();
    find_slopes(program, &node);
    MET_PUSH(program->arena, &program->nodes, node);
    id = (uint32_t)program->nodes.count - 1;
    met_map_set(program->known, bytes, id);
    return id;
}

static uint32_t format_number(const met_straight_format *format)
{
    return (uint32_t)(format - met_straight_formats);
}

uint32_t met_straight_add(met_straight_program *program, unsigned code, const uint32_t *args, const met_straight_format *format,
                          met_span span)
{
    met_straight_node node = { .code = code, .format = format, .span = span };
    memcpy(node.args, args, met_straight_ops[code].arity * sizeof *args);
    uint32_t key[] = { code, format_number(format), node.args[0], node.args[1], node.args[2] };
    return push(program, node, key, sizeof key);
}

uint32_t met_straight_add_exact(met_straight_program *program, met_exact exact, const met_straight_format *format, met_span span)
{
    met_straight_node node = { .code = MET_STRAIGHT_CONST, .format = format, .span = span, .exact = exact };
    double key[] = { exact.rounded, exact.slip.lo, exact.slip.hi, format_number(format) };
    return push(program, node, key, sizeof key);
}

/* --- What conditions say of sums --- */

/* The factor by which a's slopes are b's, or 0. */
static double ratio_of(const met_straight_program *program, const double *a, const double *b)
{
    met_interval ratio = { 0, 0 };
    for (size_t i = 0; i < program->arg_count; i++) {
        if ((a[i] == 0) != (b[i] == 0))
            return 0;
        if (a[i] == 0)
            continue;
        met_interval here = met_interval_div(met_interval_point(a[i]), met_interval_point(b[i]));
        if (here.lo != here.hi || (ratio.lo != 0 && here.lo != ratio.lo))
            return 0;
        ratio = here;
    }
    return ratio.lo;
}

/* condition >= 0 and node = ratio · condition + (node's offset - ratio · condition's offset). */
static void limit(const met_straight_program *program, met_straight_node *node, const met_straight_node *condition)
{
    double ratio = ratio_of(program, node->slopes, condition->slopes);
    if (ratio == 0)
        return;
    met_interval rest = met_interval_sub(node->offset, met_interval_mul(met_interval_point(ratio), condition->offset));
    if (ratio > 0)
        node->within.lo = fmax(node->within.lo, rest.lo);
    else
        node->within.hi = fmin(node->within.hi, rest.hi);
}

void met_straight_settle(met_straight_program *program)
{
    for (size_t c = 0; c < program->conditions.count; c++) {
        const met_straight_node *condition = &program->nodes.at[program->conditions.at[c].node];
        for (size_t i = 0; condition->slopes && i < program->nodes.count; i++)
            if (program->nodes.at[i].slopes)
                limit(program, &program->nodes.at[i], condition);
    }
}
