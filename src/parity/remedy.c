#include "parity/remedy.h"

#include <string.h>

#include "base/vec.h"

typedef struct finder {
    met_arena *arena;
    const met_plan_parity *parity;
    const met_lowering *lowerings[2]; /* of a, of b */
    MET_VEC(met_remedy) list;
} finder;

static const met_node_numerics *nodes_of(const finder *f, int side)
{
    return side == 0 ? f->parity->a.numerics->nodes : f->parity->b.numerics->nodes;
}

/* A tree without rescaling by powers of two, which changes no bit. */
static met_tree plain(const met_tree *tree)
{
    met_tree out = *tree;
    out.rescale = out.rescale == MET_RESCALE_POW2 ? MET_RESCALE_NONE : out.rescale;
    return out;
}

/* Whether some fold of the node differs by its tree, and would go along `tree` on this side. */
static bool changes(const finder *f, int side, uint32_t settled, const met_tree *tree)
{
    const met_node_numerics *own = &nodes_of(f, side)[settled], *other = &nodes_of(f, 1 - side)[settled];
    if (!own->folds || own->source == MET_NUMERICS_UNDECLARED || other->source == MET_NUMERICS_UNDECLARED)
        return false;
    met_tree from = plain(&own->tree), to = plain(&other->tree);
    return !met_tree_equal(&from, tree) && met_tree_equal(&to, tree);
}

static bool written_changes(const finder *f, int side, uint32_t n, const met_tree *tree)
{
    const met_settled *settled = f->parity->settled;
    if (f->parity->nodes[n].cause != MET_PARITY_TREE)
        return false;
    for (uint32_t s = settled->begin[n]; s < settled->begin[n + 1]; s++)
        if (changes(f, side, settled->nodes[s].id, tree))
            return true;
    return false;
}

/* The comparison with the side's folds along the tree. */
static void compare_changed(finder *f, int side, met_remedy *remedy)
{
    const met_settled *settled = f->parity->settled;
    const met_node_numerics *old = nodes_of(f, side);
    met_node_numerics *nodes = met_arena_copy(f->arena, old, settled->circuit->node_count, sizeof *nodes);
    for (uint32_t n = 0; n < settled->circuit->node_count; n++)
        if (f->parity->nodes[settled->origin[n]].cause == MET_PARITY_TREE && changes(f, side, n, &remedy->tree))
            nodes[n].tree = remedy->tree;
    met_plan_numerics numerics = { settled, nodes };
    met_parity_side a = f->parity->a, b = f->parity->b;
    *(side == 0 ? &a.numerics : &b.numerics) = &numerics;
    const met_plan_parity *then = met_plan_compare(&a, &b);
    remedy->verdict = then->verdict;
    remedy->left = then->counts[MET_VERDICT_DIFFERENT] + then->counts[MET_VERDICT_UNKNOWN];
}

/* --- What changes --- */

static void describe(finder *f, int side, met_remedy *remedy)
{
    const met_circuit *written = f->parity->settled->written;
    met_text ops = met_text_new(f->arena);
    bool seen[MET_OP_COUNT] = { false };
    for (uint32_t n = 0; n < written->node_count; n++) {
        const met_op *op = written->nodes[n].op;
        if (!op || !written_changes(f, side, n, &remedy->tree))
            continue;
        remedy->count++;
        if (!seen[op->id])
            met_text_format(&ops, "%s%s", ops.length ? ", " : "", op->name);
        seen[op->id] = true;
    }
    remedy->ops = met_text_done(&ops);
}

/* --- Prices --- */

static bool has_op(const met_family *family, const met_remedy *remedy)
{
    const char *end = strchr(remedy->ops, ',');
    size_t length = end ? (size_t)(end - remedy->ops) : strlen(remedy->ops);
    for (uint32_t c = 0; c < family->core.count; c++)
        if (strlen(family->core.names[c]) == length && strncmp(family->core.names[c], remedy->ops, length) == 0)
            return true;
    return false;
}

