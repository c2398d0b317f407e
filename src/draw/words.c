/* What is written in a picture: words in glyphs, labels of axes, lines of the description. */
#include <string.h>

#include "draw/figure.h"
#include "ir/affine.h"

typedef struct naming {
    const met_circuit *circuit;
    const met_node *node;
} naming;

static met_str index_name(void *context, uint32_t index)
{
    const naming *n = context;
    if (index >= n->node->index_count)
        return met_str_of("?");
    return met_sym_str(n->circuit->session, n->node->indices[index].label);
}

static met_str size_name(void *context, met_size symbol)
{
    const naming *n = context;
    return met_sym_str(n->circuit->session, n->circuit->symbols[symbol.id].name);
}

/* A size that is called like a label of the node is written size(a). */
static bool name_taken(void *context, met_str name)
{
    const naming *n = context;
    for (uint32_t i = 0; i < n->node->index_count; i++)
        if (met_str_equal(met_sym_str(n->circuit->session, n->node->indices[i].label), name))
            return true;
    return false;
}

static void put_attr(met_text *out, const met_scalar_names *names, const met_circuit *c, const met_attr *attr)
{
    switch (attr->kind) {
    case MET_ATTR_NUMBER:
        met_text_double(out, attr->number);
        break;
    case MET_ATTR_WORD:
        met_text_str(out, met_sym_str(c->session, attr->word));
        break;
    case MET_ATTR_DIM:
        if (attr->dim)
            met_dim_print(out, attr->dim, names->size, names->context);
        break;
    case MET_ATTR_SCALAR:
    case MET_ATTR_GUARDS:
        if (attr->scalar)
            met_scalar_print(out, attr->scalar, names);
        break;
    case MET_ATTR_FORMAT:
        met_format_print(out, attr->format);
        break;
    }
}

bool met_view_renames(const met_circuit *c, const met_node *node, uint32_t index)
{
    uint32_t axes[2] = { MET_NONE, MET_NONE }; /* of the input, of the output */
    if (node->in_count == 0 || node->out_count == 0)
        return false;
    for (int side = 0; side < 2; side++) {
        met_access access = side ? node->out_access[0] : node->in_access[0];
        uint32_t edge = side ? node->outs[0].id : node->ins[0].id;
        uint32_t found;
        for (uint32_t p = 0; p < access.rank && p < c->edges[edge].rank; p++)
            if (met_affine_is_index(access.at[p], &found) && found == index)
                axes[side] = c->edges[edge].axes[p].id;
    }
    return axes[0] != MET_NONE && axes[1] != MET_NONE && axes[0] != axes[1];
}

/* The positions of the view's input that are not the output's own: what the pentagon reads. */
static void put_view(met_text *out, const met_scalar_names *names, const met_circuit *c, const met_node *node)
{
    bool first = true;
    for (uint32_t p = 0; node->in_count > 0 && p < node->in_access[0].rank; p++) {
        uint32_t index;
        if (met_affine_is_index(node->in_access[0].at[p], &index) && !met_view_renames(c, node, index))
            continue;
        met_text_put(out, first ? "" : ", ");
        met_affine_print(out, node->in_access[0].at[p], names);
        first = false;
    }
    if (first && node->in_count > 0) { /* a diagonal: the index that is read twice */
        for (uint32_t i = 0; i < node->index_count; i++) {
            uint32_t uses = 0;
            for (uint32_t p = 0; p < node->in_access[0].rank; p++)
                uses += met_affine_reads_index(node->in_access[0].at[p], i);
            for (uint32_t u = 0; uses > 1 && u < uses; u++) {
                met_text_put(out, u ? "," : "");
                met_text_str(out, names->index(names->context, i));
            }
        }
    }
}

