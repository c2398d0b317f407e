/* Options: every one of the op's row, each of the row's kind, and formulas over what the node has. */
#include <math.h>

#include "ir/check_parts.h"
#include "ir/names.h"

/* What formulas of the op may read. */
typedef struct scope {
    const met_circuit *c;
    uint32_t inputs, indices;
} scope;

static bool check_formula(const scope *s, const met_scalar *scalar)
{
    switch (scalar->kind) {
    case MET_SCALAR_NUMBER:
        return isfinite(scalar->number);
    case MET_SCALAR_INPUT:
        return scalar->input < s->inputs;
    case MET_SCALAR_INDEX:
        return scalar->index < s->indices;
    case MET_SCALAR_SIZE:
        return met_check_dim(s->c, scalar->size);
    case MET_SCALAR_CALL:
        break;
    }
    for (int k = 0; k < met_scalar_fn_table[scalar->fn].arity; k++)
        if (!scalar->arguments[k] || !check_formula(s, scalar->arguments[k]))
            return false;
    return true;
}

static bool check_scalar(const met_circuit *c, const met_node *node, const met_attr *attr)
{
    scope s = { .c = c };
    bool own = met_op_has_formulas(node->op);
    if (own)
        s.inputs = met_op_letters(node->op, met_sym_str(c->session, attr->key), node->in_count);
    if (own || attr->kind == MET_ATTR_GUARDS)
        s.indices = node->index_count;
    return attr->scalar && check_formula(&s, attr->scalar);
}

static bool check_value(const met_circuit *c, const met_node *node, const met_option *option, const met_attr *attr)
{
    switch (option->kind) {
    case MET_ATTR_NUMBER:
        return isfinite(attr->number);
    case MET_ATTR_WORD:
        return met_option_allows(option->words, met_sym_str(c->session, attr->word));
    case MET_ATTR_DIM:
        return met_check_dim(c, attr->dim);
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        return check_scalar(c, node, attr);
    case MET_ATTR_FORMAT:
        break;
    }
    return true;
}

/* An option that is not given has its default, for the listing does not show it. A slot's option may also be yes, because
 * the slot's array shows that. */
static bool check_default(const met_circuit *c, const met_option *option, const met_attr *attr)
{
    met_str word = met_sym_str(c->session, attr->word);
    double number = 0;
    uint64_t size = 0;
    if (option->required)
        return false;
    switch (option->kind) {
    case MET_ATTR_WORD:
        return met_str_equal(word, option->fallback) || met_str_is(word, "yes");
    case MET_ATTR_NUMBER:
        return met_read_double(option->fallback, &number) && attr->number == number;
    case MET_ATTR_DIM:
        return met_read_double(option->fallback, &number) && met_dim_is_constant(attr->dim, &size) && (double)size == number;
    case MET_ATTR_FORMAT:
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        break;
    }
    return true;
}

bool met_check_word_is(const met_circuit *c, const met_node *node, met_str option, const char *word)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (met_str_equal(met_sym_str(c->session, node->attrs[i].key), option))
            return met_str_is(met_sym_str(c->session, node->attrs[i].word), word);
    return false;
}

bool met_check_options(const met_circuit *c, const met_node *node)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(node->op, options);
    if (node->attr_count != count)
        return met_broken_node(c, node, "it does not have the options of its op");
    for (size_t i = 0; i < count; i++) {
        const met_attr *attr = &node->attrs[i];
        if (!met_str_equal(met_sym_str(c->session, attr->key), options[i].name) || attr->kind != options[i].kind)
            return met_broken_node(c, node, "its options are not those of its op, in their order");
        bool good = check_value(c, node, &options[i], attr);
        if (good && (attr->given || check_default(c, &options[i], attr)))
            continue;
        met_diag_add(c->session, MET_DIAG_circuit, node->span, "node %td, `%s`: option `%.*s` %s", node - c->nodes, node->op->name,
                     MET_STR_ARGS(options[i].name), good ? "is not given, but not its default either" : "has a value that it does not take");
        return false;
    }
    return true;
}
