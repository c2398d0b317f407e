/* Choices: the k largest, and how often something holds. They are certain, or open within their errors. Open ones are taken to be those
 * of the reals where these, computed in double, choose the same, and clearly: by more than double may be off. */
#include <math.h>
#include <stdlib.h>

#include "budget/analysis.h"

#define INF ((double)INFINITY)

/* Apart by more than what computing them in double may be off by; a tie is none. */
static bool clearly_apart(double a, double b)
{
    return fabs(a - b) > 0x1p-30 * fmax(fabs(a), fabs(b));
}

/* What an input is over the reals, in double, where the loop stands; NaN where that is not known. */
static double real_input(const met_pass *pass, uint32_t input)
{
    const met_loop *loop = pass->loop;
    const met_reader *reader = &loop->in[input];
    const double *reals = pass->a->reals ? pass->a->reals[loop->node->ins[input].id] : NULL;
    return reals ? reals[reader->shift + met_linear_at(loop, &reader->offset)] : (double)NAN;
}

/* Whether all that a formula compares where the loop stands are arrays that are clearly apart over the reals. */
static bool is_clear(const met_pass *pass, const met_scalar *e)
{
    if (e->kind != MET_SCALAR_CALL)
        return true;
    const met_scalar *a = e->arguments[0], *b = e->arguments[1];
    if (e->fn >= MET_FN_lt && e->fn <= MET_FN_ne && (a->kind == MET_SCALAR_INPUT || b->kind == MET_SCALAR_INPUT)) {
        double x = a->kind == MET_SCALAR_INPUT ? real_input(pass, a->input) : a->kind == MET_SCALAR_NUMBER ? a->number : (double)NAN;
        double y = b->kind == MET_SCALAR_INPUT ? real_input(pass, b->input) : b->kind == MET_SCALAR_NUMBER ? b->number : (double)NAN;
        bool itself = a->kind == b->kind && pass->inputs[a->input].element == pass->inputs[b->input].element;
        return itself || clearly_apart(x, y);
    }
    bool clear = true;
    for (int k = 0; clear && k < met_scalar_fn_table[e->fn].arity; k++)
        clear = is_clear(pass, e->arguments[k]) && (e->arguments[k]->kind != MET_SCALAR_INPUT || e->fn == MET_FN_select);
    return clear;
}

void met_pass_look(met_pass *pass)
{
    const met_loop *loop = pass->loop;
    pass->clear = pass->clear && (!met_formula_counts(loop->form.e) || is_clear(pass, loop->form.e));
}

bool met_pass_counts_alike(const met_pass *pass, uint32_t output, double stored)
{
    const met_loop *loop = pass->loop;
    const double *reals = pass->a->reals ? pass->a->reals[loop->node->outs[output].id] : NULL;
    return reals && pass->clear && loop->form.form == MET_FORM_FOLD && met_formula_counts(loop->form.e) &&
           reals[met_linear_at(loop, &loop->out[output].offset)] == stored;
}

/* --- The k largest --- */

/* Of a sorted row those that have the value of one, or all. */
static met_running row_largest(const met_running *row, uint64_t count, const met_running *like, uint32_t channels)
{
    met_running r = { 0 };
    for (uint64_t i = 0; i < count; i++) {
        if (like && row[i].value != like->value)
            continue;
        r.error = fmax(r.error, row[i].error);
        for (uint32_t k = 0; k < channels; k++)
            r.channel[k] = fmax(r.channel[k], row[i].channel[k]);
    }
    return r;
}

