#include "ir/primitive.h"

#include <assert.h>

#include "ir/formula.h"

static const met_scalar *call2(met_arena *arena, met_scalar_fn fn, const met_scalar *a, const met_scalar *b)
{
    return met_scalar_call(arena, fn, a, b, NULL);
}

static met_str word_of(const met_circuit *circuit, const met_node *node, const char *option)
{
    return met_sym_str(circuit->session, met_node_attr(circuit, node, option)->word);
}

/* What an option's name stands for within the row's formula. */
static const met_scalar *option_scalar(met_arena *arena, const met_attr *attr)
{
    switch (attr->kind) {
    case MET_ATTR_NUMBER:
        return met_scalar_number(arena, attr->number);
    case MET_ATTR_SCALAR:
        return attr->scalar;
    case MET_ATTR_DIM:
        return met_scalar_size(arena, attr->dim);
    case MET_ATTR_WORD:
    case MET_ATTR_FORMAT:
    case MET_ATTR_GUARDS:
        break;
    }
    return NULL;
}

/* The row's formula, with the node's options put in. */
static const met_scalar *row_formula(const met_circuit *circuit, const met_node *node)
{
    met_formula_name names[MET_OPTION_LIMIT];
    size_t count = 0;
    for (uint32_t i = 0; i < node->attr_count && count < MET_OPTION_LIMIT; i++) {
        const met_scalar *value = option_scalar(circuit->arena, &node->attrs[i]);
        if (value)
            names[count++] = (met_formula_name){ met_sym_text(circuit->session, node->attrs[i].key), value };
    }
    return met_formula_read(circuit->arena, node->op->formula, count, names);
}

/* The semirings: what takes the place of the product and of the sum. */
static met_primitive einsum_form(const met_circuit *circuit, const met_node *node, bool reduces)
{
    static const struct {
        const char *name;
        met_scalar_fn times;
        met_monoid plus;
    } semirings[] = {
        { "plus_times", MET_FN_mul, MET_MONOID_ADD },
        { "max_plus", MET_FN_add, MET_MONOID_MAX },
        { "max_times", MET_FN_mul, MET_MONOID_MAX },
        { "or_and", MET_FN_and, MET_MONOID_OR },
    };
    met_str name = word_of(circuit, node, "semiring");
    size_t i = 0;
    while (i + 1 < sizeof semirings / sizeof *semirings && !met_str_is(name, semirings[i].name))
        i++;
    assert(met_str_is(name, semirings[i].name));
    const met_scalar *e = met_scalar_input(circuit->arena, 0);
    for (uint32_t k = 1; k < node->in_count; k++)
        e = call2(circuit->arena, semirings[i].times, e, met_scalar_input(circuit->arena, k));
    return (met_primitive){ .form = MET_FORM_FOLD, .monoid = reduces ? semirings[i].plus : MET_MONOID_NONE, .e = e };
}

static met_monoid fold_monoid(met_str word)
{
    static const char *const words[] = { "add", "mul", "max", "min", "or" };
    static const met_monoid monoids[] = { MET_MONOID_ADD, MET_MONOID_MUL, MET_MONOID_MAX, MET_MONOID_MIN, MET_MONOID_OR };
    for (size_t i = 0; i < 5; i++)
        if (met_str_is(word, words[i]))
            return monoids[i];
    return MET_MONOID_NONE;
}

/* Position of an access that follows one index alone; MET_NONE if there is none. */
static uint32_t position_of(const met_access *access, uint32_t index)
{
    for (uint32_t p = 0; p < access->rank; p++)
        for (uint32_t t = 0; t < access->at[p].term_count; t++)
            if (access->at[p].terms[t].kind == MET_TERM_INDEX && access->at[p].terms[t].index == index)
                return p;
    return MET_NONE;
}

/* select(i < n0, a, select(i < n0 + n1, b, c)): the last input needs no comparison. */
static const met_scalar *concat_formula(const met_circuit *circuit, const met_node *node)
{
    met_arena *arena = circuit->arena;
    uint32_t target = node->targets[0]; /* along which the inputs follow each other */
    const met_dim **ends = MET_NEW_ARRAY(arena, const met_dim *, node->in_count);
    const met_dim *end = met_dim_constant(arena, 0);
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t position = position_of(&node->in_access[k], target);
        assert(position != MET_NONE);
        end = met_dim_add(arena, end, met_edge_dim(circuit, &circuit->edges[node->ins[k].id], position));
        ends[k] = end;
    }
    const met_scalar *e = met_scalar_input(arena, node->in_count - 1);
    for (uint32_t k = node->in_count - 1; k-- > 0;) {
        const met_scalar *inside =
            call2(arena, MET_FN_lt, met_scalar_index(arena, target), met_scalar_size(arena, ends[k]));
        e = met_scalar_call(arena, MET_FN_select, inside, met_scalar_input(arena, k), e);
    }
    return e;
}

uint32_t met_node_read_index(const met_node *node, uint32_t table)
{
    uint32_t found = MET_NONE;
    for (uint32_t i = 0; i < node->index_count; i++) {
        bool own = node->indices[i].reduced && position_of(&node->in_access[table], i) != MET_NONE;
        for (uint32_t k = 0; own && k < node->in_count; k++)
            own = k == table || position_of(&node->in_access[k], i) == MET_NONE;
        if (own && found != MET_NONE)
            return MET_NONE;
        if (own)
            found = i;
    }
    return found;
}

