/* What was written of one op, as the builder wants it: labels with their sizes, signatures, options. */
#include <string.h>

#include "lang/elaborate.h"

/* The builder takes fewer labels than this; beyond, order no longer matters. */
enum { LABEL_LIMIT = 64, TERM_LIMIT = 64 };

typedef struct maker {
    met_instance *inst;
    met_lang *lang;
    met_request request;
    uint32_t seen_count; /* labels in the order of the op's indices */
    met_sym seen[LABEL_LIMIT];
    uint32_t bare;
    bool failed;
} maker;

/* --- Labels --- */

static bool seen(const maker *m, met_sym name)
{
    for (uint32_t i = 0; i < m->seen_count; i++)
        if (m->seen[i].id == name.id)
            return true;
    return false;
}

static void see(maker *m, met_sym name)
{
    if (m->seen_count < LABEL_LIMIT)
        m->seen[m->seen_count++] = name;
}

/* Two bare integers are two axes, even if they are equal. */
static met_sym bare_name(maker *m, met_sym name)
{
    if (!seen(m, name))
        return name;
    met_text text = met_text_new(m->lang->arena);
    met_text_str(&text, met_sym_str(m->lang->session, name));
    met_text_format(&text, ".%u", ++m->bare + 1);
    return met_intern(m->lang->session, (met_str){ met_text_done(&text), text.length });
}

static met_item convert_label(maker *m, const met_ast_label *label, bool declared)
{
    met_item item = { .label = { label->name, NULL, label->span }, .span = label->span };
    if (label->size) {
        item.label.size = met_size_of(m->inst, label->size);
        m->failed |= !item.label.size;
    }
    if (label->bare)
        item.label.name = bare_name(m, label->name);
    bool first = !seen(m, item.label.name);
    if (first && !label->size) {
        bool failed;
        item.label.size = met_size_of_label(m->inst, label->name, label->span, declared, &failed);
        m->failed |= failed;
    }
    if (first)
        see(m, item.label.name);
    return item;
}

static met_items convert_labels(maker *m, const met_ast_labels *labels, bool declared)
{
    met_items items = { labels->count, MET_NEW_ARRAY(m->lang->arena, met_item, labels->count), labels->span };
    for (uint32_t i = 0; i < labels->count; i++)
        items.at[i] = convert_label(m, &labels->at[i], declared);
    return items;
}

/* Sizes that mention labels of the same op (linear[m -> f=4*m]) come first, so that the label takes that size. */
static void touch_sizes(maker *m, const met_ast_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->at[i].size && !labels->at[i].bare)
            m->failed |= !met_size_of(m->inst, labels->at[i].size);
}

/* size(…) within a position */
static void touch_position(maker *m, const met_ast *ast)
{
    bool size = ast->kind == MET_AST_CALL && ast->callee->kind == MET_AST_NAME && ast->count == 1 &&
                met_str_is(met_sym_str(m->lang->session, ast->callee->name), "size");
    if (size)
        m->failed |= !met_size_of(m->inst, ast->items[0]);
    for (uint32_t i = 0; !size && ast->kind != MET_AST_CALL && i < ast->count; i++)
        touch_position(m, ast->items[i]);
}

static void touch_items(maker *m, uint32_t count, const met_ast_items *arrays)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < arrays[i].count; j++)
            if (arrays[i].at[j].affine)
                touch_position(m, arrays[i].at[j].affine);
            else if (arrays[i].at[j].label.size && !arrays[i].at[j].label.bare)
                m->failed |= !met_size_of(m->inst, arrays[i].at[j].label.size);
}

/* --- Affine positions --- */

typedef struct affine {
    int64_t constant;
    MET_VEC(struct met_item_term) terms;
} affine;

static bool not_affine(maker *m, met_span span)
{
    met_diag *d = met_diag_add(m->lang->session, MET_DIAG_label, span, "a position is a sum of labels, sizes and integers");
    met_diag_help(d, "as in 2*t + k - 1; a label or a size may have an integer factor");
    return false;
}

