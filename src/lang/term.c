/* Terms: composition, product, repetition, rearrangement, and the ops and definitions between. */
#include "lang/elaborate.h"

static met_term *refuse(met_instance *inst, met_code code, met_span span, const char *message, const char *help)
{
    met_diag *d = met_diag_add(inst->lang->session, code, span, "%s", message);
    if (help)
        met_diag_help(d, "%s", help);
    return NULL;
}

/* --- Rearrangements --- */

static met_term *permutation(met_instance *inst, const met_ast *call)
{
    uint32_t *order = MET_NEW_ARRAY(inst->lang->arena, uint32_t, call->count + 1);
    for (uint32_t i = 0; i < call->count; i++) {
        uint64_t n;
        if (!met_count_of(inst, call->items[i], &n))
            return NULL;
        order[i] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    }
    if (call->count == 0)
        return refuse(inst, MET_DIAG_arity, call->span, "permute takes the order of its arrays", "permute(1, 0)");
    return met_term_permute(inst->lang->b, call->count, order, call->span);
}

static met_term *copies(met_instance *inst, const met_ast *ast, const met_ast *call)
{
    uint64_t n = 2;
    if (call && call->count == 1 && !met_count_of(inst, call->items[0], &n))
        return NULL;
    if (n > MET_LANG_LIST)
        return refuse(inst, MET_DIAG_input_too_large, ast->span, "more than 4096 copies", NULL);
    if (!met_afford(inst->lang, n, ast->span))
        return NULL;
    inst->lang->made += n;
    return met_term_copy(inst->lang->b, (uint32_t)n, ast->span);
}

static met_term *rearrangement(met_instance *inst, const met_ast *ast, met_rearrangement kind, const met_ast *call)
{
    met_builder *b = inst->lang->b;
    uint32_t given = call ? call->count : 0;
    if (call && call->option_count)
        return refuse(inst, MET_DIAG_unknown_option, call->options[0].name_span, "a rearrangement has no options", NULL);
    if ((kind != MET_PERMUTE && given > (kind == MET_COPY)))
        return refuse(inst, MET_DIAG_arity, ast->span, "too many numbers for this rearrangement", NULL);
    switch (kind) {
    case MET_ID:
        return met_term_id(b, ast->span);
    case MET_DROP:
        return met_term_drop(b, ast->span);
    case MET_SWAP:
        return met_term_permute(b, 2, (uint32_t[]){ 1, 0 }, ast->span);
    case MET_PERMUTE:
        if (call)
            return permutation(inst, call);
        return refuse(inst, MET_DIAG_arity, ast->span, "permute takes the order of its arrays", "permute(1, 0)");
    default:
        return copies(inst, ast, call);
    }
}

/* --- Definitions --- */

/* The value of a call's option: a size if it is written as one, else a number. */
static bool constant_of(met_instance *inst, const met_ast_option *option, met_lang_constant *ret_constant)
{
    *ret_constant = (met_lang_constant){ .name = option->name };
    met_formula_context none = { 0 };
    const met_scalar *scalar = met_formula_of(inst, option->value, &none);
    if (!scalar)
        return false;
    if (option->value->kind == MET_AST_NUMBER && option->value->integer) {
        ret_constant->kind = MET_LANG_SIZE;
        ret_constant->size = met_dim_constant(inst->lang->arena, option->value->natural);
        return true;
    }
    if (scalar->kind == MET_SCALAR_SIZE) {
        ret_constant->kind = MET_LANG_SIZE;
        ret_constant->size = scalar->size;
        return true;
    }
    if (met_scalar_constant(scalar, &ret_constant->number))
        return true;
    const met_dim *size = met_size_of(inst, option->value);
    ret_constant->kind = MET_LANG_SIZE;
    ret_constant->size = size;
    return size != NULL;
}

bool met_call_constants(met_instance *inst, met_instance *callee, const met_ast *call)
{
    for (uint32_t i = 0; call && i < call->option_count; i++) {
        met_lang_constant constant;
        if (!constant_of(inst, &call->options[i], &constant))
            return false;
        met_instance_add_constant(callee, &constant);
    }
    return true;
}

static met_term *stateless(met_instance *inst, const met_made *made, met_span span)
{
    for (uint32_t i = 0; i < made->port_count; i++)
        if (made->ports && made->ports[i].role == MET_EDGE_STATE)
            return refuse(inst, MET_DIAG_state, span, "a definition with a state is called in an equation", "y = name(x)");
    return made->term;
}

