#include "budget/circuit.h"

#include <math.h>
#include <string.h>

#include "budget/circuit_parts.h"
#include "budget/term.h"

/* --- Edges --- */

static const met_edge *edge_of(const met_survey *s, uint32_t edge)
{
    return &s->run.circuit->edges[edge];
}

static uint32_t *twins_of(const met_survey *s)
{
    const met_circuit *from = s->run.circuit, *to = s->exact.circuit;
    uint32_t most = 0;
    for (uint32_t e = 0; e < to->edge_count; e++)
        most = to->edges[e].name.id > most ? to->edges[e].name.id : most;
    uint32_t *of_name = MET_NEW_ARRAY(s->run.arena, uint32_t, (size_t)most + 1);
    for (uint32_t n = 0; n <= most; n++)
        of_name[n] = MET_NONE;
    for (uint32_t e = 0; e < to->edge_count; e++)
        of_name[to->edges[e].name.id] = e;
    uint32_t *twin = MET_NEW_ARRAY(s->run.arena, uint32_t, from->edge_count);
    for (uint32_t e = 0; e < from->edge_count; e++) {
        uint32_t name = from->edges[e].name.id;
        twin[e] = name <= most ? of_name[name] : MET_NONE;
        if (twin[e] != MET_NONE && s->exact.elements[twin[e]] != s->run.elements[e])
            twin[e] = MET_NONE;
    }
    return twin;
}

static void copy_to_reals(met_survey *s, uint32_t edge)
{
    if (s->twin[edge] != MET_NONE)
        memcpy(s->exact.values[s->twin[edge]], s->run.values[edge], (size_t)s->run.elements[edge] * sizeof(double));
}

/* --- What a group reads and makes --- */

static bool is_within(const met_circuit *circuit, uint32_t edge, const met_budget_group *group)
{
    uint32_t producer = circuit->edges[edge].producer.id;
    return producer != MET_NONE && producer >= group->begin && producer < group->end;
}

static bool is_read(const met_budget_group *group, uint32_t edge)
{
    for (size_t k = 0; k < group->read_count; k++)
        if (group->reads[k].edge.id == edge)
            return true;
    return false;
}

typedef struct reading {
    met_survey *s;
    met_budget_group *group;
} reading;

/* An array from before: what it was before the segment counts as exact, and for both sides as what the first one had. */
static void find_read(void *context, met_edge_id edge)
{
    reading *r = context;
    met_survey *s = r->s;
    const met_edge *e = edge_of(s, edge.id);
    if (is_within(s->run.circuit, edge.id, r->group) || is_read(r->group, edge.id))
        return;
    bool outside = e->producer.id == MET_NONE || e->producer.id < s->segment_begin;
    const met_budget_source *off = e->producer.id == MET_NONE ? s->off[edge.id] : NULL;
    if (outside && !off) {
        const double *beside = s->request->beside ? s->request->beside->values[edge.id] : NULL;
        if (beside)
            memcpy(s->run.values[edge.id], beside, (size_t)s->run.elements[edge.id] * sizeof *beside);
        s->analysis.edges[edge.id] = (met_edge_error){ 0 };
        copy_to_reals(s, edge.id);
    }
    if ((e->role == MET_EDGE_PARAMETER && !off) || met_budget_is_discrete(e))
        return;
    r->group->reads[r->group->read_count++] = (met_budget_read){
        .edge = edge, .name = met_sym_text(s->run.session, e->name), .from = outside ? SIZE_MAX : s->result_of[edge.id], .off = off,
        .rms = met_root_mean_square((size_t)s->run.elements[edge.id], s->run.values[edge.id]),
    };
}

static void find_reads(met_survey *s, met_budget_group *group)
{
    size_t most = 0;
    for (uint32_t n = group->begin; n < group->end; n++)
        most += s->run.circuit->nodes[n].in_count;
    group->reads = MET_NEW_ARRAY(s->arena, met_budget_read, most + 64);
    reading r = { s, group };
    for (uint32_t n = group->begin; n < group->end; n++)
        met_node_reads(s->run.circuit, &s->run.circuit->nodes[n], find_read, &r);
}

