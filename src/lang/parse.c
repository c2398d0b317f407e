/* Statements, and what all parts of the parser use. */
#include "lang/parse.h"

met_token *met_parse_peek(met_parser *p, uint32_t ahead)
{
    uint32_t last = p->tokens.count - 1;
    return &p->tokens.at[last - p->at < ahead ? last : p->at + ahead];
}

bool met_parse_at(const met_parser *p, met_token_kind kind)
{
    return p->tokens.at[p->at].kind == kind;
}

met_token *met_parse_accept(met_parser *p, met_token_kind kind)
{
    if (!met_parse_at(p, kind))
        return NULL;
    met_token *token = &p->tokens.at[p->at];
    if (kind != MET_TOKEN_END)
        p->at++;
    return token;
}

met_diag *met_parse_unexpected(met_parser *p, const char *wanted)
{
    met_token *found = met_parse_peek(p, 0);
    p->failed = true;
    if (found->kind == MET_TOKEN_ERROR) { /* reported by the lexer: one diagnostic is enough */
        met_diag *unseen = MET_NEW(p->arena, met_diag);
        unseen->session = p->session;
        return unseen;
    }
    met_diag *d = met_diag_add(p->session, MET_DIAG_syntax, found->span, "expected %s, found %s", wanted, met_token_words(found->kind));
    if (found->kind == MET_TOKEN_COLON)
        met_diag_help(d, "a format stands before the axes, as in x: bf16[n m], or behind an equation, as in y = softmax[m](x) : f32; a size has `=`, as in n=4");
    return d;
}

met_token *met_parse_expect(met_parser *p, met_token_kind kind, const char *where)
{
    met_token *token = met_parse_accept(p, kind);
    if (token)
        return token;
    met_diag *d = met_parse_unexpected(p, met_token_words(kind));
    if (where)
        met_diag_label(d, "%s", where);
    return NULL;
}

bool met_parse_closed(met_parser *p, uint32_t opening)
{
    const met_token *open = &p->tokens.at[opening];
    if (open->match != MET_TOKEN_UNMATCHED)
        return true;
    met_diag_add(p->session, MET_DIAG_syntax, open->span, "%s is never closed", met_token_words(open->kind));
    p->failed = true;
    return false;
}

void *met_parse_fail(met_parser *p, met_code code, met_span span, const char *message)
{
    p->failed = true;
    met_diag_add(p->session, code, span, "%s", message);
    return NULL;
}

bool met_parse_enter(met_parser *p)
{
    if (p->depth >= MET_LANG_DEPTH) {
        met_parse_fail(p, MET_DIAG_too_deep, met_parse_peek(p, 0)->span, "expressions are nested too deeply");
        return false;
    }
    p->depth++;
    return true;
}

void met_parse_leave(met_parser *p)
{
    p->depth--;
}

bool met_parse_room(met_parser *p, size_t count, met_span span)
{
    if (count < MET_LANG_LIST)
        return true;
    met_parse_fail(p, MET_DIAG_input_too_large, span, "a list of more than 4096 entries");
    return false;
}

met_ast *met_ast_new(met_parser *p, met_ast_kind kind, met_span span)
{
    met_ast *ast = MET_NEW(p->arena, met_ast);
    ast->kind = kind;
    ast->span = span;
    ast->height = 1;
    return ast;
}

met_span met_span_join(met_span a, met_span b)
{
    return (met_span){ a.source, a.begin, b.end };
}

/* --- Statements --- */

static bool is_word(met_parser *p, uint32_t ahead, const char *word)
{
    met_token *t = met_parse_peek(p, ahead);
    return t->kind == MET_TOKEN_NAME && met_str_is(met_sym_str(p->session, t->name), word);
}

static bool name_then(met_parser *p, uint32_t ahead, met_token_kind kind)
{
    return met_parse_peek(p, ahead)->kind == MET_TOKEN_NAME && met_parse_peek(p, ahead + 1)->kind == kind;
}

static bool at_separator(const met_parser *p)
{
    return met_parse_at(p, MET_TOKEN_NEWLINE) || met_parse_at(p, MET_TOKEN_SEMICOLON);
}

static bool parse_names(met_parser *p, const char *where, uint32_t *ret_count, met_ast_name **ret_names)
{
    MET_VEC(met_ast_name) names = { 0 };
    do {
        met_token *t = met_parse_expect(p, MET_TOKEN_NAME, where);
        if (!t || !met_parse_room(p, names.count, t->span))
            return false;
        met_ast_name name = { t->name, t->span };
        MET_PUSH(p->arena, &names, name);
    } while (met_parse_accept(p, MET_TOKEN_COMMA));
    *ret_count = (uint32_t)names.count;
    *ret_names = names.at;
    return true;
}

