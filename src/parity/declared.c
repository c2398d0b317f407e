#include "parity/declared.h"

#include <string.h>

#include "ir/primitive.h"
#include "realize/writer.h"

static const met_lkb_tree *tree_named(const met_lkb *lkb, const char *id)
{
    for (uint32_t t = 0; t < lkb->tree_count; t++)
        if (strcmp(lkb->trees[t].id, id) == 0)
            return &lkb->trees[t];
    return NULL;
}

static bool may_hold(const met_family *family, const char *op)
{
    for (uint32_t o = 0; o < family->op_count; o++)
        if (strcmp(met_op_by_id(family->ops[o].op)->name, op) == 0)
            return true;
    return false;
}

/* How well a family answers for an op: it is of its core, or the family has none and may hold it; it may hold it; it may not. */
static int answers(const met_family *family, const char *op)
{
    if (met_name_list_has(&family->core, op))
        return 3;
    return may_hold(family, op) ? family->core.count == 0 ? 2 : 1 : 0;
}

met_declared met_declared_in(const met_lkb *lkb, const met_hardware *hardware, const met_lowering_group *group, const char *op)
{
    met_declared best = { NULL, NULL, NULL, false };
    int found = -1;
    for (uint32_t k = 0; k < group->kernels.count; k++) {
        uint32_t number;
        const met_family *family = met_hardware_family(hardware, group->kernels.names[k], &number);
        if (!family || answers(family, op) <= found)
            continue;
        found = answers(family, op);
        best = (met_declared){ group->kernels.names[k], family, tree_named(lkb, family->trees[number]), found < 2 };
    }
    return best;
}

/* --- Widths --- */

typedef struct fold_sizes {
    const met_lkb *lkb;
    const met_tree *tree;
    const met_circuit *circuit;
    const met_node *node;
} fold_sizes;

static bool axis_size(const met_circuit *circuit, met_axis_id axis, met_str label, uint64_t *ret_size)
{
    return met_str_equal(met_sym_str(circuit->session, circuit->axes[axis.id].label), label) && met_circuit_size(circuit, axis, ret_size);
}

static bool size_of(void *context, met_size symbol, uint64_t *ret_value)
{
    const fold_sizes *s = context;
    met_str name = s->lkb->sizes[symbol.id];
    if (met_tree_is_over(s->tree, name)) {
        *ret_value = met_node_terms(s->circuit, s->node);
        return *ret_value > 0;
    }
    for (uint32_t i = 0; i < s->node->index_count; i++)
        if (axis_size(s->circuit, s->node->indices[i].axis, name, ret_value))
            return true;
    for (uint32_t a = 0; a < s->circuit->axis_count; a++)
        if (axis_size(s->circuit, (met_axis_id){ a }, name, ret_value))
            return true;
    return false;
}

bool met_declared_bind(const met_lkb *lkb, const met_lkb_tree *declared, const met_circuit *settled, const met_node *node,
                       met_tree *ret_tree, const char **ret_why)
{
    *ret_tree = declared->tree;
    fold_sizes sizes = { lkb, ret_tree, settled, node };
    met_unbound why;
    if (met_tree_bind(ret_tree, size_of, &sizes, &why))
        return true;
    met_str name = why.fault == MET_WIDTH_UNKNOWN ? lkb->sizes[why.symbol.id] : (met_str){ 0 };
    *ret_why = why.fault == MET_WIDTH_ZERO    ? met_format_text(settled->arena, "a width of the tree `%s` is 0 here", declared->id)
               : why.fault == MET_WIDTH_LARGE ? met_format_text(settled->arena, "a width of the tree `%s` passes 64 bits here", declared->id)
               : met_format_text(settled->arena, "a width of the tree `%s` needs the size `%.*s`, which is not known here", declared->id,
                                 MET_STR_ARGS(name));
    return false;
}

const met_lowering *met_lowering_alone(const met_lowering *lowering)
{
    met_lower_options options = { .lkb = lowering->lkb, .hardware = lowering->hardware, .mode = lowering->mode,
                                  .rows = lowering->rows, .partial = true };
    return met_lower(lowering->circuit, MET_LOWER_NONE, &options);
}
