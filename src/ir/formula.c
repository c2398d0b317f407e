#include "ir/formula.h"

#include <string.h>

/* Not <ctype.h>: that follows the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

typedef struct reader {
    met_arena *arena;
    const char *at;
    size_t name_count;
    const met_formula_name *names;
} reader;

/* Binary operators, the loosest first; `^` is read with the atoms, as it binds to the right. */
static const char *const levels[][4] = {
    { "||" }, { "&&" }, { "==", "!=" }, { "<=", ">=", "<", ">" }, { "+", "-" }, { "*", "/" },
};
#define LEVELS (sizeof levels / sizeof *levels)

static const met_scalar *read_level(reader *r, size_t level);

static void skip_spaces(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool take(reader *r, const char *token)
{
    skip_spaces(r);
    size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void expect(reader *r, const char *token)
{
    if (!take(r, token))
        met_fatal("a formula of the program's own does not follow the grammar");
}

static met_scalar_fn function(met_str spelling)
{
    met_scalar_fn fn;
    if (!met_scalar_fn_find(spelling, &fn))
        met_fatal("a formula of the program's own calls an unknown function");
    return fn;
}

static const met_scalar *read_call(reader *r, met_str name)
{
    met_scalar_fn fn = function(name);
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    expect(r, "(");
    for (int i = 0; i < met_scalar_fn_table[fn].arity; i++) {
        if (i > 0)
            expect(r, ",");
        arguments[i] = read_level(r, 0);
    }
    expect(r, ")");
    return met_scalar_call(r->arena, fn, arguments[0], arguments[1], arguments[2]);
}

static const met_scalar *read_name(reader *r)
{
    const char *begin = r->at;
    while (is_name_char(*r->at))
        r->at++;
    met_str name = { begin, (size_t)(r->at - begin) };
    for (size_t i = 0; i < r->name_count; i++)
        if (met_str_is(name, r->names[i].name))
            return r->names[i].value;
    if (name.length == 1 && (*begin >= 'a' && *begin <= 'z'))
        return met_scalar_input(r->arena, (uint32_t)(*begin - 'a'));
    return read_call(r, name);
}

static const met_scalar *read_number(reader *r)
{
    const char *begin = r->at;
    while (is_digit(*r->at) || *r->at == '.')
        r->at++;
    double number;
    if (!met_read_double((met_str){ begin, (size_t)(r->at - begin) }, &number))
        met_fatal("a formula of the program's own holds a wrong number");
    return met_scalar_number(r->arena, number);
}

static const met_scalar *read_atom(reader *r)
{
    skip_spaces(r);
    const met_scalar *atom;
    if (take(r, "(")) {
        atom = read_level(r, 0);
        expect(r, ")");
    } else {
        atom = is_digit(*r->at) ? read_number(r) : read_name(r);
    }
    if (take(r, "^"))
        return met_scalar_call(r->arena, MET_FN_pow, atom, read_atom(r), NULL);
    return atom;
}

static const met_scalar *read_unary(reader *r)
{
    return take(r, "-") ? met_scalar_call(r->arena, MET_FN_neg, read_unary(r), NULL, NULL) : read_atom(r);
}

static const met_scalar *read_level(reader *r, size_t level)
{
    if (level == LEVELS)
        return read_unary(r);
    const met_scalar *left = read_level(r, level + 1);
    for (size_t i = 0; i < 4 && levels[level][i]; i++) {
        if (take(r, levels[level][i])) {
            const met_scalar *right = read_level(r, level + 1);
            left = met_scalar_call(r->arena, function(met_str_of(levels[level][i])), left, right, NULL);
            i = (size_t)-1; /* the level's operators once more, from the first */
        }
    }
    return left;
}

const met_scalar *met_formula_read(met_arena *arena, const char *text, size_t name_count,
                                   const met_formula_name *names)
{
    reader r = { arena, text, name_count, names };
    const met_scalar *scalar = read_level(&r, 0);
    skip_spaces(&r);
    if (*r.at)
        met_fatal("a formula of the program's own goes on after its end");
    return scalar;
}
