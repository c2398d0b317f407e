#include "ir/scalar.h"

#include <math.h>

const met_scalar_fn_info met_scalar_fn_table[MET_FN_COUNT] = {
#define MET_SCALAR_FN(name, spelling, arity) [MET_FN_##name] = { spelling, arity },
#include "ir/scalar.def"
#undef MET_SCALAR_FN
};

static met_scalar *new_scalar(met_arena *arena, met_scalar_kind kind)
{
    met_scalar *scalar = MET_NEW(arena, met_scalar);
    scalar->kind = kind;
    return scalar;
}

const met_scalar *met_scalar_number(met_arena *arena, double number)
{
    met_scalar *scalar = new_scalar(arena, MET_SCALAR_NUMBER);
    scalar->number = number;
    return scalar;
}

const met_scalar *met_scalar_input(met_arena *arena, uint32_t input)
{
    met_scalar *scalar = new_scalar(arena, MET_SCALAR_INPUT);
    scalar->input = input;
    return scalar;
}

const met_scalar *met_scalar_index(met_arena *arena, uint32_t index)
{
    met_scalar *scalar = new_scalar(arena, MET_SCALAR_INDEX);
    scalar->index = index;
    return scalar;
}

const met_scalar *met_scalar_size(met_arena *arena, const met_dim *size)
{
    uint64_t n;
    if (met_dim_is_constant(size, &n) && n <= (uint64_t)1 << 53)
        return met_scalar_number(arena, (double)n);
    met_scalar *scalar = new_scalar(arena, MET_SCALAR_SIZE);
    scalar->size = size;
    return scalar;
}

const met_scalar *met_scalar_call(met_arena *arena, met_scalar_fn fn, const met_scalar *a, const met_scalar *b,
                                  const met_scalar *c)
{
    met_scalar *scalar = new_scalar(arena, MET_SCALAR_CALL);
    scalar->fn = fn;
    scalar->arguments[0] = a;
    scalar->arguments[1] = b;
    scalar->arguments[2] = c;
    return scalar;
}

bool met_scalar_equal(const met_scalar *a, const met_scalar *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case MET_SCALAR_NUMBER:
        return a->number == b->number || (isnan(a->number) && isnan(b->number));
    case MET_SCALAR_INPUT:
        return a->input == b->input;
    case MET_SCALAR_INDEX:
        return a->index == b->index;
    case MET_SCALAR_SIZE:
        return met_dim_equal(a->size, b->size);
    case MET_SCALAR_CALL:
        break;
    }
    bool same = a->fn == b->fn;
    for (int i = 0; i < 3 && same; i++)
        same = met_scalar_equal(a->arguments[i], b->arguments[i]);
    return same;
}

bool met_scalar_reads(const met_scalar *scalar, uint32_t input)
{
    if (!scalar || scalar->kind != MET_SCALAR_CALL)
        return scalar && scalar->kind == MET_SCALAR_INPUT && scalar->input == input;
    return met_scalar_reads(scalar->arguments[0], input) || met_scalar_reads(scalar->arguments[1], input) ||
           met_scalar_reads(scalar->arguments[2], input);
}

bool met_scalar_reads_any(const met_scalar *scalar)
{
    if (!scalar || scalar->kind != MET_SCALAR_CALL)
        return scalar && scalar->kind == MET_SCALAR_INPUT;
    return met_scalar_reads_any(scalar->arguments[0]) || met_scalar_reads_any(scalar->arguments[1]) ||
           met_scalar_reads_any(scalar->arguments[2]);
}

const met_scalar *met_scalar_rename(met_arena *arena, const met_scalar *scalar, const uint32_t *to)
{
    if (!scalar || (scalar->kind != MET_SCALAR_INPUT && scalar->kind != MET_SCALAR_CALL))
        return scalar;
    if (scalar->kind == MET_SCALAR_INPUT)
        return met_scalar_input(arena, to[scalar->input]);
    return met_scalar_call(arena, scalar->fn, met_scalar_rename(arena, scalar->arguments[0], to),
                           met_scalar_rename(arena, scalar->arguments[1], to),
                           met_scalar_rename(arena, scalar->arguments[2], to));
}

