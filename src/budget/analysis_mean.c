/* What is not independent: weighted means and normalizers. A quotient Σwv/Σw of sums over the same weights, as softmax is behind
 * a contraction once its division is deferred, lies among the v whatever the weights are; a number over the root mean square of n
 * numbers of which it is one is at most √n. Boxes of numerator and denominator know neither.
 *
 * Weights are exponentials, so what their exponents are off by is a factor e^θ. With |θ_j| ≤ λ_j, and R the range of the v_j,
 * dM/ds of M(s) = Σ w_j e^(sθ_j) v_j / Σ w_j e^(sθ_j) is the covariance of θ and v under the weights, at most
 * max λ · R/2 (two standard deviations, Popoviciu). So the mean moves by at most that, and by at most R, and by what a v does. */
#include <math.h>

#include "budget/analysis.h"

#define INF ((double)INFINITY)

enum { DIMS = 3, WAYS = 1 + MET_BUDGET_CHANNELS }; /* the error, and the channels */

typedef struct met_edge_weights {
    double *ratio[WAYS]; /* by element: λ */
    double lost;         /* what rounding may take from a weight that is too small for a relative error */
    uint32_t edge;       /* where they were made: this one, or that of which this is a copy in another format … */
    double *change;      /* … which changes them by this; NULL: not */
    bool moved;          /* a copy that is arranged in another way, or there may be no real weight: nothing is said of it */
} met_edge_weights;

/* Where a sum goes through its array. */
typedef struct walk {
    uint32_t edge; /* of it */
    uint32_t dims;
    int64_t step[DIMS], size[DIMS];
} walk;

typedef struct met_edge_sum {
    walk over;
    enum { WEIGHTS, PRODUCTS, SQUARES, ROOT } kind;
    double count;        /* ROOT: what the sum of squares was divided by */
    int64_t *start;      /* by element: where in the array its terms begin, */
    uint64_t *terms;     /* how many there are, */
    double *rounding;    /* what the sum's own rounding may be; */
    double *moved[WAYS]; /* of PRODUCTS how far the mean moves, of WEIGHTS the largest λ */
} met_edge_sum;

static double *way_of(met_running *r, uint32_t way)
{
    return way == 0 ? &r->error : &r->channel[way - 1];
}

static uint32_t ways_of(const met_pass *pass)
{
    return 1 + pass->a->channels;
}

static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static int64_t place(const met_loop *loop, const met_reader *reader)
{
    return reader->shift + met_linear_at(loop, &reader->offset);
}

static met_edge_error *edge_in(const met_pass *pass, uint32_t input)
{
    return &pass->a->edges[pass->loop->node->ins[input].id];
}

static double *new_array(const met_pass *pass)
{
    return MET_NEW_ARRAY(pass->a->scratch, double, pass->a->run->elements[pass->loop->node->outs[0].id]);
}

/* --- Weights --- */

static const met_edge_weights *weights_in(const met_pass *pass, uint32_t input)
{
    const met_edge_weights *weights = edge_in(pass, input)->weights;
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
        for (uint32_t w = 0; w < ways_of(pass); w++)
            *way_of(ret_log, w) = met_budget_up(*way_of(ret_log, w) * (natural ? 1 : 0.69314718055994540));
        return e->fn != MET_FN_exp2p || fabs(ret_log->value) <= 0.5;
    }
    if (e->fn != MET_FN_ldexp || e->arguments[0]->kind != MET_SCALAR_INPUT)
        return false;
    const met_edge_weights *from = weights_in(pass, e->arguments[0]->input);
    met_running by = met_formula_run(&pass->in, e->arguments[1]);
    if (!from || by.error != 0 || by.value == -INF)
        return false;
    int64_t at = place(pass->loop, &pass->loop->in[e->arguments[0]->input]);
    for (uint32_t w = 0; w < ways_of(pass); w++)
        *way_of(ret_log, w) = from->ratio[w][at];
    return true;
}

