/* Tokens of the language. A stretch of a source is cut into tokens at once, so that the parser may look ahead freely;
 * spans are those of the source, so that an expression inside a string of a file keeps its place. */
#ifndef MET_LANG_LEXER_H
#define MET_LANG_LEXER_H

#include "base/session.h"

typedef enum met_token_kind {
    MET_TOKEN_END,
    MET_TOKEN_NEWLINE, /* one that separates statements; others are dropped */
    MET_TOKEN_NAME,
    MET_TOKEN_NUMBER,
    MET_TOKEN_STRING, /* the span includes the quotes */
    MET_TOKEN_AT,
    MET_TOKEN_STAR,
    MET_TOKEN_SHIFT,
    MET_TOKEN_LPAREN,
    MET_TOKEN_RPAREN,
    MET_TOKEN_LBRACKET,
    MET_TOKEN_RBRACKET,
    MET_TOKEN_LBRACE,
    MET_TOKEN_RBRACE,
    MET_TOKEN_COMMA,
    MET_TOKEN_SEMICOLON,
    MET_TOKEN_COLON,
    MET_TOKEN_ASSIGN,
    MET_TOKEN_ARROW,
    MET_TOKEN_LARROW,
    MET_TOKEN_PLUS,
    MET_TOKEN_MINUS,
    MET_TOKEN_SLASH,
    MET_TOKEN_CARET,
    MET_TOKEN_LT,
    MET_TOKEN_LE,
    MET_TOKEN_GT,
    MET_TOKEN_GE,
    MET_TOKEN_EQ,
    MET_TOKEN_NE,
    MET_TOKEN_AND,
    MET_TOKEN_OR,
    MET_TOKEN_ERROR /* what could not be read, and has been reported */
} met_token_kind;

typedef struct met_token {
    met_token_kind kind;
    met_span span;
    met_sym name;     /* NAME */
    double number;    /* NUMBER */
    bool integer;     /* NUMBER without point and exponent; natural is its value */
    uint64_t natural;
    uint32_t match;   /* opening brackets: the token that closes it, or MET_TOKEN_UNMATCHED */
} met_token;

#define MET_TOKEN_UNMATCHED UINT32_MAX

typedef struct met_tokens {
    met_token *at; /* the last is END, at the end of the stretch */
    uint32_t count;
} met_tokens;

/* Cuts the stretch into tokens. False after diagnostics; the tokens that could be read are there all the same, so that
 * the parser can look for further errors. */
bool met_lex(met_session *session, met_span span, met_tokens *ret_tokens);

/* How a token is called in messages: "`@`", "a name", "the end of the line". */
const char *met_token_words(met_token_kind kind);

#endif