static int by_value(const void *a, const void *b)
{
    double x = ((const met_running *)a)->value, y = ((const met_running *)b)->value;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Whether the first `picks` of the row are in this order for all reals within their errors; if not, which pair is least apart. Ties of
 * exact values are broken by place, in the reals as well. */
static bool order_is_certain(met_running *row, uint64_t count, uint64_t picks, met_choices *ret_open)
{
    qsort(row, count, sizeof *row, by_value);
    const met_running *least = NULL; /* of those before, the one that may be the lowest */
    *ret_open = (met_choices){ 0 };
    for (uint64_t i = 0; i < count; i++) {
        if (isnan(row[i].value)) {
            *ret_open = (met_choices){ 1, 0, INF };
            return false;
        }
        double errors = least ? met_budget_up(least->error + row[i].error) : 0, gap = least ? least->value - row[i].value : INF;
        bool apart = row[i].value + row[i].error < (least ? least->value - least->error : INF) || errors == 0;
        if (i > 0 && !apart && (ret_open->count == 0 || gap * ret_open->errors < ret_open->gap * errors))
            *ret_open = (met_choices){ 1, gap, errors };
        bool lower = least && least->value - least->error <= row[i].value - row[i].error;
        if (i < picks && !lower)
            least = &row[i];
    }
    return ret_open->count == 0;
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Over the reals, in double, the same is chosen where the loop stands, and clearly so. */
static bool chooses_alike(const met_pass *pass, double *reals, uint64_t count, uint32_t rank, uint64_t picks)
{
    met_loop *loop = pass->loop;
    uint32_t last = loop->node->out_count - 1;
    const double *places = pass->a->reals ? pass->a->reals[loop->node->outs[last].id] : NULL;
    bool same = places != NULL;
    for (uint64_t i = 0; same && i < count; i++)
        same = !isnan(reals[i]);
    if (same)
        qsort(reals, count, sizeof *reals, falling);
    for (uint64_t p = 0; same && p < picks; p++) {
        if (rank != MET_NONE)
            loop->counter[rank] = (int64_t)p;
        int64_t at = met_linear_at(loop, &loop->out[last].offset);
        same = places[at] == loop->out[last].values[at] && (p + 1 >= count || clearly_apart(reals[p], reals[p + 1]));
    }
    if (rank != MET_NONE)
        loop->counter[rank] = 0;
    return same;
}

/* Where the k-th largest stands: certain, taken to be as the reals in double have it, or unknown. */
static met_running place_of(met_pass *pass, met_running *row, double *reals, uint64_t count, uint32_t rank, uint64_t picks)
{
    met_choices open, *all = &pass->a->choices;
    met_running place = { 0 };
    if (order_is_certain(row, count, picks, &open))
        return place;
    if (isfinite(open.errors) && chooses_alike(pass, reals, count, rank, picks)) {
        bool closer = all->errors == 0 || open.gap * all->errors < all->gap * open.errors;
        *all = (met_choices){ all->count + 1, closer ? open.gap : all->gap, closer ? open.errors : all->errors };
        return place;
    }
    for (uint32_t k = 0; k < pass->a->channels; k++)
        place.channel[k] = INF;
    place.error = INF;
    return place;
}

/* The k-th largest moves as what stands there; where that is not known by no more than the one that moves most. */
void met_pass_pick(met_pass *pass)
{
    met_loop *loop = pass->loop;
    uint64_t count = 1, picks = 1;
    uint32_t rank = MET_NONE, row_count = 0, outs = loop->node->out_count;
    uint32_t *rows = MET_NEW_ARRAY(loop->run->arena, uint32_t, loop->kept_count);
    for (uint32_t k = 0; k < loop->fold_count; k++)
        count *= (uint64_t)loop->size[loop->folded[k]];
    for (uint32_t k = 0; k < loop->kept_count; k++) {
        if (loop->node->indices[loop->kept[k]].target && rank == MET_NONE)
            rank = loop->kept[k];
        else
            rows[row_count++] = loop->kept[k];
    }
    met_running *row = MET_NEW_ARRAY(loop->run->arena, met_running, count);
    double *reals = MET_NEW_ARRAY(loop->run->arena, double, count);
    picks = rank == MET_NONE ? 1 : (uint64_t)loop->size[rank];
    do {
        uint64_t live = 0;
        do {
            if (!met_pass_load(pass, true))
                continue;
            reals[live] = real_input(pass, 0);
            row[live++] = pass->inputs[0];
        } while (met_loop_next(loop, loop->fold_count, loop->folded));
        met_running place = place_of(pass, row, reals, live, rank, picks);
        for (uint64_t p = 0; p < picks; p++) {
            if (rank != MET_NONE)
                loop->counter[rank] = (int64_t)p;
            bool stands = place.error == 0 && p < live;
            met_running value = row_largest(row, live, stands ? &row[p] : NULL, pass->a->channels);
            value.value = outs > 1 ? loop->out[0].values[met_linear_at(loop, &loop->out[0].offset)] : 0;
            if (outs > 1)
                met_pass_store(pass, 0, value, true);
            place.value = loop->out[outs - 1].values[met_linear_at(loop, &loop->out[outs - 1].offset)];
            met_pass_store(pass, outs - 1, place, true);
        }
    } while (met_loop_next(loop, row_count, rows));
}
