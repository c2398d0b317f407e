/* What follows from the findings. */
#include "report/reveal.h"

#include "number/tree_compare.h"

/* --- Where c joins --- */

met_joint met_joint_of(met_arena *scratch, const met_bracketing *tree, uint64_t *ret_terms)
{
    uint32_t *leaves = MET_NEW_ARRAY(scratch, uint32_t, tree->node_count);
    *ret_terms = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        bool here = false;
        leaves[i] = node->count == 0;
        for (uint32_t k = 0; k < node->count; k++) {
            const met_bracketing_node *child = &tree->nodes[tree->children[node->first + k]];
            leaves[i] += leaves[tree->children[node->first + k]];
            here = here || (child->count == 0 && child->leaf + 1 == tree->leaf_count);
        }
        if (!here)
            continue;
        *ret_terms = leaves[i] - 1;
        bool all = leaves[i] == tree->leaf_count && node->count == 2;
        return all && leaves[i] > 2 ? MET_JOINT_LAST : *ret_terms == 1 ? MET_JOINT_FIRST : MET_JOINT_INSIDE;
    }
    return MET_JOINT_UNKNOWN;
}

/* --- Cases that are alike --- */

static bool same_findings(const met_reveal_case *a, const met_reveal_case *b)
{
    if (a->terms != b->terms || a->revealed.verdict != b->revealed.verdict || a->alike != b->alike || a->joint != b->joint ||
        a->joint_terms != b->joint_terms)
        return false;
    if (a->revealed.verdict != MET_REVEAL_TREE)
        return true;
    met_tree x = a->revealed.tree, y = b->revealed.tree;
    const met_bracketing *s = a->revealed.shape, *t = b->revealed.shape;
    x.written = y.written = NULL;
    met_arena *scratch = met_arena_new();
    bool same = met_tree_equal(&x, &y) && met_bracketing_same(scratch, s, t);
    met_arena_free(scratch);
    return same;
}

/* --- Rules --- */

/* A rule for the cases of the base from the first to the last. */
static bool rule_of(met_arena *arena, const met_reveal_report *report, size_t first, size_t last, met_tree *ret_rule)
{
    const met_revealed **revealed = MET_NEW_ARRAY(arena, const met_revealed *, last - first + 1);
    size_t count = 0;
    for (size_t i = first; i <= last; i++) {
        if (!report->cases[i].base)
            continue;
        if (report->cases[i].revealed.verdict != MET_REVEAL_TREE)
            return false;
        revealed[count++] = &report->cases[i].revealed;
    }
    return met_reveal_rule(arena, count, revealed, ret_rule);
}

static void find_spans(met_arena *arena, met_reveal_report *report)
{
    report->spans = MET_NEW_ARRAY(arena, met_reveal_span, report->case_count);
    report->span_count = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        const met_reveal_case *c = &report->cases[i];
        met_reveal_span *span = report->span_count > 0 ? &report->spans[report->span_count - 1] : NULL;
        met_tree rule;
        if (!c->base)
            continue;
        if (span && span->has_rule && met_reveal_follows(arena, &span->rule, &c->revealed)) {
            span->last = i;
        } else if (span && span->has_rule && rule_of(arena, report, span->first, i, &rule)) {
            span->last = i;
            span->rule = rule;
        } else if (span && !span->has_rule && !c->has_rule) {
            span->last = i;
        } else {
            report->spans[report->span_count++] = (met_reveal_span){ .first = i, .last = i, .has_rule = c->has_rule, .rule = c->rule };
        }
    }
}

void met_reveal_conclude_case(met_arena *arena, met_reveal_report *report)
{
    size_t i = report->case_count - 1;
    met_reveal_case *c = &report->cases[i];
    const met_revealed *one = &c->revealed;
    c->has_rule = one->verdict == MET_REVEAL_TREE && met_reveal_rule(arena, 1, &one, &c->rule);
    c->like = i;
    for (size_t k = 0; k < i && c->like == i; k++)
        if (same_findings(&report->cases[k], c))
            c->like = k;
}

void met_reveal_conclude(met_arena *arena, met_reveal_report *report)
{
    find_spans(arena, report);
    for (size_t s = 0; s < report->span_count; s++)
        met_reveal_choose_between(report, &report->spans[s]);
}

bool met_reveal_is_tree(const met_reveal_report *report)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].revealed.verdict != MET_REVEAL_TREE || !report->cases[i].alike)
            return false;
    return true;
}

/* --- The tree as text --- */

/* Of two products that meet the one that starts stands first, which is then clear without its mark. */
static void order_pair(met_bracketing_node *nodes, uint32_t children[2])
{
    met_bracketing_node *x = &nodes[children[0]], *y = &nodes[children[1]];
    if (x->count > 0 || y->count > 0 || x->alone == y->alone)
        return;
    if (y->alone) {
        uint32_t first = children[0];
        children[0] = children[1];
        children[1] = first;
    }
    x->alone = y->alone = false;
}