/* Whether a node folds: the index of a read is no loop. */
static bool node_reduces(const met_node *node, uint32_t read_index)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced && i != read_index)
            return true;
    return false;
}

/* A product of inputs and nothing else: a*b, a*a, a*b*c. */
static bool is_product(const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT)
        return true;
    return e->kind == MET_SCALAR_CALL && e->fn == MET_FN_mul && is_product(e->arguments[0]) && is_product(e->arguments[1]);
}

/* Which inputs are the table and the ids. */
static void place_table(const met_node *node, met_primitive *form)
{
    static const struct {
        met_op_id op;
        uint32_t table, ids;
    } rows[] = { { MET_OP_embed, 1, 0 }, { MET_OP_gather, 0, 1 }, { MET_OP_expert, 2, 1 } };
    size_t row = 0;
    while (row + 1 < sizeof rows / sizeof *rows && rows[row].op != node->op->id)
        row++;
    assert(rows[row].op == node->op->id);
    form->table = rows[row].table;
    form->ids = rows[row].ids;
}

static met_primitive read_form(const met_circuit *circuit, const met_node *node)
{
    met_primitive form = { .form = MET_FORM_READ };
    place_table(node, &form);
    form.read_index = met_node_read_index(node, form.table);
    assert(form.read_index != MET_NONE);
    form.read_position = position_of(&node->in_access[form.table], form.read_index);
    form.e = met_scalar_input(circuit->arena, form.table);
    if (node->op->id == MET_OP_expert) {
        form.e = call2(circuit->arena, MET_FN_mul, met_scalar_input(circuit->arena, 0), form.e);
        form.monoid = node_reduces(node, form.read_index) ? MET_MONOID_ADD : MET_MONOID_NONE;
        form.product = true;
    }
    return form;
}

static met_primitive fold_form(const met_circuit *circuit, const met_node *node)
{
    bool reduces = node_reduces(node, MET_NONE);
    met_primitive form = { .form = MET_FORM_FOLD, .monoid = node->op->monoid };
    switch (node->op->id) {
    case MET_OP_einsum:
        form = einsum_form(circuit, node, reduces);
        break;
    case MET_OP_fold:
        form.monoid = reduces ? fold_monoid(word_of(circuit, node, "with")) : MET_MONOID_NONE;
        form.e = met_node_attr(circuit, node, "e")->scalar;
        break;
    case MET_OP_map:
        form.e = met_node_attr(circuit, node, "e")->scalar;
        break;
    case MET_OP_concat:
    case MET_OP_kv_append:
        form.e = concat_formula(circuit, node);
        break;
    default:
        assert(node->op->formula);
        form.e = row_formula(circuit, node);
        break;
    }
    form.product = is_product(form.e);
    form.read_index = MET_NONE;
    return form;
}

/* The index that the first output has and the second one lacks. */
static uint32_t step_index(const met_node *node)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (position_of(&node->out_access[0], i) != MET_NONE && position_of(&node->out_access[1], i) == MET_NONE)
            return i;
    met_fatal("a recurrence runs along no index");
}

static met_primitive scan_form(const met_circuit *circuit, const met_node *node)
{
    return (met_primitive){ .form = MET_FORM_SCAN, .read_index = MET_NONE, .e = met_node_attr(circuit, node, "step")->scalar,
                            .read = met_node_attr(circuit, node, "read")->scalar,
                            .recall = met_node_attr(circuit, node, "recall")->scalar, .along = step_index(node) };
}

bool met_scalar_is_product(const met_scalar *e)
{
    return is_product(e) && e->kind == MET_SCALAR_CALL;
}

met_primitive met_node_primitive(const met_circuit *circuit, const met_node *node)
{
    switch (node->op->form) {
    case MET_FORM_READ:
        return read_form(circuit, node);
    case MET_FORM_PICK: {
        met_primitive form = { .form = MET_FORM_PICK, .read_index = MET_NONE };
        form.e = row_formula(circuit, node);
        return form;
    }
    case MET_FORM_FOLD:
        return fold_form(circuit, node);
    case MET_FORM_SCAN:
        return scan_form(circuit, node);
    case MET_FORM_COMPOSITE:
        break;
    }
    met_fatal("a composite has an expansion instead of a primitive form");
}

/* `expert` folds what it reads; what only moves, chooses or goes step by step has no tree of its own. */
bool met_node_has_tree(const met_circuit *circuit, const met_node *node)
{
    met_primitive form = met_node_primitive(circuit, node);
    bool folds = form.form == MET_FORM_FOLD || (form.form == MET_FORM_READ && form.monoid != MET_MONOID_NONE);
    return folds && node_reduces(node, form.read_index) && !met_monoid_is_exact(form.monoid);
}

uint64_t met_node_terms(const met_circuit *circuit, const met_node *node)
{
    uint32_t read = met_node_primitive(circuit, node).read_index;
    uint64_t terms = 1;
    for (uint32_t i = 0; i < node->index_count; i++) {
        uint64_t size = 1;
        if (!node->indices[i].reduced || i == read)
            continue;
        terms = met_circuit_size(circuit, node->indices[i].axis, &size) && size <= UINT64_MAX / (terms ? terms : 1) ? terms * size : 0;
    }
    return terms;
}
