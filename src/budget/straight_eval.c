#include "budget/straight_eval.h"

#include <math.h>

/* Half the distance between neighbours of the format at the numbers up to `largest`: what rounding them to nearest loses at
 * most. At a power of two, which is a number of the format, those below it count. */
static double half_place(const met_straight_format *format, double largest, bool exact_subnormals)
{
    int exponent;
    if (largest == 0)
        return 0;
    if (!(largest <= format->highest))
        return INFINITY;
    bool power = frexp(largest, &exponent) == 0.5;
    int place = exponent - format->bits - (power ? 1 : 0); /* of the last digit of the largest below */
    if (place <= format->least)
        return exact_subnormals ? 0 : ldexp(1, format->least > -1074 ? format->least - 1 : -1074);
    return ldexp(1, place - 1);
}

/* y/2 <= x <= 2y: their difference is a number of the format (Sterbenz 1974). */
static bool near_each_other(met_interval x, met_interval y)
{
    if (x.hi < 0 && y.hi < 0) {
        x = met_interval_neg(x);
        y = met_interval_neg(y);
    }
    return x.lo > 0 && y.lo > 0 && x.hi <= 2 * y.lo && y.hi <= 2 * x.lo;
}

static bool power_of_two(const met_straight_node *node)
{
    int exponent;
    return node->code == MET_STRAIGHT_CONST && fabs(frexp(node->exact.rounded, &exponent)) == 0.5;
}

static bool zero(const met_straight_node *node)
{
    return node->code == MET_STRAIGHT_CONST && node->exact.rounded == 0;
}

/* Whether rounding `value`, which the operation gives of these arguments, loses nothing, short of overflow. */
static bool is_exact(const met_straight_program *program, const met_straight_node *node, const met_straight_values *values,
                     met_interval value)
{
    const met_straight_node *x = &program->nodes.at[node->args[0]], *y = &program->nodes.at[node->args[1]];
    bool fits = x->format->bits <= node->format->bits;
    bool both = fits && y->format->bits <= node->format->bits;
    bool normal = met_interval_mignitude(value) >= ldexp(1, node->format->least + node->format->bits - 1);
    switch (node->code) {
    case MET_STRAIGHT_CAST:
        return fits;
    case MET_STRAIGHT_ADD:
    case MET_STRAIGHT_SUB: {
        met_interval other = values[node->args[1]].computed;
        if (node->code == MET_STRAIGHT_ADD)
            other = met_interval_neg(other);
        return both && (zero(x) || zero(y) || (x->format == y->format && near_each_other(values[node->args[0]].computed, other)));
    }
    case MET_STRAIGHT_MUL:
        return both && ((power_of_two(x) && (normal || fabs(x->exact.rounded) >= 1)) ||
                        (power_of_two(y) && (normal || fabs(y->exact.rounded) >= 1)));
    case MET_STRAIGHT_DIV:
        return both && power_of_two(y) && (normal || fabs(y->exact.rounded) <= 1);
    default:
        return false;
    }
}

/* δ of an operation whose exact result on the computed arguments is `value`. */
static met_interval slip_of(const met_straight_program *program, const met_straight_model *model, const met_straight_node *node,
                            const met_straight_values *values, met_interval value)
{
    const met_straight_op *op = &met_straight_ops[node->code];
    double largest = met_interval_magnitude(value);
    bool same = true;
    for (unsigned a = 0; a < op->arity; a++)
        same = same && program->nodes.at[node->args[a]].format->least >= node->format->least;
    double half = half_place(node->format, largest, op->rounding == MET_ROUNDING_SUM && same);
    if (op->rounding == MET_ROUNDING_LIBRARY)
        half = met_mul_up(2 * model->ulps, half);
    else if (isfinite(half) && ((op->rounding == MET_ROUNDING_EXACT && same) || is_exact(program, node, values, value)))
        half = 0;
    return (met_interval){ -half, half };
}

static met_interval up_to(double error)
{
    return (met_interval){ -error, error };
}

/* The exact values that conditions and sums of arguments leave. */
static met_interval narrowed(const met_straight_program *program, const met_straight_node *node, const met_interval *box,
                             met_interval value)
{
    if (!node->slopes)
        return value;
    met_interval sum = node->offset;
    for (size_t i = 0; i < program->arg_count; i++)
        if (node->slopes[i] != 0)
            sum = met_interval_add(sum, met_interval_mul(met_interval_point(node->slopes[i]), box[i]));
    return met_interval_meet(met_interval_meet(value, sum), node->within);
}

/* To nearest is monotonic: what is rounded lies between its ends rounded. Functions of a library need not be. */
static met_interval rounded(const met_straight_node *node, met_interval value, met_interval slip)
{
    if (met_straight_ops[node->code].rounding == MET_ROUNDING_LIBRARY)
        return met_interval_add(value, slip);
    if (node->format->bits == 53 || met_interval_magnitude(value) > node->format->highest)
        return value;
    return (met_interval){ (double)(float)value.lo, (double)(float)value.hi };
}

static void start(const met_straight_model *model, const met_straight_node *node, const met_interval *box, met_straight_values *v)
{
    v->exact = node->code == MET_STRAIGHT_ARG ? box[node->arg] : node->exact.real;
    v->slip = node->exact.slip;
    if (node->code == MET_STRAIGHT_ARG)
        v->slip = up_to(model->rounded_inputs ? half_place(node->format, met_interval_magnitude(v->exact), false) : 0);
    v->error = met_interval_magnitude(v->slip);
    v->near = met_interval_add(v->exact, met_interval_hull(v->slip, (met_interval){ 0, 0 }));
    v->computed = node->code == MET_STRAIGHT_CONST ? met_interval_point(node->exact.rounded)
                  : model->rounded_inputs          ? rounded(node, v->exact, v->slip)
                                                   : v->exact;
    v->jump = 0;
}

