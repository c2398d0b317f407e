/* What is the same by what the words of a record mean (number/tree.h). Widths become the number of partial results that there are,
 * the layout and the order of what has one, or two, no choice; and what takes no part in any step gets its default. */
#include "number/tree_normal.h"

#include <string.h>

static bool is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* One of the orders that are the same for folds of up to `most` terms, of which there is a power of two everywhere if `even`. Two terms
 * are added whichever comes first; but an innermost fold in sequence starts, and fuses, as others do not. */
static uint8_t normal_order(uint8_t order, bool innermost, uint64_t most, bool even)
{
    bool halves = order == MET_ORDER_HALVES || order == MET_ORDER_HALVES_UP || order == MET_ORDER_ADJACENT;
    bool sequential = innermost ? order == MET_ORDER_SEQUENTIAL : most <= 2;
    return sequential                                  ? MET_ORDER_SEQUENTIAL
           : most <= 2 || order == MET_ORDER_BUTTERFLY ? MET_ORDER_PAIRWISE
           : halves && even                            ? MET_ORDER_HALVES
                                                       : order;
}

/* The level at m terms. Its width is the number of partial results that there are. */
static met_tree_level normal_level(const met_tree_level *level, uint64_t m, bool innermost)
{
    uint64_t width = met_level_width(level, m), each = m / width + (m % width != 0);
    uint64_t parts = level->layout == MET_LAYOUT_CONTIGUOUS ? m / each + (m % each != 0) : width;
    bool even = m % parts == 0 && m / parts == each && is_power(each);
    return (met_tree_level){
        .layout = parts == 1 || each == 1 ? MET_LAYOUT_STRIDED : level->layout,
        .width = parts,
        .order = normal_order(level->order, innermost, each, even),
    };
}

/* Levels beyond one that has a single partial result fold nothing, and one outside the innermost whose partial results have one term
 * each leaves them as they are. A combine in f64 is another than the additions of a level. */
static void normalize_levels(met_tree *tree, uint64_t m)
{
    const met_tree from = *tree;
    memset(tree->levels, 0, sizeof tree->levels);
    tree->level_count = 0;
    for (int i = 0; i < from.level_count; i++) {
        met_tree_level level = normal_level(&from.levels[i], m, i == 0);
        if (level.width == 1 && !from.combine_f64) {
            tree->combine = level.order;
            return;
        }
        if (i == 0 || level.width < m) {
            tree->levels[tree->level_count++] = level;
        }
        m = level.width;
    }
    tree->combine = normal_order(from.combine, tree->level_count == 0, m, is_power(m));
}

/* Every product, or number, is one of the arithmetic. */
static bool is_exact(met_operands operands, uint8_t precision)
{
    met_operand_limits of = met_operands_limits(operands), to = met_operands_limits((met_operands){.dtype = (met_dtype)precision});
    int times = operands.sum ? 1 : 2;
    return times * of.bits <= to.bits && times * of.lowest >= to.lowest && times * of.highest + (times - 1) <= to.highest;
}

/* Tails that have terms, each with one of the blocks that give it those. */
static void normalize_tails(met_tree *tree, uint64_t n, bool exact)
{
    const met_tree from = *tree;
    uint64_t body = met_tree_body(tree, n), block = body ? body : n + 1;
    memset(tree->tails, 0, sizeof tree->tails);
    tree->tail_count = 0;
    for (int i = 0; i < from.tail_count; i++) {
        uint64_t terms = met_tree_tail_terms(&from, n, i).count;
        bool fused = met_tree_tail_arithmetic(&from, i).contraction == MET_CONTRACT_FMA;
        if (terms > 0) {
            tree->tails[tree->tail_count] = from.tails[i];
            tree->tails[tree->tail_count].contraction = exact || (from.combine_f64 && !from.tails[i].onto) ? MET_TAIL_ALIKE
                                                        : fused                                        ? MET_TAIL_FMA
                                                                                                       : MET_TAIL_MUL_ADD;
            tree->tails[tree->tail_count++].block = block;
            block = terms;
        }
    }
}

static bool joins_levels(const met_tree *tree)
{
    for (int i = 0; i < tree->tail_count; i++) {
        if (tree->tails[i].onto) {
            return true;
        }
    }
    return false;
}

met_tree met_tree_normal(const met_tree *tree, uint64_t n, met_operands operands)
{
    met_tree normal = *tree;
    normal.undeclared = 0;
    normal.axis[0] = 0;
    normal.unit = tree->node == MET_NODE_MATRIX ? tree->unit : (met_matrix_unit){0};
    normal.unit.late = tree->written && tree->unit.late;
    if (tree->written) {
        return normal;
    }
    bool exact = operands.sum || is_exact(operands, tree->precision);
    normalize_tails(&normal, n, exact);
    if (met_tree_body(&normal, n) > 0 && !joins_levels(&normal)) {
        normalize_levels(&normal, met_tree_body(&normal, n));
    }
    bool body = met_tree_innermost(&normal) == MET_ORDER_SEQUENTIAL && normal.node == MET_NODE_ADD; /* folded term by term */
    normal.start = body || normal.tail_count ? normal.start : MET_START_ZERO;
    normal.contraction = body && !exact ? normal.contraction : MET_CONTRACT_FMA;
    return normal;
}
