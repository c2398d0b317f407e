/* What is not independent: weighted means. A quotient Σwv/Σw of sums over the same weights, as softmax is behind a contraction once
 * its division is deferred, lies among the v whatever the weights are. Boxes of numerator and denominator do not know that.
 *
 * Weights are exponentials, so what their exponents are off by is a factor e^θ, |θ_j| ≤ λ_j. With p_j the share of weight j as it
 * was computed, c any number, and R the range of the v:
 *
 * - The mean moves by Σ (p′_j − p_j)·(v_j − c), and p′_j/p_j = e^θ_j / Σ p e^θ lies within e^±(λ_j + Λ), Λ = ln Σ p_j e^λ_j (the
 *   sum is at least Σ p e^−λ ≥ 1/Σ p e^λ): so by at most Σ p_j (e^(λ_j + Λ) − 1)·|v_j − c|. Little, where one weight is nearly all.
 * - dM/ds of M(s) = Σ w_j e^(sθ_j) v_j / Σ w_j e^(sθ_j) is the covariance of θ and v under the weights: at most max λ · R/2 (two
 *   standard deviations, Popoviciu), and at most Σ p_j e^(λ_j + Λ)·|θ_j|·|v_j − M|, c being M(0) or
 *   known to be near it, and M no further from that than it moves.
 * - It stays within R. What a v is off by counts with its weight, at most p_j e^(λ_j + Λ). */
#include <math.h>

#include "budget/analysis_mean.h"

#define INF ((double)INFINITY)
/* Above what a fold of doubles and a few functions of the C library lose. */
#define SLACK (1 + 0x1p-36)

/* The array whose elements a sum has, each once: false if it goes over some of them twice or may go outside. */
static bool walk_of(const met_loop *loop, uint32_t input, met_walk *ret_walk)
{
    const met_reader *reader = &loop->in[input];
    *ret_walk = (met_walk){ .edge = loop->node->ins[input].id };
    for (uint32_t k = 0; k < loop->fold_count; k++) {
        uint32_t index = loop->folded[k];
        if (loop->size[index] == 1)
            continue;
        if (reader->offset.by[index] == 0 || ret_walk->dims == MET_MEAN_DIMS)
            return false;
        ret_walk->step[ret_walk->dims] = reader->offset.by[index];
        ret_walk->size[ret_walk->dims++] = loop->size[index];
    }
    return !reader->checked && !reader->round;
}

/* What a fold is a sum of: weights alone, weights times something, squares. False if of none. */
static bool classify(const met_pass *pass, bool product, met_edge_sum *ret_sum, uint32_t *ret_weight, uint32_t *ret_value)
{
    const met_loop *loop = pass->loop;
    const met_scalar *e = loop->form.e;
    /* a square is rounded by itself, but only what it is counts */
    product = product || (e->kind == MET_SCALAR_CALL && e->fn == MET_FN_mul && met_scalar_equal(e->arguments[0], e->arguments[1]));
    const met_scalar *a = product ? e->arguments[0] : e, *b = product ? e->arguments[1] : e;
    if (loop->form.form != MET_FORM_FOLD || loop->form.monoid != MET_MONOID_ADD || !met_is_input(a) || !met_is_input(b))
        return false;
    *ret_sum = (met_edge_sum){ .kind = !product ? MET_SUM_WEIGHTS : met_scalar_equal(a, b) ? MET_SUM_SQUARES : MET_SUM_PRODUCTS };
    bool first = ret_sum->kind == MET_SUM_SQUARES || met_weights_in(pass, a->input);
    *ret_weight = first ? a->input : b->input;
    *ret_value = first ? b->input : a->input;
    const met_edge_weights *weights = met_weights_in(pass, *ret_weight);
    if ((ret_sum->kind != MET_SUM_SQUARES && !weights) || !walk_of(loop, *ret_weight, &ret_sum->over))
        return false;
    ret_sum->over.edge = ret_sum->kind == MET_SUM_SQUARES ? ret_sum->over.edge : weights->edge;
    return true;
}

met_edge_sum *met_means_new_sum(const met_pass *pass, const met_edge_sum *like)
{
    met_edge_sum *sum = met_arena_copy(pass->a->scratch, like, 1, sizeof *like);
    uint64_t count = pass->a->run->elements[pass->loop->node->outs[0].id];
    sum->start = MET_NEW_ARRAY(pass->a->scratch, int64_t, count);
    sum->terms = MET_NEW_ARRAY(pass->a->scratch, uint64_t, count);
    sum->rounding = met_means_array(pass);
    for (uint32_t w = 0; w < met_ways_of(pass); w++) {
        sum->moved[w] = met_means_array(pass);
        sum->common[w] = met_means_array(pass);
    }
    return sum;
}

/* --- How far a mean moves --- */

typedef struct met_mean_term {
    double read, unsure; /* the weight, and how far it may be from as it was made, with what was lost of it */
    double weight;       /* the most of that */
    double value;
    met_running log;     /* λ; by channel for a unit change */
    met_running moved;   /* of the value */
} term;

typedef struct terms {
    uint64_t count;
    term *at;
    double total;        /* of weights as they were made: at least */
    double changed;      /* Σ change of a weight·|value|, and in a sum of weights alone Σ change */
    double low, high;    /* of values */
    met_running log, value; /* largest λ, largest change of a value */
    met_running common;  /* Λ; by channel Σ p_j e^(λ_j + Λ) λ_j */
    double least;        /* of the sum of weights with what was lost */
} terms;

static void keep_larger(const met_pass *pass, met_running *most, met_running *r)
{
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        *met_way_of(most, w) = fmax(*met_way_of(most, w), *met_way_of(r, w));
}

