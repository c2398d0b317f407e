#include <assert.h>
#include <string.h>

#include "base/diag.h"
#include "eval/run.h"
#include "number/block.h"

static const met_span nowhere;

static const met_dim *symbol_value(void *context, met_size symbol)
{
    const met_circuit *circuit = context;
    return circuit->symbols[symbol.id].value;
}

static bool dim_number(const met_run *run, const met_dim *dim, uint64_t *ret_n)
{
    met_circuit circuit = *run->circuit;
    const met_dim *bound = met_dim_substitute(run->arena, dim, symbol_value, &circuit);
    return bound && met_dim_is_constant(bound, ret_n) && *ret_n <= INT64_MAX;
}

int64_t met_run_dim(const met_run *run, const met_dim *dim)
{
    uint64_t n = 0;
    bool bound = dim_number(run, dim, &n);
    assert(bound);
    (void)bound;
    return (int64_t)n;
}

/* The sizes without a value that share a label; a large family (one for each layer, say) is named by its ends. */
static uint32_t put_family(const met_run *run, uint32_t first, met_text *names)
{
    enum { FAMILY = 6 };
    const met_circuit *circuit = run->circuit;
    uint32_t count = 0, last = first;
    met_text all = met_text_new(run->arena);
    for (uint32_t s = first; s < circuit->symbol_count; s++) {
        if (circuit->symbols[s].value || circuit->symbols[s].label.id != circuit->symbols[first].label.id)
            continue;
        met_text_format(&all, "%s`%s`", count++ ? ", " : "", met_sym_text(run->session, circuit->symbols[s].name));
        last = s;
    }
    if (count > FAMILY)
        met_text_format(names, "`%s` to `%s`", met_sym_text(run->session, circuit->symbols[first].name),
                        met_sym_text(run->session, circuit->symbols[last].name));
    else
        met_text_put(names, met_text_done(&all));
    return count;
}

/* One diagnostic that names every free size, and a setting that binds them all: a plain name binds its whole family. */
static bool check_bound(const met_run *run)
{
    enum { SETTINGS = 8 };
    const met_circuit *circuit = run->circuit;
    met_text names = met_text_new(run->arena), settings = met_text_new(run->arena);
    bool *seen = MET_NEW_ARRAY(run->arena, bool, run->session->names.count);
    uint32_t count = 0, families = 0;
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        met_sym label = circuit->symbols[s].label;
        if (circuit->symbols[s].value || seen[label.id])
            continue;
        seen[label.id] = true;
        met_text_put(&names, count ? ", " : "");
        count += put_family(run, s, &names);
        if (families++ < SETTINGS)
            met_text_format(&settings, "%s%s=8", families > 1 ? "," : "", met_sym_text(run->session, label));
    }
    if (count == 0)
        return true;
    met_diag *diag = met_diag_add(run->session, MET_DIAG_unbound, nowhere, "the size%s %s %s no value",
                                  count == 1 ? "" : "s", met_text_done(&names), count == 1 ? "has" : "have");
    met_diag_help(diag, "bind every size, such as --set %s%s", met_text_done(&settings), families > SETTINGS ? ",…" : "");
    return false;
}

/* The sizes that an array of the right rank gives to axes whose size is a free symbol; the first array wins, and one that
 * does not agree is refused where it is read. */
static void sizes_of(const met_circuit *circuit, const met_edge *edge, const met_tensor *tensor, uint64_t *sizes)
{
    met_size symbol;
    for (uint32_t p = 0; tensor->rank == edge->rank && p < edge->rank; p++) {
        bool free_size = met_dim_is_symbol(circuit->axes[edge->axes[p].id].size, &symbol);
        if (free_size && sizes[symbol.id] == 0 && tensor->shape[p] <= MET_EVAL_ELEMENT_LIMIT)
            sizes[symbol.id] = tensor->shape[p];
    }
}

const met_circuit *met_eval_bind(const met_circuit *circuit, size_t count, const met_named_tensor *ins)
{
    if (count == 0)
        return circuit;
    uint64_t *sizes = MET_NEW_ARRAY(circuit->arena, uint64_t, circuit->symbol_count);
    for (uint32_t k = 0; k < circuit->input_count + circuit->parameter_count; k++) {
        met_edge_id id = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        const met_edge *edge = &circuit->edges[id.id];
        for (size_t i = 0; i < count; i++)
            if (strcmp(ins[i].name, met_sym_text(circuit->session, edge->name)) == 0)
                sizes_of(circuit, edge, ins[i].tensor, sizes);
    }
    return met_circuit_bind_symbols(circuit, sizes);
}

static bool axis_sizes(met_run *run)
{
    const met_circuit *circuit = run->circuit;
    run->size = MET_NEW_ARRAY(run->arena, uint64_t, circuit->axis_count);
    for (uint32_t a = 0; a < circuit->axis_count; a++) {
        if (dim_number(run, circuit->axes[a].size, &run->size[a]) && run->size[a] <= MET_EVAL_ELEMENT_LIMIT)
            continue;
        met_diag_add(run->session, MET_DIAG_run, circuit->axes[a].span, "the axis `%s` is too large to run",
                     met_sym_text(run->session, circuit->axes[a].name));
        return false;
    }
    return true;
}

