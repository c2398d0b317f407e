#include "budget/term.h"

#include <math.h>
#include <stdlib.h>

#include "number/block.h"
#include "number/bracketing.h"

double met_budget_up(double x)
{
    return x > 0 ? x * (1 + 0x1p-50) + 0x1p-1074 : x;
}

double met_budget_amplified(double slope, double distance)
{
    return distance == 0 ? 0 : isinf(distance) ? (double)INFINITY : slope == 0 ? 0 : slope * distance;
}

double met_budget_gamma(double theta)
{
    return theta < 1 ? met_budget_up(theta / (1 - theta)) : (double)INFINITY;
}

/* --- Folds --- */

/* Additions on the longest path within one partial result of m terms: the first term is there, or joins +0 exactly. */
static uint64_t order_height(met_tree_order order, uint64_t m)
{
    uint64_t depth = met_order_depth(order, m);
    bool counts_first = order == MET_ORDER_SEQUENTIAL || order == MET_ORDER_REVERSE;
    return counts_first && depth > 0 ? depth - 1 : depth;
}

typedef struct shape {
    uint64_t part;  /* terms of an innermost partial result at most */
    uint64_t inner; /* additions on the longest path within it */
    uint64_t outer; /* and above */
    uint64_t meeting; /* of those the ones in f64, where the record has a combine of its own precision */
} shape;

/* One level more, over m terms. Returns the number of its results. */
static uint64_t add_level(shape *s, const met_tree_level *level, bool first, uint64_t m)
{
    uint64_t width = met_level_width(level, m), each = (m - 1) / width + 1;
    uint64_t height = order_height((met_tree_order)level->order, each);
    s->part = first ? each : s->part;
    *(first ? &s->inner : &s->outer) += height;
    return level->layout == MET_LAYOUT_CONTIGUOUS ? (m - 1) / each + 1 : width;
}

static void add_combine(shape *s, const met_tree *tree, uint64_t m)
{
    uint64_t last = m > 1 ? order_height((met_tree_order)tree->combine, m) : 0;
    *(tree->level_count == 0 ? &s->inner : &s->outer) += last;
    s->meeting += tree->combine_f64 ? last : 0;
}

static shape shape_of(const met_tree *tree, uint64_t n)
{
    met_tree_stage at = met_tree_stage_begin(tree, n, true);
    shape s = { .part = at.terms.count };
    for (int tail = 0;; tail++) {
        bool joins = tail < tree->tail_count && tree->tails[tail].onto;
        for (int to = joins ? tree->tails[tail].onto : tree->level_count; at.level < to; at.level++)
            at.terms.count = at.terms.count ? add_level(&s, &tree->levels[at.level], at.level == 0, at.terms.count) : 0;
        if (!joins && at.level == tree->level_count) {
            add_combine(&s, tree, at.terms.count);
            at.terms.count = at.terms.count > 0;
            at.level++;
        }
        if (tail == tree->tail_count)
            return s;
        uint64_t terms = met_tree_tail_terms(tree, n, tail).count, lanes = met_tree_stage_deal(tree, &at, tail, terms);
        uint64_t chain = lanes ? (terms - 1) / lanes + 1 : 0; /* onto what is there; apart, in folds of their own and one addition more */
        s.outer += chain;
        s.meeting += tree->combine_f64 && !joins ? chain : 0;
        s.part = s.part ? s.part : terms;
    }
}

/* Nodes on the longest path of a tree that is written out, from a leaf to the root. */
static uint64_t written_height(const met_bracketing *written)
{
    met_arena *arena = met_arena_new();
    uint64_t *height = MET_NEW_ARRAY(arena, uint64_t, written->node_count), root = 0;
    for (uint32_t n = 0; n < written->node_count; n++) {
        const met_bracketing_node *node = &written->nodes[n];
        uint64_t below = 0;
        for (uint32_t c = 0; c < node->count; c++) {
            uint64_t child = height[written->children[node->first + c]];
            below = child > below ? child : below;
        }
        root = height[n] = node->count ? below + 1 : 0;
    }
    met_arena_free(arena);
    return root;
}