static void parse_body(met_parser *p, met_token_kind end, met_program *ret_program);

/* (types) [-> names] { body }, after the name. */
static bool parse_header(met_parser *p, met_statement *s)
{
    s->kind = MET_STATEMENT_DEFINE;
    if (!met_parse_expect(p, MET_TOKEN_LPAREN, NULL) || !met_parse_types(p, s, MET_TOKEN_RPAREN) ||
        !met_parse_expect(p, MET_TOKEN_RPAREN, "after the typed inputs"))
        return false;
    if (met_parse_accept(p, MET_TOKEN_ARROW)) {
        s->has_outputs = true;
        if (!parse_names(p, "outputs are named", &s->output_count, &s->outputs))
            return false;
    }
    met_parse_accept(p, MET_TOKEN_NEWLINE);
    uint32_t opening = p->at;
    if (!met_parse_expect(p, MET_TOKEN_LBRACE, "the body of the definition") || !met_parse_closed(p, opening) || !met_parse_enter(p))
        return false;
    parse_body(p, MET_TOKEN_RBRACE, &s->body);
    met_parse_leave(p);
    return met_parse_expect(p, MET_TOKEN_RBRACE, "the end of the body") != NULL;
}

/* name ( … ) followed by `->` or `{`: only a definition looks like this. */
static bool at_header(met_parser *p)
{
    if (!name_then(p, 0, MET_TOKEN_LPAREN))
        return false;
    uint32_t close = met_parse_peek(p, 1)->match;
    if (close == MET_TOKEN_UNMATCHED)
        return false;
    met_token_kind next = p->tokens.at[close + 1].kind;
    if (next == MET_TOKEN_NEWLINE)
        next = p->tokens.at[close + 2].kind == MET_TOKEN_LBRACE ? MET_TOKEN_LBRACE : MET_TOKEN_NEWLINE;
    return next == MET_TOKEN_ARROW || next == MET_TOKEN_LBRACE;
}

static bool at_bind(met_parser *p)
{
    uint32_t i = 0;
    while (name_then(p, i, MET_TOKEN_COMMA))
        i += 2;
    return name_then(p, i, MET_TOKEN_ASSIGN);
}

static bool one_name(met_parser *p, met_statement *s)
{
    met_token *t = met_parse_expect(p, MET_TOKEN_NAME, NULL);
    if (!t)
        return false;
    s->names = MET_NEW(p->arena, met_ast_name);
    *s->names = (met_ast_name){ t->name, t->span };
    s->name_count = 1;
    return true;
}

static bool parse_value(met_parser *p, met_statement *s, bool size)
{
    s->value = size ? met_parse_size(p) : met_parse_term(p);
    return s->value != NULL;
}

/* `y = exp(x) : bf16`: the format that each name is stored in, after the value. */
static bool parse_stored(met_parser *p, met_statement *s)
{
    if (!met_parse_accept(p, MET_TOKEN_COLON))
        return true;
    s->formats = MET_NEW_ARRAY(p->arena, met_ast *, s->name_count);
    for (uint32_t i = 0; i < s->name_count; i++)
        if ((i && !met_parse_expect(p, MET_TOKEN_COMMA, "one format for each name")) || !met_parse_format(p, &s->formats[i]))
            return false;
    return true;
}

static bool parse_statement(met_parser *p, met_statement *s)
{
    if (is_word(p, 0, "circuit") && name_then(p, 1, MET_TOKEN_LPAREN)) {
        p->at++;
        s->circuit = true;
        return one_name(p, s) && parse_header(p, s);
    }
    if (is_word(p, 0, "let") && name_then(p, 1, MET_TOKEN_ASSIGN)) {
        p->at++;
        s->kind = MET_STATEMENT_LET;
        return one_name(p, s) && met_parse_expect(p, MET_TOKEN_ASSIGN, NULL) && parse_value(p, s, true);
    }
    bool state = is_word(p, 0, "state") && name_then(p, 1, MET_TOKEN_COLON);
    bool parameter = met_parse_at(p, MET_TOKEN_AT) && name_then(p, 1, MET_TOKEN_COLON);
    if (state || parameter || name_then(p, 0, MET_TOKEN_COLON)) {
        s->kind = MET_STATEMENT_TYPES;
        return met_parse_types(p, s, MET_TOKEN_END);
    }
    if (met_parse_accept(p, MET_TOKEN_ARROW)) {
        s->kind = MET_STATEMENT_OUTPUTS;
        return parse_names(p, "outputs are named", &s->name_count, &s->names);
    }
    if (at_header(p))
        return one_name(p, s) && parse_header(p, s);
    s->kind = MET_STATEMENT_BARE;
    if (at_bind(p)) {
        s->kind = MET_STATEMENT_BIND;
        if (!parse_names(p, NULL, &s->name_count, &s->names) || !met_parse_expect(p, MET_TOKEN_ASSIGN, NULL))
            return false;
    }
    return parse_value(p, s, false) && (s->kind == MET_STATEMENT_BARE || parse_stored(p, s));
}

