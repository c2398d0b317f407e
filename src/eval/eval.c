#include "met/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "eval/run.h"
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
    if (!met_tree_parse(met_str_of(text), point->dtype == MET_F64 ? MET_F64 : MET_F32, &point->fold)) {
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
        !read_word(session, "place of a division", options->division, 3, divisions, "default, deferred and eager", &division) ||
        !read_word(session, "dot product", options->dot, 2, dots, "f32 and pairs", &dot))
        return false;
    point.division = (met_division)division;
    point.dot = (met_dot)dot;
    *ret_point = point;
    return true;
}

static bool check_fill(met_session *session, const char *fill)
{
    if (!fill || met_fill(fill, 0, 0, 0, 0, NULL))
        return true;
    unknown(session, "fill", fill, "wave, normal, zeros, ones and iota");
    return false;
}

/* --- Inputs --- */

/* The integers that make sense on an edge: ids of the table that it reads, lengths up to the axis that it masks; below 8
 * where nothing says more. */
static uint64_t integer_range(const met_run *run, met_edge_id edge)
{
    uint64_t range = 0;
    for (uint32_t n = 0; n < run->circuit->node_count; n++) {
        const met_node *node = &run->circuit->nodes[n];
        for (uint32_t k = 0; k < node->in_count; k++) {
            uint64_t limit = 0;
            if (node->ins[k].id != edge.id)
                continue;
            if (node->op->form == MET_FORM_READ) {
                met_primitive form = met_node_primitive(run->circuit, node);
                const met_edge *table = &run->circuit->edges[node->ins[form.table].id];
                limit = k == form.ids ? run->size[table->axes[form.read_position].id] : 0;
            } else if (node->op->id == MET_OP_mask_padding && k == 1) {
                limit = run->size[node->indices[node->targets[node->target_count - 1]].axis.id] + 1;
            }
            range = limit && (range == 0 || limit < range) ? limit : range;
        }
    }
    return range ? range : 8;
}

static void print_shape(met_text *text, size_t rank, const uint64_t *shape)
{
    for (size_t p = 0; p < rank; p++)
        met_text_format(text, "%s%llu", p ? " " : "", (unsigned long long)shape[p]);
    if (rank == 0)
        met_text_put(text, "a scalar");
}

static uint64_t *edge_shape(const met_run *run, met_arena *arena, const met_edge *edge)
{
    uint64_t *shape = MET_NEW_ARRAY(arena, uint64_t, edge->rank);
    for (uint32_t p = 0; p < edge->rank; p++)
        shape[p] = run->size[edge->axes[p].id];
    return shape;
}

static bool take_tensor(met_run *run, met_edge_id id, const met_tensor *tensor)
{
    const met_edge *edge = &run->circuit->edges[id.id];
    const uint64_t *shape = edge_shape(run, run->arena, edge);
    bool fits = tensor->rank == edge->rank;
    for (uint32_t p = 0; fits && p < edge->rank; p++)
        fits = tensor->shape[p] == shape[p];
    if (!fits) {
        met_text given = met_text_new(run->arena), wanted = met_text_new(run->arena);
        print_shape(&given, tensor->rank, tensor->shape);
        print_shape(&wanted, edge->rank, shape);
        met_diag_add(run->session, MET_DIAG_shape, edge->span, "the array given for `%s` is %s, but `%s` is %s",
                     met_sym_text(run->session, edge->name), met_text_done(&given),
                     met_sym_text(run->session, edge->name), met_text_done(&wanted));
        return false;
    }
    for (uint64_t i = 0; i < run->elements[id.id]; i++)
        run->values[id.id][i] = met_run_round(run, id, tensor->values[i]);
    return true;
}

static const met_tensor *find_given(const met_run *run, met_edge_id edge, size_t count, const met_named_tensor *ins)
{
    const char *name = met_sym_text(run->session, run->circuit->edges[edge.id].name);
    for (size_t k = 0; k < count; k++)
        if (strcmp(ins[k].name, name) == 0)
            return ins[k].tensor;
    return NULL;
}