/* --- Matrix units --- */

met_node_error met_node_error_of(uint64_t addends, int e_max, int fraction, met_rounding final, int e_out, int bits)
{
    met_node_error e = { .align = ldexp((double)addends, e_max - fraction), .round = ldexp(1, e_out - bits + 1) };
    e.round = final == MET_RNE ? e.round / 2 : e.round;
    e.bound = met_budget_up(e.align + e.round);
    return e;
}

/* Roundings of one chain of matrix-unit nodes, as a factor of the sum of all |terms|. Each node cuts up to width + 1 addends
 * below 2^(e_max − F), 2^e_max being at most its largest addend: of the products of a node at most their sum, of the
 * accumulator at most everything so far, A. Then one rounding, of at most A. So N nodes lose at most
 * c·(Σ|products| + N·A) + N·u·A with c = (width + 1)·2^-F, and A ≤ Σ|terms| plus what was lost: one node, of addends and a
 * result below 1 and 2, N times, and c. */
static double matrix_relative(const met_matrix_unit *unit, met_fold_error *e)
{
    int own = unit->half ? 11 : 24, bits = unit->keep && !unit->half ? unit->keep + 1 : own;
    met_node_error node = met_node_error_of(unit->width + 1u, 0, unit->fraction, unit->final, 0, bits);
    double nearest = ldexp(1, -own), besides = (unit->late ? nearest : 0) + (unit->half ? nearest : 0); /* added, or rounded before */
    e->cut = node.align;
    e->node_unit = node.round + besides;
    return met_budget_gamma(met_budget_up((double)e->nodes * (node.bound + besides) + node.align));
}

/* Fields whose value would have to be known. Rounded factors of a rescaling depend on the bases that come up. */
static bool is_declared(const met_tree *tree)
{
    return tree->undeclared == 0 && tree->rescale != MET_RESCALE_FLOAT;
}

met_fold_error met_fold_error_assumed(met_dtype precision, uint64_t n)
{
    met_limits limits = met_dtype_limits(precision == MET_F64 ? MET_F64 : MET_F32);
    met_fold_error e = { .one_sided = true, .height = n, .unit = 2 * limits.unit_roundoff, .flushed_factors = true };
    e.theta = met_budget_up((double)n * e.unit);
    e.relative = met_budget_gamma(e.theta);
    e.absolute = met_budget_up(2 * (double)n * limits.min_normal * (1 + e.relative));
    return e;
}

