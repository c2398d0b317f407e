/* Labels, signatures and types: what stands in brackets, in quotes and after a colon. */
#include "lang/parse.h"

static bool at_label(const met_parser *p)
{
    return met_parse_at(p, MET_TOKEN_NAME) || met_parse_at(p, MET_TOKEN_NUMBER);
}

static bool parse_label(met_parser *p, met_ast_label *ret_label)
{
    met_token *t = met_parse_peek(p, 0);
    *ret_label = (met_ast_label){ .span = t->span };
    if (t->kind == MET_TOKEN_NUMBER) {
        if (!t->integer)
            return met_parse_fail(p, MET_DIAG_syntax, t->span, "a size is an integer"), false;
        ret_label->bare = true;
        ret_label->name = met_intern(p->session, (met_str){ met_session_source(p->session, t->span.source)->text.at + t->span.begin,
                                                            t->span.end - t->span.begin });
        ret_label->size = met_ast_new(p, MET_AST_NUMBER, t->span);
        ret_label->size->integer = true;
        ret_label->size->natural = t->natural;
        ret_label->size->number = t->number;
        p->at++;
        return true;
    }
    if (!met_parse_expect(p, MET_TOKEN_NAME, "a label"))
        return false;
    ret_label->name = t->name;
    if (met_parse_accept(p, MET_TOKEN_ASSIGN)) {
        ret_label->size = met_parse_size(p);
        if (!ret_label->size)
            return false;
        ret_label->span = met_span_join(t->span, ret_label->size->span);
    }
    return true;
}

/* Labels by spaces; a comma between two of them is tolerated where `commas` says that nothing else uses it. */
static bool parse_label_list(met_parser *p, bool commas, met_ast_labels *ret_labels)
{
    MET_VEC(met_ast_label) list = { 0 };
    met_span begin = met_parse_peek(p, 0)->span;
    begin.end = begin.begin;
    while (at_label(p)) {
        met_ast_label label;
        if (!parse_label(p, &label) || !met_parse_room(p, list.count, label.span))
            return false;
        MET_PUSH(p->arena, &list, label);
        met_token_kind after = met_parse_peek(p, 1)->kind;
        if (commas && met_parse_at(p, MET_TOKEN_COMMA) && (after == MET_TOKEN_NAME || after == MET_TOKEN_NUMBER))
            p->at++;
    }
    met_span span = list.count ? met_span_join(list.at[0].span, list.at[list.count - 1].span) : begin;
    *ret_labels = (met_ast_labels){ (uint32_t)list.count, list.at, span };
    return true;
}

bool met_parse_labels(met_parser *p, met_ast_labels *ret_labels)
{
    return parse_label_list(p, true, ret_labels);
}

/* --- Signatures --- */

static bool item_ends(const met_parser *p)
{
    return met_parse_at(p, MET_TOKEN_COMMA) || met_parse_at(p, MET_TOKEN_ARROW) || met_parse_at(p, MET_TOKEN_END) ||
           met_parse_at(p, MET_TOKEN_RBRACKET);
}

static bool parse_item(met_parser *p, met_ast_item *ret_item)
{
    *ret_item = (met_ast_item){ 0 };
    if (!met_parse_at(p, MET_TOKEN_LPAREN))
        return at_label(p) ? parse_label(p, &ret_item->label) : (met_parse_unexpected(p, "a label"), false);
    met_token *open = met_parse_accept(p, MET_TOKEN_LPAREN);
    ret_item->affine = met_parse_size(p);
    met_token *close = ret_item->affine ? met_parse_expect(p, MET_TOKEN_RPAREN, "closes the position") : NULL;
    if (!close)
        return false;
    ret_item->label.span = met_span_join(open->span, close->span);
    return true;
}

static bool push_array(met_parser *p, met_ast_items **arrays, uint32_t *count, met_ast_items array)
{
    if (!met_parse_room(p, *count, array.span))
        return false;
    if ((*count & (*count - 1)) == 0) { /* grows at powers of two */
        met_ast_items *grown = MET_NEW_ARRAY(p->arena, met_ast_items, *count ? *count * 2 : 1);
        for (uint32_t i = 0; i < *count; i++)
            grown[i] = (*arrays)[i];
        *arrays = grown;
    }
    (*arrays)[(*count)++] = array;
    return true;
}

static bool parse_array(met_parser *p, met_ast_items *ret_items)
{
    MET_VEC(met_ast_item) list = { 0 };
    met_span begin = met_parse_peek(p, 0)->span;
    begin.end = begin.begin;
    while (!item_ends(p)) {
        met_ast_item item;
        if (!parse_item(p, &item) || !met_parse_room(p, list.count, item.label.span))
            return false;
        MET_PUSH(p->arena, &list, item);
    }
    met_span span = list.count ? met_span_join(list.at[0].label.span, list.at[list.count - 1].label.span) : begin;
    *ret_items = (met_ast_items){ (uint32_t)list.count, list.at, span };
    return true;
}