static void take_term(met_pass *pass, terms *t, uint32_t weight, uint32_t value, bool alone)
{
    const met_loop *loop = pass->loop;
    const met_edge_weights *weights = met_edge_in(pass, weight)->weights;
    int64_t at = met_means_place(loop, &loop->in[weight]);
    double change = weights->change ? weights->change[at] : 0, made = pass->inputs[weight].value;
    term *one = &t->at[t->count++];
    *one = (term){ .read = made, .unsure = change + weights->lost, .weight = made + change + weights->lost, .value = pass->inputs[value].value, .moved = pass->inputs[value] };
    for (uint32_t w = 0; w < met_ways_of(pass); w++)
        *met_way_of(&one->log, w) = weights->ratio[w][at];
    t->total += made - change;
    t->changed += change * (alone ? 1 : fabs(one->value));
    t->low = fmin(t->low, one->value);
    t->high = fmax(t->high, one->value);
    keep_larger(pass, &t->log, &one->log);
    keep_larger(pass, &t->value, &one->moved);
}

/* At most p_j e^(λ_j + Λ), or with `less` of 1 that without p_j. */
static double share_of(const terms *t, const term *one, double less)
{
    return met_times(one->weight / t->least, (exp(one->log.error + t->common.error) - less) * SLACK);
}

static void find_common(const met_pass *pass, terms *t)
{
    double sum = 0;
    for (uint64_t i = 0; i < t->count; i++)
        sum += met_times(t->at[i].weight / t->least, exp(t->at[i].log.error));
    double common = log(sum) + 0x1p-36;
    t->common.error = common < t->log.error ? common : t->log.error; /* a mean of e^λ is at most the largest */
    for (uint32_t w = 1; w < met_ways_of(pass); w++) {
        double all = 0;
        for (uint64_t i = 0; i < t->count; i++)
            all += met_times(share_of(t, &t->at[i], 0), *met_way_of(&t->at[i].log, w));
        *met_way_of(&t->common, w) = all * SLACK;
    }
}

static terms terms_of(met_pass *pass, term *room, uint32_t weight, uint32_t value, bool alone)
{
    met_loop *loop = pass->loop;
    terms t = { .low = INF, .high = -INF, .at = room };
    do {
        if (met_pass_load(pass, true))
            take_term(pass, &t, weight, value, alone);
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
    double away = met_edge_in(pass, weight)->weights->lost * (double)t.count;
    t.least = fmax(t.total * (1 - (double)t.count * 0x1p-52) - away, 0);
    find_common(pass, &t);
    return t;
}

/* The mean of the values with the weights as they are read, and how far that of weights as they were made may be from it. */
static double center_of(const terms *t, double *ret_away)
{
    double weights = 0, sum = 0, away = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        weights += t->at[i].read;
        sum += t->at[i].read * t->at[i].value;
    }
    for (uint64_t i = 0; i < t->count; i++)
        away += met_times(t->at[i].unsure / t->least, fabs(t->at[i].value - sum / weights));
    *ret_away = away * SLACK + 0x1p-36 * fmax(fabs(t->low), fabs(t->high));
    return sum / weights;
}

/* How far the exact mean of the values that are stored may be from that over the reals. */
static met_running mean_moves(const met_pass *pass, terms *t, double lost)
{
    double range = t->high - t->low, away = lost * (double)t->count;
    double small = away == 0 ? 0 : t->least > 0 ? range * away / t->least : INF;
    double center_away, center = center_of(t, &center_away), near = 0;
    for (uint64_t i = 0; i < t->count; i++)
        near += met_times(share_of(t, &t->at[i], 1), fabs(t->at[i].value - center));
    near = fmin(fmin(near * SLACK, met_times(t->log.error, range / 2)) + small, range);
    met_running r = { 0 };
    for (uint32_t w = 0; w < met_ways_of(pass); w++) {
        double by_weights = 0, by_values = 0;
        for (uint64_t i = 0; i < t->count; i++) {
            double share = share_of(t, &t->at[i], 0), away_from = fabs(t->at[i].value - center) + center_away + near;
            by_weights += met_times(met_times(share, *met_way_of(&t->at[i].log, w)), away_from);
            by_values += met_times(share, *met_way_of(&t->at[i].moved, w));
        }
        by_weights = fmin(by_weights * SLACK, met_times(*met_way_of(&t->log, w), range / 2));
        by_weights = w <= 1 ? fmin(by_weights + small, w == 0 ? near : range) : by_weights;
        *met_way_of(&r, w) = met_budget_up(by_weights + fmin(by_values * SLACK, *met_way_of(&t->value, w)));
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
    met_edge_sum *sum = e->sum = e->sum ? e->sum : met_means_new_sum(pass, &kind);
    int64_t at = met_linear_at(loop, &loop->out[0].offset);
    sum->start[at] = met_means_place(loop, &loop->in[weight]);
    if (sum->kind == MET_SUM_SQUARES)
        return;
    if (!sum->room)
        sum->room = MET_NEW_ARRAY(pass->a->scratch, term, pass->a->terms);
    terms t = terms_of(pass, sum->room, weight, value, sum->kind == MET_SUM_WEIGHTS);
    met_running moved = sum->kind == MET_SUM_PRODUCTS ? mean_moves(pass, &t, met_edge_in(pass, weight)->weights->lost) : t.log;
    sum->terms[at] = t.count;
    double changed = t.changed * (1 + (double)(t.count + 4) * 0x1p-52);
    sum->rounding[at] =
        met_budget_up(pass->rounding + changed + met_edge_rounding(pass, 0, at, loop->out[0].values[at], NULL));
    for (uint32_t w = 0; w < met_ways_of(pass); w++) {
        sum->moved[w][at] = *met_way_of(&moved, w);
        sum->common[w][at] = *met_way_of(&t.common, w);
    }
}
