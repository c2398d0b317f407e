/* Folds: what the terms bring, and what their record adds. */
#include <math.h>

#include "budget/analysis.h"

#define INF ((double)INFINITY)

/* What is folded at one element of the result. */
typedef struct folding {
    double sum;      /* of |terms| */
    double product;  /* of |terms|, of monoid MUL */
    double widened;  /* of |term| + error, likewise */
    double grown;    /* of what is above 1 of them */
    double largest;  /* |term| */
    double narrowed; /* what rounding terms before they are folded did */
    double floor;    /* of what the terms cannot fall below, if none is negative */
    double highest;  /* the largest of that, for a maximum */
    double factors;  /* of |factors|, for those that are flushed */
    bool certain;    /* OR: a term is certainly not 0 */
    met_running total;
    uint64_t terms;
} folding;

static void keep_larger(met_running *total, const met_running *term, uint32_t channels)
{
    total->error = fmax(total->error, term->error);
    total->open = total->open || term->open;
    for (uint32_t k = 0; k < channels; k++)
        total->channel[k] = fmax(total->channel[k], term->channel[k]);
}

void met_running_add(met_running *total, const met_running *term, uint32_t channels)
{
    total->error += term->error;
    total->open = total->open || term->open;
    for (uint32_t k = 0; k < channels; k++)
        total->channel[k] += term->channel[k];
}

/* A product that is a square is not negative. */
static double least_term(const met_scalar *e, const met_running *a, const met_running *b)
{
    double x = met_running_least(a), y = met_running_least(b);
    if (met_scalar_equal(e->arguments[0], e->arguments[1]))
        return met_running_least_square(a);
    return x >= 0 && y >= 0 ? x * y : -INF;
}

/* |a′b′ − ab| ≤ |b′|·|a′ − a| + |a|·|b′ − b|; the product itself is the fold's to round. */
met_running met_running_product(const met_running *a, const met_running *b, uint32_t channels)
{
    double of_a = fabs(b->value) + b->error, of_b = fabs(a->value);
    met_running r = { .value = a->value * b->value, .open = a->open || b->open };
    r.error = met_budget_amplified(of_a, a->error) + met_budget_amplified(of_b, b->error);
    for (uint32_t k = 0; k < channels; k++)
        r.channel[k] = met_budget_amplified(of_a, a->channel[k]) + met_budget_amplified(of_b, b->channel[k]);
    return r;
}

/* Whether terms are rounded before they are folded: those of a circuit in f64, along a record in f32. */
static bool narrows(const met_pass *pass)
{
    return pass->a->run->wide && pass->a->tree.precision == MET_F32;
}

static met_running leaf(const met_pass *pass, met_running r)
{
    double rounded = (double)(float)r.value, by = rounded == r.value ? 0 : fabs(rounded - r.value);
    if (!narrows(pass) || by == 0)
        return r;
    r.value = rounded;
    r.error = met_budget_up(r.error + by);
    r.channel[0] = met_budget_up(r.channel[0] + by);
    return r;
}

/* Of magnitudes: one that has no end leaves none, whatever the others are. */
static double factored(double a, double b)
{
    return isinf(a) || isinf(b) ? INF : a * b;
}

static void take(const met_pass *pass, folding *f, bool product)
{
    const met_scalar *e = pass->loop->form.e;
    uint32_t channels = pass->a->channels;
    met_running term;
    double least;
    if (product) {
        met_running x = met_formula_run(&pass->in, e->arguments[0]), a = leaf(pass, x);
        met_running y = met_formula_run(&pass->in, e->arguments[1]), b = leaf(pass, y);
        f->narrowed += fabs(y.value) * fabs(a.value - x.value) + fabs(a.value) * fabs(b.value - y.value);
        term = met_running_product(&a, &b, channels);
        least = least_term(e, &a, &b);
        f->factors += fabs(a.value) + fabs(b.value);
    } else {
        met_running x = met_formula_run(&pass->in, e);
        term = leaf(pass, x);
        f->narrowed += fabs(term.value - x.value);
        least = met_running_least(&term);
    }
    f->floor += least >= 0 ? least : -INF;
    f->highest = fmax(f->highest, least);
    f->terms++;
    f->sum += fabs(term.value);
    f->certain = f->certain || fabs(term.value) > term.error;
    f->product = factored(f->product, fabs(term.value));
    f->widened = factored(f->widened, fabs(term.value) + term.error);
    f->grown *= fmax(1, fabs(term.value) + term.error);
    f->largest = fmax(f->largest, fabs(term.value));
    if (pass->loop->form.monoid == MET_MONOID_ADD)
        met_running_add(&f->total, &term, channels);
    else
        keep_larger(&f->total, &term, channels);
}

/* --- Products of two arrays, row by row: what most of a model's work is --- */

