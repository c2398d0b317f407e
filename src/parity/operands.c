#include "parity/operands.h"

#include <string.h>

#include "ir/primitive.h"
#include "lkb/step.h"
#include "realize/writer.h"

const met_lkb_unit *met_tree_unit(const met_lkb *lkb, const met_lkb_tree *tree)
{
    bool matrix = tree && tree->tree.node == MET_NODE_MATRIX && tree->unit;
    for (uint32_t u = 0; matrix && u < lkb->unit_count; u++)
        if (strcmp(lkb->units[u].id, tree->unit) == 0)
            return &lkb->units[u];
    return NULL;
}

static const char *spelling(met_format format)
{
    return met_dtype_table[format.dtype].spelling;
}

static const char *list_names(met_arena *arena, const met_name_list *names)
{
    met_text text = met_text_new(arena);
    for (uint32_t i = 0; i < names->count; i++)
        met_text_format(&text, "%s%s", i ? ", " : "", names->names[i]);
    return met_text_done(&text);
}

/* What comes after "stored->", if that is what stands before. */
static const char *converted_from(const char *precision, const char *stored)
{
    const char *arrow = strstr(precision, "->");
    bool is = arrow && strlen(stored) == (size_t)(arrow - precision) && strncmp(precision, stored, strlen(stored)) == 0;
    return is ? arrow + 2 : NULL;
}

/* The format in which the unit gets an operand: its own, or the one that the family's pipeline makes of it ("weight", or "in"
 * beside "act"). NULL: the unit takes neither. */
static const char *multiplied_as(const met_family *family, met_op_id op, const char *operand, const met_lkb_unit *unit)
{
    const char *act = NULL, *weight = NULL;
    bool in = false;
    if (met_name_list_has(&unit->inputs, operand))
        return operand;
    for (uint32_t s = 0; s < family->step_count; s++) {
        const met_pipeline_step *step = &family->steps[s];
        const char *to = strcmp(step->step, "weight") == 0 ? converted_from(step->precision, operand) : NULL;
        if (step->op != op)
            continue;
        weight = to && met_name_list_has(&unit->inputs, to) ? to : weight;
        act = strcmp(step->step, "act") == 0 && met_name_list_has(&unit->inputs, step->precision) ? step->precision : act;
        in = in || (strcmp(step->step, "in") == 0 && strcmp(step->precision, operand) == 0);
    }
    return weight ? weight : in ? act : NULL;
}

/* An operand of the products: ids say which row of a table is one. */
static bool is_factor(const met_circuit *settled, const met_node *node, uint32_t input)
{
    met_primitive form = met_node_primitive(settled, node);
    return form.form != MET_FORM_READ || input != form.ids;
}

static const char *refused_by_unit(const met_circuit *settled, const met_node *node, met_op_id op, const met_family *family,
                                   const met_lkb_unit *unit)
{
    const char *first = NULL;
    if (node->in_count < 2)
        return "the tree is of products, and this is a sum of single terms";
    for (uint32_t i = 0; i < node->in_count; i++) {
        if (!is_factor(settled, node, i))
            continue;
        const char *operand = spelling(settled->edges[node->ins[i].id].format), *as = multiplied_as(family, op, operand, unit);
        if (!as)
            return met_format_text(settled->arena, "an operand is %s, and the unit takes %s", operand,
                                   list_names(settled->arena, &unit->inputs));
        if (first && strcmp(first, as) != 0)
            return "the operands are of two formats";
        first = as;
    }
    return NULL;
}

const char *met_operands_refused(const met_lkb *lkb, const met_circuit *settled, uint32_t n, met_op_id op, const met_declared *declared)
{
    const met_node *node = &settled->nodes[n];
    const met_lkb_unit *unit = met_tree_unit(lkb, declared->tree);
    for (uint32_t i = 0; i < node->in_count; i++)
        if (settled->edges[node->ins[i].id].format.dtype == MET_F64 && declared->tree->tree.store != MET_F64)
            return met_format_text(settled->arena, "an operand is f64, and the declared tree's sums are %s",
                                   met_dtype_table[declared->tree->tree.store].spelling);
    return unit ? refused_by_unit(settled, node, op, declared->family, unit) : NULL;
}

/* Whether the unit takes a format that has all values of this one. */
static bool is_held(const met_lkb_unit *unit, const char *operand)
{
    for (uint32_t i = 0; i < unit->inputs.count; i++)
        if (met_precision_holds(met_str_of(unit->inputs.names[i]), met_str_of(operand)))
            return true;
    return false;
}

const char *met_operands_converted(const met_circuit *settled, const met_node *node, const met_lkb_unit *unit, bool codes)
{
    for (uint32_t i = 0; i < node->in_count; i++) {
        if (!is_factor(settled, node, i))
            continue;
        met_format format = settled->edges[node->ins[i].id].format;
        met_text name = met_text_new(settled->arena);
        met_format_print(&name, format);
        if (!codes && !met_format_is_plain(format))
            return met_format_text(settled->arena, "an operand is %s: units multiply codes, and nobody says where they are scaled", met_text_done(&name));
        if (!is_held(unit, spelling(format)))
            return met_format_text(settled->arena, "an operand is %s, which the kernel converts", met_text_done(&name));
    }
    return NULL;
}