/* Sorts children by their least leaves: few, since a node of a matrix unit has at most MET_MATRIX_WIDTH terms. */
static void sort_children(const uint32_t *least, uint32_t count, uint32_t *children)
{
    for (uint32_t k = 1; k < count; k++)
        for (uint32_t j = k; j > 0 && least[children[j]] < least[children[j - 1]]; j--) {
            uint32_t child = children[j];
            children[j] = children[j - 1];
            children[j - 1] = child;
        }
}

void met_reveal_print_tree(met_text *out, const met_reveal_case *c)
{
    met_arena *scratch = met_arena_new();
    met_bracketing tree = *c->revealed.shape;
    met_bracketing_node *nodes = met_arena_copy(scratch, tree.nodes, tree.node_count, sizeof *nodes);
    uint32_t *least = MET_NEW_ARRAY(scratch, uint32_t, tree.node_count), count = 0;
    for (uint32_t i = 0; i < tree.node_count; i++)
        count += nodes[i].count;
    uint32_t *children = met_arena_copy(scratch, tree.children, count, sizeof *children);
    for (uint32_t i = 0; i < tree.node_count; i++) {
        uint32_t *mine = &children[nodes[i].first];
        sort_children(least, nodes[i].count, mine);
        least[i] = nodes[i].count > 0 ? least[mine[0]] : nodes[i].leaf;
        if (nodes[i].count == 2)
            order_pair(nodes, mine);
    }
    tree.nodes = nodes;
    tree.children = children;
    met_bracketing_print(out, &tree);
    met_arena_free(scratch);
}

/* --- Traits --- */

static bool knows(const met_tree *tree, met_tree_field field)
{
    return (tree->undeclared & (1u << field)) == 0;
}

static const char *rounding_of(met_arena *arena, const met_tree *tree)
{
    static const char *const modes[] = { "to nearest even", "toward zero", "down", "up" };
    met_text out = met_text_new(arena);
    if (!knows(tree, MET_FIELD_ROUNDING))
        return "cannot be told";
    met_text_format(&out, "%s, in %s", modes[tree->mode], met_dtype_table[tree->precision].spelling);
    if (tree->store != tree->precision)
        met_text_format(&out, ", partial results in %s", met_dtype_table[tree->store].spelling);
    if (tree->combine_f64)
        met_text_put(&out, tree->level_count ? ", combined in f64" : ", added in f64");
    return met_text_done(&out);
}

static const char *flush_of(const met_tree *tree)
{
    /* by met_flush, which has inputs and results as bits */
    static const char *const words[] = { "subnormals are kept", "subnormal inputs become zeros", "subnormal results become zeros",
                                         "subnormals become zeros" };
    return knows(tree, MET_FIELD_FLUSH) ? words[tree->flush & 3] : "cannot be told";
}

static const char *nodes_of(met_arena *arena, const met_tree *tree)
{
    met_text out = met_text_new(arena);
    if (tree->node != MET_NODE_MATRIX)
        return tree->node == MET_NODE_PAIRS ? "pairs of a bf16 dot product" : "additions of two";
    met_text_format(&out, "of %d terms at once", tree->unit.width);
    if (knows(tree, MET_FIELD_MMA))
        met_text_format(&out, ", cut to %d bits below the largest%s", tree->unit.fraction, tree->unit.late ? ", c added last" : "");
    return met_text_done(&out);
}

static const char *products_of(const met_tree *tree)
{
    if (!knows(tree, MET_FIELD_CONTRACTION))
        return "cannot be told";
    return tree->contraction == MET_CONTRACT_FMA ? "fused into the addition (fma)" : "rounded, then added (mul_add)";
}

static const char *joint_of(met_arena *arena, const met_reveal_case *c)
{
    met_text out = met_text_new(arena);
    switch (c->joint) {
    case MET_JOINT_NONE: return NULL;
    case MET_JOINT_FIRST: return "begins a partial sum";
    case MET_JOINT_LAST: return "is added to the finished sum";
    case MET_JOINT_INSIDE: met_text_format(&out, "is added to a partial sum of %llu terms", (unsigned long long)c->joint_terms); break;
    case MET_JOINT_UNKNOWN: return "cannot be told";
    }
    return met_text_done(&out);
}

size_t met_traits_of(met_arena *arena, const met_reveal_report *report, const met_reveal_case *c, met_trait ret_traits[MET_TRAITS])
{
    const met_tree *tree = &c->revealed.tree;
    const char *joint = joint_of(arena, c);
    size_t count = 0;
    if (c->terms > 1)
        ret_traits[count++] = (met_trait){ "nodes", nodes_of(arena, tree) };
    if (report->products)
        ret_traits[count++] = (met_trait){ "products", products_of(tree) };
    ret_traits[count++] = (met_trait){ "rounding", rounding_of(arena, tree) };
    ret_traits[count++] = (met_trait){ "flushing", flush_of(tree) };
    ret_traits[count++] = (met_trait){ "start", !knows(tree, MET_FIELD_START) ? "cannot be told"
                                                : tree->start == MET_START_ZERO ? "at +0" : "at the first term" };
    if (joint)
        ret_traits[count++] = (met_trait){ "c", joint };
    return count;
}
