/* Scalar formulas. */
#include "lang/elaborate.h"

/* Terms of one sum or product; formulas are printed and counted by recursion. */
enum { FACTOR_LIMIT = 200 };

static bool binary_fn(met_token_kind kind, met_scalar_fn *ret_fn)
{
    static const struct {
        met_token_kind token;
        met_scalar_fn fn;
    } table[] = {
        { MET_TOKEN_PLUS, MET_FN_add }, { MET_TOKEN_MINUS, MET_FN_sub }, { MET_TOKEN_SLASH, MET_FN_div },
        { MET_TOKEN_CARET, MET_FN_pow }, { MET_TOKEN_LT, MET_FN_lt },    { MET_TOKEN_LE, MET_FN_le },
        { MET_TOKEN_GT, MET_FN_gt },    { MET_TOKEN_GE, MET_FN_ge },     { MET_TOKEN_EQ, MET_FN_eq },
        { MET_TOKEN_NE, MET_FN_ne },    { MET_TOKEN_AND, MET_FN_and },   { MET_TOKEN_OR, MET_FN_or },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].token == kind) {
            *ret_fn = table[i].fn;
            return true;
        }
    }
    return false;
}

static const met_scalar *fail(met_instance *inst, met_span span, const char *message, const char *help)
{
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_formula, span, "%s", message);
    if (help)
        met_diag_help(d, "%s", help);
    return NULL;
}

static const met_scalar *index_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    met_str text = met_sym_str(inst->lang->session, ast->name);
    met_str label = { text.at + 2, text.length - 2 };
    for (uint32_t i = 0; i < context->label_count; i++)
        if (met_str_equal(met_sym_str(inst->lang->session, context->labels[i]), label))
            return met_scalar_index(inst->lang->arena, i);
    return fail(inst, ast->span, "this index is of no label of the op", "i_x is the index of label x");
}

static const met_scalar *name_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    met_str text = met_sym_str(inst->lang->session, ast->name);
    if (text.length == 1 && text.at[0] >= 'a' && (uint32_t)(text.at[0] - 'a') < context->inputs)
        return met_scalar_input(inst->lang->arena, (uint32_t)(text.at[0] - 'a'));
    if (context->has_indices && text.length > 2 && text.at[0] == 'i' && text.at[1] == '_')
        return index_of(inst, ast, context);
    uint32_t ignored;
    const met_lang_constant *constant = met_instance_constant(inst, ast->name);
    if (constant && constant->kind == MET_LANG_NUMBER && !met_instance_find(inst, MET_SPACE_LABEL, ast->name, &ignored))
        return met_scalar_number(inst->lang->arena, constant->number);
    const met_dim *size = met_size_by_name(inst, ast->name, ast->span);
    return size ? met_scalar_size(inst->lang->arena, size) : NULL;
}

static const met_scalar *unknown_function(met_instance *inst, met_span span, met_str name)
{
    const char *names[MET_FN_COUNT];
    for (int i = 0; i < MET_FN_COUNT; i++)
        names[i] = met_scalar_fn_table[i].spelling;
    const char *near = met_nearest(name, names, MET_FN_COUNT);
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_formula, span, "formulas have no function `%.*s`", MET_STR_ARGS(name));
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    return NULL;
}

static const met_scalar *call_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    met_scalar_fn fn;
    met_str name = ast->callee->kind == MET_AST_NAME ? met_sym_str(inst->lang->session, ast->callee->name) : (met_str){ 0 };
    if (met_str_is(name, "size") && ast->count == 1 && !ast->option_count) { /* a size, whatever its name means here */
        const met_dim *size = met_size_of(inst, ast->items[0]);
        return size ? met_scalar_size(inst->lang->arena, size) : NULL;
    }
    if (name.length == 0 || ast->option_count)
        return fail(inst, ast->span, "this is no call of a scalar function", NULL);
    if (!met_scalar_fn_find(name, &fn))
        return unknown_function(inst, ast->callee->span, name);
    if ((uint32_t)met_scalar_fn_table[fn].arity != ast->count) {
        met_diag_add(inst->lang->session, MET_DIAG_formula, ast->span, "`%.*s` takes %d argument%s, not %u", MET_STR_ARGS(name),
                     met_scalar_fn_table[fn].arity, met_scalar_fn_table[fn].arity == 1 ? "" : "s", ast->count);
        return NULL;
    }
    const met_scalar *arguments[3] = { NULL };
    for (uint32_t i = 0; i < ast->count; i++) {
        arguments[i] = met_formula_of(inst, ast->items[i], context);
        if (!arguments[i])
            return NULL;
    }
    return met_scalar_call(inst->lang->arena, fn, arguments[0], arguments[1], arguments[2]);
}

static const met_scalar *product_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    if (ast->count > FACTOR_LIMIT) {
        met_diag_add(inst->lang->session, MET_DIAG_too_deep, ast->span, "a formula with more than 200 factors in one product");
        return NULL;
    }
    const met_scalar *product = met_formula_of(inst, ast->items[0], context);
    for (uint32_t i = 1; product && i < ast->count; i++) {
        const met_scalar *factor = met_formula_of(inst, ast->items[i], context);
        product = factor ? met_scalar_call(inst->lang->arena, MET_FN_mul, product, factor, NULL) : NULL;
    }
    return product;
}

static const met_scalar *negation_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    if (ast->items[0]->kind == MET_AST_NUMBER)
        return met_scalar_number(inst->lang->arena, -ast->items[0]->number);
    const met_scalar *inner = met_formula_of(inst, ast->items[0], context);
    return inner ? met_scalar_call(inst->lang->arena, MET_FN_neg, inner, NULL, NULL) : NULL;
}

const met_scalar *met_formula_of(met_instance *inst, const met_ast *ast, const met_formula_context *context)
{
    met_scalar_fn fn;
    switch (ast->kind) {
    case MET_AST_FORMULA:
        return met_formula_of(inst, ast->items[0], context);
    case MET_AST_NUMBER:
        return met_scalar_number(inst->lang->arena, ast->number);
    case MET_AST_NAME:
        return name_of(inst, ast, context);
    case MET_AST_NEGATE:
        return negation_of(inst, ast, context);
    case MET_AST_PRODUCT:
        return product_of(inst, ast, context);
    case MET_AST_CALL:
        return call_of(inst, ast, context);
    case MET_AST_BINARY:
        if (binary_fn(ast->binary, &fn)) {
            const met_scalar *a = met_formula_of(inst, ast->items[0], context);
            const met_scalar *b = a ? met_formula_of(inst, ast->items[1], context) : NULL;
            return b ? met_scalar_call(inst->lang->arena, fn, a, b, NULL) : NULL;
        }
        return fail(inst, ast->span, "this operator has no meaning in a formula", NULL);
    default:
        return fail(inst, ast->span, "this is not a scalar formula", NULL);
    }
}
