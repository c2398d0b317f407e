/* Folds along written trees (number/tree.h). Absent terms leave the tree that is without them. */
#include "number/bracketing.h"
#include "number/fold.h"

/* What stands at a node: nothing, a leaf whose product is not taken yet, or a partial result. */
typedef enum state { STATE_ABSENT, STATE_LEAF, STATE_PARTIAL } state;

typedef struct operand {
    uint8_t state;
    bool product; /* of a leaf */
    double a, b;  /* a partial result is `a` */
} operand;

struct met_written {
    const met_tree *tree;
    met_tree unstored; /* the arithmetic of nodes, of what is not stored */
    met_tree meeting;  /* and of what is, */
    met_tree alone;    /* of a leaf that is alone */
    met_monoid monoid;
    operand *leaves;    /* by index */
    operand *nodes;
    double *group_a, *group_b; /* of one node */
};

struct met_written *met_written_new(met_arena *arena, const met_tree *tree, met_monoid monoid)
{
    const met_bracketing *shape = tree->written;
    struct met_written *w = MET_NEW(arena, struct met_written);
    *w = (struct met_written){.tree = tree, .meeting = met_tree_meeting(tree), .monoid = monoid};
    w->unstored = w->meeting;
    w->unstored.store = w->unstored.precision;
    w->alone = *tree;
    w->alone.contraction = w->meeting.contraction;
    w->leaves = MET_NEW_ARRAY(arena, operand, shape->leaf_count);
    w->nodes = MET_NEW_ARRAY(arena, operand, shape->node_count);
    w->group_a = MET_NEW_ARRAY(arena, double, shape->leaf_count);
    w->group_b = MET_NEW_ARRAY(arena, double, shape->leaf_count);
    return w;
}

void met_written_begin(struct met_written *w)
{
    for (uint32_t i = 0; i < w->tree->written->leaf_count; i++) {
        w->leaves[i].state = STATE_ABSENT;
    }
}

void met_written_push(struct met_written *w, uint64_t index, double a, double b, bool product)
{
    w->leaves[index] = (operand){STATE_LEAF, product, met_tree_leaf(w->tree, a), met_tree_leaf(w->tree, b)};
}

void met_written_scale(struct met_written *w, double factor)
{
    for (uint32_t i = 0; i < w->tree->written->leaf_count; i++) {
        operand *leaf = &w->leaves[i];
        if (leaf->state == STATE_LEAF) {
            leaf->a = met_tree_product(w->tree, leaf->product ? met_tree_product(w->tree, leaf->a, leaf->b) : leaf->a, factor);
            leaf->product = false;
        }
    }
}

static operand partial(double value)
{
    return (operand){.state = STATE_PARTIAL, .a = value};
}

/* A partial result that starts with a leaf. */
static operand started(const struct met_written *w, const met_tree *arithmetic, operand at)
{
    bool fused = at.product && w->monoid == MET_MONOID_ADD && arithmetic->start == MET_START_ZERO &&
                 arithmetic->contraction == MET_CONTRACT_FMA;
    if (at.state != STATE_LEAF) {
        return at;
    }
    return partial(fused ? met_tree_fma(arithmetic, at.a, at.b, 0)
                         : met_tree_first(arithmetic, w->monoid, at.product ? met_tree_product(w->tree, at.a, at.b) : at.a));
}

/* The accumulator of two leaves that meet: it starts, and is not stored before they have. */
static double begun(const struct met_written *w, operand at)
{
    return started(w, &w->unstored, at).a;
}

static operand joined(const struct met_written *w, operand x, operand y)
{
    if (x.state == STATE_ABSENT || y.state == STATE_ABSENT) {
        return x.state == STATE_ABSENT ? y : x;
    }
    bool leaf_first = x.state == STATE_LEAF && y.state == STATE_PARTIAL;
    operand acc = partial(begun(w, leaf_first ? y : x)), term = leaf_first ? x : y;
    if (term.state == STATE_PARTIAL || !term.product) {
        return partial(met_tree_step(&w->meeting, w->monoid, acc.a, term.a));
    }
    if (w->monoid == MET_MONOID_ADD && w->meeting.contraction == MET_CONTRACT_FMA) {
        return partial(met_tree_fma(&w->meeting, term.a, term.b, acc.a));
    }
    return partial(met_tree_step(&w->meeting, w->monoid, acc.a, met_tree_product(w->tree, term.a, term.b)));
}

/* A node of the matrix unit. A further partial result is an addend as a product with 1 is. */
static operand unit_node(struct met_written *w, const met_bracketing_node *node)
{
    const uint32_t *child = &w->tree->written->children[node->first];
    uint64_t count = 0, leaves = 0, partials = 0;
    double acc = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        operand at = w->nodes[child[i]];
        if (at.state == STATE_PARTIAL && partials++ == 0) {
            acc = at.a;
        } else if (at.state != STATE_ABSENT) {
            leaves += at.state == STATE_LEAF;
            w->group_a[count] = at.a;
            w->group_b[count++] = at.state == STATE_LEAF && at.product ? at.b : 1;
        }
    }
    if (leaves == 0 && partials < 2) {
        return partials ? partial(acc) : (operand){.state = STATE_ABSENT};
    }
    bool fits = count <= MET_MATRIX_WIDTH;
    return partial((double)(fits ? met_matrix_node : met_matrix_node_exact)(&w->tree->unit, count, w->group_a, w->group_b, (float)acc));
}

static bool has_leaf(const met_bracketing *shape, const met_bracketing_node *node)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const met_bracketing_node *child = &shape->nodes[shape->children[node->first + i]];
        if (child->count == 0 && !child->alone) {
            return true;
        }
    }
    return false;
}

static operand run_node(struct met_written *w, const met_bracketing_node *node)
{
    const met_bracketing *shape = w->tree->written;
    if (w->tree->node == MET_NODE_MATRIX && (node->count > 2 || has_leaf(shape, node))) {
        return unit_node(w, node);
    }
    operand acc = w->nodes[shape->children[node->first]];
    for (uint32_t i = 1; i < node->count; i++) {
        acc = joined(w, acc, w->nodes[shape->children[node->first + i]]);
    }
    return acc;
}

/* A product in a step of its own. */
static operand unit_alone(const struct met_written *w, operand at)
{
    return partial((double)met_matrix_node(&w->tree->unit, 1, &at.a, at.product ? &at.b : &(double){1}, 0));
}

/* What stands at a leaf: what it is, or, of one that is alone, the partial result. An accumulator that joins late is the last
 * leaf, and no product of the unit. */
static operand at_leaf(const struct met_written *w, const met_bracketing_node *node)
{
    operand leaf = w->leaves[node->leaf];
    bool late = w->tree->unit.late && node->leaf == w->tree->written->leaf_count - 1;
    if (!node->alone || leaf.state == STATE_ABSENT) {
        return leaf;
    }
    return w->tree->node == MET_NODE_MATRIX && !late ? unit_alone(w, leaf) : started(w, &w->alone, leaf);
}

bool met_written_end(struct met_written *w, double *ret_result)
{
    const met_bracketing *shape = w->tree->written;
    for (uint32_t i = 0; i < shape->node_count; i++) {
        const met_bracketing_node *node = &shape->nodes[i];
        w->nodes[i] = node->count ? run_node(w, node) : at_leaf(w, node);
    }
    operand whole = w->nodes[shape->node_count - 1];
    if (whole.state == STATE_LEAF && w->tree->node == MET_NODE_MATRIX) {
        whole = unit_alone(w, whole);
    }
    *ret_result = begun(w, whole);
    return whole.state != STATE_ABSENT;
}