/* What the errors of the arguments make of it. A root near 0 has no slope, but |√a - √b| <= √|a - b|. */
static double inherited(const met_straight_node *node, const met_straight_values *values, met_straight_values *v)
{
    double error = 0;
    for (unsigned a = 0; a < met_straight_ops[node->code].arity; a++) {
        double of = values[node->args[a]].error;
        error = met_add_up(error, isinf(of) ? of : met_mul_up(met_interval_magnitude(v->slopes[a]), of));
    }
    v->jump = 0;
    if (node->code != MET_STRAIGHT_SQRT)
        return error;
    double jump = met_sqrt_up(values[node->args[0]].error);
    if (jump >= error)
        return error;
    v->slopes[0] = (met_interval){ 0, 0 };
    return v->jump = jump;
}

/* x·x is known to be no product of any two numbers of x's range. */
static met_interval value_of(const met_straight_node *node, const met_interval *args)
{
    if (node->code == MET_STRAIGHT_MUL && node->args[0] == node->args[1])
        return met_interval_square(args[0]);
    return met_straight_ops[node->code].value(args);
}

static void slopes_of(const met_straight_node *node, const met_interval *args, met_interval value, met_interval *ret)
{
    met_straight_ops[node->code].slopes(args, value, ret);
    if (node->code != MET_STRAIGHT_MUL || node->args[0] != node->args[1])
        return;
    ret[0] = met_interval_mul(met_interval_point(2), args[0]);
    ret[1] = met_interval_point(0);
}

static void forward(const met_straight_program *program, const met_straight_model *model, const met_interval *box, size_t i,
                    met_straight_values *values)
{
    const met_straight_node *node = &program->nodes.at[i];
    met_straight_values *v = &values[i];
    met_interval exact[MET_STRAIGHT_ARITY], near[MET_STRAIGHT_ARITY], computed[MET_STRAIGHT_ARITY];
    if (met_straight_ops[node->code].arity == 0) {
        start(model, node, box, v);
        return;
    }
    for (unsigned a = 0; a < met_straight_ops[node->code].arity; a++) {
        exact[a] = values[node->args[a]].exact;
        near[a] = values[node->args[a]].near;
        computed[a] = values[node->args[a]].computed;
    }
    met_interval value = value_of(node, near), before = value_of(node, computed);
    v->exact = narrowed(program, node, box, value_of(node, exact));
    v->slip = slip_of(program, model, node, values, before);
    slopes_of(node, near, value, v->slopes);
    v->error = met_add_up(inherited(node, values, v), v->slip.hi);
    met_interval around = met_interval_add(v->exact, up_to(v->error));
    v->near = met_interval_meet(met_interval_add(value, v->slip), around);
    v->computed = met_interval_meet(rounded(node, before, v->slip), around);
}

double met_straight_share(const met_straight_values *value)
{
    double slip = met_add_up(met_interval_magnitude(value->slip), value->jump);
    return met_mul_up(met_interval_magnitude(value->weight), slip);
}

/* Σ weight·δ from the result back to the arguments. What may overflow has no bound however little it weighs: infinity times 0
 * is no number. */
static double backward(const met_straight_program *program, met_straight_values *values)
{
    met_interval sum = { 0, 0 };
    bool overflows = false;
    for (size_t i = 0; i <= program->result; i++)
        values[i].weight = met_interval_point((values[i].reached = i == program->result) ? 1 : 0);
    for (size_t i = program->result + 1; i-- > 0;) {
        const met_straight_node *node = &program->nodes.at[i];
        met_straight_values *v = &values[i];
        if (!v->reached)
            continue;
        overflows = overflows || isinf(met_interval_magnitude(v->slip));
        met_interval slip = v->jump > 0 ? met_interval_add(v->slip, up_to(v->jump)) : v->slip;
        sum = met_interval_add(sum, met_interval_mul(v->weight, slip));
        for (unsigned a = 0; a < met_straight_ops[node->code].arity; a++) {
            met_straight_values *arg = &values[node->args[a]];
            arg->reached = true;
            arg->weight = met_interval_add(arg->weight, met_interval_mul(v->weight, v->slopes[a]));
        }
    }
    return overflows ? (double)INFINITY : met_interval_magnitude(sum);
}

met_straight_bounds met_straight_eval(const met_straight_program *program, const met_straight_model *model, const met_interval *box,
                                      met_straight_values *values)
{
    met_straight_bounds bounds = { .certain = true, .defined = true, .absolute = INFINITY, .relative = INFINITY };
    for (size_t i = 0; i < program->nodes.count; i++) {
        forward(program, model, box, i, values);
        if (i > program->result || program->nodes.at[i].code != MET_STRAIGHT_SQRT)
            continue;
        const met_straight_values *square = &values[program->nodes.at[i].args[0]];
        bounds.defined = bounds.defined && square->computed.lo >= 0;
        bounds.empty = bounds.empty || square->exact.hi < 0;
    }
    for (size_t c = 0; c < program->conditions.count; c++) {
        met_interval holds = values[program->conditions.at[c].node].exact;
        bounds.empty = bounds.empty || holds.hi < 0;
        bounds.certain = bounds.certain && holds.lo >= 0;
    }
    if (bounds.empty)
        return bounds;
    bounds.result = values[program->result].exact;
    bounds.absolute = fmin(values[program->result].error, backward(program, values));
    double least = met_interval_mignitude(bounds.result);
    if (least > 0)
        bounds.relative = met_div_up(bounds.absolute, least);
    return bounds;
}
