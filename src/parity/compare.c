#include "parity/compare.h"

#include <assert.h>
#include <string.h>

#include "base/vec.h"

met_comparison met_fold_compare(met_arena *scratch, const met_node_numerics *a, const met_node_numerics *b)
{
    if (!a->folds)
        return (met_comparison){ .verdict = MET_VERDICT_SAME };
    bool undeclared = a->source == MET_NUMERICS_UNDECLARED || b->source == MET_NUMERICS_UNDECLARED;
    if (undeclared || (a->terms == 0 && !met_tree_equal(&a->tree, &b->tree)))
        return (met_comparison){ .verdict = MET_VERDICT_UNKNOWN };
    return met_tree_compare(scratch, &a->tree, &b->tree, a->terms);
}

/* A comparison that was made already: layers ask the same questions again and again. */
typedef struct known {
    const met_node_numerics *a, *b;
    met_comparison found;
} known;

typedef struct comparer {
    met_arena *scratch;
    const met_settled *settled;
    met_parity_side a, b;
    MET_VEC(known) known;
} comparer;

static met_comparison compare_trees(comparer *c, const met_node_numerics *a, const met_node_numerics *b)
{
    for (size_t k = 0; k < c->known.count; k++) {
        const known *one = &c->known.at[k];
        if (one->a->terms == a->terms && met_tree_equal(&one->a->tree, &a->tree) && met_tree_equal(&one->b->tree, &b->tree))
            return one->found;
    }
    met_arena *scratch = met_arena_new();
    known fresh = { a, b, met_fold_compare(scratch, a, b) };
    met_arena_free(scratch);
    MET_PUSH(c->scratch, &c->known, fresh);
    return fresh.found;
}

/* --- Scales --- */

static bool is_scaled(const met_parity_side *side, const met_circuit *written, met_edge_id edge)
{
    return !met_format_is_plain(side->stored ? side->stored[edge.id] : written->edges[edge.id].format);
}

/* Whether a fold's operands have scales: what it reads in either circuit. */
static bool reads_scales(const comparer *c, uint32_t settled, const met_node *node)
{
    const met_circuit *written = c->settled->written;
    const met_node *fold = &c->settled->circuit->nodes[settled];
    for (uint32_t k = 0; k < fold->in_count; k++)
        if (!met_format_is_plain(c->settled->circuit->edges[fold->ins[k].id].format))
            return true;
    for (uint32_t k = 0; k < node->in_count; k++)
        if (is_scaled(&c->a, written, node->ins[k]) || is_scaled(&c->b, written, node->ins[k]))
            return true;
    return false;
}

/* Kernels that are written, and the interpreter, multiply scales first of all; a family's does what it says, or what it always
 * does. Groups are of one size on both sides: that of their formats. */
static bool scales_alike(const met_node_numerics *a, const met_node_numerics *b)
{
    if (a->code_group || b->code_group)
        return a->code_group == b->code_group;
    bool family_a = a->source == MET_NUMERICS_FAMILY, family_b = b->source == MET_NUMERICS_FAMILY;
    return family_a == family_b && (!family_a || strcmp(a->kernel, b->kernel) == 0);
}

/* --- A node --- */

static met_node_parity compare_settled(comparer *c, uint32_t n, const met_node *written)
{
    const met_node_numerics *a = &c->a.numerics->nodes[n], *b = &c->b.numerics->nodes[n];
    met_node_parity parity = { .verdict = MET_VERDICT_SAME, .node = { n }, .edge = { MET_NONE } };
    if (a->source == MET_NUMERICS_UNDECLARED || b->source == MET_NUMERICS_UNDECLARED) {
        parity.verdict = MET_VERDICT_UNKNOWN;
        parity.cause = MET_PARITY_UNDECLARED;
        return parity;
    }
    if (!a->folds)
        return parity;
    parity.trees = compare_trees(c, a, b);
    parity.verdict = parity.trees.verdict;
    parity.unless_underflow = parity.trees.unless_underflow;
    parity.cause = parity.verdict == MET_VERDICT_SAME ? MET_PARITY_AGREES : MET_PARITY_TREE;
    if (parity.verdict == MET_VERDICT_SAME && !scales_alike(a, b) && reads_scales(c, n, written)) {
        parity.verdict = MET_VERDICT_UNKNOWN;
        parity.cause = MET_PARITY_SCALES;
    }
    return parity;
}

static met_format format_of(const comparer *c, const met_parity_side *side, met_edge_id edge)
{
    return side->stored ? side->stored[edge.id] : c->settled->written->edges[edge.id].format;
}

static bool is_worse(const met_node_parity *one, const met_node_parity *than)
{
    static const int badness[] = { [MET_VERDICT_SAME] = 0, [MET_VERDICT_UNKNOWN] = 1, [MET_VERDICT_DIFFERENT] = 2 };
    return badness[one->verdict] > badness[than->verdict];
}

static met_node_parity compare_node(comparer *c, uint32_t n)
{
    const met_node *node = &c->settled->written->nodes[n];
    met_node_parity worst = { .verdict = MET_VERDICT_SAME, .node = { MET_NONE }, .edge = { MET_NONE } };
    for (uint32_t s = c->settled->begin[n]; s < c->settled->begin[n + 1]; s++) {
        met_node_parity one = compare_settled(c, c->settled->nodes[s].id, node);
        one.unless_underflow = one.unless_underflow || worst.unless_underflow;
        worst.unless_underflow = one.unless_underflow;
        worst = is_worse(&one, &worst) ? one : worst;
    }
    for (uint32_t o = 0; o < node->out_count; o++) {
        met_edge_id edge = node->outs[o];
        met_node_parity one = { .verdict = MET_VERDICT_DIFFERENT, .cause = MET_PARITY_FORMAT, .node = { MET_NONE }, .edge = edge,
                                .unless_underflow = worst.unless_underflow };
        if (!met_format_equal(format_of(c, &c->a, edge), format_of(c, &c->b, edge)) && is_worse(&one, &worst))
            worst = one;
    }
    return worst;
}

const met_plan_parity *met_plan_compare(const met_parity_side *a, const met_parity_side *b)
{
    const met_settled *settled = a->numerics->settled;
    assert(settled->circuit == b->numerics->settled->circuit);
    met_arena *arena = settled->circuit->arena;
    comparer c = { .scratch = met_arena_new(), .settled = settled, .a = *a, .b = *b };
    met_plan_parity *parity = MET_NEW(arena, met_plan_parity);
    met_node_parity *nodes = MET_NEW_ARRAY(arena, met_node_parity, settled->written->node_count);
    met_node_parity worst = { .verdict = MET_VERDICT_SAME };
    *parity = (met_plan_parity){ .settled = settled, .a = *a, .b = *b, .nodes = nodes };
    for (uint32_t n = 0; n < settled->written->node_count; n++) {
        nodes[n] = compare_node(&c, n);
        worst = is_worse(&nodes[n], &worst) ? nodes[n] : worst;
        parity->unless_underflow = parity->unless_underflow || nodes[n].unless_underflow;
        parity->counts[nodes[n].verdict]++;
    }
    parity->verdict = worst.verdict;
    met_arena_free(c.scratch);
    return parity;
}
