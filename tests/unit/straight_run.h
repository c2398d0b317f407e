/* Running straight-line programs: as a machine does, and in MPFR with many digits. */
#ifndef MET_TEST_STRAIGHT_RUN_H
#define MET_TEST_STRAIGHT_RUN_H

#include <math.h>
#include <mpfr.h>

#include "cases.h"

#include "budget/fpcore.h"

enum { RUN_BITS = 400 };

typedef struct run_function {
    const char *name;
    unsigned arity;
    double (*f64)(double);
    float (*f32)(float);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
} run_function;

static const run_function run_functions[] = {
    { "sqrt", 1, sqrt, sqrtf, mpfr_sqrt },    { "exp", 1, exp, expf, mpfr_exp },       { "exp2", 1, exp2, exp2f, mpfr_exp2 },
    { "expm1", 1, expm1, expm1f, mpfr_expm1 }, { "log", 1, log, logf, mpfr_log },       { "log2", 1, log2, log2f, mpfr_log2 },
    { "log10", 1, log10, log10f, mpfr_log10 }, { "log1p", 1, log1p, log1pf, mpfr_log1p }, { "sin", 1, sin, sinf, mpfr_sin },
    { "cos", 1, cos, cosf, mpfr_cos },        { "tan", 1, tan, tanf, mpfr_tan },       { "asin", 1, asin, asinf, mpfr_asin },
    { "acos", 1, acos, acosf, mpfr_acos },    { "atan", 1, atan, atanf, mpfr_atan },   { "cbrt", 1, cbrt, cbrtf, mpfr_cbrt },
    { "sinh", 1, sinh, sinhf, mpfr_sinh },    { "cosh", 1, cosh, coshf, mpfr_cosh },   { "tanh", 1, tanh, tanhf, mpfr_tanh },
    { "fabs", 1, fabs, fabsf, mpfr_abs },
};

static inline const run_function *run_function_of(const char *name, unsigned arity)
{
    for (size_t i = 0; i < sizeof run_functions / sizeof *run_functions; i++)
        if (strcmp(run_functions[i].name, name) == 0 && run_functions[i].arity == arity)
            return &run_functions[i];
    return NULL;
}

static inline double run_narrow(const met_straight_node *node, double value)
{
    return node->format->bits == 24 ? (double)(float)value : value;
}

/* Sums, products, quotients and roots of floats are the same computed in double and rounded (Figueroa 1995); fma is not. */
static inline double run_binary(const met_straight_node *node, const char *name, const double *a)
{
    bool narrow = node->format->bits == 24;
    switch (*name) {
    case '+': return a[0] + a[1];
    case '-': return met_straight_ops[node->code].arity == 1 ? -a[0] : a[0] - a[1];
    case '*': return a[0] * a[1];
    case '/': return a[0] / a[1];
    case 'p': return narrow ? (double)powf((float)a[0], (float)a[1]) : pow(a[0], a[1]);
    case 'h': return narrow ? (double)hypotf((float)a[0], (float)a[1]) : hypot(a[0], a[1]);
    case 'c': return a[0];
    default:
        if (strcmp(name, "fma") == 0)
            return narrow ? (double)fmaf((float)a[0], (float)a[1], (float)a[2]) : fma(a[0], a[1], a[2]);
        return strcmp(name, "fmin") == 0 ? fmin(a[0], a[1]) : fmax(a[0], a[1]);
    }
}

/* Every node's value as computed. */
static inline void run_machine(const met_straight_program *program, const double *args, double *values)
{
    for (size_t i = 0; i < program->nodes.count; i++) {
        const met_straight_node *node = &program->nodes.at[i];
        const met_straight_op *op = &met_straight_ops[node->code];
        const run_function *function = run_function_of(op->name, op->arity);
        double a[MET_STRAIGHT_ARITY] = { 0 };
        for (unsigned k = 0; k < op->arity; k++)
            a[k] = values[node->args[k]];
        if (node->code == MET_STRAIGHT_ARG)
            values[i] = args[node->arg];
        else if (node->code == MET_STRAIGHT_CONST)
            values[i] = node->exact.rounded;
        else if (function)
            values[i] = node->format->bits == 24 ? (double)function->f32((float)a[0]) : function->f64(a[0]);
        else
            values[i] = run_narrow(node, run_binary(node, op->name, a));
    }
}