static bool add_constant(maker *m, affine *into, int64_t factor, const met_ast *ast)
{
    int64_t product;
    if (!ast->integer || ast->natural > INT32_MAX || __builtin_mul_overflow(factor, (int64_t)ast->natural, &product) ||
        __builtin_add_overflow(into->constant, product, &into->constant))
        return not_affine(m, ast->span);
    return true;
}

static bool add_name(maker *m, affine *into, int64_t factor, const met_ast *ast)
{
    if (into->terms.count >= TERM_LIMIT)
        return not_affine(m, ast->span);
    struct met_item_term term = { factor, ast->name, NULL, ast->span };
    if (!seen(m, ast->name)) {
        term.size = met_size_by_name(m->inst, ast->name, ast->span);
        if (!term.size)
            return false;
    }
    MET_PUSH(m->lang->arena, &into->terms, term);
    return true;
}

/* size(h*d): a size that is more than a name, or called like a label */
static bool add_size(maker *m, affine *into, int64_t factor, const met_ast *ast)
{
    bool size = ast->callee->kind == MET_AST_NAME && met_str_is(met_sym_str(m->lang->session, ast->callee->name), "size");
    if (!size || ast->count != 1 || ast->option_count || into->terms.count >= TERM_LIMIT)
        return not_affine(m, ast->span);
    struct met_item_term term = { factor, { 0 }, met_size_of(m->inst, ast->items[0]), ast->span };
    MET_PUSH(m->lang->arena, &into->terms, term);
    return term.size != NULL;
}

static bool add_affine(maker *m, affine *into, int64_t factor, const met_ast *ast);

/* Integers, and at most one factor that is something else. */
static bool add_product(maker *m, affine *into, int64_t factor, const met_ast *ast)
{
    const met_ast *other = NULL;
    for (uint32_t i = 0; i < ast->count; i++) {
        const met_ast *item = ast->items[i];
        if (item->kind != MET_AST_NUMBER) {
            if (other)
                return not_affine(m, ast->span);
            other = item;
        } else if (!item->integer || item->natural > INT32_MAX || __builtin_mul_overflow(factor, (int64_t)item->natural, &factor)) {
            return not_affine(m, item->span);
        }
    }
    if (other)
        return add_affine(m, into, factor, other);
    return __builtin_add_overflow(into->constant, factor, &into->constant) ? not_affine(m, ast->span) : true;
}

static bool add_affine(maker *m, affine *into, int64_t factor, const met_ast *ast)
{
    if (ast->kind == MET_AST_NUMBER)
        return add_constant(m, into, factor, ast);
    if (ast->kind == MET_AST_NAME)
        return add_name(m, into, factor, ast);
    if (ast->kind == MET_AST_PRODUCT)
        return add_product(m, into, factor, ast);
    if (ast->kind == MET_AST_CALL)
        return add_size(m, into, factor, ast);
    if (ast->kind == MET_AST_NEGATE)
        return factor != INT64_MIN && add_affine(m, into, -factor, ast->items[0]);
    if (ast->kind == MET_AST_BINARY && (ast->binary == MET_TOKEN_PLUS || ast->binary == MET_TOKEN_MINUS)) {
        int64_t second = ast->binary == MET_TOKEN_MINUS && factor != INT64_MIN ? -factor : factor;
        return add_affine(m, into, factor, ast->items[0]) && add_affine(m, into, second, ast->items[1]);
    }
    return not_affine(m, ast->span);
}

static met_item convert_item(maker *m, const met_ast_item *ast)
{
    if (!ast->affine)
        return convert_label(m, &ast->label, false);
    affine sum = { 0 };
    m->failed |= !add_affine(m, &sum, 1, ast->affine);
    return (met_item){ .affine = true, .constant = sum.constant, .term_count = (uint32_t)sum.terms.count, .terms = sum.terms.at,
                       .span = ast->label.span };
}

static met_items *convert_arrays(maker *m, uint32_t count, const met_ast_items *arrays)
{
    met_items *items = MET_NEW_ARRAY(m->lang->arena, met_items, count);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (met_items){ arrays[i].count, MET_NEW_ARRAY(m->lang->arena, met_item, arrays[i].count), arrays[i].span };
        for (uint32_t j = 0; j < arrays[i].count; j++)
            items[i].at[j] = convert_item(m, &arrays[i].at[j]);
    }
    return items;
}

