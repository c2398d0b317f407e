/* One node as an equation's right-hand side. Ops are written with their targets where those are the last positions, with
 * [shape; targets] elsewhere, and with a signature in quotes where labels do not follow the op's own pattern. */
#include "ir/affine.h"
#include "ir/names.h"
#include "ir/print.h"

typedef struct printer {
    met_text *out;
    const met_circuit *c;
    const met_node *node;
    met_sym *labels;
    bool *introduced;
} printer;

/* --- Labels --- */

static uint32_t access_index(const met_access *access, uint32_t position)
{
    for (uint32_t t = 0; t < access->at[position].term_count; t++)
        if (access->at[position].terms[t].kind == MET_TERM_INDEX)
            return access->at[position].terms[t].index;
    return 0;
}

/* Whether the result is the first input with the results of the brackets in place of its last positions. */
static bool results_follow(const met_node *node)
{
    const met_access *first = &node->in_access[0], *out = &node->out_access[0];
    uint32_t rest = first->rank - node->target_count;
    bool follow = out->rank == rest + node->result_count;
    for (uint32_t p = 0; follow && p < out->rank; p++)
        follow = access_index(out, p) == (p < rest ? access_index(first, p) : node->results[p - rest]);
    return follow;
}

static bool targets_are_last(const met_node *node)
{
    const met_access *first = &node->in_access[0];
    if (node->target_count > first->rank)
        return node->op->bracket == MET_BRACKET_ARROW; /* embed: its target is an axis of the table */
    for (uint32_t t = 0; t < node->target_count; t++)
        if (access_index(first, first->rank - node->target_count + t) != node->targets[t])
            return node->op->id == MET_OP_embed;
    return node->op->bracket != MET_BRACKET_ARROW || node->op->id == MET_OP_split || results_follow(node);
}

static bool same_positions(const met_access *a, const met_access *b)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = met_affine_equal(a->at[i], b->at[i]);
    return same;
}

static bool element_by_element(const met_node *node)
{
    bool same = node->op->id != MET_OP_map && node->op->id != MET_OP_fold;
    for (uint32_t i = 0; same && i < node->in_count; i++)
        same = same_positions(&node->in_access[i], &node->out_access[0]);
    return same;
}

/* Written with a signature in quotes. */
static bool has_signature(const met_node *node)
{
    return node->op->id == MET_OP_gather || node->op->bracket == MET_BRACKET_EINSUM ||
           (node->op->bracket == MET_BRACKET_NONE && !element_by_element(node));
}

/* Whether the label of an index is to be seen where the node is written; otherwise reading back cannot know it. */
static bool label_shows(const met_node *node, uint32_t index)
{
    if (!node->op || node->indices[index].target || has_signature(node) || node->op->bracket == MET_BRACKET_VIEW)
        return true;
    return node->op->bracket != MET_BRACKET_NONE && !targets_are_last(node);
}

/* Names that mean an axis or a size everywhere in the listing. */
static bool means_something(const met_circuit *c, met_sym name)
{
    for (uint32_t i = 0; i < c->axis_count; i++)
        if (c->axes[i].name.id == name.id)
            return true;
    for (uint32_t i = 0; i < c->symbol_count; i++)
        if (!c->symbols[i].value && c->symbols[i].name.id == name.id)
            return true;
    return false;
}

static bool label_taken(const met_sym *labels, uint32_t count, met_sym label)
{
    for (uint32_t i = 0; i < count; i++)
        if (labels[i].id == label.id)
            return true;
    return false;
}

void met_node_labels(const met_circuit *circuit, const met_node *node, met_sym *ret_labels)
{
    for (uint32_t i = 0; i < node->index_count; i++) {
        met_sym own = circuit->axes[node->indices[i].axis.id].name, wanted = own;
        bool shows = label_shows(node, i) && met_name_valid(met_sym_str(circuit->session, node->indices[i].label));
        met_sym other = shows ? node->indices[i].label : own;
        for (uint32_t attempt = 1; label_taken(ret_labels, i, wanted) || (wanted.id != own.id && means_something(circuit, wanted)); attempt++) {
            met_text text = met_text_new(circuit->arena);
            met_text_str(&text, met_sym_str(circuit->session, other));
            if (attempt > 1)
                met_text_format(&text, "_%u", attempt);
            wanted = met_intern(circuit->session, (met_str){ met_text_done(&text), text.length });
        }
        ret_labels[i] = wanted;
    }
}

static met_str label_of(void *context, uint32_t index)
{
    const printer *p = context;
    return met_sym_str(p->c->session, p->labels[index]);
}

static met_str size_of(void *context, met_size symbol)
{
    const printer *p = context;
    return met_circuit_size_name((void *)(uintptr_t)p->c, symbol);
}

