/* Inside of the parser: what its files share. A parsing function returns NULL or false after it has put a diagnostic
 * into the session; who opened a matched bracket, or a statement, goes on after it. */
#ifndef MET_LANG_PARSE_H
#define MET_LANG_PARSE_H

#include "base/diag.h"
#include "lang/ast.h"

typedef struct met_parser {
    met_session *session;
    met_arena *arena;
    met_tokens tokens;
    uint32_t at;
    uint32_t depth;
    bool failed;
} met_parser;

met_token *met_parse_peek(met_parser *p, uint32_t ahead);
bool met_parse_at(const met_parser *p, met_token_kind kind);
/* The next token if it is of this kind (and is then taken), else NULL. */
met_token *met_parse_accept(met_parser *p, met_token_kind kind);
/* The same, with a diagnostic: "expected `)`". `where` says after or in what. */
met_token *met_parse_expect(met_parser *p, met_token_kind kind, const char *where);
/* A diagnostic at the next token: "expected WANTED, found …". */
met_diag *met_parse_unexpected(met_parser *p, const char *wanted);
/* Whether the bracket at this token has a partner; a diagnostic if not. */
bool met_parse_closed(met_parser *p, uint32_t opening);
void *met_parse_fail(met_parser *p, met_code code, met_span span, const char *message);
bool met_parse_enter(met_parser *p);
void met_parse_leave(met_parser *p);
/* False, with a diagnostic, if a list of `count` may not grow. */
bool met_parse_room(met_parser *p, size_t count, met_span span);

met_ast *met_ast_new(met_parser *p, met_ast_kind kind, met_span span);
met_span met_span_join(met_span a, met_span b);

met_ast *met_parse_term(met_parser *p); /* a whole expression */
bool met_parse_format(met_parser *p, met_ast **ret_format); /* bf16, fp8/g128 */
met_ast *met_parse_size(met_parser *p); /* sums and products: what follows `label =` */

bool met_parse_labels(met_parser *p, met_ast_labels *ret_labels);
/* The inside of [ ], both brackets included. */
const met_ast_brackets *met_parse_brackets(met_parser *p);
/* The next token is a STRING: its inside. */
const met_ast_signature *met_parse_quoted(met_parser *p);
/* name: format[labels], and further ones after commas. */
bool met_parse_types(met_parser *p, met_statement *ret_statement, met_token_kind end);

#endif