/* Of every edge; those that count together are all, or the sources. */
static bool count_elements(met_run *run, bool sources)
{
    const met_circuit *circuit = run->circuit;
    uint64_t total = 0;
    run->elements = MET_NEW_ARRAY(run->arena, uint64_t, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        const met_edge *edge = &circuit->edges[e];
        uint64_t count = 1;
        for (uint32_t p = 0; p < edge->rank; p++) /* both factors are at most 2^28 */
            count = count > MET_EVAL_ELEMENT_LIMIT ? count : count * run->size[edge->axes[p].id];
        run->elements[e] = count;
        if (sources && edge->role == MET_EDGE_VALUE)
            continue;
        total += count > MET_EVAL_ELEMENT_LIMIT ? MET_EVAL_ELEMENT_LIMIT + 1 : count;
        if (total <= MET_EVAL_ELEMENT_LIMIT)
            continue;
        met_diag *diag = met_diag_add(run->session, MET_DIAG_run, edge->span,
                                      "the arrays of this circuit hold more than %llu numbers",
                                      (unsigned long long)MET_EVAL_ELEMENT_LIMIT);
        met_diag_help(diag, "run it at smaller sizes");
        return false;
    }
    return true;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t scalar_count(const met_scalar *e)
{
    uint64_t count = 1;
    for (int k = 0; e->kind == MET_SCALAR_CALL && k < met_scalar_fn_table[e->fn].arity; k++)
        count += scalar_count(e->arguments[k]);
    return count;
}

uint64_t met_run_node_work(const met_run *run, const met_node *node)
{
    met_primitive form = met_node_primitive(run->circuit, node);
    uint64_t work = scalar_count(form.e) + (form.monoid != MET_MONOID_NONE);
    if (form.form == MET_FORM_SCAN)
        work += scalar_count(form.read) + scalar_count(form.recall);
    for (uint32_t i = 0; i < node->index_count; i++)
        work = i == form.read_index ? work : saturating_mul(work, run->size[node->indices[i].axis.id]);
    return work;
}

static bool count_work(met_run *run)
{
    const met_circuit *circuit = run->circuit;
    uint64_t limit = run->options.work_limit ? run->options.work_limit : MET_EVAL_WORK_LIMIT;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        if (!node->op) {
            met_diag_add(run->session, MET_DIAG_run, node->span, "a node without a meaning cannot be run");
            return false;
        }
        uint64_t work = met_run_node_work(run, node);
        if (work > limit || run->total > limit - work) {
            met_diag *diag = met_diag_add(run->session, MET_DIAG_run, node->span,
                                          "running this circuit takes more than %llu scalar operations",
                                          (unsigned long long)limit);
            met_diag_help(diag, "run it at smaller sizes, or allow more work");
            return false;
        }
        run->total += work;
    }
    return true;
}

bool met_run_bind(met_run *run)
{
    return check_bound(run) && axis_sizes(run) && count_elements(run, false) && count_work(run);
}

bool met_run_bind_sources(met_run *run)
{
    return check_bound(run) && axis_sizes(run) && count_elements(run, true) && count_work(run);
}

bool met_run_quantize(const met_run *run, met_edge_id id, met_use use)
{
    const met_edge *edge = &run->circuit->edges[id.id];
    if (run->reals || met_format_is_plain(edge->format))
        return true;
    uint64_t width = edge->rank > 0 ? run->size[edge->axes[edge->rank - 1].id] : 1;
    double *values = run->values[id.id];
    uint64_t rows = run->elements[id.id] / width, step = rows;
    if (edge->format.granularity == MET_SCALE_BLOCK && edge->rank > 1)
        step = run->size[edge->axes[edge->rank - 2].id]; /* blocks do not reach from one matrix into the next */
    if (run->before)
        run->before[id.id] = met_arena_copy(run->arena, values, (size_t)run->elements[id.id], sizeof *values);
    bool fits = true;
    for (uint64_t row = 0; row < rows && fits; row += step) {
        double *scale_of = run->scale_of ? run->scale_of[id.id] + row * width : NULL;
        met_quantized parts = { .scale_of = scale_of, .second_of = scale_of ? run->second_of[id.id] + row * width : NULL };
        fits = met_quantize(edge->format, use, step, width, values + row * width, &parts, values + row * width);
    }
    if (fits)
        return true;
    met_text format = met_text_new(run->arena);
    met_format_print(&format, edge->format);
    met_diag_add(run->session, MET_DIAG_format, edge->span, "`%s` of width %llu does not divide into groups of `%s`",
                 met_sym_text(run->session, edge->name), (unsigned long long)width, met_text_done(&format));
    return false;
}