/* A family of the class whose kernels for the first of the ops fold along the very tree. */
static const met_family *family_for(const met_lowering *lowering, const met_remedy *remedy)
{
    for (uint32_t k = 0; k < lowering->hardware->family_count; k++) {
        const met_family *family = lowering->hardware->families[k];
        for (uint32_t i = 0; has_op(family, remedy) && i < family->kernels.count; i++)
            for (uint32_t t = 0; t < lowering->lkb->tree_count; t++)
                if (strcmp(lowering->lkb->trees[t].id, family->trees[i]) == 0 &&
                    met_tree_equal(&lowering->lkb->trees[t].tree, &remedy->tree))
                    return family;
    }
    return NULL;
}

static met_price price_of(const met_lowering *lowering, const met_lowering_group *group, const met_pricing *pricing)
{
    met_priced_group priced = { group->node_count, group->nodes, group->repeat, group->chunk, lowering->rows, group->change_count,
                                group->changes };
    return met_price_group(pricing, &priced);
}

static bool group_changes(const finder *f, int side, const met_lowering_group *group, const met_tree *tree)
{
    for (uint32_t i = 0; i < group->node_count; i++)
        if (written_changes(f, side, group->nodes[i].id, tree))
            return true;
    return false;
}

/* What the groups take more when all that they compute runs at the f32 peak. */
static double seconds_at_f32(const finder *f, int side, const met_tree *tree)
{
    const met_lowering *lowering = f->lowerings[side];
    met_device slow = *lowering->device;
    for (int p = 0; p < MET_PEAK_COUNT; p++)
        slow.peak[p] = slow.peak[MET_PEAK_F32];
    met_pricing pricing = { .workload = met_workload_new(lowering->circuit), .device = lowering->device,
                            .no_fp4_unit = !met_name_list_has(&lowering->hardware->capabilities, "fp4_unit") };
    met_pricing slower = pricing;
    slower.device = &slow;
    double more = 0;
    for (uint32_t g = 0; pricing.workload && g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        if (group_changes(f, side, group, tree))
            more += price_of(lowering, group, &slower).seconds - price_of(lowering, group, &pricing).seconds;
    }
    return more;
}

static void price(finder *f, int side, met_remedy *remedy)
{
    const met_lowering *lowering = f->lowerings[side];
    bool rounds = remedy->tree.node == MET_NODE_ADD && remedy->tree.precision == MET_F32;
    remedy->family = family_for(lowering, remedy);
    if (remedy->family)
        remedy->price = MET_REMEDY_FAMILY;
    else if (!rounds)
        remedy->price = MET_REMEDY_NO_UNIT;
    else if (lowering->hardware->class_name)
        remedy->price = MET_REMEDY_WRITTEN;
    else if (!lowering->device || lowering->device->peak[MET_PEAK_F32] <= 0)
        remedy->price = MET_REMEDY_NO_DEVICE;
    else {
        remedy->price = MET_REMEDY_PEAK;
        remedy->seconds = seconds_at_f32(f, side, &remedy->tree);
    }
}

/* --- All of them --- */

static void add(finder *f, int side, met_tree tree)
{
    for (size_t k = 0; k < f->list.count; k++)
        if (f->list.at[k].of_a == (side == 0) && met_tree_equal(&f->list.at[k].tree, &tree))
            return;
    met_remedy remedy = { .of_a = side == 0, .tree = tree };
    describe(f, side, &remedy);
    if (remedy.count == 0)
        return;
    compare_changed(f, side, &remedy);
    price(f, side, &remedy);
    MET_PUSH(f->arena, &f->list, remedy);
}

/* A few: insertion keeps the order of what is alike. */
static void sort(finder *f)
{
    for (size_t i = 1; i < f->list.count; i++)
        for (size_t k = i; k > 0 && f->list.at[k].left < f->list.at[k - 1].left; k--) {
            met_remedy swap = f->list.at[k];
            f->list.at[k] = f->list.at[k - 1];
            f->list.at[k - 1] = swap;
        }
}

met_remedies met_remedies_of(const met_plan_parity *parity, const met_lowering *a, const met_lowering *b)
{
    finder f = { .arena = parity->settled->circuit->arena, .parity = parity, .lowerings = { a, b } };
    for (uint32_t n = 0; n < parity->settled->written->node_count; n++) {
        const met_node_parity *node = &parity->nodes[n];
        for (int side = 1; node->cause == MET_PARITY_TREE && side >= 0; side--)
            add(&f, side, plain(&nodes_of(&f, 1 - side)[node->node.id].tree));
    }
    sort(&f);
    return (met_remedies){ (uint32_t)f.list.count, f.list.at };
}
