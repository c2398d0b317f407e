/* A settled circuit over the reals, in 320 bits (MPFR): what error bounds are held to. Which elements a node reads and which
 * take part comes from the interpreter's loops; all arithmetic is done anew. */
#ifndef MET_TEST_EXACT_RUN_H
#define MET_TEST_EXACT_RUN_H

#include "circuits.h"

#include <mpfr.h>

#include "eval/run.h"
#include "ir/primitive.h"

enum { EXACT_BITS = 320 };

typedef struct exact_run {
    met_run run; /* over the reals; `values` are the doubles nearest to what is exact, for ids and guards */
    mpfr_t **values;
    mpfr_t *state, *next; /* of the scan at hand */
    mpfr_t recalled;
} exact_run;

static inline void exact_number(mpfr_t to, double value)
{
    mpfr_set_d(to, value, MPFR_RNDN);
}

static inline bool exact_is_integer_fn(met_scalar_fn fn)
{
    return fn >= MET_FN_lt && fn <= MET_FN_or;
}

static inline int exact_condition(met_scalar_fn fn, const mpfr_t a, const mpfr_t b)
{
    bool x = !mpfr_zero_p(a), y = !mpfr_zero_p(b);
    switch (fn) {
    case MET_FN_lt: return mpfr_less_p(a, b);
    case MET_FN_le: return mpfr_lessequal_p(a, b);
    case MET_FN_gt: return mpfr_greater_p(a, b);
    case MET_FN_ge: return mpfr_greaterequal_p(a, b);
    case MET_FN_eq: return mpfr_equal_p(a, b);
    case MET_FN_ne: return !mpfr_equal_p(a, b);
    case MET_FN_and: return x && y;
    default: return x || y;
    }
}