bool met_scalar_fn_find(met_str spelling, met_scalar_fn *ret_fn)
{
    for (int i = 0; i < MET_FN_COUNT; i++) {
        if (met_str_is(spelling, met_scalar_fn_table[i].spelling)) {
            *ret_fn = (met_scalar_fn)i;
            return true;
        }
    }
    return false;
}

/* IEEE 754-2019 maximum and minimum: a NaN wins, +0 is above -0. */
static double maximum(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static double minimum(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static double scaled(double a, double b)
{
    if (isnan(b) || isinf(b))
        return a * (b > 0 ? INFINITY : b < 0 ? 0 : b);
    return ldexp(a, b > 100000 ? 100000 : b < -100000 ? -100000 : (int)floor(b));
}

double met_scalar_fn_apply(met_scalar_fn fn, double a, double b, double c)
{
    switch (fn) {
    case MET_FN_add: return a + b;
    case MET_FN_sub: return a - b;
    case MET_FN_mul: return a * b;
    case MET_FN_div: return a / b;
    case MET_FN_pow: return pow(a, b);
    case MET_FN_lt: return a < b;
    case MET_FN_le: return a <= b;
    case MET_FN_gt: return a > b;
    case MET_FN_ge: return a >= b;
    case MET_FN_eq: return a == b;
    case MET_FN_ne: return a != b;
    case MET_FN_and: return a != 0 && b != 0;
    case MET_FN_or: return a != 0 || b != 0;
    case MET_FN_neg: return -a;
    case MET_FN_not: return a == 0;
    case MET_FN_abs: return fabs(a);
    case MET_FN_exp:
    case MET_FN_expp: return exp(a);
    case MET_FN_exp2:
    case MET_FN_exp2p: return exp2(a);
    case MET_FN_log: return log(a);
    case MET_FN_log2: return log2(a);
    case MET_FN_sqrt: return sqrt(a);
    case MET_FN_rsqrt: return 1 / sqrt(a);
    case MET_FN_recip: return 1 / a;
    case MET_FN_sin: return sin(a);
    case MET_FN_cos: return cos(a);
    case MET_FN_tanh:
    case MET_FN_tanhp: return tanh(a);
    case MET_FN_erf:
    case MET_FN_erfp: return erf(a);
    case MET_FN_sigmoid: return 1 / (1 + exp(-a));
    case MET_FN_floor: return floor(a);
    case MET_FN_rint: return rint(a);
    case MET_FN_max: return maximum(a, b);
    case MET_FN_min: return minimum(a, b);
    case MET_FN_ldexp: return scaled(a, b);
    case MET_FN_fma: return fma(a, b, c);
    case MET_FN_select: return a != 0 ? b : c;
    case MET_FN_COUNT: break;
    }
    return NAN;
}

bool met_scalar_constant(const met_scalar *scalar, double *ret_value)
{
    uint64_t n;
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        *ret_value = scalar->number;
        return true;
    case MET_SCALAR_SIZE:
        if (!met_dim_is_constant(scalar->size, &n))
            return false;
        *ret_value = (double)n;
        return true;
    case MET_SCALAR_INPUT:
    case MET_SCALAR_INDEX:
        return false;
    case MET_SCALAR_CALL:
        break;
    }
    double value[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; i++)
        if (scalar->arguments[i] && !met_scalar_constant(scalar->arguments[i], &value[i]))
            return false;
    *ret_value = met_scalar_fn_apply(scalar->fn, value[0], value[1], value[2]);
    return true;
}

static bool counts_as_flop(met_scalar_fn fn)
{
    return fn != MET_FN_select && !(fn >= MET_FN_lt && fn <= MET_FN_or) && fn != MET_FN_not;
}

uint64_t met_scalar_flops(const met_scalar *scalar)
{
    double unused;
    if (scalar->kind != MET_SCALAR_CALL || met_scalar_constant(scalar, &unused))
        return 0;
    uint64_t flops = counts_as_flop(scalar->fn) ? scalar->fn == MET_FN_fma ? 2 : 1 : 0;
    for (int i = 0; i < 3; i++)
        if (scalar->arguments[i])
            flops += met_scalar_flops(scalar->arguments[i]);
    return flops;
}

/* Binding strength of what a formula prints as; the language's ladder. */
static int strength(const met_scalar *scalar)
{
    if (scalar->kind == MET_SCALAR_NUMBER)
        return signbit(scalar->number) ? 7 : 9;
    if (scalar->kind != MET_SCALAR_CALL)
        return 9;
    switch (scalar->fn) {
    case MET_FN_or: return 2;
    case MET_FN_and: return 3;
    case MET_FN_lt: case MET_FN_le: case MET_FN_gt: case MET_FN_ge: case MET_FN_eq: case MET_FN_ne: return 4;
    case MET_FN_add: case MET_FN_sub: return 5;
    case MET_FN_mul: case MET_FN_div: return 6;
    case MET_FN_neg: return 7;
    case MET_FN_pow: return 8;
    default: return 9;
    }
}

static void print_at(met_text *out, const met_scalar *scalar, const met_scalar_names *names, int least)
{
    bool wrap = strength(scalar) < least;
    if (wrap)
        met_text_char(out, '(');
    met_scalar_print(out, scalar, names);
    if (wrap)
        met_text_char(out, ')');
}

static void print_call(met_text *out, const met_scalar *scalar, const met_scalar_names *names)
{
    const met_scalar_fn_info *info = &met_scalar_fn_table[scalar->fn];
    int own = strength(scalar);
    bool literal = scalar->arguments[0]->kind == MET_SCALAR_NUMBER;
    if (scalar->fn == MET_FN_neg && !literal) { /* -5 is a number */
        met_text_char(out, '-');
        print_at(out, scalar->arguments[0], names, own);
    } else if (own < 9 && scalar->fn != MET_FN_neg) {
        bool spaced = own <= 5;
        print_at(out, scalar->arguments[0], names, own == 4 || own == 8 ? own + 1 : own);
        met_text_put(out, spaced ? " " : "");
        met_text_put(out, info->spelling);
        met_text_put(out, spaced ? " " : "");
        /* -5 needs no parentheses after ^, where the grammar takes a signed exponent. */
        print_at(out, scalar->arguments[1], names, own == 8 ? 7 : own + 1);
    } else {
        met_text_format(out, "%s(", info->spelling);
        for (int i = 0; i < info->arity; i++) {
            met_text_put(out, i ? ", " : "");
            print_at(out, scalar->arguments[i], names, 0);
        }
        met_text_char(out, ')');
    }
}

void met_scalar_size_print(met_text *out, const met_dim *size, const met_scalar_names *names)
{
    met_size symbol;
    bool plain = met_dim_is_symbol(size, &symbol) && !names->taken(names->context, names->size(names->context, symbol));
    met_text_put(out, plain ? "" : "size(");
    met_dim_print(out, size, names->size, names->context);
    met_text_put(out, plain ? "" : ")");
}

void met_scalar_print(met_text *out, const met_scalar *scalar, const met_scalar_names *names)
{
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        met_text_double(out, scalar->number);
        break;
    case MET_SCALAR_INPUT:
        if (names->input)
            names->input(names->context, out, scalar->input);
        else
            met_text_char(out, (char)('a' + scalar->input % 26));
        break;
    case MET_SCALAR_INDEX:
        met_text_put(out, "i_");
        met_text_str(out, names->index(names->context, scalar->index));
        break;
    case MET_SCALAR_SIZE:
        met_scalar_size_print(out, scalar->size, names);
        break;
    case MET_SCALAR_CALL:
        print_call(out, scalar, names);
        break;
    }
}