met_fold_error met_fold_error_of(const met_tree *tree, uint64_t n, bool product)
{
    met_limits limits = met_dtype_limits((met_dtype)tree->precision), store = met_dtype_limits((met_dtype)tree->store);
    met_fold_error e = { .known = is_declared(tree), .unit = limits.unit_roundoff * (tree->mode == MET_RNE ? 1 : 2) };
    if (!e.known)
        return met_fold_error_assumed((met_dtype)tree->precision, n);
    if (n == 0)
        return e;
    uint64_t height = tree->written ? written_height(tree->written) : 0;
    shape s = tree->written ? (shape){ n, height, 0, tree->combine_f64 ? height : 0 } : shape_of(tree, n);
    bool matrix = tree->node == MET_NODE_MATRIX, pairs = tree->node == MET_NODE_PAIRS;
    product = product || matrix || pairs; /* a sum is one of products with 1 there */
    bool narrow = tree->store != tree->precision;
    uint64_t nodes = matrix ? tree->written ? s.inner : (s.part - 1) / tree->unit.width + 1 : 0;
    e.one_sided = tree->mode != MET_RNE || (matrix && tree->unit.final != MET_RNE);
    /* a product rounds once, in an addition of its own or fused into one, which then starts at +0 */
    uint64_t additions = (matrix ? 0 : s.inner) + s.outer + (product && !matrix ? 1 : 0);
    additions += pairs && s.part % 2 ? 1 : 0;
    e.height = additions + nodes + tree->combine_f64;
    e.wide = s.meeting;
    e.nodes = nodes;
    e.stores = narrow ? additions + nodes + 1 : 0;
    e.store_unit = narrow ? store.unit_roundoff : 0;
    double each = e.unit + (narrow ? store.unit_roundoff : 0);
    e.theta = met_budget_up((double)(additions - s.meeting + (narrow ? nodes : 0)) * each);
    double both = e.unit * e.unit + (narrow ? store.unit_roundoff * store.unit_roundoff : 0);
    e.squares = (double)(additions - s.meeting + (narrow ? nodes : 0)) * both + (narrow ? both : 0);
    /* additions in f64, and then one rounding */
    e.squares += tree->combine_f64 ? (double)s.meeting * 0x1p-106 + e.unit * e.unit : 0;
    e.theta += tree->combine_f64 ? met_budget_up((double)s.meeting * met_dtype_limits(MET_F64).unit_roundoff) + e.unit : 0;
    /* a store of the leaves or of the first partial results comes before any addition */
    e.theta += narrow ? store.unit_roundoff : 0;
    double path = met_budget_gamma(e.theta), steps = matrix ? matrix_relative(&tree->unit, &e) : 0;
    e.relative = met_budget_up(path + steps + path * steps);
    e.squares += (double)nodes * e.node_unit * e.node_unit;
    e.definite = met_budget_up(matrix ? (double)(nodes + 1) * e.cut * (1 + e.relative) : 0); /* Σ|products| and N·A, as above */
    bool flushes = tree->flush != 0 || pairs;
    double least = flushes ? limits.min_normal : product ? limits.min_subnormal : 0;
    least += narrow ? store.min_subnormal : 0;
    least += matrix ? ldexp(tree->unit.width + 1.0, -126) + (tree->unit.half ? 0x1p-24 : 0) : 0;
    e.absolute = met_budget_up(2 * (double)n * least * (1 + e.relative));
    e.flushed_factors = product && flushes;
    return e;
}

/* --- Probabilities, stores --- */

double met_fold_probable_error(const met_fold_error *error, double lambda, double sum_abs)
{
    double most = met_budget_up(sum_abs * (1 + error->relative) + error->absolute);
    return met_budget_up(lambda * met_budget_up(sqrt(error->squares)) * most + error->definite * sum_abs);
}

double met_probable_failure(double lambda)
{
    return met_budget_up(2 * exp(-lambda * lambda / 2));
}

double met_store_error(met_dtype dtype, double x_max)
{
    met_limits limits = met_dtype_limits(dtype);
    x_max = fabs(x_max);
    /* to nearest, what is above the largest number by less than half a gap still rounds to it */
    return x_max <= limits.max ? met_ulp(dtype, x_max) / 2 : (double)INFINITY;
}

double met_scaled_store_error(met_dtype dtype, met_dtype scale, double x_max, double *ret_scale)
{
    double s = met_decode(scale, met_scale_of(dtype, scale, fabs(x_max), 1));
    *ret_scale = s;
    return s > 0 ? met_budget_up(met_store_error(dtype, fmin(fabs(x_max) / s, met_dtype_limits(dtype).max)) * s) : fabs(x_max);
}

double met_root_mean_square(size_t count, const double *values)
{
    double largest = 0, sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        largest = isfinite(values[i]) ? fmax(largest, fabs(values[i])) : largest;
    for (size_t i = 0; i < count && largest > 0; i++) {
        if (!isfinite(values[i]))
            continue;
        double share = values[i] / largest; /* squares of large values overflow */
        sum += share * share;
        finite++;
    }
    return finite > 0 ? largest * sqrt(sum / (double)finite) : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

double met_quantile(size_t count, double *values, double share)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, ascending);
    return values[(size_t)ceil(share * (double)count) - 1];
}
