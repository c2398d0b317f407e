/* Weights: exponentials, by how much their exponents are off, and what becomes of them in other formats. */
#include <math.h>

#include "budget/analysis_mean.h"

#define INF ((double)INFINITY)

double *met_way_of(met_running *r, uint32_t way)
{
    return way == 0 ? &r->error : &r->channel[way - 1];
}

uint32_t met_ways_of(const met_pass *pass)
{
    return 1 + pass->a->channels;
}

double met_times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

int64_t met_means_place(const met_loop *loop, const met_reader *reader)
{
    return reader->shift + met_linear_at(loop, &reader->offset);
}

met_edge_error *met_edge_in(const met_pass *pass, uint32_t input)
{
    return &pass->a->edges[pass->loop->node->ins[input].id];
}

double *met_means_array(const met_pass *pass)
{
    return MET_NEW_ARRAY(pass->a->scratch, double, pass->a->run->elements[pass->loop->node->outs[0].id]);
}

bool met_is_input(const met_scalar *e)
{
    return e->kind == MET_SCALAR_INPUT;
}

const met_edge_weights *met_weights_in(const met_pass *pass, uint32_t input)
{
    const met_edge_weights *weights = met_edge_in(pass, input)->weights;
    return weights && !weights->moved ? weights : NULL;
}

/* λ of e^x, 2^x or of a weight that is scaled by a power of two, without the rounding of the result; that is *ret_rounding. */
static bool exponent_of(const met_pass *pass, const met_scalar *e, double value, met_running *ret_log, double *ret_rounding)
{
    if (e->kind != MET_SCALAR_CALL)
        return false;
    bool natural = e->fn == MET_FN_exp || e->fn == MET_FN_expp, binary = e->fn == MET_FN_exp2 || e->fn == MET_FN_exp2p;
    *ret_rounding = met_function_rounding(e->fn, pass->in.wide, value);
    if (natural || binary) {
        *ret_log = met_formula_run(&pass->in, e->arguments[0]);
        for (uint32_t w = 0; w < met_ways_of(pass); w++)
            *met_way_of(ret_log, w) = met_budget_up(*met_way_of(ret_log, w) * (natural ? 1 : 0.69314718055994540));
        return e->fn != MET_FN_exp2p || fabs(ret_log->value) <= 0.5;
    }
    if (e->fn != MET_FN_ldexp || e->arguments[0]->kind != MET_SCALAR_INPUT)
        return false;
    const met_edge_weights *from = met_weights_in(pass, e->arguments[0]->input);
    met_running by = met_formula_run(&pass->in, e->arguments[1]);
    if (!from || from->lost > 0 || by.error != 0 || by.value == -INF)
        return false;
    int64_t at = met_means_place(pass->loop, &pass->loop->in[e->arguments[0]->input]);
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        *met_way_of(ret_log, w) = from->ratio[w][at];
    return true;
}

static met_edge_weights *new_weights(const met_pass *pass, uint32_t edge)
{
    met_edge_weights *weights = MET_NEW(pass->a->scratch, met_edge_weights);
    weights->edge = edge;
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        weights->ratio[w] = met_means_array(pass);
    return weights;
}

/* Weights as another format has them, as they are behind a deferred division. */
static void copy_weight(const met_pass *pass, const met_edge_weights *from, int64_t of, double before)
{
    const met_loop *loop = pass->loop;
    met_edge_error *e = &pass->a->edges[loop->node->outs[0].id];
    int64_t at = met_linear_at(loop, &loop->out[0].offset);
    if (!e->weights) {
        e->weights = new_weights(pass, from->edge);
        e->weights->change = met_means_array(pass);
    }
    e->weights->moved = e->weights->moved || of != at;
    e->weights->lost = from->lost;
    e->weights->change[at] = fabs(loop->out[0].values[at] - before) + (from->change ? from->change[of] : 0);
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        e->weights->ratio[w][at] = from->ratio[w][of];
}

void met_means_weigh(met_pass *pass, double before)
{
    met_loop *loop = pass->loop;
    met_edge_id edge = loop->node->outs[0];
    met_edge_error *e = &pass->a->edges[edge.id];
    const met_scalar *formula = loop->form.e;
    met_running log = { 0 };
    double rounding;
    if (loop->form.form != MET_FORM_FOLD)
        return;
    if (formula->kind == MET_SCALAR_INPUT && met_weights_in(pass, formula->input) && !loop->in[formula->input].checked)
        copy_weight(pass, met_weights_in(pass, formula->input), met_means_place(loop, &loop->in[formula->input]), before);
    if (!exponent_of(pass, formula, before, &log, &rounding))
        return;
    int64_t at = met_linear_at(loop, &loop->out[0].offset);
    double stored = loop->out[0].values[at];
    rounding = met_budget_up(rounding + met_edge_rounding(pass, 0, at, stored, &before));
    e->weights = e->weights ? e->weights : new_weights(pass, edge.id);
    e->weights->moved = e->weights->moved || log.open;
    if (rounding <= stored / 64) { /* −ln(1 − r) ≤ r/(1 − r) */
        double own = met_budget_up(rounding / (stored - rounding));
        log.error += own;
        log.channel[0] += own;
    } else {
        e->weights->lost = fmax(e->weights->lost, isfinite(stored) ? rounding : INF);
    }
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        e->weights->ratio[w][at] = *met_way_of(&log, w);
}
