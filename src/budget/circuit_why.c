/* Where ε comes from, in words: the folds and the store of a group's nodes. */
#include <math.h>
#include <stdlib.h>

#include "budget/circuit_parts.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* "sum of 64, lanes16: 7 roundings of 2^-24, Σ|x| 12 (q99 9.1)" */
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
    met_text_format(out, ": %s%llu rounding%s of 2^%d, \xce\xa3|x| ", a->fold.known ? "" : "at worst ",
                    (unsigned long long)a->fold.height, a->fold.height == 1 ? "" : "s", ilogb(a->fold.unit));
    double *sorted = met_arena_copy(a->scratch, a->sums, (size_t)count, sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    met_text_double_digits(out, count ? sorted[count - 1] : 0, 3);
    if (count > 1) {
        met_text_put(out, " (q99 ");
        met_text_double_digits(out, sorted[(size_t)ceil(0.99 * (double)count) - 1], 3);
        met_text_put(out, ")");
    }
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
