/* Bytes of edges as they are stored, and of what a node reads of each input. */
#include <string.h>

#include "ir/affine.h"
#include "plan/workload_parts.h"

/* --- Edges --- */

static bool element_rows(const met_circuit *circuit, const met_edge *edge, uint64_t *ret_rows, uint64_t *ret_width)
{
    uint64_t size;
    *ret_rows = *ret_width = 1;
    for (uint32_t p = 0; p < edge->rank; p++) {
        if (!met_circuit_size(circuit, edge->axes[p], &size))
            return false;
        if (p + 1 == edge->rank)
            *ret_width = size;
        else if (__builtin_mul_overflow(*ret_rows, size, ret_rows))
            return false;
    }
    return true;
}

bool met_edge_bytes(const met_circuit *circuit, const met_edge *edge, double *ret_bytes)
{
    uint64_t rows, width, bytes;
    met_use use = edge->role == MET_EDGE_PARAMETER ? MET_USE_WEIGHT : MET_USE_ACTIVATION;
    if (!element_rows(circuit, edge, &rows, &width) || !met_format_bytes(edge->format, use, rows, width, &bytes))
        return false;
    *ret_bytes = (double)bytes;
    return true;
}

static double elements(const met_circuit *circuit, const met_edge *edge)
{
    uint64_t rows, width;
    return element_rows(circuit, edge, &rows, &width) ? (double)rows * (double)width : 0;
}

/* --- What inputs are --- */

bool met_node_reads_matrix(const met_circuit *circuit, const met_node *node, uint32_t input)
{
    const met_edge *edge = &circuit->edges[node->ins[input].id];
    if (edge->role != MET_EDGE_PARAMETER || edge->rank < 2)
        return false;
    if (!node->op || node->op->array_count == MET_VARIADIC)
        return true;
    uint32_t always = node->op->array_count; /* slots that can be left out come last: "w b:bias" */
    for (const char *at = node->op->params; *at && strcspn(at, ":") > strcspn(at, " "); at++)
        always += at == node->op->params || at[-1] == ' ';
    if (*node->op->params && !strchr(node->op->params, ':'))
        always = node->in_count;
    return input < always;
}

bool met_node_appends(const met_circuit *circuit, const met_node *node)
{
    if (!node->op || node->op->id != MET_OP_kv_append || circuit->edges[node->ins[0].id].role != MET_EDGE_STATE)
        return false;
    for (uint32_t s = 0; s < circuit->state_count; s++)
        if (circuit->states[s].in.id == node->ins[0].id && circuit->states[s].out.id == node->outs[0].id)
            return true;
    return false;
}

/* A view that reads the positions of its input in order, each by an index of its own: a cut, or a change of nothing. */
static bool is_slice(const met_node *node)
{
    const met_access *in = &node->in_access[0], *out = &node->out_access[0];
    if (in->rank != out->rank)
        return false;
    for (uint32_t p = 0; p < in->rank; p++) {
        const met_affine *at = &in->at[p];
        uint32_t index_terms = 0, index = MET_NONE;
        for (uint32_t t = 0; t < at->term_count; t++)
            if (at->terms[t].kind == MET_TERM_INDEX) {
                index_terms++;
                index = at->terms[t].coefficient == 1 ? at->terms[t].index : MET_NONE;
            }
        const met_affine *to = &out->at[p];
        if (index_terms != 1 || to->term_count != 1 || to->terms[0].kind != MET_TERM_INDEX || to->terms[0].index != index)
            return false;
    }
    return true;
}

bool met_node_cuts(const met_circuit *circuit, const met_node *node)
{
    if (!node->op)
        return false;
    bool plain = node->op->id == MET_OP_split || (node->op->id == MET_OP_view && is_slice(node));
    return plain && met_format_equal(circuit->edges[node->ins[0].id].format, circuit->edges[node->outs[0].id].format);
}

/* --- Reads --- */

/* Weights of experts: of those that are expected to be chosen. The last axis of the ids is the choices of one row. */
static double read_experts(const met_workload *workload, const met_node *node, const met_primitive *form)
{
    const met_circuit *circuit = workload->circuit;
    const met_edge *ids = &circuit->edges[node->ins[form->ids].id], *table = &circuit->edges[node->ins[form->table].id];
    uint64_t chosen = 1, experts = 1;
    if (ids->rank > 0)
        met_circuit_size(circuit, ids->axes[ids->rank - 1], &chosen);
    met_circuit_size(circuit, table->axes[form->read_position], &experts);
    double rows = elements(circuit, ids) / (double)chosen;
    return workload->edge_bytes[node->ins[form->table].id] / (double)experts *
           met_distinct_experts((double)experts, (double)chosen, rows);
}

/* A table that is read by ids: of each position that no id stands for, all; as many rows as there are results, at most. */
static double read_by_ids(const met_workload *workload, const met_node *node, uint32_t input)
{
    const met_circuit *circuit = workload->circuit;
    double all = workload->edge_bytes[node->ins[input].id];
    double of_table = elements(circuit, &circuit->edges[node->ins[input].id]);
    double given = elements(circuit, &circuit->edges[node->outs[0].id]);
    return of_table > given ? all * (given / of_table) : all;
}

double met_node_in_bytes(const met_workload *workload, const met_node *node, uint32_t input, const met_live *live)
{
    const met_circuit *circuit = workload->circuit;
    double bytes = workload->edge_bytes[node->ins[input].id];
    if (met_node_cuts(circuit, node) || (input == 0 && met_node_appends(circuit, node)))
        return 0;
    if (node->op && node->op->form == MET_FORM_READ) {
        met_primitive form = met_node_primitive(circuit, node);
        if (form.table == input)
            return node->op->id == MET_OP_expert ? read_experts(workload, node, &form) : read_by_ids(workload, node, input);
    }
    if (node->op && node->op->id == MET_OP_view) {
        double read = elements(circuit, &circuit->edges[node->outs[0].id]);
        double there = elements(circuit, &circuit->edges[node->ins[0].id]);
        return read < there ? bytes * (read / there) : bytes;
    }
    const met_access *access = &node->in_access[input];
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (met_affine_is_index(access->at[p], &index))
            bytes *= live->of_index[index];
    }
    return bytes;
}