/* An array along the innermost index that is folded. */
typedef struct row {
    const double *values;
    int64_t at, step;
    const met_edge_error *errors;
} row;

static bool is_plain(const met_pass *pass, const met_scalar *e)
{
    const met_loop *loop = pass->loop;
    if (loop->form.form != MET_FORM_FOLD || e->kind != MET_SCALAR_INPUT)
        return false;
    return !loop->in[e->input].checked && !loop->in[e->input].round;
}

static bool takes_rows(const met_pass *pass)
{
    const met_scalar *e = pass->loop->form.e;
    return !narrows(pass) && pass->loop->in_gates.count == 0 && pass->loop->node->in_count == 2 && is_plain(pass, e->arguments[0]) &&
           is_plain(pass, e->arguments[1]);
}

static row row_of(const met_pass *pass, const met_scalar *e)
{
    const met_loop *loop = pass->loop;
    const met_reader *reader = &loop->in[e->input];
    return (row){ reader->values, met_linear_at(loop, &reader->offset), reader->offset.by[loop->folded[loop->fold_count - 1]],
                  &pass->a->edges[loop->node->ins[e->input].id] };
}

/* A channel of the row, or with k < 0 its error: the array, or NULL where it is `*ret_all` everywhere. */
static const double *quantity(const row *r, int k, double *ret_all)
{
    *ret_all = k > 0 && (uint32_t)k == r->errors->unit ? 1 : 0;
    return k < 0 ? r->errors->error : r->errors->unit ? NULL : r->errors->channel[k];
}

/* Σ (|b| + error of b)·(of a) + |a|·(of b): as met_running_product has it. */
static double moved(const row *a, const row *b, int64_t count, int k)
{
    double all_a, all_b, sum = 0;
    const double *of_a = quantity(a, k, &all_a), *of_b = quantity(b, k, &all_b), *error = b->errors->error;
    if (!of_a && !of_b && all_a == 0 && all_b == 0)
        return 0;
    for (int64_t t = 0; t < count; t++) {
        int64_t i = a->at + t * a->step, j = b->at + t * b->step;
        double slope = fabs(b->values[j]) + (error ? error[j] : 0);
        sum += met_budget_amplified(slope, of_a ? of_a[i] : all_a) + met_budget_amplified(fabs(a->values[i]), of_b ? of_b[j] : all_b);
    }
    return sum;
}

static void take_row(const met_pass *pass, folding *f)
{
    const met_loop *loop = pass->loop;
    const met_scalar *e = loop->form.e;
    row a = row_of(pass, e->arguments[0]), b = row_of(pass, e->arguments[1]);
    int64_t count = loop->size[loop->folded[loop->fold_count - 1]];
    for (int64_t t = 0; t < count; t++) {
        double x = fabs(a.values[a.at + t * a.step]), y = fabs(b.values[b.at + t * b.step]);
        f->sum += x * y;
        f->factors += x + y;
    }
    f->floor = -INF;
    f->terms += (uint64_t)count;
    f->total.error += moved(&a, &b, count, -1);
    for (uint32_t k = 0; k < pass->a->channels; k++)
        f->total.channel[k] += moved(&a, &b, count, (int)k);
}

static void take_all(met_pass *pass, folding *f, bool product)
{
    met_loop *loop = pass->loop;
    bool rows = product && takes_rows(pass);
    pass->clear = true;
    do {
        if (rows)
            take_row(pass, f);
        else if (met_pass_load(pass, true)) {
            met_pass_look(pass);
            take(pass, f, product);
        }
    } while (met_loop_next(loop, loop->fold_count - rows, loop->folded));
}

/* --- Results --- */

double met_fold_share(const met_analysis *a)
{
    return a->lambda > 0 ? met_fold_probable_error(&a->fold, a->lambda, 1) : a->fold.relative;
}

/* What the record adds to a sum whose terms have a sum of magnitudes. */
static double sum_rounding(met_analysis *a, const met_fold_error *error, const folding *f)
{
    a->assumed = a->assumed || !error->known;
    if (!isfinite(f->sum))
        return INF;
    double absolute = error->absolute + (error->flushed_factors ? 0x1p-126 * f->factors : 0);
    if (a->lambda > 0 && error->one_sided)
        a->refused = true;
    a->folds++;
    /* the sum of magnitudes is itself a sum in double */
    double sum = f->sum * (1 + (double)f->terms * 0x1p-52);
    if (a->lambda > 0)
        return a->refused ? INF : met_budget_up(met_fold_probable_error(error, a->lambda, sum) + absolute);
    return met_budget_up(error->relative * sum + absolute);
}

/* Rounding is monotone: of all partial results the last alone counts. */
static double narrow_rounding(const met_tree *tree, double largest)
{
    met_limits store = met_dtype_limits((met_dtype)tree->store);
    return tree->store == tree->precision ? 0 : met_budget_up(store.unit_roundoff * largest + store.min_subnormal);
}

