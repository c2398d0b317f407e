#include "parity/compare.h"

met_comparison met_fold_compare(met_arena *scratch, const met_node_numerics *a, const met_node_numerics *b)
{
    if (!a->folds)
        return (met_comparison){ .verdict = MET_VERDICT_SAME };
    if (a->source == MET_NUMERICS_UNDECLARED || b->source == MET_NUMERICS_UNDECLARED)
        return (met_comparison){ .verdict = MET_VERDICT_UNKNOWN };
    return met_tree_compare(scratch, &a->tree, &b->tree, a->terms);
}
