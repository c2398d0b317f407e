/* Expressions, by one ladder of precedence:  ^  -  * /  + -  comparisons  &&  ||  @  >>  from tight to loose. */
#include "lang/parse.h"

/* Sets the height of a node from its children. */
static met_ast *grown(met_parser *p, met_ast *ast)
{
    uint32_t height = ast->callee ? ast->callee->height : 0;
    for (uint32_t i = 0; i < ast->count; i++)
        height = ast->items[i]->height > height ? ast->items[i]->height : height;
    for (uint32_t i = 0; i < ast->option_count; i++)
        height = ast->options[i].value->height > height ? ast->options[i].value->height : height;
    ast->height = height + 1;
    if (ast->height > MET_LANG_DEPTH)
        return met_parse_fail(p, MET_DIAG_too_deep, ast->span, "an expression with too many steps one within the other");
    return ast;
}

static met_ast *with_items(met_parser *p, met_ast *ast, uint32_t count, met_ast *const *items)
{
    ast->count = count;
    ast->items = met_arena_copy(p->arena, items, count, sizeof *items);
    if (ast->span.end < items[count - 1]->span.end)
        ast->span.end = items[count - 1]->span.end;
    return grown(p, ast);
}

static met_ast *binary(met_parser *p, met_token_kind op, met_ast *left, met_ast *right)
{
    met_ast *ast = met_ast_new(p, MET_AST_BINARY, met_span_join(left->span, right->span));
    ast->binary = op;
    return with_items(p, ast, 2, (met_ast *[]){ left, right });
}

/* A node for what stood between brackets and could not be read; parsing goes on behind them. */
static met_ast *skipped(met_parser *p, uint32_t opening)
{
    uint32_t close = p->tokens.at[opening].match;
    if (close == MET_TOKEN_UNMATCHED)
        return NULL;
    p->at = close + 1;
    return met_ast_new(p, MET_AST_ERROR, met_span_join(p->tokens.at[opening].span, p->tokens.at[close].span));
}

/* --- Primaries --- */

static met_ast *parse_group(met_parser *p)
{
    uint32_t opening = p->at++;
    if (!met_parse_closed(p, opening) || !met_parse_enter(p))
        return skipped(p, opening);
    met_ast *inner = met_parse_term(p);
    met_parse_leave(p);
    met_token *close = inner ? met_parse_expect(p, MET_TOKEN_RPAREN, "closes what `(` opened") : NULL;
    if (!close)
        return skipped(p, opening);
    inner->span = met_span_join(p->tokens.at[opening].span, close->span);
    return inner;
}

static met_ast *parse_formula(met_parser *p)
{
    uint32_t opening = p->at++;
    if (!met_parse_closed(p, opening) || !met_parse_enter(p))
        return skipped(p, opening);
    met_parse_accept(p, MET_TOKEN_NEWLINE);
    met_ast *inner = met_parse_term(p);
    met_parse_leave(p);
    met_parse_accept(p, MET_TOKEN_NEWLINE);
    met_token *close = inner ? met_parse_expect(p, MET_TOKEN_RBRACE, "closes the formula") : NULL;
    if (!close)
        return skipped(p, opening);
    met_ast *ast = met_ast_new(p, MET_AST_FORMULA, met_span_join(p->tokens.at[opening].span, close->span));
    met_span span = ast->span;
    ast = with_items(p, ast, 1, &inner);
    if (ast)
        ast->span = span;
    return ast;
}

static met_ast *parse_primary(met_parser *p)
{
    met_token *t = met_parse_peek(p, 0);
    met_ast *ast;
    switch (t->kind) {
    case MET_TOKEN_NAME:
        p->at++;
        ast = met_ast_new(p, MET_AST_NAME, t->span);
        ast->name = t->name;
        return ast;
    case MET_TOKEN_NUMBER:
        p->at++;
        ast = met_ast_new(p, MET_AST_NUMBER, t->span);
        ast->number = t->number;
        ast->integer = t->integer;
        ast->natural = t->natural;
        return ast;
    case MET_TOKEN_STRING:
        ast = met_ast_new(p, MET_AST_STRING, t->span);
        ast->signature = met_parse_quoted(p);
        return ast->signature ? ast : met_ast_new(p, MET_AST_ERROR, t->span);
    case MET_TOKEN_AT:
        p->at++;
        met_token *name = met_parse_expect(p, MET_TOKEN_NAME, "a parameter is written `@name`");
        if (!name)
            return NULL;
        if (name->span.begin != t->span.end) /* `f @ @ g` is a slip, not the parameter @g */
            return met_parse_fail(p, MET_DIAG_syntax, met_span_join(t->span, name->span), "a parameter is written `@name`, without a blank");
        ast = met_ast_new(p, MET_AST_PARAMETER, met_span_join(t->span, name->span));
        ast->name = name->name;
        return ast;
    case MET_TOKEN_LPAREN:
        return parse_group(p);
    case MET_TOKEN_LBRACE:
        return parse_formula(p);
    default:
        met_parse_unexpected(p, "an expression");
        return NULL;
    }
}

/* --- Calls --- */