static met_term *definition(met_instance *inst, met_def *def, const met_ast *call, met_span span)
{
    if (def->statement->kind == MET_STATEMENT_LET)
        return refuse(inst, MET_DIAG_unknown_name, span, "this is a size, not a term", NULL);
    met_block_spec block = { true, def->name, met_builder_family(inst->lang->b), 0, 1 };
    met_made made;
    if (!met_instantiate(inst, def, met_instance_use_path(inst, def->name), block, call, span, &made))
        return NULL;
    return stateless(inst, &made, span);
}

/* --- Names and calls --- */

/* A value of this definition, or of one that uses it. */
static bool is_value_somewhere(met_instance *inst, met_sym name)
{
    bool found = false;
    for (; inst && !found; inst = inst->outer ? inst->outer : inst->user)
        found = met_instance_is_value(inst, name);
    return found;
}

static met_term *named(met_instance *inst, const met_ast *callee, const met_ast *call)
{
    met_lang *lang = inst->lang;
    met_span span = call ? call->span : callee->span;
    if (callee->kind == MET_AST_OP && met_str_is(met_sym_str(lang->session, callee->name), "kv_append"))
        return refuse(inst, MET_DIAG_state, span, "kv_append extends a state, so it is called in an equation",
                      "kv_append[labels](state, new)");
    if (callee->kind != MET_AST_NAME)
        return met_make_op(inst, callee, call, 0);
    met_rearrangement kind = met_rearrangement_of(lang, callee->name);
    if (kind != MET_NOT_ONE)
        return rearrangement(inst, call ? call : callee, kind, call);
    met_def *def = met_defs_find(inst->defs, callee->name);
    if (def)
        return definition(inst, def, call, span);
    if (met_op_find(met_sym_str(lang->session, callee->name)))
        return met_make_op(inst, callee, call, 0);
    if (is_value_somewhere(inst, callee->name))
        return refuse(inst, MET_DIAG_unknown_name, callee->span, "this is an array, and a term is wanted here",
                      "apply the term to it: term(array)");
    met_unknown_name(inst, callee->name, callee->span, false);
    return NULL;
}

static met_term *call_term(met_instance *inst, const met_ast *ast)
{
    uint32_t arrays = met_call_arrays(inst->lang, inst->defs, ast, met_instance_is_value, inst);
    if (arrays > 0)
        return refuse(inst, MET_DIAG_syntax, ast->span, "a call with arrays is a value, and a term is wanted here",
                      "leave the arrays out, or name the value in an equation of its own");
    return named(inst, ast->callee, ast);
}

static met_term *parameter(met_instance *inst, const met_ast *ast)
{
    uint32_t id;
    if (met_instance_find(inst, MET_SPACE_PARAMETER, ast->name, &id)) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, ast->span, "this parameter is used twice within a term");
        met_instance_note_place(inst, MET_SPACE_PARAMETER, ast->name, d, "the first use is here");
        met_diag_help(d, "use it in equations: there it is one array");
        return NULL;
    }
    met_instance_set(inst, MET_SPACE_PARAMETER, ast->name, MET_NONE);
    met_instance_set_place(inst, MET_SPACE_PARAMETER, ast->name, ast->span);
    met_array_spec spec = { .name = met_path_join(inst->lang, inst->path, met_sym_str(inst->lang->session, ast->name)),
                            .role = MET_EDGE_PARAMETER, .any_rank = true, .span = ast->span };
    return met_term_source(inst->lang->b, &spec);
}

/* --- Combinations --- */

static met_term *chain(met_instance *inst, const met_ast *ast)
{
    met_term *whole = met_elaborate_term(inst, ast->items[0]);
    bool good = whole != NULL;
    for (uint32_t i = 1; i < ast->count; i++) {
        met_term *next = met_elaborate_term(inst, ast->items[i]);
        met_span span = ast->items[i]->span;
        if (good && next)
            next = met_term_compose(inst->lang->b, whole, next, span);
        good = good && next;
        whole = next;
    }
    return good ? whole : NULL;
}

