/* Sizes: dim expressions over what names mean in an instance. */
#include "lang/elaborate.h"

static const met_dim *not_a_size(met_instance *inst, const met_ast *ast)
{
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_formula, ast->span, "this is not a size");
    met_diag_help(d, "sizes are sums and products of integers and names, floor(n/16) and ceil(n/16)");
    return NULL;
}

static const met_dim *checked(met_instance *inst, const met_ast *ast, const met_dim *dim)
{
    if (!dim)
        met_diag_add(inst->lang->session, MET_DIAG_input_too_large, ast->span, "a size that is too large, or has too many terms");
    return dim;
}

/* What a let means depends on the instance and on what its labels have introduced so far. Neither changes while one size is
 * worked out, so a let that others mention many times is worked out once for it. */
static const met_dim *size_of_let(met_instance *inst, met_def *def, met_span span)
{
    if (inst->lang->lets == 0)
        inst->lang->asked++;
    else if (def->sized == inst->lang->asked)
        return def->size;
    if (def->busy || inst->lang->depth >= MET_LANG_DEPTH) {
        met_diag_add(inst->lang->session, def->busy ? MET_DIAG_recursion : MET_DIAG_too_deep, span,
                     def->busy ? "`%s` is defined by itself" : "`%s` rests on too many other sizes",
                     met_sym_text(inst->lang->session, def->name));
        return NULL;
    }
    def->busy = true;
    inst->lang->depth++;
    inst->lang->lets++;
    def->size = met_size_of(inst, def->statement->value);
    inst->lang->lets--;
    inst->lang->depth--;
    def->busy = false;
    def->sized = inst->lang->asked;
    return def->size;
}

static bool natural_number(const met_lang_constant *constant, uint64_t *ret_n)
{
    bool natural = constant->kind == MET_LANG_NUMBER && constant->number >= 0 && constant->number < 9e15 &&
                   constant->number == (double)(uint64_t)constant->number;
    if (natural)
        *ret_n = (uint64_t)constant->number;
    return natural;
}

static met_def *find_let(const met_instance *inst, met_sym name)
{
    met_def *def = met_defs_find(inst->defs, name);
    return def && def->statement->kind == MET_STATEMENT_LET ? def : NULL;
}

const met_dim *met_size_by_name(met_instance *inst, met_sym name, met_span span)
{
    met_lang *lang = inst->lang;
    uint32_t id;
    uint64_t n;
    if (met_instance_find(inst, MET_SPACE_LABEL, name, &id))
        return met_builder_axis_size(lang->b, (met_axis_id){ id });
    met_def *let = find_let(inst, name);
    if (let)
        return size_of_let(inst, let, span);
    const met_lang_constant *constant = met_instance_constant(inst, name);
    if (constant && constant->kind == MET_LANG_SIZE)
        return constant->size;
    if (constant && natural_number(constant, &n))
        return met_dim_constant(lang->arena, n);
    if (constant) {
        met_diag_add(lang->session, MET_DIAG_formula, span, "`%s` is not a size", met_sym_text(lang->session, name));
        return NULL;
    }
    for (const met_instance *i = inst; i; i = i->outer)
        if (met_instance_get(i, MET_SPACE_SIZE, name, &id))
            return i->sizes.at[id];
    const met_dim *symbol = met_builder_symbol(lang->b, name, span);
    met_instance_set(inst, MET_SPACE_SIZE, name, (uint32_t)inst->sizes.count);
    MET_PUSH(lang->arena, &inst->sizes, symbol);
    return symbol;
}

const met_dim *met_size_of_label(met_instance *inst, met_sym name, met_span span, bool declared, bool *ret_failed)
{
    uint32_t id;
    *ret_failed = false;
    if (declared) {
        met_def *let = find_let(inst, name);
        if (let) {
            const met_dim *dim = size_of_let(inst, let, span);
            *ret_failed = !dim;
            return dim;
        }
        const met_lang_constant *constant = met_instance_constant(inst, name);
        if (constant && constant->kind == MET_LANG_SIZE)
            return constant->size;
    }
    if (met_instance_find(inst, MET_SPACE_LABEL, name, &id))
        return NULL;
    for (const met_instance *i = inst; i; i = i->outer)
        if (met_instance_get(i, MET_SPACE_SIZE, name, &id))
            return i->sizes.at[id];
    return NULL;
}

/* floor(n/16), ceil(n/16) */
static const met_dim *size_of_call(met_instance *inst, const met_ast *ast)
{
    met_lang *lang = inst->lang;
    if (ast->callee->kind != MET_AST_NAME || ast->count != 1 || ast->option_count)
        return not_a_size(inst, ast);
    met_str fn = met_sym_str(lang->session, ast->callee->name);
    const met_ast *quotient = ast->items[0];
    bool floor = met_str_is(fn, "floor"), divides = quotient->kind == MET_AST_BINARY && quotient->binary == MET_TOKEN_SLASH;
    if ((!floor && !met_str_is(fn, "ceil")) || !divides)
        return not_a_size(inst, ast);
    const met_dim *inner = met_size_of(inst, quotient->items[0]);
    const met_dim *divisor = inner ? met_size_of(inst, quotient->items[1]) : NULL;
    uint64_t n;
    if (!divisor)
        return NULL;
    if (!met_dim_is_constant(divisor, &n) || n == 0) {
        met_diag_add(lang->session, MET_DIAG_formula, quotient->items[1]->span, "a size is divided by a positive integer only");
        return NULL;
    }
    return floor ? met_dim_floor_div(lang->arena, inner, n) : met_dim_ceil_div(lang->arena, inner, n);
}

static const met_dim *size_of_product(met_instance *inst, const met_ast *ast)
{
    const met_dim *product = met_size_of(inst, ast->items[0]);
    for (uint32_t i = 1; product && i < ast->count; i++) {
        const met_dim *factor = met_size_of(inst, ast->items[i]);
        product = factor ? checked(inst, ast, met_dim_mul(inst->lang->arena, product, factor)) : NULL;
    }
    return product;
}

const met_dim *met_size_of(met_instance *inst, const met_ast *ast)
{
    met_arena *arena = inst->lang->arena;
    switch (ast->kind) {
    case MET_AST_NUMBER:
        return ast->integer ? checked(inst, ast, met_dim_constant(arena, ast->natural)) : not_a_size(inst, ast);
    case MET_AST_NAME:
        return met_size_by_name(inst, ast->name, ast->span);
    case MET_AST_PRODUCT:
        return size_of_product(inst, ast);
    case MET_AST_BINARY:
        if (ast->binary == MET_TOKEN_PLUS) {
            const met_dim *a = met_size_of(inst, ast->items[0]);
            const met_dim *b = a ? met_size_of(inst, ast->items[1]) : NULL;
            return b ? checked(inst, ast, met_dim_add(arena, a, b)) : NULL;
        }
        return not_a_size(inst, ast);
    case MET_AST_CALL: {
        size_t errors = met_session_error_count(inst->lang->session);
        const met_dim *dim = size_of_call(inst, ast);
        return dim || met_session_error_count(inst->lang->session) > errors ? dim : checked(inst, ast, dim);
    }
    default:
        return not_a_size(inst, ast);
    }
}

bool met_count_of(met_instance *inst, const met_ast *ast, uint64_t *ret_count)
{
    const met_dim *dim = met_size_of(inst, ast);
    if (!dim)
        return false;
    if (met_dim_is_constant(dim, ret_count))
        return true;
    met_diag_add(inst->lang->session, MET_DIAG_formula, ast->span, "a number of 0 or more is needed here, without free sizes");
    return false;
}
