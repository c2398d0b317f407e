/* What a run begins with: inputs, states and parameters, from arrays that are given or from fills, rounded to the formats
 * of their edges. */
#include <string.h>

#include "base/diag.h"
#include "eval/run.h"
#include "eval/settled.h"

static const met_span nowhere;

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

uint64_t *met_run_shape(const met_run *run, const met_edge *edge)
{
    uint64_t *shape = MET_NEW_ARRAY(run->arena, uint64_t, edge->rank);
    for (uint32_t p = 0; p < edge->rank; p++)
        shape[p] = run->size[edge->axes[p].id];
    return shape;
}

static bool take_tensor(met_run *run, met_edge_id id, const met_tensor *tensor)
{
    const met_edge *edge = &run->circuit->edges[id.id];
    const uint64_t *shape = met_run_shape(run, edge);
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

static bool names_edge(const met_run *run, const met_named_tensor *in, met_edge_id edge)
{
    return strcmp(in->name, met_sym_text(run->session, run->circuit->edges[edge.id].name)) == 0;
}

static const met_tensor *find_given(const met_run *run, met_edge_id edge, size_t count, const met_named_tensor *ins)
{
    for (size_t k = 0; k < count; k++)
        if (names_edge(run, &ins[k], edge))
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

/* One array; handed to the taker, if there is one, and then forgotten. */
static bool run_source(met_run *run, met_edge_id edge, size_t array, const met_tensor *given, const met_source_taker *taker)
{
    met_arena *scratch = taker ? met_arena_new() : NULL;
    if (taker)
        run->values[edge.id] = MET_NEW_ARRAY(scratch, double, run->elements[edge.id]);
    bool good = set_source(run, edge, array, given) &&
                met_run_quantize(run, edge, array < run->circuit->input_count ? MET_USE_ACTIVATION : MET_USE_WEIGHT);
    if (taker && good)
        taker->take(taker->context, edge, (size_t)run->elements[edge.id], run->values[edge.id]);
    if (taker)
        met_arena_free(scratch);
    return good;
}

bool met_run_sources(met_run *run, size_t count, const met_named_tensor *ins, const met_source_taker *taker)
{
    const met_circuit *circuit = run->circuit;
    bool good = true;
    bool *used = MET_NEW_ARRAY(run->arena, bool, count);
    for (uint32_t k = 0; k < circuit->input_count + circuit->parameter_count; k++) {
        met_edge_id edge = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        for (size_t i = 0; i < count; i++)
            used[i] = used[i] || names_edge(run, &ins[i], edge);
        good = run_source(run, edge, k, find_given(run, edge, count, ins), taker) && good;
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

bool met_eval_sources(const met_circuit *settled, const met_eval_options *options, size_t in_count,
                      const met_named_tensor *ins, const met_source_taker *taker)
{
    if (!met_eval_check_fill(settled->session, options->fill))
        return false;
    met_run run = { .circuit = settled, .session = settled->session, .arena = met_arena_new(), .options = *options };
    bool good = met_run_bind_sources(&run);
    if (good) {
        run.values = MET_NEW_ARRAY(run.arena, double *, settled->edge_count);
        good = met_run_sources(&run, in_count, ins, taker);
    }
    met_arena_free(run.arena);
    return good;
}

bool met_eval_check(const met_circuit *settled, const met_eval_options *options)
{
    if (!met_eval_check_fill(settled->session, options->fill))
        return false;
    met_run run = { .circuit = settled, .session = settled->session, .arena = met_arena_new(), .options = *options };
    bool good = met_run_bind_sources(&run);
    met_arena_free(run.arena);
    return good;
}
