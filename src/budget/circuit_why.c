/* Where ε comes from, in words: the folds and the store of a group's nodes. */
#include <math.h>

#include "budget/circuit_parts.h"

static void put_times(met_text *out, uint64_t count, const char *what)
{
    met_text_format(out, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
}

/* "3 nodes that cut 17*2^-25 and round by 2^-23, 2 roundings of 2^-24" */
static void put_roundings(met_text *out, const met_fold_error *e)
{
    uint64_t additions = e->height - e->nodes - e->wide;
    if (e->nodes > 0) {
        put_times(out, e->nodes, "node");
        int power = ilogb(e->node_unit), fraction = ilogb(e->cut) - 8; /* widths are below 512 */
        double width = ldexp(e->cut, -fraction);
        for (; fmod(width, 2) == 0; fraction++)
            width /= 2;
        met_text_format(out, " that cut%s ", e->nodes == 1 ? "s" : "");
        met_text_double(out, width);
        met_text_format(out, "\xc2\xb7" "2^%d and round%s by ", fraction, e->nodes == 1 ? "s" : "");
        if (ldexp(1, power) != e->node_unit) {
            met_text_double_digits(out, ldexp(e->node_unit, -power), 6);
            met_text_put(out, "\xc2\xb7");
        }
        met_text_format(out, "2^%d", power);
    }
    if (additions > 0 || e->nodes == 0) {
        met_text_put(out, e->nodes > 0 ? ", " : "");
        put_times(out, additions, "rounding");
        met_text_format(out, " of 2^%d", ilogb(e->unit));
    }
    if (e->wide > 0)
        met_text_format(out, " and %llu of 2^-53", (unsigned long long)e->wide);
    if (e->stores > 0) {
        met_text_put(out, ", ");
        put_times(out, e->stores, "store");
        met_text_format(out, " of 2^%d", ilogb(e->store_unit));
    }
}

/* "sum of 64, lanes16: 7 roundings of 2^-24, 4.18e-7 of Σ|x| 12 (q99 9.1)" */
static void put_sum(met_text *out, const met_node *node, const met_analysis *a)
{
    uint64_t count = a->run->elements[node->outs[0].id];
    met_text_format(out, "sum of %llu, ", (unsigned long long)a->terms);
    if (a->fold.known)
        met_tree_print(out, &a->tree, (met_dtype)a->tree.precision);
    else
        met_text_put(out, "undeclared");
    if (a->run->wide && a->tree.precision == MET_F32)
        met_text_put(out, " of terms rounded to f32");
    met_text_put(out, a->fold.known ? ": " : ": at worst ");
    put_roundings(out, &a->fold);
    met_text_put(out, ", ");
    if (!a->refused) {
        met_text_double_above(out, met_fold_share(a), 3);
        met_text_put(out, " of ");
    }
    met_text_put(out, "\xce\xa3|x| ");
    double *sums = met_arena_copy(a->scratch, a->sums, (size_t)count, sizeof *sums);
    met_text_double_digits(out, met_quantile((size_t)count, sums, 1), 3);
    if (count > 1) {
        met_text_put(out, " (q99 ");
        met_text_double_digits(out, met_quantile((size_t)count, sums, 0.99), 3);
        met_text_put(out, ")");
    }
}

const char *met_budget_condition(met_arena *arena, const met_choices *choices)
{
    met_text text = met_text_new(arena);
    if (choices->count == 0)
        return NULL;
    met_text_put(&text, "that the reals choose alike where errors leave it open, as in double they clearly do: ");
    put_times(&text, choices->count, "choice");
    if (choices->errors == 0)
        return met_text_done(&text);
    met_text_put(&text, ", the closest by ");
    met_text_double_digits(&text, choices->gap, 3);
    met_text_put(&text, " with errors of up to ");
    met_text_double_digits(&text, choices->errors, 3);
    return met_text_done(&text);
}

const char *met_budget_why(met_arena *arena, const char *before, const met_node *node, const met_analysis *a)
{
    met_text text = met_text_new(arena);
    met_text_put(&text, before);
    if (a->summed) {
        met_text_put(&text, *before ? "; " : "");
        put_sum(&text, node, a);
    }
    return met_text_done(&text);
}