static met_edge_weights *new_weights(const met_pass *pass, uint32_t edge)
{
    met_edge_weights *weights = MET_NEW(pass->a->scratch, met_edge_weights);
    weights->edge = edge;
    for (uint32_t w = 0; w < ways_of(pass); w++)
        weights->ratio[w] = new_array(pass);
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
        e->weights->change = new_array(pass);
    }
    e->weights->moved = e->weights->moved || of != at;
    e->weights->lost = from->lost;
    e->weights->change[at] = fabs(loop->out[0].values[at] - before) + (from->change ? from->change[of] : 0);
    for (uint32_t w = 0; w < ways_of(pass); w++)
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
    if (formula->kind == MET_SCALAR_INPUT && weights_in(pass, formula->input) && !loop->in[formula->input].checked)
        copy_weight(pass, weights_in(pass, formula->input), place(loop, &loop->in[formula->input]), before);
    if (!exponent_of(pass, formula, before, &log, &rounding))
        return;
    int64_t at = met_linear_at(loop, &loop->out[0].offset);
    double stored = loop->out[0].values[at];
    rounding = met_budget_up(rounding + met_edge_rounding(pass, edge, stored, &before));
    e->weights = e->weights ? e->weights : new_weights(pass, edge.id);
    e->weights->moved = e->weights->moved || log.open;
    if (rounding <= stored / 64) { /* −ln(1 − r) ≤ r/(1 − r) */
        double own = met_budget_up(rounding / (stored - rounding));
        log.error += own;
        log.channel[0] += own;
    } else {
        e->weights->lost = fmax(e->weights->lost, isfinite(stored) ? rounding : INF);
    }
    for (uint32_t w = 0; w < ways_of(pass); w++)
        e->weights->ratio[w][at] = *way_of(&log, w);
}

/* --- Sums --- */

static bool is_input(const met_scalar *e)
{
    return e->kind == MET_SCALAR_INPUT;
}

/* The array whose elements a sum has, each once: false if it goes over some of them twice or may go outside. */
static bool walk_of(const met_loop *loop, uint32_t input, walk *ret_walk)
{
    const met_reader *reader = &loop->in[input];
    *ret_walk = (walk){ .edge = loop->node->ins[input].id };
    for (uint32_t k = 0; k < loop->fold_count; k++) {
        uint32_t index = loop->folded[k];
        if (loop->size[index] == 1)
            continue;
        if (reader->offset.by[index] == 0 || ret_walk->dims == DIMS)
            return false;
        ret_walk->step[ret_walk->dims] = reader->offset.by[index];
        ret_walk->size[ret_walk->dims++] = loop->size[index];
    }
    return !reader->checked && !reader->round;
}

static bool same_walk(const walk *a, const walk *b)
{
    bool same = a->edge == b->edge && a->dims == b->dims;
    for (uint32_t k = 0; same && k < a->dims; k++)
        same = a->step[k] == b->step[k] && a->size[k] == b->size[k];
    return same;
}

/* Whether the element at `at` is a term of the sum that begins at `start`: of sums along one direction alone. */
static bool is_on(const walk *w, int64_t start, int64_t at)
{
    if (w->dims != 1)
        return w->dims == 0 && at == start;
    int64_t away = at - start;
    return away % w->step[0] == 0 && away / w->step[0] >= 0 && away / w->step[0] < w->size[0];
}

/* What a fold is a sum of: weights alone, weights times something, squares. False if of none. */
static bool classify(const met_pass *pass, bool product, met_edge_sum *ret_sum, uint32_t *ret_weight, uint32_t *ret_value)
{
    const met_loop *loop = pass->loop;
    const met_scalar *e = loop->form.e;
    /* a square is rounded by itself, but only what it is counts */
    product = product || (e->kind == MET_SCALAR_CALL && e->fn == MET_FN_mul && met_scalar_equal(e->arguments[0], e->arguments[1]));
    const met_scalar *a = product ? e->arguments[0] : e, *b = product ? e->arguments[1] : e;
    if (loop->form.form != MET_FORM_FOLD || loop->form.monoid != MET_MONOID_ADD || !is_input(a) || !is_input(b))
        return false;
    *ret_sum = (met_edge_sum){ .kind = !product ? WEIGHTS : met_scalar_equal(a, b) ? SQUARES : PRODUCTS };
    bool first = ret_sum->kind == SQUARES || weights_in(pass, a->input);
    *ret_weight = first ? a->input : b->input;
    *ret_value = first ? b->input : a->input;
    const met_edge_weights *weights = weights_in(pass, *ret_weight);
    if ((ret_sum->kind != SQUARES && !weights) || !walk_of(loop, *ret_weight, &ret_sum->over))
        return false;
    ret_sum->over.edge = ret_sum->kind == SQUARES ? ret_sum->over.edge : weights->edge;
    return true;
}

