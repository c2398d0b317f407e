/* Single steps of folds (number/fold.h): monoids, and one operation as a record says. */
#include "number/fold.h"

double met_monoid_unit(met_monoid monoid)
{
    static const double units[] = {
        [MET_MONOID_ADD] = 0,
        [MET_MONOID_MUL] = 1,
        [MET_MONOID_MAX] = -INFINITY,
        [MET_MONOID_MIN] = INFINITY,
        [MET_MONOID_OR] = 0,
    };
    return units[monoid];
}

bool met_monoid_is_exact(met_monoid monoid)
{
    return monoid == MET_MONOID_MAX || monoid == MET_MONOID_MIN || monoid == MET_MONOID_OR;
}

/* The f32 result in a directed mode, from the real result rounded to odd. An exact zero is −0 when rounding down,
 * unless its sign is to be kept. */
static double round_directed(double odd, met_rounding mode, bool keep_zero)
{
    if (odd == 0 && mode == MET_RD && !keep_zero) {
        return -0.0;
    }
    return met_decode(MET_F32, met_encode(MET_F32, odd, mode, MET_OVERFLOW_INF));
}

static bool is_positive_zero(double value)
{
    return value == 0 && !signbit(value);
}

/* One rounded operation in the precision and mode of the record. */
static double arithmetic(const met_tree *tree, met_monoid monoid, double a, double b)
{
    bool rounds = monoid == MET_MONOID_ADD || monoid == MET_MONOID_MUL;
    if (tree->precision == MET_F64 || !rounds) {
        return met_monoid_step(monoid, a, b);
    }
    if (tree->flush) {
        met_flush flush = (met_flush)tree->flush;
        return (double)(monoid == MET_MONOID_ADD ? met_flush_add((float)a, (float)b, flush)
                                                 : met_flush_mul((float)a, (float)b, flush));
    }
    if (tree->mode != MET_RNE) {
        /* The product of two f32 values is exact in f64; a zero one keeps its sign in every mode. */
        bool sum = monoid == MET_MONOID_ADD;
        bool keep_zero = !sum || (is_positive_zero(a) && is_positive_zero(b));
        return round_directed(sum ? met_odd_add(a, b) : a * b, (met_rounding)tree->mode, keep_zero);
    }
    return (double)(monoid == MET_MONOID_ADD ? (float)a + (float)b : (float)a * (float)b);
}

static double stored(const met_tree *tree, double value)
{
    return tree->store == tree->precision ? value : met_round((met_dtype)tree->store, value);
}

double met_tree_leaf(const met_tree *tree, double value)
{
    return tree->precision == MET_F32 ? (double)(float)value : value;
}

double met_tree_product(const met_tree *tree, double a, double b)
{
    return arithmetic(tree, MET_MONOID_MUL, met_tree_leaf(tree, a), met_tree_leaf(tree, b));
}

double met_tree_first(const met_tree *tree, met_monoid monoid, double value)
{
    bool zero = tree->start == MET_START_ZERO;
    return stored(tree, zero ? arithmetic(tree, monoid, met_monoid_unit(monoid), met_tree_leaf(tree, value))
                             : met_tree_leaf(tree, value));
}

double met_tree_step(const met_tree *tree, met_monoid monoid, double a, double b)
{
    return stored(tree, arithmetic(tree, monoid, met_tree_leaf(tree, a), met_tree_leaf(tree, b)));
}

double met_tree_fma(const met_tree *tree, double a, double b, double acc)
{
    if (tree->precision == MET_F64) {
        return stored(tree, fma(a, b, acc));
    }
    if (tree->flush) {
        return stored(tree, (double)met_flush_fma((float)a, (float)b, (float)acc, (met_flush)tree->flush));
    }
    if (tree->mode == MET_RNE) {
        return stored(tree, (double)fmaf((float)a, (float)b, (float)acc));
    }
    double product = met_tree_leaf(tree, a) * met_tree_leaf(tree, b);
    double odd = met_odd_add(product, met_tree_leaf(tree, acc));
    bool keep_zero = is_positive_zero(product) && is_positive_zero(acc);
    return stored(tree, round_directed(odd, (met_rounding)tree->mode, keep_zero));
}
