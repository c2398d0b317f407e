#include <math.h>

#include "eval/run.h"
#include "number/exp2.h"
#include "number/function.h"

typedef struct instr {
    met_scalar_kind kind;
    met_scalar_fn fn;
    double number;
    uint32_t which; /* input or index */
} instr;

struct met_program {
    size_t count, room;
    instr *at;
    size_t depth;   /* strips in use at most */
    double *stack;  /* depth strips */
    bool wide;
    const met_run *run;
    met_arena *arena;
};

static void push(met_program *program, instr in)
{
    program->at = met_vec_grow(program->arena, program->at, program->count, &program->room, sizeof *program->at);
    program->at[program->count++] = in;
}

static double narrow(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

/* Arguments before the function; `below` strips are in use already. */
static void compile(met_program *program, const met_scalar *e, size_t below)
{
    instr in = { .kind = e->kind, .fn = e->fn };
    if (below + 1 > program->depth)
        program->depth = below + 1;
    if (e->kind == MET_SCALAR_CALL) {
        for (int k = 0; k < met_scalar_fn_table[e->fn].arity; k++)
            compile(program, e->arguments[k], below + (size_t)k);
    } else if (e->kind == MET_SCALAR_INPUT) {
        in.which = e->input;
    } else if (e->kind == MET_SCALAR_INDEX) {
        in.which = e->index;
    } else if (e->kind == MET_SCALAR_NUMBER) {
        in.number = narrow(program->wide, e->number);
    } else {
        in.kind = MET_SCALAR_NUMBER;
        in.number = narrow(program->wide, (double)met_run_dim(program->run, e->size));
    }
    push(program, in);
}

met_program *met_program_new(const met_loop *loop, const met_scalar *e)
{
    met_program *program = MET_NEW(loop->run->arena, met_program);
    program->arena = loop->run->arena;
    program->run = loop->run;
    program->wide = loop->run->wide;
    compile(program, e, 0);
    program->stack = MET_NEW_ARRAY(program->arena, double, program->depth * MET_STRIP);
    return program;
}

/* What the reader finds along the strip; 0 outside of its array. */
static void load(const met_loop *loop, const met_reader *reader, int64_t lo, int64_t hi, double *to)
{
    met_strip inside = { .lo = lo, .hi = hi };
    met_strip_inside(loop, reader, &inside);
    int64_t offset = met_linear_at(loop, &reader->offset), step = met_linear_step(loop, &reader->offset);
    for (int64_t t = lo; t < hi; t++) {
        double value = t >= inside.lo && t < inside.hi ? reader->values[reader->shift + offset + step * t] : 0;
        to[t - lo] = reader->round ? (double)(float)value : value;
    }
}

static void indices(const met_loop *loop, uint32_t index, int64_t lo, int64_t hi, bool wide, double *to)
{
    int64_t begin = loop->counter[index], step = index == loop->strip;
    for (int64_t t = lo; t < hi; t++)
        to[t - lo] = narrow(wide, (double)(begin + step * t));
}

/* One function in f32 arithmetic: the f64 function rounded once. For + - * / and sqrt that is the correctly rounded f32
 * operation, since a double has more than twice as many bits. fma and rsqrt need more care, the polynomials have their own bits. */
static double apply_f32(met_scalar_fn fn, double a, double b, double c)
{
    switch (fn) {
    case MET_FN_fma:
        return (double)fmaf((float)a, (float)b, (float)c);
    case MET_FN_rsqrt:
        return (double)(1.0F / sqrtf((float)a));
    case MET_FN_exp2p:
        return (double)met_exp2_poly((float)a);
    case MET_FN_expp:
        return (double)met_expp((float)a);
    case MET_FN_tanhp:
        return (double)met_tanhp((float)a);
    case MET_FN_erfp:
        return (double)met_erfp((float)a);
    default:
        return (double)(float)met_scalar_fn_apply(fn, a, b, c);
    }
}

double met_run_apply(bool wide, met_scalar_fn fn, double a, double b, double c)
{
    return wide ? met_scalar_fn_apply(fn, a, b, c) : apply_f32(fn, a, b, c);
}

#define STRIP_LOOP(expression)          \
    for (int64_t t = 0; t < count; t++) \
        a[t] = narrow(wide, expression)

static void call(met_scalar_fn fn, bool wide, int64_t count, double *a)
{
    int arity = met_scalar_fn_table[fn].arity;
    const double *b = arity > 1 ? a + MET_STRIP : a, *c = arity > 2 ? b + MET_STRIP : a;
    switch (fn) {
    case MET_FN_add:
        STRIP_LOOP(a[t] + b[t]);
        return;
    case MET_FN_sub:
        STRIP_LOOP(a[t] - b[t]);
        return;
    case MET_FN_mul:
        STRIP_LOOP(a[t] * b[t]);
        return;
    case MET_FN_div:
        STRIP_LOOP(a[t] / b[t]);
        return;
    default:
        break;
    }
    for (int64_t t = 0; t < count; t++) {
        a[t] = met_run_apply(wide, fn, a[t], b[t], c[t]);
    }
}

const double *met_program_run(met_program *program, const met_loop *loop, int64_t lo, int64_t hi)
{
    double *top = program->stack; /* the next free strip */
    for (size_t k = 0; k < program->count; k++) {
        const instr *in = &program->at[k];
        switch (in->kind) {
        case MET_SCALAR_INPUT:
            load(loop, &loop->in[in->which], lo, hi, top);
            break;
        case MET_SCALAR_INDEX:
            indices(loop, in->which, lo, hi, program->wide, top);
            break;
        case MET_SCALAR_NUMBER:
        case MET_SCALAR_SIZE:
            for (int64_t t = 0; t < hi - lo; t++)
                top[t] = in->number;
            break;
        case MET_SCALAR_CALL:
            top -= met_scalar_fn_table[in->fn].arity * MET_STRIP;
            call(in->fn, program->wide, hi - lo, top);
            break;
        }
        top += MET_STRIP;
    }
    return program->stack;
}
