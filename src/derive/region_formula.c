/* Formulas of region texts: the scalar grammar, with folds as a prefix that takes the product after it. */
#include <string.h>

#include "derive/region_read.h"
#include "ir/formula.h"

static const met_region_part nothing = { NULL, 0 };

static met_region_part call(met_region_reader *r, met_scalar_fn fn, met_region_part a, met_region_part b, met_region_part c)
{
    uint32_t height = a.height > b.height ? a.height : b.height;
    height = (c.height > height ? c.height : height) + 1;
    if (!a.e)
        return nothing;
    if (height > MET_LANG_DEPTH) {
        met_parse_fail(&r->parser, MET_DIAG_too_deep, met_parse_peek(&r->parser, 0)->span, "a formula of more than 200 levels");
        return nothing;
    }
    return (met_region_part){ met_scalar_call(r->arena, fn, a.e, b.e, c.e), height };
}

static met_str text_of(const met_region_reader *r, const met_token *token)
{
    return met_sym_str(r->parser.session, token->name);
}

/* Folds by the names that texts use. */
static const struct fold_name {
    const char *name;
    met_region_fold fold;
    bool picks_index;
} fold_names[] = {
    { "sum", MET_REGION_SUM, false },     { "mean", MET_REGION_SUM, false },   { "prod", MET_REGION_PROD, false },
    { "max", MET_REGION_MAX, false },     { "min", MET_REGION_MIN, false },    { "any", MET_REGION_ANY, false },
    { "or", MET_REGION_ANY, false },      { "scan", MET_REGION_SCAN, false },  { "top_k", MET_REGION_TOP_K, false },
    { "topk", MET_REGION_TOP_K, false },  { "argmax", MET_REGION_ARGMAX, true },
};

/* A formula as a value of its own, so that several places can read it. */
static met_region_part hoisted(met_region_reader *r, met_region_value value)
{
    met_text name = met_text_new(r->arena);
    uint32_t taken;
    do {
        name.length = 0;
        met_text_format(&name, "%s_%u", met_sym_text(r->parser.session, r->target), ++r->unnamed);
    } while (met_map_get(r->numbers, met_str_of(met_text_done(&name)), &taken));
    value.name = met_text_done(&name);
    uint32_t number = met_region_define(r, value);
    return number == MET_NONE ? nothing : (met_region_part){ met_scalar_input(r->arena, number), 1 };
}

static met_region_part read_product(met_region_reader *r);

/* Folds that are short for several: logsumexp[x] s = m + log(Σ exp(s - m)) with m the maximum, softmax[x] s = exp(s - m)/Σ. */
static bool is_exponential(met_str name)
{
    return met_str_is(name, "logsumexp") || met_str_is(name, "softmax");
}

static met_region_part exponential(met_region_reader *r, const met_token *name, met_loops reduced, met_region_part s)
{
    if (s.e->kind == MET_SCALAR_CALL)
        s = hoisted(r, (met_region_value){ .e = s.e, .span = name->span });
    if (!s.e)
        return nothing;
    met_region_part m = hoisted(r, (met_region_value){ .fold = MET_REGION_MAX, .reduced = reduced, .e = s.e, .span = name->span });
    met_region_part e = m.e ? call(r, MET_FN_exp, call(r, MET_FN_sub, s, m, nothing), nothing, nothing) : nothing;
    if (!e.e)
        return nothing;
    met_region_part z = hoisted(r, (met_region_value){ .fold = MET_REGION_SUM, .reduced = reduced, .e = e.e, .span = name->span });
    if (!z.e)
        return nothing;
    return met_str_is(text_of(r, name), "softmax") ? call(r, MET_FN_div, e, z, nothing) :
                                                     call(r, MET_FN_add, m, call(r, MET_FN_log, z, nothing, nothing), nothing);
}

