/* The arrays that a run begins with and may be off already, and those that groups make, with all that is said of them. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "budget/circuit_parts.h"
#include "budget/term.h"

static const met_span nowhere;

bool met_budget_is_discrete(const met_edge *edge)
{
    return met_dtype_table[edge->format.dtype].class == MET_DTYPE_INTEGER && met_format_is_plain(edge->format);
}

/* --- Results --- */

static double largest(const double *values, uint64_t count)
{
    double most = 0;
    for (uint64_t i = 0; values && i < count; i++)
        most = values[i] > most || isnan(values[i]) ? values[i] : most;
    return most;
}

/* All but one in a hundred are at most this. */
static double quantile_99(met_arena *scratch, const double *values, uint64_t count)
{
    return values ? met_quantile((size_t)count, met_arena_copy(scratch, values, (size_t)count, sizeof *values), 0.99) : 0;
}

static double distance(const double *a, const double *b, uint64_t count)
{
    double most = 0;
    for (uint64_t i = 0; i < count; i++) {
        double d = a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) ? 0 : fabs(a[i] - b[i]);
        most = d > most || isnan(d) ? d : most;
    }
    return isnan(most) ? (double)INFINITY : most;
}

static const char *format_of(met_survey *s, const met_edge *edge)
{
    met_text text = met_text_new(s->arena);
    met_format_print(&text, edge->format);
    return met_text_done(&text);
}

static double largest_size(const double *values, uint64_t count)
{
    double most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = isfinite(values[i]) ? fmax(most, fabs(values[i])) : most;
    return most;
}

/* Of scales only those that are powers of two are chosen so that nothing is cut off. */
static double store_error(const met_survey *s, uint32_t edge)
{
    met_format format = s->run.circuit->edges[edge].format;
    uint64_t count = s->run.elements[edge];
    double scale;
    if (met_format_is_float(format) && met_format_is_plain(format))
        return met_store_error((met_dtype)format.dtype, largest_size(s->run.values[edge], count));
    if (!met_format_is_plain(format) && format.scale == MET_UE8M0 && s->run.before[edge])
        return met_scaled_store_error((met_dtype)format.dtype, MET_UE8M0, largest_size(s->run.before[edge], count), &scale);
    return (double)NAN;
}

static bool is_apart(const met_edge_error *errors, size_t read_count, uint64_t count)
{
    if (1 + read_count > MET_BUDGET_CHANNELS)
        return false; /* some share one */
    for (uint64_t i = 0; i < count; i++) {
        size_t moved = 0;
        for (size_t k = 1; k <= read_count; k++)
            moved += errors->channel[k] && errors->channel[k][i] != 0;
        if (moved > 1)
            return false;
    }
    return true;
}

static const double *kept(const met_survey *s, const double *values, uint64_t count)
{
    return values ? met_arena_copy(s->arena, values, (size_t)count, sizeof *values) : NULL;
}

/* What the next run of a model that keeps it begins with. */
static void keep_for_next(met_survey *s, uint32_t edge, met_budget_result *result)
{
    uint32_t twin = s->twin[edge];
    result->choices = s->analysis.choices;
    result->errors = kept(s, s->analysis.edges[edge].error, result->elements);
    result->reals = kept(s, twin == MET_NONE ? NULL : s->exact.values[twin], result->elements);
}

static void take_result(met_survey *s, const met_budget_group *group, uint32_t edge, uint32_t last, uint32_t segment_end)
{
    const met_edge *e = &s->run.circuit->edges[edge];
    const met_edge_error *errors = &s->analysis.edges[edge];
    uint64_t count = s->run.elements[edge];
    const double *values = s->run.values[edge];
    double *L = MET_NEW_ARRAY(s->arena, double, group->read_count);
    for (size_t k = 0; k < group->read_count; k++) {
        size_t channel = 1 + k < MET_BUDGET_CHANNELS ? 1 + k : MET_BUDGET_CHANNELS - 1;
        L[k] = largest(errors->channel[channel], count);
    }
    met_budget_result *result = &s->budget->results[s->budget->result_count];
    *result = (met_budget_result){
        .edge = { edge }, .name = met_sym_text(s->run.session, e->name), .format = format_of(s, e),
        .group = (size_t)(group - s->budget->groups), .discrete = met_budget_is_discrete(e),
        .leaves = last > segment_end, .apart = is_apart(errors, group->read_count, count),
         .elements = count, .open = errors->open, .rms = met_root_mean_square((size_t)count, values), .store = store_error(s, edge),
        .eps = largest(errors->channel[0], count),
        .eps_q99 = quantile_99(s->analysis.scratch, errors->channel[0], count), .L = L, .error = largest(errors->error, count),
        .measured = s->twin[edge] == MET_NONE ? (double)NAN : distance(values, s->exact.values[s->twin[edge]], count),
    };
    if (last == UINT32_MAX)
        keep_for_next(s, edge, result);
    s->result_of[edge] = s->budget->result_count++;
    s->values[edge] = met_arena_copy(s->arena, values, (size_t)count, sizeof *values);
}

void met_budget_take_results(met_survey *s, met_budget_group *group, const uint32_t *last_reader, uint32_t segment_end)
{
    group->first = s->budget->result_count;
    for (uint32_t n = group->begin; n < group->end; n++) {
        const met_node *node = &s->run.circuit->nodes[n];
        for (uint32_t k = 0; k < node->out_count; k++) {
            uint32_t last = last_reader[node->outs[k].id + 1];
            if (last > group->end)
                take_result(s, group, node->outs[k].id, last, segment_end);
        }
    }
    group->result_count = s->budget->result_count - group->first;
}

/* --- Sources --- */

/* Arrays that are off to begin with. */
static void take_source(met_survey *s, uint32_t edge, const met_budget_source *given)
{
    uint64_t count = s->run.elements[edge];
    met_edge_error *e = &s->analysis.edges[edge];
    met_budget_source *source = met_arena_copy(s->arena, given, 1, sizeof *given);
    e->open = source->open;
    e->error = MET_NEW_ARRAY(s->run.arena, double, count);
    for (uint64_t i = 0; i < count; i++) {
        double moved = source->values ? fabs(s->run.values[edge][i] - source->values[i]) : 0;
        double error = source->errors ? source->errors[i] : 0;
        e->error[i] = moved > 0 ? met_budget_up(error + moved) : error;
    }
    source->error = largest(e->error, count);
    s->choices = source->choices.count ? source->choices : s->choices;
    s->off[edge] = source;
    if (source->reals && s->twin[edge] != MET_NONE)
        memcpy(s->exact.values[s->twin[edge]], source->reals, (size_t)count * sizeof *source->reals);
}

bool met_budget_take_sources(met_survey *s)
{
    const met_circuit *circuit = s->run.circuit;
    s->off = MET_NEW_ARRAY(s->run.arena, const met_budget_source *, circuit->edge_count);
    for (size_t k = 0; k < s->request->source_count; k++) {
        const met_budget_source *source = &s->request->sources[k];
        uint32_t e = 0;
        while (e < circuit->edge_count && (circuit->edges[e].producer.id != MET_NONE ||
                                           strcmp(met_sym_text(s->run.session, circuit->edges[e].name), source->name) != 0))
            e++;
        if (e == circuit->edge_count || s->run.elements[e] != source->elements) {
            met_diag_add(s->run.session, MET_DIAG_usage, nowhere, "nothing of %llu numbers is called `%s` that a run begins with",
                         (unsigned long long)source->elements, source->name);
            return false;
        }
        take_source(s, e, source);
    }
    return true;
}
