/* Quotients of sums that know what they are sums of: means, shares, and numbers over a root mean square. A number over the root
 * mean square of n numbers of which it is one is at most √n. */
#include <math.h>

#include "budget/analysis_mean.h"

#define INF ((double)INFINITY)

static bool same_walk(const met_walk *a, const met_walk *b)
{
    bool same = a->edge == b->edge && a->dims == b->dims;
    for (uint32_t k = 0; same && k < a->dims; k++)
        same = a->step[k] == b->step[k] && a->size[k] == b->size[k];
    return same;
}

/* Whether the element at `at` is a term of the sum that begins at `start`: of sums along one direction alone. */
static bool is_on(const met_walk *w, int64_t start, int64_t at)
{
    if (w->dims != 1)
        return w->dims == 0 && at == start;
    int64_t away = at - start;
    return away % w->step[0] == 0 && away / w->step[0] >= 0 && away / w->step[0] < w->size[0];
}

static bool is_number(const met_scalar *e)
{
    return e->kind == MET_SCALAR_NUMBER || e->kind == MET_SCALAR_SIZE;
}

/* √(sum/count + what is not negative) */
void met_means_root(met_pass *pass)
{
    const met_scalar *e = pass->loop->form.e;
    if (pass->loop->form.form != MET_FORM_FOLD || e->kind != MET_SCALAR_CALL || e->fn != MET_FN_sqrt)
        return;
    e = e->arguments[0];
    bool more = e->kind == MET_SCALAR_CALL && e->fn == MET_FN_add && e->arguments[1]->kind == MET_SCALAR_NUMBER;
    if (more && !(e->arguments[1]->number >= 0))
        return;
    e = more ? e->arguments[0] : e;
    if (e->kind != MET_SCALAR_CALL || e->fn != MET_FN_div || !met_is_input(e->arguments[0]) || !is_number(e->arguments[1]))
        return;
    const met_edge_sum *squares = met_edge_in(pass, e->arguments[0]->input)->sum;
    met_edge_error *out = &pass->a->edges[pass->loop->node->outs[0].id];
    if (!squares || squares->kind != MET_SUM_SQUARES)
        return;
    if (!out->sum) {
        out->sum = met_means_new_sum(pass, squares);
        out->sum->kind = MET_SUM_ROOT;
        out->sum->count = met_formula_run(&pass->in, e->arguments[1]).value;
    }
    int64_t at = met_linear_at(pass->loop, &pass->loop->out[0].offset);
    out->sum->start[at] = squares->start[met_means_place(pass->loop, &pass->loop->in[e->arguments[0]->input])];
}

/* --- Quotients --- */

typedef struct quotient {
    const met_pass *pass;
    const met_edge_sum *sum; /* the divisor */
    int64_t over, under;     /* elements */
    double least;            /* what the exact sum of its terms is at least */
    double own;              /* rounding of the division */
} quotient;

/* Takes the better one of two bounds with their channels. */
static void improve(const met_pass *pass, met_running *r, const met_running *by)
{
    if (!(by->error < r->error))
        return;
    r->error = by->error;
    for (uint32_t k = 0; k < pass->a->channels; k++)
        r->channel[k] = by->channel[k];
}

static void mean(const quotient *q, const met_edge_sum *products, met_running *r)
{
    bool same = products->terms[q->over] == q->sum->terms[q->under] && products->start[q->over] == q->sum->start[q->under];
    if (!same || products->kind != MET_SUM_PRODUCTS || !same_walk(&products->over, &q->sum->over))
        return;
    double size = fabs(r->value) * (1 + 0x1p-20) + 0x1p-140; /* of the quotient before it was rounded */
    double own = met_budget_up((products->rounding[q->over] + size * q->sum->rounding[q->under]) / q->least + q->own);
    met_running by = { 0 };
    for (uint32_t w = 0; w < met_ways_of(q->pass); w++)
        *met_way_of(&by, w) = met_budget_up(products->moved[w][q->over] + (w <= 1 ? own : 0));
    r->open = false; /* exponentials have a sum that is not 0 */
    improve(q->pass, r, &by);
}

/* A share p = w/Σw: dp = p·((1 − p)θ − Σ of the others' p·θ), at most p(1 − p)·2λ ≤ λ/2; and at most 1. */
static void share(const quotient *q, const met_edge_weights *weights, met_running *r)
{
    double lost = weights->lost, away = lost * (double)q->sum->terms[q->under], low = q->least - away;
    double own = away == 0 ? 0 : low > 0 ? 2 * (lost + away) / low : INF, size = fabs(r->value) * (1 + 0x1p-20);
    own = met_budget_up(own + size * q->sum->rounding[q->under] / q->least + q->own);
    size += own; /* as the weights that were computed have it */
    double growth = exp(weights->ratio[0][q->over] + q->sum->common[0][q->under]) * (1 + 0x1p-40);
    met_running by = { 0 };
    for (uint32_t w = 0; w < met_ways_of(q->pass); w++) {
        double all = q->sum->moved[w][q->under], near = w == 0 ? size * (growth - 1)
                                                               : size * growth * (weights->ratio[w][q->over] + q->sum->common[w][q->under]);
        double moves = fmin(all / 2, near * (1 + 0x1p-36)); /* where the second is no number, the first */
        *met_way_of(&by, w) = met_budget_up(moves + (w <= 1 ? own : 0));
    }
    r->open = false;
    improve(q->pass, r, &by);
    met_running_cap(r, 1);
}

void met_means_quotient(const void *asked, uint32_t over, uint32_t under, met_running *r)
{
    const met_pass *pass = asked;
    const met_loop *loop = pass->loop;
    const met_edge_error *numerator = met_edge_in(pass, over), *denominator = met_edge_in(pass, under);
    quotient q = { .pass = pass, .sum = denominator->sum };
    if (!q.sum || numerator->open || denominator->open || loop->in[over].checked || loop->in[under].checked || !isfinite(r->value))
        return;
    q.over = met_means_place(loop, &loop->in[over]);
    q.under = met_means_place(loop, &loop->in[under]);
    bool within = loop->node->ins[over].id == q.sum->over.edge && is_on(&q.sum->over, q.sum->start[q.under], q.over);
    if (q.sum->kind == MET_SUM_ROOT && within)
        met_running_cap(r, sqrt(q.sum->count) * (1 + 0x1p-20));
    if (q.sum->kind != MET_SUM_WEIGHTS)
        return;
    q.least = pass->inputs[under].value - q.sum->rounding[q.under];
    q.own = met_function_rounding(MET_FN_div, pass->in.wide, r->value);
    if (!(q.least > 0))
        return;
    if (within && met_weights_in(pass, over))
        share(&q, met_weights_in(pass, over), r);
    else if (numerator->sum)
        mean(&q, numerator->sum, r);
}