static bool any_affine(const met_ast_signature *s)
{
    for (uint32_t i = 0; i < s->in_count; i++)
        for (uint32_t j = 0; j < s->ins[i].count; j++)
            if (s->ins[i].at[j].affine)
                return true;
    return false;
}

/* Positions may refer to any label of the signature, so these are met first. */
static met_items *convert_around(maker *m, uint32_t count, const met_ast_items *arrays)
{
    met_items *items = MET_NEW_ARRAY(m->lang->arena, met_items, count);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            if (pass == 0)
                items[i] = (met_items){ arrays[i].count, MET_NEW_ARRAY(m->lang->arena, met_item, arrays[i].count), arrays[i].span };
            for (uint32_t j = 0; j < arrays[i].count; j++)
                if ((arrays[i].at[j].affine != NULL) == (pass == 1))
                    items[i].at[j] = convert_item(m, &arrays[i].at[j]);
        }
    return items;
}

/* A size stands where its label is written first, and belongs where the label is met first. */
static void move_sizes(met_items *from, met_items *to)
{
    for (uint32_t i = 0; i < from->count; i++)
        for (uint32_t j = 0; j < to->count; j++) {
            met_label_spec *in = &from->at[i].label, *out = &to->at[j].label;
            if (from->at[i].affine || to->at[j].affine || in->name.id != out->name.id || !in->size)
                continue;
            out->size = in->size;
            in->size = NULL;
        }
}

/* Labels are met in the order in which the builder makes indices: the result's first where positions refer to them. */
static void convert_signature(maker *m, const met_ast_signature *s)
{
    met_request *r = &m->request;
    r->has_signature = true;
    r->in_count = s->in_count;
    r->out_count = s->out_count;
    touch_items(m, s->in_count, s->ins);
    touch_items(m, s->out_count, s->outs);
    if (any_affine(s)) {
        r->outs = convert_arrays(m, s->out_count, s->outs);
        r->ins = convert_around(m, s->in_count, s->ins);
        for (uint32_t k = 0; k < r->out_count; k++)
            for (uint32_t i = 0; i < r->in_count; i++)
                move_sizes(&r->ins[i], &r->outs[k]);
    } else {
        r->ins = convert_arrays(m, s->in_count, s->ins);
        r->outs = convert_arrays(m, s->out_count, s->outs);
    }
}

static void convert_brackets(maker *m, const met_ast_brackets *brackets)
{
    met_request *r = &m->request;
    if (brackets->signature) {
        if (brackets->view && r->op->bracket != MET_BRACKET_VIEW) {
            met_diag_add(m->lang->session, MET_DIAG_label, brackets->span, "`<-` is for view");
            m->failed = true;
        }
        convert_signature(m, brackets->signature);
        return;
    }
    touch_sizes(m, &brackets->shape);
    touch_sizes(m, &brackets->targets);
    for (uint32_t i = 0; i < brackets->result_count; i++)
        touch_sizes(m, &brackets->results[i]);
    r->has_shape = brackets->has_shape;
    if (brackets->has_shape)
        r->shape = convert_labels(m, &brackets->shape, false);
    r->targets = convert_labels(m, &brackets->targets, false);
    r->result_count = brackets->result_count;
    r->results = MET_NEW_ARRAY(m->lang->arena, met_items, brackets->result_count);
    for (uint32_t i = 0; i < brackets->result_count; i++)
        r->results[i] = convert_labels(m, &brackets->results[i], true);
}

/* --- Options --- */

static bool word_of(maker *m, const met_ast *ast, met_attr *attr)
{
    if (ast->kind != MET_AST_NAME) {
        met_diag_add(m->lang->session, MET_DIAG_unknown_option, ast->span, "this option takes a word");
        return false;
    }
    const met_lang_constant *constant = met_instance_constant(m->inst, ast->name);
    attr->word = constant && constant->kind == MET_LANG_WORD ? constant->word : ast->name;
    return true;
}

