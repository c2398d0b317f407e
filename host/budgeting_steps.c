/* What a step of a model begins with: caches and states that prefill and the steps before it have made, each with what its own
 * budget says that it is off by. In blocks every one of these runs has read exact arrays as well, so what a cache is off by is what
 * its own block did to it. */
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "eval/settled.h"
#include "host/budgeting_parts.h"
#include "host/generate.h"
#include "realize/writer.h"

static const met_span nowhere;

typedef struct history {
    const met_subject *last;   /* the step that all this comes before */
    const met_budgeting *request;
    met_arena *arena;
    size_t side_count, state_count, weight_count;
    met_named_tensor *weights; /* those of the last step */
    const char **names;        /* of decode's states */
    size_t given;              /* 0 before prefill has run, then state_count */
    met_named_tensor *states[2];
    met_budget_source *sources[2];
    const met_budget *budgets[2]; /* of the last run */
    bool same;
} history;

/* --- Weights: the same in all runs, whatever place they have among the arrays of a mode --- */

static void take_weight(void *context, met_edge_id id, size_t count, const double *values)
{
    history *h = context;
    const met_circuit *circuit = h->last->circuit;
    const met_edge *edge = &circuit->edges[id.id];
    uint64_t shape[MET_RANK_LIMIT];
    if (edge->role != MET_EDGE_PARAMETER)
        return;
    for (uint32_t p = 0; p < edge->rank; p++)
        met_circuit_size(circuit, edge->axes[p], &shape[p]);
    met_tensor *tensor = met_tensor_new(circuit->session, "f64", edge->rank, shape);
    if (!tensor)
        return;
    memcpy(tensor->values, values, count * sizeof *values);
    h->weights[h->weight_count++] = (met_named_tensor){ met_sym_text(circuit->session, edge->name), tensor };
}

static bool has_parameter(const met_circuit *circuit, const char *name)
{
    for (uint32_t k = 0; k < circuit->parameter_count; k++)
        if (strcmp(met_sym_text(circuit->session, circuit->edges[circuit->parameters[k].id].name), name) == 0)
            return true;
    return false;
}

/* --- One run --- */

/* The states as a side has them, and the weights that the circuit knows. */
static const met_named_tensor *arrays_of(const history *h, const met_circuit *circuit, size_t side, size_t *ret_count)
{
    met_named_tensor *ins = MET_NEW_ARRAY(h->arena, met_named_tensor, h->given + h->weight_count);
    size_t count = h->given;
    memcpy(ins, h->states[side], h->given * sizeof *ins);
    for (size_t w = 0; w < h->weight_count; w++)
        if (has_parameter(circuit, h->weights[w].name))
            ins[count++] = h->weights[w];
    *ret_count = count;
    return ins;
}

/* What a run has made of a state, for the next one. False with a diagnostic if no budget speaks of it. */
static bool take_state(history *h, const met_subject *subject, size_t side, size_t state, met_edge_id edge)
{
    const met_budget *budget = h->budgets[side];
    const met_budget_distance *distances = met_budget_compose(h->arena, 1, &budget, MET_TERMS_BOUND);
    size_t k = 0;
    while (k < budget->result_count && budget->results[k].edge.id != edge.id)
        k++;
    if (k == budget->result_count) {
        met_diag_add(subject->session, MET_DIAG_run, nowhere, "`%s` is not computed", h->names[state]);
        return false;
    }
    const met_budget_result *r = &budget->results[k];
    const met_edge *e = &subject->circuit->edges[edge.id];
    uint64_t shape[MET_RANK_LIMIT];
    for (uint32_t p = 0; p < e->rank; p++)
        met_circuit_size(subject->circuit, e->axes[p], &shape[p]);
    met_tensor *tensor = met_tensor_new(subject->session, "f64", e->rank, shape);
    if (!tensor)
        return false;
    memcpy(tensor->values, budget->values[edge.id], tensor->count * sizeof *tensor->values);
    h->states[side][state] = (met_named_tensor){ h->names[state], tensor };
    h->sources[side][state] = (met_budget_source){ .name = h->names[state], .elements = r->elements, .values = tensor->values,
                                                   .errors = r->errors, .reals = r->reals, .open = r->open,
                                                   .choices = r->choices, .kind = distances[k].kind };
    return true;
}

static bool run(history *h, const met_circuit *circuit, const char *mode)
{
    size_t in_count;
    const met_named_tensor *ins = arrays_of(h, circuit, 0, &in_count);
    met_eval_options *options = met_arena_copy(h->arena, &h->last->options, 1, sizeof *options);
    const met_subject *subject = met_subject_new(circuit, options, in_count, ins);
    met_budget_side sides[2];
    if (!subject || !met_budgeting_sides(subject, h->request, mode, sides))
        return false;
    for (size_t s = 0; s < h->side_count; s++) {
        met_budget_request one = { .trees = sides[s].trees, .undeclared = sides[s].undeclared, .options = options, .in_count = in_count,
                                   .ins = arrays_of(h, circuit, s, &in_count), .source_count = h->given, .sources = h->sources[s],
                                   .before = h->budgets[s], .whole = h->request->whole, .lambda = h->request->lambda,
                                   .beside = s ? h->budgets[0] : NULL };
        if (!(h->budgets[s] = met_budget_of(subject->settled, &one)))
            return false;
    }
    h->same = h->same && h->side_count == 2 && met_budgeting_same(subject->settled, sides);
    uint32_t scores = subject->circuit->output_count - (h->given ? 0 : (uint32_t)h->state_count);
    for (size_t s = 0; s < h->side_count; s++)
        for (size_t k = 0; k < h->state_count; k++)
            if (!take_state(h, subject, s, k, h->given ? subject->circuit->states[k].out : subject->circuit->outputs[scores + k]))
                return false;
    h->given = h->state_count;
    return true;
}