met_str met_node_words(const met_drafter *d, uint32_t node)
{
    const met_node *n = &d->circuit->nodes[node];
    naming naming_of = { d->circuit, n };
    met_scalar_names names = { &naming_of, size_name, index_name, name_taken, NULL };
    met_text text = met_text_new(d->arena);
    met_glyph glyph = met_glyph_of(d->circuit, n);
    if (met_glyph_table[glyph].inside == MET_INSIDE_INDEX) {
        put_view(&text, &names, d->circuit, n);
    } else {
        bool formula = met_op_has_formulas(n->op);
        met_text_put(&text, formula ? "" : n->op->name);
        for (uint32_t i = 0; i < n->attr_count; i++) {
            if (n->attrs[i].kind != MET_ATTR_SCALAR)
                continue;
            met_text_put(&text, text.length ? " " : "");
            put_attr(&text, &names, d->circuit, &n->attrs[i]);
        }
    }
    return (met_str){ met_text_done(&text), text.length };
}

static void put_type(const met_circuit *c, met_text *out, uint32_t edge)
{
    const met_edge *e = &c->edges[edge];
    for (uint32_t i = 0; i < e->rank; i++) {
        met_text_put(out, i ? " " : "");
        met_text_str(out, met_sym_str(c->session, c->axes[e->axes[i].id].name));
    }
    if (e->rank == 0)
        met_text_put(out, "1");
    if (!met_format_equal(e->format, c->default_format)) {
        met_text_char(out, ':');
        met_format_print(out, e->format);
    }
}

void met_node_line(const met_circuit *c, met_text *out, uint32_t node)
{
    const met_node *n = &c->nodes[node];
    naming naming_of = { c, n };
    met_scalar_names names = { &naming_of, size_name, index_name, name_taken, NULL };
    met_text_format(out, "n%u %s", node, n->op->name);
    bool open = false;
    for (uint32_t i = 0; i < n->attr_count; i++) {
        if (!n->attrs[i].given)
            continue;
        met_text_put(out, open ? ", " : "(");
        open = true;
        met_text_str(out, met_sym_str(c->session, n->attrs[i].key));
        met_text_put(out, "=");
        put_attr(out, &names, c, &n->attrs[i]);
    }
    met_text_put(out, open ? "): " : ": ");
    for (uint32_t i = 0; i < n->in_count; i++) {
        met_text_put(out, i ? ", " : "");
        if (c->edges[n->ins[i].id].role == MET_EDGE_PARAMETER) {
            met_text_char(out, '@');
            met_text_str(out, met_sym_str(c->session, c->edges[n->ins[i].id].name));
        } else {
            put_type(c, out, n->ins[i].id);
        }
    }
    met_text_put(out, " -> ");
    for (uint32_t i = 0; i < n->out_count; i++) {
        met_text_put(out, i ? ", " : "");
        put_type(c, out, n->outs[i].id);
    }
}

met_str met_axis_text(const met_drafter *d, uint32_t axis)
{
    if (axis == MET_NONE)
        return (met_str){ NULL, 0 };
    const met_axis *a = &d->circuit->axes[axis];
    met_str name = met_sym_str(d->circuit->session, a->name);
    uint64_t size;
    if (!a->size || !met_dim_is_constant(a->size, &size))
        return name;
    met_text text = met_text_new(d->arena);
    met_text_str(&text, name);
    met_text_format(&text, "%s%llu", name.length ? "=" : "", (unsigned long long)size);
    return (met_str){ met_text_done(&text), text.length };
}

/* Is the part of a name that ends there a number: the copy of a layer? */
static bool is_copy(met_str name, size_t end)
{
    size_t at = end;
    while (at > 0 && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
        at--;
    return at < end && (at == 0 || name.at[at - 1] == '.');
}

met_str met_short_name(met_str name, size_t least)
{
    size_t at = name.length;
    size_t letters = 0; /* of the part so far, a number at its end not counted */
    for (; at > 0; at--) {
        char c = name.at[at - 1];
        bool digit = c >= '0' && c <= '9';
        if (c == '.' && (letters >= least || (letters > 0 && is_copy(name, at - 1))))
            break;
        letters += c != '.' && (!digit || letters > 0);
    }
    return (met_str){ name.at + at, name.length - at };
}
