#include "met/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "eval/run.h"
#include "ir/lowest.h"
#include "eval/settled.h"

static const met_span nowhere;

/* --- Options --- */

static void unknown(met_session *session, const char *what, const char *given, const char *known)
{
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "there is no %s `%s`", what, given);
    met_diag_help(diag, "it is one of %s", known);
}

static bool read_dtype(met_session *session, const char *name, met_dtype *ret_dtype)
{
    static const met_dtype dtypes[] = { MET_F64, MET_F32, MET_BF16, MET_F16 };
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(met_dtype_table[dtypes[i]].spelling, name) == 0) {
            *ret_dtype = dtypes[i];
            return true;
        }
    }
    unknown(session, "dtype", name, "f64, f32, bf16 and f16");
    return false;
}

static bool read_word(met_session *session, const char *what, const char *given, size_t count, const char *const *words,
                      const char *known, int *ret_index)
{
    for (size_t i = 0; given && i < count; i++) {
        if (strcmp(words[i], given) == 0) {
            *ret_index = (int)i;
            return true;
        }
    }
    if (given)
        unknown(session, what, given, known);
    return !given;
}

static bool read_trees(met_session *session, const char *text, met_point *point)
{
    if (!text)
        return true;
    bool read = met_tree_parse(met_str_of(text), point->dtype == MET_F64 ? MET_F64 : MET_F32, &point->fold);
    if (!read || point->fold.rescale != MET_RESCALE_NONE) { /* one node by itself has no base to be relative to */
        unknown(session, "tree", text,
                "sequential, pairwise, adjacent, butterfly and lanes16, or a longer description (docs/numerics.md)");
        return false;
    }
    point->contraction = point->fold;
    return true;
}

bool met_eval_point(met_session *session, const met_eval_options *options, met_point *ret_point)
{
    static const char *const divisions[] = { "default", "deferred", "eager" }, *const dots[] = { "f32", "pairs" };
    met_dtype dtype;
    if (!read_dtype(session, options->dtype ? options->dtype : "f64", &dtype))
        return false;
    met_point point = met_point_of(dtype);
    const char *numerics = options->numerics;
    if (numerics && !met_numerics_find(met_str_of(numerics), &point.numerics)) {
        unknown(session, "numerics point", numerics, "real, float and pow2");
        return false;
    }
    int division = MET_DIVISION_DEFAULT, dot = MET_DOT_F32;
    if (!read_trees(session, options->tree, &point) ||
        !read_word(session, "place of a division", options->division, 3, divisions, "default, deferred and eager",
                   &division) ||
        !read_word(session, "dot product", options->dot, 2, dots, "f32 and pairs", &dot))
        return false;
    point.division = (met_division)division;
    point.dot = (met_dot)dot;
    *ret_point = point;
    return true;
}

bool met_eval_check_fill(met_session *session, const char *fill)
{
    if (!fill || met_fill(fill, 0, 0, 0, 0, NULL))
        return true;
    unknown(session, "fill", fill, "wave, normal, zeros, ones and iota");
    return false;
}

/* --- Nodes --- */

static void choose_units(met_run *run)
{
    const bool *lowest = met_lowest_edges(run->arena, run->circuit);
    run->unit = MET_NEW_ARRAY(run->arena, double, run->circuit->edge_count);
    for (uint32_t e = 0; e < run->circuit->edge_count; e++)
        run->unit[e] = lowest[e] ? -INFINITY : 0;
}

bool met_run_node(met_run *run, const met_node *node)
{
    met_loop *loop = met_loop_new(run, node);
    if (!loop)
        return false;
    switch (loop->form.form) {
    case MET_FORM_FOLD:
        met_run_fold(loop);
        break;
    case MET_FORM_READ:
        met_run_read(loop);
        break;
    case MET_FORM_PICK:
        met_run_pick(loop);
        break;
    case MET_FORM_SCAN:
        met_run_scan(loop);
        break;
    case MET_FORM_COMPOSITE:
        break;
    }
    met_use use = MET_USE_ACTIVATION;
    const met_attr *attr = node->op->id == MET_OP_quantize ? met_node_attr(run->circuit, node, "use") : NULL;
    if (attr && met_str_is(met_sym_str(run->session, attr->word), "weight"))
        use = MET_USE_WEIGHT;
    for (uint32_t k = 0; k < node->out_count; k++)
        if (!met_run_quantize(run, node->outs[k], use))
            return false;
    run->done += met_run_node_work(run, node);
    if (run->options.progress)
        run->options.progress(run->options.progress_context, run->done, run->total);
    return true;
}

/* --- Results --- */

static bool take_result(met_run *run, met_edge_id id, met_sym name, met_named_tensor *ret_array)
{
    const met_edge *edge = &run->circuit->edges[id.id];
    met_text format = met_text_new(run->arena);
    met_format_print(&format, edge->format);
    met_tensor *tensor = met_tensor_new(run->session, met_text_done(&format), edge->rank,
                                        met_run_shape(run, edge));
    if (!tensor)
        return false;
    memcpy(tensor->values, run->values[id.id], tensor->count * sizeof *tensor->values);
    *ret_array = (met_named_tensor){ met_sym_text(run->session, name), tensor };
    return true;
}

