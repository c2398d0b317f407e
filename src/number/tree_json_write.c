/* Records as JSON. */
#include "base/json.h"
#include "number/bracketing.h"
#include "number/tree_json.h"
#include "number/tree_words.h"

static void put_level(met_json *json, const met_tree_level *level, const met_tree_names *names)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "place", met_tree_place_words.at[level->place]);
    met_json_put_string(json, "layout", met_tree_layout_words.at[level->layout]);
    if (!level->size && !level->per_terms) {
        met_tree_print_width(met_json_value(json, "width"), names, level);
    } else {
        met_text width = met_text_new(json->out->arena);
        met_tree_print_width(&width, names, level);
        met_json_put_string(json, "width", met_text_done(&width));
    }
    met_json_put_string(json, "order", met_tree_order_words.at[level->order]);
    met_json_close(json, '}');
}

static void put_tail(met_json *json, const char *key, const met_tree_tail *tail)
{
    met_json_open(json, key, '{');
    met_json_put_string(json, "rule", met_tree_tail_words.at[tail->rule]);
    met_json_put_integer(json, "block", tail->block);
    if (tail->onto) {
        met_json_put_integer(json, "onto", tail->onto);
    }
    if (tail->contraction) {
        met_json_put_string(json, "contraction", met_tree_tail_contraction_words.at[tail->contraction]);
    }
    met_json_close(json, '}');
}

static void put_shape(met_json *json, const met_tree *tree, const met_tree_names *names, int indent)
{
    met_json_line(json, indent);
    if (tree->written) {
        met_text written = met_text_new(json->out->arena);
        met_bracketing_print(&written, tree->written);
        met_json_put_string(json, "written", met_text_done(&written));
        return;
    }
    met_json_open(json, "levels", '[');
    for (int i = 0; i < tree->level_count; i++) {
        met_json_line(json, indent + 2);
        put_level(json, &tree->levels[i], names);
    }
    met_json_close(json, ']');
    met_json_line(json, indent);
    met_json_put_string(json, "combine", met_tree_order_words.at[tree->combine]);
    if (tree->tail_count == 1) {
        put_tail(json, "tail", &tree->tails[0]);
    } else if (tree->tail_count > 1) {
        met_json_open(json, "tail", '[');
        for (int i = 0; i < tree->tail_count; i++) {
            put_tail(json, NULL, &tree->tails[i]);
        }
        met_json_close(json, ']');
    }
}

static void put_node(met_json *json, const met_tree *tree)
{
    const met_matrix_unit *unit = &tree->unit;
    met_json_open(json, "node", '{');
    met_json_put_string(json, "kind", met_tree_node_words.at[tree->node]);
    if (tree->node == MET_NODE_MATRIX) {
        met_json_put_integer(json, "width", unit->width);
        met_json_put_integer(json, "F", unit->fraction);
        met_json_put_string(json, "final", met_tree_mode_words.at[unit->final]);
        met_json_put_integer(json, "keep", unit->keep);
        met_json_put_string(json, "accumulator", unit->late ? "late" : "inside");
        met_json_put_string(json, "result", unit->half ? "f16" : "f32");
    }
    met_json_close(json, '}');
}

static void put_rescale(met_json *json, const met_tree *tree)
{
    met_json_open(json, "rescale", '{');
    met_json_put_string(json, "kind", met_tree_rescale_words.at[tree->rescale]);
    if (tree->rescale == MET_RESCALE_FLOAT) {
        met_json_put_integer(json, "slice", tree->slice);
    }
    met_json_close(json, '}');
}

static void put_undeclared(met_json *json, const met_tree *tree)
{
    met_json_open(json, "undeclared", '[');
    for (int i = MET_FIELD_NONE + 1; i < MET_TREE_FIELDS; i++) {
        if (tree->undeclared >> i & 1) {
            met_json_put_string(json, NULL, met_tree_field_name((met_tree_field)i));
        }
    }
    met_json_close(json, ']');
}

static void put_record(met_text *out, const met_tree *tree, const met_tree_names *names, int indent, const char *about)
{
    met_json json = met_json_new(out);
    met_json_open(&json, NULL, '{');
    met_json_line(&json, indent + 2);
    met_json_put_string(&json, "format", MET_TREE_FORMAT);
    if (*tree->axis) {
        met_json_put_string(&json, "axis", tree->axis);
    }
    put_shape(&json, tree, names, indent + 2);
    met_json_line(&json, indent + 2);
    met_json_put_string(&json, "start", met_tree_start_words.at[tree->start]);
    met_json_put_string(&json, "contraction", met_tree_contraction_words.at[tree->contraction]);
    met_json_line(&json, indent + 2);
    met_json_put_string(&json, "precision", met_dtype_table[tree->precision].spelling);
    met_json_put_string(&json, "store", met_dtype_table[tree->store].spelling);
    if (tree->combine_f64) {
        met_json_put_string(&json, "combine_precision", met_dtype_table[MET_F64].spelling);
    }
    met_json_put_string(&json, "rounding", met_tree_mode_words.at[tree->mode]);
    met_json_put_string(&json, "flush", met_tree_flush_words.at[tree->flush]);
    met_json_line(&json, indent + 2);
    put_node(&json, tree);
    met_json_line(&json, indent + 2);
    put_rescale(&json, tree);
    met_json_line(&json, indent + 2);
    put_undeclared(&json, tree);
    if (about) {
        met_json_line(&json, indent + 2);
        met_text_put(met_json_value(&json, "about"), about);
    }
    met_json_line(&json, indent);
    met_json_close(&json, '}');
}

void met_tree_print_json(met_text *out, const met_tree *tree, const met_tree_names *names, int indent)
{
    put_record(out, tree, names, indent, NULL);
}

void met_tree_print_json_about(met_text *out, const met_tree *tree, const char *about)
{
    put_record(out, tree, NULL, 0, about);
}