static met_edge_sum *new_sum(const met_pass *pass, const met_edge_sum *like)
{
    met_edge_sum *sum = met_arena_copy(pass->a->scratch, like, 1, sizeof *like);
    uint64_t count = pass->a->run->elements[pass->loop->node->outs[0].id];
    sum->start = MET_NEW_ARRAY(pass->a->scratch, int64_t, count);
    sum->terms = MET_NEW_ARRAY(pass->a->scratch, uint64_t, count);
    sum->rounding = new_array(pass);
    for (uint32_t w = 0; w < ways_of(pass); w++)
        sum->moved[w] = new_array(pass);
    return sum;
}

/* The terms of one sum. */
typedef struct terms {
    uint64_t count;
    double total;        /* of weights as they were made */
    double changed;      /* Σ change of a weight·|value|, and in a sum of weights alone Σ change */
    double low, high;    /* of values */
    met_running log, value; /* largest λ, largest change of a value */
} terms;

static void keep_larger(const met_pass *pass, met_running *most, met_running *r)
{
    for (uint32_t w = 0; w < ways_of(pass); w++)
        *way_of(most, w) = fmax(*way_of(most, w), *way_of(r, w));
}

static terms terms_of(met_pass *pass, uint32_t weight, uint32_t value, bool alone)
{
    met_loop *loop = pass->loop;
    const met_edge_weights *weights = edge_in(pass, weight)->weights;
    terms t = { .low = INF, .high = -INF };
    do {
        if (!met_pass_load(pass, true))
            continue;
        met_running v = pass->inputs[value], log = { 0 };
        int64_t at = place(loop, &loop->in[weight]);
        for (uint32_t w = 0; w < ways_of(pass); w++)
            *way_of(&log, w) = weights->ratio[w][at];
        t.count++;
        double change = weights->change ? weights->change[at] : 0;
        t.total += pass->inputs[weight].value - change;
        t.changed += change * (alone ? 1 : fabs(v.value));
        t.low = fmin(t.low, v.value);
        t.high = fmax(t.high, v.value);
        keep_larger(pass, &t.log, &log);
        keep_larger(pass, &t.value, &v);
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
    return t;
}

/* How far the exact mean of the values that are stored may be from that over the reals. */
static met_running mean_moves(const met_pass *pass, terms *t, double lost)
{
    double range = t->high - t->low, away = lost * (double)t->count;
    double least = t->total * (1 - (double)t->count * 0x1p-52) - away;
    double small = away == 0 ? 0 : least > 0 ? range * away / least : INF;
    met_running r = { 0 };
    for (uint32_t w = 0; w < ways_of(pass); w++) {
        double by_weights = times(*way_of(&t->log, w), range / 2);
        by_weights = w <= 1 ? fmin(by_weights + small, range) : by_weights;
        *way_of(&r, w) = met_budget_up(by_weights + *way_of(&t->value, w));
    }
    return r;
}

void met_means_sum(met_pass *pass, bool product)
{
    const met_loop *loop = pass->loop;
    met_edge_id edge = loop->node->outs[0];
    met_edge_error *e = &pass->a->edges[edge.id];
    met_edge_sum kind;
    uint32_t weight, value;
    if (!classify(pass, product, &kind, &weight, &value))
        return;
    met_edge_sum *sum = e->sum = e->sum ? e->sum : new_sum(pass, &kind);
    int64_t at = met_linear_at(loop, &loop->out[0].offset);
    sum->start[at] = place(loop, &loop->in[weight]);
    if (sum->kind == SQUARES)
        return;
    terms t = terms_of(pass, weight, value, sum->kind == WEIGHTS);
    met_running moved = sum->kind == PRODUCTS ? mean_moves(pass, &t, edge_in(pass, weight)->weights->lost) : t.log;
    sum->terms[at] = t.count;
    double changed = t.changed * (1 + (double)(t.count + 4) * 0x1p-52);
    sum->rounding[at] =
        met_budget_up(pass->rounding + changed + met_edge_rounding(pass, edge, loop->out[0].values[at], NULL));
    for (uint32_t w = 0; w < ways_of(pass); w++)
        sum->moved[w][at] = *way_of(&moved, w);
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
    if (e->kind != MET_SCALAR_CALL || e->fn != MET_FN_div || !is_input(e->arguments[0]) || !is_number(e->arguments[1]))
        return;
    const met_edge_sum *squares = edge_in(pass, e->arguments[0]->input)->sum;
    met_edge_error *out = &pass->a->edges[pass->loop->node->outs[0].id];
    if (!squares || squares->kind != SQUARES)
        return;
    if (!out->sum) {
        out->sum = new_sum(pass, squares);
        out->sum->kind = ROOT;
        out->sum->count = met_formula_run(&pass->in, e->arguments[1]).value;
    }
    int64_t at = met_linear_at(pass->loop, &pass->loop->out[0].offset);
    out->sum->start[at] = squares->start[place(pass->loop, &pass->loop->in[e->arguments[0]->input])];
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
    if (!same || products->kind != PRODUCTS || !same_walk(&products->over, &q->sum->over))
        return;
    double size = fabs(r->value) * (1 + 0x1p-20) + 0x1p-140; /* of the quotient before it was rounded */
    double own = met_budget_up((products->rounding[q->over] + size * q->sum->rounding[q->under]) / q->least + q->own);
    met_running by = { 0 };
    for (uint32_t w = 0; w < ways_of(q->pass); w++)
        *way_of(&by, w) = met_budget_up(products->moved[w][q->over] + (w <= 1 ? own : 0));
    r->open = false; /* exponentials have a sum that is not 0 */
    improve(q->pass, r, &by);
}

/* A share p = w/Σw: dp = p·((1 − p)θ − Σ of the others' p·θ), at most p(1 − p)·2λ ≤ λ/2; and at most 1. */
static void share(const quotient *q, const met_edge_weights *weights, met_running *r)
{
    double lost = weights->lost, away = lost * (double)q->sum->terms[q->under], low = q->least - away;
    double own = away == 0 ? 0 : low > 0 ? 2 * (lost + away) / low : INF, size = fabs(r->value) * (1 + 0x1p-20);
    own = met_budget_up(own + size * q->sum->rounding[q->under] / q->least + q->own);
    double both = weights->ratio[0][q->over] + q->sum->moved[0][q->under], growth = both > 0 ? expm1(both) / both : 1;
    met_running by = { 0 };
    for (uint32_t w = 0; w < ways_of(q->pass); w++) {
        double all = q->sum->moved[w][q->under], near = size * growth * (weights->ratio[w][q->over] + all) * (1 + 0x1p-40);
        double moves = isnan(near) ? all / 2 : fmin(all / 2, near);
        *way_of(&by, w) = met_budget_up(moves + (w <= 1 ? own : 0));
    }
    r->open = false;
    improve(q->pass, r, &by);
    met_running_cap(r, 1);
}

void met_means_quotient(const void *asked, uint32_t over, uint32_t under, met_running *r)
{
    const met_pass *pass = asked;
    const met_loop *loop = pass->loop;
    const met_edge_error *numerator = edge_in(pass, over), *denominator = edge_in(pass, under);
    quotient q = { .pass = pass, .sum = denominator->sum };
    if (!q.sum || numerator->open || denominator->open || loop->in[over].checked || loop->in[under].checked || !isfinite(r->value))
        return;
    q.over = place(loop, &loop->in[over]);
    q.under = place(loop, &loop->in[under]);
    bool within = loop->node->ins[over].id == q.sum->over.edge && is_on(&q.sum->over, q.sum->start[q.under], q.over);
    if (q.sum->kind == ROOT && within)
        met_running_cap(r, sqrt(q.sum->count) * (1 + 0x1p-20));
    if (q.sum->kind != WEIGHTS)
        return;
    q.least = pass->inputs[under].value - q.sum->rounding[q.under];
    q.own = met_function_rounding(MET_FN_div, pass->in.wide, r->value);
    if (!(q.least > 0))
        return;
    if (within && weights_in(pass, over))
        share(&q, weights_in(pass, over), r);
    else if (numerator->sum)
        mean(&q, numerator->sum, r);
}