/* --- All of them --- */

/* How many tokens the caches of a step hold; 1 if nothing is appended to. */
static uint64_t cached(const met_circuit *decode)
{
    for (uint32_t k = 0; k < decode->state_count; k++) {
        const met_edge *before = &decode->edges[decode->states[k].in.id], *after = &decode->edges[decode->states[k].out.id];
        uint64_t a, b;
        for (uint32_t p = 0; p < before->rank && p < after->rank; p++)
            if (met_circuit_size(decode, before->axes[p], &a) && met_circuit_size(decode, after->axes[p], &b) && a != b)
                return a;
    }
    return 1;
}

static bool begin(history *h, const met_circuit *decode)
{
    h->state_count = decode->state_count;
    h->names = MET_NEW_ARRAY(h->arena, const char *, h->state_count);
    for (size_t k = 0; k < h->state_count; k++)
        h->names[k] = met_sym_text(decode->session, decode->edges[decode->states[k].in.id].name);
    for (size_t s = 0; s < 2; s++) {
        h->states[s] = MET_NEW_ARRAY(h->arena, met_named_tensor, h->state_count);
        h->sources[s] = MET_NEW_ARRAY(h->arena, met_budget_source, h->state_count);
    }
    h->weights = MET_NEW_ARRAY(h->arena, met_named_tensor, h->last->circuit->parameter_count);
    met_source_taker taker = { take_weight, h };
    return met_eval_sources(h->last->circuit, &h->last->options, h->last->in_count, h->last->ins, &taker);
}

/* The circuit with so many new tokens. */
static const met_circuit *with_tokens(const met_circuit *circuit, uint64_t tokens)
{
    const met_edge *ids = &circuit->edges[circuit->inputs[0].id];
    uint64_t fixed;
    if (ids->rank != 1 || met_circuit_size(circuit, ids->axes[0], &fixed))
        return circuit;
    const char *axis = met_sym_text(circuit->session, circuit->axes[ids->axes[0].id].name);
    return met_circuit_bind(circuit, met_format_text(circuit->session->arena, "%s=%" PRIu64, axis, tokens));
}

static bool refuse_steps(met_session *session, uint64_t most)
{
    met_diag_add(session, MET_DIAG_usage, nowhere, "the caches of the last step hold %" PRIu64 " tokens: behind a prompt there are no more "
                 "steps than that", most);
    return false;
}

static bool run_all(history *h, const met_circuit *prefill, const met_circuit *decode, uint64_t *ret_prompt)
{
    uint64_t most = cached(h->last->circuit), steps = h->request->steps ? h->request->steps : 1;
    if (steps > most)
        return refuse_steps(h->last->session, most);
    *ret_prompt = most + 1 - steps;
    prefill = with_tokens(prefill, *ret_prompt);
    decode = prefill ? with_tokens(decode, 1) : NULL;
    if (!decode || !run(h, prefill, "prefill"))
        return false;
    for (uint64_t k = 1; k < steps; k++)
        if (!run(h, decode, "decode"))
            return false;
    return true;
}

static bool is_given(const met_subject *subject, met_edge_id edge)
{
    for (size_t i = 0; i < subject->in_count; i++)
        if (strcmp(subject->ins[i].name, met_sym_text(subject->session, subject->circuit->edges[edge.id].name)) == 0)
            return true;
    return false;
}

/* A step has states, all of them to be made. */
static bool is_step(const met_subject *subject, const met_budgeting *request)
{
    bool step = request->circuit && subject->circuit->state_count > 0 && request->mode && strcmp(request->mode, "decode") == 0;
    for (uint32_t k = 0; step && k < subject->circuit->state_count; k++)
        step = !is_given(subject, subject->circuit->states[k].in);
    return step;
}

bool met_budgeting_before(const met_subject *subject, const met_budgeting *request, met_budget_history *ret_history)
{
    history h = { .last = subject, .request = request, .arena = subject->session->arena, .side_count = request->against ? 2 : 1, .same = true };
    *ret_history = (met_budget_history){ .same = true, .words = "" };
    if (!is_step(subject, request)) {
        if (request->steps)
            met_diag_add(subject->session, MET_DIAG_usage, nowhere, "--steps is for models in their mode decode whose states are not given");
        return !request->steps;
    }
    const met_circuit *prefill = request->circuit(request->context, "prefill");
    const met_circuit *decode = prefill ? request->circuit(request->context, "decode") : NULL;
    prefill = decode ? met_generate_prefill(subject->session, prefill, decode) : NULL;
    uint64_t prompt, steps = request->steps ? request->steps - 1 : 0;
    if (!prefill || !begin(&h, decode) || !run_all(&h, prefill, decode, &prompt))
        return false;
    *ret_history = (met_budget_history){ h.given, { h.states[0], h.states[1] }, { h.sources[0], h.sources[1] }, { h.budgets[0], h.budgets[1] }, h.same, NULL };
    ret_history->words = met_format_text(h.arena, "after a prefill of %" PRIu64 " token%s", prompt, prompt == 1 ? "" : "s");
    if (steps)
        ret_history->words = met_format_text(h.arena, "%s and %" PRIu64 " step%s", ret_history->words, steps, steps == 1 ? "" : "s");
    return true;
}