/* r = f(x[0], x[1], x[2]); r may be x[0]. */
static inline void exact_call(met_scalar_fn fn, mpfr_t r, mpfr_t *x)
{
    if (exact_is_integer_fn(fn)) {
        mpfr_set_si(r, exact_condition(fn, x[0], x[1]), MPFR_RNDN);
        return;
    }
    switch (fn) {
    case MET_FN_add: mpfr_add(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_sub: mpfr_sub(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_mul: mpfr_mul(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_div: mpfr_div(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_pow: mpfr_pow(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_neg: mpfr_neg(r, x[0], MPFR_RNDN); break;
    case MET_FN_not: mpfr_set_si(r, mpfr_zero_p(x[0]) != 0, MPFR_RNDN); break;
    case MET_FN_abs: mpfr_abs(r, x[0], MPFR_RNDN); break;
    case MET_FN_exp:
    case MET_FN_expp: mpfr_exp(r, x[0], MPFR_RNDN); break;
    case MET_FN_exp2:
    case MET_FN_exp2p: mpfr_exp2(r, x[0], MPFR_RNDN); break;
    case MET_FN_log: mpfr_log(r, x[0], MPFR_RNDN); break;
    case MET_FN_log2: mpfr_log2(r, x[0], MPFR_RNDN); break;
    case MET_FN_sqrt: mpfr_sqrt(r, x[0], MPFR_RNDN); break;
    case MET_FN_rsqrt: mpfr_rec_sqrt(r, x[0], MPFR_RNDN); break;
    case MET_FN_recip: mpfr_ui_div(r, 1, x[0], MPFR_RNDN); break;
    case MET_FN_sin: mpfr_sin(r, x[0], MPFR_RNDN); break;
    case MET_FN_cos: mpfr_cos(r, x[0], MPFR_RNDN); break;
    case MET_FN_tanh:
    case MET_FN_tanhp: mpfr_tanh(r, x[0], MPFR_RNDN); break;
    case MET_FN_erf:
    case MET_FN_erfp: mpfr_erf(r, x[0], MPFR_RNDN); break;
    case MET_FN_sigmoid:
        mpfr_neg(r, x[0], MPFR_RNDN);
        mpfr_exp(r, r, MPFR_RNDN);
        mpfr_add_ui(r, r, 1, MPFR_RNDN);
        mpfr_ui_div(r, 1, r, MPFR_RNDN);
        break;
    case MET_FN_floor: mpfr_floor(r, x[0]); break;
    case MET_FN_rint: mpfr_rint(r, x[0], MPFR_RNDN); break;
    case MET_FN_max: mpfr_max(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_min: mpfr_min(r, x[0], x[1], MPFR_RNDN); break;
    case MET_FN_ldexp: mpfr_mul_2si(r, x[0], mpfr_get_si(x[1], MPFR_RNDN), MPFR_RNDN); break;
    case MET_FN_fma: mpfr_fma(r, x[0], x[1], x[2], MPFR_RNDN); break;
    case MET_FN_select: mpfr_set(r, mpfr_zero_p(x[0]) ? x[2] : x[1], MPFR_RNDN); break;
    default: fail_msg("no such function");
    }
}

static inline bool exact_inside(const met_loop *loop, const met_reader *reader)
{
    met_strip point = { .lo = 0, .hi = 1 };
    met_strip_inside(loop, reader, &point);
    return point.lo < point.hi;
}

static inline bool exact_passes(const met_loop *loop, const met_gates *gates)
{
    met_strip point = { .lo = 0, .hi = 1 };
    met_strip_gates(loop, gates, &point);
    return point.lo < point.hi && (!point.masked || point.live[0]);
}

/* Where a scan stands: the cell of its state. */
typedef struct exact_place {
    exact_run *exact;
    met_loop *loop;
    bool scan;
    uint64_t cell;
} exact_place;

static inline void exact_input(const exact_place *at, uint32_t k, mpfr_t to)
{
    met_loop *loop = at->loop;
    if (at->scan && k == 0) {
        mpfr_set(to, at->exact->state[at->cell], MPFR_RNDN);
    } else if (at->scan && k == loop->node->in_count) {
        mpfr_set(to, at->exact->recalled, MPFR_RNDN);
    } else if (!exact_inside(loop, &loop->in[k])) {
        mpfr_set_zero(to, 1);
    } else {
        int64_t i = loop->in[k].shift + met_linear_at(loop, &loop->in[k].offset);
        mpfr_set(to, at->exact->values[loop->node->ins[k].id][i], MPFR_RNDN);
    }
}

static inline void exact_formula(const exact_place *at, const met_scalar *e, mpfr_t to)
{
    mpfr_t x[3];
    switch (e->kind) {
    case MET_SCALAR_NUMBER: exact_number(to, e->number); return;
    case MET_SCALAR_SIZE: exact_number(to, (double)met_run_dim(&at->exact->run, e->size)); return;
    case MET_SCALAR_INDEX: exact_number(to, (double)at->loop->counter[e->index]); return;
    case MET_SCALAR_INPUT: exact_input(at, e->input, to); return;
    case MET_SCALAR_CALL: break;
    }
    int arity = met_scalar_fn_table[e->fn].arity;
    for (int k = 0; k < 3; k++) {
        mpfr_init2(x[k], EXACT_BITS);
        if (k < arity)
            exact_formula(at, e->arguments[k], x[k]);
    }
    exact_call(e->fn, to, x);
    for (int k = 0; k < 3; k++)
        mpfr_clear(x[k]);
}

static inline void exact_put(exact_run *exact, const met_loop *loop, uint32_t output, const mpfr_t value)
{
    uint32_t edge = loop->node->outs[output].id;
    int64_t at = met_linear_at(loop, &loop->out[output].offset);
    mpfr_set(exact->values[edge][at], value, MPFR_RNDN);
    exact->run.values[edge][at] = mpfr_get_d(value, MPFR_RNDN);
}

static inline void exact_fold_step(met_monoid monoid, mpfr_t to, const mpfr_t term, bool first)
{
    if (first && monoid != MET_MONOID_OR)
        mpfr_set(to, term, MPFR_RNDN);
    else if (monoid == MET_MONOID_ADD)
        mpfr_add(to, to, term, MPFR_RNDN);
    else if (monoid == MET_MONOID_MUL)
        mpfr_mul(to, to, term, MPFR_RNDN);
    else if (monoid == MET_MONOID_MAX)
        mpfr_max(to, to, term, MPFR_RNDN);
    else if (monoid == MET_MONOID_MIN)
        mpfr_min(to, to, term, MPFR_RNDN);
    else
        mpfr_set_si(to, (!first && !mpfr_zero_p(to)) || !mpfr_zero_p(term), MPFR_RNDN);
}

static inline bool exact_takes_part(const met_loop *loop)
{
    for (uint32_t k = 0; k < loop->node->in_count; k++)
        if (!exact_inside(loop, &loop->in[k]))
            return false;
    return exact_passes(loop, &loop->in_gates);
}

static inline void exact_fold(exact_place *at, mpfr_t to)
{
    met_loop *loop = at->loop;
    mpfr_t term;
    bool first = true;
    mpfr_init2(term, EXACT_BITS);
    mpfr_set_zero(to, 1);
    do {
        met_loop_find_id(loop);
        if (exact_takes_part(loop)) {
            exact_formula(at, loop->form.e, term);
            exact_fold_step(loop->form.monoid, to, term, first);
            first = false;
        }
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
    mpfr_clear(term);
}

static inline void exact_plain(exact_place *at)
{
    met_loop *loop = at->loop;
    mpfr_t value;
    mpfr_init2(value, EXACT_BITS);
    do {
        if (!exact_passes(loop, &loop->out_gates)) {
            exact_number(value, at->exact->run.unit[loop->node->outs[0].id]);
        } else if (loop->fold_count > 0) {
            exact_fold(at, value);
        } else {
            met_loop_find_id(loop);
            exact_formula(at, loop->form.e, value);
        }
        exact_put(at->exact, loop, 0, value);
    } while (met_loop_next(loop, loop->kept_count, loop->kept));
    mpfr_clear(value);
}

/* The sum of a formula over the state's cells, or its value where there are none or it is 0. */
static inline void exact_state_sum(exact_place *at, const met_scalar *e, mpfr_t to)
{
    mpfr_t term;
    mpfr_init2(term, EXACT_BITS);
    mpfr_set_zero(to, 1);
    at->cell = 0;
    do {
        exact_formula(at, e, term);
        mpfr_add(to, to, term, MPFR_RNDN);
        at->cell++;
    } while (met_loop_next(at->loop, at->loop->fold_count, at->loop->folded));
    mpfr_clear(term);
}

static inline void exact_move_row(exact_place *at, bool out)
{
    exact_run *exact = at->exact;
    met_loop *loop = at->loop;
    at->cell = 0;
    do {
        if (out)
            exact_put(exact, loop, 1, exact->state[at->cell]);
        else
            mpfr_set(exact->state[at->cell], exact->values[loop->node->ins[0].id][met_linear_at(loop, &loop->in[0].offset)],
                     MPFR_RNDN);
        at->cell++;
    } while (met_loop_next(loop, loop->fold_count, loop->folded));
}

static inline void exact_step(exact_place *at)
{
    exact_run *exact = at->exact;
    at->cell = 0;
    do {
        exact_formula(at, at->loop->form.e, exact->next[at->cell]);
        at->cell++;
    } while (met_loop_next(at->loop, at->loop->fold_count, at->loop->folded));
    mpfr_t *last = exact->state;
    exact->state = exact->next;
    exact->next = last;
}

static inline mpfr_t *exact_array(met_arena *arena, uint64_t count)
{
    mpfr_t *array = MET_NEW_ARRAY(arena, mpfr_t, count);
    for (uint64_t i = 0; i < count; i++)
        mpfr_init2(array[i], EXACT_BITS);
    return array;
}

static inline void exact_array_clear(mpfr_t *array, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        mpfr_clear(array[i]);
}

static inline void exact_scan(exact_place *at)
{
    exact_run *exact = at->exact;
    met_loop *loop = at->loop;
    uint64_t cells = 1;
    uint32_t along = loop->form.along, row_count = 0, rows[64];
    for (uint32_t k = 0; k < loop->kept_count; k++)
        if (loop->kept[k] != along)
            rows[row_count++] = loop->kept[k];
    for (uint32_t k = 0; k < loop->fold_count; k++)
        cells *= (uint64_t)loop->size[loop->folded[k]];
    exact->state = exact_array(exact->run.arena, cells);
    exact->next = exact_array(exact->run.arena, cells);
    mpfr_t value;
    mpfr_init2(value, EXACT_BITS);
    mpfr_init2(exact->recalled, EXACT_BITS);
    at->scan = true;
    do {
        exact_move_row(at, false);
        for (loop->counter[along] = 0; loop->counter[along] < loop->size[along]; loop->counter[along]++) {
            exact_state_sum(at, loop->form.recall, value);
            mpfr_set(exact->recalled, value, MPFR_RNDN);
            exact_step(at);
            exact_state_sum(at, loop->form.read, value);
            exact_put(exact, loop, 0, value);
        }
        loop->counter[along] = 0;
        exact_move_row(at, true);
    } while (met_loop_next(loop, row_count, rows));
    exact_array_clear(exact->state, cells);
    exact_array_clear(exact->next, cells);
    mpfr_clear(value);
    mpfr_clear(exact->recalled);
}

/* The k largest by repeated search; among equals the first. */
static inline void exact_pick(exact_place *at)
{
    exact_run *exact = at->exact;
    met_loop *loop = at->loop;
    uint64_t count = 1;
    uint32_t rank = MET_NONE, row_count = 0, rows[64], outs = loop->node->out_count;
    for (uint32_t k = 0; k < loop->fold_count; k++)
        count *= (uint64_t)loop->size[loop->folded[k]];
    for (uint32_t k = 0; k < loop->kept_count; k++) {
        if (loop->node->indices[loop->kept[k]].target && rank == MET_NONE)
            rank = loop->kept[k];
        else
            rows[row_count++] = loop->kept[k];
    }
    mpfr_t *row = exact_array(exact->run.arena, count), place;
    mpfr_init2(place, EXACT_BITS);
    bool *gone = MET_NEW_ARRAY(exact->run.arena, bool, count);
    do {
        uint64_t i = 0;
        do {
            gone[i] = !exact_takes_part(loop);
            exact_input(at, 0, row[i++]);
        } while (met_loop_next(loop, loop->fold_count, loop->folded));
        for (int64_t p = 0; p < (rank == MET_NONE ? 1 : loop->size[rank]); p++) {
            int64_t best = -1;
            for (i = 0; i < count; i++)
                if (!gone[i] && (best < 0 || mpfr_greater_p(row[i], row[best])))
                    best = (int64_t)i;
            if (rank != MET_NONE)
                loop->counter[rank] = p;
            if (best >= 0)
                gone[best] = true;
            mpfr_set_si(place, best, MPFR_RNDN);
            exact_put(exact, loop, outs - 1, place);
            if (best < 0)
                mpfr_set_inf(place, -1);
            if (outs > 1)
                exact_put(exact, loop, 0, best < 0 ? place : row[best]);
        }
        if (rank != MET_NONE)
            loop->counter[rank] = 0;
    } while (met_loop_next(loop, row_count, rows));
    exact_array_clear(row, count);
    mpfr_clear(place);
}

static inline void exact_node(exact_run *exact, const met_node *node)
{
    met_loop *loop = met_loop_new(&exact->run, node);
    assert_non_null(loop);
    exact_place at = { exact, loop, false, 0 };
    loop->strip = MET_NONE;
    if (loop->form.form == MET_FORM_SCAN)
        exact_scan(&at);
    else if (loop->form.form == MET_FORM_PICK)
        exact_pick(&at);
    else
        exact_plain(&at);
}

/* The circuit as it was written, over the reals, on sources that `sources` has by edge. */
static inline exact_run *exact_run_new(const met_circuit *settled, const met_point *point, const met_eval_options *options,
                                       const double *const *sources)
{
    exact_run *exact = MET_NEW(settled->session->arena, exact_run);
    exact->run = (met_run){ .circuit = settled, .session = settled->session, .arena = met_arena_new(), .options = *options,
                            .wide = true, .reals = true, .point = point };
    if (!met_run_begin(&exact->run, 0, NULL))
        fail_msg("%s", met_session_diagnostics_text(settled->session));
    exact->values = MET_NEW_ARRAY(exact->run.arena, mpfr_t *, settled->edge_count);
    for (uint32_t e = 0; e < settled->edge_count; e++) {
        exact->values[e] = exact_array(exact->run.arena, exact->run.elements[e]);
        for (uint64_t i = 0; settled->edges[e].producer.id == MET_NONE && i < exact->run.elements[e]; i++)
            exact_number(exact->values[e][i], exact->run.values[e][i] = sources[e][i]);
    }
    for (uint32_t n = 0; n < settled->node_count; n++)
        exact_node(exact, &settled->nodes[n]);
    return exact;
}

static inline void exact_run_free(exact_run *exact)
{
    for (uint32_t e = 0; e < exact->run.circuit->edge_count; e++)
        exact_array_clear(exact->values[e], exact->run.elements[e]);
    met_arena_free(exact->run.arena);
    mpfr_free_cache();
}

#endif