static const met_eval_result *take_results(met_run *run)
{
    const met_circuit *circuit = run->circuit;
    met_eval_result *result = MET_NEW(run->session->arena, met_eval_result);
    result->output_count = circuit->output_count;
    result->state_count = circuit->state_count;
    met_named_tensor *arrays =
        MET_NEW_ARRAY(run->session->arena, met_named_tensor, result->output_count + result->state_count);
    result->arrays = arrays;
    for (uint32_t k = 0; k < circuit->output_count; k++)
        if (!take_result(run, circuit->outputs[k], circuit->edges[circuit->outputs[k].id].name, &arrays[k]))
            return NULL;
    for (uint32_t s = 0; s < circuit->state_count; s++)
        if (!take_result(run, circuit->states[s].out, circuit->edges[circuit->states[s].in.id].name,
                         &arrays[circuit->output_count + s]))
            return NULL;
    return result;
}

/* --- The whole --- */

/* Room for the scales of every value, if somebody folds codes. */
static void keep_scales(met_run *run)
{
    if (!run->codes)
        return;
    run->scale_of = MET_NEW_ARRAY(run->arena, double *, run->circuit->edge_count);
    run->second_of = MET_NEW_ARRAY(run->arena, double *, run->circuit->edge_count);
    for (uint32_t e = 0; e < run->circuit->edge_count; e++) {
        if (met_format_is_plain(run->circuit->edges[e].format))
            continue;
        run->scale_of[e] = MET_NEW_ARRAY(run->arena, double, run->elements[e]);
        run->second_of[e] = MET_NEW_ARRAY(run->arena, double, run->elements[e]);
    }
}

bool met_run_begin(met_run *run, size_t in_count, const met_named_tensor *ins)
{
    if (!met_run_bind(run))
        return false;
    run->values = MET_NEW_ARRAY(run->arena, double *, run->circuit->edge_count);
    for (uint32_t e = 0; e < run->circuit->edge_count; e++)
        run->values[e] = MET_NEW_ARRAY(run->arena, double, run->elements[e]);
    keep_scales(run);
    if (!met_run_sources(run, in_count, ins, NULL))
        return false;
    choose_units(run);
    return true;
}

static const met_eval_result *run_bound(met_run *run, size_t in_count, const met_named_tensor *ins)
{
    if (!met_run_begin(run, in_count, ins))
        return NULL;
    for (uint32_t n = 0; n < run->circuit->node_count; n++)
        if (!met_run_node(run, &run->circuit->nodes[n]))
            return NULL;
    return take_results(run);
}

static const met_tensor *const *take_edges(met_run *run)
{
    const met_circuit *circuit = run->circuit;
    met_named_tensor array;
    const met_tensor **edges = MET_NEW_ARRAY(run->session->arena, const met_tensor *, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        if (!take_result(run, (met_edge_id){ e }, circuit->edges[e].name, &array))
            return NULL;
        edges[e] = array.tensor;
    }
    return edges;
}

const met_eval_result *met_eval_coded(const met_circuit *settled, const met_point *point, const met_tree *trees, const met_code_folds *codes,
                                      const met_eval_options *options, size_t in_count, const met_named_tensor *ins)
{
    if (!met_eval_check_fill(settled->session, options->fill))
        return NULL;
    met_run run = { .circuit = settled, .session = settled->session, .arena = met_arena_new(), .options = *options,
                    .wide = point->dtype == MET_F64, .point = point, .trees = trees, .codes = codes };
    const met_eval_result *result = run_bound(&run, in_count, ins);
    met_arena_free(run.arena);
    return result;
}

const met_eval_result *met_eval_settled(const met_circuit *settled, const met_point *point, const met_tree *trees,
                                        const met_eval_options *options, size_t in_count, const met_named_tensor *ins,
                                        const met_tensor *const **ret_edges)
{
    if (!met_eval_check_fill(settled->session, options->fill))
        return NULL;
    met_run run = { .circuit = settled, .session = settled->session, .arena = met_arena_new(), .options = *options,
                    .wide = point->dtype == MET_F64, .point = point, .trees = trees };
    const met_eval_result *result = run_bound(&run, in_count, ins);
    if (result && ret_edges && !(*ret_edges = take_edges(&run)))
        result = NULL;
    met_arena_free(run.arena);
    return result;
}

const met_eval_result *met_eval_run(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                    const met_named_tensor *ins)
{
    static const met_eval_options defaults;
    met_point point;
    options = options ? options : &defaults;
    if (!met_eval_point(circuit->session, options, &point) || !met_eval_check_fill(circuit->session, options->fill))
        return NULL;
    circuit = met_eval_bind(circuit, in_count, ins);
    const met_circuit *settled = circuit ? met_circuit_settle(circuit, &point) : NULL;
    return settled ? met_eval_settled(settled, &point, NULL, options, in_count, ins, NULL) : NULL;
}
