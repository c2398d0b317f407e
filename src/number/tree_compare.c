#include "number/tree_compare.h"

#include <string.h>

typedef struct comparer {
    met_arena *scratch;
    uint64_t n;
    met_comparison result;
} comparer;

/* Sequential innermost partial results have accumulators that start and may fuse. */
static bool in_order(const met_tree *tree)
{
    return met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL;
}

/* Terms of the longest innermost partial result, which is the first. */
static uint64_t longest_part(const met_tree *tree, uint64_t n)
{
    return n ? met_tree_part(tree, n, 0).count : 0;
}

static bool same_levels(const met_tree *a, const met_tree *b)
{
    bool same = a->level_count == b->level_count;
    for (int i = 0; same && i < a->level_count; i++) {
        const met_tree_level *x = &a->levels[i], *y = &b->levels[i];
        same = x->layout == y->layout && x->order == y->order && x->per_terms == y->per_terms && x->width == y->width;
    }
    return same;
}

/* --- One field: whether two records that differ in nothing else give the same bits --- */

static met_verdict when(bool different)
{
    return different ? MET_VERDICT_DIFFERENT : MET_VERDICT_SAME;
}

/* The same additions; but the first term of a partial result is not fused, it is rounded to `store` by itself, and there is
 * +0 before it. */
static met_verdict heads(const comparer *c, const met_tree *a, const met_tree *b)
{
    uint64_t parts = met_tree_part_count(a, c->n);
    bool same = in_order(a) == in_order(b) && (!in_order(a) || parts == met_tree_part_count(b, c->n));
    for (uint64_t i = 0; same && in_order(a) && i < parts; i++) {
        same = met_tree_part(a, c->n, i).base == met_tree_part(b, c->n, i).base;
    }
    if (!same && (a->contraction == MET_CONTRACT_FMA || a->store != a->precision)) {
        return MET_VERDICT_DIFFERENT;
    }
    return same || a->mode == MET_RNE ? MET_VERDICT_SAME : MET_VERDICT_UNKNOWN; /* +0 matters to a sum of zeros */
}

/* Levels and their combination. */
static met_verdict shape(comparer *c, const met_tree *a, const met_tree *b)
{
    if (same_levels(a, b) && a->combine == b->combine && a->unit.width == b->unit.width) {
        return MET_VERDICT_SAME;
    }
    if (c->n > MET_BRACKETING_LEAVES) {
        return MET_VERDICT_UNKNOWN;
    }
    const met_bracketing *of_a = met_bracketing_of(c->scratch, a, c->n), *of_b = met_bracketing_of(c->scratch, b, c->n);
    if (!met_bracketing_same(c->scratch, of_a, of_b)) {
        c->result.has_witness = met_bracketing_witness(c->scratch, of_a, of_b, &c->result.witness);
        return MET_VERDICT_DIFFERENT;
    }
    return heads(c, a, b);
}

static met_verdict start(comparer *c, const met_tree *a, const met_tree *b)
{
    (void)c;
    return when(a->start != b->start);
}

/* A single term that nothing is added to is stored as it is. */
static met_verdict rounding(comparer *c, const met_tree *a, const met_tree *b)
{
    return when(a->precision != b->precision || a->mode != b->mode ||
                (a->store != b->store && (c->n > 1 || in_order(a))));
}

static met_verdict flush(comparer *c, const met_tree *a, const met_tree *b)
{
    (void)c;
    return when(a->flush != b->flush);
}

static met_verdict contraction(comparer *c, const met_tree *a, const met_tree *b)
{
    (void)c;
    return when(a->contraction != b->contraction);
}

static met_verdict mma(comparer *c, const met_tree *a, const met_tree *b)
{
    const met_matrix_unit *x = &a->unit, *y = &b->unit;
    if (a->node != b->node) {
        return MET_VERDICT_DIFFERENT;
    }
    if (a->node != MET_NODE_MATRIX) {
        return MET_VERDICT_SAME;
    }
    bool same = x->fraction == y->fraction && x->final == y->final && x->keep == y->keep && x->half == y->half;
    return same ? shape(c, a, b) : MET_VERDICT_DIFFERENT; /* an accumulator of +0 comes early or late alike */
}

/* A single slice is no slicing. */
static met_rescale rescale_of(const met_tree *tree, uint64_t n)
{
    return tree->rescale == MET_RESCALE_FLOAT && tree->slice >= n ? MET_RESCALE_NONE : (met_rescale)tree->rescale;
}

