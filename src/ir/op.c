#include "ir/op.h"

#include <string.h>

const met_op met_op_table[MET_OP_COUNT] = {
#define MET_OP(id, name, form, bracket, pattern, formats, arrays, params, outs, monoid, formula, options, flops, error, \
               glyph, summary)                                                                                         \
    [MET_OP_##id] = { MET_OP_##id, name, MET_FORM_##form, MET_BRACKET_##bracket, pattern, formats, arrays, params,      \
                      outs, MET_MONOID_##monoid, formula, options, MET_FLOPS_##flops, error, glyph, summary },
#include "ir/ops.def"
#undef MET_OP
};

static const char *const op_names[MET_OP_COUNT] = {
#define MET_OP(id, name, ...) [MET_OP_##id] = name,
#include "ir/ops.def"
#undef MET_OP
};

const met_op *met_op_find(met_str name)
{
    for (int i = 0; i < MET_OP_COUNT; i++)
        if (met_str_is(name, met_op_table[i].name))
            return &met_op_table[i];
    return NULL;
}

const met_op *met_op_by_id(met_op_id id)
{
    return &met_op_table[id];
}

const char *const *met_op_names(size_t *ret_count)
{
    *ret_count = MET_OP_COUNT;
    return op_names;
}

static met_str cut(const char **at, const char *stops)
{
    size_t length = strcspn(*at, stops);
    met_str part = { *at, length };
    *at += length;
    return part;
}

static met_attr_kind kind_of(met_str name)
{
    static const struct {
        const char *name;
        met_attr_kind kind;
    } kinds[] = { { "number", MET_ATTR_NUMBER }, { "word", MET_ATTR_WORD },     { "dim", MET_ATTR_DIM },
                  { "scalar", MET_ATTR_SCALAR }, { "format", MET_ATTR_FORMAT }, { "guards", MET_ATTR_GUARDS } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (met_str_is(name, kinds[i].name))
            return kinds[i].kind;
    met_fatal("ops.def names an unknown kind of option");
}

/* One entry: [!]name:kind[(word|word)][=default] */
static met_option read_option(const char **at)
{
    met_option option = { .required = true };
    if (**at == '!') {
        option.positional = true;
        ++*at;
    }
    option.name = cut(at, ":");
    ++*at;
    option.kind = kind_of(cut(at, "(= "));
    if (**at == '(') {
        ++*at;
        option.words = cut(at, ")");
        ++*at;
    }
    if (**at == '=') {
        ++*at;
        option.fallback = cut(at, " ");
        option.required = false;
    }
    return option;
}

size_t met_op_options(const met_op *op, met_option ret_options[MET_OPTION_LIMIT])
{
    size_t count = 0;
    const char *at = op->options;
    while (*at) {
        if (*at == ' ') {
            at++;
            continue;
        }
        if (count == MET_OPTION_LIMIT)
            met_fatal("an op in ops.def has too many options");
        ret_options[count++] = read_option(&at);
    }
    return count;
}

bool met_op_has_formulas(const met_op *op)
{
    return op->id == MET_OP_map || op->id == MET_OP_fold || op->id == MET_OP_scan;
}

uint32_t met_op_letters(const met_op *op, met_str option, uint32_t arrays)
{
    uint32_t letters = arrays + (met_op_scans(op) && !met_str_is(option, "recall"));
    return letters < 26 ? letters : 26;
}

uint32_t met_op_leader(const met_op *op)
{
    return met_op_scans(op) ? 1 : 0; /* the first array is the state */
}

bool met_op_scans(const met_op *op)
{
    return strcmp(op->pattern, "scan") == 0;
}

char met_op_format_letter(const met_op *op, bool result, uint32_t k)
{
    const char *arrow = strstr(op->formats, "->");
    const char *at = result ? arrow + 2 : op->formats, *end = result ? arrow + strlen(arrow) : arrow;
    char letter = '-';
    for (; at < end; at++) {
        if (*at == ' ' || *at == '|')
            continue;
        letter = *at;
        if (k-- == 0)
            break;
    }
    return letter; /* the last one repeats */
}

bool met_option_allows(met_str words, met_str word)
{
    for (size_t at = 0; at < words.length;) {
        size_t end = at;
        while (end < words.length && words.at[end] != '|')
            end++;
        if (met_str_equal((met_str){ words.at + at, end - at }, word))
            return true;
        at = end + 1;
    }
    return false;
}