static met_region_part read_fold(met_region_reader *r, const met_token *name)
{
    met_region_value value = { .fold = MET_REGION_OPAQUE, .span = name->span };
    value.opaque = met_sym_text(r->parser.session, name->name);
    for (size_t i = 0; i < sizeof fold_names / sizeof *fold_names; i++) {
        if (met_str_is(text_of(r, name), fold_names[i].name)) {
            value.fold = fold_names[i].fold;
            value.picks_index = fold_names[i].picks_index;
        }
    }
    if (!met_region_read_axes(r, MET_TOKEN_RBRACKET, &value.reduced, &value.slots) || !met_parse_enter(&r->parser))
        return nothing;
    bool outer = r->in_scan;
    r->in_scan = outer || value.fold == MET_REGION_SCAN;
    met_region_part body = value.fold == MET_REGION_SCAN ? met_region_read_formula(r) : read_product(r);
    r->in_scan = outer;
    met_parse_leave(&r->parser);
    if (!body.e)
        return nothing;
    if (is_exponential(text_of(r, name)))
        return exponential(r, name, value.reduced, body);
    value.e = body.e;
    met_region_part folded = hoisted(r, value);
    if (!met_str_is(text_of(r, name), "mean"))
        return folded;
    for (uint32_t i = 0; i < r->loops.count; i++)
        if (value.reduced >> i & 1)
            folded = call(r, MET_FN_div, folded, (met_region_part){ met_scalar_size(r->arena, r->loops.at[i].size), 1 }, nothing);
    return folded;
}

/* How often a formula reads its array. */
static uint32_t uses(const met_scalar *e)
{
    uint32_t count = e->kind == MET_SCALAR_INPUT;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        count += e->arguments[i] ? uses(e->arguments[i]) : 0;
    return count;
}

/* relu, silu and other ops that are a formula of one array. */
static bool is_formula_op(const met_op *op)
{
    return op && op->formula && op->array_count == 1 && !op->options[0] && op->monoid == MET_MONOID_NONE;
}

static met_region_part read_op(met_region_reader *r, const met_token *name, met_region_part argument)
{
    const met_op *op = met_op_find(text_of(r, name));
    if (argument.e->kind == MET_SCALAR_CALL && uses(met_formula_read(r->arena, op->formula, 0, NULL)) > 1)
        argument = hoisted(r, (met_region_value){ .e = argument.e, .span = name->span });
    if (!argument.e)
        return nothing;
    met_formula_name a = { "a", argument.e };
    return (met_region_part){ met_formula_read(r->arena, op->formula, 1, &a), argument.height + 12 }; /* none of ops.def is higher */
}

/* size(x): the size of an axis as a number. */
static met_region_part read_size(met_region_reader *r)
{
    met_loops loops;
    const met_dim *unused;
    if (!met_region_read_axes(r, MET_TOKEN_RPAREN, &loops, &unused))
        return nothing;
    met_region_part size = { met_scalar_number(r->arena, 1), 1 };
    for (uint32_t i = 0; i < r->loops.count; i++)
        if (loops >> i & 1)
            size = (met_region_part){ met_scalar_size(r->arena, r->loops.at[i].size), 1 };
    return size;
}

static met_region_part read_call(met_region_reader *r, const met_token *name)
{
    met_region_part arguments[3] = { nothing, nothing, nothing };
    uint32_t count = 0;
    if (met_str_is(text_of(r, name), "size"))
        return read_size(r);
    if (!met_parse_enter(&r->parser))
        return nothing;
    do {
        met_region_part argument = met_region_read_formula(r);
        if (!argument.e)
            return nothing;
        if (count < 3)
            arguments[count] = argument;
        count++;
    } while (met_parse_accept(&r->parser, MET_TOKEN_COMMA));
    met_parse_leave(&r->parser);
    if (!met_parse_expect(&r->parser, MET_TOKEN_RPAREN, "after the arguments"))
        return nothing;
    met_scalar_fn fn;
    bool scalar = met_scalar_fn_find(text_of(r, name), &fn);
    uint32_t arity = scalar ? (uint32_t)met_scalar_fn_table[fn].arity : 1;
    if (!scalar && !is_formula_op(met_op_find(text_of(r, name)))) {
        met_diag_add(r->parser.session, MET_DIAG_formula, name->span, "formulas have no function `%.*s`", MET_STR_ARGS(text_of(r, name)));
        return nothing;
    }
    if (count != arity) {
        met_diag_add(r->parser.session, MET_DIAG_formula, name->span, "`%.*s` takes %u argument%s, not %u", MET_STR_ARGS(text_of(r, name)),
                     arity, arity == 1 ? "" : "s", count);
        return nothing;
    }
    return scalar ? call(r, fn, arguments[0], arguments[1], arguments[2]) : read_op(r, name, arguments[0]);
}