static met_term *product(met_instance *inst, const met_ast *ast)
{
    met_term *whole = met_elaborate_term(inst, ast->items[0]);
    bool good = whole != NULL;
    for (uint32_t i = 1; i < ast->count; i++) {
        met_term *next = met_elaborate_term(inst, ast->items[i]);
        good = good && next;
        whole = good ? met_term_product(inst->lang->b, whole, next) : NULL;
    }
    return whole;
}

static met_term *lift(met_instance *inst, const met_ast *ast)
{
    met_axis_id *axes = MET_NEW_ARRAY(inst->lang->arena, met_axis_id, ast->labels.count);
    if (ast->labels.count > 16)
        return refuse(inst, MET_DIAG_label, ast->labels.span, "more than 16 axes to repeat over", NULL);
    if (!met_make_axes(inst, &ast->labels, false, axes))
        return NULL;
    met_term *body = met_elaborate_term(inst, ast->items[0]);
    return body ? met_term_lift(inst->lang->b, ast->labels.count, axes, body) : NULL;
}

/* One copy of f in f ^ n. */
static met_term *one_copy(met_instance *inst, const met_ast *f, met_sym path, met_block_spec block)
{
    met_def *def = f->kind == MET_AST_NAME ? met_defs_find(inst->defs, f->name) : NULL;
    met_made made;
    if (def && def->statement->kind != MET_STATEMENT_LET)
        return met_instantiate(inst, def, path, block, NULL, f->span, &made) ? stateless(inst, &made, f->span) : NULL;
    met_instance *part = met_instance_new(inst->lang, inst->defs, NULL, path);
    part->outer = inst;
    met_block_id id = met_builder_open_block(inst->lang->b, block.name, block.family, block.repeat, block.repeat_count);
    met_term *term = met_elaborate_term(part, f);
    met_builder_close_block(inst->lang->b, id);
    return term;
}

static met_term *repetition(met_instance *inst, const met_ast *ast)
{
    met_lang *lang = inst->lang;
    const met_ast *f = ast->items[0];
    uint64_t n;
    if (!met_count_of(inst, ast->items[1], &n))
        return NULL;
    if (n == 0)
        return refuse(inst, MET_DIAG_arity, ast->items[1]->span, "a term is repeated once or more", NULL);
    uint64_t cost = met_cost(inst, f);
    if (n > MET_LANG_NODE_LIMIT || !met_afford(lang, n * (cost < MET_LANG_NODE_LIMIT ? cost : MET_LANG_NODE_LIMIT + 1), ast->span))
        return n > MET_LANG_NODE_LIMIT ? refuse(inst, MET_DIAG_input_too_large, ast->span, "a term is repeated too often", NULL) : NULL;
    met_sym title = f->kind == MET_AST_NAME ? f->name : met_intern(lang->session, met_str_of("part"));
    met_sym path = met_instance_use_path(inst, title);
    met_block_spec block = { true, title, met_builder_family(lang->b), 0, (uint32_t)n };
    met_term *whole = NULL;
    for (uint32_t i = 0; i < n; i++) {
        met_text number = met_text_new(lang->arena);
        met_text_format(&number, "%u", i);
        block.repeat = i;
        met_sym copy_path = met_path_join(lang, path, (met_str){ met_text_done(&number), number.length });
        met_term *next = one_copy(inst, f, copy_path, block);
        if (next && whole)
            next = met_term_compose(lang->b, whole, next, ast->span);
        if (!next)
            return NULL;
        whole = next;
    }
    return whole;
}

met_term *met_elaborate_term(met_instance *inst, const met_ast *ast)
{
    switch (ast->kind) {
    case MET_AST_NAME:
    case MET_AST_OP:
    case MET_AST_STRING:
        return named(inst, ast, NULL);
    case MET_AST_CALL:
        return call_term(inst, ast);
    case MET_AST_PARAMETER:
        return parameter(inst, ast);
    case MET_AST_CHAIN:
        return chain(inst, ast);
    case MET_AST_PRODUCT:
        return product(inst, ast);
    case MET_AST_LIFT:
        return lift(inst, ast);
    case MET_AST_BINARY:
        if (ast->binary == MET_TOKEN_CARET)
            return repetition(inst, ast);
        break;
    default:
        break;
    }
    return refuse(inst, MET_DIAG_syntax, ast->span, "this is not a term",
                  "terms are ops and definitions, joined by `@`, `*`, `^` and `>>`; arithmetic stands in formulas");
}
