/* Recurrences: the state's error is carried from step to step, as its value is (src/eval/scan.c). */
#include <math.h>

#include "budget/analysis.h"
#include "number/fold.h"

typedef struct recurrence {
    met_pass *pass;
    uint64_t cells;
    met_running *state, *next;
    met_running recalled;
    met_tree tree;        /* of both sums */
    met_fold *fold;
    met_fold_error error[2]; /* of sums; of sums of products */
} recurrence;

/* The inputs of a cell's formulas: the state in place of input 0, what is recalled behind the last. */
static void load(recurrence *r, uint64_t cell)
{
    met_pass *pass = r->pass;
    met_pass_load(pass, false);
    pass->inputs[0] = r->state[cell];
    pass->inputs[pass->loop->node->in_count] = r->recalled;
}

static met_running value_of(recurrence *r, const met_scalar *e)
{
    load(r, 0);
    return met_formula_run(&r->pass->in, e);
}

/* A formula summed over the state's cells; without any it is its value. */
static met_running sum_of(recurrence *r, const met_scalar *e)
{
    met_loop *loop = r->pass->loop;
    uint32_t channels = r->pass->a->channels;
    bool product = met_scalar_is_product(e);
    if (loop->fold_count == 0 || (e->kind == MET_SCALAR_NUMBER && e->number == 0))
        return value_of(r, e);
    met_running total = { 0 };
    double sum = 0;
    uint64_t cell = 0;
    met_fold_begin(r->fold);
    do {
        load(r, cell);
        met_running term = met_formula_run(&r->pass->in, product ? e->arguments[0] : e);
        if (product) {
            met_running other = met_formula_run(&r->pass->in, e->arguments[1]);
            met_fold_push_product(r->fold, cell, term.value, other.value);
            term = met_running_product(&term, &other, channels);
        } else {
            met_fold_push(r->fold, cell, term.value);
        }
        sum += fabs(term.value);
        met_running_add(&total, &term, channels);
        cell++;
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
    const met_fold_error *error = &r->error[product];
    double slack = 1 + (double)(cell + 4) * 0x1p-52;
    double rounding = met_budget_up(error->relative * sum * slack + error->absolute);
    total.value = met_fold_end(r->fold);
    total.error = met_budget_up(total.error * slack + rounding);
    for (uint32_t k = 0; k < channels; k++)
        total.channel[k] = met_budget_up(total.channel[k] * slack + (k ? 0 : rounding));
    return total;
}

static void step(recurrence *r)
{
    met_loop *loop = r->pass->loop;
    met_run *run = r->pass->a->run;
    uint64_t cell = 0;
    do {
        load(r, cell);
        met_running s = met_formula_run(&r->pass->in, loop->form.e);
        s.element = NULL; /* what is rounded is another number */
        double before = s.value;
        s.value = met_run_round(run, loop->node->outs[1], before);
        double rounding = met_edge_rounding(r->pass, 1, 0, s.value, &before);
        s.error = met_budget_up(s.error + rounding);
        s.channel[0] = met_budget_up(s.channel[0] + rounding);
        r->next[cell++] = s;
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
    met_running *last = r->state;
    r->state = r->next;
    r->next = last;
}

static void begin_row(recurrence *r)
{
    uint64_t cell = 0;
    do {
        r->state[cell++] = met_pass_read(r->pass, 0);
    } while (met_loop_next(r->pass->loop, r->pass->loop->fold_count, r->pass->loop->folded));
}

/* Steps round to what has no scales; what has is rounded as a whole, in the end. */
static void end_row(recurrence *r)
{
    met_loop *loop = r->pass->loop;
    bool scaled = !met_format_is_plain(r->pass->a->run->circuit->edges[loop->node->outs[1].id].format);
    uint64_t cell = 0;
    do {
        if (scaled)
            met_pass_store(r->pass, 1, r->state[cell++], true);
        else
            met_pass_put(r->pass, 1, r->state[cell++]);
    } while (met_loop_next(r->pass->loop, r->pass->loop->fold_count, r->pass->loop->folded));
}

void met_pass_scan(met_pass *pass)
{
    met_loop *loop = pass->loop;
    met_arena *arena = pass->a->run->arena;
    recurrence r = { .pass = pass, .cells = 1 };
    uint32_t along = loop->form.along, row_count = 0, *rows = MET_NEW_ARRAY(arena, uint32_t, loop->kept_count);
    for (uint32_t k = 0; k < loop->kept_count; k++)
        if (loop->kept[k] != along)
            rows[row_count++] = loop->kept[k];
    for (uint32_t k = 0; k < loop->fold_count; k++)
        r.cells *= (uint64_t)loop->size[loop->folded[k]];
    r.state = MET_NEW_ARRAY(arena, met_running, r.cells);
    r.next = MET_NEW_ARRAY(arena, met_running, r.cells);
    r.tree = met_tree_sequential(pass->a->run->wide ? MET_F64 : MET_F32);
    r.fold = met_fold_new(arena, &r.tree, MET_MONOID_ADD, r.cells);
    for (int product = 0; product < 2; product++)
        r.error[product] = met_fold_error_of(&r.tree, r.cells, product);
    do {
        loop->counter[along] = 0;
        begin_row(&r);
        for (; loop->counter[along] < loop->size[along]; loop->counter[along]++) {
            r.recalled = sum_of(&r, loop->form.recall);
            step(&r);
            met_pass_store(pass, 0, sum_of(&r, loop->form.read), true);
        }
        loop->counter[along] = 0;
        end_row(&r);
    } while (met_loop_next(loop, row_count, rows));
}