static met_region_part read_name(met_region_reader *r, const met_token *name)
{
    if (met_parse_accept(&r->parser, MET_TOKEN_LPAREN))
        return read_call(r, name);
    if (met_parse_accept(&r->parser, MET_TOKEN_LBRACKET))
        return read_fold(r, name);
    uint32_t number;
    if (met_map_get(r->numbers, text_of(r, name), &number))
        return (met_region_part){ met_scalar_input(r->arena, number), 1 };
    if (r->in_scan && name->name.id == r->target.id)
        return (met_region_part){ met_scalar_input(r->arena, MET_REGION_STATE), 1 };
    met_diag *d = met_diag_add(r->parser.session, MET_DIAG_unknown_name, name->span, "`%.*s` is used before it is defined",
                               MET_STR_ARGS(text_of(r, name)));
    met_diag_help(d, "only the value of a `scan` may read itself: the state before this position");
    return nothing;
}

static met_region_part read_unary(met_region_reader *r);

static met_region_part read_atom(met_region_reader *r)
{
    met_token *token;
    met_region_part atom = nothing;
    if ((token = met_parse_accept(&r->parser, MET_TOKEN_NUMBER)) != NULL) {
        atom = (met_region_part){ met_scalar_number(r->arena, token->number), 1 };
    } else if ((token = met_parse_accept(&r->parser, MET_TOKEN_NAME)) != NULL) {
        atom = read_name(r, token);
    } else if (met_parse_accept(&r->parser, MET_TOKEN_LPAREN)) {
        if (!met_parse_enter(&r->parser))
            return nothing;
        atom = met_region_read_formula(r);
        met_parse_leave(&r->parser);
        if (!atom.e || !met_parse_expect(&r->parser, MET_TOKEN_RPAREN, "to close a parenthesis"))
            return nothing;
    } else {
        met_parse_unexpected(&r->parser, "a name, a number or `(`");
    }
    if (atom.e && met_parse_accept(&r->parser, MET_TOKEN_CARET)) {
        met_region_part exponent = read_unary(r);
        return exponent.e ? call(r, MET_FN_pow, atom, exponent, nothing) : nothing;
    }
    return atom;
}

static met_region_part read_unary(met_region_reader *r)
{
    if (!met_parse_enter(&r->parser))
        return nothing;
    met_region_part unary;
    if (met_parse_accept(&r->parser, MET_TOKEN_MINUS)) {
        unary = read_unary(r);
        if (unary.e && unary.e->kind == MET_SCALAR_NUMBER)
            unary.e = met_scalar_number(r->arena, -unary.e->number);
        else
            unary = call(r, MET_FN_neg, unary, nothing, nothing);
    } else {
        unary = read_atom(r);
    }
    met_parse_leave(&r->parser);
    return unary;
}

/* Binary operators, the tightest level first. */
static const struct operator {
    met_token_kind token;
    met_scalar_fn fn;
    uint32_t level;
} operators[] = {
    { MET_TOKEN_STAR, MET_FN_mul, 0 }, { MET_TOKEN_SLASH, MET_FN_div, 0 }, { MET_TOKEN_PLUS, MET_FN_add, 1 },
    { MET_TOKEN_MINUS, MET_FN_sub, 1 }, { MET_TOKEN_LT, MET_FN_lt, 2 },    { MET_TOKEN_LE, MET_FN_le, 2 },
    { MET_TOKEN_GT, MET_FN_gt, 2 },     { MET_TOKEN_GE, MET_FN_ge, 2 },    { MET_TOKEN_EQ, MET_FN_eq, 2 },
    { MET_TOKEN_NE, MET_FN_ne, 2 },     { MET_TOKEN_AND, MET_FN_and, 3 },  { MET_TOKEN_OR, MET_FN_or, 4 },
};

static const struct operator *accept_operator(met_region_reader *r, uint32_t level)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].level == level && met_parse_accept(&r->parser, operators[i].token))
            return &operators[i];
    return NULL;
}

static met_region_part read_level(met_region_reader *r, uint32_t level)
{
    met_region_part left = level == 0 ? read_unary(r) : read_level(r, level - 1);
    const struct operator *op;
    while (left.e && (op = accept_operator(r, level)) != NULL) {
        met_region_part right = level == 0 ? read_unary(r) : read_level(r, level - 1);
        left = right.e ? call(r, op->fn, left, right, nothing) : nothing;
    }
    return left;
}

static met_region_part read_product(met_region_reader *r)
{
    return read_level(r, 0);
}

met_region_part met_region_read_formula(met_region_reader *r)
{
    return read_level(r, 4);
}