static met_verdict rescale(comparer *c, const met_tree *a, const met_tree *b)
{
    met_rescale x = rescale_of(a, c->n), y = rescale_of(b, c->n);
    if (x == MET_RESCALE_FLOAT || y == MET_RESCALE_FLOAT) {
        return when(x != y || a->slice != b->slice);
    }
    c->result.unless_underflow = x != y;
    return MET_VERDICT_SAME;
}

/* --- All of them --- */

static void take_shape(met_tree *to, const met_tree *from)
{
    to->level_count = from->level_count;
    to->combine = from->combine;
    memcpy(to->levels, from->levels, sizeof to->levels);
}

static void take_start(met_tree *to, const met_tree *from)
{
    to->start = from->start;
}

static void take_rounding(met_tree *to, const met_tree *from)
{
    to->precision = from->precision;
    to->store = from->store;
    to->mode = from->mode;
}

static void take_flush(met_tree *to, const met_tree *from)
{
    to->flush = from->flush;
}

static void take_contraction(met_tree *to, const met_tree *from)
{
    to->contraction = from->contraction;
}

static void take_node(met_tree *to, const met_tree *from)
{
    to->node = from->node;
    to->unit = from->unit;
}

static void take_rescale(met_tree *to, const met_tree *from)
{
    to->rescale = from->rescale;
    to->slice = from->slice;
}

static const struct {
    met_tree_field field;
    void (*take)(met_tree *to, const met_tree *from);
    met_verdict (*compare)(comparer *c, const met_tree *a, const met_tree *b);
} fields[] = {
    {MET_FIELD_LEVELS, take_shape, shape},
    {MET_FIELD_START, take_start, start},
    {MET_FIELD_ROUNDING, take_rounding, rounding},
    {MET_FIELD_FLUSH, take_flush, flush},
    {MET_FIELD_CONTRACTION, take_contraction, contraction},
    {MET_FIELD_MMA, take_node, mma},
    {MET_FIELD_RESCALE, take_rescale, rescale},
};

/* The record in which start and contraction say what happens. Out of order products are rounded and nothing starts at +0;
 * and where a first term is all of a partial result, it is not fused. (One that starts at +0 is: if it rounds to −0 it stays
 * −0.) */
static met_tree normal(const met_tree *tree, uint64_t n)
{
    met_tree normal = *tree;
    if (!in_order(tree)) {
        normal.start = MET_START_FIRST;
    }
    if (normal.start == MET_START_FIRST && (!in_order(tree) || longest_part(tree, n) < 2)) {
        normal.contraction = MET_CONTRACT_MUL_ADD;
    }
    return normal;
}

/* Of two shapes that differ: whether they do so when the last level is combined alike. */
static met_tree_field shape_field(comparer *c, const met_tree *a, const met_tree *b)
{
    met_tree alike = *b;
    alike.combine = a->combine;
    comparer other = {.scratch = c->scratch, .n = c->n};
    return shape(&other, a, &alike) == MET_VERDICT_SAME ? MET_FIELD_COMBINE : MET_FIELD_LEVELS;
}

/* From a to b field by field: each step has the fields of b up to one, and those of a after it. Equal bits at every step are
 * equal bits. */
met_comparison met_tree_compare(met_arena *scratch, const met_tree *a, const met_tree *b, uint64_t n)
{
    comparer c = {.scratch = scratch, .n = n};
    met_tree before = normal(a, n), last = normal(b, n);
    bool nodes_differ = a->node != b->node || (a->node == MET_NODE_MATRIX && !met_tree_equal(a, b));
    if (n == 1 && nodes_differ) { /* one product: cutting and rounding it may come to the same */
        return (met_comparison){.verdict = MET_VERDICT_UNKNOWN, .field = MET_FIELD_MMA};
    }
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && n > 0; i++) {
        met_tree after = before;
        fields[i].take(&after, &last);
        c.result.verdict = fields[i].compare(&c, &before, &after);
        if (c.result.verdict != MET_VERDICT_SAME) {
            c.result.field = fields[i].field == MET_FIELD_LEVELS ? shape_field(&c, &before, &after) : fields[i].field;
            return c.result;
        }
        before = after;
    }
    return c.result;
}
