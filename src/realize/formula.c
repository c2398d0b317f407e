#include "realize/formula.h"

#include <assert.h>

/* $0, $1 and $2 stand for the arguments. In float the basic operations are C's; functions of the class headers have the
 * bits of the interpreter; any other is the double function of the C library, rounded once. */
#define DOUBLE(name) "(float)" name "((double)$0)"

static const char *const functions[MET_FN_COUNT] = {
    [MET_FN_add] = "($0 + $1)",
    [MET_FN_sub] = "($0 - $1)",
    [MET_FN_mul] = "($0 * $1)",
    [MET_FN_div] = "($0 / $1)",
    [MET_FN_pow] = "(float)pow((double)$0, (double)$1)",
    [MET_FN_lt] = "($0 < $1 ? 1.0f : 0.0f)",
    [MET_FN_le] = "($0 <= $1 ? 1.0f : 0.0f)",
    [MET_FN_gt] = "($0 > $1 ? 1.0f : 0.0f)",
    [MET_FN_ge] = "($0 >= $1 ? 1.0f : 0.0f)",
    [MET_FN_eq] = "($0 == $1 ? 1.0f : 0.0f)",
    [MET_FN_ne] = "($0 != $1 ? 1.0f : 0.0f)",
    [MET_FN_and] = "($0 != 0.0f && $1 != 0.0f ? 1.0f : 0.0f)",
    [MET_FN_or] = "($0 != 0.0f || $1 != 0.0f ? 1.0f : 0.0f)",
    [MET_FN_neg] = "(-$0)",
    [MET_FN_not] = "($0 == 0.0f ? 1.0f : 0.0f)",
    [MET_FN_abs] = "fabsf($0)",
    [MET_FN_exp] = DOUBLE("exp"),
    [MET_FN_exp2] = DOUBLE("exp2"),
    [MET_FN_exp2p] = "value_exp2p($0)",
    [MET_FN_expp] = "value_expp($0)",
    [MET_FN_log] = DOUBLE("log"),
    [MET_FN_log2] = DOUBLE("log2"),
    [MET_FN_sqrt] = "sqrtf($0)",
    [MET_FN_rsqrt] = "(1.0f / sqrtf($0))",
    [MET_FN_recip] = "(1.0f / $0)",
    [MET_FN_sin] = DOUBLE("sin"),
    [MET_FN_cos] = DOUBLE("cos"),
    [MET_FN_tanh] = DOUBLE("tanh"),
    [MET_FN_tanhp] = "value_tanhp($0)",
    [MET_FN_erf] = DOUBLE("erf"),
    [MET_FN_erfp] = "value_erfp($0)",
    [MET_FN_sigmoid] = "(float)(1.0 / (1.0 + exp(-(double)$0)))",
    [MET_FN_floor] = "floorf($0)",
    [MET_FN_rint] = "rintf($0)",
    [MET_FN_max] = "value_max($0, $1)",
    [MET_FN_min] = "value_min($0, $1)",
    [MET_FN_ldexp] = "value_scale($0, $1)",
    [MET_FN_fma] = "fmaf($0, $1, $2)",
    [MET_FN_select] = "($0 != 0.0f ? $1 : $2)",
};

/* On lanes; comparisons and what joins them give a mask, and $M0 asks for an argument as one. */
#define CALL1(name) "lane_call1(" name ", $0)"

static const char *const lane_functions[MET_FN_COUNT] = {
    [MET_FN_add] = "lane_add($0, $1)",
    [MET_FN_sub] = "lane_sub($0, $1)",
    [MET_FN_mul] = "lane_mul($0, $1)",
    [MET_FN_div] = "lane_div($0, $1)",
    [MET_FN_pow] = "lane_call2(pow, $0, $1)",
    [MET_FN_neg] = "lane_neg($0)",
    [MET_FN_abs] = "lane_abs($0)",
    [MET_FN_exp] = CALL1("exp"),
    [MET_FN_exp2] = CALL1("exp2"),
    [MET_FN_exp2p] = "lane_exp2p($0)",
    [MET_FN_expp] = "lane_expp($0)",
    [MET_FN_log] = CALL1("log"),
    [MET_FN_log2] = CALL1("log2"),
    [MET_FN_sqrt] = "lane_sqrt($0)",
    [MET_FN_rsqrt] = "lane_div(lane_set(1.0f), lane_sqrt($0))",
    [MET_FN_recip] = "lane_div(lane_set(1.0f), $0)",
    [MET_FN_sin] = CALL1("sin"),
    [MET_FN_cos] = CALL1("cos"),
    [MET_FN_tanh] = CALL1("tanh"),
    [MET_FN_tanhp] = "lane_tanhp($0)",
    [MET_FN_erf] = CALL1("erf"),
    [MET_FN_erfp] = "lane_erfp($0)",
    [MET_FN_sigmoid] = CALL1("sigmoid"),
    [MET_FN_floor] = "lane_floor($0)",
    [MET_FN_rint] = "lane_rint($0)",
    [MET_FN_max] = "lane_max($0, $1)",
    [MET_FN_min] = "lane_min($0, $1)",
    [MET_FN_ldexp] = "lane_scale($0, $1)",
    [MET_FN_fma] = "lane_fma($0, $1, $2)",
    [MET_FN_select] = "lane_select($M0, $1, $2)",
};