static void note_use(void *context, met_edge_id edge)
{
    uint32_t *at = context;
    at[edge.id + 1] = at[0];
}

/* [edge + 1]: one more than the last node that reads it; UINT32_MAX if it leaves the circuit. */
static uint32_t *last_readers(met_survey *s)
{
    const met_circuit *circuit = s->run.circuit;
    uint32_t *at = MET_NEW_ARRAY(s->run.arena, uint32_t, (size_t)circuit->edge_count + 1);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        at[0] = n + 1;
        met_node_reads(circuit, &circuit->nodes[n], note_use, at);
    }
    for (uint32_t k = 0; k < circuit->output_count; k++)
        at[circuit->outputs[k].id + 1] = UINT32_MAX;
    for (uint32_t k = 0; k < circuit->state_count; k++)
        at[circuit->states[k].out.id + 1] = UINT32_MAX;
    return at;
}

/* --- A group --- */

/* What a softmax is relative to: integers of powers of two, which are what rounds to one within its expansion, or the largest
 * score. A router has maxima that are none. */
static bool is_chosen(const met_survey *s, uint32_t n)
{
    const met_node *node = &s->run.circuit->nodes[n];
    const met_op *op = s->budget->settled->written->nodes[s->budget->settled->origin[n]].op;
    met_primitive form = met_node_primitive(s->run.circuit, node);
    bool rescales = op && (op->id == MET_OP_softmax || op->id == MET_OP_logsumexp || op->id == MET_OP_cross_entropy ||
                           op->id == MET_OP_router);
    if (!rescales || op->form != MET_FORM_COMPOSITE || form.form != MET_FORM_FOLD)
        return false;
    if (form.e->kind == MET_SCALAR_CALL)
        return form.e->fn == MET_FN_rint;
    return form.monoid == MET_MONOID_MAX && form.e->kind == MET_SCALAR_INPUT && op->id != MET_OP_router;
}

static void open_channels(met_survey *s, met_budget_group *group)
{
    s->analysis.channels = 1;
    for (size_t k = 0; k < group->read_count; k++) {
        uint32_t channel = 1 + (uint32_t)k < MET_BUDGET_CHANNELS ? 1 + (uint32_t)k : MET_BUDGET_CHANNELS - 1;
        s->analysis.edges[group->reads[k].edge.id].unit = channel;
        s->analysis.channels = channel + 1;
    }
}

/* What was in scratch. */
static void forget(met_edge_error *e)
{
    *e = (met_edge_error){ .error = e->error, .open = e->open, .floor = e->floor };
}

static void close_channels(met_survey *s, const met_budget_group *group)
{
    for (size_t k = 0; k < group->read_count; k++)
        s->analysis.edges[group->reads[k].edge.id].unit = 0;
    for (uint32_t n = group->begin; n < group->end; n++)
        for (uint32_t k = 0; k < s->run.circuit->nodes[n].out_count; k++)
            forget(&s->analysis.edges[s->run.circuit->nodes[n].outs[k].id]);
}

static bool run_nodes(met_survey *s, met_budget_group *group)
{
    const char *why = "";
    s->analysis.assumed = false;
    for (uint32_t n = s->real->begin[group->written_begin]; n < s->real->begin[group->written_end]; n++)
        if (!met_run_node(&s->exact, &s->exact.circuit->nodes[n]))
            return false;
    for (uint32_t n = group->begin; n < group->end; n++) {
        const met_node *node = &s->run.circuit->nodes[n];
        if (!met_run_node(&s->run, node) || !met_analyse_node(&s->analysis, node, is_chosen(s, n)))
            return false;
        why = met_budget_why(s->arena, why, node, &s->analysis);
    }
    group->why = why;
    group->assumed = s->analysis.assumed;
    group->condition = met_budget_condition(s->arena, &s->analysis.choices);
    return true;
}

/* --- The whole --- */

static bool survey_group(met_survey *s, met_budget_group *group, const uint32_t *last_reader, uint32_t segment_end)
{
    s->analysis.scratch = met_arena_new();
    find_reads(s, group);
    open_channels(s, group);
    bool good = run_nodes(s, group);
    if (good)
        met_budget_take_results(s, group, last_reader, segment_end);
    close_channels(s, group);
    good = good && (!s->request->measure || met_budget_measure_group(s, group));
    met_arena_free(s->analysis.scratch);
    return good;
}