static bool fill_attr(maker *m, met_attr_kind kind, const met_ast *ast, met_attr *attr)
{
    const met_op *op = m->request.op;
    bool own = met_op_has_formulas(op);
    met_formula_context context = { .has_indices = own || kind == MET_ATTR_GUARDS, .label_count = m->seen_count, .labels = m->seen };
    if (own)
        context.inputs = met_op_letters(op, (met_str){ 0 }, m->request.array_count);
    attr->kind = kind;
    switch (kind) {
    case MET_ATTR_WORD:
        return word_of(m, ast, attr);
    case MET_ATTR_DIM:
        attr->dim = met_size_of(m->inst, ast);
        return attr->dim != NULL;
    case MET_ATTR_FORMAT:
        return met_format_of_ast(m->inst, ast, &attr->format);
    default:
        break;
    }
    attr->scalar = met_formula_of(m->inst, ast, &context);
    if (!attr->scalar || kind != MET_ATTR_NUMBER)
        return attr->scalar != NULL;
    if (met_scalar_constant(attr->scalar, &attr->number))
        return true;
    met_diag_add(m->lang->session, MET_DIAG_formula, ast->span, "a number is needed here, and this depends on sizes or arrays");
    return false;
}

/* What is recalled of a state has a letter, behind those of the arrays; recalling reads the arrays alone. */
static bool may_read(maker *m, const met_option *option, const met_attr *attr, met_span span)
{
    uint32_t letters = met_op_letters(m->request.op, option->name, m->request.array_count);
    if (!met_op_has_formulas(m->request.op) || !attr->scalar || !met_scalar_reads(attr->scalar, letters))
        return true;
    met_diag_add(m->lang->session, MET_DIAG_formula, span, "`%c` is what is recalled: `%.*s` cannot read it", (int)('a' + letters),
                 MET_STR_ARGS(option->name));
    return false;
}

static void push_attr(maker *m, met_sym key, met_span span, const met_option *option, const met_ast *value)
{
    met_attr *attr = &m->request.attrs[m->request.attr_count++];
    attr->key = key;
    attr->span = span;
    attr->given = true;
    attr->kind = MET_ATTR_WORD;
    if (option) /* an unknown one is the builder's to refuse */
        m->failed |= !fill_attr(m, option->kind, value, attr) || !may_read(m, option, attr, value->span);
}

static const met_option *find_option(maker *m, const met_option *options, size_t count, met_sym name)
{
    for (size_t i = 0; i < count; i++)
        if (met_str_equal(options[i].name, met_sym_str(m->lang->session, name)))
            return &options[i];
    return NULL;
}

static void convert_options(maker *m, const met_ast *call, uint32_t arrays)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(m->request.op, options);
    uint32_t scalars = call->count - arrays;
    m->request.attrs = MET_NEW_ARRAY(m->lang->arena, met_attr, scalars + call->option_count);
    size_t slot = 0;
    for (uint32_t i = 0; i < scalars; i++, slot++) {
        const met_ast *value = call->items[arrays + i];
        if (slot >= count || !options[slot].positional) {
            met_diag_add(m->lang->session, MET_DIAG_arity, value->span, "`%s` takes no further scalar", m->request.op->name);
            m->failed = true;
            return;
        }
        push_attr(m, met_intern(m->lang->session, options[slot].name), value->span, &options[slot], value);
    }
    for (uint32_t i = 0; i < call->option_count; i++) {
        const met_ast_option *option = &call->options[i];
        met_span span = option->name_span;
        span.end = option->value->span.end;
        push_attr(m, option->name, span, find_option(m, options, count, option->name), option->value);
    }
}

/* --- The op --- */

/* Inputs that map's or fold's formula reads: for a point-free op without a signature they say how many there are. */
static uint32_t letters_of(maker *m, const met_ast *ast)
{
    uint32_t most = 0;
    if (ast->kind == MET_AST_NAME) {
        met_str text = met_sym_str(m->lang->session, ast->name);
        return text.length == 1 && text.at[0] >= 'a' && text.at[0] <= 'z' ? (uint32_t)(text.at[0] - 'a') + 1 : 0;
    }
    for (uint32_t i = 0; i < ast->count; i++) {
        uint32_t one = letters_of(m, ast->items[i]);
        most = one > most ? one : most;
    }
    return most;
}

