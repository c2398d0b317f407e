/* Options: what was written is checked against the op's row, and what was not written gets its default. */
#include <string.h>

#include "base/diag.h"
#include "ir/builder_parts.h"

/* eps=1e-6, gain=yes|no, by=… */
static const char *options_text(met_builder *b, const met_option *options, size_t count)
{
    met_text text = met_text_new(b->arena);
    for (size_t i = 0; i < count; i++) {
        met_text_format(&text, "%s%.*s=", i ? ", " : "", MET_STR_ARGS(options[i].name));
        if (options[i].required && options[i].kind != MET_ATTR_WORD)
            met_text_put(&text, "…");
        else
            met_text_str(&text, options[i].kind == MET_ATTR_WORD ? options[i].words : options[i].fallback);
    }
    return met_text_done(&text);
}

static void unknown_option(met_builder *b, const met_request *request, const met_attr *given,
                           const met_option *options, size_t count)
{
    const char *names[MET_OPTION_LIMIT];
    for (size_t i = 0; i < count; i++)
        names[i] = met_arena_text(b->arena, options[i].name.at, options[i].name.length);
    met_diag *d = met_diag_add(b->session, MET_DIAG_unknown_option, given->span, "`%s` has no option `%s`",
                               request->op->name, met_sym_text(b->session, given->key));
    const char *near = met_nearest(met_sym_str(b->session, given->key), names, count);
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    else if (count)
        met_diag_help(d, "its options are: %s", options_text(b, options, count));
    else
        met_diag_help(d, "it has no options");
}

/* Numbers and dims may be written as formulas; here they become what the row asks for. */
static bool convert(met_builder *b, const met_request *request, const met_option *option, met_attr *attr)
{
    const char *key = met_arena_text(b->arena, option->name.at, option->name.length);
    bool fits = attr->kind == option->kind;
    double number;
    if (option->kind == MET_ATTR_SCALAR && attr->kind == MET_ATTR_NUMBER) {
        attr->scalar = met_scalar_number(b->arena, attr->number);
        fits = true;
    } else if (option->kind == MET_ATTR_SCALAR && attr->kind == MET_ATTR_DIM) {
        attr->scalar = met_scalar_size(b->arena, attr->dim);
        fits = true;
    } else if (option->kind == MET_ATTR_NUMBER && attr->kind == MET_ATTR_SCALAR) {
        fits = met_scalar_constant(attr->scalar, &number);
        attr->number = fits ? number : 0;
    } else if (option->kind == MET_ATTR_NUMBER && attr->kind == MET_ATTR_DIM) {
        uint64_t n = 0;
        fits = met_dim_is_constant(attr->dim, &n);
        attr->number = (double)n;
    } else if (option->kind == MET_ATTR_DIM && attr->kind == MET_ATTR_NUMBER) {
        fits = attr->number >= 0 && attr->number <= 9007199254740992.0 && attr->number == (double)(uint64_t)attr->number;
        if (fits)
            attr->dim = met_dim_constant(b->arena, (uint64_t)attr->number);
    }
    if (fits && option->kind == MET_ATTR_WORD)
        fits = met_option_allows(option->words, met_sym_str(b->session, attr->word));
    if (!fits) {
        static const char *const wanted[] = { "a number", "one word", "a size", "a formula", "a format", "comparisons in braces" };
        met_diag *d = met_diag_add(b->session, MET_DIAG_unknown_option, attr->span, "`%s` of `%s` takes %s", key,
                                   request->op->name, wanted[option->kind]);
        if (option->kind == MET_ATTR_WORD)
            met_diag_help(d, "one of %.*s", MET_STR_ARGS(option->words));
    }
    attr->kind = option->kind;
    return fits;
}

static met_attr default_attr(met_builder *b, const met_option *option, met_span span)
{
    met_attr attr = { .kind = option->kind, .span = span };
    double number = 0;
    if (option->kind == MET_ATTR_NUMBER || option->kind == MET_ATTR_DIM || option->kind == MET_ATTR_SCALAR)
        met_read_double(option->fallback, &number);
    attr.number = number;
    attr.word = met_intern(b->session, option->fallback);
    attr.dim = met_dim_constant(b->arena, (uint64_t)number);
    attr.scalar = met_scalar_number(b->arena, number);
    if (option->kind == MET_ATTR_FORMAT)
        met_format_parse(option->fallback, &attr.format);
    return attr;
}

static const met_attr *find_given(const met_request *request, met_sym key)
{
    for (uint32_t i = 0; i < request->attr_count; i++)
        if (request->attrs[i].key.id == key.id)
            return &request->attrs[i];
    return NULL;
}

static bool all_known(met_builder *b, const met_request *request, const met_option *options, size_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < request->attr_count; i++) {
        const met_attr *given = &request->attrs[i];
        bool known = false;
        for (size_t o = 0; o < count && !known; o++)
            known = met_str_equal(options[o].name, met_sym_str(b->session, given->key));
        if (!known)
            unknown_option(b, request, given, options, count);
        if (known && find_given(request, given->key) != given) {
            met_diag *d = met_diag_add(b->session, MET_DIAG_unknown_option, given->span, "`%s` is given twice",
                                       met_sym_text(b->session, given->key));
            met_diag_note(d, find_given(request, given->key)->span, "the first is here");
            known = false;
        }
        good = good && known;
    }
    return good;
}

bool met_fill_attrs(met_builder *b, const met_request *request, draft_node *node)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(request->op, options);
    bool good = all_known(b, request, options, count);
    node->attr_count = (uint32_t)count;
    node->attrs = MET_NEW_ARRAY(b->arena, met_attr, count);
    for (size_t i = 0; i < count; i++) {
        met_sym key = met_intern(b->session, options[i].name);
        const met_attr *given = find_given(request, key);
        met_attr *attr = &node->attrs[i];
        if (given) {
            *attr = *given;
            attr->given = true;
            good = convert(b, request, &options[i], attr) && good;
        } else if (options[i].required) {
            met_diag *d = met_diag_add(b->session, MET_DIAG_unknown_option, request->span, "`%s` needs `%.*s`", request->op->name,
                                       MET_STR_ARGS(options[i].name));
            met_diag_help(d, "write %s(%.*s=…)", request->op->name, MET_STR_ARGS(options[i].name));
            good = false;
        } else {
            *attr = default_attr(b, &options[i], request->span);
        }
        attr->key = key;
    }
    return good;
}

const met_attr *met_draft_attr(met_builder *b, const draft_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (met_str_is(met_sym_str(b->session, node->attrs[i].key), name))
            return &node->attrs[i];
    return NULL;
}