static bool parse_argument(met_parser *p, met_ast *call)
{
    if (met_parse_peek(p, 0)->kind == MET_TOKEN_NAME && met_parse_peek(p, 1)->kind == MET_TOKEN_ASSIGN) {
        met_token *name = met_parse_peek(p, 0);
        p->at += 2;
        met_ast *value = met_parse_term(p);
        met_ast_option option = { name->name, name->span, value };
        if (!value || !met_parse_room(p, call->option_count, name->span))
            return false;
        call->options[call->option_count++] = option;
        return true;
    }
    met_ast *value = met_parse_term(p);
    if (!value)
        return false;
    if (call->option_count) {
        met_diag *d = met_diag_add(p->session, MET_DIAG_syntax, value->span, "an argument without a name after a named option");
        met_diag_help(d, "arrays come first, then scalars, then options");
        p->failed = true;
        return true;
    }
    call->items[call->count++] = value;
    return true;
}

/* Upper bound of the arguments of a call: its commas at the outer level, plus one. */
static uint32_t argument_room(const met_parser *p, uint32_t opening)
{
    uint32_t count = 1;
    uint32_t close = p->tokens.at[opening].match;
    for (uint32_t i = opening + 1; i < close && i < p->tokens.count; i++) {
        const met_token *t = &p->tokens.at[i];
        if (t->match != MET_TOKEN_UNMATCHED)
            i = t->match;
        count += t->kind == MET_TOKEN_COMMA;
    }
    return count;
}

static met_ast *parse_call(met_parser *p, met_ast *callee)
{
    uint32_t opening = p->at;
    if (callee->kind != MET_AST_NAME && callee->kind != MET_AST_OP && callee->kind != MET_AST_STRING &&
        callee->kind != MET_AST_ERROR) {
        met_parse_fail(p, MET_DIAG_syntax, callee->span, "only an op or a definition can be called");
        return skipped(p, opening);
    }
    if (!met_parse_closed(p, opening))
        return NULL;
    uint32_t room = argument_room(p, opening);
    if (room > MET_LANG_LIST)
        return met_parse_fail(p, MET_DIAG_input_too_large, callee->span, "a call with more than 4096 arguments");
    p->at++;
    if (!met_parse_enter(p))
        return skipped(p, opening);
    met_ast *call = met_ast_new(p, MET_AST_CALL, callee->span);
    call->callee = callee;
    call->items = MET_NEW_ARRAY(p->arena, met_ast *, room);
    call->options = MET_NEW_ARRAY(p->arena, met_ast_option, room);
    bool good = true;
    if (!met_parse_at(p, MET_TOKEN_RPAREN)) {
        do
            good = parse_argument(p, call);
        while (good && met_parse_accept(p, MET_TOKEN_COMMA));
    }
    met_parse_leave(p);
    met_token *close = good ? met_parse_expect(p, MET_TOKEN_RPAREN, "ends the arguments") : NULL;
    if (!close)
        return skipped(p, opening);
    call->span = met_span_join(callee->span, close->span);
    return grown(p, call);
}

static met_ast *parse_postfix(met_parser *p)
{
    met_ast *ast = parse_primary(p);
    if (ast && met_parse_at(p, MET_TOKEN_LBRACKET)) {
        uint32_t opening = p->at;
        if (ast->kind != MET_AST_NAME)
            return met_parse_fail(p, MET_DIAG_syntax, ast->span, "only an op takes labels in brackets");
        const met_ast_brackets *brackets = met_parse_brackets(p);
        met_ast *op = brackets ? met_ast_new(p, MET_AST_OP, met_span_join(ast->span, brackets->span)) : skipped(p, opening);
        if (!op)
            return NULL;
        op->name = ast->name;
        op->brackets = brackets;
        ast = op;
    }
    if (ast && met_parse_at(p, MET_TOKEN_LPAREN))
        ast = parse_call(p, ast);
    return ast;
}

/* --- The ladder --- */

static met_ast *parse_unary(met_parser *p);

static met_ast *parse_power(met_parser *p)
{
    met_ast *base = parse_postfix(p);
    if (!base || !met_parse_accept(p, MET_TOKEN_CARET))
        return base;
    if (!met_parse_enter(p))
        return NULL;
    met_ast *exponent = parse_unary(p); /* so that d^-0.5 and a^b^c read as written in mathematics */
    met_parse_leave(p);
    return exponent ? binary(p, MET_TOKEN_CARET, base, exponent) : NULL;
}

static met_ast *parse_unary(met_parser *p)
{
    met_token *minus = met_parse_accept(p, MET_TOKEN_MINUS);
    if (!minus)
        return parse_power(p);
    if (!met_parse_enter(p))
        return NULL;
    met_ast *inner = parse_unary(p);
    met_parse_leave(p);
    return inner ? with_items(p, met_ast_new(p, MET_AST_NEGATE, minus->span), 1, &inner) : NULL;
}

