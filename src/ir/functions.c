/* Which functions a formula calls at the point pow2 below f64. */
#include "ir/primitive.h"
#include "ir/settle.h"

static const met_scalar *call1(met_arena *arena, met_scalar_fn fn, const met_scalar *a)
{
    return met_scalar_call(arena, fn, a, NULL, NULL);
}

/* 1/(1 + expp(-a)) */
static const met_scalar *sigmoid(met_arena *arena, const met_scalar *a)
{
    const met_scalar *one = met_scalar_number(arena, 1);
    const met_scalar *e = call1(arena, MET_FN_expp, call1(arena, MET_FN_neg, a));
    return met_scalar_call(arena, MET_FN_div, one, met_scalar_call(arena, MET_FN_add, one, e, NULL), NULL);
}

/* The formula itself if it calls none of them. */
static const met_scalar *with_polynomials(met_arena *arena, const met_scalar *e)
{
    if (!e || e->kind != MET_SCALAR_CALL)
        return e;
    const met_scalar *arguments[3];
    bool same = true;
    for (int i = 0; i < 3; i++) {
        arguments[i] = with_polynomials(arena, e->arguments[i]);
        same = same && arguments[i] == e->arguments[i];
    }
    switch (e->fn) {
    case MET_FN_exp:
        return call1(arena, MET_FN_expp, arguments[0]);
    case MET_FN_tanh:
        return call1(arena, MET_FN_tanhp, arguments[0]);
    case MET_FN_erf:
        return call1(arena, MET_FN_erfp, arguments[0]);
    case MET_FN_sigmoid:
        return sigmoid(arena, arguments[0]);
    default:
        return same ? e : met_scalar_call(arena, e->fn, arguments[0], arguments[1], arguments[2]);
    }
}

/* A map or fold keeps its other options; any other op becomes a map. */
static void set_formula(const met_circuit *circuit, met_node *node, const met_scalar *e)
{
    bool own = met_op_has_formulas(node->op);
    uint32_t count = own ? node->attr_count : 1;
    met_attr *attrs = MET_NEW_ARRAY(circuit->arena, met_attr, count);
    for (uint32_t i = 0; own && i < count; i++)
        attrs[i] = node->attrs[i];
    attrs[0] = (met_attr){ .key = met_intern(circuit->session, met_str_of("e")), .kind = MET_ATTR_SCALAR, .given = true,
                           .scalar = e, .span = node->span };
    node->op = own ? node->op : met_op_by_id(MET_OP_map);
    node->attrs = attrs;
    node->attr_count = count;
}

/* The formulas of a recurrence, each in its place. */
static void settle_scan(const met_circuit *circuit, met_node *node)
{
    met_attr *attrs = met_arena_copy(circuit->arena, node->attrs, node->attr_count, sizeof *attrs);
    for (uint32_t i = 0; i < node->attr_count; i++)
        attrs[i].scalar = with_polynomials(circuit->arena, attrs[i].scalar);
    node->attrs = attrs;
}

met_circuit *met_settle_functions(const met_circuit *circuit)
{
    met_circuit *to = met_arena_copy(circuit->arena, circuit, 1, sizeof *circuit);
    met_node *nodes = met_arena_copy(circuit->arena, circuit->nodes, circuit->node_count, sizeof *nodes);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (nodes[n].op && nodes[n].op->form == MET_FORM_SCAN)
            settle_scan(circuit, &nodes[n]);
        if (!nodes[n].op || nodes[n].op->form != MET_FORM_FOLD)
            continue;
        const met_scalar *e = met_node_primitive(circuit, &nodes[n]).e, *with = with_polynomials(circuit->arena, e);
        if (with != e)
            set_formula(circuit, &nodes[n], with);
    }
    to->nodes = nodes;
    return to;
}