static bool parse_arrays(met_parser *p, uint32_t *ret_count, met_ast_items **ret_arrays)
{
    do {
        met_ast_items array;
        if (!parse_array(p, &array) || !push_array(p, ret_arrays, ret_count, array))
            return false;
    } while (met_parse_accept(p, MET_TOKEN_COMMA));
    return true;
}

const met_ast_signature *met_parse_quoted(met_parser *p)
{
    met_span quoted = met_parse_peek(p, 0)->span;
    p->at++;
    met_parser inner = { .session = p->session, .arena = p->arena, .depth = p->depth };
    inner.failed = !met_lex(p->session, (met_span){ quoted.source, quoted.begin + 1, quoted.end - 1 }, &inner.tokens);
    met_ast_signature *signature = MET_NEW(p->arena, met_ast_signature);
    bool good = !inner.failed && parse_arrays(&inner, &signature->in_count, &signature->ins);
    if (good && !met_parse_accept(&inner, MET_TOKEN_ARROW)) {
        met_diag *d = met_parse_unexpected(&inner, "`->`");
        met_diag_help(d, "a signature is written 'inputs -> output', as in 'a b, b c -> a c'");
        good = false;
    }
    good = good && parse_arrays(&inner, &signature->out_count, &signature->outs);
    if (good && !met_parse_at(&inner, MET_TOKEN_END)) {
        met_parse_unexpected(&inner, "the end of the signature");
        good = false;
    }
    p->failed |= !good;
    return good ? signature : NULL;
}

/* --- Brackets --- */

static met_ast_items items_of_labels(met_parser *p, const met_ast_labels *labels)
{
    met_ast_items items = { labels->count, MET_NEW_ARRAY(p->arena, met_ast_item, labels->count), labels->span };
    for (uint32_t i = 0; i < labels->count; i++)
        items.at[i].label = labels->at[i];
    return items;
}

/* Positions of view's input, by commas: a label alone is that label's own axis. */
static bool parse_positions(met_parser *p, met_ast_items *ret_items)
{
    MET_VEC(met_ast_item) list = { 0 };
    met_span begin = met_parse_peek(p, 0)->span;
    while (!met_parse_at(p, MET_TOKEN_RBRACKET)) {
        bool alone = met_parse_at(p, MET_TOKEN_NAME) && (met_parse_peek(p, 1)->kind == MET_TOKEN_COMMA ||
                                                         met_parse_peek(p, 1)->kind == MET_TOKEN_RBRACKET ||
                                                         met_parse_peek(p, 1)->kind == MET_TOKEN_ASSIGN);
        met_ast_item item = { 0 };
        if (alone ? !parse_label(p, &item.label) : !(item.affine = met_parse_size(p)))
            return false;
        if (item.affine)
            item.label.span = item.affine->span;
        if (!met_parse_room(p, list.count, item.label.span))
            return false;
        MET_PUSH(p->arena, &list, item);
        if (!met_parse_accept(p, MET_TOKEN_COMMA))
            break;
    }
    met_span span = list.count ? met_span_join(begin, list.at[list.count - 1].label.span) : begin;
    *ret_items = (met_ast_items){ (uint32_t)list.count, list.at, span };
    return true;
}

static bool parse_view(met_parser *p, met_ast_brackets *brackets)
{
    met_ast_signature *signature = MET_NEW(p->arena, met_ast_signature);
    signature->in_count = signature->out_count = 1;
    signature->ins = MET_NEW(p->arena, met_ast_items);
    signature->outs = MET_NEW(p->arena, met_ast_items);
    *signature->outs = items_of_labels(p, &brackets->targets);
    brackets->signature = signature;
    brackets->view = true;
    return parse_positions(p, signature->ins);
}

static bool parse_results(met_parser *p, met_ast_brackets *brackets)
{
    MET_VEC(met_ast_labels) results = { 0 };
    do {
        met_ast_labels labels;
        if (!parse_label_list(p, false, &labels) || !met_parse_room(p, results.count, labels.span))
            return false;
        MET_PUSH(p->arena, &results, labels);
    } while (met_parse_accept(p, MET_TOKEN_COMMA));
    brackets->results = results.at;
    brackets->result_count = (uint32_t)results.count;
    return true;
}

static bool parse_inside(met_parser *p, met_ast_brackets *brackets)
{
    if (met_parse_at(p, MET_TOKEN_STRING)) {
        brackets->signature = met_parse_quoted(p);
        return brackets->signature != NULL;
    }
    if (!met_parse_labels(p, &brackets->targets))
        return false;
    if (met_parse_accept(p, MET_TOKEN_SEMICOLON)) {
        brackets->has_shape = true;
        brackets->shape = brackets->targets;
        if (!met_parse_labels(p, &brackets->targets))
            return false;
    }
    if (met_parse_accept(p, MET_TOKEN_LARROW))
        return parse_view(p, brackets);
    return met_parse_accept(p, MET_TOKEN_ARROW) ? parse_results(p, brackets) : true;
}

