#include "plan/workload.h"

#include <math.h>

#include "base/diag.h"
#include "lkb/lkb.h"
#include "plan/workload_parts.h"

double met_distinct_experts(double experts, double chosen, double rows)
{
    return chosen >= experts ? experts : -experts * expm1(rows * log1p(-chosen / experts));
}

/* --- Peaks --- */

/* What a node's activations are: the first input that is no parameter. */
static met_edge_id activation_of(const met_circuit *circuit, const met_node *node)
{
    for (uint32_t k = 0; k < node->in_count; k++) {
        const met_edge *edge = &circuit->edges[node->ins[k].id];
        if (edge->role != MET_EDGE_PARAMETER && met_dtype_table[edge->format.dtype].class != MET_DTYPE_INTEGER)
            return node->ins[k];
    }
    return (met_edge_id){ MET_NONE };
}

uint32_t met_peak_of(met_format activation, bool reads_weights)
{
    switch ((met_dtype)activation.dtype) {
    case MET_F64:
    case MET_F32:
        return MET_PEAK_F32;
    case MET_E4M3:
    case MET_E5M2:
        return reads_weights ? MET_PEAK_FP8 : MET_PEAK_BF16;
    case MET_E2M1:
        return reads_weights ? MET_PEAK_NVFP4 : MET_PEAK_BF16;
    default:
        return MET_PEAK_BF16;
    }
}

/* --- Contractions --- */

/* What a lower bound of traffic needs to know of a contraction of two arrays: an einsum or a linear map. */
static void describe_contraction(const met_workload *workload, const met_node *node, met_node_work *work)
{
    const met_circuit *circuit = workload->circuit;
    bool linear = node->op && node->op->id == MET_OP_linear;
    bool product = node->op && node->op->id == MET_OP_einsum && node->in_count == 2;
    double points = 1, folded = 1, narrow = INFINITY;
    uint64_t size = 0;
    if (!linear && !product)
        return;
    for (uint32_t i = 0; i < node->index_count; i++) {
        met_circuit_size(circuit, node->indices[i].axis, &size);
        points *= (double)size;
        folded *= node->indices[i].reduced ? (double)size : 1;
    }
    for (uint32_t k = 0; k < 2; k++)
        narrow = fmin(narrow, met_dtype_table[circuit->edges[node->ins[k].id].format.dtype].bits / 8.0);
    if (folded > 1) {
        work->products = points;
        work->folded = folded;
        work->operand_bytes = narrow;
    }
}

/* --- Putting it together --- */

static const met_workload *refuse(const met_circuit *circuit, met_span span, met_code code, const char *what, const char *name)
{
    met_diag *diag = met_diag_add(circuit->session, code, span, "%s `%s` %s", what, name,
                                  code == MET_DIAG_unbound ? "has no value, and prices depend on sizes" : "is beyond what can be counted");
    if (code == MET_DIAG_unbound)
        met_diag_help(diag, "bind every size: --set %s=N", name);
    return NULL;
}

static bool is_bound(const met_circuit *circuit)
{
    for (uint32_t a = 0; a < circuit->axis_count; a++) {
        uint64_t size;
        met_size symbol;
        if (met_circuit_size(circuit, (met_axis_id){ a }, &size))
            continue;
        bool named = met_dim_is_symbol(circuit->axes[a].size, &symbol);
        met_sym name = named ? circuit->symbols[symbol.id].name : circuit->axes[a].name;
        refuse(circuit, circuit->axes[a].span, MET_DIAG_unbound, "the size", met_sym_text(circuit->session, name));
        return false;
    }
    return true;
}

static bool count_edges(const met_circuit *circuit, double *edge_bytes)
{
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        if (!met_edge_bytes(circuit, &circuit->edges[e], &edge_bytes[e])) {
            const char *name = met_sym_text(circuit->session, circuit->edges[e].name);
            refuse(circuit, circuit->edges[e].span, MET_DIAG_cost, "the size of", name);
            return false;
        }
    return true;
}

static void count_inputs(const met_workload *workload, const met_node *node, const met_live *live, met_node_work *work)
{
    const met_circuit *circuit = workload->circuit;
    double *bytes = MET_NEW_ARRAY(circuit->arena, double, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++) {
        met_edge_role role = circuit->edges[node->ins[k].id].role;
        bytes[k] = met_node_in_bytes(workload, node, k, live);
        work->weight_bytes += role == MET_EDGE_PARAMETER ? bytes[k] : 0;
        work->state_bytes += role == MET_EDGE_STATE ? bytes[k] : 0;
        work->reads_weights = work->reads_weights || met_node_reads_matrix(circuit, node, k);
    }
    work->in_bytes = bytes;
}

static bool count_node(const met_workload *workload, met_live_finder *finder, uint32_t n, const met_dim *flops, met_node_work *work)
{
    const met_circuit *circuit = workload->circuit;
    const met_node *node = &circuit->nodes[n];
    met_live live = met_live_of_node(finder, n);
    uint64_t count;
    if (!flops || !met_dim_is_constant(flops, &count))
        return refuse(circuit, node->span, MET_DIAG_cost, "the work of", node->op ? node->op->name : "a box") != NULL;
    work->flops = (double)count * live.share;
    work->moves_nothing = met_node_cuts(circuit, node);
    count_inputs(workload, node, &live, work);
    describe_contraction(workload, node, work);
    work->products *= live.share;
    work->activation = activation_of(circuit, node);
    met_edge_id like = work->activation.id == MET_NONE && node->out_count > 0 ? node->outs[0] : work->activation;
    work->peak = met_peak_of(like.id == MET_NONE ? circuit->default_format : circuit->edges[like.id].format, work->reads_weights);
    return true;
}

static const double *count_stores(const met_circuit *circuit, const double *edge_bytes)
{
    double *out_bytes = MET_NEW_ARRAY(circuit->arena, double, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        out_bytes[e] = edge_bytes[e];
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (met_node_appends(circuit, &circuit->nodes[n]))
            out_bytes[circuit->nodes[n].outs[0].id] = edge_bytes[circuit->nodes[n].ins[1].id];
    return out_bytes;
}

const met_workload *met_workload_new(const met_circuit *circuit)
{
    double *edge_bytes = MET_NEW_ARRAY(circuit->arena, double, circuit->edge_count);
    if (!is_bound(circuit) || !count_edges(circuit, edge_bytes))
        return NULL;
    const met_dim *const *flops = met_workload_flops(circuit);
    met_workload *workload = MET_NEW(circuit->arena, met_workload);
    met_node_work *nodes = MET_NEW_ARRAY(circuit->arena, met_node_work, circuit->node_count);
    *workload = (met_workload){ circuit, met_derivation_new(circuit), nodes, edge_bytes, count_stores(circuit, edge_bytes), NULL };
    met_arena *scratch = met_arena_new();
    met_live_finder *finder = met_live_finder_new(circuit, workload->facts, scratch);
    bool good = true;
    for (uint32_t n = 0; good && n < circuit->node_count; n++)
        good = count_node(workload, finder, n, flops[n], &nodes[n]);
    met_arena_free(scratch);
    if (!good)
        return NULL;
    workload->classes = met_shape_classes(circuit->arena, workload->facts, workload);
    return workload;
}
