/* The text of records (number/tree.h), written. tree_text.c reads it. */
#include <string.h>

#include "number/bracketing.h"
#include "number/tree_words.h"

static void print_shape(met_text *out, const met_tree *tree, const met_tree_names *names)
{
    const met_tree_level *first = &tree->levels[0];
    bool lanes = tree->level_count == 1 && tree->combine == MET_ORDER_PAIRWISE && first->place == MET_PLACE_LANE &&
                 first->layout == MET_LAYOUT_STRIDED && first->order == MET_ORDER_SEQUENTIAL && !first->per_terms && !first->size;
    if (tree->written) {
        met_bracketing_print(out, tree->written);
        return;
    }
    if (lanes) {
        met_text_format(out, "lanes%llu", (unsigned long long)first->width);
        return;
    }
    for (int i = 0; i < tree->level_count; i++) {
        const met_tree_level *level = &tree->levels[i];
        met_text_format(out, "%s ", met_tree_layout_words.at[level->layout]);
        met_tree_print_width(out, names, level);
        met_text_format(out, " %s %s then ", met_tree_order_words.at[level->order], met_tree_place_words.at[level->place]);
    }
    met_text_put(out, met_tree_order_words.at[tree->combine]);
}

static void print_tails(met_text *out, const met_tree *tree)
{
    for (int i = 0; i < tree->tail_count; i++) {
        const met_tree_tail *tail = &tree->tails[i];
        met_text_format(out, ", tail %s %llu", met_tree_tail_words.at[tail->rule], (unsigned long long)tail->block);
        if (tail->onto) {
            met_text_format(out, " onto level %u", (unsigned)tail->onto);
        }
        if (tail->contraction) {
            met_text_format(out, " %s", met_tree_tail_contraction_words.at[tail->contraction]);
        }
    }
}

static void print_node(met_text *out, const met_tree *tree)
{
    const met_matrix_unit *unit = &tree->unit;
    if (tree->node == MET_NODE_PAIRS) {
        met_text_put(out, ", pairs");
    } else if (tree->node == MET_NODE_MATRIX) {
        met_text_format(out, ", matrix %u%s F%u %s", (unsigned)unit->width, unit->late ? "" : "+c", (unsigned)unit->fraction,
                        met_tree_mode_words.at[unit->final]);
        if (unit->keep) {
            met_text_format(out, " keep %u", (unsigned)unit->keep);
        }
        met_text_put(out, unit->half ? " f16" : "");
    }
}

static void print_rescale(met_text *out, const met_tree *tree)
{
    if (tree->rescale == MET_RESCALE_POW2) {
        met_text_put(out, ", rescale pow2");
    } else if (tree->rescale == MET_RESCALE_FLOAT) {
        met_text_format(out, ", rescale float %llu", (unsigned long long)tree->slice);
    }
}

static void print_rounding(met_text *out, const met_tree *tree, met_dtype precision)
{
    if (tree->mode != MET_RNE) {
        met_text_format(out, ", %s", met_tree_mode_words.at[tree->mode]);
    }
    if (tree->precision != precision) {
        met_text_format(out, ", %s", met_dtype_table[tree->precision].spelling);
    }
    if (tree->store != tree->precision) {
        met_text_format(out, ", store %s", met_dtype_table[tree->store].spelling);
    }
    if (tree->combine_f64) {
        met_text_put(out, ", combine f64");
    }
    if (tree->flush) {
        met_text_put(out, tree->flush == MET_FLUSH_BOTH ? ", flush" : ", flush ");
        met_text_put(out, tree->flush == MET_FLUSH_BOTH ? "" : met_tree_flush_words.at[tree->flush]);
    }
}

static void print_undeclared(met_text *out, const met_tree *tree)
{
    if (tree->undeclared) {
        met_text_put(out, ", undeclared");
    }
    for (int i = MET_FIELD_NONE + 1; i < MET_TREE_FIELDS; i++) {
        if (tree->undeclared >> i & 1) {
            met_text_format(out, " %s", met_tree_field_name((met_tree_field)i));
        }
    }
}

void met_tree_print_named(met_text *out, const met_tree *tree, met_dtype precision, const met_tree_names *names)
{
    print_shape(out, tree, names);
    if (*tree->axis) {
        met_text_format(out, ", over %s", tree->axis);
    }
    print_tails(out, tree);
    if (tree->contraction == MET_CONTRACT_MUL_ADD) {
        met_text_put(out, ", mul_add");
    }
    if (tree->start == MET_START_FIRST) {
        met_text_put(out, ", first");
    }
    print_rounding(out, tree, precision);
    print_node(out, tree);
    print_rescale(out, tree);
    print_undeclared(out, tree);
}

void met_tree_print(met_text *out, const met_tree *tree, met_dtype precision)
{
    met_tree_print_named(out, tree, precision, NULL);
}

void met_tree_print_brief(met_text *out, const met_tree *tree, met_dtype precision)
{
    met_tree traits = *tree;
    met_text text = met_text_new(out->arena);
    if (!tree->written) {
        met_tree_print(out, tree, precision);
        return;
    }
    traits.written = NULL;
    traits.level_count = 0;
    met_tree_print(&text, &traits, precision); /* an order, and what else there is */
    const char *rest = strchr(met_text_done(&text), ',');
    met_text_format(out, "a tree of %llu terms%s", (unsigned long long)tree->written->leaf_count, rest ? rest : "");
}