/* In formulas a letter may be an input, i_x an index … */
static bool taken_in_formulas(void *context, met_str name)
{
    const printer *p = context;
    bool letters = p->node->op && met_op_has_formulas(p->node->op);
    bool input = letters && name.length == 1 && name.at[0] >= 'a' && (uint32_t)(name.at[0] - 'a') < p->node->in_count + met_op_scans(p->node->op);
    return input || (name.length > 2 && name.at[0] == 'i' && name.at[1] == '_');
}

/* … and in positions a name is a label first. */
static bool taken_in_positions(void *context, met_str name)
{
    const printer *p = context;
    for (uint32_t i = 0; i < p->node->index_count; i++)
        if (met_str_equal(label_of(context, i), name))
            return true;
    return false;
}

static met_scalar_names names_of(printer *p, bool position)
{
    return (met_scalar_names){ p, size_of, label_of, position ? taken_in_positions : taken_in_formulas, NULL };
}

/* The axis along which arrays are put end to end: its size is the sum of theirs, and not written. */
static bool is_sum(const met_node *node, uint32_t index)
{
    bool joins = node->op && (node->op->id == MET_OP_concat || node->op->id == MET_OP_kv_append);
    return joins && node->target_count > 0 && node->targets[0] == index;
}

static void put_label(printer *p, uint32_t index)
{
    met_axis_id axis = p->node->indices[index].axis;
    met_text_str(p->out, label_of(p, index));
    if (!p->introduced[axis.id] && !is_sum(p->node, index))
        met_axis_size_print(p->out, p->c, axis, p->labels[index]);
    p->introduced[axis.id] = true;
}

static void put_labels(printer *p, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        met_text_put(p->out, i ? " " : "");
        put_label(p, indices[i]);
    }
}

static void put_affine(printer *p, met_affine affine)
{
    met_scalar_names names = names_of(p, true);
    met_affine_print(p->out, affine, &names);
}

/* A position that reads its index along the index's own axis. */
static bool plain_position(const printer *p, met_edge_id edge, const met_access *access, uint32_t position, uint32_t *ret_index)
{
    return met_affine_is_index(access->at[position], ret_index) &&
           p->node->indices[*ret_index].axis.id == p->c->edges[edge.id].axes[position].id;
}

static void put_access(printer *p, met_edge_id edge, const met_access *access, bool view)
{
    for (uint32_t i = 0; i < access->rank; i++) {
        uint32_t index;
        met_text_put(p->out, i ? (view ? ", " : " ") : "");
        if (plain_position(p, edge, access, i, &index)) {
            put_label(p, index);
            continue;
        }
        met_text_put(p->out, view ? "" : "(");
        bool bare = met_affine_is_index(access->at[i], &index);
        put_affine(p, access->at[i]);
        met_text_put(p->out, bare ? " + 0" : ""); /* an axis of its own */
        met_text_put(p->out, view ? "" : ")");
    }
}

static void put_signature(printer *p)
{
    met_text_char(p->out, '\'');
    for (uint32_t i = 0; i < p->node->in_count; i++) {
        met_text_put(p->out, i ? ", " : "");
        put_access(p, p->node->ins[i], &p->node->in_access[i], false);
    }
    met_text_put(p->out, p->node->in_count && p->node->in_access[p->node->in_count - 1].rank ? " ->" : "->");
    for (uint32_t k = 0; k < p->node->out_count; k++) {
        met_text_put(p->out, k ? ", " : p->node->out_access[0].rank ? " " : "");
        put_access(p, p->node->outs[k], &p->node->out_access[k], false);
    }
    met_text_char(p->out, '\'');
}

static void put_view(printer *p)
{
    met_text_put(p->out, "view[");
    const met_access *out = &p->node->out_access[0];
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t index;
        met_text_put(p->out, i ? " " : "");
        if (met_affine_is_index(out->at[i], &index))
            put_label(p, index);
    }
    met_text_put(p->out, out->rank ? " <- " : "<- ");
    put_access(p, p->node->ins[0], &p->node->in_access[0], true);
    met_text_char(p->out, ']');
}

static void put_results(printer *p)
{
    bool split = p->node->op->id == MET_OP_split;
    for (uint32_t i = 0; i < p->node->result_count; i++) {
        met_text_put(p->out, i ? (split ? ", " : " ") : "");
        met_axis_id axis = p->node->indices[p->node->results[i]].axis;
        bool known = p->introduced[axis.id];
        put_label(p, p->node->results[i]);
        if (split && known) /* the parts of a split add up before anything is known of what they meet */
            met_size_print(p->out, p->c, axis);
    }
}

static void put_brackets(printer *p)
{
    const met_access *first = &p->node->in_access[0];
    bool last = targets_are_last(p->node);
    met_text_char(p->out, '[');
    if (!last) {
        for (uint32_t i = 0; i < first->rank; i++) {
            met_text_put(p->out, i ? " " : "");
            put_label(p, access_index(first, i));
        }
        met_text_put(p->out, "; ");
    }
    put_labels(p, p->node->targets, p->node->target_count);
    if (p->node->op->bracket == MET_BRACKET_ARROW) {
        met_text_put(p->out, " -> ");
        if (last || p->node->op->id == MET_OP_split)
            put_results(p);
        else
            put_access(p, p->node->outs[0], &p->node->out_access[0], false);
    }
    met_text_char(p->out, ']');
}