/* Skips to the end of a statement that could not be read, past whatever it opened. */
static void recover(met_parser *p, met_token_kind end)
{
    while (!at_separator(p) && !met_parse_at(p, end) && !met_parse_at(p, MET_TOKEN_END)) {
        met_token *t = met_parse_peek(p, 0);
        p->at = t->match != MET_TOKEN_UNMATCHED ? t->match + 1 : p->at + 1;
    }
}

static void parse_body(met_parser *p, met_token_kind end, met_program *ret_program)
{
    MET_VEC(met_statement) list = { 0 };
    met_span begin = met_parse_peek(p, 0)->span;
    while (true) {
        while (at_separator(p))
            p->at++;
        if (met_parse_at(p, end) || met_parse_at(p, MET_TOKEN_END))
            break;
        uint32_t first = p->at;
        met_statement s = { .kind = MET_STATEMENT_BARE };
        bool good = parse_statement(p, &s);
        if (good && !at_separator(p) && !met_parse_at(p, end) && !met_parse_at(p, MET_TOKEN_END)) {
            bool juxtaposed = met_parse_at(p, MET_TOKEN_NAME) || met_parse_at(p, MET_TOKEN_STRING);
            met_diag *d = met_parse_unexpected(p, "the end of the statement");
            if (juxtaposed)
                met_diag_help(d, "write `f @ g` for f, then g, and `f * g` for f beside g");
            good = false;
        }
        if (good) {
            s.span = met_span_join(p->tokens.at[first].span, p->tokens.at[p->at - 1].span);
            MET_PUSH(p->arena, &list, s);
        } else {
            recover(p, end);
        }
        if (p->at == first)
            p->at++; /* a closing bracket that nothing opened */
    }
    *ret_program = (met_program){ (uint32_t)list.count, list.at, met_span_join(begin, met_parse_peek(p, 0)->span) };
}

static met_parser parser_of(met_session *session, met_span span)
{
    met_parser p = { .session = session, .arena = session->arena };
    p.failed = !met_lex(session, span, &p.tokens);
    return p;
}

bool met_parse_program(met_session *session, met_span span, met_program *ret_program)
{
    met_parser p = parser_of(session, span);
    parse_body(&p, MET_TOKEN_END, ret_program);
    return !p.failed;
}

met_ast *met_parse_expression(met_session *session, met_span span)
{
    met_parser p = parser_of(session, span);
    while (at_separator(&p))
        p.at++;
    met_ast *ast = met_parse_term(&p);
    while (at_separator(&p))
        p.at++;
    if (ast && !met_parse_at(&p, MET_TOKEN_END))
        met_parse_unexpected(&p, "the end of the expression");
    return p.failed ? NULL : ast;
}

bool met_parse_definition(met_session *session, met_sym name, met_span span, met_statement *ret_statement)
{
    met_parser p = parser_of(session, span);
    *ret_statement = (met_statement){ .span = span, .name_count = 1, .names = MET_NEW(session->arena, met_ast_name) };
    *ret_statement->names = (met_ast_name){ name, span };
    while (at_separator(&p))
        p.at++;
    bool good = true;
    if (met_parse_at(&p, MET_TOKEN_LPAREN) && met_parse_peek(&p, 0)->match != MET_TOKEN_UNMATCHED &&
        (p.tokens.at[met_parse_peek(&p, 0)->match + 1].kind == MET_TOKEN_ARROW ||
         p.tokens.at[met_parse_peek(&p, 0)->match + 1].kind == MET_TOKEN_LBRACE)) {
        good = parse_header(&p, ret_statement);
    } else {
        ret_statement->kind = MET_STATEMENT_BIND;
        good = parse_value(&p, ret_statement, false);
    }
    while (at_separator(&p))
        p.at++;
    if (good && !met_parse_at(&p, MET_TOKEN_END))
        met_parse_unexpected(&p, "the end of the definition");
    return good && !p.failed;
}