static bool survey_segments(met_survey *s)
{
    met_budget *budget = s->budget;
    const uint32_t *last_reader = last_readers(s);
    for (size_t g = 0; g < budget->segment_count; g++) {
        const met_budget_segment *segment = &budget->segments[g];
        s->segment_begin = budget->groups[segment->begin].begin;
        s->analysis.choices = s->choices;
        for (size_t k = segment->begin; k < segment->end; k++)
            if (!survey_group(s, &budget->groups[k], last_reader, budget->groups[segment->end - 1].end))
                return false;
    }
    budget->refused = s->analysis.refused;
    budget->folds = s->analysis.folds;
    budget->failure = fmin(1, s->analysis.folds * met_probable_failure(budget->lambda > 0 ? budget->lambda : 100));
    budget->values = s->values;
    return true;
}

static const double *const *reals_of(const met_survey *s)
{
    uint32_t count = s->run.circuit->edge_count;
    const double **reals = MET_NEW_ARRAY(s->run.arena, const double *, count);
    for (uint32_t e = 0; e < count; e++)
        reals[e] = s->twin[e] == MET_NONE ? NULL : s->exact.values[s->twin[e]];
    return reals;
}

static bool begin(met_survey *s)
{
    const met_budget_request *request = s->request;
    const met_circuit *circuit = s->run.circuit;
    if (!met_run_begin(&s->run, request->in_count, request->ins) || !met_run_begin(&s->exact, request->in_count, request->ins))
        return false;
    s->twin = twins_of(s);
    s->result_of = MET_NEW_ARRAY(s->run.arena, size_t, circuit->edge_count);
    s->values = MET_NEW_ARRAY(s->arena, const double *, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        s->result_of[e] = SIZE_MAX;
    s->analysis = (met_analysis){ .run = &s->run, .arena = s->run.arena, .undeclared = request->undeclared,
                                  .lambda = request->lambda, .reals = reals_of(s),
                                  .folds = request->before ? request->before->folds : 0,
                                  .refused = request->before && request->before->refused };
    s->run.before = MET_NEW_ARRAY(s->run.arena, double *, circuit->edge_count);
    s->analysis.edges = MET_NEW_ARRAY(s->run.arena, met_edge_error, circuit->edge_count);
    s->budget->results = MET_NEW_ARRAY(s->arena, met_budget_result, circuit->edge_count);
    return met_budget_take_sources(s);
}

/* Over the reals: nothing rounds, softmax is exponentials over their sum, and divisions stay where they are written. */
static met_point real_point(void)
{
    met_point point = met_point_of(MET_F64);
    point.division = MET_DIVISION_EAGER;
    return point;
}

const met_budget *met_budget_of(const met_settled *settled, const met_budget_request *request)
{
    met_session *session = settled->written->session;
    met_point point = real_point();
    met_survey s = { .request = request, .arena = session->arena, .real = met_settled_new(settled->written, &point) };
    if (!s.real)
        return NULL;
    s.budget = MET_NEW(s.arena, met_budget);
    *s.budget = (met_budget){ .settled = settled, .lambda = request->lambda };
    s.run = (met_run){ .circuit = settled->circuit, .session = session, .arena = met_arena_new(), .options = *request->options,
                       .wide = settled->point.dtype == MET_F64, .point = &settled->point, .trees = request->trees };
    s.exact = (met_run){ .circuit = s.real->circuit, .session = session, .arena = met_arena_new(), .options = *request->options,
                         .wide = true, .reals = true, .point = &s.real->point };
    s.run.options.progress = s.exact.options.progress = NULL;
    if (request->measure)
        s.facts = met_derivation_new(s.real->circuit);
    met_budget_find_groups(s.budget, request->whole);
    bool good = begin(&s) && survey_segments(&s);
    met_arena_free(s.run.arena);
    met_arena_free(s.exact.arena);
    return good ? s.budget : NULL;
}