/* items[0] SEPARATOR items[1] …: one flat node, since chains are long. */
static met_ast *parse_list(met_parser *p, met_ast *first, met_token_kind separator, met_ast_kind kind,
                           met_ast *(*next)(met_parser *p), uint32_t limit)
{
    MET_VEC(met_ast *) items = { 0 };
    MET_PUSH(p->arena, &items, first);
    while (met_parse_accept(p, separator)) {
        met_ast *item = next(p);
        if (!item)
            return NULL;
        if (items.count >= limit)
            return met_parse_fail(p, MET_DIAG_input_too_large, item->span, "an expression with too many parts");
        MET_PUSH(p->arena, &items, item);
    }
    met_ast *ast = met_ast_new(p, kind, first->span);
    return with_items(p, ast, (uint32_t)items.count, items.at);
}

static met_ast *parse_product(met_parser *p)
{
    met_ast *left = parse_unary(p);
    while (left) {
        if (met_parse_at(p, MET_TOKEN_STAR)) {
            left = parse_list(p, left, MET_TOKEN_STAR, MET_AST_PRODUCT, parse_unary, MET_LANG_LIST);
        } else if (met_parse_accept(p, MET_TOKEN_SLASH)) {
            met_ast *right = parse_unary(p);
            left = right ? binary(p, MET_TOKEN_SLASH, left, right) : NULL;
        } else {
            break;
        }
    }
    return left;
}

met_ast *met_parse_size(met_parser *p)
{
    met_ast *left = parse_product(p);
    while (left && (met_parse_at(p, MET_TOKEN_PLUS) || met_parse_at(p, MET_TOKEN_MINUS))) {
        met_token_kind op = met_parse_peek(p, 0)->kind;
        p->at++;
        met_ast *right = parse_product(p);
        left = right ? binary(p, op, left, right) : NULL;
    }
    return left;
}

static bool at_comparison(const met_parser *p)
{
    met_token_kind kind = p->tokens.at[p->at].kind;
    return (kind >= MET_TOKEN_LT && kind <= MET_TOKEN_NE) || kind == MET_TOKEN_LARROW;
}

static met_ast *parse_comparison(met_parser *p)
{
    met_ast *left = met_parse_size(p);
    while (left && at_comparison(p)) {
        met_token *t = met_parse_peek(p, 0);
        met_token_kind op = t->kind;
        if (op == MET_TOKEN_LARROW) { /* a<-1 compares with -1: no other reading is possible here */
            t->kind = MET_TOKEN_MINUS;
            op = MET_TOKEN_LT;
        } else {
            p->at++;
        }
        met_ast *right = met_parse_size(p);
        left = right ? binary(p, op, left, right) : NULL;
    }
    return left;
}

static met_ast *parse_and(met_parser *p)
{
    met_ast *left = parse_comparison(p);
    while (left && met_parse_accept(p, MET_TOKEN_AND)) {
        met_ast *right = parse_comparison(p);
        left = right ? binary(p, MET_TOKEN_AND, left, right) : NULL;
    }
    return left;
}

static met_ast *parse_or(met_parser *p)
{
    met_ast *left = parse_and(p);
    while (left && met_parse_accept(p, MET_TOKEN_OR)) {
        met_ast *right = parse_and(p);
        left = right ? binary(p, MET_TOKEN_OR, left, right) : NULL;
    }
    return left;
}

/* label label=size … >>, or [labels] >>: nothing else begins with two names or with a bracket. */
static bool at_lift(met_parser *p)
{
    if (met_parse_at(p, MET_TOKEN_LBRACKET))
        return true;
    uint32_t i = 0;
    while (i < MET_LANG_LIST) {
        met_token_kind kind = met_parse_peek(p, i)->kind;
        if (kind == MET_TOKEN_SHIFT)
            return i > 0;
        bool label = kind == MET_TOKEN_NAME || kind == MET_TOKEN_NUMBER || (i > 0 && kind == MET_TOKEN_ASSIGN);
        if (!label)
            return false;
        i++;
    }
    return false;
}

static met_ast *parse_lift(met_parser *p)
{
    met_ast *ast = met_ast_new(p, MET_AST_LIFT, met_parse_peek(p, 0)->span);
    uint32_t opening = p->at;
    met_span begin = ast->span;
    bool bracket = met_parse_accept(p, MET_TOKEN_LBRACKET) != NULL;
    if (!met_parse_labels(p, &ast->labels) || (bracket && !met_parse_expect(p, MET_TOKEN_RBRACKET, "closes the axes"))) {
        if (!bracket || !skipped(p, opening))
            return NULL;
    }
    if (!met_parse_expect(p, MET_TOKEN_SHIFT, "`axes >> term` repeats a term"))
        return NULL;
    if (!met_parse_enter(p))
        return NULL;
    met_ast *body = met_parse_term(p);
    met_parse_leave(p);
    if (!body)
        return NULL;
    ast = with_items(p, ast, 1, &body);
    if (ast)
        ast->span = met_span_join(begin, body->span);
    return ast;
}

met_ast *met_parse_term(met_parser *p)
{
    if (at_lift(p))
        return parse_lift(p);
    met_ast *left = parse_or(p);
    if (!left || !met_parse_at(p, MET_TOKEN_AT))
        return left;
    return parse_list(p, left, MET_TOKEN_AT, MET_AST_CHAIN, parse_or, 1u << 20);
}