static met_running finish(met_pass *pass, const met_tree *tree, const met_fold_error *error, const folding *f)
{
    met_running r = f->total;
    double floor = -INF, slack = 1 + (double)(f->terms + 4) * 0x1p-52; /* sums of errors, in double */
    uint32_t channels = pass->a->channels;
    if (f->terms == 0)
        return (met_running){ .empty = true };
    switch (pass->loop->form.monoid) {
    case MET_MONOID_ADD: {
        double rounding = sum_rounding(pass->a, error, f);
        pass->rounding = met_budget_up(rounding + f->narrowed * slack);
        r.error = met_budget_up(r.error * slack + rounding);
        r.channel[0] = r.channel[0] * slack + rounding;
        for (uint32_t k = 0; k < channels; k++)
            r.channel[k] = met_budget_up(k ? r.channel[k] * slack : r.channel[k]);
        floor = f->floor * (2 - slack);
        break;
    }
    case MET_MONOID_MUL: {
        /* (1 + γ)·Π(|x| + e) − Π|x|; the change of one factor is multiplied by what the others may be */
        double most = f->widened * slack * (1 + error->relative);
        r.error = isinf(most) ? INF
                              : met_budget_up(most - f->product * (2 - slack) + met_budget_amplified(error->absolute, f->grown));
        for (uint32_t k = 0; k < channels; k++)
            r.channel[k] = k == 0 ? r.error : r.channel[k] > 0 ? INF : 0;
        break;
    }
    case MET_MONOID_OR:
        if (f->certain)
            return (met_running){ 0 };
        r.error = r.error > 0 ? 1 : 0;
        for (uint32_t k = 0; k < channels; k++)
            r.channel[k] = r.channel[k] > 0 ? (k ? INF : 1) : 0;
        break;
    default: {
        /* the largest moves by no more than the term that moves most; nothing rounds but what stores partial results */
        double rounding = narrow_rounding(tree, f->largest);
        floor = pass->loop->form.monoid == MET_MONOID_MAX ? f->highest : -INF;
        r.error = met_budget_up(r.error + rounding);
        r.channel[0] = met_budget_up(r.channel[0] + rounding);
    }
    }
    if (r.error > 0) {
        r.value = pass->loop->out[0].values[met_linear_at(pass->loop, &pass->loop->out[0].offset)];
        met_running_raise(&r, floor);
    }
    return r;
}

/* How often something certainly holds: small integers are added exactly, in every order. */
static bool is_count(const met_pass *pass, const folding *f)
{
    const met_tree *tree = &pass->a->tree;
    return pass->loop->form.monoid == MET_MONOID_ADD && met_formula_counts(pass->loop->form.e) && f->total.error == 0 && f->floor >= 0 &&
           f->sum < 0x1p24 && f->terms > 0 && tree->node == MET_NODE_ADD && tree->store == tree->precision;
}

void met_pass_fold(met_pass *pass)
{
    met_loop *loop = pass->loop;
    met_tree tree = met_loop_tree(loop);
    uint64_t n = 1;
    for (uint32_t k = 0; k < loop->fold_count; k++)
        n *= (uint64_t)loop->size[loop->folded[k]];
    const met_scalar *e = loop->form.e;
    bool product = loop->form.product && loop->form.monoid == MET_MONOID_ADD && e->kind == MET_SCALAR_CALL;
    met_fold_error error = met_fold_error_of(&tree, n, product || loop->form.monoid == MET_MONOID_MUL);
    static const met_running nothing = { .empty = true };
    met_analysis *a = pass->a;
    if (a->undeclared && a->undeclared[loop->node - a->run->circuit->nodes])
        error = met_fold_error_assumed((met_dtype)tree.precision, n);
    a->summed = loop->form.monoid == MET_MONOID_ADD;
    a->tree = tree;
    pass->wide = a->run->wide || tree.precision == MET_F64;
    a->fold = error;
    a->terms = n;
    a->sums = MET_NEW_ARRAY(a->scratch, double, a->run->elements[loop->node->outs[0].id]);
    do {
        folding f = { .product = 1, .widened = 1, .grown = 1, .highest = -INF };
        if (!met_pass_live(pass)) {
            met_pass_put(pass, 0, nothing);
            continue;
        }
        take_all(pass, &f, product);
        a->sums[met_linear_at(loop, &loop->out[0].offset)] = f.sum;
        if (is_count(pass, &f))
            met_pass_store(pass, 0, (met_running){ .value = f.sum }, true);
        else
            met_pass_store(pass, 0, finish(pass, &tree, &error, &f), false);
        met_means_sum(pass, product);
    } while (met_loop_next(loop, loop->kept_count, loop->kept));
}