static bool set_source(met_run *run, met_edge_id edge, size_t array, const met_tensor *given)
{
    if (given)
        return take_tensor(run, edge, given);
    const met_edge *e = &run->circuit->edges[edge.id];
    if (!run->options.fill) {
        met_diag *diag = met_diag_add(run->session, MET_DIAG_run, e->span, "no array is given for `%s`",
                                      met_sym_text(run->session, e->name));
        met_diag_help(diag, "give one, --in %s=FILE.npy, or choose a fill, --fill wave", met_sym_text(run->session, e->name));
        return false;
    }
    bool integer = met_format_is_plain(e->format) && met_dtype_table[e->format.dtype].class == MET_DTYPE_INTEGER;
    uint64_t range = integer ? integer_range(run, edge) : 0;
    met_fill(run->options.fill, run->options.seed, array, range, (size_t)run->elements[edge.id], run->values[edge.id]);
    for (uint64_t i = 0; i < run->elements[edge.id]; i++)
        run->values[edge.id][i] = met_run_round(run, edge, run->values[edge.id][i]);
    return true;
}

static bool set_sources(met_run *run, size_t count, const met_named_tensor *ins)
{
    const met_circuit *circuit = run->circuit;
    bool good = true;
    bool *used = MET_NEW_ARRAY(run->arena, bool, count);
    for (uint32_t k = 0; k < circuit->input_count + circuit->parameter_count; k++) {
        met_edge_id edge = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        for (size_t i = 0; i < count; i++)
            used[i] = used[i] || strcmp(ins[i].name, met_sym_text(run->session, circuit->edges[edge.id].name)) == 0;
        good = set_source(run, edge, k, find_given(run, edge, count, ins)) &&
               met_run_quantize(run, edge, k < circuit->input_count ? MET_USE_ACTIVATION : MET_USE_WEIGHT) && good;
    }
    for (size_t i = 0; i < count; i++) {
        if (used[i])
            continue;
        met_diag_add(run->session, MET_DIAG_unknown_name, nowhere, "the circuit has no input, state or parameter `%s`",
                     ins[i].name);
        good = false;
    }
    return good;
}

/* --- Nodes --- */

static bool to_maximum(const met_run *run, const met_node *node)
{
    met_primitive form = met_node_primitive(run->circuit, node);
    if (form.form != MET_FORM_FOLD)
        return false;
    return form.monoid == MET_MONOID_MAX || (form.monoid == MET_MONOID_NONE && run->unit[node->outs[0].id] < 0);
}

/* Guarded-out positions hold 0, and -inf where some reader, perhaps after maps, takes a maximum: what the first fold
 * after the guard would have as its unit. Nothing in the circuit reads them; they are seen in outputs. */
static void choose_units(met_run *run)
{
    run->unit = MET_NEW_ARRAY(run->arena, double, run->circuit->edge_count);
    for (uint32_t n = run->circuit->node_count; n-- > 0;) {
        const met_node *node = &run->circuit->nodes[n];
        if (!to_maximum(run, node))
            continue;
        for (uint32_t k = 0; k < node->in_count; k++)
            run->unit[node->ins[k].id] = -INFINITY;
    }
}

static bool run_node(met_run *run, const met_node *node)
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
    case MET_FORM_COMPOSITE:
    case MET_FORM_SCAN:
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
                                        edge_shape(run, run->arena, edge));
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

static const met_eval_result *run_bound(met_run *run, size_t in_count, const met_named_tensor *ins)
{
    if (!met_run_bind(run))
        return NULL;
    run->values = MET_NEW_ARRAY(run->arena, double *, run->circuit->edge_count);
    for (uint32_t e = 0; e < run->circuit->edge_count; e++)
        run->values[e] = MET_NEW_ARRAY(run->arena, double, run->elements[e]);
    if (!set_sources(run, in_count, ins))
        return NULL;
    choose_units(run);
    for (uint32_t n = 0; n < run->circuit->node_count; n++)
        if (!run_node(run, &run->circuit->nodes[n]))
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

const met_eval_result *met_eval_settled(const met_circuit *settled, const met_point *point, const met_tree *trees,
                                        const met_eval_options *options, size_t in_count, const met_named_tensor *ins,
                                        const met_tensor *const **ret_edges)
{
    if (!check_fill(settled->session, options->fill))
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
    if (!met_eval_point(circuit->session, options, &point) || !check_fill(circuit->session, options->fill))
        return NULL;
    circuit = met_run_bind_arrays(circuit, in_count, ins);
    const met_circuit *settled = circuit ? met_circuit_settle(circuit, &point) : NULL;
    return settled ? met_eval_settled(settled, &point, NULL, options, in_count, ins, NULL) : NULL;
}