/* A number as a program writes it. */
static inline void run_constant(mpfr_t ret, const met_source *source, const met_straight_node *node)
{
    char text[128] = { 0 };
    uint32_t length = node->span.end - node->span.begin;
    assert_true(length < sizeof text);
    memcpy(text, source->text.at + node->span.begin, length);
    char *slash = strchr(text, '/');
    if (strcmp(text, "PI") == 0) {
        mpfr_const_pi(ret, MPFR_RNDN);
        return;
    }
    if (slash)
        *slash = '\0';
    assert_int_equal(mpfr_set_str(ret, text, 10, MPFR_RNDN), 0);
    if (slash) {
        mpfr_t below;
        mpfr_init2(below, RUN_BITS);
        assert_int_equal(mpfr_set_str(below, slash + 1, 10, MPFR_RNDN), 0);
        mpfr_div(ret, ret, below, MPFR_RNDN);
        mpfr_clear(below);
    }
}

static inline void run_exact_binary(mpfr_t ret, const met_straight_op *op, mpfr_t *a)
{
    switch (*op->name) {
    case '+': mpfr_add(ret, a[0], a[1], MPFR_RNDN); break;
    case '-': op->arity == 1 ? mpfr_neg(ret, a[0], MPFR_RNDN) : mpfr_sub(ret, a[0], a[1], MPFR_RNDN); break;
    case '*': mpfr_mul(ret, a[0], a[1], MPFR_RNDN); break;
    case '/': mpfr_div(ret, a[0], a[1], MPFR_RNDN); break;
    case 'p': mpfr_pow(ret, a[0], a[1], MPFR_RNDN); break;
    case 'h': mpfr_hypot(ret, a[0], a[1], MPFR_RNDN); break;
    case 'c': mpfr_set(ret, a[0], MPFR_RNDN); break;
    default:
        if (strcmp(op->name, "fma") == 0)
            mpfr_fma(ret, a[0], a[1], a[2], MPFR_RNDN);
        else
            strcmp(op->name, "fmin") == 0 ? mpfr_min(ret, a[0], a[1], MPFR_RNDN) : mpfr_max(ret, a[0], a[1], MPFR_RNDN);
    }
}

/* Every node's value in real arithmetic; `values` are initialized with RUN_BITS. */
static inline void run_exact(const met_straight_program *program, const met_source *source, const double *args, mpfr_t *values)
{
    mpfr_t a[MET_STRAIGHT_ARITY];
    for (size_t k = 0; k < MET_STRAIGHT_ARITY; k++)
        mpfr_init2(a[k], RUN_BITS);
    for (size_t i = 0; i < program->nodes.count; i++) {
        const met_straight_node *node = &program->nodes.at[i];
        const met_straight_op *op = &met_straight_ops[node->code];
        const run_function *function = run_function_of(op->name, op->arity);
        for (unsigned k = 0; k < op->arity; k++)
            mpfr_set(a[k], values[node->args[k]], MPFR_RNDN);
        if (node->code == MET_STRAIGHT_ARG)
            mpfr_set_d(values[i], args[node->arg], MPFR_RNDN);
        else if (node->code == MET_STRAIGHT_CONST)
            run_constant(values[i], source, node);
        else if (function)
            function->exact(values[i], a[0], MPFR_RNDN);
        else
            run_exact_binary(values[i], op, a);
    }
    for (size_t k = 0; k < MET_STRAIGHT_ARITY; k++)
        mpfr_clear(a[k]);
}

/* |computed - exact| of the result, and relative to the exact one; -1 where a condition does not hold or either is no number. */
static inline double run_error(const met_straight_program *program, const met_source *source, const double *args, double *machine,
                               mpfr_t *exact, double *ret_relative)
{
    run_machine(program, args, machine);
    run_exact(program, source, args, exact);
    *ret_relative = -1;
    for (size_t c = 0; c < program->conditions.count; c++)
        if (mpfr_sgn(exact[program->conditions.at[c].node]) < 0)
            return -1;
    if (!isfinite(machine[program->result]) || !mpfr_number_p(exact[program->result]))
        return -1;
    mpfr_t error;
    mpfr_init2(error, RUN_BITS);
    mpfr_sub_d(error, exact[program->result], machine[program->result], MPFR_RNDN);
    double absolute = fabs(mpfr_get_d(error, MPFR_RNDZ)); /* towards zero: never said to be larger than it is */
    if (!mpfr_zero_p(exact[program->result])) {
        mpfr_div(error, error, exact[program->result], MPFR_RNDN);
        *ret_relative = fabs(mpfr_get_d(error, MPFR_RNDZ));
    }
    mpfr_clear(error);
    return absolute;
}

#endif
