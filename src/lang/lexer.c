#include "lang/lexer.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"

/* A file that is not text at all should not be answered by a million diagnostics. */
enum { ERROR_LIMIT = 20 };

/* Tokens of one stretch: they are held at once. */
#define TOKEN_LIMIT ((size_t)4000000)

typedef struct lexer {
    met_session *session;
    const char *text;
    uint32_t source;
    uint32_t at, end;
    uint32_t errors;
    MET_VEC(met_token) tokens;
} lexer;

static met_span span_of(const lexer *l, uint32_t begin, uint32_t end)
{
    return (met_span){ l->source, begin, end };
}

static char peek(const lexer *l, uint32_t ahead)
{
    return l->end - l->at > ahead ? l->text[l->at + ahead] : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static met_token *push(lexer *l, met_token_kind kind, uint32_t begin)
{
    met_token token = { .kind = kind, .span = span_of(l, begin, l->at), .match = MET_TOKEN_UNMATCHED };
    MET_PUSH(l->session->arena, &l->tokens, token);
    return &l->tokens.at[l->tokens.count - 1];
}

static void error(lexer *l, met_code code, uint32_t begin, const char *message, const char *help)
{
    if (l->errors++ >= ERROR_LIMIT)
        return;
    met_diag *d = met_diag_add(l->session, code, span_of(l, begin, l->at), "%s", message);
    if (help)
        met_diag_help(d, "%s", help);
}

static void lex_name(lexer *l)
{
    uint32_t begin = l->at;
    while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
        l->at++;
    while (peek(l, 0) == '.' && (is_letter(peek(l, 1)) || is_digit(peek(l, 1)))) {
        l->at++;
        while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
            l->at++;
    }
    met_sym name = met_intern(l->session, (met_str){ l->text + begin, l->at - begin });
    push(l, MET_TOKEN_NAME, begin)->name = name;
}

static void skip_digits(lexer *l)
{
    while (is_digit(peek(l, 0)))
        l->at++;
}

static bool natural_of(met_str digits, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < digits.length; i++) {
        uint64_t digit = (uint64_t)(digits.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret_value = value;
    return true;
}

static void lex_number(lexer *l)
{
    uint32_t begin = l->at;
    bool integer = true;
    skip_digits(l);
    if (peek(l, 0) == '.' && is_digit(peek(l, 1))) {
        integer = false;
        l->at++;
        skip_digits(l);
    }
    if (peek(l, 0) == 'e' || peek(l, 0) == 'E') {
        uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if (is_digit(peek(l, 1 + sign))) {
            integer = false;
            l->at += 1 + sign;
            skip_digits(l);
        }
    }
    if (is_letter(peek(l, 0))) {
        while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
            l->at++;
        error(l, MET_DIAG_syntax, begin, "a number runs into a name", "a name starts with a letter; a product is written with `*`");
    }
    met_str digits = { l->text + begin, l->at - begin };
    met_token token = { .integer = integer };
    if (integer && digits.length && is_digit(digits.at[digits.length - 1]) && !natural_of(digits, &token.natural))
        error(l, MET_DIAG_input_too_large, begin, "an integer that does not fit 64 bits", NULL);
    if (met_read_double(digits, &token.number) && isinf(token.number))
        error(l, MET_DIAG_input_too_large, begin, "a number beyond the range of doubles", NULL);
    met_token *t = push(l, MET_TOKEN_NUMBER, begin);
    t->integer = integer;
    t->natural = token.natural;
    t->number = token.number;
}

/* Bytes of a well-formed UTF-8 sequence of more than one byte, or 0. */
static uint32_t utf8_sequence(const lexer *l)
{
    unsigned char lead = (unsigned char)peek(l, 0);
    uint32_t length = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    if (length == 0 || l->end - l->at < length)
        return 0;
    unsigned char second = (unsigned char)peek(l, 1);
    unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most)
        return 0;
    for (uint32_t i = 2; i < length; i++)
        if (((unsigned char)peek(l, i) & 0xC0) != 0x80)
            return 0;
    return length;
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

/* What to write instead of a character that text programs and documents like to put. */
static const char *ascii_for(const lexer *l)
{
    static const struct {
        const char *character, *help;
    } table[] = {
        { "‘", "write `'`" },  { "’", "write `'`" }, { "“", "write `'`" }, { "”", "write `'`" }, { "→", "write `->`" },
        { "←", "write `<-`" }, { "×", "write `*`" }, { "·", "write `*`" }, { "−", "write `-`" }, { "–", "write `-`" },
        { "—", "write `-`; a comment begins with `#`" }, { "≤", "write `<=`" }, { "≥", "write `>=`" },
        { "\xC2\xA0", "this is a no-break space: write a space" },
        { "\xEF\xBB\xBF", "this is a byte order mark: save the text as UTF-8 without one" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t length = strlen(table[i].character);
        if (l->end - l->at >= length && memcmp(l->text + l->at, table[i].character, length) == 0)
            return table[i].help;
    }
    return "names are made of ASCII letters, digits and `_`";
}

/* A run of bytes that no program may hold here. */
static void lex_foreign(lexer *l)
{
    uint32_t begin = l->at;
    const char *help = ascii_for(l);
    bool utf8 = true;
    while (l->at < l->end && ((unsigned char)peek(l, 0) >= 0x80 || is_control(peek(l, 0)))) {
        uint32_t length = utf8_sequence(l);
        utf8 &= length > 0;
        l->at += length ? length : 1;
    }
    if (utf8)
        error(l, MET_DIAG_encoding, begin, "only ASCII is used outside comments", help);
    else
        error(l, MET_DIAG_encoding, begin, "bytes that are not UTF-8, or a control character", NULL);
    push(l, MET_TOKEN_ERROR, begin);
}

static void skip_comment(lexer *l)
{
    while (l->at < l->end && peek(l, 0) != '\n') {
        uint32_t length = (unsigned char)peek(l, 0) < 0x80 ? !is_control(peek(l, 0)) : utf8_sequence(l);
        uint32_t begin = l->at;
        l->at += length ? length : 1;
        if (!length)
            error(l, MET_DIAG_encoding, begin, "bytes that are not UTF-8, or a control character", NULL);
    }
}

static void lex_string(lexer *l)
{
    uint32_t begin = l->at++;
    while (l->at < l->end && peek(l, 0) != '\'' && peek(l, 0) != '\n')
        l->at++;
    if (peek(l, 0) == '\'') {
        l->at++;
        push(l, MET_TOKEN_STRING, begin);
    } else {
        error(l, MET_DIAG_syntax, begin, "a string that does not end on its line", "close it with `'`");
        push(l, MET_TOKEN_ERROR, begin);
    }
}

static const struct punctuation {
    char text[3];
    met_token_kind kind;
} punctuation[] = {
    { ">>", MET_TOKEN_SHIFT },    { "->", MET_TOKEN_ARROW },    { "<-", MET_TOKEN_LARROW },  { "<=", MET_TOKEN_LE },
    { ">=", MET_TOKEN_GE },       { "==", MET_TOKEN_EQ },       { "!=", MET_TOKEN_NE },      { "&&", MET_TOKEN_AND },
    { "||", MET_TOKEN_OR },       { "@", MET_TOKEN_AT },        { "*", MET_TOKEN_STAR },     { "(", MET_TOKEN_LPAREN },
    { ")", MET_TOKEN_RPAREN },    { "[", MET_TOKEN_LBRACKET },  { "]", MET_TOKEN_RBRACKET }, { "{", MET_TOKEN_LBRACE },
    { "}", MET_TOKEN_RBRACE },    { ",", MET_TOKEN_COMMA },     { ";", MET_TOKEN_SEMICOLON }, { ":", MET_TOKEN_COLON },
    { "=", MET_TOKEN_ASSIGN },    { "+", MET_TOKEN_PLUS },      { "-", MET_TOKEN_MINUS },    { "/", MET_TOKEN_SLASH },
    { "^", MET_TOKEN_CARET },     { "<", MET_TOKEN_LT },        { ">", MET_TOKEN_GT },
};

const char *met_token_words(met_token_kind kind)
{
    static const char *const words[] = {
        [MET_TOKEN_END] = "the end of the text", [MET_TOKEN_NEWLINE] = "the end of the line", [MET_TOKEN_NAME] = "a name",
        [MET_TOKEN_NUMBER] = "a number",         [MET_TOKEN_STRING] = "a string",             [MET_TOKEN_AT] = "`@`",
        [MET_TOKEN_STAR] = "`*`",                [MET_TOKEN_SHIFT] = "`>>`",                  [MET_TOKEN_LPAREN] = "`(`",
        [MET_TOKEN_RPAREN] = "`)`",              [MET_TOKEN_LBRACKET] = "`[`",                [MET_TOKEN_RBRACKET] = "`]`",
        [MET_TOKEN_LBRACE] = "`{`",              [MET_TOKEN_RBRACE] = "`}`",                  [MET_TOKEN_COMMA] = "`,`",
        [MET_TOKEN_SEMICOLON] = "`;`",           [MET_TOKEN_COLON] = "`:`",                   [MET_TOKEN_ASSIGN] = "`=`",
        [MET_TOKEN_ARROW] = "`->`",              [MET_TOKEN_LARROW] = "`<-`",                 [MET_TOKEN_PLUS] = "`+`",
        [MET_TOKEN_MINUS] = "`-`",               [MET_TOKEN_SLASH] = "`/`",                   [MET_TOKEN_CARET] = "`^`",
        [MET_TOKEN_LT] = "`<`",                  [MET_TOKEN_LE] = "`<=`",                     [MET_TOKEN_GT] = "`>`",
        [MET_TOKEN_GE] = "`>=`",                 [MET_TOKEN_EQ] = "`==`",                     [MET_TOKEN_NE] = "`!=`",
        [MET_TOKEN_AND] = "`&&`",                [MET_TOKEN_OR] = "`||`",                  [MET_TOKEN_ERROR] = "what cannot be read",
    };
    return words[kind];
}

static void lex_punctuation(lexer *l)
{
    uint32_t begin = l->at;
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++) {
        const struct punctuation *p = &punctuation[i];
        if (peek(l, 0) != p->text[0] || (p->text[1] && peek(l, 1) != p->text[1]))
            continue;
        l->at += p->text[1] ? 2 : 1;
        push(l, p->kind, begin);
        return;
    }
    bool quote = peek(l, 0) == '"';
    l->at++;
    while (quote && l->at < l->end && peek(l, 0) != '"' && peek(l, 0) != '\n')
        l->at++;
    if (quote && peek(l, 0) == '"')
        l->at++;
    error(l, MET_DIAG_syntax, begin, quote ? "a string in double quotes" : "a character that the language does not use",
          quote ? "signatures stand in single quotes" : NULL);
    push(l, MET_TOKEN_ERROR, begin);
}

static void lex_one(lexer *l)
{
    char c = peek(l, 0);
    if (c == ' ' || c == '\t' || c == '\r') {
        l->at++;
    } else if (c == '\n') {
        l->at++; /* a blank line must not hide that the next one continues the statement: runs of newlines are one */
        if (l->tokens.count && l->tokens.at[l->tokens.count - 1].kind != MET_TOKEN_NEWLINE)
            push(l, MET_TOKEN_NEWLINE, l->at - 1);
    } else if (c == '#') {
        skip_comment(l);
    } else if (is_letter(c)) {
        lex_name(l);
    } else if (is_digit(c)) {
        lex_number(l);
    } else if (c == '\'') {
        lex_string(l);
    } else if ((unsigned char)c >= 0x80 || is_control(c)) {
        lex_foreign(l);
    } else {
        lex_punctuation(l);
    }
}

/* --- Brackets and newlines --- */

static met_token_kind opener_of(met_token_kind kind)
{
    return kind == MET_TOKEN_RPAREN     ? MET_TOKEN_LPAREN
           : kind == MET_TOKEN_RBRACKET ? MET_TOKEN_LBRACKET
           : kind == MET_TOKEN_RBRACE   ? MET_TOKEN_LBRACE
                                        : MET_TOKEN_END;
}

/* Pairs brackets. A closing bracket leaves unmatched what was opened after its partner; one without a partner within
 * the innermost open braces is left alone. `open` counts what may still be closed, so that no search is repeated. */
static void match_brackets(lexer *l)
{
    MET_VEC(uint32_t) stack = { 0 };
    uint32_t open[MET_TOKEN_OR + 1] = { 0 };
    for (uint32_t i = 0; i < l->tokens.count; i++) {
        met_token_kind kind = l->tokens.at[i].kind;
        if (kind == MET_TOKEN_LPAREN || kind == MET_TOKEN_LBRACKET || kind == MET_TOKEN_LBRACE) {
            MET_PUSH(l->session->arena, &stack, i);
            open[kind]++;
        }
        met_token_kind wanted = opener_of(kind);
        if (wanted == MET_TOKEN_END || open[wanted] == 0)
            continue;
        while (stack.count > 0) {
            uint32_t top = stack.at[stack.count - 1];
            met_token_kind top_kind = l->tokens.at[top].kind;
            if (top_kind == MET_TOKEN_LBRACE && wanted != MET_TOKEN_LBRACE)
                break;
            stack.count--;
            open[top_kind]--;
            if (top_kind == wanted) {
                l->tokens.at[top].match = i;
                break;
            }
        }
    }
}

/* After these a statement cannot end … */
static bool continues_after(met_token_kind kind)
{
    return kind == MET_TOKEN_AT || kind == MET_TOKEN_STAR || kind == MET_TOKEN_SHIFT || kind == MET_TOKEN_COMMA ||
           kind == MET_TOKEN_ASSIGN || kind == MET_TOKEN_ARROW || (kind >= MET_TOKEN_PLUS && kind <= MET_TOKEN_OR);
}

/* … and with these none can begin: except `@name: type`, and `->`, which is not among them. */
static bool continues_before(const lexer *l, uint32_t next)
{
    const met_token *t = &l->tokens.at[next];
    uint32_t left = (uint32_t)l->tokens.count - next;
    if (t->kind == MET_TOKEN_AT)
        return !(left > 2 && t[1].kind == MET_TOKEN_NAME && t[2].kind == MET_TOKEN_COLON);
    return t->kind == MET_TOKEN_STAR || t->kind == MET_TOKEN_SHIFT || (t->kind >= MET_TOKEN_PLUS && t->kind <= MET_TOKEN_OR);
}

static bool is_group(const met_token *t)
{
    return t->match != MET_TOKEN_UNMATCHED && t->kind != MET_TOKEN_LBRACE;
}

/* Drops the newlines that separate nothing, and renumbers the matches. */
static void drop_newlines(lexer *l)
{
    uint32_t count = (uint32_t)l->tokens.count;
    uint32_t *place = MET_NEW_ARRAY(l->session->arena, uint32_t, count + 1);
    uint32_t kept = 0, inside_until = 0;
    met_token_kind previous = MET_TOKEN_NEWLINE;
    for (uint32_t i = 0; i < count; i++) {
        met_token *t = &l->tokens.at[i];
        place[i] = kept;
        if (is_group(t) && t->match > inside_until)
            inside_until = t->match;
        if (t->kind == MET_TOKEN_NEWLINE) {
            uint32_t next = i + 1;
            bool drop = i < inside_until || previous == MET_TOKEN_NEWLINE || continues_after(previous) ||
                        (next < count && continues_before(l, next));
            if (drop)
                continue;
        }
        previous = t->kind;
        l->tokens.at[kept++] = *t;
    }
    for (uint32_t i = 0; i < kept; i++)
        if (l->tokens.at[i].match != MET_TOKEN_UNMATCHED)
            l->tokens.at[i].match = place[l->tokens.at[i].match];
    l->tokens.count = kept;
}

bool met_lex(met_session *session, met_span span, met_tokens *ret_tokens)
{
    const met_source *source = met_session_source(session, span.source);
    lexer l = { .session = session, .text = source->text.at, .source = span.source, .at = span.begin, .end = span.end };
    while (l.at < l.end && l.errors < ERROR_LIMIT && l.tokens.count < TOKEN_LIMIT)
        lex_one(&l);
    if (l.tokens.count >= TOKEN_LIMIT) {
        error(&l, MET_DIAG_input_too_large, l.at, "a text of more than 4000000 tokens", NULL);
        l.tokens.count = 0;
    }
    match_brackets(&l);
    drop_newlines(&l);
    l.at = l.end;
    push(&l, MET_TOKEN_END, l.end);
    *ret_tokens = (met_tokens){ l.tokens.at, (uint32_t)l.tokens.count };
    return l.errors == 0;
}