static uint32_t own_count(maker *m, const met_ast *call)
{
    const met_request *r = &m->request;
    if (r->has_signature)
        return r->in_count;
    if (r->op->array_count != MET_VARIADIC)
        return r->op->array_count;
    if (r->op->id == MET_OP_concat)
        return 2;
    return call && call->count ? letters_of(m, call->items[0]) : 1;
}

static void introduce_labels(maker *m, const met_term *term)
{
    const met_index *labels;
    uint32_t count = met_term_labels(term, &labels), ignored;
    for (uint32_t i = 0; i < count; i++)
        if (!met_instance_find(m->inst, MET_SPACE_LABEL, labels[i].label, &ignored))
            met_instance_set(m->inst, MET_SPACE_LABEL, labels[i].label, labels[i].axis.id);
}

static const met_op *find_op(met_instance *inst, const met_ast *callee)
{
    if (callee->kind == MET_AST_STRING)
        return met_op_by_id(MET_OP_einsum);
    const met_op *op = met_op_find(met_sym_str(inst->lang->session, callee->name));
    if (op)
        return op;
    met_def *def = met_defs_find(inst->defs, callee->name);
    if (def)
        met_diag_add(inst->lang->session, MET_DIAG_label, callee->span, "`%s` is a definition; it takes no labels",
                     met_sym_text(inst->lang->session, callee->name));
    else
        met_unknown_name(inst, callee->name, callee->span, false);
    return NULL;
}

/* 'bqd,bkd->bqk' is three labels of three letters here, and elsewhere nine labels of one. */
static void note_letters(maker *m, met_span span)
{
    const met_request *r = &m->request;
    if (r->in_count < 2 || r->out_count != 1 || r->outs[0].count != 1 || r->outs[0].at[0].affine)
        return;
    met_sym out = r->outs[0].at[0].label.name;
    bool run_together = met_sym_str(m->lang->session, out).length > 1;
    for (uint32_t i = 0; run_together && i < r->in_count; i++)
        run_together = r->ins[i].count == 1 && !r->ins[i].at[0].affine && r->ins[i].at[0].label.name.id != out.id &&
                       met_sym_str(m->lang->session, r->ins[i].at[0].label.name).length > 1;
    if (!run_together)
        return;
    met_diag *d = met_diag_add(m->lang->session, MET_DIAG_note, span, "each array has one label here, and the result's is none of them");
    met_diag_help(d, "labels have spaces between them: 'b q d, b k d -> b q k'");
}

met_term *met_make_op(met_instance *inst, const met_ast *callee, const met_ast *call, uint32_t arrays)
{
    maker m = { .inst = inst, .lang = inst->lang };
    const met_op *op = find_op(inst, callee);
    if (!op || !met_afford(inst->lang, 1, callee->span))
        return NULL;
    m.request = (met_request){ .op = op, .span = call ? call->span : callee->span, .call = call && arrays > 0,
                               .stored = call && call == inst->stored };
    if (call)
        m.failed |= !met_touch_formulas(inst, callee, call, arrays);
    if (callee->kind == MET_AST_STRING)
        convert_signature(&m, callee->signature);
    else if (callee->kind == MET_AST_OP)
        convert_brackets(&m, callee->brackets);
    if (callee->kind == MET_AST_STRING && !m.failed)
        note_letters(&m, callee->span);
    m.request.array_count = arrays ? arrays : own_count(&m, call);
    if (call)
        convert_options(&m, call, arrays);
    if (m.failed)
        return NULL;
    inst->lang->made++;
    met_sym path = met_path_join(inst->lang, inst->path, met_str_of(op->name));
    met_term *term = met_term_op(inst->lang->b, &m.request, path);
    if (term)
        introduce_labels(&m, term);
    return term;
}
