/* What an expression is, before it is elaborated: a value or a term, and how many nodes it makes. */
#include "lang/elaborate.h"

typedef struct known {
    const met_lang *lang;
    const met_defs *defs;
    bool (*is_value)(void *, met_sym);
    void *context;
} known;

static const met_op *op_of_callee(const met_lang *lang, const met_ast *callee)
{
    if (callee->kind == MET_AST_STRING)
        return met_op_by_id(MET_OP_einsum);
    return callee->kind == MET_AST_ERROR ? NULL : met_op_find(met_sym_str(lang->session, callee->name));
}

static uint32_t scalar_slots(const met_op *op)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(op, options);
    uint32_t slots = 0;
    for (size_t i = 0; i < count; i++)
        slots += options[i].positional;
    return slots;
}

/* An argument that can only be an array … */
static bool surely_array(const known *k, const met_ast *ast)
{
    met_scalar_fn fn;
    met_str name;
    switch (ast->kind) {
    case MET_AST_PARAMETER:
        return true;
    case MET_AST_NAME:
        return k->is_value(k->context, ast->name);
    case MET_AST_CALL: /* exp(x) may be a formula, linear[…](x) may not */
        if (ast->callee->kind != MET_AST_NAME)
            return true;
        name = met_sym_str(k->lang->session, ast->callee->name);
        return !met_scalar_fn_find(name, &fn) && !met_str_is(name, "ceil") && !met_str_is(name, "size");
    default:
        return false;
    }
}

/* … and one that cannot be one. */
static bool surely_scalar(const known *k, const met_ast *ast)
{
    if (ast->kind == MET_AST_NAME)
        return false;
    return ast->kind != MET_AST_CALL && !surely_array(k, ast) && ast->kind != MET_AST_STRING && ast->kind != MET_AST_OP &&
           ast->kind != MET_AST_CHAIN && ast->kind != MET_AST_LIFT;
}

/* A name that could be a format or an array: it is a format if it spells one. */
static bool fits_optional(const known *k, const met_ast *ast)
{
    met_format format;
    return ast->kind == MET_AST_NAME && met_format_parse(met_sym_str(k->lang->session, ast->name), &format);
}

uint32_t met_call_arrays(const met_lang *lang, const met_defs *defs, const met_ast *call,
                         bool (*is_value)(void *, met_sym), void *context)
{
    known k = { lang, defs, is_value, context };
    if (call->callee->kind == MET_AST_NAME) {
        if (met_rearrangement_of(lang, call->callee->name) != MET_NOT_ONE) {
            bool numbers = true;
            for (uint32_t i = 0; i < call->count; i++)
                numbers = numbers && surely_scalar(&k, call->items[i]);
            return numbers ? 0 : call->count;
        }
        if (met_defs_find(defs, call->callee->name))
            return call->count;
    }
    const met_op *op = op_of_callee(lang, call->callee);
    if (!op)
        return call->count;
    met_option options[MET_OPTION_LIMIT];
    met_op_options(op, options);
    uint32_t slots = scalar_slots(op), arrays = call->count;
    for (uint32_t s = slots; s > 0 && arrays > 0; s--) {
        const met_ast *last = call->items[arrays - 1];
        bool scalar = surely_scalar(&k, last) ||
                      (!surely_array(&k, last) && (options[s - 1].required || fits_optional(&k, last)));
        if (!scalar)
            break;
        arrays--;
    }
    return arrays;
}

bool met_is_value(const met_lang *lang, const met_defs *defs, const met_ast *ast, bool (*is_value)(void *, met_sym), void *context)
{
    if (ast->kind == MET_AST_NAME)
        return is_value(context, ast->name);
    return ast->kind == MET_AST_CALL && met_call_arrays(lang, defs, ast, is_value, context) > 0;
}

bool met_instance_is_value(void *instance, met_sym name)
{
    uint32_t ignored;
    return met_instance_find(instance, MET_SPACE_VALUE, name, &ignored);
}

/* --- Cost --- */

/* Above every limit, and small enough that sums of two do not overflow. */
#define MANY ((uint64_t)1 << 60)

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b > MANY ? MANY : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return a && b > MANY / a ? MANY : a * b;
}

static uint64_t cost_program(met_instance *inst, const met_program *program)
{
    uint64_t cost = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const met_statement *s = &program->at[i];
        if (s->kind == MET_STATEMENT_BIND || s->kind == MET_STATEMENT_BARE)
            cost = plus(cost, met_cost(inst, s->value));
    }
    return cost;
}

uint64_t met_cost_def(met_instance *inst, met_def *def)
{
    if (def->costed || def->busy || def->statement->kind == MET_STATEMENT_LET)
        return def->cost;
    if (inst->lang->depth >= MET_LANG_DEPTH) /* refused as too deep when it is made */
        return 0;
    def->busy = true;
    inst->lang->depth++;
    /* Names are looked up where the definition stands; those of its body are counted when it is entered. */
    met_instance view = *inst;
    view.defs = def->home;
    def->cost = def->statement->kind == MET_STATEMENT_DEFINE ? cost_program(&view, &def->statement->body)
                                                             : met_cost(&view, def->statement->value);
    def->cost = plus(def->cost, 1);
    inst->lang->depth--;
    def->busy = false;
    def->costed = true;
    return def->cost;
}

static uint64_t cost_name(met_instance *inst, met_sym name)
{
    met_def *def = met_defs_find(inst->defs, name);
    return def ? met_cost_def(inst, def) : 1;
}

static uint64_t exponent_of(met_instance *inst, const met_ast *ast)
{
    if (ast->kind == MET_AST_NUMBER && ast->integer)
        return ast->natural;
    const met_lang_constant *constant = ast->kind == MET_AST_NAME ? met_instance_constant(inst, ast->name) : NULL;
    return constant && constant->kind == MET_LANG_NUMBER && constant->number > 1 && constant->number < 1e9 ? (uint64_t)constant->number : 1;
}

uint64_t met_cost(met_instance *inst, const met_ast *ast)
{
    uint64_t cost = 1;
    switch (ast->kind) {
    case MET_AST_NAME:
        return cost_name(inst, ast->name);
    case MET_AST_BINARY:
        if (ast->binary == MET_TOKEN_CARET)
            return times(met_cost(inst, ast->items[0]), exponent_of(inst, ast->items[1]));
        break;
    case MET_AST_CALL:
        cost = ast->callee->kind == MET_AST_NAME ? cost_name(inst, ast->callee->name) : 1;
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < ast->count; i++)
        cost = plus(cost, met_cost(inst, ast->items[i]));
    return cost;
}

bool met_afford(met_lang *lang, uint64_t cost, met_span span)
{
    if (lang->made + cost <= MET_LANG_NODE_LIMIT)
        return true;
    met_diag *d = met_diag_add(lang->session, MET_DIAG_input_too_large, span, "this expands to more than %d nodes", MET_LANG_NODE_LIMIT);
    met_diag_help(d, "repeat less often");
    return false;
}
