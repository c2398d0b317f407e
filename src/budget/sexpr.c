#include "budget/sexpr.h"

#include "base/diag.h"

typedef MET_VEC(met_sexpr) sexpr_list;

typedef struct reader {
    met_session *session;
    uint32_t source;
    met_str text;
    size_t at;
    size_t items;
} reader;

static met_span span_of(const reader *r, size_t begin, size_t end)
{
    return (met_span){ r->source, (uint32_t)begin, (uint32_t)end };
}

static bool fail(reader *r, size_t begin, const char *message)
{
    size_t end = begin < r->text.length ? begin + 1 : begin;
    met_diag_add(r->session, MET_DIAG_syntax, span_of(r, begin, end), "%s", message);
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_word(char c)
{
    return is_space(c) || c == '(' || c == ')' || c == '[' || c == ']' || c == '"' || c == ';';
}

static void skip_blank(reader *r)
{
    for (; r->at < r->text.length; r->at++) {
        if (r->text.at[r->at] == ';')
            while (r->at + 1 < r->text.length && r->text.at[r->at] != '\n')
                r->at++;
        else if (!is_space(r->text.at[r->at]))
            return;
    }
}

static bool read_string(reader *r, met_sexpr *ret)
{
    size_t begin = r->at++;
    while (r->at < r->text.length && r->text.at[r->at] != '"')
        r->at += r->text.at[r->at] == '\\' && r->at + 1 < r->text.length ? 2 : 1;
    if (r->at >= r->text.length)
        return fail(r, begin, "a string that does not end");
    r->at++;
    *ret = (met_sexpr){ MET_SEXPR_STRING, span_of(r, begin, r->at), { r->text.at + begin + 1, r->at - begin - 2 }, 0, NULL };
    return true;
}

static bool read_one(reader *r, unsigned depth, met_sexpr *ret);

/* Items up to the closing bracket, or to the end of the text if `close` is 0. */
static bool read_items(reader *r, char close, size_t begin, unsigned depth, met_sexpr *ret)
{
    sexpr_list list = { 0 };
    for (;;) {
        met_sexpr item;
        skip_blank(r);
        if (r->at >= r->text.length) {
            if (close)
                return fail(r, begin, "a list that does not end");
            break;
        }
        char c = r->text.at[r->at];
        if (c == ')' || c == ']') {
            if (c != close)
                return fail(r, r->at, close ? "the wrong closing bracket" : "a closing bracket that nothing opens");
            r->at++;
            break;
        }
        if (!read_one(r, depth, &item))
            return false;
        MET_PUSH(r->session->arena, &list, item);
    }
    *ret = (met_sexpr){ MET_SEXPR_LIST, span_of(r, begin, r->at), { NULL, 0 }, list.count, list.at };
    return true;
}

static bool read_one(reader *r, unsigned depth, met_sexpr *ret)
{
    size_t begin = r->at;
    char c = r->text.at[r->at];
    if (++r->items > MET_SEXPR_ITEMS) {
        met_diag_add(r->session, MET_DIAG_input_too_large, span_of(r, begin, begin + 1), "more than %d words and lists", MET_SEXPR_ITEMS);
        return false;
    }
    if (c == '"')
        return read_string(r, ret);
    if (c == '(' || c == '[') {
        if (depth >= MET_SEXPR_DEPTH) {
            met_diag_add(r->session, MET_DIAG_too_deep, span_of(r, begin, begin + 1), "lists deeper than %d", MET_SEXPR_DEPTH);
            return false;
        }
        r->at++;
        return read_items(r, c == '(' ? ')' : ']', begin, depth + 1, ret);
    }
    while (r->at < r->text.length && !ends_word(r->text.at[r->at]))
        r->at++;
    *ret = (met_sexpr){ MET_SEXPR_WORD, span_of(r, begin, r->at), { r->text.at + begin, r->at - begin }, 0, NULL };
    return true;
}

const met_sexpr *met_sexpr_read(met_session *session, uint32_t source)
{
    reader r = { session, source, met_session_source(session, source)->text, 0, 0 };
    met_sexpr *all = MET_NEW(session->arena, met_sexpr);
    return read_items(&r, 0, 0, 0, all) ? all : NULL;
}

bool met_sexpr_is(const met_sexpr *expression, const char *word)
{
    return expression->kind == MET_SEXPR_WORD && met_str_is(expression->text, word);
}

bool met_sexpr_heads(const met_sexpr *expression, const char *word)
{
    return expression->kind == MET_SEXPR_LIST && expression->count > 0 && met_sexpr_is(&expression->items[0], word);
}
