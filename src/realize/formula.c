#include "realize/formula.h"

#include <assert.h>

/* $0, $1 and $2 stand for the arguments. In float the basic operations are C's; any other function is the double one,
 * rounded once. */
typedef struct function_row {
    const char *text;
    met_helper helper; /* MET_HELPER_COUNT: none */
} function_row;

#define PLAIN(text) { text, MET_HELPER_COUNT }
#define DOUBLE(name) PLAIN("(float)" name "((double)$0)")

static const function_row functions[MET_FN_COUNT] = {
    [MET_FN_add] = PLAIN("($0 + $1)"),
    [MET_FN_sub] = PLAIN("($0 - $1)"),
    [MET_FN_mul] = PLAIN("($0 * $1)"),
    [MET_FN_div] = PLAIN("($0 / $1)"),
    [MET_FN_pow] = PLAIN("(float)pow((double)$0, (double)$1)"),
    [MET_FN_lt] = PLAIN("($0 < $1 ? 1.0f : 0.0f)"),
    [MET_FN_le] = PLAIN("($0 <= $1 ? 1.0f : 0.0f)"),
    [MET_FN_gt] = PLAIN("($0 > $1 ? 1.0f : 0.0f)"),
    [MET_FN_ge] = PLAIN("($0 >= $1 ? 1.0f : 0.0f)"),
    [MET_FN_eq] = PLAIN("($0 == $1 ? 1.0f : 0.0f)"),
    [MET_FN_ne] = PLAIN("($0 != $1 ? 1.0f : 0.0f)"),
    [MET_FN_and] = PLAIN("($0 != 0.0f && $1 != 0.0f ? 1.0f : 0.0f)"),
    [MET_FN_or] = PLAIN("($0 != 0.0f || $1 != 0.0f ? 1.0f : 0.0f)"),
    [MET_FN_neg] = PLAIN("(-$0)"),
    [MET_FN_not] = PLAIN("($0 == 0.0f ? 1.0f : 0.0f)"),
    [MET_FN_abs] = PLAIN("fabsf($0)"),
    [MET_FN_exp] = DOUBLE("exp"),
    [MET_FN_exp2] = DOUBLE("exp2"),
    [MET_FN_exp2p] = { "exp2p($0)", MET_HELPER_EXP2P },
    [MET_FN_log] = DOUBLE("log"),
    [MET_FN_log2] = DOUBLE("log2"),
    [MET_FN_sqrt] = PLAIN("sqrtf($0)"),
    [MET_FN_rsqrt] = PLAIN("(1.0f / sqrtf($0))"),
    [MET_FN_recip] = PLAIN("(1.0f / $0)"),
    [MET_FN_sin] = DOUBLE("sin"),
    [MET_FN_cos] = DOUBLE("cos"),
    [MET_FN_tanh] = DOUBLE("tanh"),
    [MET_FN_erf] = DOUBLE("erf"),
    [MET_FN_sigmoid] = PLAIN("(float)(1.0 / (1.0 + exp(-(double)$0)))"),
    [MET_FN_floor] = PLAIN("floorf($0)"),
    [MET_FN_rint] = PLAIN("rintf($0)"),
    [MET_FN_max] = { "maximum($0, $1)", MET_HELPER_MAXIMUM },
    [MET_FN_min] = { "minimum($0, $1)", MET_HELPER_MINIMUM },
    [MET_FN_ldexp] = { "scaled($0, $1)", MET_HELPER_LDEXP },
    [MET_FN_fma] = PLAIN("fmaf($0, $1, $2)"),
    [MET_FN_select] = PLAIN("($0 != 0.0f ? $1 : $2)"),
};

static const char *substitute(met_arena *arena, const char *pattern, const char *const *arguments)
{
    met_text text = met_text_new(arena);
    for (const char *c = pattern; *c; c++) {
        if (*c == '$')
            met_text_put(&text, arguments[*++c - '0']);
        else
            met_text_char(&text, *c);
    }
    return met_text_done(&text);
}

const char *met_formula_text(met_writer *writer, const met_scalar *e, const met_leaves *leaves)
{
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
        return met_float_text(writer->arena, e->number);
    case MET_SCALAR_INPUT:
        return leaves->input(leaves->context, e->input);
    case MET_SCALAR_INDEX:
        return leaves->index(leaves->context, e->index);
    case MET_SCALAR_SIZE:
        return leaves->size(leaves->context, e->size);
    case MET_SCALAR_CALL:
        break;
    }
    const function_row *row = &functions[e->fn];
    assert(row->text);
    if (row->helper != MET_HELPER_COUNT)
        met_need(writer, row->helper);
    const char *arguments[3] = { NULL, NULL, NULL };
    for (int k = 0; k < met_scalar_fn_table[e->fn].arity; k++)
        arguments[k] = met_formula_text(writer, e->arguments[k], leaves);
    return substitute(writer->arena, row->text, arguments);
}