static void put_head(printer *p)
{
    const met_op *op = p->node->op;
    if (op->id == MET_OP_einsum) {
        put_signature(p);
    } else if (op->bracket == MET_BRACKET_VIEW) {
        put_view(p);
    } else if (has_signature(p->node)) {
        met_text_format(p->out, "%s[", op->name);
        put_signature(p);
        met_text_char(p->out, ']');
    } else {
        met_text_put(p->out, op->name);
        if (op->bracket != MET_BRACKET_NONE)
            put_brackets(p);
    }
}

/* --- Arguments --- */

/* A size called like an array would be read as the array. */
static bool is_array_name(const printer *p, const met_dim *dim)
{
    met_size symbol;
    bool found = false;
    if (!met_dim_is_symbol(dim, &symbol))
        return false;
    for (uint32_t e = 0; e < p->c->edge_count && !found; e++)
        found = p->c->edges[e].name.id == p->c->symbols[symbol.id].name.id;
    return found;
}

static void put_attr_value(printer *p, const met_attr *attr)
{
    met_scalar_names names = names_of(p, false);
    switch (attr->kind) {
    case MET_ATTR_NUMBER:
        met_text_double(p->out, attr->number);
        break;
    case MET_ATTR_WORD:
        met_text_str(p->out, met_sym_str(p->c->session, attr->word));
        break;
    case MET_ATTR_DIM:
        met_circuit_dim_print(p->out, p->c, attr->dim);
        met_text_put(p->out, is_array_name(p, attr->dim) ? " + 0" : "");
        break;
    case MET_ATTR_FORMAT:
        met_format_print(p->out, attr->format);
        break;
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS: {
        bool formula = attr->kind == MET_ATTR_GUARDS || met_op_has_formulas(p->node->op);
        bool braces = formula || attr->scalar->kind == MET_SCALAR_SIZE; /* a name alone could be an array's */
        met_text_put(p->out, braces ? "{ " : "");
        met_scalar_print(p->out, attr->scalar, &names);
        met_text_put(p->out, braces ? " }" : "");
        break;
    }
    }
}

static void put_arguments(printer *p)
{
    met_option options[MET_OPTION_LIMIT];
    size_t count = met_op_options(p->node->op, options);
    const char *comma = "";
    met_text_char(p->out, '(');
    for (uint32_t i = 0; i < p->node->in_count; i++) {
        const met_edge *edge = &p->c->edges[p->node->ins[i].id];
        met_text_format(p->out, "%s%s%s", comma, edge->role == MET_EDGE_PARAMETER ? "@" : "", met_sym_text(p->c->session, edge->name));
        comma = ", ";
    }
    for (uint32_t i = 0; i < p->node->attr_count && i < count; i++) {
        const met_attr *attr = &p->node->attrs[i];
        if (!attr->given)
            continue;
        met_text_put(p->out, comma);
        if (!options[i].positional)
            met_text_format(p->out, "%s=", met_sym_text(p->c->session, attr->key));
        put_attr_value(p, attr);
        comma = ", ";
    }
    met_text_char(p->out, ')');
}

void met_node_print(met_text *out, const met_circuit *circuit, const met_node *node, bool *introduced)
{
    printer p = { out, circuit, node, MET_NEW_ARRAY(circuit->arena, met_sym, node->index_count), introduced };
    met_node_labels(circuit, node, p.labels);
    if (node->op)
        put_head(&p);
    else
        met_text_format(out, "box %s", met_sym_text(circuit->session, node->box_name));
    put_arguments(&p);
}

bool met_node_stores(const met_circuit *circuit, const met_node *node)
{
    const met_edge *tied = NULL;
    uint32_t leader = node->op ? met_op_leader(node->op) : 0;
    bool differs = false;
    for (uint32_t k = 0; node->op && k < node->in_count + node->out_count; k++) {
        bool result = k >= node->in_count;
        uint32_t port = result ? k - node->in_count : k;
        const met_edge *edge = &circuit->edges[result ? node->outs[port].id : node->ins[port].id];
        char letter = met_op_format_letter(node->op, result, port);
        if (letter == 't' && tied)
            differs = differs || !met_format_equal(tied->format, edge->format);
        if (letter == 't' && !tied)
            tied = edge;
        /* A contraction's result follows its first operand. */
        if (letter == '-' && result && node->op->form != MET_FORM_COMPOSITE && node->in_count > leader)
            differs = differs || (met_format_is_float(circuit->edges[node->ins[leader].id].format) &&
                                  !met_format_equal(circuit->edges[node->ins[leader].id].format, edge->format));
    }
    return differs;
}