static const char *const mask_functions[MET_FN_COUNT] = {
    [MET_FN_lt] = "lane_lt($0, $1)",
    [MET_FN_le] = "lane_le($0, $1)",
    [MET_FN_gt] = "lane_lt($1, $0)",
    [MET_FN_ge] = "lane_le($1, $0)",
    [MET_FN_eq] = "lane_eq($0, $1)",
    [MET_FN_ne] = "lane_ne($0, $1)",
    [MET_FN_and] = "lane_and($M0, $M1)",
    [MET_FN_or] = "lane_or($M0, $M1)",
    [MET_FN_not] = "lane_not($M0)",
};

typedef struct printer {
    met_writer *writer;
    const met_leaves *leaves;
    bool lanes;
} printer;

static const char *value_text(const printer *p, const met_scalar *e);

/* An argument as a mask: where it is not 0. */
static const char *mask_text(const printer *p, const met_scalar *e);

static const char *call_text(const printer *p, const char *pattern, const met_scalar *e)
{
    met_text text = met_text_new(p->writer->arena);
    for (const char *c = pattern; *c; c++) {
        bool mask = c[0] == '$' && c[1] == 'M';
        if (mask)
            c += 2;
        else if (*c == '$')
            c++;
        else {
            met_text_char(&text, *c);
            continue;
        }
        const met_scalar *argument = e->arguments[*c - '0'];
        met_text_put(&text, mask ? mask_text(p, argument) : value_text(p, argument));
    }
    return met_text_done(&text);
}

static bool is_constant(const met_scalar *e)
{
    bool constant = e->kind == MET_SCALAR_NUMBER || e->kind == MET_SCALAR_CALL;
    for (int k = 0; e->kind == MET_SCALAR_CALL && k < met_scalar_fn_table[e->fn].arity; k++)
        constant = constant && is_constant(e->arguments[k]);
    return constant;
}

static const char *mask_text(const printer *p, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_CALL && mask_functions[e->fn] && !is_constant(e))
        return call_text(p, mask_functions[e->fn], e);
    return met_format_text(p->writer->arena, "lane_ne(%s, lane_set(0.0f))", value_text(p, e));
}

/* A call of constants alone: computed once, as it would be at every point. */
static const char *constant_text(const printer *p, const met_scalar *e)
{
    printer alone = { p->writer, p->leaves, false };
    const char *value = met_constant(p->writer, call_text(&alone, functions[e->fn], e));
    return p->lanes ? met_format_text(p->writer->arena, "lane_set(%s)", value) : value;
}

static const char *value_text(const printer *p, const met_scalar *e)
{
    met_arena *arena = p->writer->arena;
    const char *number;
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
        number = met_float_text(arena, e->number);
        return p->lanes ? met_format_text(arena, "lane_set(%s)", number) : number;
    case MET_SCALAR_INPUT:
        return p->leaves->input(p->leaves->context, e->input);
    case MET_SCALAR_INDEX:
        return p->leaves->index(p->leaves->context, e->index);
    case MET_SCALAR_SIZE:
        return p->leaves->size(p->leaves->context, e->size);
    case MET_SCALAR_CALL:
        break;
    }
    if (is_constant(e))
        return constant_text(p, e);
    if (p->lanes && mask_functions[e->fn])
        return met_format_text(arena, "lane_select(%s, lane_set(1.0f), lane_set(0.0f))", mask_text(p, e));
    if (p->lanes && e->fn == MET_FN_sigmoid)
        met_need(p->writer, MET_HELPER_SIGMOID);
    const char *pattern = (p->lanes ? lane_functions : functions)[e->fn];
    assert(pattern);
    return call_text(p, pattern, e);
}

const char *met_formula_text(met_writer *writer, const met_scalar *e, const met_leaves *leaves)
{
    return value_text(&(printer){ writer, leaves, false }, e);
}

const char *met_lane_formula_text(met_writer *writer, const met_scalar *e, const met_leaves *leaves)
{
    return value_text(&(printer){ writer, leaves, true }, e);
}

bool met_formula_reads(const met_scalar *e, uint32_t input)
{
    bool reads = e->kind == MET_SCALAR_INPUT && e->input == input;
    for (int k = 0; e->kind == MET_SCALAR_CALL && k < met_scalar_fn_table[e->fn].arity; k++)
        reads = reads || met_formula_reads(e->arguments[k], input);
    return reads;
}