const met_ast_brackets *met_parse_brackets(met_parser *p)
{
    met_token *open = met_parse_accept(p, MET_TOKEN_LBRACKET);
    if (!met_parse_closed(p, p->at - 1))
        return NULL;
    met_ast_brackets *brackets = MET_NEW(p->arena, met_ast_brackets);
    bool good = met_parse_enter(p);
    if (!good)
        return NULL;
    good = parse_inside(p, brackets);
    met_parse_leave(p);
    met_token *close = good ? met_parse_expect(p, MET_TOKEN_RBRACKET, "closes the labels") : NULL;
    if (!close)
        return NULL;
    brackets->span = met_span_join(open->span, close->span);
    return brackets;
}

/* --- Types --- */

/* A format stands before `[`: bf16[n m], fp8/g128[n m]. */
static bool at_format(met_parser *p)
{
    uint32_t i = met_parse_peek(p, 1)->kind == MET_TOKEN_SLASH ? 3 : 1;
    return met_parse_at(p, MET_TOKEN_NAME) && met_parse_peek(p, i)->kind == MET_TOKEN_LBRACKET;
}

bool met_parse_format(met_parser *p, met_ast **ret_format)
{
    met_token *first = met_parse_expect(p, MET_TOKEN_NAME, "a format");
    if (!first)
        return false;
    met_ast *ast = met_ast_new(p, MET_AST_NAME, first->span);
    ast->name = first->name;
    if (met_parse_accept(p, MET_TOKEN_SLASH)) {
        met_token *second = met_parse_expect(p, MET_TOKEN_NAME, "how far a scale reaches, as in fp8/g128");
        if (!second)
            return false;
        ast->span = met_span_join(first->span, second->span);
        met_str text = { met_session_source(p->session, ast->span.source)->text.at + ast->span.begin, ast->span.end - ast->span.begin };
        ast->name = met_intern(p->session, text);
    }
    *ret_format = ast;
    return true;
}

static bool at_type(met_parser *p, uint32_t ahead)
{
    met_token *t = met_parse_peek(p, ahead);
    if (t->kind == MET_TOKEN_AT || (t->kind == MET_TOKEN_NAME && met_parse_peek(p, ahead + 1)->kind == MET_TOKEN_NAME &&
                                    met_str_is(met_sym_str(p->session, t->name), "state")))
        ahead++;
    return met_parse_peek(p, ahead)->kind == MET_TOKEN_NAME && met_parse_peek(p, ahead + 1)->kind == MET_TOKEN_COLON;
}

static bool parse_type_labels(met_parser *p, met_ast_labels *ret_labels)
{
    MET_VEC(met_ast_label) list = { 0 };
    met_span span = met_parse_peek(p, 0)->span;
    span.end = span.begin;
    while (at_label(p)) {
        met_ast_label label;
        if (!parse_label(p, &label) || !met_parse_room(p, list.count, label.span))
            return false;
        MET_PUSH(p->arena, &list, label);
        span = met_span_join(list.at[0].span, label.span);
        met_token_kind after = met_parse_peek(p, 1)->kind;
        bool joins = met_parse_at(p, MET_TOKEN_COMMA) && !at_type(p, 1) && (after == MET_TOKEN_NAME || after == MET_TOKEN_NUMBER);
        if (joins)
            p->at++;
    }
    *ret_labels = (met_ast_labels){ (uint32_t)list.count, list.at, span };
    return true;
}

static bool parse_type(met_parser *p, met_ast_type *ret_type)
{
    *ret_type = (met_ast_type){ 0 };
    if (met_parse_accept(p, MET_TOKEN_AT)) {
        ret_type->parameter = true;
    } else if (met_parse_peek(p, 1)->kind == MET_TOKEN_NAME && at_type(p, 0)) {
        ret_type->state = true;
        p->at++;
    }
    met_token *name = met_parse_expect(p, MET_TOKEN_NAME, "an input is written `name: labels`");
    if (!name || !met_parse_expect(p, MET_TOKEN_COLON, "an input is written `name: labels`"))
        return false;
    ret_type->name = name->name;
    ret_type->name_span = name->span;
    bool format = at_format(p);
    if (format && !met_parse_format(p, &ret_type->format))
        return false;
    bool bracket = met_parse_accept(p, MET_TOKEN_LBRACKET) != NULL;
    if (!parse_type_labels(p, &ret_type->labels))
        return false;
    return !bracket || met_parse_expect(p, MET_TOKEN_RBRACKET, "closes the labels");
}

bool met_parse_types(met_parser *p, met_statement *ret_statement, met_token_kind end)
{
    MET_VEC(met_ast_type) types = { 0 };
    while (!met_parse_at(p, end)) {
        met_ast_type type;
        if (!parse_type(p, &type) || !met_parse_room(p, types.count, type.name_span))
            return false;
        MET_PUSH(p->arena, &types, type);
        if (!met_parse_accept(p, MET_TOKEN_COMMA))
            break;
    }
    ret_statement->types = types.at;
    ret_statement->type_count = (uint32_t)types.count;
    return true;
}
