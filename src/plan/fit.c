#include "plan/fit.h"

#include <math.h>

/* --- Weights --- */

typedef enum weight_kind { WEIGHT_UNREAD, WEIGHT_VECTOR, WEIGHT_TABLE, WEIGHT_MATRIX } weight_kind;

/* A table is read by ids alone, row by row; experts are contracted, whichever they are. */
static weight_kind kind_of(const met_workload *workload, met_edge_id edge)
{
    const met_derivation *facts = workload->facts;
    const met_circuit *circuit = workload->circuit;
    weight_kind kind = WEIGHT_UNREAD;
    for (uint32_t r = facts->reader_begin[edge.id]; r < facts->reader_begin[edge.id + 1]; r++) {
        const met_node *node = &circuit->nodes[facts->readers[r].id];
        bool by_ids = node->op && node->op->form == MET_FORM_READ && workload->nodes[facts->readers[r].id].flops == 0;
        for (uint32_t k = 0; k < node->in_count; k++) {
            weight_kind read = !met_node_reads_matrix(circuit, node, k) ? WEIGHT_VECTOR : by_ids ? WEIGHT_TABLE : WEIGHT_MATRIX;
            if (node->ins[k].id == edge.id && read > kind)
                kind = read;
        }
    }
    return kind;
}

static void add_weights(const met_workload *workload, met_memory *memory)
{
    for (uint32_t i = 0; i < workload->circuit->parameter_count; i++) {
        met_edge_id edge = workload->circuit->parameters[i];
        double bytes = workload->edge_bytes[edge.id];
        weight_kind kind = kind_of(workload, edge);
        memory->weights_read += kind == WEIGHT_MATRIX ? bytes : 0;
        memory->weights_stored += kind == WEIGHT_MATRIX || kind == WEIGHT_TABLE ? bytes : 0;
        memory->vectors += kind == WEIGHT_VECTOR ? bytes : 0;
    }
}

/* --- States --- */

/* Tokens that a state holds, if it is appended to: the size of the axis along which it grows. 0: it is not. */
static double tokens_of(const met_circuit *circuit, const met_state *state)
{
    const met_edge *in = &circuit->edges[state->in.id], *out = &circuit->edges[state->out.id];
    uint64_t before, after;
    if (out->producer.id == MET_NONE || !met_node_appends(circuit, &circuit->nodes[out->producer.id]))
        return 0;
    for (uint32_t p = 0; p < in->rank; p++)
        if (met_circuit_size(circuit, in->axes[p], &before) && met_circuit_size(circuit, out->axes[p], &after) && before != after)
            return (double)before;
    return 0;
}

/* The narrowest window of a mask; infinite: there is none. */
static double window_of(const met_circuit *circuit)
{
    double least = INFINITY;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        const met_attr *attr = node->op && node->op->id == MET_OP_mask_window ? met_node_attr(circuit, node, "width") : NULL;
        uint64_t width;
        if (attr && attr->dim && met_dim_is_constant(attr->dim, &width))
            least = fmin(least, (double)width);
    }
    return least;
}

met_memory met_memory_of(const met_workload *workload, double sequences)
{
    const met_circuit *circuit = workload->circuit;
    met_memory memory = { .window = window_of(circuit) };
    add_weights(workload, &memory);
    for (uint32_t s = 0; s < circuit->state_count; s++) {
        double bytes = workload->edge_bytes[circuit->states[s].in.id] / sequences, tokens = tokens_of(circuit, &circuit->states[s]);
        if (tokens > 0)
            memory.token_bytes += bytes / tokens;
        else
            memory.sequence_bytes += bytes;
    }
    return memory;
}

met_fit met_fit_of(const met_memory *memory, double visible, double usable, double sequences, double context, double activations)
{
    double each = context * memory->token_bytes + memory->sequence_bytes, fixed = memory->weights_stored + activations;
    met_fit fit = { .needed = fixed + sequences * each, .usable = visible * usable };
    fit.fits = fit.needed <= fit.usable;
    if (fixed <= fit.usable)
        fit.most_sequences = each > 0 ? floor((fit.usable - fixed) / each) : INFINITY;
    return fit;
}

/* --- Activations --- */

/* The group, in the order in which they run, after which nothing reads an edge any more. */
static uint32_t last_use(const met_lowering *lowering, const met_workload *workload, uint32_t edge)
{
    const met_derivation *facts = workload->facts;
    uint32_t last = lowering->group_of[workload->circuit->edges[edge].producer.id];
    for (uint32_t r = facts->reader_begin[edge]; r < facts->reader_begin[edge + 1]; r++) {
        uint32_t at = lowering->group_of[facts->readers[r].id];
        last = at > last ? at : last;
    }
    return facts->kept[edge] ? lowering->group_count - 1 : last;
}

/* An array of its own between groups: neither a cut of another nor part of a state. */
static bool is_activation(const met_lowering *lowering, const met_workload *workload, uint32_t edge)
{
    met_node_id producer = workload->circuit->edges[edge].producer;
    if (producer.id == MET_NONE || lowering->edges[edge] != MET_EDGE_MATERIALIZED)
        return false;
    return !workload->nodes[producer.id].moves_nothing && !met_node_appends(workload->circuit, &workload->circuit->nodes[producer.id]);
}

/* As the plan stores it; where scales do not divide it, as the circuit does. */
static double bytes_of(const met_lowering *lowering, const met_workload *workload, uint32_t edge)
{
    met_edge stored = workload->circuit->edges[edge];
    double bytes;
    stored.format = lowering->stored[edge];
    return met_edge_bytes(workload->circuit, &stored, &bytes) ? bytes : workload->edge_bytes[edge];
}

double met_fit_activations(const met_lowering *lowering, const met_workload *workload)
{
    met_arena *scratch = met_arena_new();
    double *change = MET_NEW_ARRAY(scratch, double, (size_t)lowering->group_count + 1), alive = 0, most = 0;
    for (uint32_t e = 0; e < workload->circuit->edge_count; e++) {
        if (!is_activation(lowering, workload, e))
            continue;
        change[lowering->group_of[workload->circuit->edges[e].producer.id]] += bytes_of(lowering, workload, e);
        change[last_use(lowering, workload, e) + 1] -= bytes_of(lowering, workload, e);
    }
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        alive += change[g];
        most = fmax(most, alive);
    }
    met_arena_free(scratch);
    return most;
}
