/* Recurrences: a state carried along one index, row by row. The state of a row is an array of its own over the indices that
 * the results of a step lack; formulas find it in the place of input 0, and what is recalled of it behind the last input. */
#include "eval/run.h"
#include "number/fold.h"

/* A formula summed over the state's indices; without any it is its value. */
typedef struct sum {
    met_fold *fold;     /* NULL: nothing is summed */
    met_program *a, *b; /* a product is contracted */
} sum;

typedef struct scan {
    met_loop *loop;
    uint32_t row_count;
    uint32_t *rows;      /* kept indices but that of the steps */
    met_reader start;    /* the state before the first step */
    double *state, *next;
    met_linear cell;     /* element of the state */
    double recalled;
    sum recall, read;
    met_program *step;
} scan;

/* To the next strip of the state; false, all counters at 0 again, after the last one. */
static bool next_strip(met_loop *loop)
{
    return met_loop_next_strip(loop, loop->fold_count, loop->folded);
}

static met_linear no_linear(const met_loop *loop)
{
    return (met_linear){ 0, MET_NEW_ARRAY(loop->run->arena, int64_t, loop->index_count + 1) };
}

/* The loop reads the state's row in place of input 0, and what is recalled behind its inputs. */
static uint64_t place_state(scan *s)
{
    met_loop *loop = s->loop;
    uint64_t cells = 1;
    s->cell = no_linear(loop);
    for (uint32_t k = loop->fold_count; k-- > 0;) {
        s->cell.by[loop->folded[k]] = (int64_t)cells;
        cells *= (uint64_t)loop->size[loop->folded[k]];
    }
    s->state = MET_NEW_ARRAY(loop->run->arena, double, cells);
    s->next = MET_NEW_ARRAY(loop->run->arena, double, cells);
    uint32_t count = loop->node->in_count;
    met_reader *in = MET_NEW_ARRAY(loop->run->arena, met_reader, count + 1);
    for (uint32_t k = 0; k < count; k++)
        in[k] = loop->in[k];
    s->start = in[0];
    in[0] = (met_reader){ .values = s->state, .offset = s->cell, .round = s->start.round };
    in[count] = (met_reader){ .values = &s->recalled, .offset = no_linear(loop) };
    loop->in = in;
    return cells;
}

static sum make_sum(const met_loop *loop, const met_scalar *e, uint64_t cells)
{
    bool product = met_scalar_is_product(e);
    bool nothing = e->kind == MET_SCALAR_NUMBER && e->number == 0;
    if (loop->fold_count == 0 || nothing)
        return (sum){ .a = met_program_new(loop, e) };
    sum result = { .a = met_program_new(loop, product ? e->arguments[0] : e) };
    met_tree tree = met_tree_sequential(loop->run->wide ? MET_F64 : MET_F32);
    result.fold = met_fold_new(loop->run->arena, &tree, MET_MONOID_ADD, cells);
    if (product)
        result.b = met_program_new(loop, e->arguments[1]);
    return result;
}

static double sum_of(met_loop *loop, const sum *s)
{
    if (!s->fold)
        return *met_program_run(s->a, loop, 0, 1);
    uint64_t index = 0;
    met_fold_begin(s->fold);
    do {
        int64_t length = met_loop_strip_length(loop);
        const double *a = met_program_run(s->a, loop, 0, length);
        const double *b = s->b ? met_program_run(s->b, loop, 0, length) : NULL;
        for (int64_t t = 0; t < length; t++, index++) {
            if (b)
                met_fold_push_product(s->fold, index, a[t], b[t]);
            else
                met_fold_push(s->fold, index, a[t]);
        }
    } while (next_strip(loop));
    return met_fold_end(s->fold);
}

/* The next state, rounded as storing it rounds. */
static void step(scan *s)
{
    met_loop *loop = s->loop;
    int64_t stride = met_linear_step(loop, &s->cell);
    do {
        int64_t length = met_loop_strip_length(loop), at = met_linear_at(loop, &s->cell);
        const double *values = met_program_run(s->step, loop, 0, length);
        for (int64_t t = 0; t < length; t++)
            s->next[at + t * stride] = met_run_round(loop->run, loop->node->outs[1], values[t]);
    } while (next_strip(loop));
    double *last = s->state;
    s->state = s->next;
    s->next = last;
    loop->in[0].values = s->state;
}

/* Copies a row between the state and an edge. */
static void move_row(scan *s, const met_reader *edge, bool out)
{
    met_loop *loop = s->loop;
    do {
        for (int64_t t = 0, length = met_loop_strip_length(loop); t < length; t++) {
            double *there = &edge->values[met_linear_at(loop, &edge->offset) + t * met_linear_step(loop, &edge->offset)];
            double *here = &s->state[met_linear_at(loop, &s->cell) + t * met_linear_step(loop, &s->cell)];
            *(out ? there : here) = *(out ? here : there);
        }
    } while (next_strip(loop));
}

void met_run_scan(met_loop *loop)
{
    scan s = { .loop = loop };
    uint32_t along = loop->form.along;
    s.rows = MET_NEW_ARRAY(loop->run->arena, uint32_t, loop->kept_count);
    for (uint32_t k = 0; k < loop->kept_count; k++)
        if (loop->kept[k] != along)
            s.rows[s.row_count++] = loop->kept[k];
    loop->strip = loop->fold_count ? loop->folded[loop->fold_count - 1] : MET_NONE;
    uint64_t cells = place_state(&s);
    s.recall = make_sum(loop, loop->form.recall, cells);
    s.read = make_sum(loop, loop->form.read, cells);
    s.step = met_program_new(loop, loop->form.e);
    do {
        move_row(&s, &s.start, false);
        for (loop->counter[along] = 0; loop->counter[along] < loop->size[along]; loop->counter[along]++) {
            s.recalled = sum_of(loop, &s.recall);
            step(&s);
            double value = met_run_round(loop->run, loop->node->outs[0], sum_of(loop, &s.read));
            loop->out[0].values[met_linear_at(loop, &loop->out[0].offset)] = value;
        }
        loop->counter[along] = 0;
        move_row(&s, &loop->out[1], true);
    } while (met_loop_next(loop, s.row_count, s.rows));
}
