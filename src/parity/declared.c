#include "parity/declared.h"

#include <string.h>

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

const met_lowering *met_lowering_alone(const met_lowering *lowering)
{
    met_lower_options options = { .lkb = lowering->lkb, .hardware = lowering->hardware, .mode = lowering->mode,
                                  .rows = lowering->rows, .partial = true };
    return met_lower(lowering->circuit, MET_LOWER_NONE, &options);
}
